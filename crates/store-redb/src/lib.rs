//! [`Store`] on redb 4, with what redb alone does not give (measured on 4.6.0):
//!
//! - it looks at its checksums when it opens what was not closed in order, and never again: every opening looks at all
//!   pages, a page that is read again must be what it was, and every record carries a checksum of its own;
//! - a last commit that is damaged is taken back, silently, for the one before: commits are counted, in the database and
//!   beside it in `tally`, and a database that has counted fewer is damaged;
//! - after a failure its errors stick, and it may panic on damage: then it is closed and opened anew.
//!
//! A commit that failed on its way may have been done all the same: [`Settled`] finds out before anybody is told.
//!
//! One table holds everything; the core's committer is the only writer.

mod disk;
mod engine;

use engine::Open;
use journal::store::{Batch, Settled, Store, StoreError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A store on redb.
pub struct RedbStore(Settled<Open>);

/// What is about to be done with the database's file, or has just been done: there something may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It is about to be opened.
    Open,
    /// Something is about to be read from it.
    Read,
    /// Something is about to be written to it.
    Write,
    /// Its length is about to be changed.
    Resize,
    /// It is about to be synced.
    Sync,
    /// It was synced.
    Synced,
}

/// Lets a step fail, for tests.
pub type Fault = Box<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

impl RedbStore {
    /// Opens the database in the directory `path` (mode 0700), an empty one if there is none; its files are for their owner
    /// alone (mode 0600).
    ///
    /// Reads the whole file, to see whether it is what was written.
    ///
    /// # Errors
    /// It cannot be opened, another process has it open, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Box::new(|_| Ok(())))
    }

    /// Opens it with a disk that fails where `fault` says so.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: &Path, fault: Fault) -> Result<Self, StoreError> {
        let (path, fault) = (path.to_owned(), Arc::new(fault));
        Settled::open(move || Open::new(&path, fault.clone())).map(RedbStore)
    }
}

impl Store for RedbStore {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(|open| open.read(key))
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.0.read(|open| open.scan(prefix, after, limit))
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.0.commit(batch)
    }
}
