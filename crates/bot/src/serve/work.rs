//! The work of a network that is in progress: what was accepted and is not answered yet, and answers that are not said yet.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How much work of a network is in progress.
#[derive(Default)]
pub(super) struct Work {
    progress: Mutex<Progress>,
    settled: Notify,
}

#[derive(Default)]
struct Progress {
    /// How many pieces of work have begun.
    begun: u64,
    /// When each one began that goes on.
    since: BTreeMap<u64, Instant>,
}

/// Counts as work in progress for a network until it is dropped.
pub(crate) struct Busy {
    work: Arc<Work>,
    number: u64,
    /// When the work began.
    pub since: Instant,
}

impl Busy {
    /// Work that begins now.
    pub(super) fn new(work: &Arc<Work>) -> Self {
        Busy::begun(work, Instant::now())
    }

    /// The same work, on the network where its post is said: no network waits for another.
    pub(super) fn on(&self, work: &Arc<Work>) -> Self {
        Busy::begun(work, self.since)
    }

    fn begun(work: &Arc<Work>, since: Instant) -> Self {
        let mut progress = work.progress();
        progress.begun += 1;
        let number = progress.begun;
        progress.since.insert(number, since);
        drop(progress);
        Busy { work: work.clone(), number, since }
    }
}

impl Clone for Busy {
    fn clone(&self) -> Self {
        self.on(&self.work)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut progress = self.work.progress();
        progress.since.remove(&self.number);
        if progress.since.is_empty() {
            self.work.settled.notify_waiters();
        }
    }
}

impl Work {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().expect("nothing panics holding it")
    }

    /// For how long the oldest work has been in progress; nothing if there is none.
    pub(super) fn oldest(&self) -> Duration {
        self.progress().since.values().min().map_or(Duration::ZERO, Instant::elapsed)
    }

    /// Returns once no work is in progress.
    pub(super) async fn settle(&self) {
        loop {
            let settled = self.settled.notified();
            if self.progress().since.is_empty() {
                return;
            }
            settled.await;
        }
    }
}
