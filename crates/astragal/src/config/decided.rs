//! What an operator can decide, with the defaults.

use super::mistakes::Mistake;
use crate::networks::{Kinds, Network, Networks};
use crate::remote::Remote;
use crate::store::{Database, Kept};
use chat::{PlayerId, RoomId, Secret};
use jiff::SignedDuration;
use journal::committer::KEPT;
use plugin_api::PrintedDecks;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use table::limits::Limits;
use table::{ALONE, RoomRule, RoomSetting, Settings, WELCOME};
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

/// What an operator decides.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The name the bot answers to.
    pub name: String,
    /// The directory for all data.
    pub data: Option<PathBuf>,
    /// Who runs the bot, as `network:id`.
    #[schemars(with = "BTreeSet<String>")]
    pub owners: BTreeSet<PlayerId>,
    /// Rooms where owners command the bot itself and hear what goes wrong, as `network/room`.
    #[schemars(with = "BTreeSet<String>")]
    pub admin_rooms: BTreeSet<RoomId>,
    /// Who is ignored everywhere, as `network:id` or `network:nick!user@host`, where `*` is anything.
    pub ignore: BTreeSet<String>,
    pub rooms: Rooms,
    pub journals: Journals,
    pub watch: Watch,
    pub page: Page,
    pub limits: Numbers,
    pub console: Console,
    pub backups: Backups,
    pub store: Store,
    /// The directory with games that are files.
    pub games: Option<PathBuf>,
    /// Files with the cards of decks, by the names of the decks.
    #[schemars(with = "BTreeMap<String, String>")]
    pub decks: BTreeMap<String, PathBuf>,
    /// What is in these files.
    #[serde(skip)]
    pub printed: Arc<PrintedDecks>,
    /// The networks. Each kind reads its own sections.
    #[serde(skip)]
    pub networks: Networks,
}

/// What a new room starts with.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rooms {
    pub prefix: String,
    pub plugins: BTreeSet<String>,
    /// The plugins that rooms may enable. If unset, all.
    pub allowed: Option<BTreeSet<String>>,
    /// True if tables may bring games of their own, which are files.
    pub own_games: bool,
    /// Settings for some rooms.
    pub rules: Vec<Rule>,
    /// Days alone in a room before the bot leaves it; 0 stays.
    pub leave_alone_days: u16,
}

/// What is kept of what was played.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Journals {
    /// Days before the text of commands and answers is erased; 0 keeps it.
    pub keep_text_days: u16,
    /// Days of running for which the fate of a message is remembered.
    #[schemars(range(min = 1))]
    pub keep_message_days: u16,
}

/// Monitoring.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Watch {
    /// The address for its status by HTTP: `/metrics`, `/live`, `/ready`.
    pub listen: Option<SocketAddr>,
}

/// The pages of tables.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Page {
    /// The address where pages are shown by HTTP.
    pub listen: Option<SocketAddr>,
    /// Where people find them: `https://dice.example.org`.
    pub address: Option<String>,
    /// The most open pages that are kept up to date, at all tables, at one table, and by one person's link.
    #[schemars(range(min = 1))]
    pub streams: u16,
    #[schemars(range(min = 1))]
    pub streams_of_a_table: u16,
    #[schemars(range(min = 1))]
    pub streams_of_a_link: u16,
    /// The most requests that are answered at the same time.
    #[schemars(range(min = 1))]
    pub requests: u16,
}

/// Settings for some rooms. If several rules match a room, the last one wins.
#[derive(Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// The rooms, as `network/room`, where `*` is anything.
    pub rooms: String,
    pub prefix: Option<String>,
    pub plugins: Option<BTreeSet<String>>,
    pub allowed: Option<BTreeSet<String>>,
    /// Settings for new rooms, as `!room` would set them.
    pub settings: BTreeMap<String, String>,
}

/// Limits against floods.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Numbers {
    #[schemars(range(min = 1))]
    pub per_player: usize,
    #[schemars(range(min = 1))]
    pub per_table: usize,
    #[schemars(range(min = 1))]
    pub same_answers: usize,
    #[schemars(range(min = 1))]
    pub window_seconds: u32,
    pub silence_seconds: u32,
}

/// The terminal.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Console {
    pub name: Option<String>,
    pub room: String,
}

/// The daily backups.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Backups {
    pub keep: usize,
    /// The directory for them. A relative path begins in the data directory.
    #[schemars(with = "String")]
    pub directory: PathBuf,
    /// A program and its arguments, run after each with the file's path as one more argument.
    pub after: Vec<String>,
}

/// The store.
#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Store {
    /// The database in the data directory.
    pub database: Database,
    /// The connection string of a PostgreSQL that keeps it instead.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub postgres: Option<Secret>,
    /// The password of its user.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub password: Option<Secret>,
    /// A file that holds it.
    pub password_file: Option<PathBuf>,
    /// A file of certificates (PEM) to trust instead of the system's.
    #[schemars(extend("format" = "path"))]
    pub ca: Option<PathBuf>,
    /// The part of that database that is this bot's.
    pub shard: String,
    /// How much of it is kept in memory, in megabytes.
    pub cache_mb: Option<u16>,
}

/// How much is kept in memory of a store on another machine, in megabytes. It takes longer to read there.
const FAR: u16 = 64;

impl Default for Store {
    fn default() -> Self {
        let (database, shard) = (Database::default(), "main".to_owned());
        let (postgres, password, password_file, ca, cache_mb) = Default::default();
        Store { database, postgres, password, password_file, ca, shard, cache_mb }
    }
}

impl Store {
    /// How many bytes of it are kept in memory.
    pub fn cache(&self) -> usize {
        let chosen = self.cache_mb.or(self.postgres.as_ref().map(|_| FAR));
        chosen.map_or(KEPT, |megabytes| usize::from(megabytes) << 20)
    }

    /// Where the records are.
    pub fn kept(&self) -> Kept {
        let Store { database, postgres, password, ca, shard, .. } = self;
        match postgres {
            None => Kept::Here(*database),
            Some(postgres) => Kept::There(Remote {
                database: postgres.clone(),
                password: password.clone(),
                ca: ca.clone(),
                shard: shard.clone(),
            }),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        let name = Settings::default().name;
        Config {
            name,
            data: None,
            owners: BTreeSet::new(),
            admin_rooms: BTreeSet::new(),
            ignore: BTreeSet::new(),
            rooms: Rooms::default(),
            journals: Journals::default(),
            watch: Watch::default(),
            page: Page::default(),
            limits: Numbers::default(),
            console: Console::default(),
            backups: Backups::default(),
            store: Store::default(),
            games: None,
            decks: BTreeMap::new(),
            printed: Arc::default(),
            networks: Networks::default(),
        }
    }
}

impl Rule {
    /// The rule in the core's form.
    fn told(&self) -> RoomRule {
        let Rule { rooms, prefix, plugins, allowed, settings } = self;
        let proper = |key: &str, value: &str| RoomSetting::check(key, value).ok();
        RoomRule {
            rooms: rooms.clone(),
            prefix: prefix.clone(),
            plugins: plugins.clone(),
            allowed: allowed.clone(),
            settings: settings.iter().filter_map(|(key, value)| Some((key.clone(), proper(key, value)?))).collect(),
        }
    }
}

/// The settings of new rooms that differ from the core's own: newcomers are welcomed, except in the terminal, which has a
/// greeting; and in the terminal there is no other bot.
fn of_new_rooms() -> [RoomRule; 2] {
    let rule = |rooms: String, settings: &[(&RoomSetting, &str)]| {
        let settings = settings.iter().map(|(setting, value)| (setting.key.to_owned(), (*value).to_owned())).collect();
        RoomRule { rooms, settings, ..RoomRule::default() }
    };
    let terminal = format!("{}/*", transport_console::NETWORK);
    [rule("*".to_owned(), &[(&WELCOME, "on")]), rule(terminal, &[(&ALONE, "on"), (&WELCOME, "off")])]
}

impl Default for Rooms {
    fn default() -> Self {
        let Settings { prefix, plugins, .. } = Settings::default();
        Rooms { prefix, plugins, allowed: None, own_games: false, rules: Vec::new(), leave_alone_days: 30 }
    }
}

impl Default for Journals {
    fn default() -> Self {
        Journals { keep_text_days: 0, keep_message_days: 14 }
    }
}

impl Default for Numbers {
    fn default() -> Self {
        let Limits { per_player, per_table, same_answers, window, silence } = Limits::default();
        let seconds = |span: SignedDuration| u32::try_from(span.as_secs()).expect("defaults are short");
        let (window_seconds, silence_seconds) = (seconds(window), seconds(silence));
        Numbers { per_player, per_table, same_answers, window_seconds, silence_seconds }
    }
}

impl Default for Page {
    fn default() -> Self {
        Page { listen: None, address: None, streams: 256, streams_of_a_table: 64, streams_of_a_link: 8, requests: 64 }
    }
}

impl Default for Console {
    fn default() -> Self {
        Console { name: None, room: "hall".to_owned() }
    }
}

impl Backups {
    /// True if daily backups are written by both settings, or by neither: that is decided at the start.
    pub fn is_as_begun(&self, other: &Backups) -> bool {
        (self.keep > 0) == (other.keep > 0)
    }
}

impl Default for Backups {
    fn default() -> Self {
        Backups { keep: 7, directory: crate::backups::DIRECTORY.into(), after: Vec::new() }
    }
}

impl Config {
    /// Parses a text.
    ///
    /// # Errors
    /// The first mistake.
    pub fn of(text: &str, kinds: &Kinds) -> Result<Self, toml::de::Error> {
        let mut table = DeTable::parse(text)?;
        let mut networks = Networks::default();
        for kind in kinds {
            if let Some((key, section)) = table.get_mut().remove_entry(kind.names().section) {
                let alone = Spanned::new(table.span(), DeTable::from_iter([(key, section)]));
                networks.extend(kind.read(Deserializer::from(alone))?);
            }
        }
        let config = Config::deserialize(Deserializer::from(table))?;
        Ok(Config { networks, ..config })
    }

    /// Adds the secrets from files, and notes what is wrong with its networks and its store.
    pub(super) fn complete(mut self, wrong: &mut Vec<Mistake>) -> Self {
        let mut note = |what: String| wrong.push(Mistake::of(what));
        let Store { password, password_file, .. } = &mut self.store;
        if let Err(what) = Secret::read_into(password, password_file.as_deref(), "store.password") {
            note(what);
        }
        let networks = self.networks.complete(&self.owners, &mut note);
        Config { networks, ..self }
    }

    /// An owner in the network's own spelling.
    fn as_known(&self, owner: &PlayerId) -> PlayerId {
        let known = |network: &dyn Network| PlayerId::new(&owner.network, network.as_known(&owner.id));
        self.networks.named(&owner.network).map_or_else(|| owner.clone(), known)
    }

    /// The settings for the core.
    pub fn settings(&self) -> Settings {
        Settings {
            name: self.name.clone(),
            prefix: self.rooms.prefix.clone(),
            pages: None,
            plugins: self.rooms.plugins.clone(),
            allowed: self.rooms.allowed.clone(),
            own_games: self.rooms.own_games,
            rules: of_new_rooms().into_iter().chain(self.rooms.rules.iter().map(Rule::told)).collect(),
            owners: self.owners.iter().map(|owner| self.as_known(owner)).collect(),
            admin_rooms: self.admin_rooms.clone(),
            ignore: self.ignore.clone(),
            decks: self.printed.clone(),
            limits: Limits {
                per_player: self.limits.per_player,
                per_table: self.limits.per_table,
                same_answers: self.limits.same_answers,
                window: SignedDuration::from_secs(i64::from(self.limits.window_seconds)),
                silence: SignedDuration::from_secs(i64::from(self.limits.silence_seconds)),
            },
        }
    }
}
