//! Converts a backup of this version, record by record, into one for an older version.

use super::{BackupError, Lines};
use crate::Link;
use crate::documents::{Head, from_json, to_json};
use crate::keys::{self, Last, TableId};
use crate::store::StoreError;

/// Writes a backup for an older version.
pub(super) struct Older<'a> {
    schema: u32,
    lines: Lines<'a>,
    /// The table being converted. Its head waits until all its people have been read; their keys come both before and
    /// after it.
    table: Option<Waiting>,
}

/// A table's head and the last entries that belong in it, until the next table begins.
struct Waiting {
    table: TableId,
    head: Option<Vec<u8>>,
    /// Holds only the last entries.
    last: Head,
}

impl<'a> Older<'a> {
    /// For a version whose newest schema is this one.
    pub fn new(schema: u32, lines: Lines<'a>) -> Self {
        Older { schema, lines, table: None }
    }

    /// Writes a record as that version can read it. Records must come in key order.
    pub fn record(&mut self, key: String, value: Vec<u8>) -> Result<(), BackupError> {
        if key == keys::SCHEMA_KEY {
            return self.lines.record(key, self.schema.to_string().into_bytes());
        }
        let Some(table) = TableId::of_key(&key) else { return self.lines.record(key, value) };
        if self.schema < keys::LAST_ENTRIES_SCHEMA {
            if self.table.as_ref().is_none_or(|waiting| waiting.table != table) {
                self.table_ends()?;
                self.table = Some(Waiting { table: table.clone(), head: None, last: Head::default() });
            }
            let waiting = self.table.as_mut().expect("it was just made");
            if let Some(last) = Last::of_key(&table, &key) {
                return Ok(waiting.last.take_last_entry(last, &key, &value)?);
            }
            if key == keys::head(&table) {
                waiting.head = Some(value);
                return Ok(());
            }
        }
        let withheld = self.schema < keys::WITHHOLDING_SCHEMA && key.starts_with(&keys::entries(&table));
        let value = if withheld { without_withheld(&key, value)? } else { value };
        self.lines.record(key, value)
    }

    /// Writes the waiting head.
    fn table_ends(&mut self) -> Result<(), BackupError> {
        let Some(Waiting { table, head, last }) = self.table.take() else { return Ok(()) };
        let key = keys::head(&table);
        match head {
            // As an older version stored it.
            Some(head) if !last.holds_last_entries() => self.lines.record(key, head),
            Some(head) => {
                let mut head: Head = from_json(&key, &head)?;
                head.players.extend(last.players);
                head.characters.extend(last.characters);
                self.lines.record(key, to_json(&head))
            }
            None if last.holds_last_entries() => Err(StoreError::damaged(&key, "it is gone").into()),
            None => Ok(()),
        }
    }

    /// Ends the backup. Returns its number of records.
    pub fn end(mut self) -> Result<u64, BackupError> {
        self.table_ends()?;
        self.lines.end()
    }
}

/// An entry in the form it had before changes could be withheld.
fn without_withheld(key: &str, value: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    let mut link: Link = from_json(key, &value)?;
    Ok(match link.parts.withheld.take() {
        Some(_) => to_json(&link),
        None => value,
    })
}
