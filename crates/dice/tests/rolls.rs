//! The results of given dice.

use dice::{Budget, Dice, DiceError, Notation, RollError, Scripted};

/// `total = the shown roll`, for each roll, or the error. Each die must have the sides written with it.
fn rolled(text: &str, dice: &[(u32, u32)]) -> String {
    let notation: Notation = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut script = Scripted::new(dice.iter().copied());
    let shown = notation.roll(&mut script).map_or_else(
        |error| error.to_string(),
        |rolls| {
            let each = rolls.iter().flat_map(|rolls| &rolls.rolls).map(|roll| format!("{} = {roll}", roll.value));
            each.collect::<Vec<_>>().join("; ")
        },
    );
    assert_eq!(script.left().count(), 0, "dice left over for {text}: {shown}");
    shown
}

/// The same with only d6.
fn d6(text: &str, dice: &[u32]) -> String {
    rolled(text, &dice.iter().map(|value| (6, *value)).collect::<Vec<_>>())
}

/// The same with only d10.
fn d10(text: &str, dice: &[u32]) -> String {
    rolled(text, &dice.iter().map(|value| (10, *value)).collect::<Vec<_>>())
}

#[test]
fn keep_and_drop_take_what_they_say() {
    let dice = [3, 1, 6, 3];
    for (text, shown) in [
        ("4d6kh3", "12 = 4d6kh3 [3 (1) 6 3]"),
        ("4d6kl2", "4 = 4d6kl2 [3 1 (6) (3)]"),
        ("4d6km2", "6 = 4d6km2 [3 (1) (6) 3]"),
        ("4d6dh1", "7 = 4d6dh1 [3 1 (6) 3]"),
        ("4d6d1", "12 = 4d6dl1 [3 (1) 6 3]"),
        ("4d6dl2kh1", "6 = 4d6dl2kh1 [(3) (1) 6 (3)]"),
        ("4d6k<=3", "7 = 4d6k<=3 [3 1 (6) 3]"),
        ("4d6d<>3", "6 = 4d6d<>3 [3 (1) (6) 3]"),
        ("4d6kh9", "13 = 4d6kh9 [3 1 6 3]"),
        ("4d6kh0", "0 = 4d6kh0 [(3) (1) (6) (3)]"),
    ] {
        assert_eq!(d6(text, &dice), shown, "{text}");
    }
}

#[test]
fn dice_explode_in_five_ways() {
    assert_eq!(d6("2d6!", &[6, 2, 6, 1]), "15 = 2d6! [6+6+1 2]");
    assert_eq!(d6("2d6!>=5kh1", &[5, 2, 3]), "5 = 2d6!>=5kh1 [5+(3) (2)]");
    assert_eq!(d6("2d6!o", &[6, 2, 6]), "14 = 2d6!o [6+6 2]");
    assert_eq!(d6("2d6!!", &[6, 2, 6, 1]), "15 = 2d6!! [13 2]");
    assert_eq!(d6("2d6!p", &[6, 2, 6, 1]), "13 = 2d6!p [6+5+0 2]");
    assert_eq!(d6("2d6!i", &[1, 2, 1]), "2 = 2d6!i [1-1 2]");
}

#[test]
fn rerolls_replace_as_often_as_they_may() {
    assert_eq!(d6("2d6r1", &[1, 4, 1, 3]), "7 = 2d6r1 [(1) (1) 3 4]");
    assert_eq!(d6("2d6ro<3", &[1, 4, 2]), "6 = 2d6ro<3 [(1) 2 4]");
    assert_eq!(d6("1d6rr2<3", &[1, 2, 1]), "1 = 1d6rr2<3 [(1) (2) 1]");
    assert_eq!(d6("3d6u", &[5, 5, 2, 5, 3]), "10 = 3d6u [5 (5) (5) 3 2]");
}

#[test]
fn faces_are_changed_before_they_are_added() {
    assert_eq!(d6("3d6mi2ma5", &[1, 4, 6]), "11 = 3d6mi2ma5 [2 4 5]");
    assert_eq!(d6("3d6map[1:0,6:12]", &[1, 4, 6]), "16 = 3d6map[1:0,6:12] [0 4 12]");
    assert_eq!(d6("3d6!sd", &[1, 6, 2, 3]), "12 = 3d6!sd [6+3 2 1]");
    assert_eq!(d6("3d6s", &[5, 6, 2]), "13 = 3d6sa [2 5 6]");
}

#[test]
fn counting_takes_the_place_of_the_sum() {
    assert_eq!(d10("5d10>=7", &[9, 1, 7, 10, 3]), "3 = 5d10>=7 [9 (1) 7 10 (3)]");
    assert_eq!(d10("5d10>=7f1", &[9, 1, 7, 10, 3]), "2 = 5d10>=7f1 [9 1✗ 7 10 (3)]");
    assert_eq!(d10("5d10>=7dbl", &[9, 1, 7, 10, 3]), "4 = 5d10>=7dbl10 [9 (1) 7 10×2 (3)]");
    assert_eq!(d10("3d10!c>=7", &[9, 10, 8, 3]), "3 = 3d10!c>=7 [9 10+(3) 8]");
    assert_eq!(d10("3d10even", &[9, 10, 8]), "2 = 3d10even [(9) 10 8]");
    assert_eq!(d10("3d10odd", &[9, 10, 8]), "1 = 3d10odd [9 (10) (8)]");
    assert_eq!(d10("5d10m", &[4, 4, 8, 8, 1]), "4 = 5d10m [4 4 8 8 (1)]");
    assert_eq!(d10("6d10mt", &[4, 4, 8, 8, 8, 8]), "3 = 6d10mt2 [4 4 8 8 8 8]");
    assert_eq!(d10("2d10cs10cf1", &[10, 1]), "11 = 2d10cs10cf1 [10★ 1✗]");
    let notation: Notation = "2d10>=7b1".parse().unwrap();
    let rolls = notation.roll(&mut Scripted::new([(10, 1), (10, 4)])).unwrap();
    assert!(rolls[0].rolls[0].throws[0].tally.is_some_and(|tally| tally.is_botch()));
}

#[test]
fn a_comparison_is_of_the_whole_and_knows_its_margin() {
    let verdict = |text: &str, dice: &[(u32, u32)]| {
        let notation: Notation = text.parse().unwrap();
        let rolls = notation.roll(&mut Scripted::new(dice.iter().copied())).unwrap();
        let verdict = rolls[0].rolls[0].verdict.expect("it compares");
        (verdict.success, verdict.margin.map(|margin| margin.to_string()))
    };
    assert_eq!(verdict("1d20+5 vs 15", &[(20, 12)]), (true, Some("2".into())));
    assert_eq!(verdict("3+2d6>=12", &[(6, 4), (6, 4)]), (false, Some("-1".into())));
    assert_eq!(verdict("(1d100)<=45", &[(100, 40)]), (true, Some("5".into())));
    assert_eq!(verdict("3d10>=7>=2", &[(10, 7), (10, 8), (10, 1)]), (true, Some("0".into())));
    assert_eq!(d6("(2d6)>=9", &[4, 5]), "1 = (2d6 [4 5]) vs 9");
    assert_eq!(d6("(1d6>3)*2", &[4]), "2 = (1d6 [4] > 3) * 2");
    assert_eq!(verdict("1d20 >= 15", &[(20, 12)]), (false, Some("-3".into())));
    assert_eq!(verdict("2d20kh1>=15", &[(20, 3), (20, 17)]), (true, Some("2".into())));
    // Dice on the right are no number that each die on the left is compared with.
    assert_eq!(verdict("2d6 > 2d4", &[(6, 4), (6, 3), (4, 4), (4, 3)]), (false, Some("0".into())));
    assert_eq!(verdict("2d6 = 1d[2,4]", &[(6, 1), (6, 3), (2, 2)]), (true, None));
    assert_eq!(verdict("2d6>=d4", &[(6, 4), (6, 3), (4, 4)]), (true, Some("3".into())));
    assert_eq!(verdict("2d6kh1 <= 1d6dl66kh1kh1", &[(6, 4), (6, 3), (6, 5)]), (false, Some("-4".into())));
}

#[test]
fn groups_take_results_or_mix_dice() {
    assert_eq!(rolled("{2d6, 1d8+1}kh1", &[(6, 4), (6, 3), (8, 5)]), "7 = {2d6 [4 3], 1d8 [5] + 1}kh1 [7 (6)]");
    assert_eq!(rolled("{2d6 + 1d8}kh2", &[(6, 4), (6, 3), (8, 5)]), "9 = {2d6 + 1d8}kh2 [4 (3) 5]");
    assert_eq!(rolled("{1d20+5,1d20+3}>=15", &[(20, 12), (20, 4)]), "1 = {1d20 [12] + 5, 1d20 [4] + 3}>=15 [17 (7)]");
}

#[test]
fn counts_and_sides_are_computed() {
    assert_eq!(rolled("(1d4)d6", &[(4, 2), (6, 5), (6, 1)]), "6 = (1d4 [2])d6 [5 1]");
    assert_eq!(rolled("2d(1d4+1)", &[(4, 2), (3, 3), (3, 1)]), "4 = 2d(1d4 [2] + 1) [3 1]");
    assert_eq!(rolled("(1-3)d6", &[]), "0 = (1 - 3)d6 []");
    assert_eq!(rolled("1d(1-3)", &[]), "a die needs at least one side");
    assert_eq!(rolled("(999*2)d6", &[]), "that is more than 1000 dice");
}

#[test]
fn dice_have_whatever_faces_they_are_given() {
    assert_eq!(rolled("4dF", &[(3, 1), (3, 2), (3, 3), (3, 3)]), "1 = 4dF [-1 0 1 1]");
    assert_eq!(rolled("3dF.1", &[(6, 1), (6, 2), (6, 6)]), "0 = 3dF.1 [-1 0 1]");
    assert_eq!(rolled("d%", &[(100, 100)]), "100 = 1d% [100]");
    assert_eq!(rolled("2d[3..8]", &[(6, 1), (6, 6)]), "11 = 2d[3..8] [3 8]");
    assert_eq!(rolled("3d[1,3:2,blank]", &[(4, 1), (4, 3), (4, 4)]), "4 = 3d[1,3:2,blank] [1 3 blank]");
    assert_eq!(rolled("1d[-2,5]!", &[(2, 2), (2, 1)]), "3 = 1d[-2,5]! [5-2]");
    assert_eq!(rolled("0d6", &[]), "0 = 0d6 []");
}

#[test]
fn words_on_dice_are_counted_and_cancel_each_other() {
    let words = |text: &str, dice: &[(u32, u32)]| {
        let notation: Notation = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let rolls = notation.roll(&mut Scripted::new(dice.iter().copied())).unwrap();
        let roll = &rolls[0].rolls[0];
        let each: Option<Vec<String>> =
            roll.words().map(|all| all.iter().map(|(word, often)| format!("{often} {word}")).collect());
        format!("{}: {}", roll.value, each.map_or("no words".to_owned(), |each| each.join(", ")))
    };
    let (both, dice) = ("2d[-,hit,hit+hit,hit+flash] + 2d[-,miss,miss+dark]", [(4, 3), (4, 4), (3, 3), (3, 1)]);
    assert_eq!(words(both, &dice), "0: 1 blank, 1 dark, 1 flash, 3 hit, 1 miss");
    assert_eq!(words(&format!("{both} cancel hit/miss"), &dice), "2: 1 dark, 1 flash, 2 hit");
    assert_eq!(words(&format!("{both} cancel miss/hit, flash/dark"), &dice), "-2: 2 hit");
    assert_eq!(words("d[hit,miss]+d[hit,miss] cancel hit/miss", &[(2, 1), (2, 2)]), "0: ");
    assert_eq!(words("2d[hit,miss]k>5", &[(2, 1), (2, 2)]), "0: ");
    assert_eq!(words("d[hit,1]", &[(2, 1)]), "0: no words");
    assert_eq!(words("d[hit,1] + 1", &[(2, 2)]), "2: no words");
    assert_eq!(words("2d[Hit,miss] cancel hit/MISS", &[(2, 1), (2, 2)]), "0: ");
    let shown = rolled("2d[hit,miss] cancel hit/miss", &[(2, 2), (2, 2)]);
    assert_eq!(shown, "-2 = 2d[hit,miss] [miss miss] cancel hit/miss");
    for (text, what) in [
        ("2d[hit,miss]kh1 cancel hit/miss", "nothing else is done"),
        ("(d2)d[hit,miss] cancel hit/miss", "nothing else is done"),
        ("2d[hit,miss] cancel hit/mist", "what shows on these dice is hit, miss"),
        ("2d[hit,-] cancel hit/blank", "what shows on these dice is hit"),
        ("2d[hit,miss] cancel hit", "two words cancel each other"),
        ("2d[hit,miss] cancel hit-miss", "what shows on these dice is hit, miss"),
        ("2d[hit,Hit,miss] cancel HIT/miss", "what shows on these dice is Hit, hit, miss"),
        ("2d[hit,miss] cancel hit/hit", "each word cancels one other"),
        ("2d[hit,miss,dark] cancel hit/miss, hit/dark", "each word cancels one other"),
        ("2d[hit,miss] + 1", "no number to calculate with"),
        ("2d[hit,miss] - d[hit]", "no number to calculate with"),
        ("2d[hit,miss] vs 3", "no number to calculate with"),
        ("2d[hit,miss] >= 1", "no number to calculate with"),
        ("2d[hit,miss][fire]", "no number to calculate with"),
        ("d6 * max(1, (d[hit]))", "no number to calculate with"),
        ("{2d[hit,miss], d6}kh1", "no number to calculate with"),
        ("d20 vs each 2d[hit,miss]", "no number to calculate with"),
        ("3x d[hit,miss] sum", "not added up"),
        ("2d6 cancel hit/miss", "I cannot read"),
        ("2d[hit,miss] cancel the order", "I cannot read"),
        ("d[a+a+a+a+a+a+a+a+a+a+a]", "a die needs its faces"),
        ("2d[a,,b]", "a face is missing between these commas"),
        ("2d[a,", "this bracket is never closed"),
    ] {
        let error = text.parse::<Notation>().map(drop).expect_err(text).to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
}

#[test]
fn arithmetic_is_exact_and_checked() {
    for (text, shown) in [
        ("7/2", "3.5 = 7 / 2"),
        ("-7//2", "-4 = -7 // 2"),
        ("7/2*2", "7 = 7 / 2 * 2"),
        ("7%4-2**3", "-5 = 7 % 4 - 2 ** 3"),
        ("-2**2", "-4 = -2 ** 2"),
        ("2**3**2", "512 = 2 ** 3 ** 2"),
        ("ceil(7/2)+floor(7/2)+round(5/2)+abs(-1)", "11 = ceil(7 / 2) + floor(7 / 2) + round(5 / 2) + abs(-1)"),
        ("max(1,3,2)-min(4,5)+sum(1,2)", "2 = max(1, 3, 2) - min(4, 5) + sum(1, 2)"),
        ("1.5*3", "4.5 = 1.5 * 3"),
        ("1/0", "that divides by zero"),
        ("1%0", "that divides by zero"),
        ("2**-1", "a power goes from 0 to 64, in whole numbers"),
        ("9223372036854775807+1", "the numbers grow too large"),
        ("(-9223372036854775807-1)/-1", "the numbers grow too large"),
        ("10**19", "the numbers grow too large"),
    ] {
        assert_eq!(rolled(text, &[]), shown, "{text}");
    }
    assert_eq!(rolled("2*(1d4+1)", &[(4, 3)]), "8 = 2 * (1d4 [3] + 1)");
}

#[test]
fn labels_add_up_by_name() {
    let labels = |text: &str, dice: &[(u32, u32)]| {
        let notation: Notation = text.parse().unwrap();
        let rolls = notation.roll(&mut Scripted::new(dice.iter().copied())).unwrap();
        let labels = rolls[0].rolls[0].labels.iter().map(|(label, value)| format!("{label} {value}"));
        labels.collect::<Vec<_>>().join(", ")
    };
    let dice = [(8, 5), (6, 2), (4, 3)];
    assert_eq!(labels("1d8[fire] + 1d6[cold] + 1d4[fire]", &dice), "fire 8, cold 2");
    assert_eq!(labels("(1d8[fire] - 1d6[cold]) * 2 + 1d4[fire]", &dice), "fire 13, cold -4");
    assert_eq!(labels("2 * 1d8[fire] / 4 + 1d6 + 1d4", &dice), "fire 2.5");
    // Parts that do not add up are not shown.
    assert_eq!(labels("{1d8[fire], 1d6[cold]}kh1 + 1d4", &dice), "");
    assert_eq!(labels("1d8[fire] // 2 + 1d6[cold] + 1d4", &dice), "cold 2");
    assert_eq!(labels("1d8[fire] % 3 + 1d6[cold] + 1d4", &dice), "cold 2");
    assert_eq!(labels("max(1d8[fire], 1d6[cold]) + 1d4[acid]", &dice), "acid 3");
}

#[test]
fn rolls_repeat_and_stand_side_by_side() {
    assert_eq!(rolled("2x d4", &[(4, 1), (4, 4)]), "1 = 1d4 [1]; 4 = 1d4 [4]");
    assert_eq!(rolled("2x d4 sort", &[(4, 1), (4, 4)]), "4 = 1d4 [4]; 1 = 1d4 [1]");
    assert_eq!(rolled("d4; d8+1", &[(4, 1), (8, 4)]), "1 = 1d4 [1]; 5 = 1d8 [4] + 1");
}

#[test]
fn pools_come_with_what_was_thrown_for_them() {
    let notation: Notation = "2d6kh1 + -((1d4)d8 + 1)".parse().unwrap();
    let mut script = Scripted::new([(6, 1), (6, 2), (4, 1), (8, 4)]);
    let rolls = notation.roll(&mut script).unwrap();
    let terms: Vec<_> =
        rolls[0].rolls[0].terms().map(|(pool, throw)| format!("{pool} {}", dice::OfPool(pool, throw))).collect();
    assert_eq!(terms, ["2d6kh1 [(1) 2]", "1d4 [1]", "(1d4)d8 [4]"]);
}

#[test]
fn an_explosion_that_would_not_end_stops_at_the_budget() {
    struct Sixes;
    impl Dice for Sixes {
        fn throw(&mut self, _: u32) -> Result<u32, DiceError> {
            Ok(6)
        }
    }
    for text in ["1d6!", "1d(6)!!", "1d(1)u", "2d(6)u", "1d(6)r6"] {
        let (mut sixes, notation) = (Sixes, text.parse::<Notation>().unwrap());
        let mut budget = Budget::new(&mut sixes);
        match text {
            "1d(1)u" => assert!(notation.roll(&mut budget).is_ok()),
            _ => assert_eq!(notation.roll(&mut budget), Err(RollError::Dice(DiceError::TooMany)), "{text}"),
        }
    }
}

#[test]
fn a_number_that_belongs_to_something_else_counts_no_dice() {
    let reads = |text: &str| text.parse::<Notation>().is_ok();
    for text in ["2 d6", "d20 + 2 d6", "d20+5+d8", "d20 vs 15+5", "d20 vs 15 + 5", "3 - 4", "(1-3)d6", "6-1"] {
        assert!(reads(text), "{text}");
    }
    for text in ["d20+5 d8+3", "3-4 d6", "d20+5 vs 12 d6", "d20 vs 15 +5", "d20 vs 15 -2", "1-6", "d20+5 vs 12-15"] {
        assert!(!reads(text), "{text}");
    }
}
