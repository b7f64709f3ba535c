//! Room on a disk: a backup leaves what the store needs to go on.

use anyhow::{Context, ensure};
use rustix::fs::{StatVfs, fstatvfs, statvfs};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Bytes that stay free: this many, or a twentieth of a small disk.
const MOST_KEPT: u64 = 64 << 20;
const SHARE_KEPT: u64 = 20;
/// Bytes written before the disk is asked again.
const STEP: u64 = 1 << 20;

/// A disk, as far as this user may write to it.
#[derive(Clone, Copy, Debug)]
pub struct Disk {
    /// Bytes in all.
    pub size: u64,
    /// Bytes free.
    pub free: u64,
}

impl Disk {
    /// The disk of this directory.
    ///
    /// # Errors
    /// It is not there.
    pub fn of(directory: &Path) -> anyhow::Result<Self> {
        let found = statvfs(directory).map_err(io::Error::from);
        Ok(Disk::from(found.with_context(|| format!("{} cannot be looked at", directory.display()))?))
    }

    /// Bytes that a backup leaves free.
    pub fn kept(self) -> u64 {
        MOST_KEPT.min(self.size / SHARE_KEPT)
    }
}

impl From<StatVfs> for Disk {
    fn from(found: StatVfs) -> Self {
        Disk { size: found.f_blocks * found.f_frsize, free: found.f_bavail * found.f_frsize }
    }
}

/// With less than this free, a command may not fit on a disk.
const LEAST: u64 = 1 << 20;

/// Says so if the disk of this directory is full, so that the bot refuses what it would have to keep.
pub fn full(directory: &Path) -> Option<String> {
    let free = Disk::of(directory).ok()?.free;
    let (free, place) = (Some(free).filter(|free| *free < LEAST)?, directory.display());
    Some(format!("the disk is full: only {} are free for {place}; make room", shown(free)))
}

/// Asks for room before a backup is begun that probably takes this many bytes.
///
/// # Errors
/// There is too little; nothing was written.
pub fn ask(directory: &Path, bytes: u64) -> anyhow::Result<()> {
    let disk = Disk::of(directory)?;
    ensure!(
        disk.free >= bytes + disk.kept(),
        "{} has no room for a backup: it takes about {}, and {} are free, of which the store needs {}; make room, or set \
         backups.directory to a directory on another disk",
        directory.display(),
        shown(bytes),
        shown(disk.free),
        shown(disk.kept())
    );
    Ok(())
}

/// Writes to a file only as long as its disk keeps enough room for the store.
pub struct Leaving<W> {
    inner: W,
    file: File,
    unasked: u64,
}

impl<W: Write> Leaving<W> {
    /// Writes to `inner`, which ends in `file`.
    pub fn new(inner: W, file: File) -> Self {
        Leaving { inner, file, unasked: STEP }
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.inner
    }
}

impl<W: Write> Write for Leaving<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.unasked >= STEP {
            let disk = Disk::from(fstatvfs(&self.file)?);
            if disk.free < disk.kept() + STEP {
                let what = format!("only {} are free on this disk, which the store needs: make room", shown(disk.free));
                return Err(io::Error::new(ErrorKind::StorageFull, what));
            }
            self.unasked = 0;
        }
        let written = self.inner.write(bytes)?;
        self.unasked += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A number of bytes, for people.
pub fn shown(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1_000)),
        1_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            [0, 1, 999_999, 31_400_000, 12_000_000_000].map(shown),
            ["0 kB", "1 kB", "1000 kB", "31 MB", "12 GB"]
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_written() {
        let here = tempfile::tempdir().unwrap();
        ask(here.path(), 1).unwrap();
        let says = ask(here.path(), u64::MAX / 2).unwrap_err().to_string();
        assert!(says.contains("has no room for a backup") && says.contains("make room"), "{says}");
    }
}
