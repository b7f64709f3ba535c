//! The lease of a shard: who may write, since when, and until when.

use crate::database::{Database, open};
use crate::mark::Mark;
use crate::session::{Session, Won};
use crate::statements::Holder;
use crate::{GIVEN_UP, LEASE, RENEWED};
use journal::store::{Lease, StoreError};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often somebody who waits for a lease looks.
const LOOKS: Duration = Duration::from_secs(1);
/// How soon a renewal that failed is tried again.
const AGAIN: Duration = Duration::from_millis(200);

/// A lease that was taken.
pub struct Held {
    /// The newest fence that the database acknowledged.
    fence: AtomicI64,
    /// When it was last asked for with success, in milliseconds of [`Database::now`].
    renewed: AtomicU64,
    /// True once it was too old to say anything. It stays so: what was not said then is left to the next start.
    ended: AtomicBool,
    /// True once somebody else has it, or it was let go.
    lost: AtomicBool,
    /// The number of the last commit that the database acknowledged.
    acknowledged: AtomicU64,
    /// Why it was not renewed at the last try.
    trouble: Mutex<Option<String>>,
    /// How many tries failed.
    failures: AtomicU64,
}

impl Held {
    fn new(fence: i64, asked: Duration, acknowledged: u64) -> Self {
        Held {
            fence: AtomicI64::new(fence),
            renewed: AtomicU64::new(milliseconds(asked)),
            ended: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            acknowledged: AtomicU64::new(acknowledged),
            trouble: Mutex::default(),
            failures: AtomicU64::new(0),
        }
    }

    /// What is left of it now, counted from before it was asked for.
    pub fn lease(&self, now: Duration) -> Lease {
        let age = self.renewed_ago(now);
        if age >= GIVEN_UP {
            self.ended.store(true, Ordering::Release);
        }
        match (self.lost.load(Ordering::Acquire) || age >= LEASE, self.ended.load(Ordering::Acquire)) {
            (true, _) => Lease::Taken,
            (false, true) => Lease::Ended,
            (false, false) => Lease::Held,
        }
    }

    /// How long ago the request was made that renewed it last.
    pub fn renewed_ago(&self, now: Duration) -> Duration {
        now.saturating_sub(Duration::from_millis(self.renewed.load(Ordering::Acquire)))
    }

    /// Why it was not renewed at the last try.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many tries to renew it have failed.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Notes what was wrong with a try to renew it, and returns what was wrong with the one before.
    fn tried(&self, trouble: Option<String>) -> Option<String> {
        self.failures.fetch_add(u64::from(trouble.is_some()), Ordering::Relaxed);
        std::mem::replace(&mut *self.trouble.lock().unwrap_or_else(PoisonError::into_inner), trouble)
    }

    /// Notes that a request made at `asked` renewed it under this fence, in a database with so many commits.
    pub fn goes_on(&self, fence: i64, asked: Duration, commits: u64) {
        self.fence.fetch_max(fence, Ordering::AcqRel);
        self.acknowledged.fetch_max(commits, Ordering::AcqRel);
        self.renew(asked);
    }

    /// The newest fence that the database acknowledged.
    pub fn fence(&self) -> i64 {
        self.fence.load(Ordering::Acquire)
    }

    fn renew(&self, asked: Duration) {
        self.renewed.fetch_max(milliseconds(asked), Ordering::AcqRel);
    }

    /// If a database with so many commits lacks any that were acknowledged: that, in words.
    pub fn lost_of(&self, commits: u64) -> Option<String> {
        let acknowledged = self.acknowledged.load(Ordering::Acquire);
        let lost = acknowledged.checked_sub(commits).filter(|lost| *lost > 0)?;
        Some(format!("the database lost the last {lost} of {acknowledged} writes"))
    }

    /// Notes that somebody else has it.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Release);
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A batch found that the lease, or the number of commits, is not what it was.
pub fn refused() -> StoreError {
    StoreError::Unavailable("the lease had changed, so nothing was written".to_owned())
}

/// Somebody else has the lease.
pub fn ended() -> StoreError {
    StoreError::Unavailable("the lease of the shard has ended: nothing more is read or written".to_owned())
}

/// What to do while somebody else holds the lease.
#[derive(Clone, Copy)]
pub enum Wait<'a> {
    /// Give up once it is renewed.
    Briefly,
    /// Wait as long as it takes. This is told who holds it, at each look.
    ForAsLong(&'a dyn Fn(&str)),
}

/// Looks for a lease again and again.
pub struct Taking<D: Database> {
    database: Arc<D>,
    session: Option<Session<D::Line>>,
    seen: Option<Holder>,
    /// Since when it was seen like that, by this machine's clock.
    since: Duration,
    /// The newest row that is known to be safe.
    safe: Option<Holder>,
}

impl<D: Database> Taking<D> {
    /// Nobody has looked yet.
    pub fn new(database: Arc<D>) -> Self {
        Taking { since: database.now(), database, session: None, seen: None, safe: None }
    }

    /// Who had it at the last look.
    pub fn seen(&self) -> Option<&Holder> {
        self.seen.as_ref()
    }

    /// Takes the lease, if it is free now. If somebody else has it, its row must have stood still for a whole lease by
    /// this machine's clock too, since after a failover the database has another one.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn look(&mut self) -> Result<Option<Held>, StoreError> {
        let asked = self.database.now();
        let stood = self.seen.as_ref().filter(|_| asked.saturating_sub(self.since) >= LEASE);
        let (session, taken) = match self.session.take() {
            None => open(&self.database, |session| session.take(stood))?,
            Some(session) => {
                let taken = session.take(stood)?;
                (session, taken)
            }
        };
        match taken {
            Ok(won) => Ok(Some(Held::new(won.fence, asked, self.owed(&won)))),
            Err(other) => {
                if self.seen.as_ref() != Some(&other) {
                    self.see(other);
                }
                self.session = Some(session);
                Ok(None)
            }
        }
    }

    /// How many commits must be there for whoever has just taken the lease. A new shard lacks nothing, and after the operator's
    /// word nothing is missed.
    fn owed(&self, won: &Won) -> u64 {
        let Some(before) = won.before.as_ref().filter(|before| before.is_a_bot()) else {
            self.database.note(Mark { fence: won.fence, commits: 0 });
            return 0;
        };
        let marks = self.safe.iter().map(Holder::mark).chain(self.database.noted());
        marks.map(|mark| mark.owed_under(before.fence)).max().unwrap_or(0)
    }

    /// Notes that the row has changed.
    fn see(&mut self, other: Holder) {
        if let Some(before) = self.seen.take()
            && before.is_a_bot()
            && other.follows(&before)
        {
            self.is_safe(before);
        }
        (self.seen, self.since) = (Some(other), self.database.now());
    }

    /// Notes a row that is safe, since its bot has changed it again: no change is confirmed before those that it follows. The
    /// same bot may not have noticed yet that the database lost something; another one has looked for itself.
    fn is_safe(&mut self, row: Holder) {
        let mark = row.mark();
        if let Some(noted) = self.database.noted()
            && mark.commits < noted.owed_under(mark.fence)
        {
            let (shown, commits, known) = (row.shown(), mark.commits, noted.commits);
            tracing::warn!(
                "{shown} plays with {commits} writes, and this machine knows of {known}: some were lost before"
            );
            self.database.note(mark);
        }
        if self.safe.as_ref().is_none_or(|safe| mark.commits >= safe.mark().commits || row.owner != safe.owner) {
            self.safe = Some(row);
        }
    }
}

/// Takes the lease of a shard, or waits for it.
pub fn take<D: Database>(database: &Arc<D>, wait: Wait<'_>) -> Result<Held, StoreError> {
    let (mut taking, shard) = (Taking::new(database.clone()), &database.name().shard);
    let mut fails = false;
    loop {
        let before = taking.seen().cloned();
        match (taking.look(), taking.seen(), wait) {
            (Ok(Some(held)), ..) => return Ok(held),
            (Ok(None), Some(other), _) if other.is_kept_out() => return Err(kept_out(other, shard)),
            (Ok(None), Some(other), Wait::Briefly) if before.as_ref().is_some_and(|before| before != other) => {
                return Err(played(other, shard));
            }
            (Ok(None), ..) => {
                if std::mem::take(&mut fails) {
                    tracing::info!("the database answers again");
                }
            }
            (Err(_), Some(_), Wait::ForAsLong(_)) if fails => {}
            (Err(error), Some(_), Wait::ForAsLong(_)) => {
                fails = true;
                tracing::warn!(%error, "the lease cannot be looked at; I try again each second");
            }
            (Err(error), ..) => return Err(error),
        }
        match (wait, taking.seen()) {
            (Wait::ForAsLong(tell), Some(other)) => tell(&other.shown()),
            (Wait::Briefly, Some(other)) if before.is_none() => {
                let (other, seconds) = (other.shown(), LEASE.as_secs());
                tracing::info!(
                    "{other} has the shard {shard:?}: it takes up to {seconds} seconds to see whether it still plays"
                );
            }
            _ => {}
        }
        database.pause(LOOKS);
    }
}

fn played(other: &Holder, shard: &str) -> StoreError {
    StoreError::Unavailable(format!(
        "{} plays the shard {shard:?} in this database: stop that one, or give this one another shard",
        other.shown()
    ))
}

fn kept_out(other: &Holder, shard: &str) -> StoreError {
    StoreError::Unavailable(format!(
        "{}, and nothing is played until you say so: restore the database if you can, or go on without them by this statement \
         in it: update lease set until = '-infinity' where shard = '{shard}'",
        other.shown()
    ))
}

/// Renews a lease, one time after the other.
pub struct Renewals<D: Database> {
    database: Arc<D>,
    held: Arc<Held>,
    session: Option<Session<D::Line>>,
}

impl<D: Database> Renewals<D> {
    /// The renewals of a lease that was just taken.
    pub fn new(database: Arc<D>, held: Arc<Held>) -> Self {
        Renewals { database, held, session: None }
    }

    /// Renews it. Returns how long to wait until it is done again, or `None` if somebody else has taken it.
    pub fn renew(&mut self) -> Option<Duration> {
        let (asked, fence) = (self.database.now(), self.held.fence());
        let renewed = self.ask(|session| session.renew(fence));
        let shard = &self.database.name().shard;
        match renewed {
            Ok(true) => {
                self.held.renew(asked);
                if self.held.tried(None).is_some() {
                    tracing::info!(shard, "the lease is renewed again");
                }
                Some(RENEWED)
            }
            Ok(false) => {
                tracing::error!(shard, "the lease was taken: this bot writes nothing more");
                self.held.lose();
                None
            }
            Err(error) => {
                // It is logged once.
                if self.held.tried(Some(error.to_string())).is_none() {
                    tracing::warn!(%error, shard, "the lease cannot be renewed; I try again until it ends");
                }
                Some(AGAIN)
            }
        }
    }

    /// Lets the lease go. Nothing that is asked from now on is done.
    pub fn let_go(&mut self) {
        self.held.lose();
        let fence = self.held.fence();
        if let Err(error) = self.ask(|session| session.let_go(fence)) {
            let shard = &self.database.name().shard;
            tracing::warn!(%error, shard, "the lease was not let go; it ends by itself");
        }
    }

    /// Asks on the connection that is there, if there is one.
    fn ask<T>(&mut self, question: impl Fn(&Session<D::Line>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let (session, answer) = match self.session.take() {
            None => open(&self.database, question)?,
            Some(session) => {
                let answer = question(&session)?;
                (session, answer)
            }
        };
        self.session = Some(session);
        Ok(answer)
    }
}

/// Renews a lease on a thread of its own until it is dropped, and lets it go then.
pub struct Keeper {
    /// Dropped to end it.
    works: Mutex<Option<(mpsc::Sender<()>, JoinHandle<()>)>>,
}

impl Keeper {
    /// Begins to renew.
    pub fn start<D: Database>(mut renewals: Renewals<D>) -> Result<Self, StoreError> {
        let (stop, stopped) = mpsc::channel();
        let keep = move || {
            let mut pause = RENEWED;
            while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(pause) {
                match renewals.renew() {
                    Some(next) => pause = next,
                    None => return,
                }
            }
            renewals.let_go();
        };
        let thread = std::thread::Builder::new().name("lease".to_owned()).spawn(keep);
        let thread = thread.map_err(|error| StoreError::Unavailable(format!("no thread can be started: {error}")))?;
        Ok(Keeper { works: Mutex::new(Some((stop, thread))) })
    }

    /// Lets the lease go, if it was not done before.
    pub fn end(&self) {
        let Some((stop, thread)) = self.works.lock().unwrap_or_else(PoisonError::into_inner).take() else { return };
        drop(stop);
        if thread.join().is_err() {
            tracing::error!("the thread that renews the lease panicked");
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.end();
    }
}
