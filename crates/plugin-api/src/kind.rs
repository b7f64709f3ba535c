//! What can be typed for an argument, as data: a file could say it. Nothing is read here.

use crate::spec::{ArgumentSpec, usage_of};
use serde::{Deserialize, Serialize};

/// What can be typed for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// A whole number: `17`, `+2`.
    Number {
        /// The least that it may be.
        least: i64,
        /// The most that it may be.
        most: i64,
        /// Whether it has a sign.
        sign: Sign,
        /// What may stand in front of it, touching it or not: `x2`, `wounds 2`.
        before: Vec<String>,
        /// What may follow it, touching it or not: `45 %`, `2 wounds`.
        after: Vec<String>,
    },
    /// Dice: `d8`, `2d8+d10`.
    Dice {
        /// The most dice in one word.
        most: u32,
    },
    /// A dice expression.
    Notation,
    /// Somebody at the table, or a new name.
    Who,
    /// An account, or the name that it shows.
    Account,
    /// A room, by its id or its name.
    Room,
    /// The name of something else: a deck, a plugin.
    Thing,
    /// One of several words.
    Choice(Vec<Spelled>),
    /// One of several kinds.
    Either(Vec<ArgumentKind>),
    /// Parts that belong together, in this order.
    Pattern(Vec<Part>),
    /// As many of the kind as there are, as one value.
    All(Box<ArgumentKind>),
    /// An entry of the journal: `#12`.
    Entry,
    /// The rest of the line, as typed.
    Text,
    /// A whole command: the rest of the line.
    Line,
    /// Several forms, most of which begin with a word of their own.
    Forms(Vec<Form>),
}

/// Whether a number has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sign {
    /// It must have one: `7` is none of these.
    Needed,
    /// It may have one.
    Welcome,
}

/// A word of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spelled {
    /// How it is typed, in lower case; usage lines show the first. A way can have several words: `luck control`.
    pub words: Vec<String>,
    /// How well known it is.
    pub listed: Listed,
}

/// How well known a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Listed {
    /// Usage lines show it.
    Shown,
    /// They do not, but a slip of it is taken for it.
    Known,
    /// It is read, and no more.
    Read,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What usage lines call it, if its kind does not tell.
    pub name: String,
    /// What it is.
    pub kind: ArgumentKind,
    /// Whether it must be there.
    pub many: PartMany,
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

/// One of several forms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Form {
    /// The words that it can begin with, the one that is shown first; none for the form that begins with none of the others'.
    pub words: Vec<String>,
    /// What it means; may be empty.
    pub help: String,
    /// Its arguments, which follow the word.
    pub arguments: Vec<ArgumentSpec>,
}

impl ArgumentKind {
    /// Any whole number.
    pub fn number() -> Self {
        ArgumentKind::between(i64::MIN, i64::MAX)
    }

    /// A whole number from `least` to `most`, both included.
    pub fn between(least: i64, most: i64) -> Self {
        ArgumentKind::Number { least, most, sign: Sign::Welcome, before: Vec::new(), after: Vec::new() }
    }

    /// The number with one of these in front of it.
    #[must_use]
    pub fn behind(mut self, names: &[&str]) -> Self {
        if let ArgumentKind::Number { before, .. } = &mut self {
            before.extend(names.iter().map(|name| (*name).to_owned()));
        }
        self
    }

    /// The number with one of these behind it.
    #[must_use]
    pub fn before(mut self, names: &[&str]) -> Self {
        if let ArgumentKind::Number { after, .. } = &mut self {
            after.extend(names.iter().map(|name| (*name).to_owned()));
        }
        self
    }

    /// The number with a sign that must be there.
    #[must_use]
    pub fn signed(mut self) -> Self {
        if let ArgumentKind::Number { sign, .. } = &mut self {
            *sign = Sign::Needed;
        }
        self
    }

    /// One of these words, each with its synonyms. Usage lines show the first of each.
    pub fn choice<W: AsRef<[&'static str]>>(all: &[W]) -> Self {
        ArgumentKind::Choice(all.iter().map(|words| Spelled::new(words.as_ref(), Listed::Shown)).collect())
    }

    /// The same or one of these words, which usage lines do not show.
    #[must_use]
    pub fn or_words(self, words: &[&str], listed: Listed) -> Self {
        let more = words.iter().map(|word| Spelled::new(&[*word], listed));
        match self {
            ArgumentKind::Choice(all) => ArgumentKind::Choice(all.into_iter().chain(more).collect()),
            other => ArgumentKind::Either(vec![other, ArgumentKind::Choice(more.collect())]),
        }
    }

    /// A choice of which usage lines show no word, and for which no slip is taken.
    #[must_use]
    pub fn only_read(mut self) -> Self {
        if let ArgumentKind::Choice(all) = &mut self {
            all.iter_mut().for_each(|spelled| spelled.listed = Listed::Read);
        }
        self
    }

    /// How usage lines show it: `NUMBER`, `soft|hard`. Empty if they do not.
    pub fn shape(&self) -> String {
        let joined = |all: Vec<String>| {
            let shown: Vec<_> = all.into_iter().filter(|shape| !shape.is_empty()).collect();
            shown.join("|")
        };
        match self {
            ArgumentKind::Number { sign: Sign::Needed, .. } => "+N|-N".to_owned(),
            ArgumentKind::Number { before, .. } => match before.first().filter(|first| is_word(first)) {
                Some(letter) if letter.len() == 1 => format!("{letter}N"),
                Some(word) => format!("{word} NUMBER"),
                None => "NUMBER".to_owned(),
            },
            ArgumentKind::Dice { .. } => "DIE".to_owned(),
            ArgumentKind::Notation => "DICE".to_owned(),
            ArgumentKind::Who | ArgumentKind::Account | ArgumentKind::Thing => "NAME".to_owned(),
            ArgumentKind::Room => "ROOM".to_owned(),
            ArgumentKind::Choice(all) => joined(all.iter().map(Spelled::shape).collect()),
            ArgumentKind::Either(kinds) => joined(kinds.iter().map(ArgumentKind::shape).collect()),
            ArgumentKind::Pattern(parts) => {
                let shown: Vec<_> = parts.iter().filter_map(Part::shape).collect();
                shown.join(" ")
            }
            ArgumentKind::All(kind) => format!("[{} ...]", kind.shape()),
            ArgumentKind::Entry => "#N".to_owned(),
            ArgumentKind::Text => "TEXT".to_owned(),
            ArgumentKind::Line => "COMMAND".to_owned(),
            ArgumentKind::Forms(forms) => joined(forms.iter().map(Form::usage).collect()),
        }
    }

    /// The words that it is made of and for which slips are taken.
    pub fn words(&self) -> Vec<&str> {
        match self {
            ArgumentKind::Number { before, after, .. } => {
                let known = before.iter().chain(after).map(String::as_str);
                known.filter(|known| known.len() > 1 && is_word(known)).collect()
            }
            ArgumentKind::Dice { .. } => DICE.to_vec(),
            ArgumentKind::Choice(all) => {
                let known = all.iter().filter(|spelled| spelled.listed != Listed::Read);
                known.flat_map(|spelled| &spelled.words).map(String::as_str).collect()
            }
            ArgumentKind::Either(kinds) => kinds.iter().flat_map(ArgumentKind::words).collect(),
            ArgumentKind::Pattern(parts) => parts.iter().flat_map(|part| part.kind.words()).collect(),
            ArgumentKind::All(kind) => kind.words(),
            ArgumentKind::Forms(forms) => forms.iter().flat_map(Form::all_words).collect(),
            ArgumentKind::Notation
            | ArgumentKind::Who
            | ArgumentKind::Account
            | ArgumentKind::Thing
            | ArgumentKind::Room
            | ArgumentKind::Entry
            | ArgumentKind::Text
            | ArgumentKind::Line => Vec::new(),
        }
    }
}

/// The dice that people mean.
const DICE: [&str; 6] = ["d4", "d6", "d8", "d10", "d12", "d20"];

fn is_word(unit: &str) -> bool {
    unit.chars().all(char::is_alphabetic)
}

impl Spelled {
    /// Typed in one of these ways.
    pub fn new(words: &[&str], listed: Listed) -> Self {
        Spelled { words: words.iter().map(|word| (*word).to_owned()).collect(), listed }
    }

    fn shape(&self) -> String {
        match self.listed {
            Listed::Shown => self.words.first().cloned().unwrap_or_default(),
            Listed::Known | Listed::Read => String::new(),
        }
    }
}

impl Part {
    /// A part that must be there.
    pub fn one(name: &str, kind: ArgumentKind) -> Self {
        Part { name: name.to_owned(), kind, many: PartMany::One }
    }

    /// A part that may be missing.
    pub fn maybe(name: &str, kind: ArgumentKind) -> Self {
        Part { name: name.to_owned(), kind, many: PartMany::Maybe }
    }

    /// A part that may be missing, and that usage lines do not show.
    pub fn unlisted(name: &str, kind: ArgumentKind) -> Self {
        Part { name: name.to_owned(), kind, many: PartMany::Unlisted }
    }

    fn shape(&self) -> Option<String> {
        let shape = named(&self.name, self.kind.shape());
        match self.many {
            PartMany::One => Some(shape),
            PartMany::Maybe => Some(format!("[{shape}]")),
            PartMany::Unlisted => None,
        }
    }
}

/// A shape by what the field is called, if the shape is only what kind it is.
pub(crate) fn named(name: &str, shape: String) -> String {
    let only_kind = !name.is_empty() && !shape.is_empty() && shape.bytes().all(|byte| byte.is_ascii_uppercase());
    if only_kind { name.to_uppercase().replace('_', " ") } else { shape }
}

impl Form {
    /// `pick NUMBER [all]`
    pub fn usage(&self) -> String {
        let word = self.words.first().map_or("", String::as_str);
        format!("{word} {}", usage_of(&self.arguments)).trim().to_owned()
    }

    /// Its own words, and those of its arguments.
    pub(crate) fn all_words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).chain(self.arguments.iter().flat_map(ArgumentSpec::words)).collect()
    }
}
