//! Matrix accounts.

mod devices;
mod first;

use super::first::{Answers, First};
use super::kind::{Adopted, Kind, Names, OwnCommand};
use async_trait::async_trait;
use chat::{PlayerId, Transport};
use clap::Command;
use devices::{DEVICES, randomness};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use transport_matrix::{Settings, probe};

/// Matrix. Each account keeps its device in a directory of its own.
pub struct Matrix;

#[async_trait]
impl Kind for Matrix {
    type Settings = Settings;

    fn names(&self) -> Names {
        // The SDK logs whole requests and responses; what matters of them is said by the transport.
        let about = "Matrix accounts, by the operator's names for their networks.";
        let log = "transport_matrix=info,matrix_sdk=off";
        Names { section: "matrix", title: "Matrix", about, example: first::NAME, log }
    }

    fn complete(&self, settings: Settings, owners: &BTreeSet<String>) -> Result<Settings, Vec<String>> {
        let mut settings = settings.complete()?;
        settings.invites.extend(owners.iter().cloned());
        Ok(settings)
    }

    fn transport(&self, name: &str, settings: &Settings, data: &Path) -> Arc<dyn Transport> {
        let (clock, device) = (Arc::new(chat::SystemClock), data.join(DEVICES).join(name));
        Arc::new(transport_matrix::Matrix::new(name, settings.clone(), clock, randomness(), &device))
    }

    /// A new connection is nothing that people in the rooms see. Only rooms that are no longer wanted must be left.
    async fn adopt(&self, transport: &dyn Transport, before: &Settings, now: &Settings) -> Adopted {
        for room in before.rooms.difference(&now.rooms) {
            if let Err(why) = transport.leave(room).await {
                tracing::warn!(network = transport.network(), room, why, "a room that is no longer named was not left");
            }
        }
        Adopted::Again
    }

    fn rooms(&self, settings: &Settings) -> BTreeSet<String> {
        settings.rooms.clone()
    }

    async fn probe(&self, name: &str, settings: &Settings, data: &Path) -> Result<String, String> {
        probe(settings.clone(), &data.join(DEVICES).join(name), &randomness()).await
    }

    fn look(&self, name: &str, data: &Path) -> Vec<Result<String, (String, String)>> {
        let device = data.join(DEVICES).join(name);
        let key = device.join("recovery.key");
        vec![match (key.exists(), device.exists()) {
            (true, _) => Ok(format!("{name}: {} restores the account; keep a copy elsewhere", key.display())),
            (false, true) => Err((
                format!("{name}: nothing restores the account's keys if this device is lost"),
                format!(
                    "stop the bot, and run astragal matrix recovery restore {name} with the recovery key that you saved, or \
                     astragal matrix recovery new {name} if there never was one"
                ),
            )),
            (false, false) => Ok(format!("{name}: the bot makes them at its first start")),
        }]
    }

    fn server(&self, settings: &Settings) -> String {
        settings.homeserver.clone()
    }

    fn no_owner(&self, owner: &PlayerId, _: &Settings) -> Option<String> {
        let PlayerId { network, id } = owner;
        let user = id.strip_prefix('@').and_then(|user| user.split_once(':'));
        let wrong = user.is_none_or(|(user, server)| user.is_empty() || server.is_empty());
        let name = id.trim_start_matches('@').split(':').next().filter(|name| !name.is_empty()).unwrap_or("mia");
        wrong.then(|| format!("{owner} is no user of Matrix; \"{network}:@{name}:example.org\" is one"))
    }

    fn flags(&self, init: Command) -> Command {
        first::flags(init)
    }

    fn first(&self, answers: &Answers<'_>, _: &[String]) -> anyhow::Result<Option<First>> {
        first::first(answers)
    }

    fn command(&self) -> Option<OwnCommand<Settings>> {
        Some(devices::command())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_names_every_key_of_a_matrix_account() {
        let text = include_str!("../../../../config/astragal.example.toml");
        let told = toml::from_str::<Settings>("zzz = 1").unwrap_err().to_string();
        let keys: Vec<&str> = told.split_once("expected").unwrap().1.split('`').skip(1).step_by(2).collect();
        let (_, section) = text.split_once("#: [matrix.home]").unwrap();
        for key in &keys {
            assert!(section.contains(&format!("#: {key} =")), "the example does not tell of {key}");
        }
        let uncommented: String = section
            .lines()
            .filter_map(|line| line.strip_prefix("#: "))
            .fold(String::new(), |all, line| all + line + "\n");
        let shown: Settings = toml::from_str(&uncommented).unwrap();
        let none = Settings::default();
        let defaults = Settings {
            homeserver: shown.homeserver.clone(),
            user: shown.user.clone(),
            password: shown.password.clone(),
            password_file: shown.password_file.clone(),
            token: shown.token.clone(),
            token_file: shown.token_file.clone(),
            rooms: shown.rooms.clone(),
            avatar: shown.avatar.clone(),
            invites: shown.invites.clone(),
            full: shown.full,
            ignore: shown.ignore.clone(),
            ..none
        };
        assert_eq!(shown, defaults, "where there is a default, the example shows it");
    }
}
