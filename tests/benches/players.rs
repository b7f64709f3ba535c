//! What a command costs, and how much of the disk it takes, at a table at which many have played: `cargo bench -p tests --bench
//! players`.

use chat::{Event, Message, PlayerId, RoomId, Speaker};
use jiff::Timestamp;
use journal::store::Store;
use journal::{Entropy, keys};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store_sled::SledStore;
use table::{FairBox, Host, Plugins, Settings, Sitting};

/// Commands that are measured.
const MEASURED: usize = 300;

fn main() {
    for players in [10, 10_000] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("store");
        let mut table = Table::new(&path);
        for player in 0..players {
            table.say(player, "!roll d6");
        }
        let before = on_disk(&path);
        let (changing, rolling) = (table.median("!insp +1"), table.median("!roll 4d6kh3"));
        let grown = (on_disk(&path) - before) / (2 * MEASURED as u64);
        let sizes = [keys::doc, keys::head].map(|key| table.size(&key(&keys::TableId::of(&hall()))));
        report(&format!(
            "{players} players: a state change {changing:?}, a roll {rolling:?} (medians), {grown} bytes on disk a command; \
             document and head have {sizes:?} bytes"
        ));
    }
}

fn hall() -> RoomId {
    RoomId::new("n", "hall")
}

struct Table {
    sitting: Sitting,
    store: Arc<SledStore>,
    said: i64,
}

impl Table {
    fn new(path: &Path) -> Self {
        let plugins = Plugins::new(vec![roll::plugin(), mvk::plugin()]).expect("they live together");
        let settings = Settings { plugins: ["roll", "mvk"].map(str::to_owned).into(), ..Settings::default() };
        let store = Arc::new(SledStore::open(path).expect("it opens"));
        let bot = Host::new(settings, plugins, store.clone(), Entropy::from_seed([1; 32]), Box::new(FairBox));
        Table { sitting: Sitting::new(Arc::new(bot.expect("it starts"))), store, said: 0 }
    }

    fn say(&mut self, player: usize, line: &str) {
        self.said += 1;
        let speaker =
            Speaker::new(PlayerId::new("n", format!("@player{player}:example.org")), format!("Player{player}"));
        let sent = Timestamp::from_second(1_700_000_000 + self.said).expect("in range");
        let message = Message::new(format!("${}:example.org", self.said), hall(), speaker, sent, line);
        self.sitting.play(&Event::Said(Message { unlimited: true, ..message })).expect("the disk works");
    }

    fn median(&mut self, line: &str) -> Duration {
        let mut times: Vec<Duration> = (0..MEASURED).map(|_| self.timed(line)).collect();
        times.sort_unstable();
        times[MEASURED / 2]
    }

    #[expect(clippy::disallowed_methods, reason = "it measures")]
    fn timed(&mut self, line: &str) -> Duration {
        let begun = Instant::now();
        self.say(0, line);
        begun.elapsed()
    }

    fn size(&self, key: &str) -> usize {
        self.store.read(key).expect("the disk works").map_or(0, |value| value.len())
    }
}

/// Bytes of all files of the store.
fn on_disk(path: &Path) -> u64 {
    let entries = std::fs::read_dir(path).expect("it is there").map(|entry| entry.expect("it is there"));
    let bytes = |entry: std::fs::DirEntry| match entry.file_type().expect("it is there").is_dir() {
        true => on_disk(&entry.path()),
        false => entry.metadata().expect("it is there").len(),
    };
    entries.map(bytes).sum()
}

#[expect(clippy::print_stdout, reason = "a benchmark says what it measured")]
fn report(what: &str) {
    println!("{what}");
}
