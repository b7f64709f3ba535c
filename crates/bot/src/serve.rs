//! Running: one ordered queue per table, tables side by side, one sender per network, and an orderly end.

mod agenda;
mod changes;
mod left;
mod networks;
pub mod operator;
mod queue;
mod send;
mod survive;
mod work;

pub use changes::GaveUp;
pub use survive::survive;

use crate::bot::Bot;
use agenda::Agenda;
use changes::Change;
use chat::{Guarantees, Transport, TransportError};
use journal::keys::{self, TableId};
use journal::store::StoreError;
use networks::{Crew, Networks};
use queue::Job;
use queue::ahead::Ahead;
use send::ToSay;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use table::Host;
use tokio::sync::{mpsc, watch};
use work::{Busy, Work};

/// How long a network has for its last posts when the bot stops.
const GRACE: Duration = Duration::from_secs(10);

/// The bot cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Every network gave up; the last one's reason.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A running bot.
pub(crate) struct Running {
    pub bot: Arc<Bot>,
    queues: Mutex<BTreeMap<TableId, mpsc::UnboundedSender<Job>>>,
    ahead: Ahead,
    networks: RwLock<BTreeMap<String, Arc<NetworkSide>>>,
    agenda: Agenda,
    /// Networks that come or go.
    changes: mpsc::UnboundedSender<Change>,
    /// Becomes true when the bot stops: work that would have to wait is left for the next start.
    closing: watch::Sender<bool>,
}

/// The core's state for one network while it runs.
struct NetworkSide {
    guarantees: Guarantees,
    outgoing: mpsc::UnboundedSender<ToSay>,
    work: Arc<Work>,
}

impl Running {
    /// The bot as its tables see it now.
    pub fn host(&self) -> Arc<Host> {
        self.bot.host()
    }

    /// The core's state for a network that it is on.
    fn side(&self, network: &str) -> Option<Arc<NetworkSide>> {
        self.networks.read().expect("nothing panics holding it").get(network).cloned()
    }

    /// Lets every network forget the words of these entries of a table in posts that it has not said yet.
    fn forget(&self, table: &TableId, erased: &Arc<[u64]>) {
        for side in self.networks.read().expect("nothing panics holding it").values() {
            // A sender that has ended says nothing more.
            let _ = side.outgoing.send(ToSay::Erased(table.clone(), erased.clone()));
        }
    }

    /// The names of the networks.
    fn names(&self) -> Vec<String> {
        self.networks.read().expect("nothing panics holding it").keys().cloned().collect()
    }
}

/// Runs `bot` on these networks until each has nothing more to hear, or `stop` resolves; then finishes what was
/// accepted. First it finishes what an earlier run left: plays accepted events and says unsaid posts. Meanwhile networks
/// may come and go ([`Bot::connect`], [`Bot::disconnect`]).
///
/// # Errors
/// The store cannot be read at the start, or no working network is left.
pub async fn serve(
    bot: Arc<Bot>,
    transports: Vec<Arc<dyn Transport>>,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let end = left::begin(&bot).await?;
    let closing = watch::Sender::new(false);
    let (changes, mut changed) = mpsc::unbounded_channel();
    let (queues, ahead, agenda, networks) = (Mutex::default(), Ahead::default(), Agenda::default(), RwLock::default());
    let running = Arc::new(Running { bot: bot.clone(), queues, ahead, networks, agenda, closing, changes });
    let mut crew = Crew::default();
    for transport in &transports {
        crew.speak(&running, transport).await?;
    }
    running.agenda.read(bot.host().committer().stored(keys::DUE))?;
    *bot.running.lock().expect("nothing panics holding it") = Arc::downgrade(&running);
    let mut stop = std::pin::pin!(stop);
    let played = tokio::select! {
        biased;
        () = &mut stop => None,
        played = running.play_left(end) => Some(played?),
    };
    if played.is_some() {
        crew.time.spawn(running.clone().keep_time(transports.clone()));
    }
    let mut networks = Networks::of(running.clone());
    for transport in transports.into_iter().filter(|_| played.is_some()) {
        networks.listen_to(transport);
    }
    // If `stop` has resolved already, it is not awaited again.
    let ended = if played.is_some() { networks.last(stop, &mut changed, &mut crew).await } else { Ok(()) };
    // Whoever waits for a change hears that none comes.
    drop(changed);
    networks.shut().await;
    drop(networks);
    let Crew { mut senders, mut time } = crew;
    time.shutdown().await;
    running.closing.send_replace(true);
    running.close_tables().await;
    drop(running);
    let finished = async {
        for sender in senders.values_mut() {
            networks::finished(sender).await;
        }
    };
    let in_time = tokio::select! {
        biased;
        () = finished => true,
        () = bot.pace.sleep(GRACE) => false,
    };
    if !in_time {
        tracing::warn!("a network does not take its posts; they will be said after the next start");
        for sender in senders.values_mut() {
            sender.shutdown().await;
        }
    }
    // Posts are marked as said without waiting; wait for that now, or the next start would repeat them.
    if let Ok(Err(error)) = bot.host().committer().submit(None, left::ended()).await {
        tracing::error!(%error, "the last writes failed");
    }
    ended
}
