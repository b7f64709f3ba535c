//! Shared by the tests: settings for a server under test, and the bot on it.

pub use crate::serving::{Make, Running};

use super::Client;
use chat::{SystemClock, Transport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use transport_irc::{Irc, Nonces, Settings};

/// The channel most tests play in.
pub const CHANNEL: &str = "#hall";
/// The bot's nick.
pub const BOT: &str = "astragal";

/// Settings for a server on this machine, without TLS and limits, followed by `more` as TOML.
pub fn settings(port: u16, more: &str) -> Settings {
    let text = format!(
        "server = \"127.0.0.1\"\nport = {port}\ntls = false\nline_every_ms = 0\nreconnect_first_ms = 100\n\
         reconnect_most_ms = 400\n{more}\n[channels]\n\"{CHANNEL}\" = {{}}\n"
    );
    toml::from_str::<Settings>(&text).expect("settings").complete().expect("valid settings")
}

/// Nonces for tests: they only have to differ.
pub fn nonces() -> Nonces {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    Arc::new(|| format!("nonce{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// The network `irc` with these settings.
pub fn transport(settings: Settings) -> Arc<dyn Transport> {
    Arc::new(Irc::new("irc", settings, Arc::new(SystemClock), nonces()))
}

/// Starts a bot on IRC.
pub trait OnIrc {
    /// Starts it on the network `irc` with these settings.
    fn start(self, irc: Settings) -> Running;
    /// Starts it on networks with these settings.
    fn start_on(self, networks: Vec<(&str, Settings)>) -> Running;
}

impl OnIrc for Make {
    fn start(self, irc: Settings) -> Running {
        self.start_on(vec![("irc", irc)])
    }

    fn start_on(self, networks: Vec<(&str, Settings)>) -> Running {
        let networks = networks.into_iter().map(|(name, settings)| -> Arc<dyn Transport> {
            Arc::new(Irc::new(name, settings, self.clock.clone(), nonces()))
        });
        let networks = networks.collect();
        self.serve(networks)
    }
}

/// A player in the channel, once the bot is in it too.
pub fn player(port: u16, nick: &str) -> Client {
    let mut client = Client::connect(port, nick);
    client.join(CHANNEL);
    meet(&mut client, BOT, CHANNEL);
    client
}

/// The bot's next message in the channel. Skips its greeting.
pub fn hear(client: &mut Client) -> String {
    hear_in(client, CHANNEL)
}

/// The same for any channel.
pub fn hear_in(client: &mut Client, channel: &str) -> String {
    hear_from(client, BOT, channel)
}

/// The same if the bot has this nick.
pub fn hear_from(client: &mut Client, nick: &str, channel: &str) -> String {
    loop {
        let heard = client.hear(nick, channel);
        if !heard.starts_with("I am astragal: ") {
            return heard;
        }
    }
}

/// Says a line and returns the answer.
pub fn ask(client: &mut Client, line: &str) -> String {
    client.say(CHANNEL, line);
    hear(client)
}

/// Waits until somebody is in a channel.
pub fn meet(client: &mut Client, nick: &str, channel: &str) {
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);
    loop {
        client.raw(&format!("NAMES {channel}"));
        let names = client.wait_for(|line| line.contains(" 353 ") || line.contains(" 366 "));
        let end = if names.contains(" 353 ") { client.wait_for(|line| line.contains(" 366 ")) } else { String::new() };
        drop(end);
        let listed = names.rsplit(':').next().unwrap_or_default();
        if listed.split(' ').any(|name| name.trim_start_matches(['@', '+', '%', '&', '~']) == nick) {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}
