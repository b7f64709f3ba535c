//! [`Store`] on sled 0.34, with what sled alone does not give (measured on 0.34.7):
//!
//! - `flush()` issues `sync_file_range`, which does not survive a power cut: after it, the database file, new files
//!   for large values and their directory are synced;
//! - flipped bits come back as data: every record carries a checksum of its key and value;
//! - a damaged log is cut off at the damage, silently: commits are counted, in the database and beside it in `tally`,
//!   and a database that has counted fewer is damaged;
//! - after a full disk its error sticks even when there is room again: the database is closed and opened anew.
//!
//! One tree holds everything; the core's committer is the only writer. [`DataDir`] is the directory around it.

mod data_dir;
mod durable;
mod seal;
mod tally;

pub use data_dir::{ClaimError, DataDir};

use bot::store::{Batch, Store, StoreError};
use durable::Durable;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use tally::Tally;

/// A store on sled.
pub struct SledStore {
    path: PathBuf,
    /// `None` after a failure, until it is opened again.
    open: RwLock<Option<Open>>,
}

struct Open {
    db: sled::Db,
    durable: Durable,
    tally: Tally,
    /// How many commits there were; held while one is made.
    commits: Mutex<u64>,
}

/// Where the database counts its commits. Keys of the core do not begin with a NUL.
const COMMITS: &str = "\0commits";

impl SledStore {
    /// Opens the database in `path`, an empty one if there is none.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let open = Open::new(path)?;
        Ok(SledStore { path: path.to_owned(), open: RwLock::new(Some(open)) })
    }

    /// Runs `work` on the open database; after a failure it is opened again first.
    fn with<T>(&self, work: impl Fn(&Open) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if let Some(open) = &*self.read_lock() {
            return work(open);
        }
        let mut closed = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if closed.is_none() {
            *closed = Some(Open::new(&self.path)?);
            tracing::warn!("the database was opened again after a failure");
        }
        drop(closed);
        match &*self.read_lock() {
            Some(open) => work(open),
            None => Err(StoreError::Unavailable("the database failed again at once".to_owned())),
        }
    }

    fn read_lock(&self) -> RwLockReadGuard<'_, Option<Open>> {
        // Nothing is left half-done by a panic while reading: poison says nothing here.
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        *self.open.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Bytes of records that are kept in memory. More made nothing faster that was measured, and twice the memory of the bot.
const CACHE: u64 = 4 << 20;

impl Open {
    fn new(path: &Path) -> Result<Self, StoreError> {
        let config = sled::Config::new().path(path).flush_every_ms(None).cache_capacity(CACHE);
        let db = config.open().map_err(failed)?;
        let durable = Durable::new(path).map_err(unavailable)?;
        let tally = Tally::open(path).map_err(unavailable)?;
        let commits = match db.get(COMMITS).map_err(failed)? {
            Some(sealed) => number(&seal::open(COMMITS, &sealed)?)?,
            None => 0,
        };
        let counted = tally.read().map_err(unavailable)?;
        if commits < counted {
            let what = format!("the last {} of {counted} writes are gone", counted - commits);
            return Err(StoreError::damaged("(the newest)", what));
        }
        Ok(Open { db, durable, tally, commits: Mutex::new(commits) })
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writes = sled::Batch::default();
        for (key, value) in batch {
            match value {
                Some(value) => writes.insert(key.as_bytes(), seal::seal(key, value)),
                None => writes.remove(key.as_bytes()),
            }
        }
        let mut commits = self.commits.lock().unwrap_or_else(PoisonError::into_inner);
        *commits += 1;
        writes.insert(COMMITS.as_bytes(), seal::seal(COMMITS, &commits.to_le_bytes()));
        self.db.apply_batch(writes).map_err(failed)?;
        self.db.flush().map_err(failed)?;
        self.durable.sync().map_err(unavailable)?;
        // The commit is durable. A tally that is behind sees less damage, and that is all.
        if let Err(error) = self.tally.write(*commits) {
            tracing::warn!(%error, "the tally beside the database cannot be written");
        }
        Ok(())
    }
}

impl Store for SledStore {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|open| match open.db.get(key).map_err(failed)? {
            Some(sealed) => seal::open(key, &sealed).map(Some),
            None => Ok(None),
        })
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.with(|open| {
            let start = match after {
                Some(key) if key >= prefix => std::ops::Bound::Excluded(key.as_bytes()),
                _ => std::ops::Bound::Included(prefix.as_bytes()),
            };
            let mut found = Vec::new();
            for record in open.db.range::<&[u8], _>((start, std::ops::Bound::Unbounded)) {
                let (key, sealed) = record.map_err(failed)?;
                if *key == *COMMITS.as_bytes() {
                    continue;
                }
                if found.len() == limit || !key.starts_with(prefix.as_bytes()) {
                    break;
                }
                let key = std::str::from_utf8(&key)
                    .map_err(|error| StoreError::damaged(&String::from_utf8_lossy(&key), error))?;
                found.push((key.to_owned(), seal::open(key, &sealed)?));
            }
            Ok(found)
        })
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let result = self.with(|open| open.commit(batch));
        if result.is_err() {
            self.close();
        }
        result
    }
}

fn number(value: &[u8]) -> Result<u64, StoreError> {
    let bytes = value.try_into().map_err(|_| StoreError::damaged(COMMITS, "it is no number"))?;
    Ok(u64::from_le_bytes(bytes))
}

fn failed(error: sled::Error) -> StoreError {
    match error {
        sled::Error::Corruption { .. } => StoreError::damaged("(sled's own)", "the database file is damaged"),
        sled::Error::Io(error) => unavailable(error),
        other => StoreError::Unavailable(other.to_string()),
    }
}

fn unavailable(error: std::io::Error) -> StoreError {
    StoreError::Unavailable(format!("the database cannot be written or read: {error}"))
}
