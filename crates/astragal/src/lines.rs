//! Reads files line by line with a limit per line, so that a stranger's file costs no more memory than its longest
//! valid line.

use crate::owner::as_typed;
use crate::packed::unpacked;
use crate::progress;
use anyhow::Context;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

/// The most bytes of a line in a journal: an entry, or a record of the table.
pub const OF_A_JOURNAL: usize = 64 << 20;
/// The most bytes of a line in a backup: a record.
pub const OF_A_BACKUP: usize = 128 << 20;

/// Lines with a limit on their length in bytes.
pub struct Lines<R> {
    inner: R,
    most: usize,
    /// Bytes read of the current line, and its number.
    read: usize,
    number: u64,
}

/// Opens a file of such lines, which may be compressed.
///
/// # Errors
/// It cannot be read.
pub fn open(file: &Path, most: usize) -> anyhow::Result<Lines<Box<dyn BufRead>>> {
    let opened = File::open(file).and_then(|opened| unpacked(BufReader::new(opened)));
    Ok(Lines::new(opened.with_context(|| format!("{} cannot be read", file.display()))?, most))
}

/// The same for a file that was named on the command line. If somebody looks at a terminal, it shows how far reading is;
/// `what` says why it is read.
///
/// # Errors
/// It cannot be read.
pub fn open_watched(file: &Path, most: usize, what: &'static str) -> anyhow::Result<Lines<Box<dyn BufRead>>> {
    let opened = as_typed(|| File::open(file)).and_then(|opened| {
        let length = opened.metadata()?.len();
        unpacked(BufReader::new(progress::of(what, length).wrap_read(opened)))
    });
    Ok(Lines::new(opened.with_context(|| format!("{} cannot be read", file.display()))?, most))
}

impl<R: BufRead> Lines<R> {
    fn new(inner: R, most: usize) -> Self {
        Lines { inner, most, read: 0, number: 1 }
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > self.most {
            let what = format!("line {} is longer than {} MiB: nobody wrote that", self.number, self.most >> 20);
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        // It is in memory: what is consumed was filled before.
        let taken = self.inner.fill_buf().map_or(&[][..], |buffer| &buffer[..length.min(buffer.len())]);
        // A search is quicker than a count, and handles a line without end.
        if !taken.contains(&b'\n') {
            self.read += taken.len();
            return self.inner.consume(length);
        }
        let mut ends = taken.rsplit(|byte| *byte == b'\n');
        let rest = ends.next().map_or(0, <[u8]>::len);
        let ended = ends.count();
        self.read = rest;
        self.number += ended as u64;
        self.inner.consume(length);
    }
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_refused_before_it_is_read() {
        let mut text = Vec::new();
        let mut lines = Lines::new(BufReader::with_capacity(3, &b"ten bytes.\nlonger than ten\n"[..]), 10);
        assert_eq!(lines.read_until(b'\n', &mut text).unwrap(), 11);
        let error = lines.read_until(b'\n', &mut text).unwrap_err();
        assert!(error.to_string().starts_with("line 2 is longer than"), "{error}");
        assert!(text.len() < 11 + 10 + 2 * 3, "{} bytes", text.len());
    }
}
