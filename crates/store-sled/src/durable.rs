//! Making what sled flushed survive a power cut.
//!
//! sled 0.34 keeps its log in the file `db`, and values too large for it each in a file of the directory `blobs`,
//! which it never syncs.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The files of an open database.
pub struct Durable {
    log: File,
    blobs: PathBuf,
    /// The files of `blobs` that were synced.
    synced: Mutex<BTreeSet<PathBuf>>,
}

impl Durable {
    /// Of the database in `path`, whose files are there already; they and the directory are synced.
    pub fn new(path: &Path) -> io::Result<Self> {
        let log = File::open(path.join("db"))?;
        let durable = Durable { log, blobs: path.join("blobs"), synced: Mutex::default() };
        durable.sync()?;
        File::open(path)?.sync_all()?;
        Ok(durable)
    }

    /// When it returns, everything sled flushed before is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.sync_new_blobs()?;
        self.log.sync_data()
    }

    fn sync_new_blobs(&self) -> io::Result<()> {
        let entries = match fs::read_dir(&self.blobs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        let there = entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<BTreeSet<_>>>()?;
        let mut synced = self.synced.lock().unwrap_or_else(PoisonError::into_inner);
        if there == *synced {
            return Ok(());
        }
        for blob in there.difference(&synced) {
            match File::open(blob) {
                Ok(file) => file.sync_all()?,
                // sled's own garbage collection was faster.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        File::open(&self.blobs)?.sync_all()?;
        *synced = there;
        Ok(())
    }
}
