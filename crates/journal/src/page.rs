//! An entry of a journal as it is read back: what of it is there, in words.

use crate::{Change, Changes, Entry, Link, Part, Place, diff};
use chat::Readers;
use dice::Die;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An entry as it is read back.
#[derive(Clone, Debug)]
pub struct Page {
    /// The entry.
    pub entry: Entry,
    /// Its parts, and what became of it.
    pub link: Link,
}

impl Page {
    /// Reads a part; nothing if it is erased or makes no sense.
    fn read<T: DeserializeOwned>(part: &Option<Part>) -> Option<T> {
        serde_json::from_str(part.as_ref()?.value.get()).ok()
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.entry.number
    }

    /// What was typed; nothing if it is erased.
    pub fn text(&self) -> Option<String> {
        Self::read(&self.link.parts.text)
    }

    /// What was answered, without the number behind it; nothing if it is erased.
    pub fn answer(&self) -> Option<String> {
        let answer: String = Self::read(&self.link.parts.answer)?;
        let number = format!("#{}", self.number());
        Some(answer.strip_suffix(&number).map_or(answer.clone(), |answer| answer.trim_end().to_owned()))
    }

    /// What was thrown, in order; nothing if it cannot be read.
    pub fn dice(&self) -> Vec<Die> {
        Self::read(&self.link.parts.dice).unwrap_or_default()
    }

    /// What it changed, as far as all who read the entry may know; nothing if it cannot be read.
    pub fn changes(&self) -> Changes {
        Self::read(&self.link.parts.changes).unwrap_or_default()
    }

    /// What it changed besides, for its player and the referees; nothing if it cannot be read.
    pub fn withheld(&self) -> Changes {
        Self::read(&self.link.parts.withheld).unwrap_or_default()
    }

    /// Some of it is for its player and the referees alone: all of a secret entry, the withheld changes of another.
    pub fn withholds(&self) -> bool {
        (self.entry.secret || self.entry.digests.withheld.is_some()) && self.link.fate.revealed_by.is_none()
    }

    /// What the answer stated.
    pub fn facts(&self) -> Map<String, Value> {
        Self::read(&self.link.parts.facts).unwrap_or_default()
    }

    /// The steps that explain the result, if the game gave any.
    pub fn why(&self) -> Vec<String> {
        Self::read(&self.link.parts.why).unwrap_or_default()
    }

    /// Its parts are for its player and the referees alone.
    pub fn is_secret(&self) -> bool {
        self.entry.secret && self.link.fate.revealed_by.is_none()
    }

    /// Who may read its parts.
    pub fn readers(&self) -> Readers {
        if self.is_secret() { Readers::Referees } else { Readers::Everybody }
    }

    /// It holds neither because it is undone, nor because its message was edited.
    pub fn is_void(&self) -> bool {
        self.link.fate.undone_by.is_some() || self.link.fate.replaced_by.is_some()
    }

    /// It still holds, and nothing was disclosed, published or erased by it.
    pub fn can_be_taken_back(&self) -> bool {
        !self.is_void() && !self.entry.shows()
    }

    /// The number before it, those left out passed over; 0 before the first.
    pub fn below(&self) -> u64 {
        self.entry.skipped.map_or(self.entry.number, |(from, _)| from).saturating_sub(1)
    }

    /// What happened: what was typed, or of what is erased the command and its dice.
    pub fn told(&self) -> String {
        let erased = || format!("{} {}", self.entry.command, self.dice_shown()).trim_end().to_owned();
        self.text().unwrap_or_else(erased)
    }

    /// The dice as `d20=15 d8=5`, a few of many.
    pub fn dice_shown(&self) -> String {
        const MOST: usize = 40;
        let dice = self.dice();
        let mut shown: Vec<_> = dice.iter().take(MOST).map(ToString::to_string).collect();
        if dice.len() > MOST {
            shown.push(format!("and {} more", dice.len() - MOST));
        }
        shown.join(" ")
    }

    /// All the dice: `d20=15 d8=5`; more than a few of one kind in a row as `d6: 3 1 4 1 5 9`.
    pub fn all_dice_shown(&self) -> String {
        const FEW: usize = 20;
        let dice = self.dice();
        let kinds = dice.chunk_by(|a, b| a.sides == b.sides).map(|alike| match alike {
            [first, ..] if alike.len() > FEW => {
                let faces: Vec<_> = alike.iter().map(|die| die.value.to_string()).collect();
                format!("d{}: {}", first.sides, faces.join(" "))
            }
            few => few.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        });
        kinds.collect::<Vec<_>>().join(" ")
    }

    /// The changes that take it back, in order.
    pub fn reversed(&self) -> Vec<Change> {
        let changes = self.changes().with(self.withheld());
        let record: Option<Value> =
            self.link.parts.record.as_ref().and_then(|part| serde_json::from_str(part.value.get()).ok());
        let record = record.filter(|record| !record.is_null());
        let recorded = diff(&Place::Record(self.number()).path(), None, record.as_ref());
        let made = changes.made.into_iter().chain(changes.noted).chain(recorded);
        let mut reversed: Vec<_> = made.map(Change::reversed).collect();
        reversed.reverse();
        reversed
    }
}
