//! The configuration file. `config/astragal.example.toml` is its manual.

use crate::networks::{irc, matrix};
use anyhow::Context;
use bot::Settings;
use bot::limits::Limits;
use chat::PlayerId;
use jiff::SignedDuration;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What an operator decides.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The name the bot answers to.
    pub name: String,
    /// Where everything is kept.
    pub data: Option<PathBuf>,
    /// Who runs the bot, as `network:id`.
    pub owners: BTreeSet<PlayerId>,
    pub rooms: Rooms,
    pub limits: Numbers,
    pub console: Console,
    pub backups: Backups,
    /// IRC networks, by the operator's names for them.
    pub irc: irc::Networks,
    /// Matrix accounts, by the operator's names for their networks.
    pub matrix: matrix::Networks,
}

/// What a new room starts with.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rooms {
    pub prefix: String,
    pub plugins: BTreeSet<String>,
}

/// How much is answered.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Numbers {
    pub per_player: usize,
    pub per_table: usize,
    pub same_answers: usize,
    pub window_seconds: u32,
    pub silence_seconds: u32,
}

/// The terminal.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Console {
    pub name: Option<String>,
    pub room: String,
}

/// The daily backups.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Backups {
    pub keep: usize,
}

impl Default for Config {
    fn default() -> Self {
        let name = Settings::default().name;
        Config {
            name,
            data: None,
            owners: BTreeSet::new(),
            rooms: Rooms::default(),
            limits: Numbers::default(),
            console: Console::default(),
            backups: Backups::default(),
            irc: irc::Networks::new(),
            matrix: matrix::Networks::new(),
        }
    }
}

impl Default for Rooms {
    fn default() -> Self {
        let Settings { prefix, plugins, .. } = Settings::default();
        Rooms { prefix, plugins }
    }
}

impl Default for Numbers {
    fn default() -> Self {
        let Limits { per_player, per_table, same_answers, window, silence } = Limits::default();
        let seconds = |span: SignedDuration| u32::try_from(span.as_secs()).expect("defaults are short");
        let (window_seconds, silence_seconds) = (seconds(window), seconds(silence));
        Numbers { per_player, per_table, same_answers, window_seconds, silence_seconds }
    }
}

impl Default for Console {
    fn default() -> Self {
        Console { name: None, room: "hall".to_owned() }
    }
}

impl Default for Backups {
    fn default() -> Self {
        Backups { keep: 7 }
    }
}

impl Config {
    /// Reads the file.
    ///
    /// # Errors
    /// Names the line and what is wrong with it.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let wrong = || format!("{} is wrong", path.display());
        let config: Config = toml::from_str(&text).with_context(wrong)?;
        config.check().with_context(wrong)?;
        config.complete().with_context(wrong)
    }

    fn check(&self) -> anyhow::Result<()> {
        let known: Vec<String> = crate::plugins::all().iter().map(|plugin| plugin.manifest().id.clone()).collect();
        for id in &self.rooms.plugins {
            let hint = plugin_api::suggest(id, known.iter().map(String::as_str));
            let hint = hint.map_or(format!("there are {}", known.join(", ")), |meant| format!("did you mean {meant}?"));
            anyhow::ensure!(known.contains(id), "rooms.plugins: there is no plugin {id}: {hint}");
        }
        anyhow::ensure!(!self.name.trim().is_empty(), "name: the bot needs one, such as \"astragal\"");
        anyhow::ensure!(!self.rooms.prefix.trim().is_empty(), "rooms.prefix: it cannot be empty; \"!\" is usual");
        Ok(())
    }

    /// Whether it names a network: without one, the bot plays in the terminal.
    pub fn has_networks(&self) -> bool {
        !self.irc.is_empty() || !self.matrix.is_empty()
    }

    /// With the secrets that its files hold.
    fn complete(self) -> anyhow::Result<Self> {
        if let Some(name) = self.irc.keys().find(|name| self.matrix.contains_key(*name)) {
            anyhow::bail!("irc.{name} and matrix.{name}: each network needs a name of its own");
        }
        let matrix = matrix::complete(self.matrix, &self.owners)?;
        Ok(Config { irc: irc::complete(self.irc)?, matrix, ..self })
    }

    /// An owner as the network spells them: on IRC, case does not tell accounts apart.
    fn as_known(&self, owner: &PlayerId) -> PlayerId {
        match self.irc.contains_key(&owner.network) {
            true => PlayerId::new(&owner.network, owner.id.to_ascii_lowercase()),
            false => owner.clone(),
        }
    }

    /// What the core needs of it.
    pub fn settings(&self) -> Settings {
        Settings {
            name: self.name.clone(),
            prefix: self.rooms.prefix.clone(),
            plugins: self.rooms.plugins.clone(),
            owners: self.owners.iter().map(|owner| self.as_known(owner)).collect(),
            limits: Limits {
                per_player: self.limits.per_player,
                per_table: self.limits.per_table,
                same_answers: self.limits.same_answers,
                window: SignedDuration::from_secs(i64::from(self.limits.window_seconds)),
                silence: SignedDuration::from_secs(i64::from(self.limits.silence_seconds)),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_complete_and_says_the_defaults() {
        let text = include_str!("../../../config/astragal.example.toml");
        let shown: Config = toml::from_str(text).unwrap();
        assert_eq!(shown, Config::default(), "what the example sets are the defaults");
        // Every key stands in it, those without a default commented out.
        let uncommented: String = text
            .lines()
            .map(|line| line.strip_prefix("#: ").unwrap_or(line))
            .fold(String::new(), |all, line| all + line + "\n");
        let full: Config = toml::from_str(&uncommented).unwrap();
        assert!(full.data.is_some() && !full.owners.is_empty() && full.console.name.is_some());
    }

    #[cfg(feature = "irc")]
    #[test]
    fn the_example_names_every_key_of_an_irc_network() {
        let text = include_str!("../../../config/astragal.example.toml");
        // What a wrong key is told is the list of the right ones.
        for (wrong, indent) in [("[irc.x]\nzzz = 1", "#: "), ("[irc.x.channels]\n\"#a\" = { zzz = 1 }", "")] {
            let told = toml::from_str::<Config>(wrong).unwrap_err().to_string();
            let keys: Vec<&str> = told.split_once("expected").unwrap().1.split('`').skip(1).step_by(2).collect();
            assert!(keys.len() > 2, "{told}");
            for key in keys.into_iter().filter(|key| *key != "channels") {
                assert!(text.contains(&format!("{indent}{key} =")), "the example does not tell of {key}");
            }
        }
        let (_, section) = text.split_once("#: [irc.libera]").unwrap();
        let uncommented: String = section
            .lines()
            .filter_map(|line| line.strip_prefix("#: "))
            .fold("[irc.libera]\n".to_owned(), |all, line| all + line + "\n");
        let shown = toml::from_str::<Config>(&uncommented).unwrap().irc["libera"].clone();
        let none = transport_irc::Settings::default();
        let defaults = transport_irc::Settings {
            tls: none.tls,
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

    #[cfg(feature = "matrix")]
    #[test]
    fn the_example_names_every_key_of_a_matrix_account() {
        let text = include_str!("../../../config/astragal.example.toml");
        let told = toml::from_str::<Config>("[matrix.x]\nzzz = 1").unwrap_err().to_string();
        let keys: Vec<&str> = told.split_once("expected").unwrap().1.split('`').skip(1).step_by(2).collect();
        let (_, section) = text.split_once("#: [matrix.home]").unwrap();
        for key in &keys {
            assert!(section.contains(&format!("#: {key} =")), "the example does not tell of {key}");
        }
        let uncommented: String = section
            .lines()
            .filter_map(|line| line.strip_prefix("#: "))
            .fold("[matrix.home]\n".to_owned(), |all, line| all + line + "\n");
        let shown = toml::from_str::<Config>(&uncommented).unwrap().matrix["home"].clone();
        let none = transport_matrix::Settings::default();
        let defaults = transport_matrix::Settings {
            homeserver: shown.homeserver.clone(),
            password: shown.password.clone(),
            password_file: shown.password_file.clone(),
            token: shown.token.clone(),
            token_file: shown.token_file.clone(),
            rooms: shown.rooms.clone(),
            invites: shown.invites.clone(),
            ignore: shown.ignore.clone(),
            ..none
        };
        assert_eq!(shown, defaults, "where there is a default, the example shows it");
    }

    #[test]
    fn each_network_has_a_name_of_its_own() {
        let text = "[irc.home]\nserver = \"x\"\n[matrix.home]\nhomeserver = \"x\"";
        let wrong = toml::from_str::<Config>(text).unwrap().complete().unwrap_err().to_string();
        assert!(wrong.contains("irc.home and matrix.home"), "{wrong}");
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let wrong = toml::from_str::<Config>("name = \"x\"\nprefx = \"!\"\n").unwrap_err().to_string();
        assert!(wrong.contains("line 2") && wrong.contains("prefx"), "{wrong}");
        let config: Config = toml::from_str("[rooms]\nplugins = [\"rol\"]\n").unwrap();
        assert!(config.check().unwrap_err().to_string().contains("did you mean roll?"));
    }
}
