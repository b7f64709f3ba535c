//! Operators' requests to the running bot: by `astragal ctl` on its socket, or `!ctl` in the operator's rooms.

use crate::backup;
use crate::config::Config;
use crate::ending::HandOver;
use crate::game_files::GameFiles;
use crate::log::Level;
use crate::order::{Asked, Order, Switch, typed};
use crate::place::Place;
use crate::remote::Standing;
use crate::room;
use crate::status::Overview;
use crate::store::Playing;
use anyhow::{Context, bail, ensure};
use async_trait::async_trait;
use bot::{Bot, GaveUp, Ignoring};
use chat::{Clock, RoomId, Status, SystemClock, Transport};
use futures::future::join_all;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use table::OutcomeKind;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long a network may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(5);

/// The result of a request.
pub struct Told {
    /// For people.
    pub text: String,
    /// For programs.
    pub json: Value,
    /// For people at a terminal, if that looks different.
    pub columns: Option<String>,
}

impl Told {
    fn of(text: impl Into<String>) -> Self {
        let text = text.into();
        Told { json: json!({ "said": text }), text, columns: None }
    }
}

/// Carries out the requests.
pub struct Operator {
    /// The bot.
    pub bot: Arc<Bot>,
    /// Its store.
    pub store: Arc<Playing>,
    /// Lets another bot play on.
    pub hand_over: Arc<HandOver>,
    /// The networks it is on.
    pub transports: RwLock<Vec<Arc<dyn Transport>>>,
    /// The place of its configuration.
    pub place: Place,
    /// Its current configuration.
    pub config: RwLock<Arc<Config>>,
    /// The configuration with which it was started.
    pub started: Arc<Config>,
    /// Held while the configuration is read again.
    pub reloading: Mutex<()>,
    /// Its data directory.
    pub data: PathBuf,
    /// The directory of its daily backups.
    pub backups: PathBuf,
    /// What is wrong with its daily backup.
    pub backup_trouble: RwLock<Option<String>>,
    /// What was read of the games that are files.
    pub game_files: GameFiles,
    /// How much it logs.
    pub level: Level,
    /// When its data was last written before it ran.
    pub written: Option<Timestamp>,
    /// When it started.
    pub since: Timestamp,
}

impl Operator {
    /// Carries out a request.
    ///
    /// # Errors
    /// Why it cannot; then nothing changed.
    pub async fn obey(&self, order: Order) -> anyhow::Result<Told> {
        Ok(match order {
            Order::Status(_) => self.status().await,
            Order::Join { place } => {
                let RoomId { network, id } = named(&place)?;
                let joined = self.network(&network)?.join(&id).await.map_err(anyhow::Error::msg)?;
                Told::of(format!("{network}: coming into {joined}"))
            }
            Order::Leave { place } => {
                let RoomId { network, id } = named(&place)?;
                let transport = self.network(&network)?;
                let rooms = transport.status().await.rooms;
                transport.leave(&id).await.map_err(anyhow::Error::msg)?;
                let configured = rooms.iter().any(|room| room.configured && room.id.eq_ignore_ascii_case(&id));
                let back = if configured { "; the configuration brings it back at the next start" } else { "" };
                Told::of(format!("{network}: leaving {id}; what its table holds stays{back}"))
            }
            Order::Ignore { pattern: None, .. } => {
                let ignored = self.bot.host().ignored();
                let list = ignored.iter().cloned().collect::<Vec<_>>().join("\n");
                let text = if ignored.is_empty() { "nobody is ignored".to_owned() } else { list };
                Told { text, json: json!({ "ignored": ignored }), columns: None }
            }
            Order::Ignore { pattern: Some(pattern), no } => {
                self.ignore(&pattern, if no { Ignoring::End } else { Ignoring::Begin }).await?
            }
            Order::Plugin { what, room, plugin } => self.plugin(what, &room, &plugin).await?,
            Order::Backup => {
                let name = self.now().strftime("%Y-%m-%dT%H-%M-%S%.3fZ").to_string();
                let file = backup::keep(&self.backups, &name, &self.bot).await?;
                let text = format!("written to {}", file.display());
                Told { text, json: json!({ "file": file }), columns: None }
            }
            Order::HandOver => Told::of(self.hand_over().await?),
            Order::Reload => Told::of(self.reload().await?),
            Order::Log { filter } => {
                self.level.set(filter.as_deref())?;
                Told::of(filter.map_or("log level: normal".to_owned(), |filter| format!("logs {filter}")))
            }
        })
    }

    /// The status of each network.
    pub async fn networks(&self) -> Vec<(String, Status)> {
        let transports = self.transports.read().expect("nothing panics holding it").clone();
        let all = transports.into_iter().map(|transport| async move {
            let name = transport.network().to_owned();
            let silent = || Status { trouble: Some("it says nothing of itself".to_owned()), ..Status::default() };
            let status = timeout(PATIENCE, transport.status()).await.unwrap_or_else(|_| silent());
            match self.bot.gave_up(&name) {
                Some(GaveUp { reason, again }) => {
                    (name, Status { connected: false, trouble: Some(reason), again: Some(again), ..status })
                }
                None => (name, status),
            }
        });
        join_all(all).await
    }

    /// How its store is, if that is on a server.
    pub async fn standing(&self) -> Option<Standing> {
        let store = self.store.clone();
        tokio::task::spawn_blocking(move || store.standing()).await.ok().flatten()
    }

    /// The current configuration.
    pub fn config(&self) -> Arc<Config> {
        self.config.read().expect("nothing panics holding it").clone()
    }

    /// Notes what was wrong with the last daily backup, if anything was.
    pub fn backed_up(&self, trouble: Option<String>) {
        *self.backup_trouble.write().expect("nothing panics holding it") = trouble;
    }

    /// A network by its name.
    pub fn network(&self, name: &str) -> anyhow::Result<Arc<dyn Transport>> {
        let transports = self.transports.read().expect("nothing panics holding it");
        let names = || match transports.iter().map(|each| each.network()).collect::<Vec<_>>().as_slice() {
            [only] => format!("the only one is {only}"),
            all => format!("there are {}", all.join(", ")),
        };
        let found = transports.iter().find(|each| each.network() == name).cloned();
        found.with_context(|| format!("there is no network {name}; {}", names()))
    }

    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    async fn status(&self) -> Told {
        let networks = self.networks().await;
        let networks = networks.into_iter().map(|(name, status)| {
            let unsaid = self.bot.unsaid(&name);
            (name, status, unsaid)
        });
        let (now, store) = (self.now(), self.standing().await);
        let disk = room::full(&self.data);
        let backup = self.backup_trouble.read().expect("nothing panics holding it").clone();
        let overview = Overview { since: self.since, now, store, disk, backup, networks: networks.collect() };
        Told { text: overview.text(), json: overview.json(), columns: Some(overview.columns()) }
    }

    /// Lets a bot that stands by play on.
    async fn hand_over(&self) -> anyhow::Result<String> {
        let standing =
            self.standing().await.context("only a bot whose store is on PostgreSQL has another one to hand over to")?;
        if let Some(trouble) = standing.trouble {
            bail!("nothing is handed over while the database is in trouble: {trouble}");
        }
        let others = standing.others.join(" or ");
        ensure!(!others.is_empty(), "no other bot stands by for the shard {}: start one first", standing.shard);
        ensure!(!self.started.networks.is_empty(), "a bot in a terminal hands over when it ends: type /quit there");
        self.hand_over.begin();
        Ok(format!("handing over to {others}; this bot finishes what it accepted, and then stands by"))
    }

    async fn ignore(&self, pattern: &str, change: Ignoring) -> anyhow::Result<Told> {
        if let Some(nobody) = self.config().nobody(pattern) {
            bail!(nobody);
        }
        if self.bot.ignore(pattern, change).await? {
            let how = match change {
                Ignoring::Begin => "ignored everywhere",
                Ignoring::End => "answered again",
            };
            return Ok(Told::of(format!("{pattern} is {how}")));
        }
        match change {
            Ignoring::Begin => bail!("{pattern} is ignored already"),
            Ignoring::End => bail!("{pattern} was not ignored by you; the configuration has its own list, `ignore`"),
        }
    }

    async fn plugin(&self, what: Switch, room: &str, plugin: &str) -> anyhow::Result<Told> {
        let place = named(&[room.to_owned()])?;
        let rooms = self.network(&place.network)?.status().await.rooms;
        ensure!(rooms.iter().any(|room| room.id == place.id), "the bot is not in {room}");
        let word = if what == Switch::Enable { "enable" } else { "disable" };
        let outcomes = self.bot.order(&place, &format!("plugin {word} {plugin}"), self.now()).await?;
        let told: Vec<String> = outcomes.iter().map(|outcome| outcome.reply.plain()).collect();
        match outcomes.iter().all(|outcome| outcome.kind == OutcomeKind::Played) {
            true => Ok(Told::of(told.join("\n"))),
            false => bail!("{}", told.join("\n")),
        }
    }
}

#[async_trait]
impl bot::Operator for Operator {
    async fn obey(&self, words: &str, prefix: &str) -> Result<String, String> {
        match typed(words, prefix)? {
            Asked::Order(order) => {
                Operator::obey(self, order).await.map(|told| told.text).map_err(|error| format!("{error:#}"))
            }
            Asked::Help(text) => Ok(text),
        }
    }
}

/// Parses a room in one word or two.
fn named(place: &[String]) -> anyhow::Result<RoomId> {
    let room = match place {
        [network, room] => Ok(RoomId::new(network, room)),
        _ => RoomId::try_from(place.concat()),
    };
    room.ok().context("a room is named as network/room: libera/#tavern")
}
