//! A journal as a file for a chat. What it is made of is stored until it was said, the file itself is not: it is made again
//! after a restart.

use crate::host::Host;
use chat::{Block, File, Post, Span};
use jiff::Timestamp;
use journal::documents::from_json;
use journal::export::{self, ExportError, Exported};
use journal::keys::TableId;
use journal::store::StoreError;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// What a file with a journal is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandedOut {
    /// Whose journal.
    pub table: TableId,
    /// The last entry in it, and the chain's hash there.
    pub last: u64,
    /// The hash.
    pub head: String,
    /// When it was asked for.
    pub time: Timestamp,
    /// For whom.
    pub form: Form,
}

/// For whom a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// For programs that verify it.
    Verified,
    /// For people.
    Read,
}

impl HandedOut {
    /// Writes the file, out of the table as it is now.
    pub fn write(&self, table: &Exported<'_>, out: &mut dyn Write) -> Result<u64, ExportError> {
        match self.form {
            Form::Verified => export::write(table, self.time, out),
            Form::Read => export::write_text(table, out),
        }
    }

    fn again(&self, host: &Host) -> Result<String, StoreError> {
        let read = |key: &str| host.committer().read(key);
        let table =
            Exported::of(&self.table, read)?.ok_or_else(|| StoreError::damaged("head", "the journal is gone"))?;
        let mut file = Vec::new();
        self.write(&table.until(self.last, self.head.clone()), &mut file).map_err(ExportError::into_store)?;
        Ok(String::from_utf8_lossy(&file).into_owned())
    }
}

/// Makes the files of a post that an earlier run left.
pub fn make_again(host: &Host, post: &mut Post) {
    let mut lost = Vec::new();
    // What an older version left has its text.
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
