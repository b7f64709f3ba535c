//! Connections to the database, each on a thread of its own, which asks one thing after the other.

use crate::database::{Database, Line, Name};
use crate::mark::Mark;
use crate::noted::Noted;
use crate::place::{is_here, only, parsed, port};
use crate::statements::{Holder, Statement};
use crate::tls::encrypting;
use crate::wording::{failed, fit, gone, late};
use crate::{Cost, DEADLINE, Place, Standing, clock};
use journal::store::StoreError;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc as ways;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::mpsc;
use tokio::task::block_in_place;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket, Statement as Prepared};

/// How much longer than its limit anybody waits for an answer: its thread gives up first.
const PATIENCE: Duration = Duration::from_secs(5);

/// The tables, made by whoever comes first.
const TABLES: &str = "
create table if not exists record (key bytea primary key, value bytea not null);
create table if not exists lease (shard text primary key, owner text not null, fence bigint not null,
    until timestamptz not null, commits bigint not null);";
/// Whoever waits for a row longer than this has done nothing yet and gives up, so that nothing is left behind that would be
/// done later. What waits for a standby waits on.
const SETTINGS: &str = "set synchronous_commit = on; set client_encoding = 'UTF8'; set lock_timeout = '1s'";
const SERVER: &str = "
select current_setting('server_version_num')::int, case when pg_is_in_recovery() then 'standby' else 'primary' end,
    current_setting('fsync')";
/// Its standbys, and the bots whose connections have names that begin with the first text and not with the second. Each of
/// them asks something every two seconds; the server may take hours to see that a machine is gone.
const STANDING: &str = "
select current_setting('synchronous_standby_names') <> '', exists (select from pg_stat_replication),
    array(select distinct application_name from pg_stat_activity where datname = current_database()
        and starts_with(application_name, $1) and not starts_with(application_name, $2)
        and state_change > clock_timestamp() - interval '5 seconds')";

/// How the names of all our connections begin.
const NAME: &str = "astragal";

/// How often a statement that got in another's way is tried again.
const TRIES: u32 = 10;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// To play, or to stand by: others see it.
    Play,
    /// To look at something.
    Look,
}

/// The hosts of a PostgreSQL.
pub struct Hosts {
    place: Place,
    config: Config,
    name: Name,
    /// How its connections are called.
    called: String,
    first: AtomicUsize,
    noted: Option<Noted>,
}

impl Hosts {
    /// Reads the connection string; `run` tells this run of the bot from all others.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(place: Place, run: &str, intent: Intent) -> Result<Self, StoreError> {
        let same = format!("{}/", place.bot);
        let name = Name { shard: place.shard.clone(), owner: format!("{same}{run}/{}", place.machine), same };
        let called = match intent {
            Intent::Play => format!("{NAME}/{}/{}/{}", place.shard, place.bot, place.machine),
            Intent::Look => NAME.to_owned(),
        };
        let opened = place.mark.as_deref().map(Noted::open).transpose();
        let noted = opened.unwrap_or_else(|error| {
            tracing::warn!(%error, "how far the database is cannot be noted on this machine");
            None
        });
        Ok(Hosts { config: parsed(&place)?, place, name, called, first: AtomicUsize::new(0), noted })
    }
}

impl Database for Hosts {
    type Line = Wire;

    fn name(&self) -> &Name {
        &self.name
    }

    fn hosts(&self) -> usize {
        self.config.get_hosts().len()
    }

    fn called(&self, host: usize) -> String {
        let name = match &self.config.get_hosts()[host] {
            Host::Tcp(name) => name.clone(),
            Host::Unix(path) => path.display().to_string(),
        };
        format!("{name}:{}", port(&self.config, host))
    }

    fn first(&self) -> usize {
        self.first.load(Ordering::Relaxed)
    }

    fn try_first(&self, host: usize) {
        self.first.store(host, Ordering::Relaxed);
    }

    fn connect(self: &Arc<Self>, host: usize) -> Result<Wire, StoreError> {
        Wire::to(self, host)
    }

    fn now(&self) -> Duration {
        clock::now()
    }

    fn pause(&self, time: Duration) {
        std::thread::sleep(time);
    }

    fn noted(&self) -> Option<Mark> {
        self.noted.as_ref().and_then(Noted::read)
    }

    fn note(&self, mark: Mark) {
        self.noted.iter().for_each(|noted| noted.write(mark));
    }

    fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => block_in_place(work),
            _ => work(),
        }
    }
}

/// Asks and tells the answer. Returns true if the connection can be used for more.
type Ask = Box<dyn for<'a> FnOnce(&'a mut Server) -> Pin<Box<dyn Future<Output = bool> + 'a>> + Send>;
/// What comes of a question.
type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + 'a>>;

/// A connection on a thread of its own.
pub struct Wire {
    hosts: Arc<Hosts>,
    host: usize,
    asks: mpsc::UnboundedSender<Ask>,
    /// How long the question takes at most, and until when.
    limit: Mutex<(Duration, Duration)>,
    is_new: AtomicBool,
}

impl Wire {
    fn to(hosts: &Arc<Hosts>, host: usize) -> Result<Self, StoreError> {
        let (began, at) = (clock::now(), hosts.clone());
        let (asks, asked) = mpsc::unbounded_channel();
        let (opened, is_open) = ways::sync_channel(1);
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(talk(&at, host, opened, asked)),
                // The opener may have stopped waiting, here and below.
                Err(error) => drop(opened.send(Err(StoreError::Unavailable(error.to_string())))),
            }
        };
        let thread = std::thread::Builder::new().name("postgres".to_owned()).spawn(work);
        thread.map_err(|error| StoreError::Unavailable(format!("no thread can be started: {error}")))?;
        is_open.recv().unwrap_or_else(|_| Err(gone()))?;
        let (limit, is_new) = (Mutex::new((DEADLINE, began + DEADLINE)), AtomicBool::new(true));
        Ok(Wire { hosts: hosts.clone(), host, asks, limit, is_new })
    }

    /// What a failure of the server would cost, and who stands by.
    ///
    /// # Errors
    /// There was no answer in time.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        self.begin(DEADLINE);
        let place = &self.hosts.place;
        let shard = format!("{NAME}/{}/", place.shard);
        let ours = [shard.clone(), format!("{shard}{}/", place.bot)];
        self.ask(move |server| Box::pin(async move { server.standing(ours).await }))
    }

    /// Asks what is a question or a part of one.
    fn ask<T: Send + 'static>(
        &self,
        question: impl for<'a> FnOnce(&'a mut Server) -> Answer<'a, T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (limit, until) = *self.limit.lock().unwrap_or_else(PoisonError::into_inner);
        let within = until.saturating_sub(clock::now());
        let (tell, told) = ways::sync_channel(1);
        let ask: Ask = Box::new(move |server| {
            Box::pin(async move {
                let answer = timeout(within, question(server)).await;
                let answer = answer.unwrap_or_else(|_| Err(late(limit)));
                let goes_on = answer.is_ok();
                let _ = tell.send(answer);
                goes_on
            })
        });
        let answer = match self.asks.send(ask) {
            Ok(()) => told.recv_timeout(within + PATIENCE).unwrap_or_else(|_| Err(gone())),
            Err(_) => Err(gone()),
        };
        if answer.is_err() {
            // Another one may be better.
            self.hosts.try_first((self.host + 1) % self.hosts.hosts());
        }
        answer
    }
}

impl Line for Wire {
    fn begin(&self, within: Duration) {
        if !self.is_new.swap(false, Ordering::Relaxed) {
            *self.limit.lock().unwrap_or_else(PoisonError::into_inner) = (within, clock::now() + within);
        }
    }

    fn run<S: Statement>(&self, statement: S) -> Result<S::Answer, StoreError> {
        self.ask(move |server| Box::pin(async move { server.run(&statement).await }))
    }
}

/// A bot and its machine, of what comes after the shard in the name of a connection, which the database cuts after 63 bytes.
fn shown(name: &str) -> Option<String> {
    name.split_once('/').map(|(bot, machine)| Holder::called(bot, machine))
}

/// Connects and runs what is asked, until something fails or nobody asks any more.
async fn talk(
    hosts: &Hosts,
    host: usize,
    opened: ways::SyncSender<Result<(), StoreError>>,
    mut asked: mpsc::UnboundedReceiver<Ask>,
) {
    let connected = timeout(DEADLINE, connected(hosts, host)).await.unwrap_or_else(|_| Err(late(DEADLINE)));
    let mut server = match connected {
        Ok(server) => match opened.send(Ok(())) {
            Ok(()) => server,
            Err(_) => return,
        },
        Err(error) => return drop(opened.send(Err(error))),
    };
    while let Some(ask) = asked.recv().await {
        if !ask(&mut server).await {
            return;
        }
    }
}

/// A server that can be written to, with the statements it was asked before.
struct Server {
    client: Client,
    prepared: BTreeMap<&'static str, Prepared>,
}

impl Server {
    /// Runs a statement, again if others were in its way.
    async fn run<S: Statement>(&mut self, statement: &S) -> Result<S::Answer, StoreError> {
        let prepared = match self.prepared.get(S::SQL) {
            Some(prepared) => prepared,
            None => {
                let prepared = self.client.prepare(S::SQL).await.map_err(failed)?;
                self.prepared.entry(S::SQL).or_insert(prepared)
            }
        };
        for _ in 0..TRIES {
            match self.client.query(prepared, &statement.parameters()).await {
                Err(error) if is_in_the_way(&error) => {}
                done => return done.map(|rows| S::answer(&rows)).map_err(failed),
            }
        }
        Err(StoreError::Unavailable("the statement kept conflicting with others".to_owned()))
    }

    async fn standing(&self, [ours, own]: [String; 2]) -> Result<Standing, StoreError> {
        let row = self.client.query_one(STANDING, &[&ours, &own]).await.map_err(failed)?;
        let cost = match (row.get(0), row.get(1)) {
            (true, _) => Cost::Synchronous,
            (false, true) => Cost::Behind,
            (false, false) => Cost::Alone,
        };
        let bots: Vec<String> = row.get(2);
        let others = bots.iter().filter_map(|name| shown(name.strip_prefix(&ours)?));
        Ok(Standing { cost, others: others.collect() })
    }
}

/// Nothing of such a statement was done, and it may be done if it is tried again.
fn is_in_the_way(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
}

async fn connected(hosts: &Hosts, at: usize) -> Result<Server, StoreError> {
    let config = &hosts.config;
    let (mut one, host) = (only(config, at), &config.get_hosts()[at]);
    one.application_name(&hosts.called);
    let encrypted = match config.get_ssl_mode() {
        SslMode::Require => true,
        SslMode::Disable => false,
        _ => matches!(host, Host::Tcp(name) if !is_here(name)),
    };
    match encrypted {
        true => begin(one.ssl_mode(SslMode::Require), encrypting(&hosts.place)?).await,
        false => begin(&one, NoTls).await,
    }
}

/// Connects, looks at the server, and makes the tables if they are missing.
async fn begin<T>(config: &Config, tls: T) -> Result<Server, StoreError>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, connection) = config.connect(tls).await.map_err(failed)?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection to the database ended");
        }
    });
    client.batch_execute(SETTINGS).await.map_err(failed)?;
    let row = client.query_one(SERVER, &[]).await.map_err(failed)?;
    fit(row.get(0), row.get(1), row.get(2))?;
    make_tables(&client).await?;
    Ok(Server { client, prepared: BTreeMap::new() })
}

/// Makes the tables. Two that do it at the same time are in each other's way, though both say `if not exists`.
async fn make_tables(client: &Client) -> Result<(), StoreError> {
    let there = client.query_one("select to_regclass('record') is not null and to_regclass('lease') is not null", &[]);
    if there.await.map_err(failed)?.get(0) {
        return Ok(());
    }
    let both = [SqlState::UNIQUE_VIOLATION, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT];
    for _ in 0..TRIES {
        match client.batch_execute(TABLES).await {
            Err(error) if error.code().is_some_and(|code| both.contains(code)) => {}
            made => return made.map_err(failed),
        }
    }
    Err(StoreError::Unavailable("the tables cannot be made while others make them".to_owned()))
}
