//! Several parts that belong together.

use super::{ArgumentKind, Misfit, is_range, named};
use crate::value::{Parts, Value};
use serde::{Deserialize, Serialize};

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What its value is called; usage lines show it if its kind does not tell what is typed.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// Whether it must be there.
    pub many: PartMany,
    /// Whether it touches the part in front of it.
    #[serde(default)]
    pub touching: Touching,
    /// What is said if it is missing behind a word that needs it, with `{}` for that word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Whether a part must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartMany {
    /// It must.
    One,
    /// It may be missing.
    Maybe,
    /// It may be missing, and usage lines do not show it.
    Unlisted,
}

/// Whether a part touches the part in front of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Touching {
    /// A space is between them.
    #[default]
    Never,
    /// It may: `lvl5`, `Ann=17`.
    Maybe,
    /// It must: the `+2` of `hard+2`.
    Must,
}

impl Part {
    /// A part that must be there.
    pub fn one(name: &str, kind: ArgumentKind) -> Self {
        Part { name: name.to_owned(), kind, many: PartMany::One, touching: Touching::Never, missing: None }
    }

    /// A part that may be missing.
    pub fn maybe(name: &str, kind: ArgumentKind) -> Self {
        Part { many: PartMany::Maybe, ..Part::one(name, kind) }
    }

    /// A part that may be missing, and that usage lines do not show.
    pub fn unlisted(name: &str, kind: ArgumentKind) -> Self {
        Part { many: PartMany::Unlisted, ..Part::one(name, kind) }
    }

    /// The part, if it touches the one in front of it.
    #[must_use]
    pub fn touching(self, touching: Touching) -> Self {
        Part { touching, ..self }
    }

    /// The part, with what is said if it is missing behind a word that needs it.
    #[must_use]
    pub fn or_else(self, missing: &str) -> Self {
        Part { missing: Some(missing.to_owned()), ..self }
    }

    pub(super) fn shape(&self) -> Option<String> {
        let shape = named(&self.name, self.kind.shape());
        match self.many {
            PartMany::One => Some(shape),
            PartMany::Maybe => Some(format!("[{shape}]")),
            PartMany::Unlisted => None,
        }
    }
}

/// Reads all `parts` from the front of `words`, and how many words they take. Once a word was taken that only these parts
/// have, what must follow it is missed; a number that may as well be something else is not.
pub(super) fn read(parts: &[Part], words: &[&str]) -> Result<Option<(Value, usize)>, Misfit> {
    Reading { parts, words, ..Reading::default() }.all()
}

#[derive(Default)]
struct Reading<'a> {
    parts: &'a [Part],
    /// The words that are left.
    words: &'a [&'a str],
    /// The end of the first of them, if its front was taken.
    end: Option<&'a str>,
    /// How many words were taken.
    taken: usize,
    /// The word that shows that these parts are meant.
    led: Option<String>,
}

impl Reading<'_> {
    fn all(mut self) -> Result<Option<(Value, usize)>, Misfit> {
        let (mut values, mut wrong) = (Parts::default(), None);
        for (at, part) in self.parts.iter().enumerate() {
            match self.part(at) {
                // Told of if the other parts follow.
                Err(misfit) if self.led.is_none() && wrong.is_none() => {
                    wrong = Some(misfit);
                    self.pass(1);
                }
                Err(misfit) => return Err(misfit),
                Ok(None) if part.many == PartMany::One => {
                    let missing = self.led.zip(part.missing.as_ref()).filter(|_| wrong.is_none());
                    return missing.map_or(Ok(None), |(led, missing)| Err(Misfit::new(missing.replace("{}", &led))));
                }
                Ok(Some(read)) => values.add(&part.name, read),
                Ok(None) => {}
            }
        }
        match wrong {
            _ if self.end.is_some() || self.taken == 0 => Ok(None),
            Some(wrong) => Err(wrong),
            None => Ok(Some((Value::Parts(values), self.taken))),
        }
    }

    fn part(&mut self, at: usize) -> Result<Option<Value>, Misfit> {
        let part = &self.parts[at];
        let touches = match part.touching {
            Touching::Never => self.end.is_none(),
            Touching::Maybe => true,
            Touching::Must => self.end.is_some(),
        };
        let Some((first, others)) = self.words.split_first().filter(|_| touches) else { return Ok(None) };
        let word = self.end.unwrap_or(first);
        if let Some((value, end)) = self.front(at, word) {
            self.is_led(part, &word[..end]);
            self.end = Some(&word[end..]);
            return Ok(Some(value));
        }
        let read = match self.end {
            Some(end) => part.kind.read(&[&[end], others].concat())?,
            None => part.kind.read(self.words)?,
        };
        let Some((value, count)) = read else { return Ok(None) };
        self.is_led(part, word);
        self.pass(count);
        Ok(Some(value))
    }

    /// The part that only the front of a word is, with a part behind it that touches it; and where it ends.
    fn front(&self, at: usize, word: &str) -> Option<(Value, usize)> {
        if is_range(word) {
            return None;
        }
        let part = &self.parts[at];
        let divides = |c: char| match part.kind {
            ArgumentKind::Number(_) => matches!(c, '+' | '-' | '.'),
            ArgumentKind::Choice(_) => matches!(c, '+' | '-') || c.is_ascii_digit(),
            _ => matches!(c, '=' | ':'),
        };
        let may_touch = |next: &&Part| next.many != PartMany::One || next.touching != Touching::Never;
        let next = || self.parts[at + 1..].iter().take_while(may_touch).filter(|next| next.touching != Touching::Never);
        word.char_indices().filter(|(end, c)| *end > 0 && divides(*c)).find_map(|(end, _)| {
            let (front, back) = word.split_at(end);
            let follows = next().any(|next| matches!(next.kind.read(&[back]), Ok(Some((_, 1)))));
            let Ok(Some((value, 1))) = part.kind.read(&[front]) else { return None };
            follows.then_some((value, end))
        })
    }

    /// Remembers the first word that only these parts have.
    fn is_led(&mut self, part: &Part, word: &str) {
        if self.led.is_none() && matches!(part.kind, ArgumentKind::Choice(_)) {
            self.led = Some(word.to_owned());
        }
    }

    /// Takes so many of the words that are left.
    fn pass(&mut self, count: usize) {
        self.words = &self.words[count..];
        self.taken += count;
        self.end = None;
    }
}
