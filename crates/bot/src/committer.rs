//! The one writer of the store: it groups the batches of all tables into one durable commit.
//!
//! A batch can be read back as soon as it is submitted, before it is durable; whoever answers before then takes
//! the risk knowingly. Batches of a *lane* (an opened table) depend on each other: when one fails, so do all
//! later ones of its lane, and the table must be opened anew.

use crate::store::{Batch, Store, StoreError, scan_all};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Batches that are written at once at the most.
const GROUP: usize = 1_024;

/// A line of batches of which none is written once one has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane(u64);

/// Resolves once the batch is durable, or has failed.
pub type Ticket = oneshot::Receiver<Result<(), StoreError>>;

/// The one writer of the store.
pub struct Committer {
    store: Arc<dyn Store>,
    shared: Arc<Mutex<Shared>>,
    lanes: AtomicU64,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    /// Ends with the committer, and the writer with it.
    queue: Option<mpsc::Sender<Work>>,
    /// Submitted and not durable yet: the newest value of each key, and by which submission.
    pending: BTreeMap<String, (u64, Option<Vec<u8>>)>,
    submissions: u64,
    failed: BTreeSet<Lane>,
}

/// Something that reads the store between two commits.
type Read = Box<dyn FnOnce(&dyn Store) + Send>;

enum Work {
    Commit(Submission),
    Read(Read),
}

struct Submission {
    lane: Option<Lane>,
    number: u64,
    batch: Batch,
    done: oneshot::Sender<Result<(), StoreError>>,
}

impl Committer {
    /// Starts the writer of `store`.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let (queue, work) = mpsc::channel();
        let shared = Arc::new(Mutex::new(Shared {
            queue: Some(queue),
            pending: BTreeMap::new(),
            submissions: 0,
            failed: BTreeSet::new(),
        }));
        let writer = std::thread::Builder::new().name("committer".to_owned()).spawn({
            let (store, shared) = (store.clone(), shared.clone());
            move || write(&*store, &shared, &work)
        });
        let writer = Some(writer.expect("the system starts a thread"));
        Committer {
            store,
            shared,
            lanes: AtomicU64::new(0),
            writer,
        }
    }

    /// A lane of its own.
    pub fn lane(&self) -> Lane {
        Lane(self.lanes.fetch_add(1, Ordering::Relaxed))
    }

    /// The value of `key`, submitted batches included.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some((_, value)) = lock(&self.shared).pending.get(key) {
            return Ok(value.clone());
        }
        self.store.read(key)
    }

    /// The durable records under `prefix`, without what was submitted and is not durable yet.
    pub fn stored<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = Result<(String, Vec<u8>), StoreError>> + 'a {
        scan_all(&*self.store, prefix)
    }

    /// Hands in a batch of `lane`, or of nobody.
    pub fn submit(&self, lane: Option<Lane>, batch: Batch) -> Ticket {
        let (done, ticket) = oneshot::channel();
        let mut shared = lock(&self.shared);
        shared.submissions += 1;
        let number = shared.submissions;
        for (key, value) in &batch {
            shared.pending.insert(key.clone(), (number, value.clone()));
        }
        let work = Work::Commit(Submission {
            lane,
            number,
            batch,
            done,
        });
        shared
            .queue
            .as_ref()
            .expect("the queue lives as long as the committer")
            .send(work)
            .expect("so does the writer");
        ticket
    }

    /// Hands in a batch and waits until it is durable. Not for async code.
    ///
    /// # Errors
    /// It is not durable.
    pub fn commit(&self, lane: Option<Lane>, batch: Batch) -> Result<(), StoreError> {
        self.submit(lane, batch)
            .blocking_recv()
            .expect("the writer answers each submission")
    }

    /// Runs `read` between two commits: it sees one consistent state, all that was submitted before included.
    pub fn between_commits(&self, read: impl FnOnce(&dyn Store) + Send + 'static) {
        let shared = lock(&self.shared);
        let work = Work::Read(Box::new(read));
        shared
            .queue
            .as_ref()
            .expect("the queue lives as long as the committer")
            .send(work)
            .expect("so does the writer");
    }
}

impl Drop for Committer {
    /// Everything submitted is written before this returns.
    fn drop(&mut self) {
        lock(&self.shared).queue = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the committer's thread panicked");
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().expect("nothing panics holding it")
}

fn write(store: &dyn Store, shared: &Mutex<Shared>, queue: &mpsc::Receiver<Work>) {
    let mut next = None;
    while let Some(work) = next.take().or_else(|| queue.recv().ok()) {
        match work {
            Work::Read(read) => read(store),
            Work::Commit(first) => {
                let mut group = vec![first];
                while group.len() < GROUP {
                    match queue.try_recv() {
                        Ok(Work::Commit(more)) => group.push(more),
                        Ok(other) => {
                            next = Some(other);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                commit_group(store, shared, group);
            }
        }
    }
}

fn commit_group(store: &dyn Store, shared: &Mutex<Shared>, group: Vec<Submission>) {
    let failed = lock(shared).failed.clone();
    let (dead, mut alive): (Vec<_>, Vec<_>) = group
        .into_iter()
        .partition(|submission| submission.lane.is_some_and(|lane| failed.contains(&lane)));
    let mut together = Batch::default();
    for submission in &mut alive {
        together.append(std::mem::take(&mut submission.batch));
    }
    let result = if together.is_empty() {
        Ok(())
    } else {
        store.commit(&together)
    };

    let mut shared = lock(shared);
    let numbers: BTreeSet<u64> = alive.iter().chain(&dead).map(|submission| submission.number).collect();
    let written = dead
        .iter()
        .flat_map(|submission| submission.batch.iter())
        .chain(together.iter());
    for (key, _) in written {
        if shared
            .pending
            .get(key)
            .is_some_and(|(number, _)| numbers.contains(number))
        {
            shared.pending.remove(key);
        }
    }
    if result.is_err() {
        shared
            .failed
            .extend(alive.iter().filter_map(|submission| submission.lane));
    }
    drop(shared);
    // Whoever submitted may have stopped waiting: then nobody needs the result.
    for submission in alive {
        let _ = submission.done.send(result.clone());
    }
    for submission in dead {
        let _ = submission.done.send(Err(StoreError::Unavailable(
            "an earlier write of this table failed".to_owned(),
        )));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;
    use std::sync::atomic::AtomicBool;

    #[derive(Default)]
    struct Moody {
        memory: Memory,
        full: AtomicBool,
        commits: AtomicU64,
    }

    impl Store for Moody {
        fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
            self.memory.read(key)
        }

        fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
            self.memory.scan(prefix, after, limit)
        }

        fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
            self.commits.fetch_add(1, Ordering::Relaxed);
            if self.full.load(Ordering::Relaxed) {
                return Err(StoreError::Unavailable("full".to_owned()));
            }
            self.memory.commit(batch)
        }
    }

    fn one(key: &str, value: &str) -> Batch {
        let mut batch = Batch::default();
        batch.put(key, value);
        batch
    }

    /// Holds the writer until the returned sender goes.
    fn hold(committer: &Committer) -> mpsc::Sender<()> {
        let (held, release) = mpsc::channel::<()>();
        committer.between_commits(move |_| {
            let _ = release.recv();
        });
        held
    }

    #[test]
    fn what_waits_is_grouped_and_can_already_be_read() {
        let store = Arc::new(Moody::default());
        let committer = Committer::new(store.clone());
        let held = hold(&committer);
        let tickets: Vec<_> = (0..64)
            .map(|n| committer.submit(None, one(&format!("k{n}"), "v")))
            .collect();
        assert_eq!(committer.read("k63").unwrap().as_deref(), Some(b"v".as_slice()));
        assert_eq!(store.read("k63").unwrap(), None);
        drop(held);
        for ticket in tickets {
            ticket.blocking_recv().unwrap().unwrap();
        }
        assert_eq!(store.commits.load(Ordering::Relaxed), 1);
        assert!(lock(&committer.shared).pending.is_empty());
    }

    #[test]
    fn after_a_failure_a_lane_stays_closed_and_others_go_on() {
        let store = Arc::new(Moody::default());
        let committer = Committer::new(store.clone());
        let (lane, other) = (committer.lane(), committer.lane());
        store.full.store(true, Ordering::Relaxed);
        assert!(committer.commit(Some(lane), one("a", "1")).is_err());
        store.full.store(false, Ordering::Relaxed);
        assert!(committer.commit(Some(lane), one("a", "2")).is_err());
        assert_eq!(committer.read("a").unwrap(), None);
        committer.commit(Some(other), one("b", "1")).unwrap();
        committer.commit(Some(committer.lane()), one("a", "3")).unwrap();
        assert_eq!(committer.read("a").unwrap().as_deref(), Some(b"3".as_slice()));
    }
}
