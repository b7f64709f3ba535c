//! The odds of well-known rolls.

use dice::fair::{FairDice, MessageKey};
use dice::{Certainty, Comparison, Dice, DiceError, Fuel, Notation, Number, ODDS, Odds, OddsError};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::{BTreeMap, BTreeSet};

fn odds(text: &str) -> Odds {
    let notation: Notation = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    notation.rolls[0].odds().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn well_known_rolls_have_their_well_known_odds() {
    let stats = odds("4d6kh3");
    assert_eq!(stats.certainty, Certainty::Exact);
    assert!(near(stats.mean(), 15_869.0 / 1_296.0) && near(stats.deviation(), 2.846_844_445_3));
    assert_eq!((stats.ends(), stats.likeliest()), ((3.into(), 18.into()), 13.into()));
    assert!(near(stats.chance(Comparison::AtLeast, 18.into()), 21.0 / 1_296.0));
    let (higher, same) = stats.against(&odds("3d6"));
    assert!(near(higher, 0.622_192_215_4) && near(same, 0.085_605_281_2), "{higher} {same}");
    assert!(near(odds("1d20+5 vs 15").chance(Comparison::Equal, 1.into()), 0.55));
    assert!(near(odds("3x 1d6 sum").mean(), 10.5));
    // A count before another way of counting counts as well.
    assert!(near(odds("4d6>=4m").mean(), 4776.0 / 1_296.0));
    assert!(near(odds("3d6r1").mean(), 12.0) && near(odds("1d6ro1r2").mean(), 153.6 / 36.0));
    for text in ["3d6r<3", "3d6d<3kh1", "{2d6+1d8}kh2", "(1d3)d4kh1"] {
        assert_eq!(odds(text).certainty, Certainty::Exact, "{text}");
    }
}

#[test]
fn what_explodes_for_ever_is_cut_off_and_says_how_much() {
    for (text, mean) in [("1d6!", 4.2), ("10d10!", 550.0 / 9.0), ("1d6!!", 4.2), ("1d6!p", 4.0), ("2d6!kh1", f64::NAN)]
    {
        let notation: Notation = text.parse().unwrap();
        match notation.rolls[0].odds() {
            Ok(odds) => {
                let Certainty::Within(off) = odds.certainty else { panic!("{text} is {:?}", odds.certainty) };
                assert!(off < 1e-9 && (odds.mean() - mean).abs() < 1e-6, "{text}: {} {off}", odds.mean());
            }
            Err(error) => assert!(mean.is_nan() && error == OddsError::TooLarge, "{text}: {error}"),
        }
    }
    let successes = odds("10d10!c>=8");
    assert!((successes.mean() - 10.0 * 0.3 / 0.9).abs() < 1e-6, "{}", successes.mean());
}

#[test]
fn large_pools_are_exact() {
    let pool = odds("100d6kh50");
    assert_eq!(pool.certainty, Certainty::Exact);
    assert_eq!(pool.ends(), (50.into(), 300.into()));
    assert!(near(pool.outcomes.iter().map(|(_, chance)| chance).sum(), 1.0));
    assert!(near(odds("100d6").mean(), 350.0));
    // Even larger ones are computed with rounded numbers.
    let thousand = odds("1000d6");
    assert!(thousand.certainty == Certainty::Rounded && (thousand.mean() - 3_500.0).abs() < 1e-6);
    assert!(near(odds("100d10>=8").mean(), 30.0));
}

#[test]
fn dice_that_are_thrown_for_mix() {
    let mixed = odds("(1d4)d6");
    assert!(near(mixed.mean(), 8.75), "{mixed:?}");
    assert!(near(odds("(1d10)d(1d6+2)").mean(), 5.5 * 3.25));
}

#[test]
fn what_is_too_large_is_estimated() {
    let notation: Notation = "20d20u".parse().unwrap();
    assert_eq!(notation.rolls[0].odds(), Err(OddsError::TooLarge));
    let key = MessageKey { network: "n".into(), room: "r".into(), id: "1".into(), ordinal: 1 };
    let estimate = notation.rolls[0].estimate(&mut FairDice::new(&[5; 32], &key), 50).unwrap();
    assert_eq!(estimate.certainty, Certainty::Estimated(50));
    assert_eq!(estimate.outcomes, [(Number::from(210), 1.0)], "all faces of a d20 come to 210");
    assert!(matches!("1/0".parse::<Notation>().unwrap().rolls[0].odds(), Err(OddsError::Roll(_))));
}

#[test]
fn work_is_paid_for_before_it_is_done_and_a_die_too_large_is_named() {
    for (text, faces) in [("d4294967295", u32::MAX), ("2d100000000", 100_000_000), ("1d[1..4000000000]", 4_000_000_000)]
    {
        let notation: Notation = text.parse().unwrap();
        assert_eq!(notation.rolls[0].odds(), Err(OddsError::TooManyFaces(faces)), "{text}");
    }
    // The last faces of a die with the most possible.
    assert_eq!(odds("d[1:4294967295]").ends(), (1.into(), 1.into()));
    // One question has one fuel, however many odds it asks for.
    let notation: Notation = "100d6kh50".parse().unwrap();
    let mut fuel = Fuel::new(ODDS);
    let asked = std::iter::repeat_with(|| notation.rolls[0].odds_within(&mut fuel)).take(100);
    assert!(asked.last().unwrap() == Err(OddsError::TooLarge), "it ends");
}

#[test]
fn what_never_comes_is_no_chance_and_what_never_ends_no_odds() {
    assert!(odds("2d6").chance(Comparison::AtLeast, 13.into()).is_sign_positive());
    for text in ["1d(6)r<7", "1d(1)!", "1d(1d2)r1"] {
        let notation: Notation = text.parse().unwrap();
        assert!(matches!(notation.rolls[0].odds(), Err(OddsError::Roll(_))), "{text}");
    }
    let far = odds("d[9223372036854775800..9223372036854775807]");
    assert_eq!(far.ends(), (9_223_372_036_854_775_800.into(), i64::MAX.into()));
}

/// Roughly what players write.
const WRITTEN: &str = "[1-6]d([46]|8|10|12|F|%|\\[1,1,2:3,5\\])((kh|kl|dh|dl|km)[1-3]?|!|!o|!!|!p|!>=[3-6]|r1|ro<3|rr2=2|mi2|ma3|>=[2-5]|>=[3-5]f1|even|odd|m|mt2|dbl[34]|each\\+2|ro\\[1,3\\]|>=3pair4)?(kh2|kl1|c>=3)?( ?[-+*] ?([1-3]d[46](kh1|r1|!)?|[1-9])|/2|//3| vs [1-9])?";
/// The number of expressions to roll. The next is how often to roll each, unless ASTRAGAL_ODDS_ROLLS says.
const EXPRESSIONS: usize = 200;
const ROLLS: u32 = 10_000;
/// How many standard deviations a statistic may be off; one in two million is further off.
const MOST_OFF: f64 = 5.0;

struct Plain(SmallRng);

impl Dice for Plain {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        Ok(self.0.random_range(1..=sides))
    }
}

#[test]
fn what_is_left_of_words_that_cancel_has_exact_odds() {
    let (one, other) = ([0, 1, 2, 1], [0, 1, 1]);
    let notation: Notation = "2d[-,hit,hit+hit,hit+flash] + d[-,miss,miss+dark] cancel hit/miss".parse().unwrap();
    let mut counts: BTreeMap<Number, u32> = BTreeMap::new();
    for (first, second, third) in one.iter().flat_map(|a| one.iter().flat_map(move |b| other.map(|c| (a, b, c)))) {
        *counts.entry((first + second - third).into()).or_default() += 1;
    }
    let odds = notation.rolls[0].odds().unwrap();
    assert_eq!(odds.certainty, Certainty::Exact);
    let expected = counts.into_iter().map(|(left, often)| (left, f64::from(often) / 48.0));
    assert!(odds.outcomes.iter().copied().eq(expected), "{odds:?}");
    let estimated = notation.rolls[0].estimate(&mut Plain(SmallRng::seed_from_u64(7)), 20_000).unwrap();
    assert!((estimated.mean() - odds.mean()).abs() < 0.05, "{} {}", estimated.mean(), odds.mean());
}

#[test]
fn each_word_of_several_kinds_of_dice_has_its_chance() {
    let notation: Notation = "2d[a,b] + d[a+a,-]".parse().unwrap();
    let (chances, on) = notation.rolls[0].expression.chances_of_words().unwrap();
    let chance = |word: &str| chances[word];
    assert_eq!((chance("a"), chance("b"), chance("blank"), on), (0.875, 0.75, 0.5, ", at least once"));
}

#[test]
fn odds_agree_with_rolls() {
    let rolls = std::env::var("ASTRAGAL_ODDS_ROLLS").map_or(ROLLS, |rolls| rolls.parse().unwrap());
    let mut runner = TestRunner::deterministic();
    let written = proptest::string::string_regex(WRITTEN).unwrap();
    let mut dice = Plain(SmallRng::seed_from_u64(7));
    let (mut tested, mut worst) = (BTreeSet::new(), (0.0, String::new()));
    while tested.len() < EXPRESSIONS {
        let text = written.new_tree(&mut runner).unwrap().current();
        let Ok(notation) = text.parse::<Notation>() else { continue };
        let Ok(odds) = notation.rolls[0].odds() else { continue };
        if !tested.insert(text.clone()) {
            continue;
        }
        let mut counts: BTreeMap<Number, u32> = BTreeMap::new();
        for _ in 0..rolls {
            *counts.entry(notation.rolls[0].expression.roll(&mut dice).unwrap().value).or_default() += 1;
        }
        let off = off(&odds, &counts, rolls);
        assert!(off < MOST_OFF, "{text}: {off} deviations off");
        if off > worst.0 {
            worst = (off, text);
        }
    }
    println!("{EXPRESSIONS} expressions, {rolls} rolls each: the worst, {}, is {:.2} deviations off", worst.1, worst.0);
}

/// How far the chi-square statistic of some counts is above its expectation, in standard deviations of a normal
/// distribution (by Wilson and Hilferty). Rare results are counted together.
fn off(odds: &Odds, counts: &BTreeMap<Number, u32>, rolls: u32) -> f64 {
    let (mut statistic, mut bins, mut expected, mut seen, mut all) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut close = |expected: &mut f64, seen: &mut f64| {
        statistic += (*seen - *expected).powi(2) / *expected;
        bins += 1.0;
        (*expected, *seen) = (0.0, 0.0);
    };
    for (value, chance) in &odds.outcomes {
        expected += chance * f64::from(rolls);
        let count = f64::from(counts.get(value).copied().unwrap_or_default());
        (seen, all) = (seen + count, all + count);
        if expected >= 10.0 {
            close(&mut expected, &mut seen);
        }
    }
    // The rest, and what should never come up.
    expected += f64::from(rolls) * 1e-9;
    seen += f64::from(rolls) - all;
    if expected >= 10.0 || seen > 0.0 {
        close(&mut expected, &mut seen);
    }
    let freedom: f64 = bins - 1.0;
    if freedom < 1.0 {
        return if statistic > 1e-3 { f64::INFINITY } else { 0.0 };
    }
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}
