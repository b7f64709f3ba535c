//! Files that are made anew, for their owner's eyes only: nobody can have put a link or a file of theirs in the way.

use anyhow::{Context, ensure};
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Fails unless nothing is at `path` yet.
pub fn must_be_free(path: &Path) -> anyhow::Result<()> {
    ensure!(!path.exists(), "{} is there already: name another file, or move it away", path.display());
    Ok(())
}

/// Where a file is written before it is whole.
pub fn part_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Makes a file. What is there already stays, and is an error.
///
/// # Errors
/// It cannot be made.
pub fn create(file: &Path) -> anyhow::Result<File> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    made.with_context(|| format!("{} cannot be written", file.display()))
}

/// Makes a file instead of the one that an interrupted run left, or that somebody put there: its mode and where it leads
/// do not count.
///
/// # Errors
/// It cannot be made, or what is there cannot be removed.
pub fn replace(file: &Path) -> anyhow::Result<File> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} is in the way and cannot be removed", file.display()))
        }
        _ => create(file),
    }
}
