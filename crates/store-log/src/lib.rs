//! A commit log in front of a [`Store`]: a commit is one write and one sync of a file that was filled with zeros before, which
//! is the least that a disk can do for it. The database behind gets what was committed later, many commits in one, of which
//! only the last value of each key is written.
//!
//! What is in the log and not in the database yet is held in memory, up to a bound, and read there. At the start it is read
//! from the log: writing it again changes nothing, since every write is a whole value or a removal.
//!
//! Where a write or its sync fails, nobody can say what is on the disk. So another segment of the log begins, which says
//! that it does not count, before anybody is told.

pub mod model;

mod disk;
mod log;
mod overlay;
mod record;
mod segment;
mod sizes;

pub use disk::{Directory, Disk, DiskFile};
pub use record::Identity;
pub use segment::KEPT;
pub use sizes::Sizes;

use journal::store::{Batch, Position, Store, StoreError};
use log::{Applied, Left, Log, Reader, damaged, unreadable, unwritable};
use overlay::Overlay;
use segment::{Which, find, forget_oldest};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Where the database says what it has of which log. Keys of the core do not begin with a NUL.
const APPLIED: &str = "\0log";
/// Behind all keys that begin with a NUL.
const OWN_END: &str = "\u{1}";

/// How many times as much is held while the database is busy or fails; then a commit waits for it.
const OVERFULL: usize = 4;
/// How long it waits before it tries a database again that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// A store with a log in front of it.
pub struct Logged<S: Store> {
    shared: Arc<Shared<S>>,
    worker: Worker,
}

/// Who puts into the database what was committed.
enum Worker {
    /// The commit that finds too much of it.
    Commits,
    /// Whoever calls [`Logged::work`].
    Hand,
    /// A thread, which ends once nobody can wake it.
    Thread { wake: SyncSender<()>, thread: JoinHandle<()> },
}

struct Shared<S> {
    engine: S,
    disk: Arc<dyn Disk>,
    log: Mutex<Log>,
    overlay: Overlay,
    keep: Keep,
    sizes: Sizes,
    /// The last commit that is in the database.
    applied: AtomicU64,
}

/// What becomes of segments of which the database has everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// They are put aside, so that the database can be rebuilt from an earlier backup.
    Aside,
    /// They are removed.
    Nothing,
}

impl<S: Store + 'static> Logged<S> {
    /// Puts the log on `disk` in front of `engine`. A database that never had one gets a new one, of the identity that
    /// `make` makes at random. What an earlier run left in the log goes into the database first; then nothing does but by
    /// [`apply`](Self::apply), or where too much is held.
    ///
    /// # Errors
    /// The log does not belong to the database, or commits are missing; or one of them cannot be read or written.
    pub fn open(
        disk: Arc<dyn Disk>,
        engine: S,
        keep: Keep,
        make: impl FnOnce() -> Identity,
    ) -> Result<Self, StoreError> {
        Logged::open_sized(disk, engine, keep, Sizes::default(), make)
    }

    /// As [`open`](Self::open), in other sizes. A log may be opened in others than before.
    ///
    /// # Errors
    /// As there.
    pub fn open_sized(
        disk: Arc<dyn Disk>,
        engine: S,
        keep: Keep,
        sizes: Sizes,
        make: impl FnOnce() -> Identity,
    ) -> Result<Self, StoreError> {
        let overlay = Overlay::default();
        let (log, applied) = match engine.read(APPLIED)? {
            Some(applied) => {
                let applied = read_applied(&applied).ok_or_else(|| StoreError::damaged(APPLIED, "it says nothing"))?;
                let left = Left::read(disk.clone(), applied, |number, batch| overlay.add(number, &batch))?;
                // The last one may have been read and not be on the disk: no sync of it may ever have ended. What is told of it
                // from now on must stay true, so the database gets it first.
                let put = put(&overlay, &engine, applied.identity)?;
                (left.go_on(sizes)?, put.unwrap_or(applied.number))
            }
            None => (begin(&disk, sizes, &engine, make())?, 0),
        };
        let (log, applied) = (Mutex::new(log), AtomicU64::new(applied));
        let shared = Shared { engine, disk, log, overlay, keep, sizes, applied };
        Ok(Logged { shared: Arc::new(shared), worker: Worker::Commits })
    }

    /// Leaves to whoever calls [`work`](Self::work) what a thread does else.
    pub fn by_hand(mut self) -> Self {
        self.worker = Worker::Hand;
        self
    }

    /// Lets a thread put into the database what was committed, whenever there is enough of it, and at the end.
    pub fn in_background(mut self) -> Self {
        let (wake, woken) = sync_channel(1);
        let shared = self.shared.clone();
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || shared.work(&woken));
        match thread {
            Ok(thread) => self.worker = Worker::Thread { wake, thread },
            Err(error) => {
                tracing::warn!(%error, "no thread is to be had for the log: now and then a commit takes longer")
            }
        }
        self
    }

    /// Puts everything that was committed into the database, and all of the log so far aside. What a backup from after that
    /// has, [`release`](Self::release) can remove.
    ///
    /// # Errors
    /// The log or the database failed; what was committed is in the one or the other.
    pub fn turn_over(&self) -> Result<(), StoreError> {
        self.shared.log().turn_over()?;
        self.shared.apply()?;
        // Everything may have been in the database before.
        self.shared.tidy();
        Ok(())
    }

    /// Removes what was put aside of the log up to this commit, since a backup has it.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn release(&self, number: u64) -> Result<(), StoreError> {
        let segments = find(&*self.shared.disk, Which::All).map_err(unreadable)?;
        let begun: Vec<_> = segments.iter().filter_map(|found| Some((found, found.header?.1))).collect();
        for pair in begun.windows(2) {
            let [(segment, _), (_, next)] = pair else { continue };
            // What the next one begins with is the end of this one.
            if segment.is_kept && *next <= number + 1 {
                self.shared.disk.remove(&segment.name).map_err(unreadable)?;
            }
        }
        Ok(())
    }

    /// Does what is to be done now besides the commits: makes the next part of the log if it will be needed soon, and puts
    /// into the database what was committed if there is enough of it. A thread does no more.
    ///
    /// # Errors
    /// Something of it failed, and may be tried again later: nothing is lost.
    pub fn work(&self) -> Result<(), StoreError> {
        let prepared = self.shared.prepare();
        let applied = if self.shared.is_full(1) { self.apply() } else { Ok(()) };
        prepared.and(applied)
    }

    /// Puts into the database what was committed.
    ///
    /// # Errors
    /// The database failed; the log has it still.
    pub fn apply(&self) -> Result<(), StoreError> {
        self.shared.apply()
    }
}

/// Begins the log of a database that never had one.
fn begin(disk: &Arc<dyn Disk>, sizes: Sizes, engine: &impl Store, identity: Identity) -> Result<Log, StoreError> {
    // What an interrupted beginning left holds nothing.
    for segment in find(&**disk, Which::All).map_err(unreadable)? {
        let holds = match &segment.header {
            Some((identity, _)) => segment.records(identity).next().map_err(unreadable)?.is_some(),
            None => false,
        };
        if holds {
            return Err(damaged("the database does not know it: it is an older copy, or another one's"));
        }
        disk.remove(&segment.name).map_err(unreadable)?;
    }
    let log = Log::begin(disk.clone(), sizes, identity)?;
    let mut batch = Batch::default();
    batch.put(APPLIED, applied(Applied { identity, number: 0 }));
    engine.commit(&batch)?;
    Ok(log)
}

/// Puts into the database what is held; the number of the last commit that it has then, if it got any.
fn put(overlay: &Overlay, engine: &impl Store, identity: Identity) -> Result<Option<u64>, StoreError> {
    overlay.drain(|writes| {
        let mut last = Batch::default();
        last.put(APPLIED, applied(Applied { identity, number: writes.last }));
        engine.commit_behind(writes.batch(), last)
    })
}

fn applied(applied: Applied) -> Vec<u8> {
    [&applied.identity[..], &applied.number.to_le_bytes()].concat()
}

fn read_applied(bytes: &[u8]) -> Option<Applied> {
    let (identity, number) = bytes.split_at_checked(size_of::<Identity>())?;
    Some(Applied { identity: identity.try_into().ok()?, number: u64::from_le_bytes(number.try_into().ok()?) })
}

impl<S: Store> Shared<S> {
    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The thread's work, until the store is dropped.
    fn work(&self, woken: &Receiver<()>) {
        self.tidy();
        let mut failed = false;
        loop {
            let called = match failed {
                true => woken.recv_timeout(PAUSE),
                false => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if called == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            let prepared = self.prepare();
            if let Err(error) = &prepared {
                if !failed {
                    tracing::warn!(%error, "the next part of the log cannot be made yet");
                }
                // A disk that is full is not asked at every commit.
                std::thread::sleep(PAUSE);
            }
            let applied = if self.is_full(1) { self.apply().inspect_err(tell) } else { Ok(()) };
            failed = prepared.is_err() || applied.is_err();
        }
    }

    /// Whether so many times as much is held as should be.
    fn is_full(&self, times: usize) -> bool {
        self.overlay.fullness(self.sizes.keys, self.sizes.bytes) >= times
    }

    fn apply(&self) -> Result<(), StoreError> {
        let identity = self.log().identity();
        if let Some(number) = put(&self.overlay, &self.engine, identity)? {
            self.applied.store(number, Ordering::Release);
            self.tidy();
        }
        Ok(())
    }

    /// Does away with the segments of which the database has everything.
    fn tidy(&self) {
        let done = self.log().done_with(self.applied.load(Ordering::Acquire));
        for segment in done {
            let tidied = match self.keep {
                Keep::Aside => segment.keep(&*self.disk),
                Keep::Nothing => segment.remove(&*self.disk),
            };
            if let Err(error) = tidied {
                tracing::warn!(%error, "a part of the log that is done with stays where it is");
            }
        }
        let most = if self.keep == Keep::Aside { self.sizes.aside } else { 0 };
        match forget_oldest(&*self.disk, most) {
            Ok(1..) if self.keep == Keep::Aside => {
                tracing::warn!("no backup was written for long: the oldest of the log that was kept for one is removed")
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "what is kept of the log for a backup cannot be looked at"),
        }
    }

    /// Makes the segment that the log needs, or will need soon.
    fn prepare(&self) -> Result<(), StoreError> {
        self.log().settle()?;
        let Some(order) = self.log().wants() else { return Ok(()) };
        let blank = order.make().map_err(unwritable)?;
        self.log().take(blank);
        Ok(())
    }
}

/// What a log holds behind a backup.
#[derive(Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of the last commit that was handed on.
    pub last: u64,
    /// What kept it from handing on more.
    pub damage: Option<StoreError>,
}

/// Hands every commit behind `position` to `put`, in their order, from all of the log that is left: as far as none is missing or
/// damaged.
///
/// # Errors
/// The log cannot be read, or is another one; or `put` failed.
pub fn replay(
    disk: &dyn Disk,
    position: &Position,
    mut put: impl FnMut(Batch) -> Result<(), StoreError>,
) -> Result<Replayed, StoreError> {
    let segments = find(disk, Which::All).map_err(unreadable)?;
    let is_it = |identity: &Identity| journal::hex(identity) == position.identity;
    let identity = segments.iter().find_map(|found| found.header.map(|(identity, _)| identity).filter(is_it));
    let identity = identity.ok_or_else(|| damaged("it is not the one that the backup goes on with"))?;
    let mut reader = Reader { identity, last: position.number, full: Vec::new() };
    let mut failed = Ok(());
    let read = reader.all(segments, &mut |_, batch| {
        if failed.is_ok() {
            failed = put(batch);
        }
    });
    failed?;
    Ok(Replayed { last: reader.last, damage: read.err() })
}

fn tell(error: &StoreError) {
    tracing::error!(%error, "the database cannot be written; the log holds what it lacks");
}

impl<S: Store + 'static> Store for Logged<S> {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.shared.overlay.get(key) {
            Some(value) => Ok(value),
            None => self.shared.engine.read(key),
        }
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        // What is the store's own stands in front of all keys of the core.
        let after = if prefix.is_empty() { Some(after.unwrap_or(OWN_END).max(OWN_END)) } else { after };
        self.shared.overlay.scan(&self.shared.engine, prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let most = if matches!(self.worker, Worker::Commits) { 1 } else { OVERFULL };
        if self.shared.is_full(most) {
            self.shared.apply()?;
        }
        let mut log = self.shared.log();
        let written = log.append(batch).map(|number| {
            // Before the next one is written, so that they are here in their order.
            self.shared.overlay.add(number, batch);
            log.needs_a_spare()
        });
        drop(log);
        // What failed may be in doubt, which another segment ends.
        let wanted = *written.as_ref().unwrap_or(&true);
        if let Worker::Thread { wake, .. } = &self.worker
            && (wanted || self.shared.is_full(1))
        {
            // It may have been woken already.
            let _ = wake.try_send(());
        }
        written.map(drop)
    }

    fn position(&self) -> Option<Position> {
        let log = self.shared.log();
        Some(Position { identity: journal::hex(&log.identity()), number: log.last() })
    }
}

impl<S: Store> Drop for Logged<S> {
    /// Everything goes into the database, so that the next start has nothing to read from the log.
    fn drop(&mut self) {
        if let Worker::Thread { wake, thread } = std::mem::replace(&mut self.worker, Worker::Commits) {
            drop(wake);
            if thread.join().is_err() {
                tracing::error!("the log's thread panicked");
            }
        }
        while !self.shared.overlay.is_empty() {
            if let Err(error) = self.shared.apply() {
                tell(&error);
                break;
            }
        }
        self.shared.log().close();
    }
}
