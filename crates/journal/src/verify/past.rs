//! What earlier entries of a journal were, as far as later ones must agree with them.

use crate::Entry;
use crate::entry::{MOST_IN_A_GROUP, MOST_LINES, line_and_place};
use dice::Die;
use dice::fair::MessageKey;
use std::collections::BTreeMap;

/// The entries so far.
#[derive(Debug, Default)]
pub(super) struct Past {
    last: u64,
    /// Ranges of numbers that no entry has, with both ends.
    gaps: Vec<(u64, u64)>,
    /// The newest entry of each message key, and its dice as far as they are known.
    versions: BTreeMap<Vec<u8>, (u64, Option<Vec<Die>>)>,
    /// The entries that published seeds, by epoch.
    published: BTreeMap<u32, u64>,
    /// The entry before.
    latest: Option<Entry>,
}

impl Past {
    /// Checks what an entry with these dice says about earlier ones.
    pub fn check(&self, entry: &Entry, dice: Option<&[Die]>) -> Result<(), String> {
        if let Some(by) = self.published.get(&entry.epoch) {
            return Err(format!("its dice are of epoch {}, whose seed #{by} had published", entry.epoch));
        }
        self.check_publishes(entry)?;
        let about = [("follows", entry.follows), ("undoes", entry.undoes), ("replaces", entry.replaces)];
        let about = about.into_iter().filter_map(|(what, number)| number.map(|number| (what, number)));
        let shown = entry.reveals.iter().map(|number| ("reveals", *number));
        let erased = entry.erases.iter().map(|number| ("erases", *number));
        if let Some((what, number)) = about.chain(shown).chain(erased).find(|(_, number)| !self.has(*number)) {
            return Err(format!("{what} #{number}, which is no entry before it"));
        }
        self.check_group(entry)?;
        self.check_version(entry, dice)
    }

    /// One of several entries of a line stands directly behind the one before it, so that no place is left to choose.
    fn check_group(&self, entry: &Entry) -> Result<(), String> {
        let (_, place) = line_and_place(entry.key.ordinal);
        if entry.is_of_a_group() != (place > 0) {
            return Err("names rules that are not those of its place in its message".to_owned());
        }
        match place as usize {
            0 | 1 => Ok(()),
            place if place > MOST_IN_A_GROUP => {
                Err(format!("is entry {place} of its line, which makes at most {MOST_IN_A_GROUP}"))
            }
            _ if self.latest.as_ref().is_some_and(|latest| entry.continues(latest)) => Ok(()),
            place => Err(format!("is entry {place} of its line, and the one before it is not")),
        }
    }

    fn check_publishes(&self, entry: &Entry) -> Result<(), String> {
        let mut before = 0;
        for epoch in &entry.publishes {
            if *epoch <= before || *epoch > entry.epoch || self.published.contains_key(epoch) {
                return Err(format!("publishes the seed of epoch {epoch}, which is not to be published here"));
            }
            before = *epoch;
        }
        Ok(())
    }

    /// Several entries with one key are versions of one command: each replaces the one before, and its dice begin with
    /// the same dice.
    fn check_version(&self, entry: &Entry, dice: Option<&[Die]>) -> Result<(), String> {
        match (self.versions.get(&entry.key.to_bytes()), entry.replaces) {
            (None, None) => check_key(entry),
            (None, Some(number)) => Err(format!("replaces #{number}, which another message made")),
            (Some((number, _)), None) => Err(format!("has the message's key of #{number} and does not replace it")),
            (Some((number, _)), Some(replaced)) if *number != replaced => {
                Err(format!("replaces #{replaced}, and the newest version of that message is #{number}"))
            }
            (Some((number, first)), Some(_)) => match (first, dice) {
                (Some(first), Some(dice)) if !dice.starts_with(first) => {
                    Err(format!("replaces #{number}, and its dice do not begin with that one's"))
                }
                _ => Ok(()),
            },
        }
    }

    /// Adds an entry, checked or not.
    pub fn note(&mut self, entry: &Entry, dice: Option<Vec<Die>>) {
        self.last = entry.number;
        self.gaps.extend(entry.skipped);
        self.versions.insert(entry.key.to_bytes(), (entry.number, dice));
        self.published.extend(entry.publishes.iter().map(|epoch| (*epoch, entry.number)));
        self.latest = Some(entry.clone());
    }

    fn has(&self, number: u64) -> bool {
        let after = self.gaps.partition_point(|(from, _)| *from <= number);
        let skipped = after.checked_sub(1).is_some_and(|at| self.gaps[at].1 >= number);
        (1..=self.last).contains(&number) && !skipped
    }
}

/// A new key leaves nobody a choice: only so many commands of a message are played, and a number used as an id must be
/// the entry's own.
fn check_key(entry: &Entry) -> Result<(), String> {
    let MessageKey { id, ordinal, .. } = &entry.key;
    if !entry.is_of_a_group() && !(1..=MOST_LINES).contains(&(*ordinal as usize)) {
        return Err(format!("is of command {ordinal} of its message, of which at most {MOST_LINES} are played"));
    }
    match id.strip_prefix('#') {
        Some(number) if number != entry.number.to_string() => Err(format!("has the key of another entry, {id}")),
        _ => Ok(()),
    }
}
