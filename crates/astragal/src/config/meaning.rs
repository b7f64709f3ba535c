//! Checks for values that are well-formed but meaningless: plugins, networks and people that do not exist.

use super::decided::Config;
use super::mistakes::Mistake;
use crate::networks::Network;
use crate::store::{Database, Kept};
use chat::PlayerId;
use std::collections::BTreeSet;
use table::RoomSetting;

impl Config {
    /// The meaningless values; each message begins with its key.
    pub(super) fn meaningless(&self) -> Vec<Mistake> {
        let mut wrong = Vec::new();
        if self.name.trim().is_empty() {
            wrong.push("name: the bot needs one, such as \"astragal\"".to_owned());
        }
        if self.rooms.prefix.trim().is_empty() {
            wrong.push("rooms.prefix: it cannot be empty; \"!\" is usual".to_owned());
        }
        let files = games::files().into_iter().map(|game| game.manifest.id.clone());
        let known: Vec<String> = games::ids().into_iter().chain(files).collect();
        let mut plugins = |key: &str, ids: &BTreeSet<String>| {
            // What an operator's own files are called is known once they are read.
            let unknown = ids.iter().filter(|id| !known.contains(id) && self.games.is_none());
            wrong.extend(unknown.map(|id| format!("{key}: there is no plugin {id}: {}", hint(id, &known))));
        };
        plugins("rooms.plugins", &self.rooms.plugins);
        plugins("rooms.allowed", self.rooms.allowed.as_ref().unwrap_or(&BTreeSet::new()));
        for (rule, number) in self.rooms.rules.iter().zip(1..) {
            rule.plugins.iter().chain(&rule.allowed).for_each(|ids| plugins(&format!("rooms.rules.{number}"), ids));
        }
        for (rule, number) in self.rooms.rules.iter().zip(1..) {
            let key = format!("rooms.rules.{number}");
            match rule.rooms.split_once('/') {
                Some((network, _)) if !network.contains('*') => {
                    wrong.extend(self.strange(&key, &rule.rooms, network));
                }
                None if !rule.rooms.contains('*') => {
                    wrong.push(format!("{key}: rooms = {:?} names none; \"libera/*\" does", rule.rooms));
                }
                _ => {}
            }
            let settings = rule.settings.iter().map(|(key, value)| RoomSetting::check(key, value));
            wrong.extend(settings.filter_map(Result::err).map(|refusal| format!("{key}: {}", refusal.what)));
        }
        let rooms = self.admin_rooms.iter();
        wrong.extend(rooms.filter_map(|room| self.strange("admin_rooms", &room.to_string(), &room.network)));
        wrong.extend(self.owners.iter().filter_map(|owner| self.no_owner(owner)));
        wrong.extend(self.ignore.iter().filter_map(|pattern| Some(format!("ignore: {}", self.nobody(pattern)?))));
        if let Kept::There(remote) = self.store.kept() {
            wrong.extend(remote.meaningless());
            if self.store.database != Database::default() {
                wrong.push("store.database: store.postgres keeps the store; leave out one of the two".to_owned());
            }
        }
        wrong.extend(self.page.address.as_ref().and_then(|address| nowhere(address)));
        wrong.into_iter().map(Mistake::of).collect()
    }

    /// If an ignore pattern can match nobody: that, and a pattern that could match somebody.
    pub fn nobody(&self, pattern: &str) -> Option<String> {
        if !pattern.contains([':', '!', '@']) || pattern.contains(char::is_whitespace) {
            return Some(format!(
                "{pattern:?} can match nobody; patterns look like libera:account:troll, home:@*:spam.example or *!*@*.spam.example"
            ));
        }
        let (network, id) = pattern.split_once(':')?;
        let meant = self.networks.named(network)?.nobody(id)?;
        Some(format!("{pattern:?} can match nobody there: {meant}"))
    }

    /// If an owner cannot exist: why.
    fn no_owner(&self, owner: &PlayerId) -> Option<String> {
        self.strange("owners", &owner.to_string(), &owner.network).or_else(|| {
            let wrong = self.networks.named(&owner.network)?.no_owner(owner)?;
            Some(format!("owners: {wrong}"))
        })
    }

    /// A message that something names an unknown network.
    fn strange(&self, key: &str, what: &str, network: &str) -> Option<String> {
        // Several networks may have one name, which is a mistake of its own.
        let names: BTreeSet<&str> = self.networks.iter().map(Network::name).collect();
        let names: Vec<String> = names.into_iter().chain([transport_console::NETWORK]).map(str::to_owned).collect();
        let hint = || hint(network, &names);
        (!names.iter().any(|name| name == network))
            .then(|| format!("{key}: {what} is on no network of this configuration: {}", hint()))
    }
}

/// If nobody finds pages under an address: why.
fn nowhere(address: &str) -> Option<String> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    let is_one = |rest: &str| {
        !rest.starts_with(['/', ':'])
            && !rest.is_empty()
            && !rest.contains(|c: char| c.is_whitespace() || "?#@".contains(c))
    };
    (!rest.is_some_and(is_one))
        .then(|| format!("page.address: {address:?} is no address for a browser; \"https://dice.example.org\" is one"))
}

fn hint(name: &str, known: &[String]) -> String {
    match plugin_api::suggest(name, known.iter().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("there are {}", known.join(", ")),
    }
}
