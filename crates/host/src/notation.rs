//! Tells dice from commands, and finds the names of variables in either.

use crate::words::Arguments;
use dice::fair::{FairDice, MessageKey};
use dice::{Dialect, Notation};
use plugin_api::FollowUp;

/// True if a text is dice notation that rolls something.
pub fn throws_dice(text: &str, dialect: Dialect) -> bool {
    let read = Notation::typed_in(dialect, &Arguments::of(text, FollowUp::No).typed);
    read.is_ok_and(|notation| notation.rolls.iter().any(|roll| roll.expression.throws()))
}

/// True if a text is dice notation rather than a command.
pub fn reads_as_dice(text: &str, dialect: Dialect) -> bool {
    Notation::typed_in(dialect, &Arguments::of(text, FollowUp::No).typed).is_ok()
}

/// Dice that belong to no table: the same each time for the same purpose.
pub fn dice_of_no_table(purpose: &str) -> FairDice {
    let key = MessageKey { network: "odds".into(), room: String::new(), id: purpose.to_owned(), ordinal: 1 };
    FairDice::new(&[0; 32], &key)
}

/// A text with 1 in place of each variable, to tell what kind of text it is.
pub fn guessed(text: &str) -> String {
    let (mut guessed, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        guessed.push_str(&rest[..at]);
        let (name, length) = variable(&rest[at + 1..]);
        guessed.push_str(if name.is_empty() { "$" } else { "1" });
        rest = &rest[at + 1 + length..];
    }
    guessed + rest
}

/// The name of the variable at the beginning of a text, and its length including braces.
pub fn variable(text: &str) -> (&str, usize) {
    let braced = text.strip_prefix('{').and_then(|inner| inner.split_once('}')).map(|(name, _)| name);
    match braced {
        Some(name) if !name.is_empty() && name_at(name) == name => (name, name.len() + 2),
        _ => {
            let name = name_at(text);
            (name, name.len())
        }
    }
}

/// The name at the beginning of a text: a letter, then letters, digits and `_`.
pub fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    if text.starts_with(char::is_alphabetic) { &text[..end] } else { "" }
}
