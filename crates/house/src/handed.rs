//! A journal as a file for a chat. Only its origin is stored until it was said; after a restart the file is made again.

use crate::book::{self, Told};
use crate::budget::{MOST_EXPORTED_BYTES, MOST_EXPORTED_IN_ALL};
use chat::{Block, File, Post, Span};
use jiff::Timestamp;
use journal::documents::from_json;
use journal::export::{self, ExportError, Exported};
use journal::keys::TableId;
use journal::store::StoreError;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use table::{Host, Plugins};

/// The origin of a file with a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOut {
    /// The table.
    pub table: TableId,
    /// The number of its last entry.
    pub last: u64,
    /// The chain's hash after that entry.
    pub head: String,
    /// When its last entry was made; in files of older versions, when it was asked for.
    pub time: Timestamp,
    /// Who it is for.
    pub form: Form,
    /// Which of its parts it is, from 0, if it is too long for one file.
    #[serde(default, skip_serializing_if = "is_first")]
    pub part: usize,
}

/// A file, or one of its parts.
pub struct Piece {
    /// What it says.
    pub text: String,
    /// How many there are.
    pub of: usize,
}

/// Who a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Programs that verify it.
    Verified,
    /// People.
    Read,
    /// People who want the story, as Markdown.
    Story,
    /// The same as a page for a browser.
    Page,
}

fn is_first(part: &usize) -> bool {
    *part == 0
}

impl HandedOut {
    /// The file from the table's current state, or the part of it; `None` if all parts together are too long.
    ///
    /// # Errors
    /// The store failed.
    pub fn piece(&self, table: &Exported<'_>, plugins: &Plugins) -> Result<Option<Piece>, ExportError> {
        let mut cut = Cut { wanted: self.part, ..Cut::default() };
        // A page needs its head to be one.
        if self.form == Form::Page && self.part > 0 {
            cut.bytes.extend_from_slice(book::HEAD.as_bytes());
        }
        match self.write(table, plugins, &mut cut) {
            Ok(_) => {
                let text = String::from_utf8_lossy(&cut.bytes).into_owned();
                Ok(Some(Piece { text, of: cut.at + 1 }))
            }
            Err(_) if cut.all > MOST_EXPORTED_IN_ALL => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&self, table: &Exported<'_>, plugins: &Plugins, out: &mut dyn Write) -> Result<u64, ExportError> {
        match self.form {
            Form::Verified => export::write(table, self.time, out),
            Form::Read => export::write_text(table, out),
            Form::Story => book::write(table, plugins, Told::Markdown, out),
            Form::Page => book::write(table, plugins, Told::Html, out),
        }
    }

    fn again(&self, host: &Host) -> Result<String, StoreError> {
        let read = |keys: &[String]| host.committer().read_many(keys);
        let table =
            Exported::of(&self.table, read)?.ok_or_else(|| StoreError::damaged("head", "the journal is gone"))?;
        let piece = self.piece(&table.until(self.last, self.head.clone()), &host.plugins);
        let piece = piece.map_err(ExportError::into_store)?;
        Ok(piece.ok_or_else(|| StoreError::damaged("entry", "the journal is too long for a chat"))?.text)
    }
}

/// The journal of a table for programs that verify it; `None` if it is too long for one file.
///
/// # Errors
/// The store failed.
pub(crate) fn whole(host: &Host, table: &TableId) -> Result<Option<String>, StoreError> {
    let Some(exported) = Exported::of(table, |keys| host.read_many(keys))? else { return Ok(None) };
    let mut file = Limited(Vec::new());
    match export::write(&exported, host.now(), &mut file) {
        Ok(_) => Ok(Some(String::from_utf8_lossy(&file.0).into_owned())),
        Err(_) if file.0.len() >= MOST_EXPORTED_BYTES => Ok(None),
        Err(error) => Err(error.into_store()),
    }
}

/// A file that ends with an error when it becomes too long.
struct Limited(Vec<u8>);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        if self.0.len() >= MOST_EXPORTED_BYTES { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Keeps one part of what is written, which is cut between lines. The parts in a row are the file.
#[derive(Default)]
struct Cut {
    wanted: usize,
    /// The part that is being written, and its length so far.
    at: usize,
    length: usize,
    /// The bytes of all parts so far.
    all: usize,
    /// True within a line.
    within: bool,
    bytes: Vec<u8>,
}

impl Write for Cut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.all += bytes.len();
        if self.all > MOST_EXPORTED_IN_ALL {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.within && self.length > 0 && self.length + line.len() > MOST_EXPORTED_BYTES {
                (self.at, self.length) = (self.at + 1, 0);
            }
            if self.at == self.wanted {
                self.bytes.extend_from_slice(line);
            }
            self.length += line.len();
            self.within = !line.ends_with(b"\n");
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes the files of a post left by an earlier run.
pub fn make_again(host: &Host, post: &mut Post) {
    let mut lost = Vec::new();
    // Posts left by an older version include the text.
    post.files.retain_mut(|file| match file.text.is_empty().then(|| text_of(host, file)) {
        None => true,
        Some(Ok(text)) => {
            file.text = text;
            true
        }
        Some(Err(error)) => {
            tracing::error!(file = file.name, %error, "the file of an answer cannot be made again");
            lost.push(Block::Line(vec![Span::Text(format!("I lost {}: please ask for it again.", file.name))]));
            false
        }
    });
    post.blocks.append(&mut lost);
}

fn text_of(host: &Host, file: &File) -> Result<String, StoreError> {
    from_json::<HandedOut>(&file.name, file.origin.as_bytes())?.again(host)
}
