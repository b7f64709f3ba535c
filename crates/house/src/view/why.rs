//! Why an entry says what it says: all of it that a reader may know.

use super::entry::Fate;
use crate::show;
use jiff::Timestamp;
use journal::store::StoreError;
use journal::{Changes, Page};
use table::own::Looking;

/// All about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
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
    /// True if it tells values that only referees may know, so that its words are left out.
    pub is_untold: bool,
    /// The line without the prefix; `None` if it is erased or left out.
    pub typed: Option<String>,
    /// The answer without the number at its end; `None` if it is erased or left out.
    pub answer: Option<String>,
    /// Its dice in the order in which they fell: `d20=15 d8=5`.
    pub dice: String,
    /// How the result came about, one sentence each.
    pub steps: Vec<String>,
    /// What it changed, in words.
    pub changes: Vec<String>,
    /// What else there is that the reader may not know.
    pub withholds: Option<Withheld>,
    /// The entry that it follows up on.
    pub follows: Option<u64>,
    /// The entry that it takes back.
    pub undoes: Option<u64>,
    /// The entry that it stands in for, because its message was edited.
    pub replaces: Option<u64>,
    /// What later entries did to it.
    pub fates: Vec<Fate>,
    /// The epoch of its dice, from 1.
    pub epoch: u32,
    /// Its link of the chain, in hexadecimal.
    pub hash: String,
}

/// What an entry has that a reader may not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// The value that it was measured against.
    AValue,
    /// Something that it changed.
    AChange,
}

impl Why {
    /// All about an entry that the reader may read.
    pub(crate) fn of(looking: &Looking, page: &Page) -> Result<Self, StoreError> {
        let entry = &page.entry;
        let knows = looking.in_secret && looking.may_know(page)?;
        let is_untold = looking.tells_values(page) && !knows;
        let mut changes = page.changes().with(page.withheld());
        if !knows {
            changes.withhold(|change| Ok::<_, StoreError>(!looking.ledger.seen_of(change)?.by_everybody()))?;
        }
        let Changes { taken_back, made, .. } = changes;
        let withholds = match page.withholds() && !page.is_secret() && !knows {
            true if looking.hides_a_value(page)? => Some(Withheld::AValue),
            true => Some(Withheld::AChange),
            false => None,
        };
        Ok(Why {
            number: page.number(),
            who: looking.table.name_of(entry.character).to_owned(),
            player: looking.who(page),
            time: entry.time,
            command: entry.command.clone(),
            is_untold,
            typed: page.text().filter(|_| !is_untold),
            answer: page.answer().filter(|_| !is_untold),
            dice: page.all_dice_shown(),
            steps: page.why(),
            changes: show::changes(looking, taken_back.iter().chain(&made)),
            withholds,
            follows: entry.follows,
            undoes: entry.undoes,
            replaces: entry.replaces,
            fates: Fate::of(page),
            epoch: entry.epoch,
            hash: page.link.hash.clone(),
        })
    }
}
