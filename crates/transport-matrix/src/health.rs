//! How the connection to the homeserver is, in words for the operator.

use jiff::{SignedDuration, Timestamp};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After this many failures in a row the homeserver counts as gone. One may be a restart.
const GONE: u32 = 2;

/// How it went lately.
#[derive(Default)]
pub(crate) struct Health(Mutex<Lately>);

#[derive(Default)]
struct Lately {
    failures: u32,
    trouble: Option<String>,
    again: Option<Timestamp>,
}

impl Health {
    /// The homeserver answered.
    pub fn well(&self) {
        *self.lately() = Lately::default();
    }

    /// It did not, for this reason, and is asked again after a while.
    pub fn failed(&self, why: &str, now: Timestamp, wait: Duration) {
        let mut lately = self.lately();
        let again = SignedDuration::try_from(wait).ok().and_then(|wait| now.checked_add(wait).ok());
        *lately = Lately { failures: lately.failures + 1, trouble: Some(why.to_owned()), again };
    }

    /// True if it has not answered several times.
    pub fn is_gone(&self) -> bool {
        self.lately().failures >= GONE
    }

    /// Why it did not answer, and when it is asked next.
    pub fn trouble(&self) -> (Option<String>, Option<Timestamp>) {
        let lately = self.lately();
        (lately.trouble.clone(), lately.again)
    }

    fn lately(&self) -> MutexGuard<'_, Lately> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_is_not_the_end_and_an_answer_forgets_them() {
        let (health, now) = (Health::default(), Timestamp::UNIX_EPOCH);
        health.failed("busy", now, Duration::from_secs(2));
        assert!(!health.is_gone());
        health.failed("refused", now, Duration::from_secs(4));
        assert!(health.is_gone());
        let again = now + SignedDuration::from_secs(4);
        assert_eq!(health.trouble(), (Some("refused".to_owned()), Some(again)));
        health.well();
        assert!(!health.is_gone() && health.trouble() == (None, None));
    }
}
