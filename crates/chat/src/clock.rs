//! The time. This is the only place that asks for it; tests inject their own clock.

use jiff::Timestamp;

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
        Timestamp::now()
    }
}
