//! The number of the last commit, in a file beside the database.
//!
//! It is written once a commit is durable, and not synced: after a crash it may be behind, never ahead. A database that
//! has counted fewer commits than the tally says has lost some.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The tally of a database.
pub struct Tally(File);

impl Tally {
    /// Of the database in `path`.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(path.join("tally")).map(Tally)
    }

    /// The number of the last commit that is known to have been durable.
    pub fn read(&self) -> io::Result<u64> {
        let mut bytes = [0; 16];
        let length = self.0.read_at(&mut bytes, 0)?;
        let (number, check) = bytes.split_at(8);
        let number = u64::from_le_bytes(number.try_into().expect("eight of sixteen bytes"));
        // A torn or damaged tally says nothing; the database still has its checksums.
        let good = length == bytes.len() && check == (!number).to_le_bytes();
        Ok(if good { number } else { 0 })
    }

    /// Notes that commit `number` is durable.
    pub fn write(&self, number: u64) -> io::Result<()> {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        bytes[8..].copy_from_slice(&(!number).to_le_bytes());
        self.0.write_all_at(&bytes, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tally_is_kept_and_a_damaged_one_says_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let tally = Tally::open(directory.path()).unwrap();
        assert_eq!(tally.read().unwrap(), 0);
        tally.write(7).unwrap();
        assert_eq!(Tally::open(directory.path()).unwrap().read().unwrap(), 7);
        tally.0.write_all_at(b"x", 3).unwrap();
        assert_eq!(tally.read().unwrap(), 0);
    }
}
