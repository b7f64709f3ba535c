//! Reports to the service manager (systemd): that the bot is ready, what it does, that it is alive, that it ends.
//! Without a service manager this does nothing.

use crate::config::Config;
use sd_notify::NotifyState;
use std::time::Duration;

/// The bot runs on the networks of its configuration.
pub fn ready(config: &Config) {
    let networks = config.networks.titles();
    let place = if networks.is_empty() { "in the terminal".to_owned() } else { format!("on {networks}") };
    tell(&[NotifyState::Ready, NotifyState::Status(&format!("{}: {place}", config.name))]);
}

/// The bot waits until another one, on another machine, leaves the store to it.
pub fn standing_by(other: &str) {
    tell(&[NotifyState::Ready, NotifyState::Status(&format!("standing by while {other} plays"))]);
}

/// The bot finishes what it accepted and ends.
pub fn stopping() {
    tell(&[NotifyState::Stopping, NotifyState::Status("finishing what was accepted")]);
}

/// Reports that the bot is alive, as often as wanted, while its tasks run; does nothing if that is not wanted.
pub async fn stay_alive() {
    let Some(patience) = sd_notify::watchdog_enabled() else { return };
    let mut beat = tokio::time::interval((patience / 2).max(Duration::from_millis(100)));
    loop {
        beat.tick().await;
        alive();
    }
}

/// The bot finishes what it accepted, and another one plays on.
pub fn handing_over() {
    tell(&[NotifyState::Status("finishing what was accepted; another bot plays on")]);
}

/// The program is alive.
pub fn alive() {
    tell(&[NotifyState::Watchdog]);
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told how the bot is");
    }
}
