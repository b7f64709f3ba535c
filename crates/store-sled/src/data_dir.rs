//! The data directory: one process at a time, for its owner's eyes only.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A data directory held by this process for as long as this lives.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

/// The data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Another process has it.
    #[error("{0} is in use by another astragal: stop that one, or name another directory with --data DIR")]
    Held(PathBuf),
    /// It cannot be made or written.
    #[error("{path} cannot be used: {error}; make it writable for this user, or name another with --data DIR")]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl DataDir {
    /// Makes the directory if need be (mode 0700) and locks it.
    ///
    /// # Errors
    /// Another process has it, or it cannot be written.
    pub fn claim(path: &Path) -> Result<Self, ClaimError> {
        let unusable = |error| ClaimError::Unusable { path: path.to_owned(), error };
        // A directory that is there keeps its mode: it may be anybody's. The files in it are private by their own.
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path.join("lock"));
        let lock = lock.map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(DataDir { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(ClaimError::Held(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// Where the database is.
    pub fn store(&self) -> PathBuf {
        self.path.join("store")
    }

    /// Where a file of this name is.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_directory_is_private_and_held_by_one() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/b");
        let held = DataDir::claim(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::metadata(held.file("lock")).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(matches!(DataDir::claim(&path), Err(ClaimError::Held(_))));
        drop(held);
        DataDir::claim(&path).unwrap();
    }

    #[test]
    fn a_path_that_is_no_directory_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("file");
        fs::write(&path, "x").unwrap();
        assert!(DataDir::claim(&path).unwrap_err().to_string().contains("--data DIR"));
    }
}
