//! The database behind the log, on the same disk: it writes whole batches. A batch under way at a failure is kept or
//! lost as a whole.

use crate::luck::Luck;
use journal::store::{Batch, Memory, Store, StoreError};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use store_log::model::Model;

/// The content of a database, shared by all processes.
#[derive(Clone)]
pub struct Database {
    kept: Arc<Memory>,
    luck: Arc<Mutex<Luck>>,
    /// How many of the next commits fail.
    failing: Arc<AtomicU64>,
}

impl Database {
    /// An empty database.
    pub fn new(luck: Luck) -> Self {
        Database { kept: Arc::default(), luck: Arc::new(Mutex::new(luck)), failing: Arc::default() }
    }

    /// Makes this many of the next commits fail.
    pub fn fail(&self, commits: u64) {
        self.failing.store(commits, Ordering::Relaxed);
    }

    /// Another database with the same content.
    pub fn copy(&self, luck: Luck) -> Self {
        let copy = Database::new(luck);
        let mut all = Batch::default();
        self.kept.dump().into_iter().for_each(|(key, value)| all.put(key, value));
        copy.kept.commit(&all).expect("memory does not fail");
        copy
    }

    /// Opens it for the process that has the disk.
    pub fn open(&self, disk: Model) -> Opened {
        Opened { database: self.clone(), disk }
    }

    fn chance(&self) -> bool {
        self.luck.lock().expect("nothing panics holding it").percent(50)
    }
}

/// A database opened by a process.
pub struct Opened {
    database: Database,
    disk: Model,
}

impl Store for Opened {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.database.kept.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.database.kept.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let unavailable = |what: &str| Err(StoreError::Unavailable(what.to_owned()));
        if self.disk.is_gone() {
            return unavailable("the database is closed");
        }
        if self.disk.is_full() {
            return unavailable("no space left on device");
        }
        let failing = &self.database.failing;
        if failing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |more| more.checked_sub(1)).is_ok() {
            return unavailable("the database fails");
        }
        match self.disk.step() {
            Ok(()) => self.database.kept.commit(batch),
            Err(_) if self.database.chance() => unavailable("input/output error"),
            Err(error) => {
                if self.database.chance() {
                    self.database.kept.commit(batch)?;
                }
                Err(StoreError::InDoubt(error.to_string()))
            }
        }
    }

    // As far apart as a database may do it.
    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        self.commit(&first)?;
        self.commit(&last)
    }
}
