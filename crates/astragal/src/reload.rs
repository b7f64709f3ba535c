//! SIGHUP: the configuration is read again. What is wrong changes nothing.

use crate::config::Config;
use crate::networks::{irc, matrix};
use bot::Bot;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::signal::unix::Signal;

/// Applies the configuration each time the signal comes: rooms, owners, limits. The networks stay as they were at the start.
pub async fn on_hangup(
    file: Option<PathBuf>,
    mut hangup: Signal,
    started: (irc::Networks, matrix::Networks),
    bot: Arc<Bot>,
) {
    while hangup.recv().await.is_some() {
        match Config::read(file.as_deref()) {
            Err(error) => tracing::error!("the old configuration stays: {error:#}"),
            Ok(config) => {
                bot.apply(config.settings());
                match config.networks() == started {
                    true => tracing::warn!("the configuration was read again and counts now"),
                    false => {
                        tracing::warn!("the configuration was read again; its networks count from the next start on")
                    }
                }
            }
        }
    }
}
