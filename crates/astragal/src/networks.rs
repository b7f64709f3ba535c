//! The networks of the configuration, as transports. What the program is built without is an error in the configuration.

#[cfg(feature = "irc")]
pub mod irc;
#[cfg(not(feature = "irc"))]
#[path = "networks/without_irc.rs"]
pub mod irc;

use crate::config::Config;
use chat::Transport;
use std::sync::Arc;

/// All of them.
pub fn all(config: &Config) -> Vec<Arc<dyn Transport>> {
    irc::transports(&config.irc)
}

/// Tries to log in to each of them; whether all went well. `say` is told how each went.
pub async fn try_all(config: &Config, say: &mut dyn FnMut(String)) -> bool {
    irc::try_all(&config.irc, say).await
}
