//! A wrong clock, or a wrong time from a sender, destroys nothing.

use crate::attack::seated::text;
use chat::{Clock, Event, Fake, Message, PlayerId, RoomId, Speaker};
use jiff::{SignedDuration, Timestamp};
use journal::keys::{self, TableId};
use journal::store::Store;
use journal::{Entry, Page};
use std::sync::Arc;
use tests::serving::{Make, SetClock, by_ann};

fn hall() -> RoomId {
    RoomId::new("fake", "hall")
}

fn message(id: usize, sent: Timestamp, body: &str) -> Event {
    Event::Said(Message { sent, unlimited: false, ..by_ann(&format!("${id}"), "hall", body) })
}

/// Runs a bot with this clock on a network during `play`, then stops it in order and returns its store.
async fn with_bot(clock: &Arc<SetClock>, play: impl AsyncFnOnce(&Fake)) -> Arc<dyn Store> {
    let make = Make { own_clock: clock.clone(), plugins: vec!["roll"], ..Make::default() };
    make.during(Fake::redelivering("fake"), play).await
}

/// The bot's own clock.
fn a_clock() -> Arc<SetClock> {
    Arc::new(SetClock::at("2026-11-20T20:00:00Z".parse().expect("a time")))
}

async fn hear(network: &Fake) -> String {
    text(&network.hear().await)
}

/// What the bot answers to another player, whom no limit holds back, once it has heard all that was said before.
async fn after_all(network: &Fake, clock: &SetClock) -> String {
    let Event::Said(mut bob) = message(60, clock.now(), "!roll d20") else { unreachable!("it is said") };
    bob.speaker = Speaker::new(PlayerId::new("fake", "bob"), "Bob");
    network.happen(Event::Said(bob));
    hear(network).await
}

fn entries(store: &dyn Store) -> Vec<Entry> {
    let records = store.scan(&keys::entries(&TableId::of(&hall())), None, 1_000).expect("memory does not fail");
    records.into_iter().map(|(key, bytes)| Page::of_stored(&key, &bytes).expect("an entry").entry).collect()
}

#[tokio::test]
async fn forged_times_evade_no_limit() {
    let clock = a_clock();
    let store = with_bot(&clock, async |network| {
        // Even messages claim ever later times, odd ones ever earlier times.
        let now = clock.now();
        for n in 0..60_i32 {
            let apart = SignedDuration::from_mins(i64::from(if n % 2 == 0 { n } else { -n }));
            network.happen(message(usize::try_from(n).expect("small"), now + apart, "!roll d20"));
        }
        let mut said = Vec::new();
        while !said.last().is_some_and(|said: &String| said.contains("too fast")) {
            said.push(hear(network).await);
        }
        assert_eq!(said.len(), 11, "{said:?}");
        assert!(after_all(network, &clock).await.contains("#11"));
        clock.go_on(SignedDuration::from_secs(11));
        network.happen(message(61, now, "!roll d20"));
        assert!(hear(network).await.contains("#12"));
    })
    .await;
    assert_eq!(entries(&*store).len(), 12);
}

/// A line is corrected in several ways before one is shown, and only the line that was said counts.
#[tokio::test]
async fn a_refused_line_counts_once_whatever_is_tried_for_it() {
    let clock = a_clock();
    with_bot(&clock, async |network| {
        (1..40).for_each(|n| network.happen(message(n, clock.now(), &format!("!rol {n}d6+str for the bridge"))));
        let mut said = Vec::new();
        while !said.last().is_some_and(|said: &String| said.contains("too fast")) {
            said.push(hear(network).await);
            assert!(said.len() <= 11, "{said:?}");
        }
        assert_eq!(said.len(), 11, "{said:?}");
    })
    .await;
}

/// A macro without its arguments is refused before its command is known.
#[tokio::test]
async fn every_answer_counts_whatever_it_is() {
    let clock = a_clock();
    with_bot(&clock, async |network| {
        // The lines differ, so that they do not count as repetitions.
        for n in 0..8 {
            network.happen(message(100 + n, clock.now(), &format!("!macro needs{n} roll $1")));
            hear(network).await;
        }
        clock.go_on(SignedDuration::from_secs(60));
        (1..40).for_each(|n| network.happen(message(n, clock.now(), &format!("!needs{}", n % 8))));
        let mut said = Vec::new();
        while !said.last().is_some_and(|said: &String| said.contains("too fast")) {
            said.push(hear(network).await);
            assert!(said.len() <= 11, "{said:?}");
        }
        assert!(after_all(network, &clock).await.contains("1d20 ["));
        clock.go_on(SignedDuration::from_secs(60));
        network.happen(message(40, clock.now(), "!roll d6"));
        assert!(hear(network).await.contains("1d6 ["));
    })
    .await;
}

#[tokio::test]
async fn no_entry_is_dated_ahead_of_the_bot_or_before_the_one_before_it() {
    let clock = a_clock();
    let store = with_bot(&clock, async |network| {
        for (n, sent) in ["9999-12-30T00:00:00Z", "-009999-01-02T01:59:59Z", "2026-11-19T20:00:00Z"].iter().enumerate()
        {
            network.happen(message(n, sent.parse().expect("a time"), "!roll d20"));
            hear(network).await;
            clock.go_on(SignedDuration::from_secs(60));
        }
        // Old text is erased, whatever time the sender claimed.
        clock.go_on(SignedDuration::from_hours(24 * 10));
        network.happen(message(7, clock.now(), "!erase older 3"));
        let erased = hear(network).await;
        assert!(erased.contains('3'), "{erased}");
    })
    .await;
    let times: Vec<_> = entries(&*store).into_iter().map(|entry| entry.time.to_string()).collect();
    assert_eq!(times[..3], ["2026-11-20T20:00:00Z"; 3]);
    assert_eq!(times[3], "2026-11-30T20:03:00Z");
}
