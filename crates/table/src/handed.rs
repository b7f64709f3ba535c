//! A journal as a file for a chat. Only its origin is stored until it was said; after a restart the file is made again.

use crate::host::Host;
use crate::plugins::Plugins;
use crate::story::{self, Told};
use chat::{Block, File, Post, Span};
use jiff::Timestamp;
use journal::documents::from_json;
use journal::export::{self, ExportError, Exported};
use journal::keys::TableId;
use journal::store::StoreError;
use serde::{Deserialize, Serialize};
use std::io::Write;

/// The origin of a file with a journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HandedOut {
    /// The table.
    pub table: TableId,
    /// The number of its last entry.
    pub last: u64,
    /// The chain's hash after that entry.
    pub head: String,
    /// When it was asked for.
    pub time: Timestamp,
    /// Who it is for.
    pub form: Form,
}

/// Who a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// Programs that verify it.
    Verified,
    /// People.
    Read,
    /// People who want the story, as Markdown.
    Story,
    /// The same as a page for a browser.
    Page,
}

impl HandedOut {
    /// Writes the file from the table's current state.
    pub fn write(&self, table: &Exported<'_>, plugins: &Plugins, out: &mut dyn Write) -> Result<u64, ExportError> {
        match self.form {
            Form::Verified => export::write(table, self.time, out),
            Form::Read => export::write_text(table, out),
            Form::Story => story::write(table, plugins, Told::Markdown, out),
            Form::Page => story::write(table, plugins, Told::Html, out),
        }
    }

    fn again(&self, host: &Host) -> Result<String, StoreError> {
        let read = |key: &str| host.committer().read(key);
        let table =
            Exported::of(&self.table, read)?.ok_or_else(|| StoreError::damaged("head", "the journal is gone"))?;
        let mut file = Vec::new();
        self.write(&table.until(self.last, self.head.clone()), &host.plugins, &mut file)
            .map_err(ExportError::into_store)?;
        Ok(String::from_utf8_lossy(&file).into_owned())
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
