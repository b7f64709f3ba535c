//! Dice among words.

use dice::{Dialect, Notation};

/// The word for the last roll.
pub const AGAIN: &str = "again";

/// True if a text is dice that are thrown.
pub(crate) fn throws_dice(text: &str) -> bool {
    let read = Notation::typed_in(Dialect::Native, text);
    read.is_ok_and(|notation| notation.rolls.iter().any(|roll| roll.expression.throws()))
}

/// True if these words of a roll are about the last one: they begin with `again` or an operator.
pub fn is_on_the_last(words: &str) -> bool {
    let first = words.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    first.eq_ignore_ascii_case(AGAIN) || words.starts_with(['+', '-', '*', '/'])
}
