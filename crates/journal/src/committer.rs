//! The only writer of the store. It groups the batches of all tables into one durable commit.
//!
//! A batch can be read back as soon as it is submitted, before it is durable. Anyone who answers before that knowingly
//! takes the risk. Batches that nobody waits for are written *soon*: with the next group, or after a moment. Batches of
//! a *lane* (an opened table) depend on each other: when one fails, so do all later ones of its lane, and the table
//! must be reopened.
//!
//! A batch may rely on what was read before it was made ([`Condition`]), because another table's batch may be written in
//! between. If something of that is no longer true when its turn comes, it fails, and nothing of it is written. So nobody
//! reads such a batch back before it is durable.

mod snapshot;
mod writer;

pub use writer::{SYNC, Wait, Writer};

use crate::store::{Batch, Cached, Condition, Lease, Store, StoreError, scan_all};
use snapshot::{Before, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Weak, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// How many bytes of what was read or written lately are kept in memory, unless something else is asked for: the records of
/// some thousand tables in play.
pub const KEPT: usize = 16 << 20;

/// A sequence of batches; once one has failed, no later one is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane(u64);

/// Resolves once the batch is durable, or has failed.
pub type Ticket = oneshot::Receiver<Result<(), StoreError>>;

/// The only writer of the store.
pub struct Committer {
    store: Arc<Cached>,
    shared: Arc<Mutex<Shared>>,
    lanes: AtomicU64,
    writer: Option<JoinHandle<()>>,
}

struct Shared {
    /// Dropped with the committer, which ends the writer.
    queue: Option<mpsc::Sender<Work>>,
    /// Submitted but not durable: the newest value of each key, and the number of its submission. Batches that rely on
    /// anything are not among them.
    pending: BTreeMap<String, (u64, Option<Vec<u8>>)>,
    submissions: u64,
    /// The number of the last submission that went into the queue.
    queued: u64,
    /// Submissions to be written soon, by number.
    soon: BTreeMap<u64, Submission>,
    failed: BTreeSet<Lane>,
    /// Who hears what became durable.
    told: Option<Told>,
    /// The snapshots being read, with the data they still need.
    before: Vec<Weak<Before>>,
    readers: Vec<JoinHandle<()>>,
}

/// Hears what became durable, on the writer's thread.
type Told = Arc<dyn Fn(&Batch) + Send + Sync>;

/// Work that reads the store between two commits.
type Read = Box<dyn FnOnce(&dyn Store) + Send>;

enum Work {
    Commit(Submission),
    /// Something is to be written soon.
    Soon,
    Read(Read),
}

struct Submission {
    lane: Option<Lane>,
    number: u64,
    batch: Batch,
    conditions: Vec<Condition>,
    done: oneshot::Sender<Result<(), StoreError>>,
}

impl Committer {
    /// Starts the writer of `store` on its own thread.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Committer::keeping(store, KEPT)
    }

    /// The same, with so many bytes of what was read or written lately in memory.
    pub fn keeping(store: Arc<dyn Store>, bytes: usize) -> Self {
        let (mut committer, writer) = Committer::on(store, bytes);
        let thread = std::thread::Builder::new().name("committer".to_owned()).spawn(move || writer.run());
        committer.writer = Some(thread.expect("the system starts a thread"));
        committer
    }

    /// A committer without a thread: batches are written only in the [turns](Writer::turn) given to its writer. The
    /// writer must live as long as anybody submits anything.
    pub fn by_hand(store: Arc<dyn Store>) -> (Self, Writer) {
        Committer::on(store, KEPT)
    }

    fn on(store: Arc<dyn Store>, bytes: usize) -> (Self, Writer) {
        let store = Arc::new(Cached::new(store, bytes));
        let (queue, work) = mpsc::channel();
        let shared = Arc::new(Mutex::new(Shared {
            queue: Some(queue),
            pending: BTreeMap::new(),
            submissions: 0,
            queued: 0,
            soon: BTreeMap::new(),
            failed: BTreeSet::new(),
            told: None,
            before: Vec::new(),
            readers: Vec::new(),
        }));
        let writer = Writer::new(store.clone(), shared.clone(), work);
        (Committer { store, shared, lanes: AtomicU64::new(0), writer: None }, writer)
    }

    /// Forgets what it knows of the store, because somebody else may have written to it.
    pub fn forget(&self) {
        self.store.forget();
    }

    /// Returns a new lane.
    pub fn lane(&self) -> Lane {
        Lane(self.lanes.fetch_add(1, Ordering::Relaxed))
    }

    /// The value of `key`, including submitted batches.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some((_, value)) = lock(&self.shared).pending.get(key) {
            return Ok(value.clone());
        }
        self.store.read(key)
    }

    /// The values of these keys, including submitted batches.
    ///
    /// # Errors
    /// As [`Store::read_many`].
    pub fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        // The order matters: what is written in between is read from the store.
        let pending: Vec<_> = {
            let shared = lock(&self.shared);
            keys.iter().map(|key| shared.pending.get(key).map(|(_, value)| value.clone())).collect()
        };
        let others = keys.iter().zip(&pending).filter(|(_, pending)| pending.is_none()).map(|(key, _)| key.clone());
        let mut read = self.store.read_many(&others.collect::<Vec<_>>())?.into_iter();
        Ok(pending.into_iter().map(|value| value.unwrap_or_else(|| read.next().flatten())).collect())
    }

    /// The durable values of these keys.
    ///
    /// # Errors
    /// As [`Store::read_many`].
    pub fn read_many_durable(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.store.read_many(keys)
    }

    /// The durable value of `key`, without submitted batches that are not durable yet.
    ///
    /// # Errors
    /// As [`Store::read`].
    pub fn read_durable(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.read(key)
    }

    /// Whether others may write to the store, and what was written may be said.
    pub fn lease(&self) -> Lease {
        self.store.lease()
    }

    /// From now on `told` hears of all writes once they are durable, on the writer's thread: it must be quick. Whoever heard
    /// of them before does no longer.
    pub fn tell(&self, told: impl Fn(&Batch) + Send + Sync + 'static) {
        lock(&self.shared).told = Some(Arc::new(told));
    }

    /// The durable records under `prefix`, without submitted batches that are not durable yet.
    pub fn stored<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = Result<(String, Vec<u8>), StoreError>> + 'a {
        scan_all(&*self.store, prefix)
    }

    /// Submits a batch of `lane`, or of none, to be written at once.
    pub fn submit(&self, lane: Option<Lane>, batch: Batch) -> Ticket {
        let mut shared = lock(&self.shared);
        let (submission, ticket) = shared.submission(lane, batch);
        shared.queued = submission.number;
        shared.send(Work::Commit(submission));
        ticket
    }

    /// Submits a batch of `lane`, or of none, that nobody waits for. It is written with a later one, or after a moment.
    pub fn submit_soon(&self, lane: Option<Lane>, batch: Batch) -> Ticket {
        let mut shared = lock(&self.shared);
        let (submission, ticket) = shared.submission(lane, batch);
        shared.soon.insert(submission.number, submission);
        if shared.soon.len() == 1 {
            shared.send(Work::Soon);
        }
        ticket
    }

    /// Submits a batch and waits until it is durable. Not for async code.
    ///
    /// # Errors
    /// It is not durable.
    pub fn commit(&self, lane: Option<Lane>, batch: Batch) -> Result<(), StoreError> {
        self.submit(lane, batch).blocking_recv().expect("the writer answers each submission")
    }

    /// Runs `read` on its own thread, with the store as it is between two commits, including everything submitted
    /// before. Later commits do not wait for it, and it does not see them.
    pub fn snapshot(&self, read: impl FnOnce(&dyn Store) + Send + 'static) {
        let (store, shared) = (self.store.clone(), self.shared.clone());
        self.between_commits(move |_| {
            let before = Arc::<Before>::default();
            let since = Arc::downgrade(&before);
            let position = store.position();
            let snapshot = Snapshot { store, before, position };
            let reader = std::thread::Builder::new().name("reader".to_owned()).spawn(move || read(&snapshot));
            let mut shared = lock(&shared);
            shared.readers.retain(|reader| !reader.is_finished());
            match reader {
                Ok(reader) => {
                    shared.before.push(since);
                    shared.readers.push(reader);
                }
                // The caller notices because `read` is dropped.
                Err(error) => {
                    tracing::error!(%error, "nothing can be read beside the commits: no thread can be started")
                }
            }
        });
    }

    /// Runs `work` on the writer's thread, between two commits. Until it returns, nothing is written except what it
    /// commits itself.
    pub fn between_commits(&self, work: impl FnOnce(&dyn Store) + Send + 'static) {
        lock(&self.shared).send(Work::Read(Box::new(work)));
    }
}

impl Shared {
    /// Numbers a submission; from now on its values can be read, unless it relies on anything.
    fn submission(&mut self, lane: Option<Lane>, mut batch: Batch) -> (Submission, Ticket) {
        self.submissions += 1;
        let number = self.submissions;
        let conditions = batch.take_conditions();
        for (key, value) in batch.iter().filter(|_| conditions.is_empty()) {
            self.pending.insert(key.clone(), (number, value.clone()));
        }
        let (done, ticket) = oneshot::channel();
        (Submission { lane, number, batch, conditions, done }, ticket)
    }

    fn send(&self, work: Work) {
        let queue = self.queue.as_ref().expect("the queue lives as long as the committer");
        queue.send(work).expect("so does the writer");
    }

    /// The snapshots being read, which must keep the old values of what is written now.
    fn snapshots(&mut self) -> Vec<Arc<Before>> {
        self.before.retain(|before| before.strong_count() > 0);
        self.before.iter().filter_map(Weak::upgrade).collect()
    }

    /// The submissions to be written soon that overtake nothing if they are written with submission `taken`, the last
    /// one that left the queue.
    fn soon_with(&mut self, taken: u64) -> BTreeMap<u64, Submission> {
        if self.queued <= taken {
            return std::mem::take(&mut self.soon);
        }
        let later = self.soon.split_off(&taken);
        std::mem::replace(&mut self.soon, later)
    }
}

impl Drop for Committer {
    /// Returns when everything submitted is written and every snapshot is read.
    fn drop(&mut self) {
        lock(&self.shared).queue = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the committer's thread panicked");
        }
        let readers = std::mem::take(&mut lock(&self.shared).readers);
        if readers.into_iter().any(|reader| reader.join().is_err()) {
            tracing::error!("a thread that read beside the commits panicked");
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().expect("nothing panics holding it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;
    use std::sync::atomic::AtomicBool;
    use tokio::time::Instant;

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

    /// Blocks the writer until the returned sender is dropped.
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
        let tickets: Vec<_> = (0..64).map(|n| committer.submit(None, one(&format!("k{n}"), "v"))).collect();
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
    fn what_is_written_soon_overtakes_nothing_and_is_written_at_last() {
        let store = Arc::new(Moody::default());
        let committer = Committer::new(store.clone());
        let held = hold(&committer);
        let first = committer.submit(None, one("k", "first"));
        committer.submit_soon(None, one("k", "soon"));
        committer.submit_soon(None, one("l", "soon"));
        assert_eq!(committer.read("k").unwrap().as_deref(), Some(b"soon".as_slice()));
        drop(held);
        first.blocking_recv().unwrap().unwrap();
        committer.commit(None, one("m", "later")).unwrap();
        assert_eq!(store.read("k").unwrap().as_deref(), Some(b"soon".as_slice()));
        committer.submit_soon(None, one("l", "last"));
        drop(committer);
        assert_eq!(store.read("l").unwrap().as_deref(), Some(b"last".as_slice()));
    }

    #[test]
    fn what_is_read_behind_a_commit_is_read() {
        let committer = Committer::new(Arc::new(Memory::default()));
        let held = hold(&committer);
        let ticket = committer.submit(None, one("k", "v"));
        let (done, read) = mpsc::channel();
        committer.between_commits(move |store| drop(done.send(store.read("k"))));
        drop(held);
        ticket.blocking_recv().unwrap().unwrap();
        assert_eq!(read.recv().unwrap().unwrap().as_deref(), Some(b"v".as_slice()));
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

    /// A batch that takes `key` if it still has this value.
    fn takes(key: &str, value: &str, by: &str) -> Batch {
        let mut batch = one(by, "took it");
        batch.delete(key);
        batch.rely_on(Condition::Value(key.to_owned(), Some(value.into())));
        batch
    }

    #[test]
    fn of_batches_that_take_the_same_thing_one_is_written_whether_or_not_they_wait_together() {
        for alone in [true, false] {
            let committer = Committer::new(Arc::new(Memory::default()));
            committer.commit(None, one("word", "table")).unwrap();
            let held = hold(&committer);
            let lanes = [committer.lane(), committer.lane(), committer.lane()];
            let tickets = lanes.map(|lane| {
                let ticket = committer.submit(Some(lane), takes("word", "table", &format!("{lane:?}")));
                // What comes between them is written by itself.
                alone.then(|| committer.between_commits(|_| {}));
                ticket
            });
            // Nobody reads what may be refused.
            assert_eq!(committer.read("word").unwrap().as_deref(), Some(b"table".as_slice()));
            drop(held);
            let told = tickets.map(|ticket| ticket.blocking_recv().unwrap());
            assert_eq!(told, [Ok(()), Err(StoreError::Overtaken), Err(StoreError::Overtaken)]);
            assert_eq!(committer.read("word").unwrap(), None);
            let took = |lane: &Lane| committer.read(&format!("{lane:?}")).unwrap().is_some();
            assert_eq!(lanes.each_ref().map(took), [true, false, false], "nothing of a refused batch is written");
            // A refused batch closes its lane like any other failure, and no other lane.
            assert!(committer.commit(Some(lanes[1]), one("k", "v")).is_err());
            committer.commit(Some(lanes[0]), one("k", "v")).unwrap();
        }
    }

    #[test]
    fn a_batch_that_relies_on_which_keys_there_are_sees_those_of_earlier_batches() {
        let committer = Committer::new(Arc::new(Memory::default()));
        committer.commit(None, one("seat/a", "")).unwrap();
        let sits = |who: &str, known: &[&str]| {
            let mut batch = one(&format!("seat/{who}"), "");
            let known = known.iter().map(|key| format!("seat/{key}")).collect();
            batch.rely_on(Condition::Keys("seat/".to_owned(), known));
            batch
        };
        let held = hold(&committer);
        let mut leaves = Batch::default();
        leaves.delete("seat/a");
        let tickets = [sits("b", &["a"]), sits("c", &["a"]), leaves, sits("d", &["b"]), sits("b", &["b", "d"])];
        let tickets = tickets.map(|batch| committer.submit(None, batch));
        drop(held);
        let told = tickets.map(|ticket| ticket.blocking_recv().unwrap().is_ok());
        assert_eq!(told, [true, false, true, true, true]);
    }

    #[test]
    fn what_a_failed_write_took_can_be_taken_again() {
        let store = Arc::new(Moody::default());
        let committer = Committer::new(store.clone());
        committer.commit(None, one("word", "table")).unwrap();
        store.full.store(true, Ordering::Relaxed);
        let held = hold(&committer);
        let tickets = ["a", "b"].map(|who| committer.submit(None, takes("word", "table", who)));
        drop(held);
        let [first, second] = tickets.map(|ticket| ticket.blocking_recv().unwrap());
        assert_eq!((first, second), (Err(StoreError::Unavailable("full".to_owned())), Err(StoreError::Overtaken)));
        store.full.store(false, Ordering::Relaxed);
        committer.commit(None, takes("word", "table", "b")).unwrap();
        assert!(committer.read("b").unwrap().is_some());
    }

    #[test]
    fn by_hand_nothing_is_written_but_in_turns_and_what_is_soon_waits_a_moment() {
        let store = Arc::new(Moody::default());
        let (committer, mut writer) = Committer::by_hand(store.clone());
        let begun = Instant::now();
        assert_eq!(writer.turn(begun), Some(Wait::ForWork));
        committer.submit_soon(None, one("k", "soon"));
        assert_eq!(writer.turn(begun), Some(Wait::No));
        let Some(Wait::Until(due)) = writer.turn(begun) else { panic!("it waits for a group to go with") };
        assert!(due > begun);
        let mut ticket = committer.submit(None, one("l", "now"));
        assert!(ticket.try_recv().is_err() && store.commits.load(Ordering::Relaxed) == 0);
        assert_eq!(writer.turn(begun), Some(Wait::No));
        ticket.try_recv().unwrap().unwrap();
        assert_eq!((store.read("k").unwrap().is_some(), store.commits.load(Ordering::Relaxed)), (true, 1));
        committer.submit_soon(None, one("m", "alone"));
        assert_eq!(writer.turn(due), Some(Wait::No));
        let Some(Wait::Until(later)) = writer.turn(due) else { panic!("the moment begins again") };
        assert_eq!(writer.turn(later), Some(Wait::No));
        assert!(store.read("m").unwrap().is_some());
        drop(committer);
        assert_eq!(writer.turn(later), None);
    }
}
