//! An entry of the journal, as far as a reader may read it.

use dice::Die;
use jiff::Timestamp;
use journal::Page;
use table::own::Looking;

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub number: u64,
    /// The character who acted.
    pub who: String,
    /// The player who typed it.
    pub player: String,
    /// When it was said.
    pub time: Timestamp,
    /// The command.
    pub command: String,
    /// What was said.
    pub says: Says,
    /// Its dice in the order in which they fell, and whether each counts, as far as that is known; empty if the reader may not
    /// see them.
    pub dice: Vec<(Die, bool)>,
    /// What later entries did to it.
    pub fates: Vec<Fate>,
    /// The entry that it takes back.
    pub undoes: Option<u64>,
    /// True if it no longer holds.
    pub is_void: bool,
    /// True if only some may read it; the reader is one of them, unless its words are withheld.
    pub is_secret: bool,
}

/// What was said in an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing that the reader may read: it was given in secret.
    Withheld,
    /// Nothing any more: its words are erased. What is left is its dice: `d20=15`.
    Erased(String),
    /// A line and its answer.
    Told {
        /// The line without the prefix.
        typed: String,
        /// The answer without the number at its end.
        answer: String,
        /// The beginning of the answer up to its result, if that is known.
        ending: Option<String>,
    },
}

/// What a later entry did to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// In words, to be followed by the number: `undone in`.
    pub what: &'static str,
    /// The number of the later entry.
    pub by: u64,
}

impl Fate {
    /// All that happened to an entry.
    pub(crate) fn of(page: &Page) -> Vec<Self> {
        let fate = &page.link.fate;
        let says = [
            ("undone in", fate.undone_by),
            ("edited: now", fate.replaced_by),
            ("revealed in", fate.revealed_by),
            ("text erased in", fate.erased_by),
        ];
        says.into_iter().filter_map(|(what, by)| by.map(|by| Fate { what, by })).collect()
    }
}

impl std::fmt::Display for Fate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} #{}", self.what, self.by)
    }
}

impl Entry {
    /// True if any of it that the reader sees has these words, which are in lower case.
    pub(crate) fn says_any(&self, words: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(words);
        has(&self.who)
            || has(&self.command)
            || matches!(&self.says, Says::Told { typed, answer, .. } if has(typed) || has(answer))
    }

    /// This entry as the reader sees it in a list.
    pub(crate) fn of(looking: &Looking, page: &Page) -> Self {
        let tells = looking.tells_values(page);
        let withheld = (page.is_secret() || tells) && !(looking.in_secret && looking.may_see(page) && !tells);
        let says = match (page.text(), page.answer()) {
            _ if withheld => Says::Withheld,
            (Some(typed), Some(answer)) => {
                let ending = page.ending().filter(|ending| answer.starts_with(ending));
                Says::Told { typed, ending, answer }
            }
            _ => Says::Erased(page.dice_shown()),
        };
        Entry {
            number: page.number(),
            who: looking.table.name_of(page.entry.character).to_owned(),
            player: looking.who(page),
            time: page.entry.time,
            command: page.entry.command.clone(),
            dice: if withheld { Vec::new() } else { page.counted_dice() },
            says,
            fates: Fate::of(page),
            undoes: page.entry.undoes,
            is_void: page.is_void(),
            is_secret: page.is_secret(),
        }
    }
}
