//! The segments of a log: those being written, and those left by an earlier run.

use crate::disk::{Disk, DiskFile};
use crate::record::{self, Identity};
use crate::segment::{Blank, Found, Full, NotAppended, Segment, Which, find};
use crate::sizes::Sizes;
use journal::store::{Batch, StoreError, Tally};
use std::io;
use std::sync::Arc;

/// The file with the number of commits.
const TALLY: &str = "tally";

/// How much of a log is in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The identity of the log.
    pub identity: Identity,
    /// The last commit in the database.
    pub number: u64,
}

/// A log open for writing.
pub struct Log {
    disk: Arc<dyn Disk>,
    sizes: Sizes,
    identity: Identity,
    /// `None` after a failure, until a new one begins.
    active: Option<Segment>,
    /// The next segment, ready to begin.
    spare: Option<Blank>,
    /// Earlier segments, oldest first.
    full: Vec<Full>,
    /// The number of the next commit.
    next: u64,
    /// The generation of the last segment created, and of the last one begun.
    made: u64,
    begun: u64,
    /// The size of the next segment in bytes.
    length: u64,
    tally: Arc<dyn DiskFile>,
    record: Vec<u8>,
}

/// A log as an earlier run left it.
pub struct Left {
    disk: Arc<dyn Disk>,
    identity: Identity,
    full: Vec<Full>,
    never_begun: Vec<String>,
    generation: u64,
    last: u64,
    tally: Arc<dyn DiskFile>,
}

/// An order to create a segment.
pub struct Order {
    disk: Arc<dyn Disk>,
    generation: u64,
    length: u64,
}

impl Order {
    /// Creates it.
    pub fn make(&self) -> io::Result<Blank> {
        Blank::make(&*self.disk, self.generation, self.length, 0)
    }
}

impl Left {
    /// Reads the log. Each commit that the database does not have is handed to `replay`, in order.
    ///
    /// # Errors
    /// Commits are neither in the log nor in the database; or the disk fails.
    pub fn read(disk: Arc<dyn Disk>, applied: Applied, mut replay: impl FnMut(u64, Batch)) -> Result<Self, StoreError> {
        let segments = find(&*disk, Which::Needed).map_err(unreadable)?;
        let generation = segments.last().map_or(0, |segment| segment.generation);
        let mut read = Reader { identity: applied.identity, last: applied.number, full: Vec::new() };
        let never_begun = read.all(segments, &mut replay)?;
        let Reader { identity, last, full } = read;
        if full.is_empty() {
            return Err(damaged("it is missing, and with it the newest commits"));
        }
        let tally = disk.open(TALLY).map_err(unreadable)?;
        let counted = read_tally(&*tally).map_err(unreadable)?;
        if last < counted {
            return Err(damaged(&format!("the last {} of {counted} commits are gone", counted - last)));
        }
        Ok(Left { disk, identity, full, never_begun, generation, last, tally })
    }

    /// Continues the log in a new segment. The database must have everything that was read: the last commit may never
    /// have been synced, and the new segment says that it counts.
    ///
    /// # Errors
    /// The disk fails.
    pub fn go_on(self, sizes: Sizes) -> Result<Log, StoreError> {
        for name in self.never_begun {
            self.disk.remove(&name).map_err(unwritable)?;
        }
        let mut log = Log {
            disk: self.disk,
            sizes,
            identity: self.identity,
            active: None,
            spare: None,
            full: self.full,
            next: self.last + 1,
            made: self.generation,
            begun: self.generation,
            length: sizes.least,
            tally: self.tally,
            record: Vec::new(),
        };
        log.ready(0).map_err(unwritable)?;
        log.count(self.last);
        Ok(log)
    }
}

impl Log {
    /// Starts a log with this identity on a disk that has none.
    pub fn begin(disk: Arc<dyn Disk>, sizes: Sizes, identity: Identity) -> Result<Self, StoreError> {
        let tally = disk.open(TALLY).map_err(unreadable)?;
        // A new log has counted nothing, whatever was there before.
        let (full, never_begun) = Default::default();
        Left { disk, identity, full, never_begun, generation: 0, last: 0, tally }.go_on(sizes)
    }

    /// Writes a commit. Returns its number. When this returns, the commit survives a power cut.
    ///
    /// # Errors
    /// Nothing was written and nothing ever will be, unless the error says that it is in doubt.
    pub fn append(&mut self, batch: &Batch) -> Result<u64, StoreError> {
        let number = self.next;
        let mut record = std::mem::take(&mut self.record);
        let written = match record::write(&self.identity, number, batch, &mut record) {
            Some(()) => self.write(&record),
            None => Err(StoreError::Unavailable("a commit is too large for the log".to_owned())),
        };
        self.record = record;
        // Do not keep the memory of a rare large record for ever.
        self.record.shrink_to(1 << 20);
        written?;
        self.next += 1;
        self.count(number);
        Ok(number)
    }

    fn write(&mut self, record: &[u8]) -> Result<(), StoreError> {
        let segment = self.ready(record.len()).map_err(unwritable)?;
        let error = match segment.append(record) {
            Ok(()) => return Ok(()),
            Err(NotAppended::Untouched(error)) => return Err(unwritable(error)),
            Err(NotAppended::Unknown(error)) => error,
        };
        // The record may be there or not, and what a failed sync did can never be known. So a new segment begins, which
        // says that the record does not count.
        self.put_active_aside();
        match self.ready(0) {
            Ok(_) => Err(unwritable(error)),
            Err(again) => Err(StoreError::InDoubt(format!("{}; then: {again}", unwritable(error)))),
        }
    }

    /// Returns a segment with room for a record of this length.
    fn ready(&mut self, record: usize) -> io::Result<&mut Segment> {
        if self.active.as_ref().is_some_and(|active| !active.has_room(record)) {
            self.put_active_aside();
        }
        if self.active.is_none() {
            let blank = match self.spare.take() {
                Some(spare) if spare.has_room(record) => spare,
                unfit => {
                    self.discard(unfit);
                    let order = self.order();
                    Blank::make(&*order.disk, order.generation, order.length, record)?
                }
            };
            let generation = blank.generation();
            self.active = Some(blank.begin(&self.identity, self.next)?);
            self.begun = generation;
            self.length = (self.length * 2).min(self.sizes.most);
        }
        Ok(self.active.as_mut().expect("it was begun"))
    }

    /// Begins a new segment if none could be begun after a failure. Only then is it certain that the failed commit does
    /// not count.
    pub fn settle(&mut self) -> Result<(), StoreError> {
        self.ready(0).map(drop).map_err(unwritable)
    }

    /// Begins a new segment, so that the database can take all of the previous one.
    pub fn turn_over(&mut self) -> Result<(), StoreError> {
        self.put_active_aside();
        self.ready(0).map(drop).map_err(unwritable)
    }

    fn put_active_aside(&mut self) {
        let last = self.last();
        self.full.extend(self.active.take().map(|active| active.full(last)));
    }

    fn order(&mut self) -> Order {
        self.made += 1;
        Order { disk: self.disk.clone(), generation: self.made, length: self.length }
    }

    fn discard(&self, blank: Option<Blank>) {
        if let Some(Err(error)) = blank.map(|blank| blank.remove(&*self.disk)) {
            tracing::warn!(%error, "a segment that nobody needs cannot be removed");
        }
    }

    /// The identity of the log.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The number of the last commit.
    pub fn last(&self) -> u64 {
        self.next - 1
    }

    /// True if it will need another segment soon.
    pub fn needs_a_spare(&self) -> bool {
        self.spare.is_none() && self.active.as_ref().is_some_and(Segment::is_half_full)
    }

    /// An order for a segment it will need soon, to be created by someone who can wait.
    pub fn wants(&mut self) -> Option<Order> {
        self.needs_a_spare().then(|| self.order())
    }

    /// Takes the segment it ordered, unless a later one was begun meanwhile.
    pub fn take(&mut self, blank: Blank) {
        let unneeded = match blank.generation() > self.begun && self.spare.is_none() {
            true => self.spare.replace(blank),
            false => Some(blank),
        };
        self.discard(unneeded);
    }

    /// Removes and returns the segments whose commits are all in the database, up to `applied`. If no segment is being
    /// written, the last one stays: a log without segments would count as lost.
    pub fn done_with(&mut self, applied: u64) -> Vec<Full> {
        let kept = usize::from(self.active.is_none()).min(self.full.len());
        let those = ..self.full.len() - kept;
        self.full.extract_if(those, |segment| segment.last <= applied).collect()
    }

    /// Truncates the unused end of the last segment, which is no longer written to.
    pub fn close(&mut self) {
        let last = self.last();
        if let Some(active) = self.active.take().map(|active| active.full(last))
            && let Err(error) = active.cut()
        {
            tracing::warn!(%error, "the log could not be cut to its length");
        }
    }

    /// Notes that commit `number` is durable. A tally that is behind merely detects less damage.
    fn count(&mut self, number: u64) {
        if let Err(error) = self.tally.write_at(0, &Tally::bytes(number)) {
            tracing::warn!(%error, "the tally beside the log cannot be written");
        }
    }
}

/// The number of commits known to have been durable.
fn read_tally(tally: &dyn DiskFile) -> io::Result<u64> {
    let mut bytes = [0; Tally::BYTES];
    let length = tally.read_at(0, &mut bytes)?;
    Ok(Tally::counted(&bytes[..length]))
}

/// Reads segments in order.
pub struct Reader {
    /// The identity that they must have.
    pub identity: Identity,
    /// The last commit known.
    pub last: u64,
    /// The segments read.
    pub full: Vec<Full>,
}

impl Reader {
    /// Hands every commit after `last` to `replay`. Returns the names of segments that were never begun.
    ///
    /// # Errors
    /// One is missing or damaged, or the disk fails.
    pub fn all(
        &mut self,
        segments: Vec<Found>,
        replay: &mut impl FnMut(u64, Batch),
    ) -> Result<Vec<String>, StoreError> {
        let (begun, never): (Vec<_>, Vec<_>) = segments.into_iter().partition(|segment| segment.header.is_some());
        let firsts: Vec<u64> = begun.iter().filter_map(|segment| Some(segment.header?.1)).collect();
        // A segment ends where a later one begins.
        let ends = firsts.into_iter().skip(1).map(Some).chain([None]);
        for (segment, end) in begun.into_iter().zip(ends) {
            self.segment(segment, end, replay)?;
        }
        // Checked last, so that everything readable before the damage is read.
        for segment in &never {
            if segment.records(&self.identity).next().map_err(unreadable)?.is_some() {
                return Err(damaged(&format!("the header of {} is damaged", segment.name)));
            }
        }
        Ok(never.into_iter().map(|segment| segment.name).collect())
    }

    fn segment(
        &mut self,
        segment: Found,
        end: Option<u64>,
        replay: &mut impl FnMut(u64, Batch),
    ) -> Result<(), StoreError> {
        let (identity, first) = segment.header.expect("only those are read that were begun");
        if identity != self.identity {
            return Err(damaged(&format!("{} belongs to another database", segment.name)));
        }
        self.goes_on_to(first, "gone")?;
        let mut records = segment.records(&self.identity);
        let mut behind = records.end();
        while let Some((number, batch)) = records.next().map_err(unreadable)? {
            if end.is_some_and(|end| number >= end) {
                break;
            }
            self.goes_on_to(number, "damaged")?;
            behind = records.end();
            if number > self.last {
                replay(number, batch);
                self.last = number;
            }
        }
        if let Some(end) = end {
            self.goes_on_to(end, "damaged")?;
        }
        self.full.push(segment.full(behind, self.last));
        Ok(())
    }

    /// Checks that no commit before `number` is missing.
    fn goes_on_to(&self, number: u64, what: &str) -> Result<(), StoreError> {
        match number <= self.last + 1 {
            true => Ok(()),
            false => Err(damaged(&format!("commits {} to {} are {what}", self.last + 1, number - 1))),
        }
    }
}

/// A damage error with the log's name in place of a key.
pub fn damaged(what: &str) -> StoreError {
    StoreError::damaged("(the log)", what)
}

pub fn unreadable(error: io::Error) -> StoreError {
    StoreError::Unavailable(format!("the log cannot be read: {error}"))
}

pub fn unwritable(error: io::Error) -> StoreError {
    StoreError::Unavailable(format!("the log cannot be written: {error}"))
}
