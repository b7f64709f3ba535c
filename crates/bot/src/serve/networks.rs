//! The networks while the bot runs: one that dies is begun again, and the bot ends with the last.

use super::ServeError;
use super::survive::survive;
use crate::bot::Bot;
use crate::desk::NetworkDesk;
use chat::{Transport, TransportError};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long a network that gave up is left alone, at first and at the most.
const FIRST_REST: Duration = Duration::from_secs(60);
const LONGEST_REST: Duration = Duration::from_secs(3600);

/// A network that is listened to.
struct Network {
    transport: Arc<dyn Transport>,
    desk: Arc<NetworkDesk>,
    rest: Duration,
}

/// All of them.
pub(super) struct Networks {
    bot: Arc<Bot>,
    listening: JoinSet<(Network, Result<(), TransportError>)>,
    /// Those that gave up, until they are tried again.
    resting: JoinSet<Network>,
}

impl Networks {
    /// None is listened to.
    pub fn of(bot: Arc<Bot>) -> Self {
        Networks { bot, listening: JoinSet::new(), resting: JoinSet::new() }
    }

    /// Begins to listen to a network.
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

    /// Waits until none is listened to any more, or it is time to stop.
    ///
    /// # Errors
    /// None ended because there was nothing more to hear: why the last one gave up.
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
