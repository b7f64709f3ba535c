//! IRC networks.

mod first;

use super::first::{Answers, First};
use super::kind::{Adopted, Kind, Names};
use async_trait::async_trait;
use chat::{PlayerId, Transport};
use clap::Command;
use journal::Entropy;
use std::any::Any;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use transport_irc::{Nonces, Settings, probe};

/// IRC.
pub struct Irc;

#[async_trait]
impl Kind for Irc {
    type Settings = Settings;

    fn names(&self) -> Names {
        let about = "IRC networks, by the operator's names for them.";
        Names { section: "irc", title: "IRC", about, example: "libera", log: "transport_irc=info" }
    }

    fn complete(&self, settings: Settings, _: &BTreeSet<String>) -> Result<Settings, Vec<String>> {
        settings.complete()
    }

    fn transport(&self, name: &str, settings: &Settings, _: &Path) -> Arc<dyn Transport> {
        Arc::new(transport_irc::Irc::new(name, settings.clone(), Arc::new(chat::SystemClock), nonces()))
    }

    async fn adopt(&self, transport: &dyn Transport, _: &Settings, now: &Settings) -> Adopted {
        let irc = (transport as &dyn Any).downcast_ref::<transport_irc::Irc>();
        if irc.is_some_and(|irc| irc.adopt(now)) { Adopted::Now } else { Adopted::Again }
    }

    fn rooms(&self, settings: &Settings) -> BTreeSet<String> {
        settings.channels.keys().cloned().collect()
    }

    async fn probe(&self, _: &str, settings: &Settings, _: &Path) -> Result<String, String> {
        probe(settings, &nonces()).await
    }

    fn server(&self, settings: &Settings) -> String {
        settings.address()
    }

    fn if_silent(&self, settings: &Settings) -> String {
        match settings.tls {
            true => format!("the address; if port {} is not for TLS, set tls = false", settings.port()),
            false => format!("the address; if port {} is for TLS, set tls = true", settings.port()),
        }
    }

    fn doubt(&self, settings: &Settings) -> Option<String> {
        let (port, tls) = (settings.port(), settings.tls);
        let plain = || format!("port {port} is usually for TLS, and tls = false sends everything in the open");
        let other = || format!("port {port} is usually not for TLS: 6697 is, or set tls = false");
        match port {
            6_697 if !tls => Some(plain()),
            6_667 if tls => Some(other()),
            _ => None,
        }
    }

    /// Accounts that differ only in case are the same.
    fn as_known(&self, id: &str) -> String {
        id.to_ascii_lowercase()
    }

    fn no_owner(&self, owner: &PlayerId, settings: &Settings) -> Option<String> {
        let PlayerId { network, id } = owner;
        if id.starts_with("account:") {
            return None;
        }
        if !id.starts_with("nick:") {
            let what = format!("{owner} names no account; \"{network}:account:{id}\" does");
            return Some(format!("{what}, or \"{network}:nick:{id}\" where trust_nicks is set"));
        }
        let needed = || format!("{owner} is a nick, which anybody may take: irc.{network} needs trust_nicks = true");
        (!settings.trust_nicks).then(needed)
    }

    fn nobody(&self, name: &str, pattern: &str) -> Option<String> {
        let meant = || format!("somebody is {name}:account:{pattern}, or {name}:nick:{pattern}");
        (!pattern.contains([':', '!', '*'])).then(meant)
    }

    fn flags(&self, init: Command) -> Command {
        first::flags(init)
    }

    fn first(&self, answers: &Answers<'_>, owners: &[String]) -> anyhow::Result<Option<First>> {
        first::first(answers, owners)
    }
}

/// Returns fresh randomness each time.
fn nonces() -> Nonces {
    let entropy = Mutex::new(Entropy::from_system());
    Arc::new(move || {
        let secret = entropy.lock().expect("nothing panics holding it").secret();
        journal::hex(&secret[..12])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_example_names_every_key_of_an_irc_network() {
        let text = include_str!("../../../../config/astragal.example.toml");
        // The error for a wrong key lists the right ones.
        for (wrong, indent) in [("zzz = 1", "#: "), ("[channels]\n\"#a\" = { zzz = 1 }", "")] {
            let told = toml::from_str::<Settings>(wrong).unwrap_err().to_string();
            let keys: Vec<&str> = told.split_once("expected").unwrap().1.split('`').skip(1).step_by(2).collect();
            assert!(keys.len() > 2, "{told}");
            for key in keys.into_iter().filter(|key| *key != "channels") {
                assert!(text.contains(&format!("{indent}{key} =")), "the example does not tell of {key}");
            }
        }
        let (_, section) = text.split_once("#: [irc.libera]").unwrap();
        let (section, _) = section.split_once("#: [matrix").unwrap();
        let uncommented: String = section
            .lines()
            .filter_map(|line| line.strip_prefix("#: "))
            .map(|line| line.replace("[irc.libera.", "["))
            .fold(String::new(), |all, line| all + line.as_str() + "\n");
        let shown = settings(&uncommented);
        let none = Settings::default();
        let defaults = Settings {
            tls: none.tls,
            tell_password: none.tell_password,
            login_required: none.login_required,
            trust_nicks: none.trust_nicks,
            invites: none.invites,
            rejoin_seconds: none.rejoin_seconds,
            lines_per_answer: none.lines_per_answer,
            burst: none.burst,
            line_every_ms: none.line_every_ms,
            reconnect_first_ms: none.reconnect_first_ms,
            reconnect_most_ms: none.reconnect_most_ms,
            ping_seconds: none.ping_seconds,
            nick: none.nick,
            real_name: none.real_name,
            ..shown.clone()
        };
        assert_eq!(shown, defaults, "where there is a default, the example shows it");
        assert_eq!(shown.port, Some(shown.clone().port()), "the port that TLS has");
    }
}
