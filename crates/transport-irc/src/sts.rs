//! Strict transport security (IRCv3 `sts`): a server that asks for it is reached only over TLS for as long as it said.
//! Over a plain link its port counts, over an encrypted one the duration; anything else is ignored.

use crate::settings::Settings;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the capability.
pub const CAP: &str = "sts";
/// The note that stores what servers advertised.
pub const NOTE: &str = "sts";
/// The most servers remembered.
const MOST: usize = 16;

/// The way to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Unencrypted, on this port.
    Plain(u16),
    /// Encrypted, on this port.
    Tls(u16),
}

impl Way {
    /// The way the operator set, unless the server has asked for a stricter one.
    pub fn to(settings: &Settings, policies: &Policies, now: Timestamp) -> Self {
        match policies.port(&settings.server, now) {
            _ if settings.tls => Way::Tls(settings.port()),
            Some(port) => Way::Tls(port),
            None => Way::Plain(settings.port()),
        }
    }

    /// The port.
    pub fn port(self) -> u16 {
        let (Way::Plain(port) | Way::Tls(port)) = self;
        port
    }

    /// True if the link is encrypted.
    pub fn is_encrypted(self) -> bool {
        matches!(self, Way::Tls(_))
    }
}

/// What a server advertises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The port for TLS.
    pub port: Option<u16>,
    /// For how many seconds it wants only TLS; 0 ends it.
    pub duration: Option<u64>,
}

impl Advice {
    /// Reads the capability's value; unknown keys and invalid values are ignored.
    pub fn read(value: &str) -> Self {
        let number = |name: &str| {
            let mut keys = value.split(',').filter_map(|key| key.split_once('='));
            let found = keys.find(|(key, _)| *key == name).map(|(_, number)| number)?;
            found.bytes().all(|byte| byte.is_ascii_digit()).then(|| found.parse::<u64>().ok()).flatten()
        };
        let port = number("port").and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
        Advice { port, duration: number("duration") }
    }

    /// Reads it from one word of a capability list, if that word is it.
    pub fn of(cap: &str) -> Option<Self> {
        let (name, value) = cap.split_once('=')?;
        (name == CAP).then(|| Advice::read(value))
    }
}

/// What a server advertised over TLS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Policy {
    port: u16,
    seconds: u64,
    until: Timestamp,
}

/// What servers advertised, by host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policies(BTreeMap<String, Policy>);

impl Policies {
    /// Reads the note.
    pub fn read(note: Option<&str>) -> Self {
        Policies(note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default())
    }

    /// The port on which this server must be reached over TLS, if it must.
    fn port(&self, host: &str, now: Timestamp) -> Option<u16> {
        self.0.get(&host.to_ascii_lowercase()).filter(|policy| now < policy.until).map(|policy| policy.port)
    }

    /// A server advertised this over TLS on this port.
    pub fn heard(&mut self, host: &str, port: u16, advice: Advice, now: Timestamp) {
        let host = host.to_ascii_lowercase();
        self.0.retain(|each, policy| *each == host || now < policy.until);
        match advice.duration {
            Some(0) => drop(self.0.remove(&host)),
            Some(seconds) if self.0.len() < MOST || self.0.contains_key(&host) => {
                self.0.insert(host, Policy { port, seconds, until: after(now, seconds) });
            }
            _ => {}
        }
    }

    /// The link to a server ended: its duration starts now.
    pub fn closed(&mut self, host: &str, now: Timestamp) {
        if let Some(policy) = self.0.get_mut(&host.to_ascii_lowercase()).filter(|policy| now < policy.until) {
            policy.until = after(now, policy.seconds);
        }
    }

    /// Stores it in the note.
    pub fn note(&self, notes: &mut BTreeMap<String, Option<String>>) {
        let note = serde_json::to_string(&self.0).expect("it is text and numbers");
        notes.insert(NOTE.to_owned(), (!self.0.is_empty()).then_some(note));
    }
}

fn after(now: Timestamp, seconds: u64) -> Timestamp {
    let duration = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
    now.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn keys_that_are_wrong_mean_nothing() {
        let advice = |value| (Advice::read(value).port, Advice::read(value).duration);
        assert_eq!(advice("port=6697"), (Some(6_697), None));
        assert_eq!(advice("preload,duration=60,port=7000,new=x"), (Some(7_000), Some(60)));
        for wrong in ["", "port", "port=", "port=0", "port=65536", "port=+1", "duration=-1", "duration=1.5", "Port=1"] {
            assert_eq!(advice(wrong), (None, None), "{wrong}");
        }
        assert_eq!(Advice::of("sts=port=1"), Some(Advice { port: Some(1), duration: None }));
        assert_eq!(Advice::of("tls"), None);
        assert_eq!(Advice::of("draft/sts=port=1"), None);
    }

    #[test]
    fn a_server_is_reached_over_tls_as_long_as_it_said() {
        let settings: Settings = toml::from_str("server = \"IRC.example\"\ntls = false").unwrap();
        let mut policies = Policies::default();
        let way = |policies: &Policies, second| Way::to(&settings, policies, at(second));
        let said = |port, duration| Advice { port: Some(port), duration };
        policies.heard("irc.example", 7_000, said(9_999, None), at(0));
        assert_eq!(way(&policies, 0), Way::Plain(6_667), "it did not say for how long");
        policies.heard("irc.example", 7_000, said(9_999, Some(60)), at(0));
        assert_eq!((way(&policies, 59), way(&policies, 60)), (Way::Tls(7_000), Way::Plain(6_667)));
        policies.closed("irc.EXAMPLE", at(50));
        assert_eq!((way(&policies, 109), way(&policies, 110)), (Way::Tls(7_000), Way::Plain(6_667)));
        let mut notes = BTreeMap::new();
        policies.note(&mut notes);
        assert_eq!(Policies::read(notes[NOTE].as_deref()), policies);
        policies.heard("irc.example", 7_000, said(1, Some(u64::MAX)), at(0));
        assert_eq!(way(&policies, 1 << 36), Way::Tls(7_000));
        policies.heard("irc.example", 7_000, said(1, Some(0)), at(0));
        assert_eq!(way(&policies, 0), Way::Plain(6_667), "it took it back");
        let encrypted = Settings { tls: true, ..settings.clone() };
        assert_eq!(Way::to(&encrypted, &policies, at(0)), Way::Tls(6_697));
    }
}
