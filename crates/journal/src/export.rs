//! A journal as a file: what anybody may know of it, to be verified without the bot; or all of it, to move the table.
//!
//! ```text
//! {"astragal_export":1,"table":"console/hall","time":"2026-11-20T09:00:00Z","last":2,"head":"4f…","seeds":{"1":"0a…"}}
//! {"hash":"9c…","entry":{...},"parts":{"text":{"salt":"…","value":"roll 2d6"},...}}
//! {"hash":"4f…","entry":{...}}
//! {"end":true,"entries":2,"sha256":"77…"}
//! ```
//!
//! The bytes of an entry and of a part's value are those the chain and the digests were made of. Of a secret entry the
//! digests alone are there, of an erased one the parts without words, of one that withholds changes all but those. `seeds` are the published ones, by epoch.
//! `sha256` is of all bytes before the last line. A file that moves a table has `"moves":true`, every part and seed,
//! and, behind the entries, lines `{"key":"game/mvk","value":{...}}` with what the table holds.

mod read;

pub use read::{Body, Verdict, verify};

use crate::documents::{Head, RoomDoc, TableDoc, from_json};
use crate::keys::{self, Last, TableId};
use crate::last::whole_head;
use crate::store::{Store, StoreError, scan_all};
use crate::{Before, Entry, Fate, Link, Page, Parts, Wrong, hex};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The versions of the format: of a journal that withholds no changes of public entries, and of one that does.
const FORMAT: u32 = 1;
const FORMAT_WITH_WITHHELD: u32 = 2;
/// The record of a moving table that lists the plugins enabled where it was played.
pub(super) const PLUGINS: &str = "plugins";

/// The first line of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    astragal_export: u32,
    /// The table.
    pub table: TableId,
    /// What the players call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When it was written.
    pub time: Timestamp,
    /// The last entry's number.
    pub last: u64,
    /// The chain's hash.
    pub head: String,
    /// Seeds in hexadecimal, by epoch.
    pub seeds: BTreeMap<u32, String>,
    /// It holds all that the table is, unpublished seeds and secrets too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moves: bool,
}

/// What a table holds besides its journal, in an export that moves it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Its key below the table's.
    pub key: String,
    /// Its value.
    pub value: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    end: bool,
    entries: u64,
    sha256: String,
}

/// An export could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file failed.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The first entry that is not what it should be.
    #[error(transparent)]
    Entry(#[from] Wrong),
    /// The file is not a complete, unchanged export.
    #[error("{0}")]
    Damaged(String),
    /// A newer version wrote it.
    #[error("a newer astragal wrote this export: use that version to read it")]
    Newer,
}

impl ExportError {
    /// As trouble with the store, where no file is involved.
    pub fn into_store(self) -> StoreError {
        match self {
            ExportError::Store(error) => error,
            other => StoreError::Unavailable(other.to_string()),
        }
    }
}

/// How much a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// What anybody may know.
    Proof,
    /// All that the table is.
    Move,
}

/// How a record is read: from a store, or from a table at work.
type Read<'a> = Box<dyn Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + 'a>;

/// A table to be exported.
pub struct Exported<'a> {
    id: TableId,
    doc: TableDoc,
    head: Head,
    read: Read<'a>,
}

impl<'a> Exported<'a> {
    /// The table `id`, if anything was played at it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(
        id: &TableId,
        read: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + 'a,
    ) -> Result<Option<Self>, StoreError> {
        let Some(head) = read(&keys::head(id))? else { return Ok(None) };
        let head: Head = from_json(&keys::head(id), &head)?;
        let doc = read(&keys::doc(id))?.map(|doc| from_json(&keys::doc(id), &doc)).transpose()?.unwrap_or_default();
        Ok((head.number > 0).then(|| Exported::at_work(id, doc, head, read)))
    }

    /// A table at work, whose head and document are ahead of the store's.
    pub fn at_work(
        id: &TableId,
        doc: TableDoc,
        head: Head,
        read: impl Fn(&str) -> Result<Option<Vec<u8>>, StoreError> + 'a,
    ) -> Self {
        Exported { id: id.clone(), doc, head, read: Box::new(read) }
    }

    /// As it was when its journal ended with entry `last` and this head.
    pub fn until(mut self, last: u64, head: String) -> Self {
        (self.head.number, self.head.hash) = (last, head);
        self
    }

    fn pages(&self) -> impl Iterator<Item = Result<Page, StoreError>> + '_ {
        let page = |number| {
            let key = keys::entry(&self.id, number);
            let stored = (self.read)(&key).transpose()?;
            Some(stored.and_then(|bytes| Page::of_stored(&key, &bytes)))
        };
        // A number that a crash left out has no record.
        (1..=self.head.number).filter_map(page)
    }

    /// The seeds that a file of this scope holds.
    fn seeds(&self, scope: Scope) -> Result<BTreeMap<u32, String>, StoreError> {
        let mut seeds = BTreeMap::new();
        for epoch in 1..=self.head.epoch {
            let key = keys::seed(&self.id, epoch);
            let place = keys::published(&self.id, epoch);
            let published = (self.read)(&place)?.map(|by| from_json::<u64>(&place, &by)).transpose()?;
            if (scope == Scope::Move || published.is_some_and(|by| by <= self.head.number))
                && let Some(seed) = (self.read)(&key)?
            {
                seeds.insert(epoch, from_json(&key, &seed)?);
            }
        }
        Ok(seeds)
    }

    fn header(&self, time: Timestamp, scope: Scope) -> Result<Header, StoreError> {
        Ok(Header {
            astragal_export: match self.head.withheld {
                Some(first) if first <= self.head.number => FORMAT_WITH_WITHHELD,
                _ => FORMAT,
            },
            table: self.id.clone(),
            name: self.doc.name.clone(),
            time,
            last: self.head.number,
            head: self.head.hash.clone(),
            seeds: self.seeds(scope)?,
            moves: scope == Scope::Move,
        })
    }
}

/// Writes what anybody may know of a journal.
///
/// # Errors
/// The store or the file failed: what was written is no export.
pub fn write(table: &Exported, time: Timestamp, out: &mut dyn Write) -> Result<u64, ExportError> {
    let mut out = Summed::new(out);
    out.line(&table.header(time, Scope::Proof)?)?;
    for page in table.pages() {
        let Page { entry: Entry { secret, .. }, link: Link { hash, entry, parts, fate, .. } } = page?;
        let revealed = fate.revealed_by.is_some_and(|by| by <= table.head.number);
        let parts = match (secret, revealed) {
            (_, true) => parts,
            (true, false) => Parts::default(),
            (false, false) => Parts { withheld: None, ..parts },
        };
        out.entry(&Link { hash, entry, parts, fate: Fate::default(), before: Before::default() })?;
    }
    out.end()
}

/// Writes all that a table is, to be imported elsewhere. The store must not change meanwhile.
///
/// # Errors
/// The store or the file failed: what was written is no export.
pub fn write_all(
    table: &Exported,
    store: &dyn Store,
    time: Timestamp,
    out: &mut dyn Write,
) -> Result<u64, ExportError> {
    let mut out = Summed::new(out);
    out.line(&table.header(time, Scope::Move)?)?;
    for page in table.pages() {
        out.entry(&page?.link)?;
    }
    out.line(&Record {
        key: PLUGINS.to_owned(),
        value: to_raw_value(&plugins(table, store)?).map_err(io::Error::from)?,
    })?;
    let (prefix, entries) = (keys::all_of(&table.id), keys::entries(&table.id));
    let mut head = whole_head(store, &table.id)?;
    for record in scan_all(store, &prefix) {
        let (key, value) = record?;
        // The head has them all in it: so each version reads what another one wrote.
        if !key.starts_with(&entries) && Last::of_key(&table.id, &key).is_none() {
            let value = if key == keys::head(&table.id) { head.take().unwrap_or(value) } else { value };
            let text = String::from_utf8(value).map_err(|error| StoreError::damaged(&key, error))?;
            let value = RawValue::from_string(text).map_err(|error| StoreError::damaged(&key, error))?;
            out.line(&Record { key: key[prefix.len()..].to_owned(), value })?;
        }
    }
    out.end()
}

/// The plugins that are enabled where the table is played.
fn plugins(table: &Exported, store: &dyn Store) -> Result<BTreeSet<String>, StoreError> {
    let mut plugins = BTreeSet::new();
    for record in scan_all(store, keys::ROOMS) {
        let (key, value) = record?;
        let room: RoomDoc = from_json(&key, &value)?;
        if room.table == table.id {
            plugins.extend(room.plugins);
        }
    }
    Ok(plugins)
}

/// Writes a journal to be read: a line or two an entry, what is secret left out.
///
/// # Errors
/// The store or the file failed.
pub fn write_text(table: &Exported, out: &mut dyn Write) -> Result<u64, ExportError> {
    let name = table.doc.name.clone().unwrap_or_else(|| table.id.to_string());
    writeln!(out, "{name}: #1 to #{}\n", table.head.number)?;
    let mut entries = 0;
    for page in table.pages() {
        let page = page?;
        let (entry, fate) = (&page.entry, &page.link.fate);
        let who = table.doc.name_of(entry.character);
        write!(out, "#{} {} {who}: ", entry.number, entry.time.strftime("%Y-%m-%d %H:%M"))?;
        let fates =
            [("undone in", fate.undone_by), ("edited: now", fate.replaced_by), ("text erased in", fate.erased_by)];
        let fates = fates.iter().filter_map(|(what, by)| by.map(|by| format!(" ({what} #{by})")));
        let fates = fates.collect::<String>();
        if page.is_secret() {
            writeln!(out, "{} in secret{fates}", entry.command)?;
        } else {
            writeln!(out, "{}{fates}", page.told())?;
            for line in page.answer().unwrap_or_default().lines() {
                writeln!(out, "    {line}")?;
            }
        }
        entries += 1;
    }
    writeln!(out, "\nChain head: {}", table.head.hash)?;
    Ok(entries)
}

/// Lines on their way out, summed up.
struct Summed<'a> {
    out: &'a mut dyn Write,
    sum: Sha256,
    entries: u64,
}

impl<'a> Summed<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Summed { out, sum: Sha256::new(), entries: 0 }
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.sum.update(&line);
        self.out.write_all(&line)
    }

    fn entry(&mut self, link: &Link) -> io::Result<()> {
        self.entries += 1;
        self.line(link)
    }

    fn end(self) -> Result<u64, ExportError> {
        let Summed { out, sum, entries } = self;
        let footer = Footer { end: true, entries, sha256: hex(&sum.finalize()) };
        serde_json::to_writer(&mut *out, &footer).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(entries)
    }
}
