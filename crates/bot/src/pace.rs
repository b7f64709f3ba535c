//! What paces the tasks of a bot: how they wait, where one may be held up, and which thread does long work. In the program
//! that is tokio; a simulation brings its own, so that the order of everything is its choice.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A place at which any task may lose its turn to others, for any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A desk got a delivery, and has not looked at it.
    Delivered,
    /// A desk has accepted a delivery, and has put nothing of it into a queue.
    Accepted,
    /// A queue is about to play an event.
    Play,
    /// A queue has heard what comes of an event, and has handed nothing of it to the committer.
    Heard,
    /// A queue has played an event, and has said nothing of it.
    Played,
    /// A sender is about to hand a post to its network.
    Say,
    /// A sender knows what came of a post, and has not marked it.
    Said,
}

/// What may take long is done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongWork {
    /// On a thread where nothing waits for it.
    Aside,
    /// On the thread of the task.
    Here,
}

/// Resolves when a task may go on.
pub type Held = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Paces the tasks.
pub trait Pace: Send + Sync {
    /// Resolves after so long.
    fn sleep(&self, wait: Duration) -> Held;

    /// What holds up a task that comes to this place, if anything does.
    fn hold(&self, at: Step) -> Option<Held>;

    /// Where long work is done.
    fn long_work(&self) -> LongWork;
}

/// As fast as tokio goes.
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
