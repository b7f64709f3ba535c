//! The numbers on a character's sheet, which players note with `!set` and games may read and change.

use crate::{Left, Refusal, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The largest number that is typed as a value or a change of one.
pub const MOST_NUMBER: i64 = 1_000_000_000_000;

/// A whole number as it is noted on a sheet: `7`, or `7/9` with the most that it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counter {
    /// What it is.
    pub now: i64,
    /// The most that it can be; the least is 0 then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<i64>,
}

/// What sets a counter to its most.
const FULL: [&str; 2] = ["full", "max"];

impl Counter {
    /// The number that a value is, if it is one.
    pub fn read(value: &str) -> Option<Self> {
        match value.split_once('/') {
            Some((now, most)) => Some(Counter { now: now.trim().parse().ok()?, most: Some(most.trim().parse().ok()?) }),
            None => Some(Counter { now: value.trim().parse().ok()?, most: None }),
        }
    }

    /// The same after a change as it is typed without spaces: `-7` or `+3`, `12` or `=12`, `full`. `None` if it is none, or
    /// the number would be larger than any that is typed.
    pub fn changed(self, typed: &str) -> Option<Self> {
        let change = typed.trim_start_matches('=');
        let word = change.to_lowercase();
        // `hp to full`
        if FULL.contains(&word.strip_prefix("to").unwrap_or(&word)) {
            return self.most.map(|most| self.at(most));
        }
        let kept = |number: &i64| (-MOST_NUMBER..=MOST_NUMBER).contains(number);
        let number = change.parse::<i64>().ok().filter(kept)?;
        let signed = typed.starts_with(['+', '-']);
        let next = if signed { self.now.checked_add(number).filter(kept)? } else { number };
        Some(self.at(next))
    }

    /// The same at another number, within its bounds.
    #[must_use]
    pub fn at(self, number: i64) -> Self {
        let now = match self.most {
            Some(most) => number.clamp(0, most.max(0)),
            None => number.clamp(-MOST_NUMBER, MOST_NUMBER),
        };
        Counter { now, ..self }
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.most {
            Some(most) => write!(f, "{}/{most}", self.now),
            None => write!(f, "{}", self.now),
        }
    }
}

/// What is wrong with a value that is meant as a number: `+-3`, `--`, `1e9`, one with twenty digits.
pub fn wrong_number(typed: &str) -> Option<String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let signs = typed.len() - typed.trim_start_matches(['+', '-']).len();
    let number = &typed[signs..];
    let exponent = |(base, power): (&str, &str)| {
        base.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && digits(power.trim_start_matches(['+', '-']))
    };
    if (signs > 0 && number.is_empty()) || (signs > 1 && number.starts_with(|c: char| c.is_ascii_digit())) {
        return Some(format!("\"{typed}\" is no number"));
    }
    if number.starts_with(|c: char| c.is_ascii_digit()) && number.split_once(['e', 'E']).is_some_and(exponent) {
        return Some(format!("\"{typed}\" is no whole number: type all its digits"));
    }
    let large = |part: &str| digits(part) && part.parse::<i64>().map_or(true, |number| number > MOST_NUMBER);
    let large = number.split('/').map(str::trim).find(|part| large(part));
    large.map(|part| format!("{part} is too large: the largest number I keep is {MOST_NUMBER}"))
}

/// A value that a game declares for everybody's sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetValue {
    /// Its name, in lower case.
    pub name: String,
    /// Other names for it, in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What it is before anybody sets it: `0`, `0/9`.
    pub first: String,
    /// The least and the most that changes make of it, if its text does not say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(i64, i64)>,
    /// Whether the table has it, and not each character.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tables: bool,
}

impl SheetValue {
    /// A number within its bounds.
    pub fn within(&self, number: i64) -> i64 {
        self.bounds.map_or(number, |(least, most)| number.clamp(least, most))
    }

    /// The one of these that is called this, in lower case; what is another name of one may be the name of a later one.
    pub fn called<'v>(name: &str, all: impl Iterator<Item = &'v Self> + Clone) -> Option<&'v Self> {
        let also = |value: &&Self| value.also.iter().any(|also| also == name);
        all.clone().find(|value| value.name == name).or_else(|| all.clone().find(also))
    }
}

/// The declared values of the character who acts, by name; those that are not there were never set.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// As they are noted.
    pub(crate) noted: Arc<BTreeMap<String, String>>,
    /// What the command makes of them.
    pub(crate) changed: BTreeMap<String, Counter>,
}

impl Left {
    /// The declared values after the turn, of which these were noted before.
    pub fn noted(&self, before: &Arc<BTreeMap<String, String>>) -> Arc<BTreeMap<String, String>> {
        if self.values.is_empty() {
            return before.clone();
        }
        let changed = self.values.iter().map(|(name, value)| (name.clone(), value.to_string()));
        Arc::new(before.iter().map(|(name, value)| (name.clone(), value.clone())).chain(changed).collect())
    }
}

impl Turn<'_> {
    /// Sets the declared values of the actor's sheet, as they are noted there.
    #[must_use]
    pub fn with_sheet(mut self, noted: Arc<BTreeMap<String, String>>) -> Self {
        self.sheet = Sheet { noted, changed: BTreeMap::new() };
        self
    }

    /// A number of the actor's sheet, which the game declares in its [`Manifest`](crate::Manifest). `None` if it was never
    /// set. Only a command with [`Trait::Sheet`](crate::Trait::Sheet) is given any.
    ///
    /// # Errors
    /// Something else than a number is noted under this name.
    pub fn value(&self, name: &str) -> Result<Option<Counter>, Refusal> {
        if let Some(changed) = self.sheet.changed.get(name) {
            return Ok(Some(*changed));
        }
        let Some(noted) = self.sheet.noted.get(name) else { return Ok(None) };
        let counter = Counter::read(noted).ok_or_else(|| {
            Refusal::new(format!("{name} is {noted}, and this needs a number")).example(format!("set {name} 1"))
        });
        counter.map(Some)
    }

    /// Notes a number on the actor's sheet, as `!set` does. It is stored with the entry, and undone with it.
    pub fn change_value(&mut self, name: &str, to: Counter) {
        self.sheet.changed.insert(name.to_owned(), to);
    }
}
