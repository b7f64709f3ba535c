//! Checking a stored journal: numbers, chain, digests, dice, and that its changes add up to what is stored.

use super::{Changes, Entry, Link, Part, Parts, apply, chain, diff, first_hash, unhex};
use crate::keys::{self, TableId};
use crate::store::{Store, StoreError, scan_all};
use dice::fair::{FairDice, commitment};
use dice::{Dice, Die};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// How many entries.
    pub entries: u64,
    /// The last number.
    pub last: u64,
    /// How many numbers were left out.
    pub skipped: u64,
    /// The table's document as the changes of all entries make it.
    pub document: Value,
}

/// A journal is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The first entry that is wrong.
    #[error("entry #{number}: {what}")]
    Entry {
        /// Its number, or the number expected.
        number: u64,
        /// What is wrong.
        what: String,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Recomputes the journal of `table` from its first entry to its last.
///
/// # Errors
/// Names the first entry that is not what it should be.
pub fn audit(store: &dyn Store, table: &TableId) -> Result<Audit, AuditError> {
    let mut seen = Audit::default();
    let mut hash = first_hash();
    let mut seeds = BTreeMap::new();
    let prefix = keys::entries(table);
    for record in scan_all(store, &prefix) {
        let (key, value) = record?;
        let expected = seen.last + 1;
        let wrong = |what: String| AuditError::Entry { number: expected, what };
        let link: Link = serde_json::from_slice(&value).map_err(|error| wrong(error.to_string()))?;
        let entry: Entry = serde_json::from_str(link.entry.get()).map_err(|error| wrong(error.to_string()))?;
        hash = chain(&hash, link.entry.get());
        let skipped = entry.skipped.map_or(0, |(from, to)| to + 1 - from);
        if entry.skipped.is_some_and(|(from, _)| from != expected) || entry.number != expected + skipped {
            return Err(wrong(format!("stands where {} is", key.trim_start_matches(&prefix))));
        }
        if hash != link.hash {
            return Err(wrong("the chain is broken".to_owned()));
        }
        let seed = match seeds.entry(entry.epoch) {
            std::collections::btree_map::Entry::Occupied(known) => *known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                let seed = read_seed(store, table, entry.epoch)?.ok_or_else(|| wrong("its seed is gone".to_owned()))?;
                if entry.commitment.as_ref() != Some(&commitment(&seed)) {
                    return Err(wrong("its seed is not the one that was committed to".to_owned()));
                }
                *new.insert(seed)
            }
        };
        check_parts(&entry, &link.parts).map_err(wrong)?;
        check_dice(&entry, &link.parts, &seed).map_err(wrong)?;
        add_up(&mut seen.document, &entry, &link.parts).map_err(wrong)?;
        seen.entries += 1;
        seen.skipped += skipped;
        seen.last = entry.number;
    }
    Ok(seen)
}

fn read_seed(store: &dyn Store, table: &TableId, epoch: u32) -> Result<Option<[u8; 32]>, StoreError> {
    let key = keys::seed(table, epoch);
    let Some(stored) = store.read(&key)? else {
        return Ok(None);
    };
    let text: String = serde_json::from_slice(&stored).map_err(|error| StoreError::damaged(&key, error))?;
    Ok(unhex(&text).and_then(|bytes| bytes.try_into().ok()))
}

/// Makes the entry's changes in the document.
fn add_up(document: &mut Value, entry: &Entry, parts: &Parts) -> Result<(), String> {
    let read = |part: &Part| serde_json::from_str(part.value.get()).map_err(|error| error.to_string());
    let Changes { begun, made } = serde_json::from_value(read(&parts.changes)?).map_err(|error| error.to_string())?;
    let record: Value = read(&parts.record)?;
    let place = format!("/rolls/{}/record", entry.number);
    let noted = diff(&place, None, Some(&record).filter(|record| !record.is_null()));
    for changes in [begun, made, noted] {
        apply(document, &changes).map_err(|at| format!("{at} was something else before"))?;
    }
    Ok(())
}

fn check_parts(entry: &Entry, parts: &Parts) -> Result<(), String> {
    let digests = &entry.digests;
    let pairs = [
        ("text", &parts.text, &digests.text),
        ("answer", &parts.answer, &digests.answer),
        ("dice", &parts.dice, &digests.dice),
        ("facts", &parts.facts, &digests.facts),
        ("record", &parts.record, &digests.record),
        ("changes", &parts.changes, &digests.changes),
    ];
    match pairs.iter().find(|(_, part, digest)| part.digest().as_ref() != Some(*digest)) {
        Some((name, ..)) => Err(format!("its {name} is not what was sealed")),
        None => Ok(()),
    }
}

fn check_dice(entry: &Entry, parts: &Parts, seed: &[u8; 32]) -> Result<(), String> {
    let dice: Vec<Die> = serde_json::from_str(parts.dice.value.get()).map_err(|error| error.to_string())?;
    let mut fair = FairDice::new(seed, &entry.key);
    match dice.iter().find(|die| fair.throw(die.sides) != Ok(die.value)) {
        Some(die) => Err(format!("{die} is not what its seed and message give")),
        None => Ok(()),
    }
}
