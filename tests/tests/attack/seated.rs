//! A table in memory whose players a network describes: by account or by bare nick, as members or admins.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Speaker, Standing, Trust};
use jiff::{SignedDuration, Timestamp};
use journal::Entropy;
use journal::store::Memory;
use plugin_api::Plugin;
use regex::Regex;
use std::sync::Arc;
use table::{FairBox, Heard, Host, OutcomeKind, Plugins, Settings, Sitting};

/// The network of these tests.
pub const NETWORK: &str = "test";

/// Some games, for tests where it does not matter which.
pub fn games() -> Vec<Box<dyn Plugin>> {
    vec![mvk::plugin(), roll::plugin(), torg::plugin()]
}

/// A person as the network shows them.
#[derive(Clone, Debug)]
pub struct Person(pub Speaker);

impl Person {
    /// A member with an account. The id is `@name:example.org`.
    pub fn account(name: &str) -> Self {
        Person::of(&format!("@{}:example.org", name.to_lowercase()), name)
    }

    /// A member with this id and this display name.
    pub fn of(id: &str, name: &str) -> Self {
        Person(Speaker::new(PlayerId::new(NETWORK, id), name))
    }

    /// A person known only by nick.
    pub fn nick(name: &str) -> Self {
        let mut person = Person::of(&format!("nick:{}", name.to_lowercase()), name);
        person.0.trust = Trust::NickOnly;
        person
    }

    /// The same person as an admin of the room.
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
    host: Arc<Host>,
    /// The store.
    pub store: Arc<Memory>,
    make: fn() -> Vec<Box<dyn Plugin>>,
    settings: Settings,
    said: u32,
    passed: SignedDuration,
}

/// The result of an event.
pub struct Came {
    /// The id of the message.
    pub id: String,
    /// The result.
    pub heard: Heard,
}

impl Came {
    /// True if every line was played.
    pub fn ok(&self) -> bool {
        let played = |kind| kind == OutcomeKind::Played;
        !self.heard.outcomes.is_empty() && self.heard.outcomes.iter().all(|outcome| played(outcome.kind))
    }

    /// Its first entry.
    pub fn entry(&self) -> Option<u64> {
        self.heard.outcomes.first().and_then(|outcome| outcome.entry)
    }

    /// The text for a reader.
    pub fn to(&self, reader: &Recipient) -> String {
        let posts = self.heard.posts.iter().filter(|outgoing| outgoing.post.to == *reader);
        posts.flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain)).collect::<Vec<_>>().join("\n")
    }

    /// The text for the room.
    pub fn public(&self) -> String {
        self.to(&Recipient::Room)
    }

    /// The private text for one person.
    pub fn private(&self, person: &Person) -> String {
        self.to(&Recipient::Player(person.player().clone()))
    }

    /// The text for all readers together.
    pub fn all(&self) -> String {
        let posts = self.heard.posts.iter().flat_map(|outgoing| outgoing.post.blocks.iter().map(Block::plain));
        posts.collect::<Vec<_>>().join("\n")
    }
}

/// The room used by default.
pub fn hall() -> RoomId {
    RoomId::new(NETWORK, "hall")
}

impl Seated {
    /// A bot with these games, all enabled.
    pub fn new(make: fn() -> Vec<Box<dyn Plugin>>) -> Self {
        Self::with(make, Settings::default())
    }

    /// A bot with these games, all enabled, and the operator's settings.
    pub fn with(make: fn() -> Vec<Box<dyn Plugin>>, settings: Settings) -> Self {
        let store: Arc<Memory> = Arc::default();
        let plugins = make().iter().map(|plugin| plugin.manifest().id.clone()).collect();
        let settings = Settings { plugins, ..settings };
        let (sitting, host) = start(make, &settings, store.clone());
        Seated { sitting, host, store, make, settings, said: 0, passed: SignedDuration::ZERO }
    }

    /// Restarts the bot, which clears its memory.
    pub fn restart(&mut self) {
        self.sitting.put_away().expect("memory does not fail");
        (self.sitting, self.host) = start(self.make, &self.settings, self.store.clone());
    }

    /// What its tables share.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Plays an event.
    pub fn play(&mut self, event: &Event) -> Heard {
        self.sitting.play(event).expect("memory does not fail")
    }

    /// The network reports that a person is in the hall.
    pub fn comes(&mut self, person: &Person) {
        self.comes_into(&hall(), person);
    }

    /// The network reports that a person is in a room.
    pub fn comes_into(&mut self, room: &RoomId, person: &Person) {
        let Speaker { player, name, trust, .. } = person.0.clone();
        self.play(&Event::Present { room: room.clone(), player, name, trust });
    }

    /// The network reports that a person has left the hall.
    pub fn goes(&mut self, person: &Person) {
        self.play(&Event::Gone { room: hall(), player: person.player().clone() });
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
    pub fn message(&mut self, person: &Person, body: &str) -> Message {
        self.said += 1;
        let sent = Timestamp::from_second(1_700_000_000 + i64::from(self.said)).expect("in range");
        let message = Message::new(self.said.to_string(), hall(), person.0.clone(), sent + self.passed, body);
        Message { unlimited: true, ..message }
    }

    /// A person says something in the hall.
    pub fn say(&mut self, person: &Person, body: &str) -> Came {
        let message = self.message(person, body);
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }

    /// A person edits a message.
    pub fn edit(&mut self, person: &Person, original: &str, body: &str) -> Came {
        let message = self.message(person, body);
        Came { id: message.id.clone(), heard: self.play(&Event::Edited { message, original: original.to_owned() }) }
    }

    /// A person says something to the bot in private.
    pub fn aside(&mut self, person: &Person, body: &str) -> Came {
        let mut message = self.message(person, body);
        message.room = RoomId::new(NETWORK, format!("private-{}", person.player().id));
        message.private = true;
        Came { id: message.id.clone(), heard: self.play(&Event::Said(message)) }
    }
}

/// Everything that a person reads of what came: text, files, and what is told to programs.
pub fn read_by(came: &Came, person: &Person) -> String {
    let reads = |to: &Recipient| *to == Recipient::Room || *to == Recipient::Player(person.player().clone());
    let posts = came.heard.posts.iter().map(|outgoing| &outgoing.post).filter(|post| reads(&post.to));
    let text = |post: &chat::Post| {
        let blocks = post.blocks.iter().map(Block::plain);
        let told = format!("{:?}", post.told);
        blocks.chain(post.files.iter().map(|file| file.text.clone())).chain([told]).collect::<Vec<_>>().join("\n")
    };
    posts.map(text).collect::<Vec<_>>().join("\n")
}

/// A text without what is random in every journal, and without the degrees of a check, which are its result.
pub fn tidy(text: &str) -> String {
    let text = Regex::new("[0-9a-f]{16,}").expect("a pattern").replace_all(text, "(hex)").into_owned();
    Regex::new("by [0-9]+ degrees").expect("a pattern").replace_all(&text, "by some degrees").into_owned()
}

fn start(make: fn() -> Vec<Box<dyn Plugin>>, settings: &Settings, store: Arc<Memory>) -> (Sitting, Arc<Host>) {
    let plugins = Plugins::new(make()).expect("the plugins fit together");
    let bot = Host::new(settings.clone(), plugins, store, Entropy::from_seed([1; 32]), Box::new(FairBox));
    let host = Arc::new(bot.expect("it starts"));
    (Sitting::new(host.clone()), host)
}
