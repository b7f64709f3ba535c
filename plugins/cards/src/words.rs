//! The words typed for decks: how many cards, and what becomes of a deck.

use plugin_api::{Argument, ArgumentKind, Forms, Listed, Refusal, Text, Value};

/// The most cards that one command draws for somebody.
pub(crate) const MOST_DRAWN: usize = 10;

/// How many cards: `3`, `three`, `a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub usize);

/// The numbers that people write out.
pub(crate) const WRITTEN: [&str; 10] = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// The number that a word writes out.
pub(crate) fn written(word: &str) -> Option<usize> {
    WRITTEN.iter().position(|each| each.eq_ignore_ascii_case(word)).map(|at| at + 1)
}

impl Argument for Count {
    fn kind() -> ArgumentKind {
        let written = WRITTEN.iter().zip(1..).map(|(word, number)| (*word, number)).collect::<Vec<_>>();
        let number = ArgumentKind::between(1, MOST_DRAWN as i64).before(&["x"]).named(&written, Listed::Read);
        number.or_else(&format!("{{}} is not from 1 to {MOST_DRAWN} cards"))
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Count(usize::try_from(value.number()?.0).unwrap_or(MOST_DRAWN)))
    }
}

/// A word that is no number: the name of a deck or of somebody. The core reads a name in such a place as somebody's,
/// and plays a line with `all` there once for each; here `all` has a meaning of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called(pub String);

impl Argument for Called {
    fn kind() -> ArgumentKind {
        ArgumentKind::Thing
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Called(value.text()?.to_owned()))
    }
}

/// What becomes of a deck.
#[derive(Clone, Debug, Forms)]
pub(crate) enum Change {
    /// makes a deck of 52 cards, or 54 with jokers
    Poker {
        #[flag("jokers", "joker")]
        jokers: bool,
        name: Option<Called>,
    },
    /// makes a deck of 78 cards
    Tarot { name: Option<Called> },
    /// makes a deck of 81 cards, which fall like four Fate dice
    Fate { name: Option<Called> },
    /// takes a deck away
    #[form("remove", "delete", "rm", "drop", "clear")]
    Remove {
        #[flag("deck", "the")]
        _deck: bool,
        name: Option<Called>,
    },
    /// makes a deck of your own, NAME: CARD, CARD; or shows the deck of that name
    #[form(bare)]
    Own { deck: Text },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_may_be_written_out_and_has_bounds() {
        let read = |typed: &str| {
            let read = Count::kind().read(&[typed]).map_err(|misfit| misfit.says);
            read.map(|read| read.map(|(value, _)| Count::from_value(value).expect("it is one").0))
        };
        assert_eq!(read("3"), Ok(Some(3)));
        assert_eq!(read("Two"), Ok(Some(2)));
        assert_eq!(read("3x"), Ok(Some(3)));
        assert_eq!(read("omens"), Ok(None));
        assert_eq!(read("x"), Ok(None));
        for wrong in ["0", "-1", "11", "99999999999999999999999"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
