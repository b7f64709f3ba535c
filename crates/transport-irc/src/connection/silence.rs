//! A silent server: when to ask it for a sign of life, and when to give it up.

use crate::settings::Settings;
use crate::trouble::Trouble;
use crate::wire;
use irc_proto::Command;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Tracks how long the server has been silent.
pub(super) struct Silence {
    patience: Duration,
    since: Instant,
    /// True if the server was asked for a sign of life.
    asked: bool,
}

impl Silence {
    pub fn new(settings: &Settings, now: Instant) -> Self {
        Silence { patience: Duration::from_secs(u64::from(settings.ping_seconds)), since: now, asked: false }
    }

    /// Notes that something was heard.
    pub fn ended(&mut self, now: Instant) {
        (self.since, self.asked) = (now, false);
    }

    /// The next time at which something must be done.
    pub fn until(&self) -> Instant {
        self.since + if self.asked { self.patience + self.patience / 2 } else { self.patience }
    }

    /// Asks the server for a sign of life once it has been silent for long.
    ///
    /// # Errors
    /// It was asked already and has stayed silent.
    pub fn bear(&mut self, now: Instant, out: &mut VecDeque<u8>) -> Result<(), Trouble> {
        if now < self.until() {
            return Ok(());
        }
        if self.asked {
            let what = format!("nothing was heard for {} seconds", (now - self.since).as_secs());
            return Err(Trouble::link(what));
        }
        self.asked = true;
        wire::write(out, &Command::PING("still-there".to_owned(), None));
        Ok(())
    }
}
