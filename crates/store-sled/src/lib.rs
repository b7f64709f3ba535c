//! A [`Store`] on sled 0.34, with fixes for what sled alone lacks (measured on 0.34.7):
//!
//! - `flush()` calls `sync_file_range`, which does not survive a power cut. After it, the database file, new files for
//!   large values and their directory are synced.
//! - Flipped bits come back as data. Every record carries a checksum of its key and value.
//! - A damaged log is silently cut off at the damage. Commits are counted, in the database and in `tally` next to it,
//!   and a database that has counted fewer is damaged.
//! - After a full disk its error persists even when there is room again. The database is closed and reopened.
//! - If a large value cannot be written, closing hangs for ever. No record is large enough for that.
//!
//! A commit that failed halfway may have been done all the same; [`Settled`] finds out before anybody is told.
//!
//! One tree holds everything, and the core's committer is the only writer. [`DataDir`] is the directory around it.

mod data_dir;
mod durable;
mod parts;
mod seal;

pub use data_dir::{ClaimError, DataDir, no_file_is_there};

use durable::Durable;
use journal::store::{Batch, Engine, Settled, Store, StoreError, Tally};
use seal::Sealed;
use std::io;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A store on sled.
pub struct SledStore(Settled<Open>);

struct Open {
    db: sled::Db,
    durable: Durable,
    tally: Tally,
    /// The number of commits.
    commits: AtomicU64,
    fault: Arc<Fault>,
}

/// A step at which something may fail, just before it or just after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The database is about to be opened.
    Open,
    /// A batch is about to be written.
    Write,
    /// The batch was written, possibly only to memory.
    Written,
    /// It was handed to the operating system.
    Flushed,
    /// It is on the disk.
    Synced,
}

/// Makes a step fail, for tests.
pub type Fault = Box<dyn Fn(Step) -> io::Result<()> + Send + Sync>;

/// How long to wait before trying again to open a database that is still locked.
const PAUSE: Duration = Duration::from_millis(200);
/// How often to try.
const TRIES: u32 = 5;

/// The key where the database counts its commits. Keys of the core never begin with a NUL.
const COMMITS: &str = "\0commits";
/// The end of all keys that begin with a NUL.
const OWN_END: &str = "\u{1}";

impl SledStore {
    /// Opens the database in `path`, and creates it if it is missing.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, Box::new(|_| Ok(())))
    }

    /// Opens it with a disk that fails where `fault` says so.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open_with(path: &Path, fault: Fault) -> Result<Self, StoreError> {
        let (path, fault) = (path.to_owned(), Arc::new(fault));
        Settled::open(move || Open::new(&path, fault.clone())).map(SledStore)
    }
}

/// Bytes of records cached in memory. A larger cache made no measurement faster and doubled the bot's memory.
const CACHE: u64 = 4 << 20;

/// Writes of a large batch made in one go. Reads wait for them, less than a millisecond.
const PIECE: usize = 100;

/// Opens the database. If this process closed it a moment ago, its lock may not have been released yet; other processes
/// are kept out by the lock of the data directory.
fn database(path: &Path) -> sled::Result<sled::Db> {
    let config = sled::Config::new().path(path).flush_every_ms(None).cache_capacity(CACHE);
    let held = |error: &sled::Error| matches!(error, sled::Error::Io(error) if error.to_string().starts_with("could not acquire lock"));
    for _ in 1..TRIES {
        match config.open() {
            Err(error) if held(&error) => std::thread::sleep(PAUSE),
            opened => return opened,
        }
    }
    config.open()
}

impl Open {
    fn new(path: &Path, fault: Arc<Fault>) -> Result<Self, StoreError> {
        fault(Step::Open).map_err(unavailable)?;
        let db = database(path).map_err(failed)?;
        let durable = Durable::new(path).map_err(unavailable)?;
        let tally = Tally::open(&path.join("tally")).map_err(unavailable)?;
        let commits = match db.get(COMMITS).map_err(failed)? {
            Some(sealed) => number(&seal::open_value(COMMITS, &sealed)?)?,
            None => 0,
        };
        tally.check(commits)?;
        Ok(Open { db, durable, tally, commits: AtomicU64::new(commits), fault })
    }

    /// Writes all of `batch`, in pieces, without making it durable. While sled writes a batch, nobody can read.
    fn write_in_pieces(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writes = batch.iter().peekable();
        while writes.peek().is_some() {
            self.write(&mut writes.by_ref().take(PIECE), sled::Batch::default())?;
        }
        Ok(())
    }

    /// Adds these to `writes` and writes everything as one batch.
    fn write<'a>(
        &self,
        more: &mut dyn Iterator<Item = (&'a String, &'a Option<Vec<u8>>)>,
        mut writes: sled::Batch,
    ) -> Result<(), StoreError> {
        let at = |step| (self.fault)(step).map_err(unavailable);
        for (key, value) in more {
            match value {
                Some(value) => parts::put(&self.db, &mut writes, key, value),
                None => parts::remove(&self.db, &mut writes, key),
            }
            .map_err(failed)?;
        }
        at(Step::Write)?;
        self.db.apply_batch(writes).map_err(failed)?;
        at(Step::Written)
    }
}

impl Engine for Open {
    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    fn commit(&self, batch: &Batch, number: u64) -> Result<(), StoreError> {
        let at = |step| (self.fault)(step).map_err(unavailable);
        let mut counted = sled::Batch::default();
        counted.insert(COMMITS.as_bytes(), seal::seal(COMMITS, &number.to_le_bytes()));
        self.write(&mut batch.iter(), counted)?;
        self.db.flush().map_err(failed)?;
        at(Step::Flushed)?;
        self.durable.sync().map_err(unavailable)?;
        at(Step::Synced)?;
        self.commits.store(number, Ordering::Release);
        self.tally.write(number);
        Ok(())
    }
}

impl Store for SledStore {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(|open| parts::read(&open.db, key))
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        // The store's own keys come before all keys of the core.
        let first = if prefix.is_empty() { OWN_END } else { prefix };
        let start = match after {
            Some(key) if key >= first => Bound::Excluded(key.as_bytes()),
            _ => Bound::Included(first.as_bytes()),
        };
        self.0.read(|open| {
            let mut found = Vec::new();
            for record in open.db.range::<&[u8], _>((start, Bound::Unbounded)) {
                let (key, sealed) = record.map_err(failed)?;
                if found.len() == limit || !key.starts_with(prefix.as_bytes()) {
                    break;
                }
                let key = std::str::from_utf8(&key)
                    .map_err(|error| StoreError::damaged(&String::from_utf8_lossy(&key), error))?;
                match seal::open(key, &sealed)? {
                    Sealed::Value(value) => found.push((key.to_owned(), value)),
                    // It may have been removed in between.
                    Sealed::InParts(_) => {
                        found.extend(parts::read(&open.db, key)?.map(|value| (key.to_owned(), value)))
                    }
                }
            }
            Ok(found)
        })
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.0.commit(batch)
    }

    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        self.0.commit_by(|open, number| {
            open.write_in_pieces(&first)?;
            open.commit(&last, number)
        })
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
