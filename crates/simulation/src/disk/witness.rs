//! What a store was told and what it said, held against what it reads: a commit that it reported as done is there, and one of
//! which it said that it failed is not.

use super::shown;
use crate::log::Log;
use journal::store::{Batch, Memory, Store, StoreError, scan_all};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

type Content = BTreeMap<String, Vec<u8>>;

/// What must be there. It outlives the store.
#[derive(Clone, Default)]
pub struct Witness {
    sure: Arc<Memory>,
    inner: Arc<Mutex<Inner>>,
    log: Log,
}

#[derive(Default)]
struct Inner {
    /// Commits one of which may be there, or none.
    doubts: Vec<Batch>,
    wrong: Option<String>,
}

impl Witness {
    /// One that has seen nothing yet.
    pub fn new(log: Log) -> Self {
        Witness { log, ..Witness::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics holding it")
    }

    /// What the store did that it may not do, told once.
    pub fn told(&self) -> Option<String> {
        self.inner().wrong.take()
    }

    /// The store did what it may not do.
    pub fn wrong(&self, what: String) {
        self.inner().wrong.get_or_insert(what);
    }

    /// Looks at a store that was opened just now: with it a commit in doubt is settled.
    pub fn opened(&self, store: &dyn Store) {
        let Some(there) = self.all_of(store) else { return };
        let doubts = std::mem::take(&mut self.inner().doubts);
        if there == self.sure.dump() {
            return;
        }
        match doubts.iter().find(|doubt| with(&self.sure, doubt) == there) {
            Some(doubt) => {
                self.log.note(format!("a write in doubt was done: {}", shown(doubt)));
                self.sure.commit(doubt).expect("memory does not fail");
            }
            None => self.differs(&there),
        }
    }

    /// Looks at what a store would read that is opened now: nothing is settled by that.
    pub fn would_open(&self, store: &dyn Store) {
        let Some(there) = self.all_of(store) else { return };
        let is_settled = self.inner().doubts.iter().all(|doubt| with(&self.sure, doubt) != there);
        if is_settled && there != self.sure.dump() {
            self.differs(&there);
        }
    }

    fn all_of(&self, store: &dyn Store) -> Option<Content> {
        let there: Result<Content, StoreError> = scan_all(store, "").collect();
        there.inspect_err(|error| self.wrong(format!("the store is open and cannot be read: {error}"))).ok()
    }

    fn differs(&self, there: &Content) {
        let sure = self.sure.dump();
        let differs = |key: &&String| there.get(*key) != sure.get(*key);
        if let Some(key) = there.keys().chain(sure.keys()).find(differs) {
            let was = if there.contains_key(key) { "another value" } else { "nothing" };
            self.wrong(format!("after an opening {was} is read under {key}"));
        }
    }

    /// A commit ended like that. Where nobody heard of it, it is in doubt.
    pub fn committed(&self, batch: &Batch, result: &Result<(), StoreError>, heard: Heard) {
        let mut inner = self.inner();
        match (result, heard) {
            (Ok(()), _) => {
                self.sure.commit(batch).expect("memory does not fail");
                inner.doubts.clear();
            }
            (Err(_), Heard::No) => inner.doubts.push(batch.clone()),
            // It got as far as the disk, so the log has settled those before it.
            (Err(StoreError::InDoubt(_)), Heard::Yes) => inner.doubts = vec![batch.clone()],
            (Err(_), Heard::Yes) => {}
        }
    }

    /// A key was read like that.
    pub fn read(&self, key: &str, value: Option<&Vec<u8>>) {
        if self.sure.read(key).expect("memory does not fail").as_ref() != value {
            self.wrong(format!("{key} is read otherwise than it was written"));
        }
    }

    /// A page was read like that.
    pub fn scanned(&self, prefix: &str, after: Option<&str>, limit: usize, found: &[(String, Vec<u8>)]) {
        if self.sure.scan(prefix, after, limit).expect("memory does not fail") != found {
            self.wrong(format!("{limit} records under {prefix:?} behind {after:?} are not those that were written"));
        }
    }
}

/// Everything that is there once `batch` is written.
fn with(store: &Memory, batch: &Batch) -> Content {
    let mut content = store.dump();
    for (key, value) in batch {
        match value {
            Some(value) => content.insert(key.clone(), value.clone()),
            None => content.remove(key),
        };
    }
    content
}

/// Whether somebody heard how a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// The machine runs.
    Yes,
    /// The machine stopped in it.
    No,
}
