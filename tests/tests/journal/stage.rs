//! A table in memory for tests: who says what, the result, and the table's state.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Speaker, Standing, Trust};
use jiff::Timestamp;
use journal::Entropy;
use journal::documents::{Head, RollDoc};
use journal::keys::{self, TableId};
use journal::store::{Memory, Store};
use journal::{Changes, Entry, Link, Page, audit};
use plugin_api::{Commands, Game, Name, Refusal, Reply, Turn};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use table::{FairBox, Heard, Host, OutcomeKind, Plugins, Settings, Sitting};

/// A table in memory with fair dice.
pub struct Stage {
    sitting: Sitting,
    pub store: Arc<Memory>,
    said: u32,
}

pub fn room() -> RoomId {
    RoomId::new("test", "hall")
}

pub fn table() -> TableId {
    TableId::of(&room())
}

pub fn player(name: &str) -> PlayerId {
    PlayerId::new("test", name)
}

/// The result of a message.
pub struct Came {
    pub id: String,
    pub heard: Heard,
}

impl Came {
    pub fn ok(&self) -> bool {
        self.heard.outcomes.iter().all(|outcome| outcome.kind == OutcomeKind::Played)
    }

    pub fn entry(&self) -> Option<u64> {
        self.heard.outcomes.first().and_then(|outcome| outcome.entry)
    }

    /// The text for the room, or for a player.
    pub fn to(&self, to: &Recipient) -> String {
        let posts = self.heard.posts.iter().filter(|outgoing| outgoing.post.to == *to);
        posts.flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain)).collect::<Vec<_>>().join("\n")
    }

    pub fn public(&self) -> String {
        self.to(&Recipient::Room)
    }

    pub fn dice(&self) -> Vec<dice::Die> {
        self.heard.outcomes.iter().flat_map(|outcome| outcome.dice.clone()).collect()
    }
}

impl Stage {
    pub fn new() -> Self {
        let store: Arc<Memory> = Arc::default();
        let plugins =
            Plugins::new(vec![mvk::plugin(), roll::plugin(), spheres::plugin(), plugin_api::plugin::<Market>()]);
        let plugins = plugins.expect("the plugins fit together");
        let enabled = ["market", "mvk", "roll", "spheres"].map(str::to_owned).into();
        let settings = Settings { plugins: enabled, ..Settings::default() };
        let bot = Host::new(settings, plugins, store.clone(), Entropy::from_seed([1; 32]), Box::new(FairBox));
        let mut stage = Stage { sitting: Sitting::new(Arc::new(bot.expect("the store is empty"))), store, said: 0 };
        for name in ["Ann", "Bob", "Cem", "Gus"] {
            let (player, name) = (player(name), name.to_owned());
            stage.play(&Event::Present { room: room(), player, name, trust: Trust::Account });
        }
        stage
    }

    pub fn play(&mut self, event: &Event) -> Heard {
        self.sitting.play(event).expect("memory does not fail")
    }

    pub fn message(&mut self, who: &str, body: &str) -> Message {
        self.said += 1;
        Message {
            unlimited: true,
            ..Message::new(
                self.said.to_string(),
                room(),
                Speaker {
                    standing: if who == "Cem" { Standing::Admin } else { Standing::Member },
                    ..Speaker::new(player(who), who)
                },
                Timestamp::from_second(1_700_000_000 + i64::from(self.said)).expect("in range"),
                body,
            )
        }
    }

    pub fn say(&mut self, who: &str, line: &str) -> Came {
        let message = self.message(who, line);
        let id = message.id.clone();
        Came { id, heard: self.play(&Event::Said(message)) }
    }

    pub fn edit(&mut self, who: &str, original: &str, line: &str) -> Came {
        let message = self.message(who, line);
        Came { id: message.id.clone(), heard: self.play(&Event::Edited { message, original: original.to_owned() }) }
    }

    pub fn aside(&mut self, who: &str, line: &str) -> Came {
        let mut message = self.message(who, line);
        message.room = RoomId::new("test", format!("private-{who}"));
        message.private = true;
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }

    /// Undoes an entry as someone who may: Cem is the room's admin, and a secret belongs to its player.
    pub fn undo(&mut self, number: u64) -> Came {
        let mut why = String::new();
        for who in ["Cem", "Ann", "Bob"] {
            let came = self.say(who, &format!("astragal: undo #{number}"));
            if came.ok() {
                return came;
            }
            why += came.public().as_str();
        }
        panic!("#{number} cannot be undone: {why}");
    }

    pub fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let stored = self.store.read(key).expect("memory does not fail");
        stored.map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
    }

    pub fn link(&self, number: u64) -> (Entry, Link) {
        let key = keys::entry(&table(), number);
        let stored = self.store.read(&key).expect("memory does not fail").expect("it was just written");
        let Page { entry, link } = Page::of_stored(&key, &stored).expect("an entry");
        (entry, link)
    }

    pub fn changes(&self, number: u64) -> Changes {
        let (_, link) = self.link(number);
        serde_json::from_str(link.parts.changes.expect("nobody erased it").value.get()).expect("changes")
    }

    /// The table's state according to the documents, checked against the journal.
    pub fn holds(&self) -> Value {
        let audit = audit(&*self.store, &table()).expect("the journal is whole");
        let mut document = audit.document;
        for (key, place) in [(keys::doc(&table()), "/table"), (keys::game(&table(), "mvk"), "/games/mvk")] {
            let mut stored: Option<Value> = self.read(&key);
            stored.as_mut().and_then(Value::as_object_mut).map(|fields| fields.remove("touched"));
            assert_eq!(document.pointer(place), stored.as_ref(), "{place}");
        }
        let head: Option<Head> = self.read(&keys::head(&table()));
        for number in 1..=head.map_or(0, |head| head.number) {
            let roll: Option<RollDoc> = self.read(&keys::roll(&table(), number));
            let noted = |field: &str| document.pointer(&format!("/rolls/{number}/{field}")).cloned();
            assert_eq!(noted("record"), roll.as_ref().and_then(|roll| roll.record.clone()), "the record of #{number}");
            let open = roll.filter(|roll| !roll.open.is_empty()).map(|roll| serde_json::to_value(roll.open));
            assert_eq!(noted("open"), open.transpose().expect("JSON"), "what #{number} offers");
        }
        // An undone roll counts as if it had never been made.
        if let Some(rolls) = document.get_mut("rolls").and_then(Value::as_object_mut) {
            rolls.retain(|_, roll| roll.as_object().is_some_and(|fields| !fields.is_empty()));
            if rolls.is_empty() {
                document.as_object_mut().expect("it has fields").remove("rolls");
            }
        }
        document
    }
}

/// A game without follow-ups, with two offers that exclude each other.
struct Market;

#[derive(Clone, Commands)]
enum Trade {
    /// See what there is.
    #[command(main, example = "deal")]
    Deal,
    /// Take something.
    #[command(example = "pick gold")]
    Pick { what: Name },
}

impl Game for Market {
    const ID: &'static str = "market";
    const TITLE: &'static str = "Market";
    const ABOUT: &'static str = "gold or silver";
    type State = Vec<String>;
    type Command = Trade;

    fn play(state: &mut Vec<String>, command: Trade, _: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Trade::Deal => {
                state.push("a deal".to_owned());
                Ok(Reply::from("Choose").offer("pick gold", "heavy").offer("pick silver", "light"))
            }
            Trade::Pick { what } => {
                state.push(what.0.clone());
                Ok(Reply::from(format!("{} it is", what.0)))
            }
        }
    }
}
