//! The networks while the bot runs: one that dies is restarted, and the bot ends with the last one.

use super::ServeError;
use super::survive::survive;
use crate::bot::Bot;
use crate::desk::NetworkDesk;
use chat::{Transport, TransportError};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long a network that gave up is left alone: the first time and at most.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);

/// A network the bot listens to.
struct Network {
    transport: Arc<dyn Transport>,
    desk: Arc<NetworkDesk>,
    rest: Duration,
}

/// All of them.
pub(super) struct Networks {
    bot: Arc<Bot>,
    listening: JoinSet<(Network, Result<(), TransportError>)>,
    /// Networks that gave up and wait for another try.
    resting: JoinSet<Network>,
}

impl Networks {
    /// Starts without listening to any network.
    pub fn of(bot: Arc<Bot>) -> Self {
        Networks { bot, listening: JoinSet::new(), resting: JoinSet::new() }
    }

    /// Starts listening to a network.
    pub fn listen_to(&mut self, transport: Arc<dyn Transport>, desk: Arc<NetworkDesk>) {
        self.begin(Network { transport, desk, rest: FIRST_REST });
    }

    fn begin(&mut self, network: Network) {
        self.listening.spawn(async move {
            let what = format!("the network {}", network.transport.network());
            let listen = || {
                let (transport, desk) = (network.transport.clone(), network.desk.clone());
                async move { transport.run(desk).await }
            };
            let ended = survive(&what, listen).await;
            (network, ended)
        });
    }

    /// Waits until no network is left to listen to, or until it is time to stop.
    ///
    /// # Errors
    /// Every network gave up; the reason of the last one.
    pub async fn last(&mut self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let mut stop = std::pin::pin!(stop);
        let mut ended = Ok(());
        let mut worked = false;
        loop {
            tokio::select! {
                biased;
                () = &mut stop => return Ok(()),
                Some(rested) = self.resting.join_next() => rested.into_iter().for_each(|network| self.begin(network)),
                next = self.listening.join_next() => match next {
                    None if worked => return Ok(()),
                    None => return ended,
                    Some(Ok((_, Ok(())))) => worked = true,
                    Some(Ok((network, Err(error)))) => {
                        let again_in_s = network.rest.as_secs();
                        tracing::error!(%error, again_in_s, "a network gave up; it is tried again while there are others");
                        ended = Err(ServeError::Transport(error));
                        self.rest(network);
                    }
                    Some(Err(error)) => tracing::error!(%error, "a network's task was ended"),
                },
            }
        }
    }

    fn rest(&mut self, network: Network) {
        let rested = self.bot.pace.sleep(network.rest);
        self.resting.spawn(async move {
            rested.await;
            Network { rest: (network.rest * 2).min(LONGEST_REST), ..network }
        });
    }

    /// Stops listening.
    pub async fn shut(&mut self) {
        self.listening.shutdown().await;
        self.resting.shutdown().await;
    }
}
