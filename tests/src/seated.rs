//! A table in memory, without a network: who says something at it, and the result.

mod came;
mod counted;
mod looking;
mod person;
mod seating;

pub use came::{Came, text, tidy};
pub use counted::Counted;
pub use looking::{PAGES, link_in};
pub use person::{NETWORK, Person, Who, player};
pub use seating::Seating;

use chat::{Event, Message, PlayerId, RoomId, Speaker, Standing};
use jiff::{SignedDuration, Timestamp};
use journal::Page;
use journal::documents::to_json;
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store};
use plugin_api::Plugin;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::sync::Arc;
use table::{Heard, Host, Plugins, Settings, Sitting};

/// Some games, for tests where it does not matter which.
pub fn games() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), roll::plugin(), torg::plugin()]
}

/// The room used by default.
pub fn hall() -> RoomId {
    RoomId::new(NETWORK, "hall")
}

/// The table of the hall.
pub fn table() -> TableId {
    TableId::of(&hall())
}

/// A bot in memory and the rooms it is in. `S` is a handle of its store.
pub struct Seated<S = Arc<Memory>> {
    seating: Seating<S>,
    admins: BTreeSet<PlayerId>,
    sitting: Sitting,
    host: Arc<Host>,
    /// The store.
    pub store: S,
    /// The number of messages so far. The id of the next message is the next number.
    pub said: u32,
    passed: SignedDuration,
}

impl Seated {
    /// A bot with these games, all enabled.
    pub fn new(games: fn() -> Vec<Box<dyn Plugin>>) -> Self {
        Seating::of(games).seat()
    }

    /// A bot with these games, all enabled, and the operator's settings.
    pub fn with(games: fn() -> Vec<Box<dyn Plugin>>, settings: Settings) -> Self {
        Seating::of(games).settings(settings).seat()
    }
}

impl<S: Store + Clone + 'static> Seated<S> {
    /// Restarts the bot, which clears its memory.
    pub fn restart(&mut self) {
        self.put_away();
        self.host = Arc::new(self.seating.host());
        self.sitting = Sitting::new(self.host.clone());
    }

    /// Makes it forget its open tables, so that the next message reads them from the store.
    pub fn put_away(&mut self) {
        self.sitting.put_away().expect("the store does not fail");
    }

    /// What its tables share.
    pub fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Replaces the operator's settings.
    pub fn apply(&mut self, settings: Settings) {
        self.go_on_with(self.host.with_settings(settings));
    }

    /// Replaces the plugins.
    pub fn play_with(&mut self, plugins: Plugins) {
        self.go_on_with(self.host.with_plugins(plugins));
    }

    fn go_on_with(&mut self, host: Host) {
        self.host = Arc::new(host);
        self.sitting.go_on_with(self.host.clone());
    }

    /// A stored record.
    pub fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let stored = self.store.read(key).expect("the store does not fail");
        stored.map(|bytes| serde_json::from_slice(&bytes).expect("JSON"))
    }

    /// Replaces a stored record without the bot's knowledge.
    pub fn write(&self, key: &str, record: &impl Serialize) {
        let mut batch = Batch::default();
        batch.put(key, to_json(record));
        self.store.commit(&batch).expect("the store does not fail");
        self.host.committer().forget();
    }

    /// An entry of the hall's table as it is stored.
    pub fn page(&self, number: u64) -> Page {
        let key = keys::entry(&table(), number);
        let stored = self.store.read(&key).expect("the store does not fail").expect("it is there");
        Page::of_stored(&key, &stored).expect("an entry")
    }

    /// Plays an event.
    pub fn play(&mut self, event: &Event) -> Heard {
        self.sitting.play(event).expect("the store does not fail")
    }

    /// The network reports that a person is in the hall.
    pub fn comes(&mut self, person: &(impl Who + ?Sized)) {
        self.comes_into(&hall(), person);
    }

    /// The network reports that a person is in a room.
    pub fn comes_into(&mut self, room: &RoomId, person: &(impl Who + ?Sized)) {
        let Speaker { player, name, trust, .. } = person.person().0;
        self.play(&Event::Present { room: room.clone(), player, name, trust });
    }

    /// The network reports that a person has left the hall.
    pub fn goes(&mut self, person: &(impl Who + ?Sized)) {
        self.play(&Event::Gone { room: hall(), player: person.person().0.player });
    }

    /// The network reports that a person in the hall has a new id.
    pub fn renamed(&mut self, from: &Person, to: &Person) -> Heard {
        let Message { id, sent, speaker, .. } = self.message(to, "");
        let (room, trust, from) = (hall(), from.0.trust, from.player().clone());
        self.play(&Event::Renamed { id, room, from, trust, speaker, sent })
    }

    /// Time passes before the next message.
    pub fn pass(&mut self, time: SignedDuration) {
        self.passed += time;
    }

    /// A message in the hall, a second after the last one and exempt from rate limits.
    pub fn message(&mut self, who: &(impl Who + ?Sized), body: &str) -> Message {
        self.said += 1;
        let mut speaker = who.person().0;
        if self.admins.contains(&speaker.player) {
            speaker.standing = Standing::Admin;
        }
        let sent = Timestamp::from_second(1_700_000_000 + i64::from(self.said)).expect("in range");
        let message = Message::new(self.said.to_string(), hall(), speaker, sent + self.passed, body);
        Message { unlimited: true, ..message }
    }

    /// This message is said.
    pub fn hears(&mut self, message: Message) -> Came {
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }

    /// A person says something in the hall.
    pub fn say(&mut self, who: &(impl Who + ?Sized), body: &str) -> Came {
        let message = self.message(who, body);
        self.hears(message)
    }

    /// A person says something in the hall, and all of it must be played.
    pub fn plays(&mut self, who: &(impl Who + ?Sized), body: &str) -> Came {
        let came = self.say(who, body);
        assert!(came.ok(), "{body}: {}", came.all());
        came
    }

    /// A person edits a message.
    pub fn edit(&mut self, who: &(impl Who + ?Sized), original: &str, body: &str) -> Came {
        let message = self.message(who, body);
        Came { id: message.id.clone(), heard: self.play(&Event::Edited { message, original: original.to_owned() }) }
    }

    /// A person deletes a message.
    pub fn redact(&mut self, who: &(impl Who + ?Sized), of: &str) -> Came {
        let message = self.message(who, "");
        Came { id: message.id.clone(), heard: self.play(&Event::Redacted { message, of: of.to_owned() }) }
    }

    /// A person says something to the bot in private.
    pub fn aside(&mut self, who: &(impl Who + ?Sized), body: &str) -> Came {
        let message = self.message(who, body);
        let room = alone_with(&message.speaker.player);
        self.hears(Message { room, private: true, ..message })
    }
}

/// The private chat of the bot with a player.
pub fn alone_with(player: &PlayerId) -> RoomId {
    RoomId::new(NETWORK, format!("private-{}", player.id))
}
