//! The work of the committer's thread, step by step. It depends on no thread and no clock of its own, so a simulation
//! can drive it by hand.

use super::Lane;
use super::snapshot::Before;
use super::{Read, Shared, Submission, Work, lock};
use crate::store::{Batch, Position, Store, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// The metric of one write of the store with its sync, in seconds, as Prometheus shows it.
pub const SYNC: &str = "astragal_store_sync_seconds";

/// The most batches written at once, unless it is told otherwise.
const GROUP: usize = 1_024;

/// How long a batch to be written soon waits for a group to join.
const MOMENT: Duration = Duration::from_millis(2);

/// The error for later batches of a failed lane.
const FOLLOWS_A_FAILURE: &str = "an earlier write of this table failed";

/// When the writer needs its next turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Immediately.
    No,
    /// When something is submitted.
    ForWork,
    /// At this time, or earlier if something is submitted.
    Until(Instant),
}

/// Writes the batches of a [`Committer`](super::Committer).
pub struct Writer {
    store: Arc<dyn Store>,
    shared: Arc<Mutex<Shared>>,
    queue: mpsc::Receiver<Work>,
    /// Work received but not done yet.
    next: Option<Work>,
    /// The number of the last submission that left the queue.
    taken: u64,
    /// When to write soon-batches if no group comes by.
    due: Option<Instant>,
    /// The most batches written at once.
    most: usize,
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>, shared: Arc<Mutex<Shared>>, queue: mpsc::Receiver<Work>) -> Self {
        Writer { store, shared, queue, next: None, taken: 0, due: None, most: GROUP }
    }

    /// Writes at most this many batches at once, and those to be written soon with them.
    #[must_use]
    pub fn in_groups_of(self, most: usize) -> Self {
        Writer { most, ..self }
    }

    /// Does one step at the time `now`: writes a group, writes the soon-batches, or lets something be read. It never
    /// waits for work. Returns when the next turn is due, or `None` once the committer is gone and everything is
    /// written.
    pub fn turn(&mut self, now: Instant) -> Option<Wait> {
        let work = self.next.take().map_or_else(|| self.queue.try_recv(), Ok);
        let (mut group, mut read, mut ended) = (Vec::new(), None, false);
        match work {
            Ok(Work::Soon) => return Some(Wait::No),
            Ok(Work::Commit(first)) => group = self.gather(first),
            Ok(Work::Read(then)) => read = Some(then),
            Err(TryRecvError::Empty) => match self.wait(now) {
                Wait::No => {}
                wait => return Some(wait),
            },
            Err(TryRecvError::Disconnected) => ended = true,
        }
        self.due = None;
        self.commit(group);
        read.into_iter().for_each(|work| self.read(work));
        (!ended).then_some(Wait::No)
    }

    /// Takes turns until the committer is gone. For a thread that may block.
    pub(super) fn run(mut self) {
        while let Some(wait) = self.turn(Instant::now()) {
            // The next turn sees the end of the queue, after doing the work received already.
            match wait {
                Wait::No => {}
                Wait::ForWork => self.next = self.queue.recv().ok(),
                Wait::Until(due) => {
                    self.next = self.queue.recv_timeout(due.saturating_duration_since(Instant::now())).ok();
                }
            }
        }
    }

    /// How long to wait while the queue is empty.
    fn wait(&mut self, now: Instant) -> Wait {
        if lock(&self.shared).soon.is_empty() {
            return Wait::ForWork;
        }
        let due = *self.due.get_or_insert(now + MOMENT);
        if now < due { Wait::Until(due) } else { Wait::No }
    }

    /// Collects `first` and the submissions after it in the queue, until something else comes, which is done next.
    fn gather(&mut self, first: Submission) -> Vec<Submission> {
        let mut group = vec![first];
        while group.len() < self.most {
            match self.queue.try_recv() {
                Ok(Work::Commit(more)) => group.push(more),
                Ok(Work::Soon) => {}
                Ok(read @ Work::Read(_)) => {
                    self.next = Some(read);
                    break;
                }
                Err(_) => break,
            }
        }
        self.taken = group.last().map_or(self.taken, |submission| submission.number);
        group
    }

    /// Writes `group` together with the soon-batches.
    fn commit(&self, group: Vec<Submission>) {
        let (mut all, mut failed, before) = {
            let mut shared = lock(&self.shared);
            (shared.soon_with(self.taken), shared.failed.clone(), shared.snapshots())
        };
        all.extend(group.into_iter().map(|submission| (submission.number, submission)));
        let (mut forgotten, mut overtaken) = (Vec::new(), BTreeMap::new());
        let together = self.together(&mut all, &mut failed, &mut forgotten, &mut overtaken);
        before.iter().for_each(|before| before.keep(&*self.store, &together));
        let begun = Instant::now();
        let result = if together.is_empty() { Ok(()) } else { commit_safely(&*self.store, &together) };
        metrics::histogram!(SYNC).record(begun.elapsed().as_secs_f64());

        let mut shared = lock(&self.shared);
        for (number, key) in forgotten {
            // A later submission with the same key is still pending.
            if shared.pending.get(&key).is_some_and(|(newest, _)| *newest == number) {
                shared.pending.remove(&key);
            }
        }
        if !overtaken.is_empty() {
            shared.failed.extend(&failed);
        }
        if let Err(error) = &result {
            shared.failed.extend(all.values().filter_map(|submission| submission.lane));
            tracing::error!(%error, "a write failed");
        }
        let told = shared.told.clone().filter(|_| result.is_ok() && !together.is_empty());
        drop(shared);
        told.into_iter().for_each(|told| told(&together));
        for submission in all.into_values() {
            let fails = submission.fails_with(&failed);
            let told = if fails { Err(StoreError::Unavailable(FOLLOWS_A_FAILURE.to_owned())) } else { result.clone() };
            let told = overtaken.remove(&submission.number).map_or(told, Err);
            // If the submitter has stopped waiting, nobody needs the result.
            let _ = submission.done.send(told);
        }
    }

    /// Puts the batches together that are to be written. Those that were overtaken fail, and with each its lane.
    fn together(
        &self,
        all: &mut BTreeMap<u64, Submission>,
        failed: &mut BTreeSet<Lane>,
        forgotten: &mut Vec<(u64, String)>,
        overtaken: &mut BTreeMap<u64, StoreError>,
    ) -> Batch {
        let mut together = Batch::default();
        for submission in all.values_mut() {
            let batch = std::mem::take(&mut submission.batch);
            forgotten.extend(batch.iter().map(|(key, _)| (submission.number, key.clone())));
            if submission.fails_with(failed) {
                continue;
            }
            match submission.overtaken(&*self.store, &together) {
                None => together.append(batch),
                Some(error) => {
                    failed.extend(submission.lane);
                    overtaken.insert(submission.number, error);
                }
            }
        }
        together
    }

    /// Runs a read between two commits.
    fn read(&self, work: Read) {
        // The lock is released here, because the work may take it again.
        let before = lock(&self.shared).snapshots();
        work(&Between { store: &*self.store, before });
    }
}

/// The store between two commits; writes to it keep the replaced values for snapshots.
struct Between<'a> {
    store: &'a dyn Store,
    before: Vec<Arc<Before>>,
}

impl Store for Between<'_> {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.store.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.before.iter().for_each(|before| before.keep(self.store, batch));
        self.store.commit(batch)
    }

    fn position(&self) -> Option<Position> {
        self.store.position()
    }
}

/// A panic of the store counts as a failure, and the writer lives on.
fn commit_safely(store: &dyn Store, batch: &Batch) -> Result<(), StoreError> {
    catch_unwind(AssertUnwindSafe(|| store.commit(batch)))
        .unwrap_or_else(|_| Err(StoreError::Unavailable("the store panicked".to_owned())))
}

impl Submission {
    fn fails_with(&self, failed: &BTreeSet<Lane>) -> bool {
        self.lane.is_some_and(|lane| failed.contains(&lane))
    }

    /// Why it must not be written behind `before`, if something that it relies on is no longer true.
    fn overtaken(&self, store: &dyn Store, before: &Batch) -> Option<StoreError> {
        self.conditions.iter().find_map(|condition| match condition.holds(store, before) {
            Ok(true) => None,
            Ok(false) => Some(StoreError::Overtaken),
            Err(error) => Some(error),
        })
    }
}
