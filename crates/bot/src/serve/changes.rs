//! Networks that come and go while the bot runs: each has a sender, which outlives the listening to it.

use super::networks::Networks;
use super::{Busy, NetworkSide, Running, Work, left, send};
use crate::bot::Bot;
use chat::Transport;
use jiff::Timestamp;
use journal::store::StoreError;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

/// A network that comes or goes, and who wants to know when that is done.
pub(super) enum Change {
    /// It comes, in place of one with the same name.
    Come(Arc<dyn Transport>, Done),
    /// It goes.
    Go(String, Done),
}

/// Told the result of a change.
type Done = oneshot::Sender<Result<(), StoreError>>;

/// A network that gave up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaveUp {
    /// What the operator needs to know.
    pub reason: String,
    /// When it is tried again.
    pub again: Timestamp,
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
        let left = left::unsaid(&running.bot, &**transport)?;
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
            () = running.bot.pace.sleep(super::GRACE) => {
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

impl Networks {
    /// Lets a network come or go.
    pub(super) async fn change(&mut self, change: Change, crew: &mut Crew) {
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
