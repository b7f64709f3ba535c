//! A table in memory for tests, and its store in the form that an older version left.

use chat::{Event, Message, PlayerId, RoomId, Speaker, Trust};
use jiff::Timestamp;
use journal::backup;
use journal::documents::{Head, TableDoc, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store, StoreError};
use journal::{Entropy, Page};
use plugin_api::{Commands, Game, Refusal, Reply, Turn};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use table::{FairBox, Heard, Host, Settings, Sitting};

/// A game with a command that rolls, one that changes something, and one that seats people.
struct Toy;

#[derive(Clone, Commands)]
enum Play {
    /// Toss a die.
    #[command(changes, main, notation, example = "toss")]
    Toss,
    /// Count one more.
    #[command(changes, example = "tally")]
    Tally,
    /// Name so many people who are present.
    #[command(changes, example = "greet 3")]
    Greet { people: i64 },
}

impl Game for Toy {
    const ID: &'static str = "toy";
    const TITLE: &'static str = "Toy";
    const ABOUT: &'static str = "a die and a count";
    type State = u32;
    type Command = Play;

    fn play(state: &mut u32, command: Play, turn: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Play::Toss => Ok(Reply::from(format!("a {}", turn.throw_die(6)?.value))),
            Play::Tally => {
                *state += 1;
                Ok(Reply::from(format!("{state} in all")))
            }
            Play::Greet { people } => {
                (0..people).try_for_each(|n| turn.character(&format!("idle{n}")).map(drop))?;
                *state += 1;
                Ok(Reply::from("hello, all"))
            }
        }
    }
}

/// A memory store whose next commit can be made to fail.
#[derive(Default)]
pub struct Moody {
    pub memory: Memory,
    pub fails: AtomicBool,
}

impl Store for Moody {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        match self.fails.swap(false, Ordering::Relaxed) {
            true => Err(StoreError::Unavailable("it is told to fail".to_owned())),
            false => self.memory.commit(batch),
        }
    }
}

pub struct Stage {
    sitting: Sitting,
    pub store: Arc<Moody>,
    said: i64,
}

pub fn room() -> RoomId {
    RoomId::new("n", "hall")
}

pub fn table() -> TableId {
    TableId::of(&room())
}

pub fn player(name: &str) -> PlayerId {
    PlayerId::new("n", name)
}

impl Stage {
    pub fn new() -> Self {
        Stage::on(Memory::default(), 1, 0)
    }

    /// Continues on a used store, whose messages had numbers up to `said`.
    pub fn on(memory: Memory, seed: u8, said: i64) -> Self {
        let store = Arc::new(Moody { memory, fails: AtomicBool::default() });
        let plugins = house::with_plugins(vec![plugin_api::plugin::<Toy>()]).expect("a step of the test works");
        let settings = Settings { plugins: ["toy".to_owned()].into(), ..Settings::default() };
        let host = Host::new(settings, plugins, store.clone(), Entropy::from_seed([seed; 32]), Box::new(FairBox));
        let mut stage = Stage { sitting: Sitting::new(Arc::new(host.expect("a step of the test works"))), store, said };
        for name in ["ann", "bob"] {
            let present =
                Event::Present { room: room(), player: player(name), name: name.to_owned(), trust: Trust::Account };
            stage.sitting.play(&present).expect("a step of the test works");
        }
        stage
    }

    pub fn message(&mut self, who: &str, line: &str) -> Message {
        self.said += 1;
        let sent = Timestamp::from_second(1_700_000_000 + self.said).expect("a step of the test works");
        let message = Message::new(self.said.to_string(), room(), Speaker::new(player(who), who), sent, line);
        Message { unlimited: true, ..message }
    }

    pub fn try_play(&mut self, event: &Event) -> Result<Heard, StoreError> {
        self.sitting.play(event)
    }

    pub fn play(&mut self, event: &Event) -> Heard {
        self.try_play(event).expect("a step of the test works")
    }

    pub fn say(&mut self, who: &str, line: &str) -> Heard {
        let message = self.message(who, line);
        self.play(&Event::Said(message))
    }

    pub fn renamed(&mut self, from: &str, to: &str) -> Heard {
        let Message { id, room, sent, speaker, .. } = self.message(to, "");
        self.play(&Event::Renamed { id, room, from: player(from), trust: Trust::Account, speaker, sent })
    }

    /// Seats this many people who never do anything.
    pub fn seat(&mut self, people: u32) {
        for n in 0..people {
            let name = format!("idle{n}");
            let present = Event::Present { room: room(), player: player(&name), name, trust: Trust::Account };
            self.play(&present);
        }
        self.say("ann", &format!("!greet {people}"));
    }

    /// Replaces the head and the document, while nobody plays.
    pub fn write(&mut self, head: &Head, doc: &TableDoc) {
        self.sitting.put_away().expect("a step of the test works");
        let mut batch = Batch::default();
        batch.put(keys::doc(&table()), to_json(doc));
        batch.put(keys::head(&table()), to_json(head));
        self.store.memory.commit(&batch).expect("a step of the test works");
    }

    pub fn put_away(&mut self) {
        self.sitting.put_away().expect("a step of the test works");
    }

    pub fn read<T: DeserializeOwned>(&self, key: &str) -> T {
        serde_json::from_slice(&self.store.read(key).expect("a step of the test works").expect("it is there"))
            .expect("a step of the test works")
    }

    pub fn head(&self) -> Head {
        self.read(&keys::head(&table()))
    }

    /// The head as an older version wrote it, computed from the journal alone.
    pub fn head_of_before(&self) -> Head {
        let mut head = self.head();
        (head.players, head.characters) = Default::default();
        for number in 1..=head.number {
            let key = keys::entry(&table(), number);
            let Some(record) = self.store.read(&key).expect("a step of the test works") else {
                continue;
            };
            let Page { entry, link } = Page::of_stored(&key, &record).expect("a step of the test works");
            if entry.command == "renamed" {
                let text: String =
                    serde_json::from_str(link.parts.text.as_ref().expect("a step of the test works").value.get())
                        .expect("a step of the test works");
                head.players.remove(&player(text.split(' ').nth(1).expect("a step of the test works")));
            }
            if entry.character != journal::documents::GUEST {
                head.players.insert(entry.player, number);
                head.characters.insert(entry.character, number);
            }
        }
        head
    }

    /// A copy of the store with only committed data.
    pub fn copy(&self) -> Memory {
        let copy = Memory::default();
        let mut batch = Batch::default();
        self.store.memory.dump().into_iter().for_each(|(key, value)| batch.put(key, value));
        copy.commit(&batch).expect("a step of the test works");
        copy
    }

    /// Everything stored, with entries in a uniform form.
    pub fn content(&self) -> BTreeMap<String, Vec<u8>> {
        self.older(keys::SCHEMA).dump()
    }

    /// The store as restored by a version with this schema.
    pub fn older(&self, schema: u32) -> Memory {
        let (mut whole, mut older, copy) = (Vec::new(), Vec::new(), Memory::default());
        backup::write(&*self.store, Timestamp::UNIX_EPOCH, &mut whole).expect("a step of the test works");
        backup::write_for(schema, Timestamp::UNIX_EPOCH, &mut whole.as_slice(), &mut older)
            .expect("a step of the test works");
        backup::read(&mut older.as_slice(), |batch| copy.commit(&batch)).expect("a step of the test works");
        copy
    }
}

/// The answer as text.
pub fn told(heard: &Heard) -> String {
    heard.outcomes.iter().map(|outcome| outcome.reply.plain()).collect::<Vec<_>>().join("\n")
}
