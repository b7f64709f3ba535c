//! What an operator decides about one IRC network. `config/astragal.example.toml` explains every key.

mod server;

pub(crate) use server::Fingerprint;

use chat::Secret;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// One IRC network.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The server's host name or address.
    pub server: String,
    /// Its port. The default is 6697 with TLS, 6667 without.
    pub port: Option<u16>,
    /// Other servers of the network, each with its port if that is another one. They are tried in turn.
    pub servers: Vec<String>,
    /// The address of this machine from which the bot connects.
    #[schemars(with = "Option<String>")]
    pub bind: Option<IpAddr>,
    /// A SOCKS5 proxy to connect through: `socks5://HOST:PORT`.
    pub proxy: Option<String>,
    /// The user name for the proxy.
    pub proxy_user: Option<String>,
    /// The password for the proxy.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub proxy_password: Option<Secret>,
    /// A file that holds it.
    pub proxy_password_file: Option<PathBuf>,
    /// True to encrypt the connection.
    pub tls: bool,
    /// The SHA-256 fingerprints of the only certificates to trust, separated by spaces.
    pub fingerprint: Option<String>,
    /// A file of certificates (PEM) to trust instead of the system's.
    #[schemars(extend("format" = "path"))]
    pub ca: Option<PathBuf>,
    /// A client certificate (PEM), for SASL EXTERNAL.
    #[schemars(extend("format" = "path"))]
    pub client_cert: Option<PathBuf>,
    /// Its private key (PEM).
    #[schemars(extend("format" = "path"))]
    pub client_key: Option<PathBuf>,
    /// The server's password.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub password: Option<Secret>,
    /// A file that holds it.
    pub password_file: Option<PathBuf>,
    /// The nick. If it is taken, the alternatives are tried, then underscores are added.
    pub nick: String,
    /// Other nicks to try.
    pub alternative_nicks: Vec<String>,
    /// The user name before the host. The default is the nick.
    pub user: Option<String>,
    /// What WHOIS shows.
    pub real_name: String,
    /// The bot's account with the network's services.
    pub account: Option<String>,
    /// Its password.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub account_password: Option<Secret>,
    /// A file that holds it.
    pub account_password_file: Option<PathBuf>,
    /// The service that is told the account and its password where there is no SASL, and the words for it. If empty,
    /// none is told.
    pub identify: String,
    /// When the account's password may be sent, by PLAIN or with the words of `identify`.
    pub tell_password: TellPassword,
    /// True to stay off the network unless the login succeeds.
    pub login_required: bool,
    /// The channels.
    pub channels: BTreeMap<String, Channel>,
    /// The admins of every channel there: `account:NAME`, or `nick:NAME` where nicks are trusted.
    pub admins: BTreeSet<String>,
    /// True if a nick proves who somebody is. Only for networks where nobody takes another's nick.
    pub trust_nicks: bool,
    /// Whose invitations are followed.
    pub invites: Invites,
    /// Seconds before the bot rejoins after a kick; 0 stays away.
    pub rejoin_seconds: u32,
    /// Lines in one answer. The rest is shown on request.
    #[schemars(range(min = 1))]
    pub lines_per_answer: usize,
    /// Lines that may be sent at once.
    #[schemars(range(min = 1))]
    pub burst: u32,
    /// Milliseconds for each line after that; 0 switches the limit off.
    pub line_every_ms: u32,
    /// Milliseconds before the first attempt to reconnect.
    #[schemars(range(min = 1))]
    pub reconnect_first_ms: u32,
    /// The longest wait between attempts.
    pub reconnect_most_ms: u32,
    /// Seconds of silence before the connection is tested. After half as long again, it is given up.
    #[schemars(range(min = 1))]
    pub ping_seconds: u32,
}

/// A channel the bot is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Channel {
    /// The channel's key.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub key: Option<Secret>,
    /// A file that holds it.
    pub key_file: Option<PathBuf>,
    /// The channel's admins besides its operators: `account:NAME`, or `nick:NAME` where nicks are trusted.
    pub admins: BTreeSet<String>,
}

impl Channel {
    /// What is wrong with a channel of this name.
    fn wrong(&self, name: &str) -> Option<String> {
        if !is_name(name) || !name.starts_with(['#', '&', '!', '+']) {
            return Some(format!(
                "channels.{name}: {name:?} is not a channel: a channel begins with #, as in \"#tavern\""
            ));
        }
        let wrong = self.key.as_ref().is_some_and(|key| !is_name(key.expose()));
        wrong.then(|| format!("channels.{name}.key: no channel has such a key; \"open\" is one"))
    }
}

/// When the account's password itself may be sent, not only a proof of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TellPassword {
    /// Never: SCRAM-SHA-256 or a certificate must do.
    Never,
    /// Only over an encrypted connection.
    #[default]
    Tls,
    /// Even where anyone on the way can read it.
    Always,
}

/// Whose invitations are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Invites {
    /// No one's.
    Nobody,
    /// Those of admins, known by account.
    #[default]
    Admins,
    /// Anyone's.
    Anybody,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            server: String::new(),
            port: None,
            servers: Vec::new(),
            bind: None,
            proxy: None,
            proxy_user: None,
            proxy_password: None,
            proxy_password_file: None,
            tls: true,
            fingerprint: None,
            ca: None,
            client_cert: None,
            client_key: None,
            password: None,
            password_file: None,
            nick: "astragal".to_owned(),
            alternative_nicks: Vec::new(),
            user: None,
            real_name: "dice and rules for tabletop games".to_owned(),
            account: None,
            account_password: None,
            account_password_file: None,
            identify: "NickServ IDENTIFY {account} {password}".to_owned(),
            tell_password: TellPassword::Tls,
            login_required: false,
            channels: BTreeMap::new(),
            admins: BTreeSet::new(),
            trust_nicks: false,
            invites: Invites::Admins,
            rejoin_seconds: 30,
            lines_per_answer: 3,
            burst: 4,
            line_every_ms: 1_000,
            reconnect_first_ms: 2_000,
            reconnect_most_ms: 300_000,
            ping_seconds: 50,
        }
    }
}

impl Settings {
    /// Reads secrets from the files that hold them, and checks what can be checked without the network.
    ///
    /// A relative path is looked up among the service manager's credentials (`$CREDENTIALS_DIRECTORY`) first.
    ///
    /// # Errors
    /// Everything that is wrong, each with one correct example.
    pub fn complete(mut self) -> Result<Self, Vec<String>> {
        let mut wrong = Vec::new();
        let mut note = |read: Result<(), String>| wrong.extend(read.err());
        note(Secret::read_into(&mut self.password, self.password_file.as_deref(), "password"));
        note(Secret::read_into(&mut self.proxy_password, self.proxy_password_file.as_deref(), "proxy_password"));
        note(Secret::read_into(&mut self.account_password, self.account_password_file.as_deref(), "account_password"));
        for (name, channel) in &mut self.channels {
            let read = Secret::read_into(&mut channel.key, channel.key_file.as_deref(), "key");
            note(read.map_err(|what| format!("channels.{name}.{what}")));
        }
        wrong.extend(self.wrong_server());
        wrong.extend(self.wrong_name());
        wrong.extend(self.wrong_login());
        wrong.extend(self.channels.iter().filter_map(|(name, channel)| channel.wrong(name)));
        wrong.extend(self.channels_twice());
        let counts = [
            ("lines_per_answer", self.lines_per_answer == 0),
            ("burst", self.burst == 0),
            ("ping_seconds", self.ping_seconds == 0),
            ("reconnect_first_ms", self.reconnect_first_ms == 0),
        ];
        wrong
            .extend(counts.iter().filter(|(_, none)| *none).map(|(key, _)| format!("{key}: a whole number from 1 up")));
        wrong.extend(self.nobody("admins", &self.admins));
        let of_channels = self.channels.iter();
        wrong.extend(of_channels.flat_map(|(name, of)| self.nobody(&format!("channels.{name}.admins"), &of.admins)));
        if wrong.is_empty() { Ok(self) } else { Err(wrong) }
    }

    /// Channels that are there under two names: their case does not matter.
    fn channels_twice(&self) -> Vec<String> {
        let mut seen = BTreeMap::<String, &String>::new();
        let told = |first: &str, second: &str| {
            format!("channels.{second}: it is the same channel as {first}: keep one of them")
        };
        self.channels
            .keys()
            .filter_map(|name| Some(told(seen.insert(name.to_ascii_lowercase(), name)?, name)))
            .collect()
    }

    fn wrong_name(&self) -> Option<String> {
        let wrong = self.nick.is_empty() || self.nick.contains(|c: char| c.is_whitespace() || "!@:,*?#".contains(c));
        wrong.then(|| format!("nick: {:?} is not a valid nick; a valid one is \"astragal\"", self.nick))
    }

    /// What is wrong in the keys that prove who the bot and the server are.
    fn wrong_login(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let files = [("ca", &self.ca), ("client_cert", &self.client_cert), ("client_key", &self.client_key)];
        for (key, file) in files.iter().filter_map(|(key, file)| Some((key, file.as_ref()?))) {
            if let Err(error) = std::fs::File::open(file) {
                wrong.push(format!("{key}: {} cannot be read: {error}", file.display()));
            }
        }
        if self.account.is_some() && self.account_password.is_none() && self.account_password_file.is_none() {
            let has_certificate = self.client_cert.is_some();
            let lacking = "account_password: the account needs one: account_password_file = \"FILE\"".to_owned();
            wrong.extend((!has_certificate).then_some(lacking));
        }
        match (&self.client_cert, &self.client_key) {
            (Some(_), None) => wrong.push("client_key: client_cert needs it: client_key = \"FILE\"".to_owned()),
            (None, Some(_)) => wrong.push("client_cert: client_key needs it: client_cert = \"FILE\"".to_owned()),
            (Some(_), Some(_)) if !self.tls => {
                wrong.push("client_cert: it is shown over TLS only: tls = true".to_owned());
            }
            _ => {}
        }
        let (whom, words) = self.identify.split_once(' ').unwrap_or_default();
        if !self.identify.is_empty() && (!is_name(whom) || whom.contains(['{', '}']) || words.trim().is_empty()) {
            wrong.push("identify: whom and with which words: \"NickServ IDENTIFY {account} {password}\"".to_owned());
        }
        wrong
    }

    /// The admins who are nobody.
    fn nobody(&self, key: &str, admins: &BTreeSet<String>) -> Vec<String> {
        let names = |admin: &&String| {
            let nick = admin.strip_prefix("nick:").filter(|_| self.trust_nicks);
            admin.strip_prefix("account:").or(nick).is_none_or(str::is_empty)
        };
        let nick = "or, where trust_nicks is set, \"nick:mia\"";
        let told = |admin| format!("{key}: {admin:?} names no account; \"account:mia\" does, {nick}");
        admins.iter().filter(names).map(told).collect()
    }

    /// The same settings with channels under their current names: `renamed` maps a folded name to another. If the
    /// operator lists the new name too, the old one is a different channel.
    pub(crate) fn now_called(&self, renamed: &BTreeMap<String, String>, fold: impl Fn(&str) -> String) -> Self {
        let written: BTreeSet<String> = self.channels.keys().map(|name| fold(name)).collect();
        let now =
            |name: &String| renamed.get(&fold(name)).filter(|new| !written.contains(*new)).unwrap_or(name).clone();
        let channels = self.channels.iter().map(|(name, channel)| (now(name), channel.clone())).collect();
        Settings { channels, ..self.clone() }
    }

    /// True if a connection with these settings can go by the others: they differ at most in the channels, who has
    /// rights in them, whose invitations are followed, and what happens after a kick.
    pub(crate) fn is_as_connected(&self, other: &Settings) -> bool {
        let Settings { channels, admins, invites, rejoin_seconds, .. } = other.clone();
        Settings { channels, admins, invites, rejoin_seconds, ..self.clone() } == *other
    }

    pub(crate) fn line_every(&self) -> Duration {
        Duration::from_millis(u64::from(self.line_every_ms))
    }
}

/// True if this can be one word of a line: a channel, a key, a nick.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(':') && !text.contains([' ', ',', '\u{7}', '\r', '\n', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str) -> Result<Settings, Vec<String>> {
        toml::from_str::<Settings>(text).unwrap().complete()
    }

    #[test]
    fn what_is_wrong_is_said_with_a_right_example() {
        for (text, says) in [
            ("", "server: it needs a host name"),
            ("server = \"x:1\"", "server = \"x\" and port = 1"),
            ("server = \"[::1]:1\"", "server = \"::1\" and port = 1"),
            ("server = \"x\"\nservers = [\"a b\"]", "servers: \"a b\" is no server"),
            ("server = \"x\"\nproxy = \"http://x:1\"", "such as \"socks5://127.0.0.1:9050\""),
            ("server = \"x\"\nproxy = \"socks5://me:secret@x:1\"", "such as \"socks5://127.0.0.1:9050\""),
            ("server = \"x\"\nproxy_user = \"me\"", "proxy_password_file = \"FILE\""),
            ("server = \"x\"\nfingerprint = \"sha256:00\"", "fingerprint: \"sha256:00\" is none"),
            ("server = \"x\"\nnick = \"a b\"", "nick: \"a b\" is not a valid nick"),
            ("server = \"x\"\nadmins = [\"mia\"]", "\"account:mia\" does"),
            ("server = \"x\"\nclient_cert = \"/dev/null\"", "client_key: client_cert needs it"),
            ("server = \"x\"\nclient_key = \"/dev/null\"", "client_cert: client_key needs it"),
            ("server = \"x\"\nca = \"/nonexistent\"", "ca: /nonexistent cannot be read"),
            ("server = \"x\"\naccount = \"dice\"", "account_password: the account needs one"),
            ("server = \"x\"\n[channels]\ntavern = {}", "a channel begins with #"),
            ("server = \"x\"\n[channels]\n\"#A\" = {}\n\"#a\" = {}", "channels.#a: it is the same channel as #A"),
            ("server = \"x\"\npassword = \"\"", "password: it is empty"),
            ("server = \"x\"\npassword_file = \"/dev/null\"", "password_file: /dev/null is empty"),
            ("server = \"x\"\nidentify = \"{account} X {password}\"", "identify: whom and with which words"),
            ("server = \"x\"\nidentify = \"NickServ\"", "identify: whom and with which words"),
            ("server = \"x\"\nidentify = \" {password}\"", "identify: whom and with which words"),
            ("server = \"x\"\n[channels]\n\"#a\" = { key = \"a,b\" }", "no channel has such a key"),
            ("server = \"x\"\npassword_file = \"/nonexistent\"", "password_file: /nonexistent cannot be read"),
        ] {
            let wrong = complete(text).unwrap_err();
            assert!(wrong.len() == 1 && wrong[0].contains(says), "{text}: {wrong:?}");
        }
        let several =
            "nick = \"a b\"\nadmins = [\"gus\", \"mia\"]\n[channels]\ntavern = {}\n\"#b\" = { key = \"a,b\" }";
        assert_eq!(complete(several).unwrap_err().len(), 6, "all of them at once");
    }

    #[test]
    fn a_password_is_never_shown() {
        let settings = complete("server = \"x\"\naccount_password = \"hunter2\"").unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"));
        assert_eq!(complete("server = \"x\"\npassword = 12345").unwrap().password.unwrap().expose(), "12345");
    }
}
