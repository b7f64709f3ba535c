//! A file that never has much unwritten data waiting for the disk; otherwise the commits of a running bot would have to
//! wait behind it.

use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Bytes that may wait for the disk.
const MOST: usize = 1 << 20;

/// A file written while others need the disk.
pub struct Steady(BufWriter<Synced>);

struct Synced(File);

impl Steady {
    /// Writes to `file` from its current position.
    pub fn new(file: File) -> Self {
        Steady(BufWriter::with_capacity(MOST, Synced(file)))
    }

    /// Writes the rest. When this returns, everything survives a power cut.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.0.flush()?;
        self.0.get_ref().0.sync_all()
    }
}

impl Write for Steady {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Write for Synced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(&bytes[..bytes.len().min(MOST)])?;
        self.0.sync_data()?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_there_in_its_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut steady = Steady::new(file.reopen().unwrap());
        let text: Vec<u8> = (0..3 * MOST).map(|at| (at % 251) as u8).collect();
        let (short, long) = text.split_at(100);
        steady.write_all(short).unwrap();
        steady.write_all(long).unwrap();
        steady.finish().unwrap();
        assert!(std::fs::read(file.path()).unwrap() == text);
    }
}
