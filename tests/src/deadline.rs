//! How long to wait.

use std::time::{Duration, Instant};

/// The moment at which waiting ends.
#[derive(Clone, Copy)]
pub(crate) struct Deadline(Instant);

impl Deadline {
    /// A deadline after this time.
    pub(crate) fn after(time: Duration) -> Self {
        Deadline(now() + time)
    }

    /// The time left, or `None` once it is over.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.checked_duration_since(now()).filter(|left| !left.is_zero())
    }

    /// The earlier of the two.
    pub(crate) fn or_after(self, time: Duration) -> Self {
        Deadline(self.0.min(now() + time))
    }
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "waiting for a real server takes real time")]
    Instant::now()
}
