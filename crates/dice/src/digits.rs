//! Dice whose digits are read one by one: `d66` is two six-sided dice, tens and ones. One die with 66 sides is `1d66`,
//! and several are `2d(66)`. Under older rules all of these had 66 sides; [`as_before`] writes a line of that time so
//! that it means now what it meant then.

use crate::expression::{Count, End, Expression, Faces, Pool, Source};
use crate::notation::Notation;
use std::ops::Range;

/// The numbers behind a `d` that are digits of six-sided dice, and how many dice that is.
const NUMBERS: [(&str, u32); 2] = [("666", 3), ("66", 2)];

impl Faces {
    /// The faces of a die of this many sides with nothing in front of its `d`.
    pub(crate) fn of_bare(sides: u32) -> Option<Faces> {
        let dice = NUMBERS.iter().find(|(number, _)| number.parse() == Ok(sides))?.1;
        Some(Faces::Digits(dice))
    }
}

/// The value of a face, counted from 1, of `dice` six-sided dice read as digits.
pub(crate) fn read(dice: u32, face: u32) -> i64 {
    let digit = |place: u32| i64::from((face.saturating_sub(1) / 6_u32.pow(place)) % 6 + 1);
    (0..dice).map(|place| digit(place) * 10_i64.pow(place)).sum()
}

/// What each die of tens makes with the ones, 1 to 100, for a face counted from 1 of a d100 with `more` dice of tens. In
/// the face the ones are the last digit, and the die of tens that fell first is in front of it.
pub(crate) fn each_of_tens(more: u32, face: u32) -> impl Iterator<Item = i64> {
    let digit = move |place: u32| i64::from((face.saturating_sub(1) / 10_u32.pow(place)) % 10);
    (1..=more + 1).map(move |place| match digit(place) * 10 + digit(0) {
        0 => 100,
        shown => shown,
    })
}

/// The value of such a face.
pub(crate) fn of_tens(more: u32, end: End, face: u32) -> i64 {
    let each = each_of_tens(more, face);
    if end == End::Low { each.min() } else { each.max() }.unwrap_or_default()
}

/// A die of this kind in a text.
struct Found {
    place: Range<usize>,
    /// The number behind the `d`.
    sides: &'static str,
    /// True if there is a number before it.
    counted: bool,
}

/// The next one from byte `from` on, in front of the comment.
fn next(text: &str, from: usize) -> Option<Found> {
    let end = text.find(" #").unwrap_or(text.len());
    text.get(from..end)?.match_indices(['d', 'D']).find_map(|(at, d)| {
        let place = from + at;
        let behind = text[place + d.len()..end].trim_start_matches(' ');
        let (sides, _) = NUMBERS.iter().find(|(number, _)| behind.starts_with(number))?;
        let rest = &behind[sides.len()..];
        let goes_on = rest.starts_with(|c: char| c.is_ascii_digit() || c == '.' && !rest.starts_with(".."));
        let word = text[..place].ends_with(|c: char| c.is_alphabetic() && !matches!(c, 'x' | 'X'));
        if goes_on || word {
            return None;
        }
        let counted = text[..place].trim_end().ends_with(|c: char| c.is_ascii_digit() || c == ')');
        Some(Found { place: place..end - rest.len(), sides, counted })
    })
}

/// True if a line has a `d66` or `d666`, which was one die under older rules.
pub fn has_digits(text: &str) -> bool {
    next(text, 0).is_some()
}

/// A line that was written when `d66` was one die of 66 sides, in words that still mean that.
pub fn as_before(text: &str) -> String {
    let (mut written, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(Found { place, sides, counted }) = next(text, from) {
        written.push_str(&text[from..place.start]);
        let one =
            text[..place.start].ends_with('1') && !text[..place.start - 1].ends_with(|c: char| c.is_ascii_digit());
        written.push_str(&match (counted, one) {
            (false, _) => format!("1d{sides}"),
            (true, true) => format!("d{sides}"),
            (true, false) => format!("d({sides})"),
        });
        from = place.end;
    }
    written + &text[from..]
}

impl Notation {
    /// The first of its dice whose digits are read one by one, as it is typed, and its number of dice.
    pub fn digits(&self) -> Option<(String, u32)> {
        let count = self.rolls.iter().find_map(|roll| roll.expression.digits())?;
        Some((format!("d{}", Faces::Digits(count)), count))
    }
}

impl Expression {
    fn digits(&self) -> Option<u32> {
        match self {
            Expression::Number(_) => None,
            Expression::Pool(Pool { source: Source::Dice(count, faces), .. }) => match (faces, count) {
                (Faces::Digits(dice), _) => Some(*dice),
                (Faces::Computed(inner), _) | (_, Count::Computed(inner)) => inner.digits(),
                _ => None,
            },
            Expression::Pool(Pool { source: Source::Group(members), .. }) | Expression::Function(_, members) => {
                members.iter().find_map(Expression::digits)
            }
            Expression::Negative(inner) | Expression::Parentheses(inner) | Expression::Labelled(inner, _) => {
                inner.digits()
            }
            Expression::Chain(first, rest) => {
                first.digits().or_else(|| rest.iter().find_map(|(_, operand)| operand.digits()))
            }
            Expression::Power(left, right) | Expression::Compared(left, _, right) => {
                left.digits().or_else(|| right.digits())
            }
            Expression::ComparedWithEach(left, ..) => left.digits(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Certainty, Comparison, Scripted};

    #[test]
    fn a_d66_is_two_dice_read_as_tens_and_ones() {
        let roll = |text: &str, dice: &[(u32, u32)]| {
            let notation: Notation = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let rolls = notation.roll(&mut Scripted::new(dice.to_vec())).unwrap();
            rolls[0].rolls[0].to_string() + &format!(" = {}", rolls[0].rolls[0].total())
        };
        assert_eq!(roll("d66", &[(6, 5), (6, 3)]), "d66 [53] = 53");
        assert_eq!(roll("D 66+2", &[(6, 1), (6, 1)]), "d66 [11] + 2 = 13");
        assert_eq!(roll("d666", &[(6, 6), (6, 1), (6, 2)]), "d666 [612] = 612");
        assert_eq!(roll("d66r11", &[(6, 1), (6, 1), (6, 2), (6, 4)]), "d66r11 [(11) 24] = 24");
        assert_eq!(roll("d66!", &[(6, 6), (6, 6), (6, 2), (6, 4)]), "d66! [66+24] = 90");
        assert_eq!(roll("d66kh1", &[(6, 3), (6, 4)]), "d66kh1 [34] = 34");
        assert_eq!(roll("1d66", &[(66, 40)]), "1d66 [40] = 40");
        assert_eq!(roll("2d(66)", &[(66, 40), (66, 2)]), "2d(66) [40 2] = 42");
    }

    #[test]
    fn its_odds_are_those_of_36_results() {
        let odds = |text: &str| {
            let notation: Notation = text.parse().unwrap();
            notation.rolls[0].odds().unwrap()
        };
        let (all, near) = (odds("d66"), |left: f64, right: f64| (left - right).abs() < 1e-12);
        assert_eq!((all.certainty, all.ends()), (Certainty::Exact, (11.into(), 66.into())));
        let chance = |value: i64| all.chance(Comparison::Equal, value.into());
        for value in 0..100 {
            let there = (1..=6).contains(&(value / 10)) && (1..=6).contains(&(value % 10));
            assert!(near(chance(value), if there { 1.0 / 36.0 } else { 0.0 }), "{value}");
        }
        assert!(near(odds("d66 vs 44").chance(Comparison::Equal, 1.into()), 15.0 / 36.0));
        assert!(near(odds("d666").mean(), 388.5) && odds("d66!").certainty != Certainty::Exact);
    }

    #[test]
    fn a_d100_with_more_tens_shows_them_all_and_takes_the_lowest_or_the_highest() {
        let roll = |text: &str, dice: &[(u32, u32)]| {
            let notation: Notation = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let rolls = notation.roll(&mut Scripted::new(dice.to_vec())).unwrap();
            rolls[0].rolls[0].to_string() + &format!(" = {}", rolls[0].rolls[0].total())
        };
        assert_eq!(roll("d100b1", &[(10, 4), (10, 7), (10, 3)]), "1d100b1 [(74) 34] = 34");
        assert_eq!(roll("d% p2", &[(10, 10), (10, 10), (10, 3), (10, 10)]), "1d100p2 [(30) (100) 100] = 100");
        assert_eq!(roll("d100 b1 <= 50", &[(10, 4), (10, 7), (10, 3)]), "1d100b1 [(74) 34] <= 50 = 1");
        assert_eq!(roll("d100b1+5", &[(10, 5), (10, 1), (10, 1)]), "1d100b1 [(15) 15] + 5 = 20");
        let chance = |text: &str| {
            let notation: Notation = text.parse().unwrap();
            notation.rolls[0].odds().unwrap().mean()
        };
        // Of nine ones in ten, one tens of two is under 5; with a 0, one is 1 to 4.
        assert!((chance("d100b1 < 50") - (0.9 * 0.75 + 0.1 * 0.64)).abs() < 1e-9, "{}", chance("d100b1 < 50"));
        assert!(
            (chance("d100b2") + chance("d100p2") - 101.0).abs() < 1e-9,
            "{} and {}",
            chance("d100b2"),
            chance("d100p2")
        );
        assert_eq!(
            "d100b4".parse::<Notation>().unwrap_err().what,
            "a d100 has 1 to 3 bonus or penalty dice, as in d100b1"
        );
        assert_eq!("2d100c>=50b1".parse::<Notation>().unwrap().to_string(), "2d100>=50b1");
    }

    #[test]
    fn several_d66_are_refused_with_what_to_type() {
        for text in ["2d66", "(1+1)d66", "2d666", "3d6+2d66"] {
            let said = text.parse::<Notation>().unwrap_err().what;
            assert!(said.contains("d(66") && said.contains("x d66"), "{text}: {said}");
        }
        assert_eq!("2d66".parse::<Notation>().unwrap_err().meant.as_deref(), Some("2x d66"));
    }

    #[test]
    fn a_line_from_before_is_written_so_that_it_means_the_same() {
        for (before, now) in [
            ("roll d66", "roll 1d66"),
            ("roll d66+d666 # d66", "roll 1d66+1d666 # d66"),
            ("roll 1d66", "roll 1d66"),
            ("roll 2d66kh1", "roll 2d(66)kh1"),
            ("roll 11d66", "roll 11d(66)"),
            ("6x D 66!", "6x 1d66!"),
            ("(1d4)d66", "(1d4)d(66)"),
            ("d660+d6", "d660+d6"),
            ("max(d66,5) vs 12", "max(1d66,5) vs 12"),
            ("old66", "old66"),
        ] {
            assert_eq!(as_before(before), now, "{before}");
        }
        assert!(has_digits("roll d66") && !has_digits("roll 3d6 # d66"));
    }
}
