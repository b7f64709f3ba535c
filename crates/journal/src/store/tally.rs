//! The number of the last commit, in a file next to the database.
//!
//! It is written once a commit is durable, and not synced. After a crash it may be behind, but never ahead. A database
//! with fewer commits than the tally says has lost some.

use super::StoreError;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The tally of a database.
pub struct Tally(File);

impl Tally {
    /// The tally in the file `path`, created if missing (mode 0600).
    ///
    /// # Errors
    /// The file cannot be created or opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(path).map(Tally)
    }

    /// The number of the last commit known to have been durable, 0 if none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self) -> Result<u64, StoreError> {
        let mut bytes = [0; Tally::BYTES];
        let unreadable =
            |error| StoreError::Unavailable(format!("the tally beside the database cannot be read: {error}"));
        let length = self.0.read_at(&mut bytes, 0).map_err(unreadable)?;
        Ok(Tally::counted(&bytes[..length]))
    }

    /// Size of a tally in bytes.
    pub const BYTES: usize = 16;

    /// The stored form of commit `number`: the number and its complement, little-endian.
    pub fn bytes(number: u64) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&(!number).to_le_bytes());
        bytes
    }

    /// Reads the number back. A torn or damaged tally counts as 0; the records still have their checksums.
    pub fn counted(bytes: &[u8]) -> u64 {
        let number = bytes.first_chunk().map_or(0, |number| u64::from_le_bytes(*number));
        if bytes == Self::bytes(number) { number } else { 0 }
    }

    /// Checks that a database with `commits` commits has all that are known to have been durable.
    ///
    /// # Errors
    /// Some are gone: [`StoreError::Damaged`]; or the file cannot be read.
    pub fn check(&self, commits: u64) -> Result<(), StoreError> {
        let counted = self.read()?;
        if commits < counted {
            let what = format!("the last {} of {counted} writes are gone", counted - commits);
            return Err(StoreError::damaged("(the newest)", what));
        }
        Ok(())
    }

    /// Notes that commit `number` is durable. If the file cannot be written, that is logged: a tally that is behind merely
    /// detects less damage.
    pub fn write(&self, number: u64) {
        if let Err(error) = self.0.write_all_at(&Tally::bytes(number), 0) {
            tracing::warn!(%error, "the tally beside the database cannot be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tally_is_kept_and_a_damaged_one_says_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("tally");
        let tally = Tally::open(&file).unwrap();
        assert_eq!(tally.read().unwrap(), 0);
        tally.write(7);
        assert_eq!(Tally::open(&file).unwrap().read().unwrap(), 7);
        tally.check(7).unwrap();
        assert!(tally.check(5).unwrap_err().to_string().contains("the last 2 of 7 writes are gone"));
        tally.0.write_all_at(b"x", 3).unwrap();
        assert_eq!(tally.read().unwrap(), 0);
    }
}
