//! What paces the tasks of a bot: how they wait, where one may be held up, and which thread does long work. In the
//! program that is tokio. A simulation brings its own, so that it chooses the order of everything.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A place where any task may lose its turn to others, for any length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A desk got a delivery and has not looked at it yet.
    Delivered,
    /// A desk has accepted a delivery and queued nothing of it yet.
    Accepted,
    /// A queue is about to play an event.
    Play,
    /// A queue has played an event in memory and has not handed the result to the committer yet.
    Heard,
    /// A queue has played an event and said nothing of it yet.
    Played,
    /// A sender is about to hand a post to its network.
    Say,
    /// A sender knows the outcome of a post and has not marked it yet.
    Said,
}

/// Where long work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongWork {
    /// On a thread of its own, where it holds up nothing.
    Aside,
    /// On the thread of the task.
    Here,
}

/// Resolves when a task may go on.
pub type Held = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Paces the tasks.
pub trait Pace: Send + Sync {
    /// Resolves after `wait`.
    fn sleep(&self, wait: Duration) -> Held;

    /// Returns what holds up a task at this place, if anything.
    fn hold(&self, at: Step) -> Option<Held>;

    /// Where long work is done.
    fn long_work(&self) -> LongWork;
}

/// Paces nothing: tasks go as fast as tokio runs them.
pub(crate) struct Tokio;

impl Pace for Tokio {
    fn sleep(&self, wait: Duration) -> Held {
        Box::pin(tokio::time::sleep(wait))
    }

    fn hold(&self, _: Step) -> Option<Held> {
        None
    }

    fn long_work(&self) -> LongWork {
        LongWork::Aside
    }
}
