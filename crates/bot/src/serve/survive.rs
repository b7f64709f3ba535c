//! Notices that a task panicked, and starts it again.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// The pause before it is started again: at first and at most.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// A task that ran this long before it panicked is started again after the shortest pause.
const HELD: Duration = Duration::from_secs(600);

/// Runs the future that `begin` makes, and starts it again after a growing pause whenever it panics. Returns its
/// output.
pub async fn survive<F: Future>(what: &str, mut begin: impl FnMut() -> F) -> F::Output {
    let mut wait = FIRST_WAIT;
    loop {
        let began = Instant::now();
        if let Some(done) = unless_it_panics(begin()).await {
            return done;
        }
        if began.elapsed() > HELD {
            wait = FIRST_WAIT;
        }
        // The panic message may contain what somebody said, which must never be logged.
        let again_in_s = wait.as_secs();
        tracing::error!(again_in_s, "{what} ended by a mistake in this program, and is begun again");
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

/// Awaits a future. Returns `None` if it panics; it is dropped then.
async fn unless_it_panics<F: Future>(future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[tokio::test]
    async fn what_panics_is_begun_again_after_a_pause() {
        let (tried, began) = (Cell::new(0), Instant::now());
        let attempt = || async {
            tokio::task::yield_now().await;
            tried.set(tried.get() + 1);
            assert!(tried.get() == 2, "not yet");
            "done"
        };
        assert_eq!(survive("a task", attempt).await, "done");
        assert!(began.elapsed() >= FIRST_WAIT);
    }
}
