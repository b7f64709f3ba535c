//! The lease of a shard: who may write, since when, and until when.

use crate::connection::{Line, Site};
use crate::session::Other;
use crate::{DEADLINE, GIVEN_UP, LEASE, RENEWED, clock};
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
    /// When it was last asked for with success, in milliseconds of [`clock::now`].
    renewed: AtomicU64,
    /// True once it was too old to say anything. It stays so: what was not said then is left to the next start.
    ended: AtomicBool,
    /// True once somebody else has it, or it was let go.
    lost: AtomicBool,
    /// The number of the last commit that the database acknowledged.
    acknowledged: AtomicU64,
}

impl Held {
    fn new(fence: i64, asked: Duration) -> Self {
        Held {
            fence: AtomicI64::new(fence),
            renewed: AtomicU64::new(milliseconds(asked)),
            ended: AtomicBool::new(false),
            lost: AtomicBool::new(false),
            acknowledged: AtomicU64::new(0),
        }
    }

    /// What is left of it, counted from before it was asked for.
    pub fn lease(&self) -> Lease {
        let age = milliseconds(clock::now()).saturating_sub(self.renewed.load(Ordering::Acquire));
        if age >= milliseconds(GIVEN_UP) {
            self.ended.store(true, Ordering::Release);
        }
        match (self.lost.load(Ordering::Acquire) || age >= milliseconds(LEASE), self.ended.load(Ordering::Acquire)) {
            (true, _) => Lease::Taken,
            (false, true) => Lease::Ended,
            (false, false) => Lease::Held,
        }
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

/// What to do while somebody else holds the lease.
#[derive(Clone, Copy)]
pub enum Wait<'a> {
    /// Give up once it is renewed.
    Briefly,
    /// Wait as long as it takes. This is told who holds it, at each look.
    ForAsLong(&'a dyn Fn(&str)),
}

/// Takes the lease of a shard. If somebody else has it, waits until the row stood still for a whole lease by this machine's
/// clock too, since after a failover the database has another one.
pub fn take(site: &Arc<Site>, wait: Wait<'_>) -> Result<Held, StoreError> {
    let (mut line, mut seen, mut still) = (None::<Line>, None::<Other>, clock::now());
    loop {
        let asked = clock::now();
        let stood = seen.clone().filter(|_| asked.saturating_sub(still) >= LEASE);
        let same = site.place.same();
        let taken = match line.take() {
            None => Line::open(site, move |session| {
                let (same, stood) = (same.clone(), stood.clone());
                Box::pin(async move { session.take(LEASE, &same, stood.as_ref()).await })
            }),
            Some(open) => open
                .ask(DEADLINE, move |session| Box::pin(async move { session.take(LEASE, &same, stood.as_ref()).await }))
                .map(|taken| (open, taken)),
        };
        match taken {
            Ok((_, Ok(fence))) => return Ok(Held::new(fence, asked)),
            Ok((open, Err(other))) => {
                if other.is_kept_out() {
                    return Err(kept_out(&other, site));
                }
                line = Some(open);
                if seen.as_ref() != Some(&other) {
                    if let (Wait::Briefly, Some(_)) = (wait, &seen) {
                        return Err(played(&other, site));
                    }
                    (seen, still) = (Some(other), clock::now());
                }
            }
            Err(error) => match (wait, &seen) {
                (Wait::ForAsLong(_), Some(_)) => tracing::warn!(%error, "the lease cannot be looked at now"),
                (Wait::Briefly, _) | (_, None) => return Err(error),
            },
        }
        if let (Wait::ForAsLong(tell), Some(other)) = (wait, &seen) {
            tell(&other.shown());
        }
        std::thread::sleep(LOOKS);
    }
}

fn played(other: &Other, site: &Site) -> StoreError {
    StoreError::Unavailable(format!(
        "{} plays the shard {:?} in this database: stop that one, or give this one another shard",
        other.shown(),
        site.place.shard
    ))
}

fn kept_out(other: &Other, site: &Site) -> StoreError {
    StoreError::Unavailable(format!(
        "{}, and nothing is played until you say so: restore the database if you can, or go on without them by this statement \
         in it: update lease set until = '-infinity' where shard = '{}'",
        other.shown(),
        site.place.shard
    ))
}

/// Renews a lease until it is dropped, and lets it go then.
pub struct Keeper {
    held: Arc<Held>,
    /// Dropped to end it.
    works: Mutex<Option<(mpsc::Sender<()>, JoinHandle<()>)>>,
}

impl Keeper {
    /// Begins to renew a lease that was taken.
    pub fn start(site: Arc<Site>, held: Arc<Held>) -> Result<Self, StoreError> {
        let (stop, stopped) = mpsc::channel();
        let kept = held.clone();
        let keep = move || keep(&site, &kept, &stopped);
        let thread = std::thread::Builder::new().name("lease".to_owned()).spawn(keep);
        let thread = thread.map_err(|error| StoreError::Unavailable(format!("no thread can be started: {error}")))?;
        Ok(Keeper { held, works: Mutex::new(Some((stop, thread))) })
    }

    pub fn held(&self) -> &Held {
        &self.held
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

fn keep(site: &Arc<Site>, held: &Held, stopped: &mpsc::Receiver<()>) {
    let (mut line, mut pause) = (None::<Line>, RENEWED);
    while let Err(mpsc::RecvTimeoutError::Timeout) = stopped.recv_timeout(pause) {
        let (asked, fence) = (clock::now(), held.fence());
        let renewed = match line.take() {
            None => Line::open(site, move |session| Box::pin(session.renew(fence, LEASE))),
            Some(open) => {
                let renewed = open.ask(DEADLINE, move |session| Box::pin(session.renew(fence, LEASE)));
                renewed.map(|renewed| (open, renewed))
            }
        };
        pause = RENEWED;
        match renewed {
            Ok((open, true)) => {
                held.renew(asked);
                line = Some(open);
            }
            Ok((_, false)) => {
                tracing::error!(shard = site.place.shard, "the lease was taken: this bot writes nothing more");
                return held.lose();
            }
            Err(error) => {
                tracing::warn!(%error, shard = site.place.shard, "the lease cannot be renewed");
                pause = AGAIN;
            }
        }
    }
    // Nothing that is asked from now on is done.
    held.lose();
    let fence = held.fence();
    let gone = match line {
        Some(open) => open.ask(DEADLINE, move |session| Box::pin(session.let_go(fence))),
        None => Line::open(site, move |session| Box::pin(session.let_go(fence))).map(drop),
    };
    if let Err(error) = gone {
        tracing::warn!(%error, shard = site.place.shard, "the lease was not let go; it ends by itself");
    }
}
