//! A journal as a file: either what anyone may know, to verify it without the bot, or all of it, to move the table.
//!
//! ```text
//! {"astragal_export":1,"table":"console/hall","time":"2026-11-20T09:00:00Z","last":2,"head":"4f…","seeds":{"1":"0a…"}}
//! {"hash":"9c…","entry":{...},"parts":{"text":{"salt":"…","value":"roll 2d6"},...}}
//! {"hash":"4f…","entry":{...}}
//! {"end":true,"entries":2,"sha256":"77…"}
//! ```
//!
//! The bytes of an entry and of a part's value are those that the chain and the digests were made from. A secret entry
//! appears with its digests only, an erased one with its parts except the words, and one that withholds changes with
//! everything but those. `seeds` are the published ones, by epoch. `sha256` covers all bytes before the last line. A
//! file that moves a table has `"moves":true`, every part and seed, and after the entries lines
//! `{"key":"game/mvk","value":{...}}` with the table's other records.

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

/// The versions of the format: for a journal whose public entries withhold no changes, and for one where some do.
const FORMAT: u32 = 1;
const FORMAT_WITH_WITHHELD: u32 = 2;
/// The record that lists the plugins enabled in the rooms of a moving table.
pub(super) const PLUGINS: &str = "plugins";

/// The first line of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    astragal_export: u32,
    /// The table.
    pub table: TableId,
    /// The name the players gave it.
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
    /// True if it holds all of the table, including unpublished seeds and secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub moves: bool,
}

/// A record of a table other than its journal, in an export that moves it.
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

/// Why an export cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file failed.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The first wrong entry.
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
    /// The error as a store error, for callers without a file.
    pub fn into_store(self) -> StoreError {
        match self {
            ExportError::Store(error) => error,
            other => StoreError::Unavailable(other.to_string()),
        }
    }
}

/// How much a file contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// What anyone may know.
    Proof,
    /// All of the table.
    Move,
}

/// Reads records: from a store, or from an open table.
type Read<'a> = Box<dyn Fn(&[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> + 'a>;

/// How many entries are read at once.
const AT_ONCE: usize = 64;

/// A table to be exported.
pub struct Exported<'a> {
    id: TableId,
    doc: TableDoc,
    head: Head,
    read: Read<'a>,
}

impl<'a> Exported<'a> {
    /// The table `id`; `None` if nothing was ever played at it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(
        id: &TableId,
        read: impl Fn(&[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> + 'a,
    ) -> Result<Option<Self>, StoreError> {
        let both = [keys::head(id), keys::doc(id)];
        let mut records = read(&both)?.into_iter();
        let Some(head) = records.next().flatten() else { return Ok(None) };
        let head: Head = from_json(&both[0], &head)?;
        let doc = records.next().flatten().map(|doc| from_json(&both[1], &doc)).transpose()?.unwrap_or_default();
        Ok((head.number > 0).then(|| Exported::at_work(id, doc, head, read)))
    }

    /// An open table, whose head and document are ahead of the store.
    pub fn at_work(
        id: &TableId,
        doc: TableDoc,
        head: Head,
        read: impl Fn(&[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> + 'a,
    ) -> Self {
        Exported { id: id.clone(), doc, head, read: Box::new(read) }
    }

    /// The table as it was when its journal ended with entry `last` and this head.
    pub fn until(mut self, last: u64, head: String) -> Self {
        (self.head.number, self.head.hash) = (last, head);
        self
    }

    /// Its people.
    pub fn doc(&self) -> &TableDoc {
        &self.doc
    }

    /// The name the players gave it, or its id.
    pub fn name(&self) -> String {
        self.doc.name.clone().unwrap_or_else(|| self.id.to_string())
    }

    /// Its entries in order, all of them and everything in them.
    pub fn pages(&self) -> impl Iterator<Item = Result<Page, StoreError>> + '_ {
        let (mut next, mut read) = (1, Vec::new().into_iter());
        std::iter::from_fn(move || {
            loop {
                if let Some(page) = read.next() {
                    return Some(page);
                }
                if next > self.head.number {
                    return None;
                }
                let last = self.head.number.min(next + AT_ONCE as u64 - 1);
                let keys: Vec<String> = (next..=last).map(|number| keys::entry(&self.id, number)).collect();
                next = last + 1;
                match (self.read)(&keys) {
                    Ok(records) => read = pages(&keys, records).into_iter(),
                    Err(error) => {
                        next = self.head.number + 1;
                        return Some(Err(error));
                    }
                }
            }
        })
    }

    /// The seeds that belong in a file of this scope.
    fn seeds(&self, scope: Scope) -> Result<BTreeMap<u32, String>, StoreError> {
        let mut seeds = BTreeMap::new();
        for epoch in 1..=self.head.epoch {
            let both = [keys::published(&self.id, epoch), keys::seed(&self.id, epoch)];
            let mut records = (self.read)(&both)?.into_iter();
            let published = records.next().flatten().map(|by| from_json::<u64>(&both[0], &by)).transpose()?;
            if (scope == Scope::Move || published.is_some_and(|by| by <= self.head.number))
                && let Some(seed) = records.next().flatten()
            {
                seeds.insert(epoch, from_json(&both[1], &seed)?);
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

/// The entries in records. A number left out after a crash has no record.
fn pages(keys: &[String], records: Vec<Option<Vec<u8>>>) -> Vec<Result<Page, StoreError>> {
    let there = keys.iter().zip(records).filter_map(|(key, record)| Some((key, record?)));
    there.map(|(key, record)| Page::of_stored(key, &record)).collect()
}

/// Writes what anyone may know of a journal.
///
/// # Errors
/// The store or the file failed; what was written is not an export.
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

/// Writes all of a table, to be imported elsewhere. The store must not change meanwhile.
///
/// # Errors
/// The store or the file failed; what was written is not an export.
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
        // The head contains all last entries, so every version can read what another wrote.
        if !key.starts_with(&entries) && Last::of_key(&table.id, &key).is_none() {
            let value = if key == keys::head(&table.id) { head.take().unwrap_or(value) } else { value };
            let text = String::from_utf8(value).map_err(|error| StoreError::damaged(&key, error))?;
            let value = RawValue::from_string(text).map_err(|error| StoreError::damaged(&key, error))?;
            out.line(&Record { key: key[prefix.len()..].to_owned(), value })?;
        }
    }
    out.end()
}

/// The plugins enabled where the table is played.
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

/// Writes a journal for people to read: a line or two per entry, without secrets.
///
/// # Errors
/// The store or the file failed.
pub fn write_text(table: &Exported, out: &mut dyn Write) -> Result<u64, ExportError> {
    writeln!(out, "{}: #1 to #{}\n", table.name(), table.head.number)?;
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

/// Writes lines and sums them up.
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
