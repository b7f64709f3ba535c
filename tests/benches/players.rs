//! The cost of a command at a table that has seen many players: `cargo bench -p tests --bench players`.

use chat::{CharacterId, Event, Message, PlayerId, RoomId, Speaker};
use jiff::Timestamp;
use journal::documents::{Head, from_json, to_json};
use journal::keys;
use journal::store::{Batch, Memory, Store};
use std::sync::Arc;
use std::time::{Duration, Instant};
use table::Sitting;
use tests::seated::Seating;

/// The number of commands measured.
const MEASURED: usize = 300;

fn main() {
    for players in [10, 600, 10_000, 100_000] {
        let mut table = Table::new(Arc::new(Memory::default()));
        table.filled(players);
        table.report(&format!("{players} players, in memory"));
    }
    for seen in [10, 10_000, 100_000] {
        let mut table = Table::new(Arc::new(Memory::default()));
        table.filled(10);
        table.seen_before(seen);
        table.timed("!roll d6");
        table.report(&format!("10 players, {seen} seen by an older version, in memory"));
    }
    for players in [10, 10_000] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut table = Table::new(astragal::store::look(&directory.path().join("store")).expect("it opens"));
        table.filled(players);
        table.report(&format!("{players} players, kept as the program keeps it"));
    }
}

fn hall() -> RoomId {
    RoomId::new("n", "hall")
}

fn player(n: usize) -> PlayerId {
    PlayerId::new("n", format!("@player{n}:example.org"))
}

struct Table {
    sitting: Sitting,
    store: Arc<dyn Store>,
    said: i64,
}

impl Table {
    fn new(store: Arc<dyn Store>) -> Self {
        let bot = Seating::of(|| vec![roll::plugin(), mvk::plugin()]).over(store.clone()).host();
        Table { sitting: Sitting::new(Arc::new(bot)), store, said: 0 }
    }

    /// Lets this many people roll: players until all seats are taken, then guests.
    fn filled(&mut self, players: usize) {
        for player in 0..players {
            self.say(player, "!roll d6");
        }
    }

    /// Makes it a table of an older version that this many have played at and left.
    fn seen_before(&mut self, seen: usize) {
        self.sitting.put_away().expect("the disk works");
        let key = keys::head(&keys::TableId::of(&hall()));
        let head = self.store.read(&key).expect("the disk works").expect("it is there");
        let mut head: Head = from_json(&key, &head).expect("a head");
        for n in 1_000..1_000 + seen {
            head.players.insert(player(n), 1);
            head.characters.insert(CharacterId(u32::try_from(n).expect("in range")), 1);
        }
        let mut batch = Batch::default();
        batch.put(key, to_json(&head));
        self.store.commit(&batch).expect("the disk works");
    }

    /// Plays a line and returns how many bytes it writes.
    fn say(&mut self, player: usize, line: &str) -> usize {
        self.said += 1;
        let speaker = Speaker::new(self::player(player), format!("Player{player}"));
        let sent = Timestamp::from_second(1_700_000_000 + self.said).expect("in range");
        let message = Message::new(format!("${}:example.org", self.said), hall(), speaker, sent, line);
        let heard = self.sitting.play(&Event::Said(Message { unlimited: true, ..message })).expect("the disk works");
        heard.batch.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum()
    }

    /// Medians of a line's time and of the bytes it writes.
    fn median(&mut self, line: &str) -> (Duration, usize) {
        let mut taken: Vec<_> = (0..MEASURED).map(|_| self.timed(line)).collect();
        taken.sort_unstable();
        taken[MEASURED / 2]
    }

    #[expect(clippy::disallowed_methods, reason = "it measures")]
    fn timed(&mut self, line: &str) -> (Duration, usize) {
        let begun = Instant::now();
        let bytes = self.say(0, line);
        (begun.elapsed(), bytes)
    }

    fn report(&mut self, what: &str) {
        let ((changing, changed), (rolling, rolled)) = (self.median("!insp +1"), self.median("!roll 4d6kh3"));
        let sizes = [keys::doc, keys::head].map(|key| self.size(&key(&keys::TableId::of(&hall()))));
        say(&format!(
            "{what}: a state change {changing:?} and {changed} bytes, a roll {rolling:?} and {rolled} bytes (medians); \
             document and head have {sizes:?} bytes"
        ));
    }

    fn size(&self, key: &str) -> usize {
        self.store.read(key).expect("the disk works").map_or(0, |value| value.len())
    }
}

#[expect(clippy::print_stdout, reason = "a benchmark says what it measured")]
fn say(what: &str) {
    println!("{what}");
}
