//! [`chat::Transport`] on an IRC network: a connection that is kept up, people identified by their accounts, answers
//! that fit.
//!
//! The message types are those of `irc-proto`; the connection is our own. Each file stays small by what it does not
//! know: `wire` turns bytes into messages, `login` and `session` turn messages into events without knowing sockets,
//! `outbox` decides what may be said when, `format` how it looks, and only `connection` holds a socket.

mod connection;
mod distrust;
mod format;
mod isupport;
mod link;
mod login;
mod outbox;
mod pace;
mod past;
mod proofs;
mod sasl;
mod session;
mod settings;
mod sts;
mod trouble;
mod view;
mod wire;

pub use connection::Nonces;
pub use settings::{Channel, Invites, Settings, TellPassword};

use async_trait::async_trait;
use chat::{Clock, Delivery, Desk, DeskError, Guarantees, Post, Saying, SendError, Status, Transport, TransportError};
use connection::{Ask, Connection, Order};
use distrust::Distrust;
use outbox::Outbox;
use past::Past;
use session::Memory;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use sts::Policies;
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// An IRC network.
pub struct Irc {
    network: String,
    settings: RwLock<Arc<Settings>>,
    clock: Arc<dyn Clock>,
    nonces: Nonces,
    orders: mpsc::UnboundedSender<Order>,
    /// Locked by the connection as long as it lives.
    held: Arc<Mutex<mpsc::UnboundedReceiver<Order>>>,
    /// The connection, once it has begun.
    living: Mutex<Option<Living>>,
    ready: watch::Sender<bool>,
}

/// A connection and its deliveries. It outlives its listener: what was heard must still be answered after `run` ends.
struct Living {
    delivered: mpsc::UnboundedReceiver<Delivery>,
    task: JoinHandle<()>,
}

impl Irc {
    /// A network, with the operator's name for it. `nonces` returns randomness that nobody can guess.
    pub fn new(network: &str, settings: Settings, clock: Arc<dyn Clock>, nonces: Nonces) -> Self {
        let (orders, held) = mpsc::unbounded_channel();
        Irc {
            network: network.to_owned(),
            settings: RwLock::new(Arc::new(settings)),
            clock,
            nonces,
            orders,
            held: Arc::new(Mutex::new(held)),
            living: Mutex::default(),
            ready: watch::Sender::new(false),
        }
    }

    fn settings(&self) -> Arc<Settings> {
        self.settings.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Goes by other settings from now on, if they need no new connection: joins and leaves channels, and knows other
    /// admins. Returns false if they need one; then nothing changes.
    pub fn adopt(&self, settings: &Settings) -> bool {
        let mut known = self.settings.write().unwrap_or_else(PoisonError::into_inner);
        if !known.is_as_connected(settings) {
            return false;
        }
        *known = Arc::new(settings.clone());
        // Without a connection, the next one reads them.
        let _ = self.orders.send(Order::Adopt(known.clone()));
        true
    }

    /// Asks the connection. Returns `None` if it is gone.
    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Option<T> {
        if self.held.try_lock().is_ok() {
            return None;
        }
        let (asked, told) = oneshot::channel();
        self.orders.send(Order::Ask(ask(asked))).ok()?;
        told.await.ok()
    }

    /// Starts the connection once the previous one is gone.
    async fn begin(&self, desk: &dyn Desk) -> Result<Living, TransportError> {
        let orders = self.held.clone().lock_owned().await;
        let note = |name| desk.note(name).map_err(|DeskError(error)| self.failed(error));
        let invited = note(session::INVITED)?.unwrap_or_default();
        let (deliveries, delivered) = mpsc::unbounded_channel();
        let settings = self.settings();
        let connection = Connection {
            network: self.network.clone(),
            settings: settings.clone(),
            servers: settings.in_turn().into_iter().map(Arc::new).collect(),
            clock: self.clock.clone(),
            nonces: self.nonces.clone(),
            orders,
            deliveries,
            ready: self.ready.clone(),
            memory: Memory {
                // Names may contain any other white space.
                invited: invited.split(' ').filter(|name| settings::is_name(name)).map(str::to_owned).collect(),
                renamed: note(session::RENAMED)?
                    .and_then(|names| serde_json::from_str(&names).ok())
                    .unwrap_or_default(),
                past: Past::read(note(past::HEARD)?.as_deref()),
                policies: Policies::read(note(sts::NOTE)?.as_deref()),
                distrust: Distrust::read(note(distrust::NOTE)?.as_deref()),
                notes: BTreeMap::new(),
            },
            outbox: Outbox::new(&settings, Instant::now()),
            asked: Vec::new(),
            adopted: false,
            closing: None,
            away: Status::default(),
        };
        Ok(Living { delivered, task: tokio::spawn(connection.live()) })
    }

    fn failed(&self, reason: impl Into<String>) -> TransportError {
        TransportError { network: self.network.clone(), reason: reason.into() }
    }
}

#[async_trait]
impl Transport for Irc {
    fn network(&self) -> &str {
        &self.network
    }

    fn guarantees(&self) -> Guarantees {
        Guarantees::default()
    }

    async fn run(&self, desk: Arc<dyn Desk>) -> Result<(), TransportError> {
        let mut living = self.living.lock().await;
        if living.is_none() {
            *living = Some(self.begin(&*desk).await?);
        }
        while let Some(Living { delivered, .. }) = &mut *living
            && let Some(delivery) = delivered.recv().await
        {
            if let Err(error) = desk.accept(delivery).await {
                tracing::error!(network = self.network, %error, "what was said is not heard");
            }
        }
        // It ended in order or by a panic; a panic is passed on to the caller, who restarts networks.
        if let Some(Living { task, .. }) = living.take()
            && let Err(error) = task.await
            && let Ok(panic) = error.try_into_panic()
        {
            std::panic::resume_unwind(panic);
        }
        Ok(())
    }

    fn send(&self, post: Post) -> Saying {
        let (said, saying) = oneshot::channel();
        // If the connection is gone, so is the receiver.
        let _ = self.orders.send(Order::Say(Box::new(post), said));
        Box::pin(async { saying.await.unwrap_or(Err(SendError::Unsaid)) })
    }

    async fn ready(&self) {
        // This holds the sender.
        let _ = self.ready.subscribe().wait_for(|ready| *ready).await;
    }

    async fn status(&self) -> Status {
        self.ask(Ask::Status).await.unwrap_or_default()
    }

    async fn join(&self, room: &str) -> Result<String, String> {
        self.ask(|asked| Ask::Join(room.to_owned(), asked)).await.unwrap_or_else(|| Err(stopped()))
    }

    async fn leave(&self, room: &str) -> Result<(), String> {
        self.ask(|asked| Ask::Leave(room.to_owned(), asked)).await.unwrap_or_else(|| Err(stopped()))
    }

    async fn close(&self) {
        if let Ok(mut orders) = self.held.try_lock() {
            // There is no connection and none will begin: posts that wait for one are not said in this run.
            orders.close();
            while orders.try_recv().is_ok() {}
            return;
        }
        let (closed, closing) = oneshot::channel();
        if self.orders.send(Order::Close(closed)).is_ok() {
            // Gone is as good as closed.
            let _ = closing.await;
        }
    }
}

fn stopped() -> String {
    "the network is stopped".to_owned()
}

/// Tries these settings with each of the servers: connects, logs in and leaves. Returns the name the bot had there, or in
/// plain words what failed.
///
/// # Errors
/// What failed, including the login to the account.
pub async fn probe(settings: &Settings, nonces: &Nonces) -> Result<String, String> {
    let (servers, mut told, mut well) = (settings.in_turn(), Vec::new(), true);
    for settings in &servers {
        let tried = probe_server(settings, nonces).await;
        well &= tried.is_ok();
        told.push(match tried {
            Err(why) if servers.len() > 1 && !why.contains(&settings.address()) => {
                format!("{}: {why}", settings.address())
            }
            Ok(what) | Err(what) => what,
        });
    }
    let told = told.join("; ");
    if well { Ok(told) } else { Err(told) }
}

async fn probe_server(settings: &Settings, nonces: &Nonces) -> Result<String, String> {
    let registered = connection::probe(settings, nonces()).await.map_err(|trouble| trouble.to_string())?;
    let account = match &registered.account {
        Some(account) => format!("logged in to the account {account}"),
        None => "not logged in to an account".to_owned(),
    };
    let network = registered.isupport.network.as_deref().unwrap_or("the network");
    let remarks = registered.remarks.iter().map(|remark| format!("; {remark}")).collect::<String>();
    let told = format!("{} let us in on {network} as {}, {account}{remarks}", settings.address(), registered.nick);
    let wanted = settings.account.is_some() || settings.client_cert.is_some();
    let told = trouble::legible(&told);
    if wanted && registered.account.is_none() { Err(told) } else { Ok(told) }
}
