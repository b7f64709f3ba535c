//! A table in memory at which everything that anybody is told can be searched, files too.

use chat::{Block, Event, Message, PlayerId, Recipient, RoomId, Speaker, Standing};
use jiff::Timestamp;
use journal::Entropy;
use journal::store::Memory;
use std::sync::Arc;
use table::{FairBox, Heard, Host, OutcomeKind, Plugins, Settings, Sitting};

/// The outcome of a line.
pub struct Came(Heard);

impl Came {
    /// True if it was played.
    pub fn ok(&self) -> bool {
        !self.0.outcomes.is_empty() && self.0.outcomes.iter().all(|outcome| outcome.kind == OutcomeKind::Played)
    }

    /// All that one person reads of it: what everybody reads, and what they alone read.
    pub fn read_by(&self, name: &str) -> String {
        self.to(&|to| *to == Recipient::Room || *to == Recipient::Player(player(name)))
    }

    /// What everybody reads.
    pub fn public(&self) -> String {
        self.to(&|to| *to == Recipient::Room)
    }

    fn to(&self, reads: &dyn Fn(&Recipient) -> bool) -> String {
        let posts = self.0.posts.iter().map(|outgoing| &outgoing.post).filter(|post| reads(&post.to));
        let text = |post: &chat::Post| {
            let blocks = post.blocks.iter().map(Block::plain);
            let told = format!("{:?}", post.told);
            blocks.chain(post.files.iter().map(|file| file.text.clone())).chain([told]).collect::<Vec<_>>().join("\n")
        };
        posts.map(text).collect::<Vec<_>>().join("\n")
    }
}

/// A table with the people who came.
pub struct Seated {
    sitting: Sitting,
    admins: Vec<String>,
    said: u32,
}

impl Seated {
    /// A table with these people, of whom those after a `@` run the room.
    pub fn with(people: &[&str]) -> Self {
        let settings = Settings { plugins: ["cards".to_owned()].into(), ..Settings::default() };
        let plugins = Plugins::new(vec![cards::plugin()]).expect("one plugin fits");
        let host =
            Host::new(settings, plugins, Arc::<Memory>::default(), Entropy::from_seed([1; 32]), Box::new(FairBox));
        let mut seated =
            Seated { sitting: Sitting::new(Arc::new(host.expect("it starts"))), admins: Vec::new(), said: 0 };
        for person in people {
            let name = person.trim_start_matches('@');
            if name != *person {
                seated.admins.push(name.to_owned());
            }
            let Speaker { player, name, trust, .. } = seated.speaker(name);
            seated.sitting.play(&Event::Present { room: hall(), player, name, trust }).expect("memory does not fail");
        }
        seated
    }

    fn speaker(&self, name: &str) -> Speaker {
        let mut speaker = Speaker::new(player(name), name);
        if self.admins.iter().any(|admin| admin == name) {
            speaker.standing = Standing::Admin;
        }
        speaker
    }

    /// Somebody says something.
    pub fn say(&mut self, name: &str, body: &str) -> Came {
        self.say_as(&self.speaker(name), body)
    }

    /// A speaker says something.
    pub fn say_as(&mut self, speaker: &Speaker, body: &str) -> Came {
        self.said += 1;
        let sent = Timestamp::from_second(1_700_000_000 + i64::from(self.said)).expect("in range");
        let message = Message::new(self.said.to_string(), hall(), speaker.clone(), sent, body);
        let message = Message { unlimited: true, ..message };
        Came(self.sitting.play(&Event::Said(message)).expect("memory does not fail"))
    }

    /// The same, and it must be played.
    pub fn plays(&mut self, name: &str, body: &str) -> Came {
        let came = self.say(name, body);
        assert!(came.ok(), "{name}> {body}: {}", came.read_by(name));
        came
    }

    /// The cards in somebody's hand, as they see them.
    pub fn hand(&mut self, name: &str) -> Vec<String> {
        self.hand_by(name, "!hand")
    }

    /// The cards that somebody sees with this line.
    pub fn hand_by(&mut self, name: &str, line: &str) -> Vec<String> {
        let came = self.plays(name, line);
        let private = came.to(&|to| *to == Recipient::Player(player(name)));
        let line = private.lines().next().unwrap_or_default();
        let cards = line.split(", ").filter_map(|card| Some(card.rsplit_once(": ")?.1.to_owned()));
        cards.filter(|card| !card.contains("empty")).collect()
    }
}

/// A person who is known by an account.
pub fn player(name: &str) -> PlayerId {
    PlayerId::new("test", format!("@{}:example.org", name.to_lowercase()))
}

fn hall() -> RoomId {
    RoomId::new("test", "hall")
}
