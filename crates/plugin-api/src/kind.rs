//! What can be typed for an argument, as data: a file could say it.

mod number;
mod pattern;
mod read;

use crate::spec::{ArgumentSpec, usage_of};
pub(crate) use number::is_range;
pub use number::{NamedNumber, NumberKind, Sign, Unit};
pub use pattern::{Part, PartMany, Touching};
pub use read::Misfit;
use serde::{Deserialize, Serialize};

/// What can be typed for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArgumentKind {
    /// A whole number: `17`, `+2`, `2 wounds`, `hard`.
    Number(NumberKind),
    /// Dice: `d8`, `2d8+d10`.
    Dice {
        /// The most dice in one word.
        most: u32,
    },
    /// A number or a roll, also with a signed number or `adv` behind it: `17`, `+3`, `2d20kh1`, `d20 +4`, `+3 adv`.
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
    /// As many of the kind as there are, wherever they stand, as one value.
    All(Box<ArgumentKind>),
    /// Several of the kind that follow each other, as one value.
    List {
        /// What they are.
        of: Box<ArgumentKind>,
        /// The most of them.
        most: usize,
        /// Words that make of the number in front of them a count of something else.
        counted: Vec<String>,
    },
    /// An entry of the journal: `#12`.
    Entry,
    /// The rest of the line, as typed.
    Text,
    /// A whole command: the rest of the line.
    Line,
    /// Several forms, most of which begin with a word of their own.
    Forms(Vec<Form>),
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
            ArgumentKind::Number(number) => number.shape(),
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
            ArgumentKind::List { of, .. } => format!("{} ...", of.shape()),
            ArgumentKind::Entry => "#N".to_owned(),
            ArgumentKind::Text => "TEXT".to_owned(),
            ArgumentKind::Line => "COMMAND".to_owned(),
            ArgumentKind::Forms(forms) => joined(forms.iter().map(Form::usage).collect()),
        }
    }

    /// The words that it is made of and for which slips are taken.
    pub fn words(&self) -> Vec<&str> {
        match self {
            ArgumentKind::Number(number) => number.words(),
            ArgumentKind::Dice { .. } => DICE.to_vec(),
            ArgumentKind::Choice(all) => {
                let known = all.iter().filter(|spelled| spelled.listed != Listed::Read);
                known.flat_map(|spelled| &spelled.words).map(String::as_str).collect()
            }
            ArgumentKind::Either(kinds) => kinds.iter().flat_map(ArgumentKind::words).collect(),
            ArgumentKind::Pattern(parts) => parts.iter().flat_map(|part| part.kind.words()).collect(),
            ArgumentKind::All(kind) | ArgumentKind::List { of: kind, .. } => kind.words(),
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

impl Spelled {
    /// Typed in one of these ways.
    pub fn new(words: &[&str], listed: Listed) -> Self {
        Spelled { words: words.iter().map(|word| (*word).to_owned()).collect(), listed }
    }

    /// The word that usage lines show, if they do.
    pub(crate) fn shown(&self) -> Option<&str> {
        self.words.first().filter(|_| self.listed == Listed::Shown).map(String::as_str)
    }

    fn shape(&self) -> String {
        self.shown().unwrap_or_default().to_owned()
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
