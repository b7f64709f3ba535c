//! The file in which a machine notes how far a shard is.

use crate::mark::Mark;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// The file in which a machine notes the newest mark. It is not synced: after a power cut it may be behind, but never ahead.
pub struct Noted(File);

impl Noted {
    /// Opens the file, created if missing (mode 0600).
    ///
    /// # Errors
    /// It cannot be created or opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path).map(Noted)
    }

    /// The mark; `None` if there is none, or none that can be read.
    pub fn read(&self) -> Option<Mark> {
        let mut bytes = [0; 64];
        let length = self.0.read_at(&mut bytes, 0).ok()?;
        let (fence, commits) = std::str::from_utf8(&bytes[..length]).ok()?.strip_suffix('\n')?.split_once(' ')?;
        Some(Mark { fence: fence.parse().ok()?, commits: commits.parse().ok()? })
    }

    /// Notes a mark. It always takes the same room, so that no part of an older one is left. If it cannot be written, that is
    /// logged: an older mark merely notices less.
    pub fn write(&self, Mark { fence, commits }: Mark) {
        if let Err(error) = self.0.write_all_at(format!("{fence:020} {commits:020}\n").as_bytes(), 0) {
            tracing::warn!(%error, "how far the database is cannot be noted");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_kept_and_a_damaged_one_says_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("mark");
        let noted = Noted::open(&file).unwrap();
        assert_eq!(noted.read(), None);
        for mark in [Mark { fence: 123_456, commits: 789_012 }, Mark { fence: 7, commits: 5 }] {
            noted.write(mark);
            assert_eq!(Noted::open(&file).unwrap().read(), Some(mark));
        }
        noted.0.write_all_at(b"x", 3).unwrap();
        assert_eq!(noted.read(), None);
    }
}
