//! Checks a stored journal: everything that anyone can verify, with all seeds, and that its changes add up to the
//! stored documents.

use super::verify::seed_of;
use crate::keys::{self, TableId};
use crate::store::{Store, StoreError, scan_all};
use crate::{Change, Changes, Entry, Page, Parts, Place, Verifier, Wrong, apply, diff};
use serde_json::Value;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// The number of entries.
    pub entries: u64,
    /// The last number.
    pub last: u64,
    /// The number of numbers left out.
    pub skipped: u64,
    /// The chain's hash.
    pub head: String,
    /// The document that the changes of all entries add up to.
    pub document: Value,
}

/// A journal fails the audit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The first wrong entry.
    #[error(transparent)]
    Entry(#[from] Wrong),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Recomputes the journal of `table` from its first entry to its last.
///
/// # Errors
/// The first wrong entry, or the store cannot be read.
pub fn audit(store: &dyn Store, table: &TableId) -> Result<Audit, AuditError> {
    let mut document = Value::Null;
    let mut verifier = Verifier::new(Default::default());
    let mut epoch = 0;
    let prefix = keys::entries(table);
    for record in scan_all(store, &prefix) {
        let (key, value) = record?;
        let number = verifier.last + 1;
        let wrong = |what: String| Wrong { number, what };
        let Page { link, .. } = Page::of_stored(&key, &value).map_err(|error| wrong(error.to_string()))?;
        if let Some(next) = Verifier::epoch_of(&link).filter(|next| *next != epoch) {
            let seed = read_seed(store, table, next)?.ok_or_else(|| wrong("its seed is gone".to_owned()))?;
            verifier.know(next, seed);
            epoch = next;
        }
        let entry = verifier.check(&link)?;
        add_up(&mut document, &entry, &link.parts).map_err(wrong)?;
    }
    verifier.finish()?;
    let Verifier { entries, last, skipped, .. } = verifier;
    Ok(Audit { entries, last, skipped, head: verifier.head().to_owned(), document })
}

fn read_seed(store: &dyn Store, table: &TableId, epoch: u32) -> Result<Option<[u8; 32]>, StoreError> {
    let key = keys::seed(table, epoch);
    let Some(stored) = store.read(&key)? else {
        return Ok(None);
    };
    let text: String = serde_json::from_slice(&stored).map_err(|error| StoreError::damaged(&key, error))?;
    Ok(seed_of(&text))
}

/// Applies the entry's changes to the document.
fn add_up(document: &mut Value, entry: &Entry, parts: &Parts) -> Result<(), String> {
    let (changes, record) = changes_of(parts).ok_or("its changes are missing")?;
    let noted = diff(&Place::Record(entry.number).path(), None, record.as_ref());
    let all: Vec<Change> = changes.all().cloned().chain(noted).collect();
    // One at a time: a later change of an entry may build on an earlier one.
    for mut change in all {
        if matches!(change.place(), Place::Room(_)) {
            // Rooms come and go at a table, so a room's earlier settings may not be in this journal.
            change.before = document.pointer(&change.path).cloned();
        }
        apply(document, &[change]).map_err(|at| format!("{at} was something else before"))?;
    }
    Ok(())
}

/// The changes of an entry, including withheld ones, and its record, if all of them can be read.
fn changes_of(parts: &Parts) -> Option<(Changes, Option<Value>)> {
    let changes: Changes = serde_json::from_str(parts.changes.as_ref()?.value.get()).ok()?;
    let withheld = parts.withheld.as_ref().map(|part| serde_json::from_str(part.value.get()));
    let changes = changes.with(withheld.transpose().ok()?.unwrap_or_default());
    let record: Value = serde_json::from_str(parts.record.as_ref()?.value.get()).ok()?;
    Some((changes, Some(record).filter(|record| !record.is_null())))
}
