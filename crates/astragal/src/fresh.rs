//! Creates files for their owner's eyes only, so that nobody can have put a link or a file of theirs in the way.

use crate::owner::as_typed;
use anyhow::{Context, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Fails if anything exists at `path`.
pub fn must_be_free(path: &Path) -> anyhow::Result<()> {
    let free = as_typed(|| !path.exists());
    ensure!(free, "{} is there already: name another file, or move it away", path.display());
    Ok(())
}

/// The path of a file while it is incomplete.
pub fn part_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// A file while it is incomplete. Unless it is put in place, nothing is left of it.
pub struct Part<'a> {
    file: &'a Path,
    path: PathBuf,
    placed: bool,
}

impl<'a> Part<'a> {
    /// The incomplete form of `file`. Nothing is created yet.
    pub fn of(file: &'a Path) -> Self {
        Part { file, path: part_of(file), placed: false }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates it for whoever typed the command, who named the file.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create_as_typed(&self) -> anyhow::Result<File> {
        as_typed(|| replace(&self.path))
    }

    /// Puts it in place.
    ///
    /// # Errors
    /// It cannot be renamed.
    pub fn place(mut self) -> anyhow::Result<()> {
        let renamed = as_typed(|| fs::rename(&self.path, self.file));
        renamed.with_context(|| format!("{} cannot be written", self.file.display()))?;
        self.placed = true;
        Ok(())
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        if !self.placed {
            // There may be none.
            let _ = as_typed(|| fs::remove_file(&self.path));
        }
    }
}

/// Creates a file. If it exists already, it stays, and this is an error.
///
/// # Errors
/// It cannot be created.
pub fn create(file: &Path) -> anyhow::Result<File> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.with_context(|| format!("{} cannot be written", file.display()))
}

/// Creates a file in place of one left by an interrupted run, or put there by somebody: the old one's mode or link
/// target do not matter.
///
/// # Errors
/// It cannot be created, or the old one cannot be removed.
pub fn replace(file: &Path) -> anyhow::Result<File> {
    match fs::remove_file(file) {
        // Of a file that is not there, a disk that is read-only says that, and not that there is none.
        Err(error) if error.kind() != ErrorKind::NotFound && file.symlink_metadata().is_ok() => {
            Err(error).with_context(|| format!("{} is in the way and cannot be removed", file.display()))
        }
        _ => create(file),
    }
}
