//! One declared argument: where it stands, how often, and what it is. Its usage follows from that.

use crate::kind::{ArgumentKind, Form, named};
use serde::{Deserialize, Serialize};

/// One declared argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentSpec {
    /// What the command calls it, in lower case.
    pub field: String,
    /// What it means; may be empty.
    #[serde(default)]
    pub help: String,
    /// Where it stands.
    pub place: Place,
    /// How often it is there.
    pub many: Many,
    /// What can be typed.
    pub kind: ArgumentKind,
    /// How many groups of arguments that several commands share it is in, one within the other.
    #[serde(default, skip_serializing_if = "is_none")]
    pub shared: u8,
    /// How usage lines show it, if its kind does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<String>,
}

fn is_none(shared: &u8) -> bool {
    *shared == 0
}

/// Where an argument stands. Several words are one with its synonyms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Behind one of these words.
    Word(Vec<String>),
    /// Behind one of these words, or where nothing else is.
    Bare(Vec<String>),
    /// Behind one of these words, which may be there without it.
    Follows(Vec<String>),
    /// Anywhere in the line: a word that says all.
    Flag,
    /// A word and everything behind it: the other side of the line.
    Side,
    /// The numbers with a sign.
    Signed,
    /// The first words that fit.
    Here,
}

/// How often an argument is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Many {
    /// Once.
    One,
    /// Once, or not at all.
    Maybe,
    /// As often as somebody types it.
    Repeated,
}

/// How to type these arguments: `[DIE ...] [adv] [vs NUMBER]`.
pub fn usage_of(arguments: &[ArgumentSpec]) -> String {
    arguments.iter().map(ArgumentSpec::usage).collect::<Vec<_>>().join(" ")
}

impl ArgumentSpec {
    /// How a usage line shows it: `[vs NUMBER]`.
    pub fn usage(&self) -> String {
        let shape = || self.shown.clone().unwrap_or_else(|| self.kind.shape());
        let by_name = || named(&self.field, shape());
        // The word says already what it is.
        let behind = |names: &[String]| if names.contains(&self.field) { shape() } else { by_name() };
        match &self.place {
            Place::Here => self.many.shown(by_name()),
            Place::Bare(names) if names.contains(&self.field) => self.many.shown(by_name()),
            Place::Word(names) | Place::Bare(names) => self.many.shown(format!("{} {}", names[0], behind(names))),
            Place::Follows(names) => format!("[{} [{}]]", names[0], behind(names)),
            Place::Flag | Place::Side => self.many.shown(shape()),
            Place::Signed if self.many == Many::Maybe => "[+N|-N]".to_owned(),
            Place::Signed => "[+N|-N ...]".to_owned(),
        }
    }

    /// Its forms, if it has several.
    pub fn forms(&self) -> Option<&[Form]> {
        match (&self.place, &self.kind) {
            (Place::Here, ArgumentKind::Forms(forms)) => Some(forms),
            _ => None,
        }
    }

    /// The words that it is made of, for "did you mean".
    pub fn words(&self) -> Vec<&str> {
        let names: &[String] = match &self.place {
            Place::Word(names) | Place::Bare(names) | Place::Follows(names) => names,
            Place::Flag | Place::Side | Place::Signed | Place::Here => &[],
        };
        names.iter().map(String::as_str).chain(self.kind.words()).collect()
    }
}

impl Many {
    fn shown(self, shape: String) -> String {
        match self {
            Many::One => shape,
            Many::Maybe => format!("[{shape}]"),
            Many::Repeated => format!("[{shape} ...]"),
        }
    }
}
