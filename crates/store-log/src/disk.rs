//! The files of a log, and no more of them than it needs: a test puts a disk that fails in their place.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A directory of files, none of which has a directory of its own.
pub trait Disk: Send + Sync {
    /// The names of its files, in any order.
    ///
    /// # Errors
    /// They cannot be read.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Opens a file to be read and written; makes it if it is not there.
    ///
    /// # Errors
    /// It cannot be opened.
    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>>;

    /// Gives a file another name, in the place of the one that has it.
    ///
    /// # Errors
    /// It keeps its name.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// It is still there.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// When it returns, the files that were made, renamed and removed stay so after a power cut.
    ///
    /// # Errors
    /// They may not.
    fn sync(&self) -> io::Result<()>;
}

/// A file of it.
pub trait DiskFile: Send + Sync {
    /// Its length in bytes.
    ///
    /// # Errors
    /// It cannot be asked.
    fn length(&self) -> io::Result<u64>;

    /// Reads what stands at `offset`; how many bytes there were, fewer than asked for only at the end.
    ///
    /// # Errors
    /// It cannot be read.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes `bytes` at `offset`. Until it is synced, a power cut may keep any of it.
    ///
    /// # Errors
    /// Any of it may have been written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file off at `length` bytes.
    ///
    /// # Errors
    /// It is as long as it was.
    fn cut(&self, length: u64) -> io::Result<()>;

    /// When it returns, all that was written survives a power cut.
    ///
    /// # Errors
    /// Any of it may be lost, now or later: what was not synced must be written to another file.
    fn sync(&self) -> io::Result<()>;
}

/// A directory of the system.
pub struct Directory {
    path: PathBuf,
    itself: File,
}

impl Directory {
    /// Makes it, for its owner alone, if it is not there.
    ///
    /// # Errors
    /// It cannot be made or opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Ok(Directory { path: path.to_owned(), itself: File::open(path)? })
    }
}

impl Disk for Directory {
    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // What has no name of ours is none of our files.
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
