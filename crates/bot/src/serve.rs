//! Running: one ordered queue a table, tables side by side, one sender a network, and an orderly end.

mod left;
mod networks;
pub mod operator;
mod queue;
mod send;
mod survive;

pub use survive::survive;

use crate::bot::Bot;
use crate::desk::NetworkDesk;
use chat::{Guarantees, Transport, TransportError};
use journal::keys::TableId;
use journal::store::StoreError;
use networks::Networks;
use queue::Job;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use table::{Host, Outgoing};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long a network may take for its last posts when the bot stops.
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
    networks: BTreeMap<String, NetworkSide>,
    /// Turns true when the bot stops: what would have to wait is left for the next start.
    closing: watch::Sender<bool>,
}

/// What the core keeps of a network while it runs.
struct NetworkSide {
    guarantees: Guarantees,
    outgoing: mpsc::UnboundedSender<(Outgoing, Busy)>,
    work: Arc<Work>,
}

/// Counts as work of a network until it is dropped.
pub(crate) struct Busy {
    work: Arc<Work>,
    /// Since when.
    since: Instant,
}

/// How much work of a network is under way.
#[derive(Default)]
struct Work {
    count: AtomicUsize,
    settled: Notify,
}

impl Busy {
    fn new(work: &Arc<Work>) -> Self {
        work.count.fetch_add(1, Ordering::AcqRel);
        Busy { work: work.clone(), since: Instant::now() }
    }
}

impl Clone for Busy {
    fn clone(&self) -> Self {
        let mut other = Busy::new(&self.work);
        other.since = self.since;
        other
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if self.work.count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.work.settled.notify_waiters();
        }
    }
}

impl Work {
    /// Returns once nothing is under way.
    async fn settle(&self) {
        loop {
            let settled = self.settled.notified();
            if self.count.load(Ordering::Acquire) == 0 {
                return;
            }
            settled.await;
        }
    }
}

impl Running {
    /// What the tables share.
    pub fn host(&self) -> &Host {
        self.bot.host()
    }
}

/// Runs `bot` on these networks until each has nothing more to hear, or `stop` comes; then finishes what was accepted.
/// First it does what an earlier run left: plays what was accepted, says what was not said.
///
/// # Errors
/// The store cannot be read at the start, or no network is left that works.
pub async fn serve(
    bot: Arc<Bot>,
    transports: Vec<Arc<dyn Transport>>,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let end = left::begin(&bot).await?;
    let mut networks = BTreeMap::new();
    let mut senders = JoinSet::new();
    let closing = watch::Sender::new(false);
    for transport in &transports {
        let (outgoing, posts) = mpsc::unbounded_channel();
        let work = Arc::<Work>::default();
        let left = left::unsaid(&bot, &**transport)?.into_iter().map(|unsent| (unsent, Busy::new(&work))).collect();
        senders.spawn(send::say_always(bot.clone(), transport.clone(), left, posts, closing.subscribe()));
        let side = NetworkSide { guarantees: transport.guarantees(), outgoing, work };
        networks.insert(transport.network().to_owned(), side);
    }
    let running = Arc::new(Running { bot: bot.clone(), queues: Mutex::default(), networks, closing });
    *bot.running.lock().expect("nothing panics holding it") = Arc::downgrade(&running);
    let mut stop = std::pin::pin!(stop);
    let played = tokio::select! {
        biased;
        () = &mut stop => None,
        played = running.play_left(end) => Some(played?),
    };
    let mut networks = Networks::of(bot.clone());
    for transport in transports.into_iter().filter(|_| played.is_some()) {
        let network = transport.network().to_owned();
        let (running, unaccepted) = (running.clone(), transport.guarantees().unaccepted);
        let desk = Arc::new(NetworkDesk { running, network, unaccepted, doubted: Mutex::default() });
        networks.listen_to(transport, desk);
    }
    // Whoever stopped the bot already need not do it twice.
    let ended = if played.is_some() { networks.last(stop).await } else { Ok(()) };
    networks.shut().await;
    drop(networks);
    running.closing.send_replace(true);
    running.close_tables().await;
    drop(running);
    let finished = async {
        while let Some(sender) = senders.join_next().await {
            if let Err(error) = sender {
                tracing::error!(%error, "a sender ended early");
            }
        }
    };
    let in_time = tokio::select! {
        biased;
        () = finished => true,
        () = bot.pace.sleep(GRACE) => false,
    };
    if !in_time {
        tracing::warn!("a network does not take its posts; they will be said after the next start");
        senders.shutdown().await;
    }
    // What was said is marked so without waiting; now wait, lest it be said again after the next start.
    if let Ok(Err(error)) = bot.host().committer().submit(None, left::ended()).await {
        tracing::error!(%error, "the last writes failed");
    }
    ended
}
