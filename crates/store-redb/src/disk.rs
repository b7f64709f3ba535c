//! The file that redb reads and writes; tests can make it fail at each step.
//!
//! redb checks its checksums when it opens a database, but not when it reads a page again later. A change in between
//! could hide a record. So a page must read as it was first read, or as it was written since.

use crate::{Fault, Step};
use redb::backends::FileBackend;
use redb::{BackendError, DatabaseError, StorageBackend};
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};

/// The database's file.
pub struct Disk {
    file: FileBackend,
    /// The length and checksum of each multiple of [`PAGE`] as last read or written.
    pages: Mutex<Vec<Page>>,
    fault: Arc<Fault>,
}

/// The size of redb's smallest pages, in bytes; all pages begin at a multiple of it. The first holds the header, which
/// redb changes in pieces.
const PAGE: u64 = 4_096;

/// A page: its length in bytes (0 if not seen yet) and its CRC-32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Page {
    length: u32,
    sum: u32,
}

impl Page {
    fn of(bytes: &[u8]) -> Self {
        Page { length: u32::try_from(bytes.len()).unwrap_or_default(), sum: crc32fast::hash(bytes) }
    }
}

impl Disk {
    /// Uses `file`, which is open for reading and writing.
    pub fn new(file: File, fault: Arc<Fault>) -> Result<Self, DatabaseError> {
        Ok(Disk { file: FileBackend::new(file)?, pages: Mutex::default(), fault })
    }

    fn at(&self, step: Step) -> io::Result<()> {
        (self.fault)(step)
    }

    /// Notes the page now at `offset`. Returns the previous one.
    fn note(&self, offset: u64, page: Page) -> Page {
        if offset < PAGE || !offset.is_multiple_of(PAGE) {
            return Page::default();
        }
        let number = usize::try_from(offset / PAGE).expect("a file has no more pages than memory has bytes");
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() <= number {
            if page == Page::default() {
                return page;
            }
            pages.resize(number + 1, Page::default());
        }
        std::mem::replace(&mut pages[number], page)
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.at(Step::Read)?;
        self.file.read(offset, out)?;
        let page = Page::of(out);
        let before = self.note(offset, page);
        // After a crash two pages of different lengths may claim the same place, until redb knows which one counts.
        if before.length == page.length && before != page {
            self.note(offset, before);
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a page is not what it was"));
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.at(Step::Resize)?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.at(Step::Sync)?;
        self.file.sync_data()?;
        self.at(Step::Synced)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.at(Step::Write)?;
        let written = self.file.write(offset, data);
        self.note(offset, if written.is_ok() { Page::of(data) } else { Page::default() });
        written
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.query_lock_range(start, end)
    }
}
