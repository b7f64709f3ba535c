//! Shared by the tests: settings for the homeserver under test, and the bot on it.

use super::{Heard, Person, Synapse, name};
pub use crate::serving::{Make, Running};
use chat::{SystemClock, Transport};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use transport_matrix::{Matrix, Randomness, Settings};

/// The network's name for the bot.
pub const NETWORK: &str = "matrix";

/// Settings for an account on a homeserver, followed by `more` as TOML.
pub fn settings(url: &str, user: &str, more: &str) -> Settings {
    let text = format!(
        "homeserver = \"{url}\"\nuser = \"{user}\"\npassword = \"pw-{user}\"\ninvites = [\"*\"]\n\
         joins_per_minute = 10000\nretry_first_ms = 50\nretry_most_ms = 400\n{more}\n"
    );
    toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings")
}

/// Random bytes for tests: they only have to differ.
pub fn randomness() -> Randomness {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Arc::new(|| {
        let mut bytes = [7; 32];
        bytes[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        bytes
    })
}

/// The bot's account on the network `matrix`, with its device in this directory.
pub fn transport(settings: Settings, device: &Path) -> Arc<dyn Transport> {
    Arc::new(Matrix::new(NETWORK, settings, Arc::new(SystemClock), randomness(), device))
}

/// How often to try something: the number in this environment variable, or a few times.
pub fn times(variable: &str, few: u32) -> u32 {
    std::env::var(variable).map_or(few, |times| times.parse().expect("a number"))
}

/// A table on the shared homeserver: an account for the bot, a room, and people in it.
pub struct Table {
    /// The homeserver.
    pub server: &'static Synapse,
    /// The bot's user id.
    pub bot: String,
    /// The localpart of its user id.
    pub user: String,
    /// The room.
    pub room: String,
    /// The people in it.
    pub people: Vec<Person>,
    /// The bot's device.
    pub device: tempfile::TempDir,
}

impl Table {
    /// Makes one with these people. The first made the room.
    pub async fn set(encrypted: bool, people: &[&str]) -> Self {
        let server = Synapse::shared();
        let user = name("bot");
        let bot = server.register(&user);
        let mut there = Vec::new();
        for person in people {
            there.push(Person::register(server, &name(person)).await);
        }
        let others: Vec<String> = there[1..].iter().map(Person::id).collect();
        let invited: Vec<&str> = others.iter().map(String::as_str).chain([bot.as_str()]).collect();
        let room = there[0].make_room("Tavern", encrypted, &invited).await;
        for person in &there {
            person.join(&room).await;
        }
        let device = tempfile::tempdir().expect("a directory");
        Table { server, bot, user, room, people: there, device }
    }

    /// Puts the bot's account into the room before the bot runs.
    pub fn seat(&self) {
        let token = self.server.log_in(&self.user);
        let path = format!("/_matrix/client/v3/join/{}", self.room);
        self.server.ask("POST", &path, Some(&token), &json!({}));
        self.server.ask("POST", "/_matrix/client/v3/logout", Some(&token), &json!({}));
    }

    /// The bot's next message to a person alone: anywhere but in the room.
    pub async fn hear_alone(&mut self, person: usize) -> Heard {
        let (room, bot) = (self.room.clone(), self.bot.clone());
        let alone = |heard: &Heard| {
            let greets = heard.body().starts_with("I am astragal: ");
            heard.room != room && heard.sender == bot && heard.kind == "m.room.message" && !greets
        };
        self.people[person].wait_for("what is for them alone", alone).await
    }

    /// The bot's account as a network.
    pub fn transport(&self) -> Arc<dyn Transport> {
        self.transport_with("")
    }

    /// The bot's account as a network, with more settings as TOML.
    pub fn transport_with(&self, more: &str) -> Arc<dyn Transport> {
        transport(settings(&self.server.url(), &self.user, more), self.device.path())
    }

    /// Starts the bot and waits until it is in the room.
    pub async fn start(&self, make: Make) -> Running {
        self.start_on(make, self.transport()).await
    }

    /// Starts the bot on this network and waits until it is in the room.
    pub async fn start_on(&self, make: Make, network: Arc<dyn Transport>) -> Running {
        let bot = make.serve(vec![network]);
        for person in &self.people {
            person.meet(&self.room, &self.bot).await;
        }
        bot
    }

    /// A person says a line and gets the answer.
    pub async fn ask(&mut self, person: usize, line: &str) -> String {
        let said = self.people[person].say(&self.room, line).await;
        self.people[person].answer(&said).await.body().to_owned()
    }

    /// The bot's next message in the room, as a person sees it.
    pub async fn hear(&mut self, person: usize) -> String {
        self.people[person].hear(&self.room, &self.bot).await.body().to_owned()
    }
}
