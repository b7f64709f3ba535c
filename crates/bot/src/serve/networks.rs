//! The networks while the bot runs: one that dies is restarted, others come and go, and the bot ends with the last one.
//! Each has a sender, which outlives the listening to it.

use super::changes::{Change, Done, GaveUp};
use super::survive::survive;
use super::{Busy, GRACE, NetworkSide, Running, ServeError, Work, left, send};
use crate::bot::Bot;
use crate::desk::NetworkDesk;
use chat::{Transport, TransportError};
use jiff::SignedDuration;
use journal::store::StoreError;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, Id, JoinSet};

/// How long a network that gave up is left alone: the first time and at most.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);

/// A network the bot listens to.
struct Network {
    transport: Arc<dyn Transport>,
    desk: Arc<NetworkDesk>,
    rest: Duration,
}

/// What became of a network.
enum Turn {
    /// There is nothing more to hear, or it gave up.
    Ended(Network, Result<(), TransportError>),
    /// It gave up, and it is time for another try.
    Rested(Network),
}

/// All of them.
pub(super) struct Networks {
    running: Arc<Running>,
    /// A task for each, which listens to it or waits for another try.
    tasks: JoinSet<Turn>,
    by_name: BTreeMap<String, AbortHandle>,
    /// Those that are listened to.
    listening: BTreeSet<String>,
    /// True once one ended in order.
    worked: bool,
    /// How the last one that gave up ended.
    ended: Result<(), ServeError>,
}

impl Networks {
    /// Starts without listening to any network.
    pub fn of(running: Arc<Running>) -> Self {
        let (tasks, by_name, listening) = (JoinSet::new(), BTreeMap::new(), BTreeSet::new());
        Networks { running, tasks, by_name, listening, worked: false, ended: Ok(()) }
    }

    /// Starts listening to a network.
    pub fn listen_to(&mut self, transport: Arc<dyn Transport>) {
        let (network, unaccepted) = (transport.network().to_owned(), transport.guarantees().unaccepted);
        let (running, doubted) = (self.running.clone(), Mutex::default());
        let desk = Arc::new(NetworkDesk { running, network, unaccepted, doubted });
        self.begin(Network { transport, desk, rest: FIRST_REST });
    }

    fn begin(&mut self, network: Network) {
        let name = network.transport.network().to_owned();
        self.running.bot.gave_up.lock().expect("nothing panics holding it").remove(&name);
        self.listening.insert(name.clone());
        let task = self.tasks.spawn(async move {
            let what = format!("the network {}", network.transport.network());
            let listen = || {
                let (transport, desk) = (network.transport.clone(), network.desk.clone());
                async move { transport.run(desk).await }
            };
            let ended = survive(&what, listen).await;
            Turn::Ended(network, ended)
        });
        self.by_name.insert(name, task);
    }

    /// Stops listening to a network, and returns once nothing of that runs any more.
    async fn forget(&mut self, name: &str) {
        self.listening.remove(name);
        self.running.bot.gave_up.lock().expect("nothing panics holding it").remove(name);
        let Some(task) = self.by_name.remove(name) else { return };
        task.abort();
        while !task.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    /// Waits until no network is left to listen to, or until it is time to stop; meanwhile lets networks come and go.
    ///
    /// # Errors
    /// Every network gave up; the reason of the last one.
    pub async fn last(
        &mut self,
        stop: impl Future<Output = ()>,
        changes: &mut mpsc::UnboundedReceiver<Change>,
        crew: &mut Crew,
    ) -> Result<(), ServeError> {
        let mut stop = std::pin::pin!(stop);
        while !self.listening.is_empty() {
            tokio::select! {
                biased;
                () = &mut stop => return Ok(()),
                Some(change) = changes.recv() => self.change(change, crew).await,
                Some(turned) = self.tasks.join_next_with_id() => match turned {
                    Ok((id, turn)) => self.turn(id, turn),
                    Err(error) if error.is_cancelled() => {}
                    Err(error) => {
                        tracing::error!(%error, "a network's task was ended");
                        let ended = self.by_name.extract_if(.., |_, task| task.id() == error.id());
                        for (name, _) in ended {
                            self.listening.remove(&name);
                        }
                    }
                },
            }
        }
        if self.worked { Ok(()) } else { std::mem::replace(&mut self.ended, Ok(())) }
    }

    fn turn(&mut self, task: Id, turn: Turn) {
        let (Turn::Ended(network, _) | Turn::Rested(network)) = &turn;
        let name = network.transport.network();
        if self.by_name.get(name).is_none_or(|known| known.id() != task) {
            // Another is in its place by now.
            return;
        }
        match turn {
            Turn::Rested(network) => self.begin(network),
            Turn::Ended(network, Ok(())) => {
                self.worked = true;
                self.listening.remove(network.transport.network());
            }
            Turn::Ended(network, Err(error)) => {
                let again_in_s = network.rest.as_secs();
                tracing::error!(%error, again_in_s, "a network gave up; it is tried again while there are others");
                self.rest(network, error.reason.clone());
                self.ended = Err(ServeError::Transport(error));
            }
        }
    }

    fn rest(&mut self, network: Network, reason: String) {
        let bot = &self.running.bot;
        let name = network.transport.network().to_owned();
        let rest = SignedDuration::try_from(network.rest).unwrap_or(SignedDuration::MAX);
        let again = bot.host().now().saturating_add(rest).unwrap_or_else(|_| bot.host().now());
        bot.gave_up.lock().expect("nothing panics holding it").insert(name.clone(), GaveUp { reason, again });
        self.listening.remove(&name);
        let rested = bot.pace.sleep(network.rest);
        let task = self.tasks.spawn(async move {
            rested.await;
            Turn::Rested(Network { rest: (network.rest * 2).min(LONGEST_REST), ..network })
        });
        self.by_name.insert(name, task);
    }

    /// Stops listening.
    pub async fn shut(&mut self) {
        self.tasks.shutdown().await;
    }
}

impl Networks {
    /// Lets a network come or go.
    async fn change(&mut self, change: Change, crew: &mut Crew) {
        match change {
            Change::Come(transport, done) => {
                let came = self.come(transport, crew).await;
                // Whoever wanted it may have stopped waiting.
                let _ = done.send(came);
            }
            Change::Go(network, done) => {
                self.forget(&network).await;
                self.running.agenda.is_gone(&network);
                self.running.networks.write().expect("nothing panics holding it").remove(&network);
                crew.hush(&self.running, &network).await;
                let _ = done.send(Ok(()));
            }
        }
    }

    async fn come(&mut self, transport: Arc<dyn Transport>, crew: &mut Crew) -> Result<(), StoreError> {
        // Its predecessor must be gone first: they may share a directory, or a name.
        self.forget(transport.network()).await;
        self.running.agenda.is_gone(transport.network());
        crew.speak(&self.running, &transport).await?;
        crew.time.spawn(self.running.clone().await_ready(transport.clone()));
        self.listen_to(transport);
        Ok(())
    }
}

impl Bot {
    /// Listens and speaks on one more network from now on, in place of one with the same name if there is one. Nothing
    /// that was to be said there is lost.
    ///
    /// # Errors
    /// The bot is not running, or the store cannot be read.
    pub async fn connect(&self, transport: Arc<dyn Transport>) -> Result<(), StoreError> {
        self.change(|done| Change::Come(transport, done)).await
    }

    /// Leaves a network. What waited to be said there waits until it is there again.
    ///
    /// # Errors
    /// The bot is not running.
    pub async fn disconnect(&self, network: &str) -> Result<(), StoreError> {
        self.change(|done| Change::Go(network.to_owned(), done)).await
    }

    /// Why a network gave up, if it did, and when it is tried again.
    pub fn gave_up(&self, network: &str) -> Option<GaveUp> {
        self.gave_up.lock().expect("nothing panics holding it").get(network).cloned()
    }

    async fn change(&self, change: impl FnOnce(Done) -> Change) -> Result<(), StoreError> {
        let stopping = || StoreError::Unavailable("the bot is not running".to_owned());
        let (done, changed) = oneshot::channel();
        // Nothing that runs is held while this waits.
        self.running()?.changes.send(change(done)).map_err(|_| stopping())?;
        changed.await.unwrap_or_else(|_| Err(stopping()))
    }
}

/// The tasks that outlive the listening: the senders by network, and what keeps the time.
#[derive(Default)]
pub(super) struct Crew {
    pub senders: BTreeMap<String, JoinSet<()>>,
    pub time: JoinSet<()>,
}

impl Crew {
    /// Begins to speak on a network. From now on new posts go there; those of a sender that it replaces come first.
    pub async fn speak(&mut self, running: &Arc<Running>, transport: &Arc<dyn Transport>) -> Result<(), StoreError> {
        let (outgoing, posts) = mpsc::unbounded_channel();
        let (name, work) = (transport.network().to_owned(), Arc::<Work>::default());
        let side = NetworkSide { guarantees: transport.guarantees(), outgoing, work: work.clone() };
        running.networks.write().expect("nothing panics holding it").insert(name.clone(), Arc::new(side));
        self.hush(running, &name).await;
        let left = left::unsaid(&running.bot, &**transport).await?;
        let left = left.into_iter().map(|unsent| (unsent, Busy::new(&work))).collect();
        let (bot, closing) = (running.bot.clone(), running.closing.subscribe());
        self.senders.entry(name).or_default().spawn(send::say_always(bot, transport.clone(), left, posts, closing));
        Ok(())
    }

    /// Lets the sender of a network that gets no more posts come to its end.
    async fn hush(&mut self, running: &Running, network: &str) {
        let Some(mut sender) = self.senders.remove(network) else { return };
        tokio::select! {
            biased;
            () = finished(&mut sender) => {}
            () = running.bot.pace.sleep(GRACE) => {
                tracing::warn!(network, "the network does not take its posts; they will be said when it is there again");
            }
        }
    }
}

/// Waits until a sender has ended.
pub(super) async fn finished(sender: &mut JoinSet<()>) {
    while let Some(ended) = sender.join_next().await {
        if let Err(error) = ended {
            tracing::error!(%error, "a sender ended early");
        }
    }
}
