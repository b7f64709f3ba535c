//! What was typed for arguments, read by their kinds.

use crate::{DiceWord, Refusal};
use std::ops::Range;

/// What was typed for an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number {
        /// Which.
        number: i64,
        /// Whether a sign was typed.
        signed: bool,
    },
    /// Dice.
    Dice(DiceWord),
    /// A number, dice or both, in lower case.
    Notation(String),
    /// A name, as typed: of somebody without an `@` in front of it.
    Name(String),
    /// A word of a choice, as usage lines show it.
    Word(String),
    /// The number of an entry.
    Entry(u64),
    /// The rest of the line.
    Text(Text),
    /// Several.
    All(Vec<Value>),
    /// The parts of a pattern that are there.
    Parts(Parts),
    /// The form that begins with this word, or with none, and its arguments.
    Form(String, Values),
}

/// A value of another kind than an argument declares.
pub(crate) fn strange() -> Refusal {
    Refusal::new("that cannot stand here")
}

impl Value {
    /// The number, and whether a sign was typed.
    ///
    /// # Errors
    /// It is something else.
    pub fn number(&self) -> Result<(i64, bool), Refusal> {
        match self {
            Value::Number { number, signed } => Ok((*number, *signed)),
            _ => Err(strange()),
        }
    }

    /// The word, the name or the expression.
    ///
    /// # Errors
    /// It is something else.
    pub fn text(&self) -> Result<&str, Refusal> {
        match self {
            Value::Word(text) | Value::Name(text) | Value::Notation(text) => Ok(text),
            Value::Text(Text { text, .. }) => Ok(text),
            _ => Err(strange()),
        }
    }

    /// The number of the entry.
    ///
    /// # Errors
    /// It is something else.
    pub fn entry(&self) -> Result<u64, Refusal> {
        match self {
            Value::Entry(number) => Ok(*number),
            _ => Err(strange()),
        }
    }

    /// The parts of a pattern.
    ///
    /// # Errors
    /// It is something else.
    pub fn parts(self) -> Result<Parts, Refusal> {
        match self {
            Value::Parts(parts) => Ok(parts),
            _ => Err(strange()),
        }
    }

    /// The word that the form begins with, empty if it has none, and its arguments.
    ///
    /// # Errors
    /// It is something else.
    pub fn form(self) -> Result<(String, Values), Refusal> {
        match self {
            Value::Form(word, values) => Ok((word, values)),
            _ => Err(strange()),
        }
    }

    /// All of them.
    ///
    /// # Errors
    /// It is something else.
    pub fn all(self) -> Result<Vec<Value>, Refusal> {
        match self {
            Value::All(all) => Ok(all),
            _ => Err(strange()),
        }
    }
}

/// The parts of a pattern that are there, each with the name that the pattern gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts(Vec<(String, Value)>);

impl Parts {
    pub(crate) fn add(&mut self, name: &str, value: Value) {
        self.0.push((name.to_owned(), value));
    }

    /// Takes the part of this name, if it is there.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Takes the part of this name, which must be there.
    ///
    /// # Errors
    /// It is missing.
    pub fn one(&mut self, name: &str) -> Result<Value, Refusal> {
        self.take(name).ok_or_else(strange)
    }
}

/// One value of an argument, and where it stands in the line, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The value; `None` if only the word that leads to it was typed.
    pub value: Option<Value>,
    /// Its place.
    pub at: Range<usize>,
}

/// The values of arguments, in the order of their declaration; each is handed out once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    all: Vec<Vec<Found>>,
    next: usize,
}

impl Values {
    pub(crate) fn new(all: Vec<Vec<Found>>) -> Self {
        Values { all, next: 0 }
    }

    /// What was found for each argument, in the order of their declaration.
    pub fn found(&self) -> &[Vec<Found>] {
        &self.all
    }

    pub(crate) fn next(&mut self) -> Vec<Found> {
        self.next += 1;
        self.all.get_mut(self.next - 1).map(std::mem::take).unwrap_or_default()
    }
}

/// The rest of the line, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What was typed.
    pub text: String,
    /// Where it begins in the line, in bytes.
    pub at: usize,
}
