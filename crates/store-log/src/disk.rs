//! The file operations that a log needs, and no others: a test can replace them with a disk that fails.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory of files, without subdirectories.
pub trait Disk: Send + Sync {
    /// Returns the names of its files, in any order.
    ///
    /// # Errors
    /// They cannot be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Opens a file for reading and writing, and creates it if it is missing.
    ///
    /// # Errors
    /// It cannot be opened.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Renames a file, replacing any file with the new name.
    ///
    /// # Errors
    /// It keeps its name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// It is still there.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// When this returns, created, renamed and removed files stay so after a power cut.
    ///
    /// # Errors
    /// They may not.
    fn sync(&self) -> io::Result<()>;
}

/// A file in such a directory.
pub trait DiskFile: Send + Sync {
    /// Returns its length in bytes.
    ///
    /// # Errors
    /// The length cannot be read.
    fn length(&self) -> io::Result<u64>;

    /// Reads at `offset`. Returns the number of bytes read, which is smaller than requested only at the end of the
    /// file.
    ///
    /// # Errors
    /// It cannot be read.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes `bytes` at `offset`. Until they are synced, a power cut may keep any part of them.
    ///
    /// # Errors
    /// Any part of them may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file to `length` bytes.
    ///
    /// # Errors
    /// Its length is unchanged.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// When this returns, everything written survives a power cut.
    ///
    /// # Errors
    /// Any part of it may be lost, now or later; unsynced data must be written to another file.
    fn sync(&self) -> io::Result<()>;
}

/// A directory of the operating system.
pub struct Directory {
    path: PathBuf,
    itself: File,
}

impl Directory {
    /// Opens the directory, and creates it for its owner alone if it is missing.
    ///
    /// # Errors
    /// It cannot be created or opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Directory { path: path.to_owned(), itself: File::open(path)? })
    }
}

impl Disk for Directory {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // A name that is not UTF-8 is not one of our files.
            names.extend(entry?.file_name().into_string());
        }
        Ok(names)
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        Ok(Arc::new(options.open(self.path.join(name))?))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        self.itself.sync_all()
    }
}

impl DiskFile for File {
    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while read < into.len() {
            match FileExt::read_at(self, &mut into[read..], offset + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }
}
