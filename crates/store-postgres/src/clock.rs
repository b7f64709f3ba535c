//! Time that goes on while the machine sleeps, which is what a lease needs.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The time since the machine was started, including the time when it slept.
pub fn now() -> Duration {
    let time = clock_gettime(ClockId::Boottime);
    let whole = |number: i64| u64::try_from(number).unwrap_or_default();
    Duration::new(whole(time.tv_sec), u32::try_from(time.tv_nsec).unwrap_or_default())
}
