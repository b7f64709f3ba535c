//! The work of the committer's thread, step by step. A step depends on no thread and no clock of its own, so a
//! simulation can drive it by hand.

use super::snapshot::Before;
use super::{Desk, Lane, Read, Shared, Submission, Work};
use crate::store::{Batch, Position, Store, StoreError};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, MutexGuard};
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
    desk: Arc<Desk>,
    /// When to write soon-batches if no group comes by.
    due: Option<Instant>,
    /// The most batches written at once.
    most: usize,
}

impl Writer {
    pub(super) fn new(desk: Arc<Desk>) -> Self {
        Writer { desk, due: None, most: GROUP }
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
        let desk = self.desk.clone();
        let mut shared = desk.lock();
        if shared.writing {
            return Some(Wait::ForWork);
        }
        let ended = shared.closed && shared.queue.is_empty();
        if shared.queue.is_empty() && !ended {
            match self.wait(&shared, now) {
                Wait::No => {}
                wait => return Some(wait),
            }
        }
        self.due = None;
        let read = shared.queue.pop_front_if(|work| matches!(work, Work::Read(_)));
        let pen = Pen::take(&desk, &mut shared);
        match read {
            Some(Work::Read(work)) => pen.read(shared, work),
            _ => pen.write(shared, self.most),
        }
        (!ended).then_some(Wait::No)
    }

    /// Takes turns until the committer is gone. For a thread that may block.
    pub(super) fn run(mut self) {
        let desk = self.desk.clone();
        while let Some(wait) = self.turn(Instant::now()) {
            let shared = desk.lock();
            // Whatever came since the turn rang the bell while nobody waited for it.
            let comes = !shared.writing && (shared.closed || !shared.queue.is_empty());
            match wait {
                Wait::ForWork if !comes && (shared.writing || shared.soon.is_empty()) => drop(desk.bell.wait(shared)),
                Wait::Until(due) if !comes => {
                    drop(desk.bell.wait_timeout(shared, due.saturating_duration_since(Instant::now())));
                }
                Wait::No | Wait::ForWork | Wait::Until(_) => {}
            }
        }
    }

    /// How long to wait while the queue is empty.
    fn wait(&mut self, shared: &Shared, now: Instant) -> Wait {
        if shared.soon.is_empty() {
            return Wait::ForWork;
        }
        let due = *self.due.get_or_insert(now + MOMENT);
        if now < due { Wait::Until(due) } else { Wait::No }
    }
}

/// Held by the thread that writes. Putting it down rings for what has come meanwhile.
pub(super) struct Pen<'a>(&'a Desk);

impl<'a> Pen<'a> {
    pub(super) fn take(desk: &'a Desk, shared: &mut Shared) -> Self {
        shared.writing = true;
        Pen(desk)
    }

    /// Writes at most `most` batches of the queue, up to the next read, together with the soon-batches.
    pub(super) fn write(self, mut shared: MutexGuard<'_, Shared>, most: usize) {
        let mut group = Vec::new();
        while group.len() < most
            && let Some(Work::Commit(submission)) = shared.queue.pop_front_if(|work| matches!(work, Work::Commit(_)))
        {
            shared.taken = submission.number;
            group.push(submission);
        }
        let (mut all, failed, before) = (shared.soon_now(), shared.failed.clone(), shared.snapshots());
        drop(shared);
        all.extend(group.into_iter().map(|submission| (submission.number, submission)));
        let mut together = Batch::default();
        let mut forgotten = Vec::new();
        for submission in all.values_mut() {
            let batch = std::mem::take(&mut submission.batch);
            forgotten.extend(batch.iter().map(|(key, _)| (submission.number, key.clone())));
            if !submission.fails_with(&failed) {
                together.append(batch);
            }
        }
        before.iter().for_each(|before| before.keep(&*self.0.store, &together));
        let begun = Instant::now();
        let result = if together.is_empty() { Ok(()) } else { commit_safely(&*self.0.store, &together) };
        let took = begun.elapsed();
        metrics::histogram!(SYNC).record(took.as_secs_f64());

        let mut shared = self.0.lock();
        shared.last = Some(took);
        for (number, key) in forgotten {
            // A later submission with the same key is still pending.
            if shared.pending.get(&key).is_some_and(|(newest, _)| *newest == number) {
                shared.pending.remove(&key);
            }
        }
        if let Err(error) = &result {
            shared.failed.extend(all.values().filter_map(|submission| submission.lane));
            tracing::error!(%error, "a write failed");
        }
        drop(shared);
        // Whoever is told may write themselves.
        drop(self);
        for submission in all.into_values() {
            let fails = submission.fails_with(&failed);
            let told = if fails { Err(StoreError::Unavailable(FOLLOWS_A_FAILURE.to_owned())) } else { result.clone() };
            // If the submitter has stopped waiting, nobody needs the result.
            let _ = submission.done.send(told);
        }
    }

    /// Runs a read between two commits.
    fn read(self, mut shared: MutexGuard<'_, Shared>, work: Read) {
        let before = shared.snapshots();
        // The work may take the lock again.
        drop(shared);
        work(&Between { store: &*self.0.store, before });
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        let mut shared = self.0.lock();
        shared.writing = false;
        if shared.closed || !shared.queue.is_empty() || !shared.soon.is_empty() {
            self.0.bell.notify_one();
        }
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
}
