//! Reads the configuration again: by `astragal ctl reload`, or SIGHUP. A wrong configuration changes nothing.

use crate::config::Config;
use crate::networks::{Adopted, Network};
use crate::operator::Operator;
use crate::service;
use anyhow::Context;
use std::env;
use std::sync::Arc;
use tokio::signal::unix::Signal;
use tokio::sync::Mutex;

/// Applies the configuration each time the signal comes.
pub async fn on_hangup(hangup: Arc<Mutex<Signal>>, operator: Arc<Operator>) {
    let mut hangup = hangup.lock().await;
    while hangup.recv().await.is_some() {
        match operator.reload().await {
            Err(error) => tracing::error!("{error:#}"),
            Ok(told) => tracing::warn!("{told}"),
        }
    }
}

impl Operator {
    /// Reads the configuration again. Almost everything applies from now on: rooms are joined and left, and networks
    /// come and go. Returns what changed, and what waits for a restart.
    ///
    /// # Errors
    /// It is wrong, and the old one stays.
    pub async fn reload(&self) -> anyhow::Result<String> {
        let _one = self.reloading.lock().await;
        let read = self.place.config();
        let mut config = read.map_err(|error| anyhow::anyhow!("the old configuration stays: {error:#}"))?;
        let before = self.config();
        let Changes { now, .. } = Changes::between(&before, &config);
        let Changes { mut later, .. } = Changes::between(&self.started, &config);
        // Without networks, the bot plays in the terminal, which it cannot leave or go to.
        if self.started.networks.is_empty() != config.networks.is_empty() {
            config.networks = before.networks.clone();
            later.push("networks");
        }
        self.bot.apply(config.settings());
        let games = self.game_files.added_to(house::with_plugins(games::all())?, config.games.as_deref());
        self.bot.play_with(games.plugins);
        let config = Arc::new(config);
        *self.config.write().expect("nothing panics holding it") = config.clone();
        let mut told = Vec::new();
        if !now.is_empty() {
            told.push(format!("changed: {}", and(&now)));
        }
        if !games.told.is_empty() {
            told.push(format!("games: {}", and(&games.told)));
        }
        games.wrong.iter().for_each(|wrong| tracing::error!("{wrong}"));
        told.extend(games.wrong);
        told.extend(self.change_networks(&before, &config).await?);
        service::ready(&config);
        if !later.is_empty() {
            told.push(format!("waits for a restart: {}", and(&later)));
        }
        Ok(match told.is_empty() {
            true => format!("configuration reloaded: nothing has changed{}", unread()),
            false => format!("configuration reloaded: {}", told.join("; ")),
        })
    }

    /// Lets networks come, go and change. Returns what each does.
    async fn change_networks(&self, before: &Config, now: &Config) -> anyhow::Result<Vec<String>> {
        let mut told = Vec::new();
        for gone in before.networks.iter().filter(|network| now.networks.named(network.name()).is_none()) {
            self.bot.disconnect(gone.name()).await.context("a network cannot go")?;
            self.transports.write().expect("nothing panics holding it").retain(|each| each.network() != gone.name());
            told.push(format!("{}: disconnected", gone.name()));
        }
        for network in now.networks.iter() {
            let name = network.name();
            told.extend(match before.networks.named(name) {
                None => Some(self.connect(network).await.map(|()| format!("{name}: connecting"))?),
                Some(old) if network.is_as(old) => None,
                Some(old) => Some(format!("{name}: {}", self.change(old, network).await?)),
            });
        }
        let place = |name: &str| now.networks.iter().position(|network| network.name() == name);
        self.transports.write().expect("nothing panics holding it").sort_by_key(|each| place(each.network()));
        Ok(told)
    }

    /// Lets a network go by other settings. Returns what it does.
    async fn change(&self, old: &dyn Network, new: &dyn Network) -> anyhow::Result<String> {
        let (before, now) = (old.rooms(), new.rooms());
        let (joined, left) = (names(now.difference(&before)), names(before.difference(&now)));
        let adopted = match self.network(new.name()) {
            Ok(transport) => new.adopt(&*transport, old).await,
            Err(_) => Adopted::Again,
        };
        if adopted == Adopted::Again {
            self.connect(new).await?;
        }
        let mut does = Vec::new();
        does.extend((!joined.is_empty()).then(|| format!("joining {}", and(&joined))));
        does.extend((!left.is_empty()).then(|| format!("leaving {}", and(&left))));
        does.extend((adopted == Adopted::Again).then(|| "connecting again".to_owned()));
        Ok(if does.is_empty() { "changed".to_owned() } else { does.join(", ") })
    }

    /// Connects a network, in place of one with the same name.
    async fn connect(&self, network: &dyn Network) -> anyhow::Result<()> {
        let transport = network.transport(&self.data);
        {
            let mut transports = self.transports.write().expect("nothing panics holding it");
            transports.retain(|each| each.network() != network.name());
            transports.push(transport.clone());
        }
        bot::count_from_nothing(network.name());
        self.bot.connect(transport).await.with_context(|| format!("{} cannot be connected", network.name()))
    }
}

/// What could have changed and was not read: systemd copies the secrets that it passes on when it starts the bot.
fn unread() -> &'static str {
    let passed = ["INVOCATION_ID", "CREDENTIALS_DIRECTORY"].iter().all(|name| env::var_os(name).is_some());
    if passed { "; secrets that systemd passes on are read at a start: systemctl restart astragal" } else { "" }
}

/// The keys whose values changed, for people.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    /// What applies from now on.
    now: Vec<&'static str>,
    /// What needs a restart.
    later: Vec<&'static str>,
}

impl Changes {
    /// What differs between two configurations, other than their networks.
    fn between(old: &Config, new: &Config) -> Self {
        let now = [
            ("owners", old.owners == new.owners),
            ("admin_rooms", old.admin_rooms == new.admin_rooms),
            ("ignore", old.ignore == new.ignore),
            ("rooms", old.rooms == new.rooms),
            ("journals", old.journals == new.journals),
            ("limits", old.limits == new.limits),
            ("games", old.games == new.games),
            ("decks", old.decks == new.decks && old.printed == new.printed),
            ("backups", old.backups == new.backups || !old.backups.is_as_begun(&new.backups)),
        ];
        let later = [
            ("name", old.name == new.name),
            ("data", old.data == new.data),
            ("watch", old.watch == new.watch),
            ("page", old.page == new.page),
            ("console", old.console == new.console),
            ("store", old.store == new.store),
            ("backups", old.backups.is_as_begun(&new.backups)),
        ];
        let changed =
            |keys: &[(&'static str, bool)]| keys.iter().filter(|(_, same)| !same).map(|(key, _)| *key).collect();
        Changes { now: changed(&now), later: changed(&later) }
    }
}

/// The names of rooms.
fn names<'r>(rooms: impl Iterator<Item = &'r String>) -> Vec<&'r str> {
    rooms.map(String::as_str).collect()
}

/// A list for people: `a, b and c`.
fn and<W: AsRef<str>>(words: &[W]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::{KINDS, known};

    #[test]
    fn a_reload_knows_what_applies_at_once_and_what_needs_a_restart() {
        let of = |text: &str| Config::of(text, &known(KINDS)).unwrap();
        let changes = Changes::between(&of(""), &of("name = \"x\"\nignore = [\"a:b\"]\n[limits]\nper_player = 3\n"));
        assert_eq!(changes, Changes { now: vec!["ignore", "limits"], later: vec!["name"] });
        assert_eq!(Changes::between(&of("ignore = []"), &of("")), Changes::default());
        let backups = Changes::between(&of("backups.keep = 3"), &of("backups.keep = 4"));
        assert_eq!(backups, Changes { now: vec!["backups"], later: vec![] });
        let begun = Changes::between(&of("backups.keep = 0"), &of("backups.keep = 4"));
        assert_eq!(begun, Changes { now: vec![], later: vec!["backups"] });
        assert_eq!(and(&["a", "b", "c"]), "a, b and c");
    }
}
