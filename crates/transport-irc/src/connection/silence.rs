//! A silent server: when to ask it for a sign of life, and when to give it up.

use crate::settings::Settings;
use crate::trouble::Trouble;
use crate::wire;
use chat::Status;
use irc_proto::Command;
use jiff::SignedDuration;
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

    /// The state of a connection on which nothing has been heard since.
    pub fn judge(&self, status: Status, now: Instant) -> Status {
        let silent = now - self.since;
        let ago = SignedDuration::try_from(silent).unwrap_or(SignedDuration::MAX);
        let heard = status.heard.map(|now| now.saturating_sub(ago).unwrap_or(now));
        // A server that is there answers a PING within moments.
        let overdue = self.asked && silent >= self.patience + self.patience / 5;
        let trouble = overdue.then(|| format!("the server has not answered for {} seconds", silent.as_secs()));
        Status { connected: !overdue, heard, trouble: trouble.or(status.trouble), ..status }
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

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn a_server_whose_answer_to_a_ping_is_overdue_is_not_connected() {
        let settings = Settings { ping_seconds: 50, ..Settings::default() };
        let (begun, mut out) = (Instant::now(), VecDeque::new());
        let mut silence = Silence::new(&settings, begun);
        let at = |second: u64| begun + Duration::from_secs(second);
        let now = Timestamp::UNIX_EPOCH;
        let judged = |silence: &Silence, second| {
            silence.judge(Status { connected: true, heard: Some(now), ..Status::default() }, at(second))
        };
        assert!(judged(&silence, 49).connected);
        silence.bear(at(50), &mut out).unwrap();
        let asked = judged(&silence, 59);
        assert!(asked.connected && asked.heard == Some(now - SignedDuration::from_secs(59)), "{asked:?}");
        let overdue = judged(&silence, 60);
        assert!(!overdue.connected, "{overdue:?}");
        assert_eq!(overdue.trouble.as_deref(), Some("the server has not answered for 60 seconds"));
        silence.ended(at(61));
        assert!(judged(&silence, 62).connected);
    }
}
