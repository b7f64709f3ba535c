//! How many commands a second a bot answers.

use crate::stage;
use bot::Bot;
use journal::store::Store;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use table::Host;
use tests::seated::Seating;

/// How long it is measured.
pub const TIME: Duration = Duration::from_secs(2);

/// A bot over a store.
pub fn host(store: Arc<dyn Store>) -> Host {
    Seating::of(|| vec![mvk::plugin(), roll::plugin()]).over(store).host()
}

/// Commands a second at this many tables. Each types its next command when the last one is answered.
pub fn commands(store: Arc<dyn Store>, tables: usize, command: &'static str) -> f64 {
    // On the same store too, no message comes twice.
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let (told, rate) = mpsc::channel();
    stage::play(Arc::new(Bot::new(host(store))), RUNS.fetch_add(1, Ordering::Relaxed), move |mut voice| async move {
        // The first command creates the table, and neither it nor its time is counted.
        for table in 0..tables {
            voice.say(stage::room(table), command).await;
        }
        for _ in 0..tables {
            voice.heard().await;
        }
        for table in 0..tables {
            voice.say(stage::room(table), command).await;
        }
        let start = now();
        let mut count = 0u32;
        while start.elapsed() < TIME {
            let room = voice.heard().await;
            count += 1;
            voice.say(room, command).await;
        }
        told.send(f64::from(count) / start.elapsed().as_secs_f64()).expect("the benchmark waits");
    });
    rate.recv().expect("the script reports")
}

/// The time now.
pub fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}
