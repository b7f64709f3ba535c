//! An entry of a journal as it is read back, with whatever of it is still there.

use crate::{Change, Changes, Entry, Link, Part, Place, WITH_DIGITS, diff};
use chat::{Readers, Seen};
use dice::Die;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fact with the beginning of the answer up to its result.
pub const ENDING: &str = "ending";
/// The fact with the places, from 0, of the dice that do not count.
pub const UNCOUNTED: &str = "uncounted";

/// An entry as it is read back.
#[derive(Clone, Debug)]
pub struct Page {
    /// The entry.
    pub entry: Entry,
    /// Its parts, and what happened to it.
    pub link: Link,
}

impl Page {
    /// Decodes a part; `None` if it is erased or invalid.
    fn read<T: DeserializeOwned>(part: &Option<Part>) -> Option<T> {
        serde_json::from_str(part.as_ref()?.value.get()).ok()
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        self.entry.number
    }

    /// The typed line; `None` if it is erased.
    pub fn text(&self) -> Option<String> {
        Self::read(&self.link.parts.text)
    }

    /// The line as it is typed today for what it meant then; `None` if it is erased.
    pub fn line(&self) -> Option<String> {
        let text = self.text()?;
        Some(if self.entry.rules < WITH_DIGITS { dice::as_before(&text) } else { text })
    }

    /// The answer without the number at its end; `None` if it is erased.
    pub fn answer(&self) -> Option<String> {
        let answer: String = Self::read(&self.link.parts.answer)?;
        let number = format!("#{}", self.number());
        Some(answer.strip_suffix(&number).map_or(answer.clone(), |answer| answer.trim_end().to_owned()))
    }

    /// The dice in order; empty if they cannot be read.
    pub fn dice(&self) -> Vec<Die> {
        Self::read(&self.link.parts.dice).unwrap_or_default()
    }

    /// The changes that every reader of the entry may know; empty if they cannot be read.
    pub fn changes(&self) -> Changes {
        Self::read(&self.link.parts.changes).unwrap_or_default()
    }

    /// Further changes for its player and the referees; empty if they cannot be read.
    pub fn withheld(&self) -> Changes {
        Self::read(&self.link.parts.withheld).unwrap_or_default()
    }

    /// True if some of it is only for its player and the referees: all of a secret entry, or the withheld changes of
    /// another.
    pub fn withholds(&self) -> bool {
        (self.entry.secret || self.entry.digests.withheld.is_some()) && self.link.fate.revealed_by.is_none()
    }

    /// The facts of the answer.
    pub fn facts(&self) -> Map<String, Value> {
        Self::read(&self.link.parts.facts).unwrap_or_default()
    }

    /// The beginning of the answer up to its result, if the entry says where that is.
    pub fn ending(&self) -> Option<String> {
        Some(self.facts().get(ENDING)?.as_str()?.to_owned())
    }

    /// Its dice in order, and whether each counts, as far as the entry says that.
    pub fn counted_dice(&self) -> Vec<(Die, bool)> {
        let facts = self.facts();
        let uncounted = facts.get(UNCOUNTED).and_then(Value::as_array);
        let counts = |place: u64| !uncounted.is_some_and(|all| all.iter().any(|other| other.as_u64() == Some(place)));
        self.dice().into_iter().zip(0..).map(|(die, place)| (die, counts(place))).collect()
    }

    /// The steps that explain the result, if the game gave any.
    pub fn why(&self) -> Vec<String> {
        Self::read(&self.link.parts.why).unwrap_or_default()
    }

    /// True if its parts are only for its player and the referees.
    pub fn is_secret(&self) -> bool {
        self.entry.secret && self.link.fate.revealed_by.is_none()
    }

    /// Who may read its parts.
    pub fn seen(&self) -> Seen {
        Seen::by(if self.is_secret() { Readers::Referees } else { Readers::Everybody })
    }

    /// True if it no longer holds, because it was undone or its message was edited.
    pub fn is_void(&self) -> bool {
        self.link.fate.undone_by.is_some() || self.link.fate.replaced_by.is_some()
    }

    /// True if it still holds and disclosed, published and erased nothing.
    pub fn can_be_taken_back(&self) -> bool {
        !self.is_void() && !self.entry.shows()
    }

    /// True if undoing it would put nothing back and discard no die: it told somebody something, or changed what no journal has.
    pub fn changed_nothing(&self) -> bool {
        self.entry.undoes.is_none() && self.dice().is_empty() && self.reversed().is_empty()
    }

    /// The number before it, skipping those left out; 0 before the first.
    pub fn below(&self) -> u64 {
        self.entry.skipped.map_or(self.entry.number, |(from, _)| from).saturating_sub(1)
    }

    /// What happened, in words: the typed line, or if erased, the command and its dice.
    pub fn told(&self) -> String {
        let erased = || format!("{} {}", self.entry.command, self.dice_shown()).trim_end().to_owned();
        self.text().unwrap_or_else(erased)
    }

    /// The dice as `d20=15 d8=5`; of very many, only the first.
    pub fn dice_shown(&self) -> String {
        const MOST: usize = 40;
        let dice = self.dice();
        let mut shown: Vec<_> = dice.iter().take(MOST).map(ToString::to_string).collect();
        if dice.len() > MOST {
            shown.push(format!("and {} more", dice.len() - MOST));
        }
        shown.join(" ")
    }

    /// All dice: `d20=15 d8=5`; long runs of one kind as `d6: 3 1 4 1 5 9`.
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

    /// The changes that undo it, in order.
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
