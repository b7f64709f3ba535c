//! An open database: one table, which also holds the count of commits.

use crate::disk::Disk;
use crate::{Fault, Step};
use journal::store::seal::{self, VALUE};
use journal::store::{Batch, Engine, StoreError, Tally};
use redb::{Builder, Database, Durability, ReadOnlyTable, ReadableDatabase, TableDefinition, TableError};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::ops::Bound;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of pages cached in memory.
const CACHE: usize = 4 << 20;

/// Sealed records by key.
const RECORDS: TableDefinition<&str, &[u8]> = TableDefinition::new("records");
/// The key where the database counts its commits. Keys of the core never begin with a NUL.
const COMMITS: &str = "\0commits";
/// The end of all keys that begin with a NUL.
const OWN_END: &str = "\u{1}";

/// The name for damage that is in no record.
const REDBS_OWN: &str = "(redb's own)";

/// An open database.
pub struct Open {
    db: Database,
    tally: Tally,
    /// The number of commits.
    commits: AtomicU64,
}

impl Open {
    /// Opens the database in the directory `path`, and creates it if it is missing.
    pub fn new(path: &Path, fault: Arc<Fault>) -> Result<Self, StoreError> {
        fault(Step::Open).map_err(unavailable)?;
        let file = file(path).map_err(unavailable)?;
        let tally = Tally::open(&path.join("tally")).map_err(unavailable)?;
        let db = database(file, fault)?;
        let open = Open { db, tally, commits: AtomicU64::new(0) };
        let commits = open.counted()?;
        open.tally.check(commits.unwrap_or_default())?;
        match commits {
            Some(commits) => open.commits.store(commits, Ordering::Release),
            // The first write creates the table, so reads can rely on it.
            None => open.write(&Batch::default(), 0)?,
        }
        Ok(open)
    }

    /// The number of commits; `None` in a new database.
    fn counted(&self) -> Result<Option<u64>, StoreError> {
        let table = match self.db.begin_read().map_err(failed)?.open_table(RECORDS) {
            Ok(table) => table,
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let Some(sealed) = table.get_owned(COMMITS).map_err(failed)? else {
            return Err(StoreError::damaged(COMMITS, "it is missing"));
        };
        let number = seal::open(COMMITS, VALUE, sealed.value())?.try_into();
        let number = number.map_err(|_| StoreError::damaged(COMMITS, "it is no number"))?;
        Ok(Some(u64::from_le_bytes(number)))
    }

    fn table(&self) -> Result<ReadOnlyTable<&'static str, &'static [u8]>, StoreError> {
        self.db.begin_read().map_err(failed)?.open_table(RECORDS).map_err(failed)
    }

    /// The value under `key`.
    pub fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(sealed) = self.table()?.get_owned(key).map_err(failed)? else { return Ok(None) };
        seal::open(key, VALUE, sealed.value()).map(|value| Some(value.to_vec()))
    }

    /// Up to `limit` records of the core whose keys start with `prefix` and come after `after`.
    pub fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        // The store's own keys come before all keys of the core.
        let first = if prefix.is_empty() { OWN_END } else { prefix };
        let start = match after {
            Some(key) if key >= first => Bound::Excluded(key),
            _ => Bound::Included(first),
        };
        let mut found = Vec::new();
        for record in self.table()?.range_owned::<&str>((start, Bound::Unbounded)).map_err(failed)? {
            let (key, sealed) = record.map_err(failed)?;
            let key = key.value();
            if found.len() == limit || !key.starts_with(prefix) {
                break;
            }
            found.push((key.to_owned(), seal::open(key, VALUE, sealed.value())?.to_vec()));
        }
        Ok(found)
    }

    /// Writes `batch` and the number of commits, durably.
    fn write(&self, batch: &Batch, number: u64) -> Result<(), StoreError> {
        let mut writes = self.db.begin_write().map_err(failed)?;
        writes.set_durability(Durability::Immediate).map_err(failed)?;
        {
            let mut table = writes.open_table(RECORDS).map_err(failed)?;
            for (key, value) in batch {
                match value {
                    Some(value) => table.insert(key.as_str(), seal::seal(key, VALUE, value).as_slice()),
                    None => table.remove(key.as_str()),
                }
                .map_err(failed)?;
            }
            let number = seal::seal(COMMITS, VALUE, &number.to_le_bytes());
            table.insert(COMMITS, number.as_slice()).map_err(failed)?;
        }
        writes.commit().map_err(failed)
    }
}

impl Engine for Open {
    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    fn commit(&self, batch: &Batch, number: u64) -> Result<(), StoreError> {
        self.write(batch, number)?;
        self.commits.store(number, Ordering::Release);
        self.tally.write(number);
        Ok(())
    }
}

/// Opens the database's file in its own directory, and makes the existence of both durable.
fn file(path: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(path.join("redb"))?;
    File::open(path)?.sync_all()?;
    // A parent that cannot be opened existed before.
    if let Ok(parent) = File::open(path.join("..")) {
        parent.sync_all()?;
    }
    Ok(file)
}

/// Opens the database in `file`, if all of it is undamaged.
fn database(file: File, fault: Arc<Fault>) -> Result<Database, StoreError> {
    let open = || {
        let disk = Disk::new(file, fault)?;
        Builder::new().set_cache_size(CACHE).set_check_integrity_on_open(true).create_with_backend(disk)
    };
    let panicked = |_| StoreError::damaged(REDBS_OWN, "redb panicked while it was opened");
    catch_unwind(AssertUnwindSafe(open)).map_err(panicked)?.map_err(failed)
}

fn failed(error: impl Into<redb::Error>) -> StoreError {
    match error.into() {
        redb::Error::Corrupted(what) => StoreError::damaged(REDBS_OWN, what),
        // It is not a database at all, or shorter than it was.
        redb::Error::Io(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            StoreError::damaged(REDBS_OWN, error)
        }
        // None of our databases has an earlier format.
        error @ redb::Error::UpgradeRequired(_) => StoreError::damaged(REDBS_OWN, error),
        redb::Error::Io(error) => unavailable(error),
        redb::Error::DatabaseAlreadyOpen => {
            StoreError::Unavailable("another process has the database open: stop that one".to_owned())
        }
        other => StoreError::Unavailable(other.to_string()),
    }
}

fn unavailable(error: io::Error) -> StoreError {
    StoreError::Unavailable(format!("the database cannot be written or read: {error}"))
}
