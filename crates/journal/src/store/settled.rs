//! A database below a store, closed after a failure and reopened before it answers.
//!
//! A commit that failed halfway may have been done all the same. So each commit has a number, and the database stores
//! the number of its last one. After any failure it is closed, reopened and asked for that number before anybody is
//! told.

use super::{Batch, StoreError};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

/// A database that counts its commits.
pub trait Engine: Send + Sync {
    /// The number of the last commit in it, 0 before the first.
    fn commits(&self) -> u64;

    /// Makes commit `number`: all of `batch`, and the number, durable together.
    ///
    /// # Errors
    /// Something failed halfway. The commit may have been made or not.
    fn commit(&self, batch: &Batch, number: u64) -> Result<(), StoreError>;
}

/// An open database that is reopened after a failure.
pub struct Settled<E> {
    opener: Opener<E>,
    /// `None` after a failure, until it is reopened; and how often it has been reopened.
    open: RwLock<(Option<E>, u64)>,
    /// Held by the commit in progress.
    turn: Mutex<()>,
    pause: Box<dyn Fn(Duration) + Send + Sync>,
}

type Opener<E> = Box<dyn Fn() -> Result<E, StoreError> + Send + Sync>;

/// How long to wait before trying again to open the database.
const PAUSE: Duration = Duration::from_millis(200);
/// How often to try before reporting that the result is unknown.
const TRIES: u32 = 5;

impl<E: Engine> Settled<E> {
    /// Opens the database with `opener`, which is called again after each failure.
    ///
    /// # Errors
    /// Those of `opener`.
    pub fn open(opener: impl Fn() -> Result<E, StoreError> + Send + Sync + 'static) -> Result<Self, StoreError> {
        let open = RwLock::new((Some(opener()?), 0));
        Ok(Settled { opener: Box::new(opener), open, turn: Mutex::default(), pause: Box::new(std::thread::sleep) })
    }

    /// The same, where time passes in this way while it waits.
    #[must_use]
    pub fn pausing(mut self, pause: impl Fn(Duration) + Send + Sync + 'static) -> Self {
        self.pause = Box::new(pause);
        self
    }

    /// Reads with `work`. If it fails or panics, the database is reopened before anything else.
    ///
    /// # Errors
    /// Those of `work`, and those of reopening the database; [`StoreError::Damaged`] if `work` panics.
    pub fn read<T>(&self, work: impl Fn(&E) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let which = Cell::new(0);
        let read = catch_unwind(AssertUnwindSafe(|| self.with(&which, work)));
        let panicked = |_| Err(StoreError::damaged("(the database's own)", "the database panicked while it was read"));
        let panics = read.is_err();
        let read = read.unwrap_or_else(panicked);
        // Damage reported as an error leaves the database open.
        if panics || matches!(read, Err(StoreError::Unavailable(_) | StoreError::InDoubt(_))) {
            self.close(which.get());
        }
        read
    }

    /// Commits `batch` under the next number, as [`Store::commit`](super::Store::commit) promises.
    ///
    /// # Errors
    /// Those of that method.
    pub fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        match batch.is_empty() {
            true => Ok(()),
            false => self.commit_by(|open, number| open.commit(batch, number)),
        }
    }

    /// Makes the next commit with `work`, which gets its number and must make that durable last.
    ///
    /// # Errors
    /// Those of [`Store::commit`](super::Store::commit).
    pub fn commit_by(&self, work: impl Fn(&E, u64) -> Result<(), StoreError>) -> Result<(), StoreError> {
        // A failed commit that is in doubt is settled before the next one begins.
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let which = Cell::new(0);
        let number = self.with(&which, |open| Ok(open.commits() + 1))?;
        let work = || self.with(&which, |open| work(open, number));
        let panicked = |_| Err(StoreError::Unavailable("the database panicked".to_owned()));
        match catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked) {
            Ok(()) => Ok(()),
            Err(failure) => self.settle(number, which, failure),
        }
    }

    /// Runs `work` on the open database, reopening it first after a failure. Says `which` it was, by how often it had been
    /// reopened.
    fn with<T>(&self, which: &Cell<u64>, work: impl Fn(&E) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if let (Some(open), times) = &*self.read_lock() {
            which.set(*times);
            return work(open);
        }
        let mut closed = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if closed.0.is_none() {
            *closed = (Some((self.opener)()?), closed.1 + 1);
            tracing::warn!("the database was opened again after a failure");
        }
        drop(closed);
        match &*self.read_lock() {
            (Some(open), times) => {
                which.set(*times);
                work(open)
            }
            (None, _) => Err(StoreError::Unavailable("the database failed again at once".to_owned())),
        }
    }

    fn read_lock(&self) -> RwLockReadGuard<'_, (Option<E>, u64)> {
        // A panic while reading leaves nothing half done, so poison can be ignored.
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out whether commit `number`, which failed halfway, was done: the reopened database knows. If it cannot be
    /// reopened, for example because the disk is full, that is reported, and the next commit looks first.
    fn settle(&self, number: u64, which: Cell<u64>, failure: StoreError) -> Result<(), StoreError> {
        self.close(which.get());
        for _ in 0..TRIES {
            match self.with(&which, |open| Ok(open.commits())) {
                Ok(commits) if commits >= number => {
                    tracing::warn!(error = %failure, "a write failed on its way, and was done nevertheless");
                    return Ok(());
                }
                Ok(_) => return Err(failure),
                Err(damaged @ StoreError::Damaged { .. }) => return Err(damaged),
                Err(error) => tracing::warn!(%error, "the database cannot be opened again yet"),
            }
            (self.pause)(PAUSE);
        }
        Err(StoreError::InDoubt(failure.to_string()))
    }
}

impl<E> Settled<E> {
    /// Closes the database, unless it has been reopened since: whoever failed on the old one says nothing about the new one.
    fn close(&self, which: u64) {
        let open = {
            let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
            if open.1 == which { open.0.take() } else { None }
        };
        // Closing a database writes and syncs once more, which may panic if it cannot.
        if catch_unwind(AssertUnwindSafe(|| drop(open))).is_err() {
            tracing::warn!("the database was not closed in order");
        }
    }
}

impl<E> Drop for Settled<E> {
    fn drop(&mut self) {
        let which = self.open.get_mut().unwrap_or_else(PoisonError::into_inner).1;
        self.close(which);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// A database with its number in the order of opening. None can be closed in order.
    struct Opened(u32);

    impl Drop for Opened {
        fn drop(&mut self) {
            panic!("on purpose")
        }
    }

    impl Engine for Opened {
        fn commits(&self) -> u64 {
            0
        }

        fn commit(&self, _: &Batch, _: u64) -> Result<(), StoreError> {
            panic!("on purpose")
        }
    }

    fn opened() -> Settled<Opened> {
        let times = Arc::new(AtomicU32::new(0));
        Settled::open(move || Ok(Opened(times.fetch_add(1, Ordering::SeqCst) + 1))).unwrap()
    }

    #[test]
    fn after_a_read_that_failed_or_panicked_the_database_is_opened_anew_and_after_damage_it_is_not() {
        let settled = opened();
        let which = || settled.read(|open| Ok(open.0)).unwrap();
        let failing = |error: StoreError| settled.read(|_| Err::<(), _>(error.clone())).unwrap_err();
        assert_eq!(which(), 1);
        failing(StoreError::damaged("key", "its checksum does not fit"));
        assert_eq!(which(), 1);
        failing(StoreError::Unavailable("gone".to_owned()));
        assert_eq!(which(), 2);
        let panicked = settled.read(|_| -> Result<(), _> { panic!("on purpose") }).unwrap_err();
        assert!(matches!(panicked, StoreError::Damaged { .. }));
        assert_eq!(which(), 3);
    }

    #[test]
    fn whoever_failed_before_the_database_was_opened_anew_does_not_close_the_new_one() {
        let (settled, which) = (opened(), Cell::new(7));
        let now = || settled.with(&which, |open| Ok(open.0)).unwrap();
        assert_eq!((now(), which.get()), (1, 0));
        settled.close(0);
        assert_eq!((now(), which.get()), (2, 1));
        // Another one that failed on the first one comes later.
        settled.close(0);
        assert_eq!((now(), which.get()), (2, 1));
    }

    #[test]
    fn a_commit_that_panics_failed_unless_the_database_says_otherwise() {
        let settled = opened();
        let mut batch = Batch::default();
        batch.put("a", "1");
        assert!(matches!(settled.commit(&batch), Err(StoreError::Unavailable(_))));
        assert_eq!(settled.read(|open| Ok(open.0)).unwrap(), 2);
    }
}
