//! The journal's tools at a table with 100,000 entries, on sled, from the message to the durable answer; and how long
//! it takes to write and verify an export of it.

use chat::{Event, Message, PlayerId, RoomId, Speaker};
use journal::export::{Exported, verify, write};
use journal::keys::{TableId, all_of};
use journal::store::{Batch, Memory, Store, scan_all};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use table::Sitting;
use tests::seated::Seating;

/// Entries played before the measurement.
const ENTRIES: u64 = 100_000;
/// How often each command is measured.
const TIMES: usize = 101;
/// Three players type these in a loop.
const LINES: [&str; 4] = ["roll 4d6kh3+2", "insp +1", "act d8 d10", "insp -1"];

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let memory = Arc::new(Memory::default());
    let mut table = Play::at(memory.clone());
    for number in 0..ENTRIES {
        let who = ["Ann", "Bob", "Cem"][usize::try_from(number / 4 % 3).expect("small")];
        table.say(who, LINES[usize::try_from(number % 4).expect("small")]);
    }
    table.say("Ann", "fair reveal");
    table.sitting.put_away().expect("memory does not fail");
    let store = astragal::store::look(&directory.path().join("store")).expect("a store");
    copy(&*memory, &*store);
    drop(memory);

    let mut out = std::io::stdout().lock();
    let mut line = |what: &str, mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        let [least, middle, most] = [times[0], times[times.len() / 2], times[times.len() - 1]];
        writeln!(out, "{what:<52} {middle:>9.2} ms (least {least:.2}, most {most:.2})").expect("printed");
    };
    let mut table = Play { said: table.said, ..Play::at(store.clone()) };
    for (what, who, command) in [
        ("!history", "Ann", "history"),
        ("!history 30 Bob", "Ann", "history 30 Bob"),
        ("!why", "Ann", "why"),
        ("!why #50000", "Ann", "why #50000"),
        ("!recap, a player's first", "Eve", "recap"),
        ("!waiting", "Ann", "waiting"),
        ("!now", "Ann", "now"),
        ("!now all", "Ann", "now all"),
        ("!story", "Ann", "story"),
        ("!undo, then !redo: both", "Ann", "undo"),
        ("!undo #2, which #6 and many are in the way of", "Ann", "undo #2"),
        ("!roll d20", "Ann", "roll d20"),
        ("!insp +1", "Ann", "insp +1"),
    ] {
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let start = now();
            table.say(who, command);
            if command == "undo" {
                table.say(who, "redo");
            }
            times.push(milliseconds(start));
        }
        line(what, times);
    }
    let id = TableId::of(&room());
    let exported = Exported::of(&id, |keys| store.read_many(keys)).expect("it can be read").expect("it was played at");
    let mut file = Vec::new();
    let start = now();
    write(&exported, jiff::Timestamp::UNIX_EPOCH, &mut file).expect("memory does not fail");
    line("writing the export", vec![milliseconds(start)]);
    let times = (0..5).map(|_| {
        let start = now();
        let verdict = verify(&mut file.as_slice(), |_| {}).expect("it holds");
        assert!(verdict.verifier.entries > ENTRIES && verdict.verifier.dice > ENTRIES);
        milliseconds(start)
    });
    line("verifying the export", times.collect());
    writeln!(out, "the export has {} MB", file.len() >> 20).expect("printed");
}

struct Play {
    sitting: Sitting,
    said: u64,
}

fn room() -> RoomId {
    RoomId::new("bench", "hall")
}

impl Play {
    fn at(store: Arc<dyn Store>) -> Self {
        let bot = Seating::of(|| vec![mvk::plugin(), roll::plugin()]).over(store).host();
        Play { sitting: Sitting::new(Arc::new(bot)), said: 0 }
    }

    fn say(&mut self, who: &str, line: &str) {
        self.said += 1;
        let message = Message {
            unlimited: true,
            ..Message::new(
                self.said.to_string(),
                room(),
                Speaker::new(PlayerId::new("bench", who), who),
                jiff::Timestamp::UNIX_EPOCH,
                format!("!{line}"),
            )
        };
        let heard = self.sitting.play(&Event::Said(message)).expect("the disk does not fail");
        assert_eq!(heard.posts.len(), 1, "{line}");
    }
}

fn copy(from: &dyn Store, to: &dyn Store) {
    let mut batch = Batch::default();
    let table = all_of(&TableId::of(&room()));
    for (number, record) in (1..).zip(scan_all(from, &table)) {
        let (key, value) = record.expect("memory does not fail");
        batch.put(key, value);
        if number % 1_000 == 0 {
            to.commit(&std::mem::take(&mut batch)).expect("the disk does not fail");
        }
    }
    to.commit(&batch).expect("the disk does not fail");
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    Instant::now()
}
