//! What the bot's tasks run on: time that passes only when the director lets it, and places where a task is held until
//! the director lets it go.

use crate::luck::Luck;
use bot::{Held, LongWork, Pace, Step};
use chat::Clock;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// The start of the simulated world, in seconds since 1970.
const BEGINNING: i64 = 1_800_000_000;

/// Time and order, shared by the director and the tasks.
#[derive(Clone)]
pub struct Ground(Arc<Mutex<Inner>>);

struct Inner {
    /// The age of the world.
    now: Duration,
    /// The error of the wall clock.
    wrong: SignedDuration,
    luck: Luck,
    /// The percentage of steps held up.
    holds: u32,
    next: u64,
    /// Waiting tasks, in the order they began to wait.
    waiting: BTreeMap<u64, Waiting>,
}

struct Waiting {
    until: Until,
    waker: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// Until the director releases it.
    Released,
    /// Until a time.
    Time(Duration),
    /// No longer.
    Over,
}

impl Ground {
    /// A new world where this percentage of steps is held up.
    pub fn new(luck: Luck, holds: u32) -> Self {
        let (now, wrong) = (Duration::ZERO, SignedDuration::ZERO);
        Ground(Arc::new(Mutex::new(Inner { now, wrong, luck, holds, next: 0, waiting: BTreeMap::new() })))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("nothing panics holding it")
    }

    /// The age of the world.
    pub fn elapsed(&self) -> Duration {
        self.inner().now
    }

    /// The tasks that the director can release.
    pub fn held(&self) -> Vec<u64> {
        let inner = self.inner();
        inner.waiting.iter().filter(|(_, each)| each.until == Until::Released).map(|(id, _)| *id).collect()
    }

    /// Releases a task.
    pub fn release(&self, id: u64) {
        let waker = self.inner().waiting.get_mut(&id).and_then(Waiting::end);
        waker.into_iter().for_each(Waker::wake);
    }

    /// When the sleeping tasks wake.
    pub fn wakings(&self) -> Vec<Duration> {
        let inner = self.inner();
        let times = inner.waiting.values().filter_map(|each| match each.until {
            Until::Time(time) => Some(time),
            _ => None,
        });
        times.collect()
    }

    /// Lets time pass up to `time`, and wakes everyone who slept until then.
    pub fn pass(&self, time: Duration) {
        let mut inner = self.inner();
        inner.now = inner.now.max(time);
        let now = inner.now;
        let due = |each: &&mut Waiting| matches!(each.until, Until::Time(time) if time <= now);
        let woken: Vec<_> = inner.waiting.values_mut().filter(due).filter_map(Waiting::end).collect();
        drop(inner);
        woken.into_iter().for_each(Waker::wake);
    }

    /// Sets the error of the wall clock.
    pub fn set_wrong(&self, by: SignedDuration) {
        self.inner().wrong = by;
    }

    /// From now on nothing is held up and the clock is right.
    pub fn calm(&self) {
        let mut inner = self.inner();
        (inner.holds, inner.wrong) = (0, SignedDuration::ZERO);
        drop(inner);
        self.held().into_iter().for_each(|id| self.release(id));
    }

    fn wait(&self, until: Until) -> Held {
        let mut inner = self.inner();
        inner.next += 1;
        let id = inner.next;
        inner.waiting.insert(id, Waiting { until, waker: None });
        Box::pin(Wait { ground: self.clone(), id })
    }
}

impl Waiting {
    /// Ends the wait. Returns whom to wake.
    fn end(&mut self) -> Option<Waker> {
        self.until = Until::Over;
        self.waker.take()
    }
}

impl Clock for Ground {
    fn now(&self) -> Timestamp {
        let inner = self.inner();
        let since = SignedDuration::try_from(inner.now).expect("a run is short") + inner.wrong;
        let beginning = Timestamp::from_second(BEGINNING).expect("it is in range");
        beginning.saturating_add(since).expect("so is every time of a run")
    }
}

impl Pace for Ground {
    fn sleep(&self, wait: Duration) -> Held {
        let until = self.elapsed() + wait;
        self.wait(Until::Time(until))
    }

    fn hold(&self, _: Step) -> Option<Held> {
        let mut inner = self.inner();
        let holds = inner.holds;
        let held = holds > 0 && inner.luck.percent(holds);
        drop(inner);
        held.then(|| self.wait(Until::Released))
    }

    fn long_work(&self) -> LongWork {
        LongWork::Here
    }
}

/// A waiting task.
struct Wait {
    ground: Ground,
    id: u64,
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut inner = self.ground.inner();
        match inner.waiting.get_mut(&self.id) {
            Some(waiting) if waiting.until != Until::Over => {
                waiting.waker = Some(context.waker().clone());
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.ground.inner().waiting.remove(&self.id);
    }
}
