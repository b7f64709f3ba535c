//! A [`Store`] on redb 4, with fixes for what redb alone lacks (measured on 4.6.0):
//!
//! - It checks its checksums only when it opens a database that was not closed in order. So every opening checks all
//!   pages, a page that is read again must be unchanged, and every record carries a checksum of its own.
//! - If the last commit is damaged, it silently goes back to the one before. So commits are counted, in the database
//!   and in `tally` next to it, and a database that has counted fewer is damaged.
//! - After a failure its errors persist, and damage may make it panic. Then it is closed and reopened.
//!
//! A commit that failed halfway may have been done all the same; [`Settled`] finds out before anybody is told.
//!
//! One table holds everything, and the core's committer is the only writer.

mod disk;
mod engine;

use engine::Open;
use journal::store::{Batch, Settled, Store, StoreError};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// A store on redb.
pub struct RedbStore(Settled<Open>);

/// A step on the database's file at which something may fail, just before it or just after it.
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

/// Makes a step fail, for tests.
pub type Fault = Box<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

impl RedbStore {
    /// Opens the database in the directory `path` (mode 0700), and creates it if it is missing. Its files are readable
    /// only by their owner (mode 0600).
    ///
    /// Reads the whole file to check that it is undamaged.
    ///
    /// # Errors
    /// It cannot be opened, another process has it open, or it is damaged.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Box::new(|_| Ok(())))
    }

    /// Opens it with a disk that fails where `fault` says so.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
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
