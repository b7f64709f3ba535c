//! The data directory: used by one process at a time, readable only by its owner.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A data directory, held by this process as long as this value lives.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Another process is using it.
    #[error("{0} is in use by another astragal: stop that one, or name another directory with --data DIR")]
    Held(PathBuf),
    /// Others can change its contents, and that cannot be fixed here.
    #[error(
        "{path} is open to others (mode {mode:o}), who could put files of theirs there: name a directory of the bot's own \
         with --data DIR, or chmod 700 it"
    )]
    Open {
        /// The directory.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// It is a file, or would be in one.
    #[error("{0} is a file, and data needs a directory: name one with --data DIR")]
    File(PathBuf),
    /// It cannot be created or written.
    #[error("{path} cannot be used: {error}; make it writable for this user, or name another with --data DIR")]
    Unusable {
        /// The directory.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

impl DataDir {
    /// Creates the directory if it is missing, for its owner alone (mode 0700), and locks it. If an existing one is
    /// open to others and belongs to the bot, it is closed to them.
    ///
    /// # Errors
    /// Another process is using it, others can change its contents, or it cannot be written.
    pub fn claim(path: &Path) -> Result<Self, ClaimError> {
        let unusable = |error| ClaimError::Unusable { path: path.to_owned(), error };
        no_file_is_there(path)?;
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(unusable)?;
        keep_others_out(path)?;
        let lock = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path.join("lock"));
        let lock = lock.map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => Ok(DataDir { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(ClaimError::Held(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// The path of the database.
    pub fn store(&self) -> PathBuf {
        self.path.join("store")
    }

    /// The path of a file with this name.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Checks that a directory can be at this path, because no file is there or above it.
///
/// # Errors
/// A file is.
pub fn no_file_is_there(path: &Path) -> Result<(), ClaimError> {
    let there = path.ancestors().find(|path| path.exists());
    match there.filter(|there| !there.is_dir()) {
        Some(file) => Err(ClaimError::File(file.to_owned())),
        None => Ok(()),
    }
}

/// The mode bits for everyone but the owner; of these, the ones that allow changes; and the sticky bit of shared
/// directories.
const OTHERS: u32 = 0o077;
const CHANGE: u32 = 0o022;
const SHARED: u32 = 0o1000;

/// Closes the bot's own directory to others. A directory that is also used for other things keeps its mode, but must
/// not be writable by others.
fn keep_others_out(path: &Path) -> Result<(), ClaimError> {
    let unusable = |error| ClaimError::Unusable { path: path.to_owned(), error };
    let mode = fs::metadata(path).map_err(unusable)?.permissions().mode() & 0o7777;
    if mode & OTHERS == 0 {
        return Ok(());
    }
    let ours = mode & SHARED == 0 && is_the_bots(path).map_err(unusable)?;
    let shown = path.display();
    if ours && fs::set_permissions(path, Permissions::from_mode(0o700)).is_ok() {
        let closed = format!("{shown} was open to others (mode {mode:o}); now only its owner can enter it");
        // If nobody could put anything there, no check is needed.
        if mode & CHANGE != 0 {
            tracing::warn!("{closed}")
        } else {
            tracing::info!("{closed}")
        }
        return Ok(());
    }
    if mode & CHANGE != 0 {
        return Err(ClaimError::Open { path: path.to_owned(), mode });
    }
    tracing::warn!("{shown} is open to others (mode {mode:o}), who see which files the bot has: chmod 700 it");
    Ok(())
}

/// True if the directory is empty, or holds only what a bot left there, all owned by its owner.
fn is_the_bots(path: &Path) -> io::Result<bool> {
    let owner = fs::metadata(path)?.uid();
    let mut nothing = true;
    let mut lock = false;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.metadata()?.uid() != owner {
            return Ok(false);
        }
        nothing = false;
        lock |= entry.file_name() == "lock";
    }
    Ok(nothing || lock)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_directory_that_others_can_enter_is_closed_or_refused() {
        let parent = tempfile::tempdir().unwrap();
        let made = |name: &str, mode: u32| {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            path
        };
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        for before in [0o777, 0o755, 0o750, 0o2775] {
            let path = made(&format!("{before:o}"), before);
            DataDir::claim(&path).unwrap();
            assert_eq!(mode(&path) & 0o777, 0o700);
            fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
            DataDir::claim(&path).unwrap();
            assert_eq!(mode(&path) & 0o777, 0o700, "with the bot's files in it");
        }
        let shared = made("shared", 0o1777);
        assert!(DataDir::claim(&shared).unwrap_err().to_string().contains("is open to others (mode 1777)"));
        for (before, taken) in [(0o777, false), (0o755, true)] {
            let path = made(&format!("home-{before:o}"), before);
            fs::write(path.join("diary"), "x").unwrap();
            assert_eq!(DataDir::claim(&path).is_ok(), taken);
            assert_eq!(mode(&path), before, "a directory with other things keeps its mode");
        }
    }

    #[test]
    fn a_path_that_is_no_directory_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("file");
        fs::write(&path, "x").unwrap();
        for path in [path.join("below"), path] {
            let says = DataDir::claim(&path).unwrap_err().to_string();
            assert!(says.ends_with("/file is a file, and data needs a directory: name one with --data DIR"), "{says}");
        }
    }
}
