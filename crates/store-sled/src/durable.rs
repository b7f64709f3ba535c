//! Makes what sled flushed survive a power cut.
//!
//! sled 0.34 keeps its log in the file `db`. Values too large for it are files in the directory `blobs`, which it never
//! syncs. We write none that large, but earlier versions did.
//!
//! Nothing is opened here once the database is open, so even when the system has no file descriptors left, flushed data
//! can still be synced.

use rustix::fs::{Dir, syncfs};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Number of spare file descriptors, released when the database is closed, because reopening it needs some.
const SPARE: usize = 4;

/// The files of an open database.
pub struct Durable {
    log: File,
    blobs: Mutex<Blobs>,
    _spare: Vec<File>,
}

struct Blobs {
    listing: Dir,
    directory: File,
    /// The names of the blobs already synced.
    synced: BTreeSet<Vec<u8>>,
}

impl Durable {
    /// Opens the files of the database in `path`, which must exist, and syncs them and the directory.
    pub fn new(path: &Path) -> io::Result<Self> {
        let log = File::open(path.join("db"))?;
        let directory = File::open(path.join("blobs"))?;
        let listing = Dir::new(directory.try_clone()?)?;
        let blobs = Mutex::new(Blobs { listing, directory, synced: BTreeSet::new() });
        // Take as many as there are; the database works without them.
        let spare = (0..SPARE).map_while(|_| log.try_clone().ok()).collect();
        let durable = Durable { log, blobs, _spare: spare };
        durable.sync()?;
        File::open(path)?.sync_all()?;
        Ok(durable)
    }

    /// When this returns, everything sled flushed before is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner).sync()?;
        self.log.sync_data()
    }
}

impl Blobs {
    fn sync(&mut self) -> io::Result<()> {
        self.listing.rewind();
        let mut there = BTreeSet::new();
        while let Some(entry) = self.listing.read() {
            let name = entry?.file_name().to_bytes().to_vec();
            there.extend((!matches!(name.as_slice(), b"." | b"..")).then_some(name));
        }
        // Sync the whole file system, because each file by itself would have to be opened.
        if !there.is_subset(&self.synced) {
            syncfs(&self.directory)?;
        }
        self.synced = there;
        Ok(())
    }
}
