//! A table in memory at which people sit whom a network describes: by account or by a bare nick, as members or admins.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Speaker, Standing, Trust};
use jiff::Timestamp;
use journal::Entropy;
use journal::store::Memory;
use plugin_api::Plugin;
use std::sync::Arc;
use table::{FairBox, Heard, Host, OutcomeKind, Plugins, Settings, Sitting};

/// The network of all that is here.
pub const NETWORK: &str = "test";

/// The games that are played where it does not matter which.
pub fn games() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), roll::plugin(), torg::plugin()]
}

/// Somebody as the network shows them.
#[derive(Clone, Debug)]
pub struct Person(pub Speaker);

impl Person {
    /// A member whom the network vouches for; the id is `@name:example.org`.
    pub fn account(name: &str) -> Self {
        Person::of(&format!("@{}:example.org", name.to_lowercase()), name)
    }

    /// A member of this id who shows this name.
    pub fn of(id: &str, name: &str) -> Self {
        Person(Speaker::new(PlayerId::new(NETWORK, id), name))
    }

    /// Somebody known by a nick alone.
    pub fn nick(name: &str) -> Self {
        let mut person = Person::of(&format!("nick:{}", name.to_lowercase()), name);
        person.0.trust = Trust::NickOnly;
        person
    }

    /// The same, running the room.
    #[must_use]
    pub fn admin(mut self) -> Self {
        self.0.standing = Standing::Admin;
        self
    }

    /// The id.
    pub fn player(&self) -> &PlayerId {
        &self.0.player
    }
}

/// A bot in memory and the rooms it is in.
pub struct Seated {
    sitting: Sitting,
    /// What it holds.
    pub store: Arc<Memory>,
    make: fn() -> Vec<Box<dyn Plugin>>,
    settings: Settings,
    said: u32,
}

/// What came of something that happened.
pub struct Came {
    /// The id of what was said.
    pub id: String,
    /// All of it.
    pub heard: Heard,
}

impl Came {
    /// Every line of it was played.
    pub fn ok(&self) -> bool {
        let played = |kind| kind == OutcomeKind::Played;
        !self.heard.outcomes.is_empty() && self.heard.outcomes.iter().all(|outcome| played(outcome.kind))
    }

    /// Its first entry.
    pub fn entry(&self) -> Option<u64> {
        self.heard.outcomes.first().and_then(|outcome| outcome.entry)
    }

    /// What is said to a reader.
    pub fn to(&self, reader: &Recipient) -> String {
        let posts = self.heard.posts.iter().filter(|outgoing| outgoing.post.to == *reader);
        posts.flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain)).collect::<Vec<_>>().join("\n")
    }

    /// What everybody in a room is told.
    pub fn public(&self) -> String {
        self.to(&Recipient::Room)
    }

    /// What one person is told in private.
    pub fn private(&self, person: &Person) -> String {
        self.to(&Recipient::Player(person.player().clone()))
    }

    /// All that is said, to whomever.
    pub fn all(&self) -> String {
        let posts = self.heard.posts.iter().flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain));
        posts.collect::<Vec<_>>().join("\n")
    }
}

/// The room where everything is said.
pub fn hall() -> RoomId {
    RoomId::new(NETWORK, "hall")
}

impl Seated {
    /// With these games, all enabled.
    pub fn new(make: fn() -> Vec<Box<dyn Plugin>>) -> Self {
        Self::with(make, Settings::default())
    }

    /// With these games, all enabled, and what the operator decided.
    pub fn with(make: fn() -> Vec<Box<dyn Plugin>>, settings: Settings) -> Self {
        let store: Arc<Memory> = Arc::default();
        let plugins = make().iter().map(|plugin| plugin.manifest().id.clone()).collect();
        let settings = Settings { plugins, ..settings };
        let sitting = start(make, &settings, store.clone());
        Seated { sitting, store, make, settings, said: 0 }
    }

    /// Stops the bot and starts it again: what it kept in memory is gone.
    pub fn restart(&mut self) {
        self.sitting.put_away().expect("memory does not fail");
        self.sitting = start(self.make, &self.settings, self.store.clone());
    }

    /// Lets something happen.
    pub fn play(&mut self, event: &Event) -> Heard {
        self.sitting.play(event).expect("memory does not fail")
    }

    /// The network says that somebody is in the hall.
    pub fn comes(&mut self, person: &Person) {
        self.comes_into(&hall(), person);
    }

    /// The network says that somebody is in a room.
    pub fn comes_into(&mut self, room: &RoomId, person: &Person) {
        let Speaker { player, name, trust, .. } = person.0.clone();
        self.play(&Event::Present { room: room.clone(), player, name, trust });
    }

    /// The network says that somebody left the hall.
    pub fn goes(&mut self, person: &Person) {
        self.play(&Event::Gone { room: hall(), player: person.player().clone() });
    }

    /// The network says that somebody in the hall is known as another.
    pub fn renamed(&mut self, from: &Person, to: &Person) -> Heard {
        let Message { id, sent, speaker, .. } = self.message(to, "");
        let (room, trust, from) = (hall(), from.0.trust, from.player().clone());
        self.play(&Event::Renamed { id, room, from, trust, speaker, sent })
    }

    /// A message in the hall, a second after the one before, that no limit counts.
    pub fn message(&mut self, person: &Person, body: &str) -> Message {
        self.said += 1;
        let sent = Timestamp::from_second(1_700_000_000 + i64::from(self.said)).expect("in range");
        let message = Message::new(self.said.to_string(), hall(), person.0.clone(), sent, body);
        Message { unlimited: true, ..message }
    }

    /// Somebody says something in the hall.
    pub fn say(&mut self, person: &Person, body: &str) -> Came {
        let message = self.message(person, body);
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }

    /// Somebody replaces a message.
    pub fn edit(&mut self, person: &Person, original: &str, body: &str) -> Came {
        let message = self.message(person, body);
        Came { id: message.id.clone(), heard: self.play(&Event::Edited { message, original: original.to_owned() }) }
    }

    /// Somebody says something to the bot alone.
    pub fn aside(&mut self, person: &Person, body: &str) -> Came {
        let mut message = self.message(person, body);
        message.room = RoomId::new(NETWORK, format!("private-{}", person.player().id));
        message.private = true;
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }
}

fn start(make: fn() -> Vec<Box<dyn Plugin>>, settings: &Settings, store: Arc<Memory>) -> Sitting {
    let plugins = Plugins::new(make()).expect("they live together");
    let bot = Host::new(settings.clone(), plugins, store, Entropy::from_seed([1; 32]), Box::new(FairBox));
    Sitting::new(Arc::new(bot.expect("it starts")))
}
