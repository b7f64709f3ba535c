//! Backups: the whole store as lines of JSON, each with a checksum, and a last line that marks it complete.
//!
//! ```text
//! {"astragal_backup":1,"schema":4,"time":"2026-11-20T09:00:00Z","log":{"identity":"5f0c...","number":71}}
//! {"crc":"8d3f6a10","key":"table/...","value":{...}}
//! {"end":true,"records":2,"crc":"0b1c2d3e"}
//! ```
//!
//! Every value is JSON. Entries are JSON too, with the salts of their parts but without the secrets behind the salts.
//! So every version can read a backup, and nobody who has one can remake the salts of parts erased later.
//!
//! `crc` is CRC-32 (IEEE) in hexadecimal: in a record, of the key, a NUL byte and the value's JSON; in the last line,
//! of all bytes before it.

mod older;
mod steady;

pub use steady::Steady;

use crate::keys;
use crate::schema::schema_of;
use crate::store::{Batch, Position, Store, StoreError, scan_all};
use crate::stored::{as_json, of_json};
use jiff::Timestamp;
use older::Older;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::io::{self, BufRead, Write};

/// The version of the format.
const FORMAT: u32 = 1;
/// Records handed on at once while reading.
const PAGE: usize = 1_000;

#[derive(Serialize, Deserialize)]
struct Header {
    astragal_backup: u32,
    schema: u32,
    time: Timestamp,
    /// The place in the log from which the log continues this backup.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    log: Option<Position>,
}

impl Header {
    fn new(schema: u32, time: Timestamp) -> Self {
        Header { astragal_backup: FORMAT, schema, time, log: None }
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    crc: String,
    key: String,
    value: Box<RawValue>,
}

#[derive(Serialize, Deserialize)]
struct Footer {
    end: bool,
    records: u64,
    crc: String,
}

/// Why a backup cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file failed.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The file is not a complete, undamaged backup.
    #[error("line {line}: {what}")]
    Damaged {
        /// The line number, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// A newer version wrote it.
    #[error("a newer astragal wrote this backup: use that version to restore it")]
    Newer,
    /// No version with this schema could read the data.
    #[error(
        "there is no way back to schema {schema}: a backup can be written for {} to {}",
        keys::OLDEST_SCHEMA,
        keys::SCHEMA
    )]
    NoWayBack {
        /// The requested schema.
        schema: u32,
    },
}

impl BackupError {
    /// The error as a store error, for callers that return one.
    fn into_store(self) -> StoreError {
        match self {
            BackupError::Store(error) => error,
            other => StoreError::Unavailable(other.to_string()),
        }
    }
}

/// Writes all of `store` to `out`. Returns the number of records. The store must not change meanwhile.
///
/// # Errors
/// The store or the file failed; what was written is not a backup.
pub fn write(store: &dyn Store, time: Timestamp, out: &mut dyn Write) -> Result<u64, BackupError> {
    // Data that an older version stored makes a backup for that version too.
    let schema = schema_of(store)?.unwrap_or(keys::SCHEMA);
    let mut lines = Lines::begin(out, Header { log: store.position(), ..Header::new(schema, time) })?;
    for record in scan_all(store, "") {
        let (key, value) = record?;
        let value = if keys::is_entry(&key) { as_json(&key, value)? } else { value };
        lines.record(key, value)?;
    }
    lines.end()
}

/// Checks that a backup can be written for a version whose newest schema is this one.
///
/// # Errors
/// There is no way back to that schema.
pub fn has_way_back(schema: u32) -> Result<(), BackupError> {
    if (keys::OLDEST_SCHEMA..=keys::SCHEMA).contains(&schema) { Ok(()) } else { Err(BackupError::NoWayBack { schema }) }
}

/// Rewrites the backup `input` as one that a version with this newest schema can restore. Data that version stored in a
/// different record is moved there, and data it cannot read is left out.
///
/// # Errors
/// There is no way back to that schema, or a file failed.
pub fn write_for(
    schema: u32,
    time: Timestamp,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<u64, BackupError> {
    has_way_back(schema)?;
    let mut older = Older::new(schema, Lines::begin(out, Header::new(schema, time))?);
    read(input, |batch| {
        // A backup deletes nothing.
        let mut records = batch.iter().map(|(key, value)| (key.clone(), value.clone().unwrap_or_default()));
        records.try_for_each(|(key, value)| older.record(key, value)).map_err(BackupError::into_store)
    })?;
    older.end()
}

/// Writes the lines of a backup.
struct Lines<'a> {
    out: Summed<'a>,
    records: u64,
}

impl<'a> Lines<'a> {
    fn begin(out: &'a mut dyn Write, header: Header) -> Result<Self, BackupError> {
        let mut out = Summed { inner: out, crc: crc32fast::Hasher::new() };
        line(&mut out, &header)?;
        Ok(Lines { out, records: 0 })
    }

    fn record(&mut self, key: String, value: Vec<u8>) -> Result<(), BackupError> {
        let crc = record_crc(&key, &value);
        let text = String::from_utf8(value).map_err(|error| StoreError::damaged(&key, error))?;
        let value = RawValue::from_string(text).map_err(|error| StoreError::damaged(&key, error))?;
        line(&mut self.out, &Record { crc, key, value })?;
        self.records += 1;
        Ok(())
    }

    fn end(mut self) -> Result<u64, BackupError> {
        let crc = format!("{:08x}", self.out.crc.clone().finalize());
        line(&mut self.out, &Footer { end: true, records: self.records, crc })?;
        self.out.flush()?;
        Ok(self.records)
    }
}

/// The place in the log that a backup names, if it names one.
///
/// # Errors
/// The file is not a backup, or cannot be read.
pub fn position(input: &mut dyn BufRead) -> Result<Option<Position>, BackupError> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    Ok(header(&line)?.log)
}

/// Parses the first line of a backup.
fn header(line: &[u8]) -> Result<Header, BackupError> {
    let header: Header = serde_json::from_slice(line)
        .map_err(|_| BackupError::Damaged { line: 1, what: "this is no backup of astragal".to_owned() })?;
    match header.astragal_backup > FORMAT || header.schema > keys::SCHEMA {
        true => Err(BackupError::Newer),
        false => Ok(header),
    }
}

/// Reads a backup and hands on its records in batches. Returns the number of records. The backup is complete only if
/// this returns `Ok`, so read it once as a check before using it.
///
/// # Errors
/// The first wrong line.
pub fn read(input: &mut dyn BufRead, mut put: impl FnMut(Batch) -> Result<(), StoreError>) -> Result<u64, BackupError> {
    let mut crc = crc32fast::Hasher::new();
    let (mut number, mut records, mut batch, mut text) = (0, 0, Batch::default(), Vec::new());
    loop {
        number += 1;
        let damaged = |what: &dyn ToString| BackupError::Damaged { line: number, what: what.to_string() };
        text.clear();
        if input.read_until(b'\n', &mut text)? == 0 {
            return Err(damaged(&"the backup is cut off: its last line is missing"));
        }
        let before = crc.clone();
        crc.update(&text);
        if number == 1 {
            header(&text)?;
        } else if let Ok(record) = serde_json::from_slice::<Record>(&text) {
            if record.crc != record_crc(&record.key, record.value.get().as_bytes()) {
                return Err(damaged(&format!("the record {:?} is damaged", record.key)));
            }
            batch.put(record.key, record.value.get());
            records += 1;
            if records % PAGE as u64 == 0 {
                put(std::mem::take(&mut batch))?;
            }
        } else {
            let footer: Footer = serde_json::from_slice(&text).map_err(|_| damaged(&"it is damaged or cut off"))?;
            if footer.records != records || footer.crc != format!("{:08x}", before.finalize()) {
                return Err(damaged(&"lines are missing or changed"));
            }
            put(batch)?;
            return Ok(records);
        }
    }
}

/// Writes the records of a backup into a store, entries in their stored form. Returns the number of records. As with
/// [`read`], the result is valid only if this returns `Ok`.
///
/// # Errors
/// The first wrong line, or the store failed.
pub fn restore(input: &mut dyn BufRead, store: &dyn Store) -> Result<u64, BackupError> {
    read(input, |batch| {
        let mut stored = Batch::default();
        for (key, value) in &batch {
            // A backup deletes nothing.
            let value = value.as_deref().unwrap_or_default();
            stored.put(key.as_str(), if keys::is_entry(key) { of_json(key, value) } else { value.to_vec() });
        }
        store.commit(&stored)
    })
}

fn record_crc(key: &str, value: &[u8]) -> String {
    let mut crc = crc32fast::Hasher::new();
    crc.update(key.as_bytes());
    crc.update(&[0]);
    crc.update(value);
    format!("{:08x}", crc.finalize())
}

fn line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

struct Summed<'a> {
    inner: &'a mut dyn Write,
    crc: crc32fast::Hasher,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;

    fn filled() -> Vec<u8> {
        let store = Memory::default();
        let mut batch = Batch::default();
        for n in 0..2_345 {
            batch.put(format!("k/{n:05}"), format!("{{\"n\": {n}}}"));
        }
        store.commit(&batch).unwrap();
        let mut file = Vec::new();
        assert_eq!(write(&store, Timestamp::UNIX_EPOCH, &mut file).unwrap(), 2_345);
        file
    }

    fn restored(file: &[u8]) -> Result<Memory, String> {
        let store = Memory::default();
        read(&mut &*file, |batch| store.commit(&batch)).map_err(|error| error.to_string())?;
        Ok(store)
    }

    #[test]
    fn what_was_written_comes_back_to_the_letter() {
        let store = restored(&filled()).unwrap();
        assert_eq!(store.dump().len(), 2_345);
        assert_eq!(store.read("k/00007").unwrap().unwrap(), b"{\"n\": 7}");
    }

    #[test]
    fn cut_changed_and_foreign_files_are_refused() {
        let whole = filled();
        assert!(restored(b"hello\n").unwrap_err().contains("no backup"));
        assert!(restored(&whole[..whole.len() / 2]).is_err());
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let without = |gone: usize| {
            lines.iter().enumerate().filter(|(n, _)| *n != gone).flat_map(|(_, line)| line.to_vec()).collect::<Vec<_>>()
        };
        assert!(restored(&without(5)).unwrap_err().contains("missing or changed"));
        assert!(restored(&without(lines.len() - 1)).unwrap_err().contains("cut off"));
        for at in (0..whole.len()).step_by(997) {
            let mut changed = whole.clone();
            changed[at] ^= 4;
            assert!(restored(&changed).is_err(), "a changed byte {at} went unseen");
        }
    }
}
