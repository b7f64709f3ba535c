//! A file of the log: a header, then records.
//!
//! | bytes | |
//! |---|---|
//! | 8 | a mark |
//! | 4 | CRC-32 (IEEE) of what follows |
//! | 16 | the log's identity |
//! | 8 | the number of its first record |
//!
//! Records begin at byte 4,096. A segment is filled with zeros before use, because a file system writes more than just
//! the bytes when a file grows. The name of a segment is its generation. From the first commit of a later segment on,
//! an earlier one no longer counts.

use crate::disk::{Disk, DiskFile};
use crate::record::{HEAD, Head, Identity, batch, find as find_record, room};
use journal::store::Batch;
use std::io;
use std::sync::Arc;

/// The offset of the first record.
const RECORDS: u64 = 4_096;
/// The beginning of a header.
const MARK: [u8; 8] = *b"astrlog1";
const HEADER: usize = 36;
/// The ending of a segment's name while the next start may need its records.
const ENDING: &str = ".log";
/// The ending once it is only kept.
pub const KEPT: &str = ".kept";
/// Zeros written at once; they reach the disk before the next ones, so a commit in between does not wait for all of
/// them.
const ZEROS: usize = 1 << 20;
/// Bytes read at once.
const WINDOW: usize = 256 << 10;

/// A segment full of zeros.
pub struct Blank {
    generation: u64,
    file: Arc<dyn DiskFile>,
    length: u64,
}

impl Blank {
    /// Creates a segment with room for a record of this length, and at least `length` bytes. If that fails, it is
    /// removed again if possible.
    pub fn make(disk: &dyn Disk, generation: u64, length: u64, record: usize) -> io::Result<Self> {
        let length = length.max(RECORDS + room(record));
        Blank::filled(disk, generation, length).inspect_err(|_| {
            // A full disk has no room for half a segment; and if it was never created, nothing needs removing.
            let _ = disk.remove(&name(generation));
        })
    }

    fn filled(disk: &dyn Disk, generation: u64, length: u64) -> io::Result<Self> {
        let file = disk.open(&name(generation))?;
        let zeros = vec![0; ZEROS];
        let mut at = 0;
        while at < length {
            let more = usize::try_from(length - at).unwrap_or(ZEROS).min(ZEROS);
            file.write_at(at, &zeros[..more])?;
            file.sync()?;
            at += more as u64;
        }
        disk.sync()?;
        Ok(Blank { generation, file, length })
    }

    /// Its generation.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// True if a record of this length fits.
    pub fn has_room(&self, record: usize) -> bool {
        RECORDS + room(record) <= self.length
    }

    /// Removes it.
    pub fn remove(self, disk: &dyn Disk) -> io::Result<()> {
        disk.remove(&name(self.generation))
    }

    /// Begins it: from commit `first` on, nothing in an earlier segment counts.
    pub fn begin(self, identity: &Identity, first: u64) -> io::Result<Segment> {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MARK);
        header[12..28].copy_from_slice(identity);
        header[28..].copy_from_slice(&first.to_le_bytes());
        let sum = crc32fast::hash(&header[12..]);
        header[8..12].copy_from_slice(&sum.to_le_bytes());
        self.file.write_at(0, &header)?;
        self.file.sync()?;
        let Blank { generation, file, length } = self;
        Ok(Segment { generation, file, length, end: RECORDS })
    }
}

/// Why a record was not appended.
pub enum NotAppended {
    /// Nothing was written, and the segment is unchanged.
    Untouched(io::Error),
    /// The record may be there or not, and the segment must not be used any more.
    Unknown(io::Error),
}

/// The segment being written.
pub struct Segment {
    generation: u64,
    file: Arc<dyn DiskFile>,
    length: u64,
    end: u64,
}

impl Segment {
    /// True if a record of this length fits.
    pub fn has_room(&self, record: usize) -> bool {
        self.end + room(record) <= self.length
    }

    /// True if more than half of it is used.
    pub fn is_half_full(&self) -> bool {
        self.end > self.length / 2
    }

    /// Writes a record that fits; when this returns, it survives a power cut.
    pub fn append(&mut self, record: &[u8]) -> Result<(), NotAppended> {
        if let Err(error) = self.file.write_at(self.end, record) {
            let untouched = self.is_untouched(record.len()).unwrap_or(false);
            return Err(if untouched { NotAppended::Untouched(error) } else { NotAppended::Unknown(error) });
        }
        self.file.sync().map_err(NotAppended::Unknown)?;
        self.end += room(record.len());
        Ok(())
    }

    /// True if there is nothing after its last record: what the system does not have, the disk does not have.
    fn is_untouched(&self, length: usize) -> io::Result<bool> {
        let mut there = vec![0; length];
        self.file.read_at(self.end, &mut there)?;
        Ok(there.iter().all(|byte| *byte == 0))
    }

    /// The finished segment, once another one is being written; `last` is the number of its last record.
    pub fn full(self, last: u64) -> Full {
        Full { generation: self.generation, file: self.file, end: self.end, last }
    }
}

/// A segment that is no longer written.
pub struct Full {
    generation: u64,
    file: Arc<dyn DiskFile>,
    end: u64,
    /// The number of its last record.
    pub last: u64,
}

impl Full {
    /// Truncates it after its last record.
    pub fn cut(&self) -> io::Result<()> {
        self.file.cut(self.end)?;
        self.file.sync()
    }

    /// Sets it aside, to be read only when a database is rebuilt from a backup.
    pub fn keep(&self, disk: &dyn Disk) -> io::Result<()> {
        self.cut()?;
        disk.rename(&name(self.generation), &format!("{:010}{KEPT}", self.generation))
    }

    /// Removes it.
    pub fn remove(&self, disk: &dyn Disk) -> io::Result<()> {
        disk.remove(&name(self.generation))
    }
}

/// Which segments to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those needed by a start.
    Needed,
    /// Those set aside too.
    All,
}

/// A segment that was found.
pub struct Found {
    /// Its generation.
    pub generation: u64,
    /// The log's identity, and the number of its first record; `None` if it was never begun or its header is damaged.
    pub header: Option<(Identity, u64)>,
    /// Its name.
    pub name: String,
    /// True if it was set aside.
    pub is_kept: bool,
    file: Arc<dyn DiskFile>,
    length: u64,
}

/// The segments on a disk, in the order they were begun.
pub fn find(disk: &dyn Disk, which: Which) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    for name in disk.list()? {
        let needed = name.strip_suffix(ENDING);
        let wanted = needed.or_else(|| name.strip_suffix(KEPT).filter(|_| which == Which::All));
        let Some(generation) = wanted.and_then(|generation| generation.parse().ok()) else { continue };
        let file = disk.open(&name)?;
        let mut header = [0; HEADER];
        file.read_at(0, &mut header)?;
        let length = file.length()?;
        let is_kept = needed.is_none();
        found.push(Found { generation, header: read_header(&header), name, is_kept, file, length });
    }
    found.sort_by_key(|found| found.generation);
    Ok(found)
}

/// Removes the oldest segments that were set aside, if there are more than `most`. Returns how many it removed.
pub fn forget_oldest(disk: &dyn Disk, most: usize) -> io::Result<usize> {
    let mut kept = disk.list()?;
    kept.retain(|name| name.ends_with(KEPT));
    kept.sort();
    let oldest = &kept[..kept.len().saturating_sub(most)];
    oldest.iter().try_for_each(|name| disk.remove(name))?;
    Ok(oldest.len())
}

fn name(generation: u64) -> String {
    format!("{generation:010}{ENDING}")
}

fn read_header(header: &[u8; HEADER]) -> Option<(Identity, u64)> {
    let sum = u32::from_le_bytes(header[8..12].try_into().ok()?);
    let good = header[..8] == MARK && sum == crc32fast::hash(&header[12..]);
    let first = u64::from_le_bytes(header[28..].try_into().ok()?);
    good.then_some((header[12..28].try_into().ok()?, first))
}

impl Found {
    /// Its records, whatever is between them.
    pub fn records<'a>(&'a self, identity: &'a Identity) -> Records<'a> {
        Records { found: self, identity, at: RECORDS, window: Vec::new(), start: 0 }
    }

    /// The segment after its records were read; the last one ends at `end` and has the number `last`.
    pub fn full(self, end: u64, last: u64) -> Full {
        Full { generation: self.generation, file: self.file, end: end.max(RECORDS), last }
    }
}

/// The good records of a segment, with their numbers.
pub struct Records<'a> {
    found: &'a Found,
    identity: &'a Identity,
    /// The end of the last record read.
    at: u64,
    window: Vec<u8>,
    start: u64,
}

impl Records<'_> {
    /// The end of the last record read.
    pub fn end(&self) -> u64 {
        self.at
    }

    /// The next good record; damaged data is skipped.
    pub fn next(&mut self) -> io::Result<Option<(u64, Batch)>> {
        let mut at = self.at;
        while at + (HEAD as u64) <= self.found.length {
            if let Some((number, batch, length)) = self.record(at)? {
                self.at = at + room(length);
                return Ok(Some((number, batch)));
            }
            // The next offset where one may begin.
            let behind = at + room(1);
            let rest = self.window_at(behind, 1)?;
            at = behind + room(find_record(rest).unwrap_or(rest.len()));
            if rest.is_empty() {
                break;
            }
        }
        Ok(None)
    }

    /// The record at an offset, with its length.
    fn record(&mut self, at: u64) -> io::Result<Option<(u64, Batch, usize)>> {
        let Some(head) = Head::read(self.bytes(at, HEAD)?) else { return Ok(None) };
        let whole = HEAD + head.length;
        if at + whole as u64 > self.found.length {
            return Ok(None);
        }
        let identity = self.identity;
        let record = self.bytes(at, whole)?;
        let good = head.fits(identity, record).then(|| batch(&record[HEAD..])).flatten();
        Ok(good.map(|batch| (head.number, batch, whole)))
    }

    /// Bytes at an offset, as many as requested unless the file ends.
    fn bytes(&mut self, at: u64, length: usize) -> io::Result<&[u8]> {
        let window = self.window_at(at, length)?;
        Ok(&window[..length.min(window.len())])
    }

    /// Bytes read from an offset on, at least `least` unless the file ends.
    fn window_at(&mut self, at: u64, least: usize) -> io::Result<&[u8]> {
        let end = self.start + self.window.len() as u64;
        if at < self.start || at + least as u64 > end {
            self.window.resize(WINDOW.max(least), 0);
            let read = self.found.file.read_at(at, &mut self.window)?;
            self.window.truncate(read);
            self.start = at;
        }
        let from = usize::try_from(at - self.start).expect("it is within the window");
        Ok(&self.window[from..])
    }
}
