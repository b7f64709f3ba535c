//! A commit log in front of a [`Store`]. A commit is one write and one sync of a file that was filled with zeros
//! before, which is the least a disk can do for it. The database gets the commits later, many at once, with only the
//! last value of each key.
//!
//! Whatever is in the log but not in the database yet is held in memory, up to a limit, and read from there. At the
//! start it is read from the log. Writing it again changes nothing, because every write is a whole value or a removal.
//!
//! If a write or its sync fails, nobody can say what is on the disk. So a new segment of the log begins, which says
//! that the failed commit does not count, before anybody is told.

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

/// The key where the database stores which log it belongs to and how far it has applied it. Keys of the core never
/// begin with a NUL.
const APPLIED: &str = "\0log";
/// The end of all keys that begin with a NUL.
const OWN_END: &str = "\u{1}";

/// How many times the usual amount may be held while the database is busy or failing; after that, commits wait for it.
const OVERFULL: usize = 4;
/// How long to wait before retrying a database that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// A store with a log in front of it.
pub struct Logged<S: Store> {
    shared: Arc<Shared<S>>,
    worker: Worker,
}

/// Who applies commits to the database.
enum Worker {
    /// The commit that finds too much held.
    Commits,
    /// The caller of [`Logged::work`].
    Hand,
    /// A thread, which ends when nobody can wake it any more.
    Thread { wake: SyncSender<()>, thread: JoinHandle<()> },
}

struct Shared<S> {
    engine: S,
    disk: Arc<dyn Disk>,
    log: Mutex<Log>,
    overlay: Overlay,
    keep: Keep,
    sizes: Sizes,
    /// The last commit in the database.
    applied: AtomicU64,
}

/// What to do with segments that are entirely in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Set them aside, so that the database can be rebuilt from an earlier backup.
    Aside,
    /// Remove them.
    Nothing,
}

impl<S: Store + 'static> Logged<S> {
    /// Puts the log on `disk` in front of `engine`. A database that never had a log gets a new one, with a random
    /// identity from `make`. First everything an earlier run left in the log is applied to the database. After that,
    /// commits are applied only by [`apply`](Self::apply), or when too much is held.
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

    /// The same as [`open`](Self::open) with other sizes. They may differ from the previous run's.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
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
                // The last commit may have been read without being on the disk, if its sync never ended. Whatever is
                // told about it from now on must stay true, so the database gets it first.
                let put = put(&overlay, &engine, applied.identity)?;
                (left.go_on(sizes)?, put.unwrap_or(applied.number))
            }
            None => (begin(&disk, sizes, &engine, make())?, 0),
        };
        let (log, applied) = (Mutex::new(log), AtomicU64::new(applied));
        let shared = Shared { engine, disk, log, overlay, keep, sizes, applied };
        Ok(Logged { shared: Arc::new(shared), worker: Worker::Commits })
    }

    /// Leaves the work of the thread to the caller of [`work`](Self::work).
    pub fn by_hand(mut self) -> Self {
        self.worker = Worker::Hand;
        self
    }

    /// Lets a thread apply commits to the database, whenever there is enough of them, and at the end.
    pub fn in_background(mut self) -> Self {
        let (wake, woken) = sync_channel(1);
        let shared = self.shared.clone();
        let thread = std::thread::Builder::new().name("log".to_owned()).spawn(move || shared.work(&woken));
        match thread {
            Ok(thread) => self.worker = Worker::Thread { wake, thread },
            Err(error) => {
                tracing::warn!(%error, "no thread can be started for the log: now and then a commit takes longer")
            }
        }
        self
    }

    /// Applies everything committed to the database, and sets aside the whole log so far. [`release`](Self::release)
    /// can remove what a later backup contains.
    ///
    /// # Errors
    /// The log or the database failed; the commits are in one or the other.
    pub fn turn_over(&self) -> Result<(), StoreError> {
        self.shared.log().turn_over()?;
        self.shared.apply()?;
        // Everything may have been in the database already.
        self.shared.tidy();
        Ok(())
    }

    /// Removes the parts of the log set aside up to this commit, because a backup has them.
    ///
    /// # Errors
    /// They cannot be removed.
    pub fn release(&self, number: u64) -> Result<(), StoreError> {
        let segments = find(&*self.shared.disk, Which::All).map_err(unreadable)?;
        let begun: Vec<_> = segments.iter().filter_map(|found| Some((found, found.header?.1))).collect();
        for pair in begun.windows(2) {
            let [(segment, _), (_, next)] = pair else { continue };
            // The first commit of the next segment shows where this one ends.
            if segment.is_kept && *next <= number + 1 {
                self.shared.disk.remove(&segment.name).map_err(unreadable)?;
            }
        }
        Ok(())
    }

    /// Does what is due besides the commits: creates the next part of the log if it will be needed soon, and applies
    /// commits to the database if there are enough of them. A thread does no more than this.
    ///
    /// # Errors
    /// Some of it failed and may be retried later; nothing is lost.
    pub fn work(&self) -> Result<(), StoreError> {
        let prepared = self.shared.prepare();
        let applied = if self.shared.is_full(1) { self.apply() } else { Ok(()) };
        prepared.and(applied)
    }

    /// Applies the commits to the database.
    ///
    /// # Errors
    /// The database failed; the log still has them.
    pub fn apply(&self) -> Result<(), StoreError> {
        self.shared.apply()
    }
}

/// Starts the log of a database that never had one.
fn begin(disk: &Arc<dyn Disk>, sizes: Sizes, engine: &impl Store, identity: Identity) -> Result<Log, StoreError> {
    // Segments left by an interrupted start are empty.
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

/// Writes what is held to the database. Returns the number of the last commit it has then, if it got any.
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

    /// The thread's loop, until the store is dropped.
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
                // A full disk is not retried at every commit.
                std::thread::sleep(PAUSE);
            }
            let applied = if self.is_full(1) { self.apply().inspect_err(tell) } else { Ok(()) };
            failed = prepared.is_err() || applied.is_err();
        }
    }

    /// True if at least `times` times the usual amount is held.
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

    /// Sets aside or removes segments that are entirely in the database.
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

    /// Creates the segment that the log needs, or will need soon.
    fn prepare(&self) -> Result<(), StoreError> {
        self.log().settle()?;
        let Some(order) = self.log().wants() else { return Ok(()) };
        let blank = order.make().map_err(unwritable)?;
        self.log().take(blank);
        Ok(())
    }
}

/// What was replayed from a log after a backup.
#[derive(Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The number of the last commit replayed.
    pub last: u64,
    /// The damage that ended the replay, if any.
    pub damage: Option<StoreError>,
}

/// Hands every commit after `position` to `put`, in order, from everything left of the log, until one is missing or
/// damaged.
///
/// # Errors
/// The log cannot be read, or is a different one; or `put` failed.
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
        // The store's own keys come before all keys of the core.
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
            // Added before the next one is written, so that they stay in order.
            self.shared.overlay.add(number, batch);
            log.needs_a_spare()
        });
        drop(log);
        // A failed commit may be in doubt, which a new segment resolves.
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
    /// Applies everything to the database, so that the next start has nothing to read from the log.
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
