//! A bot as its tables see it: what they share, and the settings and plugins that hold while a message is played.

use crate::limits::{Limits, Paces};
use crate::patience::{Backlog, Guesses, Lately};
use crate::plugins::Plugins;
use crate::room::RoomRule;
use crate::roster::Roster;
use crate::route::{Router, file_in};
use chat::{Clock, PlayerId, Post, RoomId, SystemClock};
use dice::Dice;
use dice::fair::{FairDice, MessageKey};
use jiff::Timestamp;
use journal::Entropy;
use journal::committer::Committer;
use journal::documents::{RoomDoc, from_json};
use journal::keys::{self, TableId};
use journal::schema::{self, StartError};
use journal::store::{Store, StoreError};
use plugin_api::{Kind, Manifest, Plugin, PrintedDecks, Refusal};
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// The operator's settings for the whole bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The name it answers to.
    pub name: String,
    /// The prefix of commands in a new room.
    pub prefix: String,
    /// Where the pages of tables are, without a `/` at the end: `https://dice.example.org`; `None` if there are none.
    pub pages: Option<String>,
    /// The plugins enabled in a new room.
    pub plugins: BTreeSet<String>,
    /// The plugins that rooms may enable; `None` for all.
    pub allowed: Option<BTreeSet<String>>,
    /// True if tables may bring games of their own.
    pub own_games: bool,
    /// Exceptions for some rooms; if several match, the last one wins.
    pub rules: Vec<RoomRule>,
    /// Who runs the bot.
    pub owners: BTreeSet<PlayerId>,
    /// Limits on what is answered.
    pub limits: Limits,
    /// The operator's rooms, where owners command the bot itself and learn of problems.
    pub admin_rooms: BTreeSet<RoomId>,
    /// People ignored everywhere, as patterns of `network:id` or `network:nick!user@host`.
    pub ignore: BTreeSet<String>,
    /// Decks whose cards are in the operator's files.
    pub decks: Arc<PrintedDecks>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            name: "astragal".to_owned(),
            prefix: "!".to_owned(),
            pages: None,
            plugins: BTreeSet::from(["roll".to_owned()]),
            allowed: None,
            own_games: false,
            rules: Vec::new(),
            owners: BTreeSet::new(),
            limits: Limits::default(),
            admin_rooms: BTreeSet::new(),
            ignore: BTreeSet::new(),
            decks: Arc::default(),
        }
    }
}

/// The source of a command's dice. Everybody plays with [`FairBox`]; tests script theirs.
pub trait DiceBox: Send + Sync {
    /// The dice of the command `key` at a table with this seed.
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send>;
}

/// The fair dice of [`dice::fair`].
#[derive(Debug, Default)]
pub struct FairBox;

impl DiceBox for FairBox {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        Box::new(FairDice::new(seed, key))
    }
}

/// A bot while a message is played: its settings and its plugins as they are now, and what its tables share.
/// Whoever changes the settings or the plugins makes another; a message keeps the one with which it began.
pub struct Host {
    settings: Arc<Settings>,
    /// Its plugins, and the table's own commands.
    pub plugins: Arc<Plugins>,
    /// Finds command lines in messages.
    pub router: Router,
    /// The time for limits and expiry.
    pub clock: Arc<dyn Clock>,
    shared: Arc<Shared>,
    reads: Reads,
}

/// What a bot reads of its store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// What was played, whether or not it is on the disk yet.
    Played,
    /// What is on the disk.
    Durable,
}

/// What all tables of a bot share as long as it runs.
pub struct Shared {
    committer: Committer,
    /// The source of dice.
    pub dice: Box<dyn DiceBox>,
    /// Who is in which room, and what rooms are called.
    pub roster: Roster,
    /// When the store was last restored from a backup.
    pub restored: Option<String>,
    /// People ignored everywhere by the operator's commands.
    pub ignored: RwLock<BTreeSet<String>>,
    /// How many posts wait to be said in each room.
    pub waiting: Backlog,
    /// Who tried to use words that were given to others.
    pub guesses: Guesses,
    /// What people did lately, at all tables.
    pub paces: Paces,
    /// Who was called lately, and by whom.
    pub calls: Lately,
    /// What was said in a room lately that bears saying once a day.
    pub told: Lately,
    entropy: Mutex<Entropy>,
    numbers: AtomicU64,
}

impl Deref for Host {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.shared
    }
}

impl Host {
    /// Makes the files of a post that an earlier run left.
    pub fn make_again(&self, post: &mut Post) {
        self.plugins.own().make_again(self, post);
    }

    /// A bot on `store`; an empty store is marked with the schema's version.
    ///
    /// # Errors
    /// The store does not work, or a newer version wrote it.
    pub fn new(
        settings: Settings,
        plugins: Plugins,
        store: Arc<dyn Store>,
        entropy: Entropy,
        dice: Box<dyn DiceBox>,
    ) -> Result<Self, StartError> {
        schema::prepare(&*store)?;
        Ok(Host::over(Committer::new(store), settings, plugins, entropy, dice)?)
    }

    /// A bot on a committer whose store is already marked.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn over(
        committer: Committer,
        settings: Settings,
        plugins: Plugins,
        entropy: Entropy,
        dice: Box<dyn DiceBox>,
    ) -> Result<Self, StoreError> {
        let mut numbers = 0;
        for prefix in [keys::OUTBOX, keys::WAITING] {
            for record in committer.stored(prefix) {
                let (key, _) = record?;
                numbers = numbers.max(key.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(0));
            }
        }
        let ignored =
            committer.read(keys::IGNORED_KEY)?.map(|patterns| from_json(keys::IGNORED_KEY, &patterns)).transpose()?;
        let ignored = RwLock::new(ignored.unwrap_or_default());
        let restored =
            committer.read(keys::RESTORED_KEY)?.map(|time| from_json(keys::RESTORED_KEY, &time)).transpose()?;
        let (entropy, numbers) = (Mutex::new(entropy), AtomicU64::new(numbers));
        let shared = Shared {
            committer,
            dice,
            roster: Roster::default(),
            restored,
            ignored,
            waiting: Backlog::default(),
            guesses: Guesses::default(),
            paces: Paces::default(),
            calls: Lately::default(),
            told: Lately::default(),
            entropy,
            numbers,
        };
        Ok(Host::seen(Arc::new(settings), Arc::new(plugins), Arc::new(SystemClock), Arc::new(shared)))
    }

    fn seen(settings: Arc<Settings>, plugins: Arc<Plugins>, clock: Arc<dyn Clock>, shared: Arc<Shared>) -> Self {
        let router = Router::new(&settings.name).with_lines_of(plugins.manifests());
        Host { settings, plugins, router, clock, shared, reads: Reads::Played }
    }

    /// Replaces the operating system's clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Host { clock, ..self }
    }

    /// The same bot with other settings of its operator. Its name stays the same, and so does where its pages are.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        let Settings { name, pages, .. } = &*self.settings;
        let settings = Arc::new(Settings { name: name.clone(), pages: pages.clone(), ..settings });
        Host {
            reads: self.reads,
            ..Host::seen(settings, self.plugins.clone(), self.clock.clone(), self.shared.clone())
        }
    }

    /// The same bot with other plugins.
    #[must_use]
    pub fn with_plugins(&self, plugins: Plugins) -> Self {
        let (settings, clock, shared) = (self.settings.clone(), self.clock.clone(), self.shared.clone());
        Host { reads: self.reads, ..Host::seen(settings, Arc::new(plugins), clock, shared) }
    }

    /// The same bot for somebody who only looks: it reads what is on the disk.
    #[must_use]
    pub fn to_look_at(&self) -> Self {
        Host {
            settings: self.settings.clone(),
            plugins: self.plugins.clone(),
            router: self.router.clone(),
            clock: self.clock.clone(),
            shared: self.shared.clone(),
            reads: Reads::Durable,
        }
    }

    /// The time for limits and expiry.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The only writer of the store.
    pub fn committer(&self) -> &Committer {
        &self.committer
    }

    /// The record under `key`, if there is one, submitted batches included.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_doc<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        self.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
    }

    /// The same without reading the value.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.reads {
            Reads::Played => self.committer.read(key),
            Reads::Durable => self.committer.read_durable(key),
        }
    }

    /// The records under these keys.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        match self.reads {
            Reads::Played => self.committer.read_many(keys),
            Reads::Durable => self.committer.read_many_durable(keys),
        }
    }

    /// The table that a room sits at.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn table_of(&self, room: &RoomId) -> Result<TableId, StoreError> {
        let stored: Option<RoomDoc> = self.read_doc(&keys::room(room))?;
        Ok(stored.map_or_else(|| TableId::of(room), |room| room.table))
    }

    /// The settings of a room.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn room_doc(&self, room: &RoomId) -> Result<RoomDoc, StoreError> {
        Ok(self.read_doc(&keys::room(room))?.unwrap_or_else(|| self.settings().fresh_room(room)))
    }

    /// The operator's settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// True if a room may have the plugin. Operators choose the games; tools are for every room.
    pub fn offers(&self, room: &RoomId, plugin: &Manifest) -> bool {
        let own = self.settings().own_games && self.plugins.own_games.contains(&plugin.id);
        own || plugin.kind == Kind::Tool || self.settings().offers(room, &plugin.id)
    }

    /// The same as a check.
    ///
    /// # Errors
    /// The room may not have it.
    pub fn must_offer(&self, room: &RoomId, plugin: &Manifest) -> Result<(), Refusal> {
        if self.offers(room, plugin) {
            return Ok(());
        }
        Err(Refusal::new(format!("the operator of this bot does not offer {} here", plugin.id)).example("plugins"))
    }

    /// The game whose file somebody brings to a table in a message.
    ///
    /// # Errors
    /// The operator lets nobody do that, or as [`Plugins::brought`].
    pub fn brought(&self, body: &str) -> Result<Box<dyn Plugin>, Refusal> {
        match self.settings().own_games {
            true => self.plugins.brought(&file_in(body)).map_err(|refusal| refusal.example("plugin add")),
            false => Err(Refusal::new("the operator of this bot lets no table bring a game of its own")),
        }
    }

    /// The prefix of commands in a room.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn prefix_of(&self, room: &RoomId) -> Result<String, StoreError> {
        Ok(self.room_doc(room)?.prefix)
    }

    /// A number above all numbers given out before; it orders posts and accepted events.
    pub fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Lends the source of secrets.
    pub fn with_entropy<T>(&self, make: impl FnOnce(&mut Entropy) -> T) -> T {
        make(&mut self.entropy.lock().expect("nothing panics holding it"))
    }
}
