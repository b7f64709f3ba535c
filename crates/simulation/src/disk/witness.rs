//! Compares what a store was told and what it answered with what it reads: a commit reported as done must be there, and
//! one reported as failed must not.

use super::shown;
use crate::log::Log;
use journal::store::{Batch, Memory, Store, StoreError, scan_all};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

type Content = BTreeMap<String, Vec<u8>>;

/// The required content. It outlives the store.
#[derive(Clone, Default)]
pub struct Witness {
    sure: Arc<Memory>,
    inner: Arc<Mutex<Inner>>,
    log: Log,
}

#[derive(Default)]
struct Inner {
    /// Commits of which at most one may be there.
    doubts: Vec<Batch>,
    wrong: Option<String>,
}

impl Witness {
    /// A witness that has seen nothing yet.
    pub fn new(log: Log) -> Self {
        Witness { log, ..Witness::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics holding it")
    }

    /// Returns once what the store did wrong.
    pub fn told(&self) -> Option<String> {
        self.inner().wrong.take()
    }

    /// Notes that the store did something wrong.
    pub fn wrong(&self, what: String) {
        self.inner().wrong.get_or_insert(what);
    }

    /// Checks a store that was just opened; this settles a commit in doubt.
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

    /// Checks what a store opened now would read; this settles nothing.
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

    /// Notes how a commit ended. If nobody heard it, the commit is in doubt.
    pub fn committed(&self, batch: &Batch, result: &Result<(), StoreError>, heard: Heard) {
        let mut inner = self.inner();
        match (result, heard) {
            (Ok(()), _) => {
                self.sure.commit(batch).expect("memory does not fail");
                inner.doubts.clear();
            }
            (Err(_), Heard::No) => inner.doubts.push(batch.clone()),
            // It reached the disk, so the log has settled those before it.
            (Err(StoreError::InDoubt(_)), Heard::Yes) => inner.doubts = vec![batch.clone()],
            (Err(_), Heard::Yes) => {}
        }
    }

    /// Checks a key that was read.
    pub fn read(&self, key: &str, value: Option<&Vec<u8>>) {
        if self.sure.read(key).expect("memory does not fail").as_ref() != value {
            self.wrong(format!("{key} is read otherwise than it was written"));
        }
    }

    /// Checks a page that was read.
    pub fn scanned(&self, prefix: &str, after: Option<&str>, limit: usize, found: &[(String, Vec<u8>)]) {
        if self.sure.scan(prefix, after, limit).expect("memory does not fail") != found {
            self.wrong(format!("{limit} records under {prefix:?} behind {after:?} are not those that were written"));
        }
    }
}

/// The whole content once `batch` is written.
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

/// Whether anybody learned how a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Yes: the machine runs.
    Yes,
    /// No: the machine stopped in it.
    No,
}
