//! Connections to the database, each on a thread of its own, which asks one thing after the other.

use crate::session::Session;
use crate::tls::encrypting;
use crate::wording::{failed, gone, late, worded};
use crate::{DEADLINE, Place};
use journal::store::StoreError;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc as ways;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Config, NoTls, Socket};

/// How much longer than its limit anybody waits for an answer: its thread gives up first.
const PATIENCE: Duration = Duration::from_secs(5);

/// A database, which of its hosts is tried first, and this run of the bot.
pub struct Site {
    pub place: Place,
    /// The owner of the lease in this run.
    pub owner: String,
    /// The host that worked last, or the one after a host that did not.
    first: AtomicUsize,
}

impl Site {
    pub fn new(place: Place, run: &str) -> Self {
        let owner = format!("{}{run}/{}", place.same(), place.machine);
        Site { place, owner, first: AtomicUsize::new(0) }
    }
}

/// An answer that comes.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + 'a>>;
/// Asks something and tells the answer. Returns true if the connection can be used for more.
type Ask = Box<dyn for<'a> FnOnce(&'a Session) -> Pin<Box<dyn Future<Output = bool> + 'a>> + Send>;

/// A connection. Once it has failed it fails for good.
pub struct Line {
    asks: mpsc::UnboundedSender<Ask>,
}

impl Line {
    /// Connects to the first host that answers `question` in time, since an old primary may answer everything but a write.
    pub fn open<T: Send + 'static>(
        site: &Arc<Site>,
        question: impl for<'a> Fn(&'a Session) -> Answer<'a, T> + Send + 'static,
    ) -> Result<(Self, T), StoreError> {
        let (asks, asked) = mpsc::unbounded_channel();
        let (opened, is_open) = ways::sync_channel(1);
        let at = site.clone();
        let work = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => runtime.block_on(talk(at, question, opened, asked)),
                // The opener may have stopped waiting, here and below.
                Err(error) => drop(opened.send(Err(StoreError::Unavailable(error.to_string())))),
            }
        };
        let thread = std::thread::Builder::new().name("postgres".to_owned()).spawn(work);
        thread.map_err(|error| StoreError::Unavailable(format!("no thread can be started: {error}")))?;
        let answer = is_open.recv().unwrap_or_else(|_| Err(gone()))?;
        Ok((Line { asks }, answer))
    }

    /// Asks something that takes at most so long.
    pub fn ask<T: Send + 'static>(
        &self,
        within: Duration,
        question: impl for<'a> FnOnce(&'a Session) -> Answer<'a, T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = ways::sync_channel(1);
        let ask: Ask = Box::new(move |session| {
            Box::pin(async move {
                let answer = timeout(within, question(session)).await;
                let answer = answer.unwrap_or_else(|_| Err(late(within)));
                let goes_on = !matches!(answer, Err(StoreError::Unavailable(_)));
                let _ = tell.send(answer);
                goes_on
            })
        });
        self.asks.send(ask).map_err(|_| gone())?;
        told.recv_timeout(within + PATIENCE).unwrap_or_else(|_| Err(gone()))
    }
}

/// Connects and does what is asked, until it fails or nobody asks any more.
async fn talk<T>(
    site: Arc<Site>,
    question: impl for<'a> Fn(&'a Session) -> Answer<'a, T>,
    opened: ways::SyncSender<Result<T, StoreError>>,
    mut asked: mpsc::UnboundedReceiver<Ask>,
) {
    let (session, answer, host) = match connect(&site, question).await {
        Ok(connected) => connected,
        Err(error) => return drop(opened.send(Err(error))),
    };
    if opened.send(Ok(answer)).is_err() {
        return;
    }
    while let Some(ask) = asked.recv().await {
        if !ask(&session).await {
            // Another one may be better.
            site.first.store(host + 1, Ordering::Relaxed);
            return;
        }
    }
}

/// Connects to the first host that answers the question in time.
async fn connect<T>(
    site: &Site,
    question: impl for<'a> Fn(&'a Session) -> Answer<'a, T>,
) -> Result<(Session, T, usize), StoreError> {
    let config = parsed(&site.place)?;
    let count = config.get_hosts().len();
    let mut why = StoreError::Unavailable("the connection string of the database names no host".to_owned());
    for step in 0..count {
        let at = (site.first.load(Ordering::Relaxed) + step) % count;
        let answered = async {
            let session = session(&config, at, site).await?;
            let answer = question(&session).await?;
            Ok((session, answer))
        };
        match timeout(DEADLINE, answered).await {
            Ok(Ok((session, answer))) => {
                site.first.store(at, Ordering::Relaxed);
                return Ok((session, answer, at));
            }
            Ok(Err(damaged @ StoreError::Damaged { .. })) => return Err(damaged),
            Ok(Err(error)) => why = error,
            Err(_) => why = late(DEADLINE),
        }
    }
    Err(why)
}

/// The connection string, read.
pub fn parsed(place: &Place) -> Result<Config, StoreError> {
    let mut config: Config = verified(&place.database).parse().map_err(worded)?;
    if !config.get_hostaddrs().is_empty() {
        let what = "the connection string of the database is wrong: hostaddr is not used; name the address as host";
        return Err(StoreError::Unavailable(what.to_owned()));
    }
    if let Some(password) = &place.password {
        config.password(password);
    }
    Ok(config)
}

/// The connection string in the library's words: whatever is encrypted is verified, and it has no name for that.
fn verified(database: &str) -> String {
    let Some((before, rest)) = database.split_once("sslmode") else { return database.to_owned() };
    let value = rest.trim_start_matches([' ', '=', '\'']);
    let given = &rest[..rest.len() - value.len()];
    match value.strip_prefix("verify-full").or_else(|| value.strip_prefix("verify-ca")) {
        Some(after) => format!("{before}sslmode{given}require{after}"),
        None => database.to_owned(),
    }
}

async fn session(config: &Config, at: usize, site: &Site) -> Result<Session, StoreError> {
    let (mut one, host) = (only(config, at), &config.get_hosts()[at]);
    let encrypted = match config.get_ssl_mode() {
        SslMode::Require => true,
        SslMode::Disable => false,
        _ => matches!(host, Host::Tcp(name) if !is_here(name)),
    };
    match encrypted {
        true => begin(one.ssl_mode(SslMode::Require), encrypting(&site.place)?, site).await,
        false => begin(&one, NoTls, site).await,
    }
}

async fn begin<T>(config: &Config, tls: T, site: &Site) -> Result<Session, StoreError>
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
    Session::begin(client, (&site.place.shard, &site.owner)).await
}

/// True if nothing that is sent there leaves this machine.
fn is_here(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The same configuration with one host.
fn only(config: &Config, at: usize) -> Config {
    let ports = config.get_ports();
    let mut one = Config::new();
    config.get_user().map(|user| one.user(user));
    config.get_password().map(|password| one.password(password));
    config.get_dbname().map(|name| one.dbname(name));
    config.get_options().map(|options| one.options(options));
    one.channel_binding(config.get_channel_binding()).ssl_negotiation(config.get_ssl_negotiation());
    one.application_name("astragal").port(ports.get(at).or(ports.first()).copied().unwrap_or(5432));
    match &config.get_hosts()[at] {
        Host::Tcp(name) => one.host(name),
        Host::Unix(path) => one.host_path(path),
    };
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_verified_is_called_required() {
        let database = "host=a sslmode='verify-full' user=b";
        assert_eq!(verified(database), "host=a sslmode='require' user=b");
        assert_eq!(verified("sslmode = verify-full"), "sslmode = require");
        assert_eq!(verified("host=a sslmode=disable"), "host=a sslmode=disable");
    }
}
