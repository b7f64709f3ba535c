//! The storage of tables: ordered text keys with JSON values, and batches that become durable as a whole.

pub mod conformance;
pub mod seal;

mod cached;
mod condition;
mod memory;
mod settled;
mod tally;

pub use cached::{Cached, READS};
pub use condition::Condition;
pub use memory::Memory;
pub use settled::{Engine, Settled};
pub use tally::Tally;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map;
use std::ops::Bound;
use std::sync::Arc;

/// A place for the core's records. [`conformance::suite`] tests its contract.
pub trait Store: Send + Sync {
    /// The value of `key`.
    ///
    /// # Errors
    /// The record is damaged, or the store cannot be read.
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The values of these keys, in their order. An engine on another machine asks for all of them at once.
    ///
    /// # Errors
    /// As [`read`](Self::read), of any of them.
    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        keys.iter().map(|key| self.read(key)).collect()
    }

    /// Up to `limit` records whose keys start with `prefix` and come after `after`, in key order.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError>;

    /// Writes all of `batch` or nothing; when it returns `Ok`, the batch survives a power cut.
    ///
    /// A commit that fails halfway may have been written all the same (a failed sync says nothing about what is on the
    /// disk). A store that cannot know must find out before it returns, because players are told the result.
    /// [`conformance::failures`] tests that.
    ///
    /// # Errors
    /// Nothing of the batch was written, and nothing of it ever will be, unless the error is [`StoreError::InDoubt`].
    fn commit(&self, batch: &Batch) -> Result<(), StoreError>;

    /// Writes all of `first`, in any order and any number of pieces, then `last` as a whole. If `last` survives a power
    /// cut, so does `first`. A database that blocks readers while it writes a batch lets them in between the pieces.
    ///
    /// # Errors
    /// Nothing of `last` was written, and nothing of it ever will be, unless the error is [`StoreError::InDoubt`]. Any
    /// part of `first` may have been written.
    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        let mut all = first;
        all.append(last);
        self.commit(&all)
    }

    /// The store's position in its log, if it has one.
    fn position(&self) -> Option<Position> {
        None
    }

    /// Whether others may write to it, and what was written may be said.
    fn lease(&self) -> Lease {
        Lease::Own
    }

    /// Lets others have it at once, if there are any. Nothing can be written any more.
    fn let_go(&self) {}
}

/// Who may write to a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Nobody else can: its files are locked as long as it is open.
    Own,
    /// Nobody else can as long as this one goes on renewing it. What is not durable may be lost to the next one, so it must
    /// not be said.
    Held,
    /// Nobody else can yet, but the time for saying anything is over: whoever has the store next says it.
    Ended,
    /// Somebody else may.
    Taken,
}

/// A position in the log of a store: how far a backup goes, and where the log continues it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The identity of the log, in hexadecimal.
    pub identity: String,
    /// The number of the last commit.
    pub number: u64,
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (**self).read(key)
    }

    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        (**self).read_many(keys)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        (**self).scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        (**self).commit(batch)
    }

    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        (**self).commit_behind(first, last)
    }

    fn position(&self) -> Option<Position> {
        (**self).position()
    }

    fn lease(&self) -> Lease {
        (**self).lease()
    }

    fn let_go(&self) {
        (**self).let_go();
    }
}

/// Writes that belong together. The last write to a key wins. A batch may rely on what was read before; the committer
/// checks that, and a store does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    writes: BTreeMap<String, Option<Vec<u8>>>,
    conditions: Vec<Condition>,
}

impl Batch {
    /// Writes `value` under `key`.
    pub fn put(&mut self, key: impl Into<String>, value: impl Into<Vec<u8>>) {
        self.writes.insert(key.into(), Some(value.into()));
    }

    /// Removes `key`, if it is there.
    pub fn delete(&mut self, key: impl Into<String>) {
        self.writes.insert(key.into(), None);
    }

    /// Appends the writes of `later`, and what they rely on.
    pub fn append(&mut self, later: Batch) {
        self.writes.extend(later.writes);
        self.conditions.extend(later.conditions);
    }

    /// Lets the batch be written only if `condition` still holds just before.
    pub fn rely_on(&mut self, condition: Condition) {
        self.conditions.push(condition);
    }

    /// True if the batch relies on anything.
    pub fn is_conditional(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Takes the conditions out.
    pub fn take_conditions(&mut self) -> Vec<Condition> {
        std::mem::take(&mut self.conditions)
    }

    /// What it writes to `key`, if anything; an inner `None` deletes it.
    pub fn get(&self, key: &str) -> Option<Option<&[u8]>> {
        self.writes.get(key).map(|value| value.as_deref())
    }

    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The writes by key; `None` deletes the key.
    pub fn iter(&self) -> btree_map::Iter<'_, String, Option<Vec<u8>>> {
        self.writes.iter()
    }

    /// The writes to keys that begin with `prefix`.
    pub fn under<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a String, &'a Option<Vec<u8>>)> {
        let from = self.writes.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
        from.take_while(move |(key, _)| key.starts_with(prefix))
    }
}

impl<'a> IntoIterator for &'a Batch {
    type Item = (&'a String, &'a Option<Vec<u8>>);
    type IntoIter = btree_map::Iter<'a, String, Option<Vec<u8>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A failure of the store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A record is not what was written.
    #[error("the record {key:?} is damaged: {what}")]
    Damaged {
        /// Its key.
        key: String,
        /// What is wrong with it.
        what: String,
    },
    /// A write failed halfway, and the store cannot check now whether it was done.
    #[error("it is not known whether a write was done: {0}")]
    InDoubt(String),
    /// Nothing was written, because something that it relies on was changed after it was read. Whoever reads again finds
    /// what is true now.
    #[error("what it relies on has changed")]
    Overtaken,
    /// It cannot be written or read at all: disk full, no permission, gone.
    #[error("{0}")]
    Unavailable(String),
}

impl StoreError {
    /// The record under `key` is damaged.
    pub fn damaged(key: &str, what: impl ToString) -> Self {
        StoreError::Damaged { key: key.to_owned(), what: what.to_string() }
    }
}

/// Reads all records under `prefix`, a page at a time.
pub fn scan_all<'a>(
    store: &'a dyn Store,
    prefix: &'a str,
) -> impl Iterator<Item = Result<(String, Vec<u8>), StoreError>> + 'a {
    const PAGE: usize = 1_000;
    let mut page = Vec::new().into_iter();
    let mut after: Option<String> = None;
    let mut more = true;
    std::iter::from_fn(move || {
        if page.len() == 0 && more {
            match store.scan(prefix, after.as_deref(), PAGE) {
                Ok(next) => {
                    more = next.len() == PAGE;
                    after = next.last().map(|(key, _)| key.clone());
                    page = next.into_iter();
                }
                Err(error) => {
                    more = false;
                    return Some(Err(error));
                }
            }
        }
        page.next().map(Ok)
    })
}
