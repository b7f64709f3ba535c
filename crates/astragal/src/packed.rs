//! Compressed files: which ones are, and reading and writing them.

use flate2::Compression;
use flate2::bufread::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// What the name of a compressed file ends in.
const ENDING: &str = "gz";
/// The first bytes of a compressed file.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is.
    Plain,
    /// Compressed with gzip.
    Packed,
}

impl Form {
    /// The form that the name of a file asks for.
    pub fn of(file: &Path) -> Self {
        let packed = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING));
        if packed { Form::Packed } else { Form::Plain }
    }

    /// The form of what is read, by its first bytes.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of_content(input: &mut impl BufRead) -> io::Result<Self> {
        Ok(if input.fill_buf()?.starts_with(&MAGIC) { Form::Packed } else { Form::Plain })
    }
}

/// What was written, whatever the form of the file.
///
/// # Errors
/// It cannot be read.
pub fn unpacked<R: BufRead + 'static>(mut input: R) -> io::Result<Box<dyn BufRead>> {
    Ok(match Form::of_content(&mut input)? {
        Form::Plain => Box::new(input),
        Form::Packed => Box::new(BufReader::new(MultiGzDecoder::new(input))),
    })
}

/// Writes to a file in either form.
pub enum Packing<W: Write> {
    /// As it is.
    Plain(W),
    /// Compressed. Its fastest way takes off most of what there is to take.
    Packed(GzEncoder<W>),
}

impl<W: Write> Packing<W> {
    /// Writes to `inner` in this form.
    pub fn new(inner: W, form: Form) -> Self {
        match form {
            Form::Plain => Packing::Plain(inner),
            Form::Packed => Packing::Packed(GzEncoder::new(inner, Compression::fast())),
        }
    }

    /// Writes the end, and returns what it wrote to.
    ///
    /// # Errors
    /// The end cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Packing::Plain(inner) => Ok(inner),
            Packing::Packed(inner) => inner.finish(),
        }
    }
}

impl<W: Write> Write for Packing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Packing::Plain(inner) => inner.write(bytes),
            Packing::Packed(inner) => inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Packing::Plain(inner) => inner.flush(),
            // Each flush costs compression, and the end writes the rest.
            Packing::Packed(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Read};

    #[test]
    fn what_was_packed_is_smaller_and_comes_back() {
        let text = "the wolf at the ford\n".repeat(500);
        for form in [Form::Plain, Form::Packed] {
            let mut out = Packing::new(Vec::new(), form);
            out.write_all(text.as_bytes()).unwrap();
            let bytes = out.finish().unwrap();
            assert_eq!(bytes.len() < text.len() / 5, form == Form::Packed);
            let mut back = String::new();
            unpacked(Cursor::new(bytes)).unwrap().read_to_string(&mut back).unwrap();
            assert_eq!(back, text);
        }
    }
}
