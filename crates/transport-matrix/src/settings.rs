//! What an operator decides about one Matrix account. `config/astragal.example.toml` explains every key.

use chat::Secret;
use matrix_sdk::ruma::{RoomOrAliasId, ServerName, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// One account on a homeserver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The homeserver: its name (`example.org`) or its address (`https://matrix.example.org`).
    pub homeserver: String,
    /// The bot's user name there, or its whole id.
    pub user: String,
    /// Its password.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub password: Option<Secret>,
    /// A file that holds it.
    pub password_file: Option<PathBuf>,
    /// An access token instead of the password. Its device must not be used by anything else.
    #[schemars(with = "Option<String>", extend("writeOnly" = true))]
    pub token: Option<Secret>,
    /// A file that holds it.
    pub token_file: Option<PathBuf>,
    /// The name of the bot's device, as others see it.
    pub device: String,
    /// Rooms to be in, by alias or id.
    pub rooms: BTreeSet<String>,
    /// Whose invitations are followed: user ids, servers, or `*` for everyone. Owners' invitations are always followed.
    pub invites: BTreeSet<String>,
    /// Rooms to join per minute. Other invitations wait.
    pub joins_per_minute: u32,
    /// The power level that makes somebody a room's admin.
    pub admin_power: i64,
    /// True to encrypt the direct rooms that the bot creates.
    pub encrypt_direct: bool,
    /// True to set reactions at its offers, for people to tap.
    pub offer_reactions: bool,
    /// Users whose messages are ignored, such as other bots.
    pub ignore: BTreeSet<String>,
    /// Seconds a sync may wait for something to happen.
    pub sync_seconds: u32,
    /// Milliseconds before the first retry of a failed request.
    pub retry_first_ms: u32,
    /// The most milliseconds between retries.
    pub retry_most_ms: u32,
    /// The most messages to search in a room for commands sent while the bot was away.
    pub catch_up: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            homeserver: String::new(),
            user: "astragal".to_owned(),
            password: None,
            password_file: None,
            token: None,
            token_file: None,
            device: "astragal".to_owned(),
            rooms: BTreeSet::new(),
            invites: BTreeSet::new(),
            joins_per_minute: 6,
            admin_power: 50,
            encrypt_direct: true,
            offer_reactions: false,
            ignore: BTreeSet::new(),
            sync_seconds: 30,
            retry_first_ms: 1_000,
            retry_most_ms: 60_000,
            catch_up: 50_000,
        }
    }
}

impl Settings {
    /// Reads secrets from the files that hold them, and checks what can be checked without the network.
    ///
    /// # Errors
    /// What is wrong, with one correct example.
    pub fn complete(mut self) -> Result<Self, String> {
        Secret::read_into(&mut self.password, self.password_file.as_deref(), "password")?;
        Secret::read_into(&mut self.token, self.token_file.as_deref(), "token")?;
        if self.homeserver.is_empty() || self.homeserver.contains(char::is_whitespace) {
            return Err("homeserver: it needs a name, such as \"example.org\"".to_owned());
        }
        let whole = self.user.starts_with('@');
        if self.user.is_empty() || (whole && UserId::parse(&self.user).is_err()) || (!whole && self.user.contains(':'))
        {
            return Err(format!(
                "user: {:?} is not a user name; \"astragal\" is, or \"@astragal:example.org\"",
                self.user
            ));
        }
        if self.password.is_some() && self.token.is_some() {
            return Err("password and token: one of them is enough".to_owned());
        }
        if let Some(room) = self.rooms.iter().find(|room| RoomOrAliasId::parse(room.as_str()).is_err()) {
            return Err(format!("rooms: {room:?} is not a room; \"#tavern:example.org\" is"));
        }
        let named = |name: &str| UserId::parse(name).is_ok() || ServerName::parse(name).is_ok();
        if let Some(wrong) = self.invites.iter().find(|name| *name != "*" && !named(name)) {
            return Err(format!("invites: {wrong:?} is nobody; \"@mia:example.org\" is, or \"example.org\""));
        }
        if let Some(wrong) = self.ignore.iter().find(|name| UserId::parse(name.as_str()).is_err()) {
            return Err(format!("ignore: {wrong:?} is nobody; \"@dicebot:example.org\" is"));
        }
        if self.joins_per_minute == 0 || self.retry_first_ms == 0 || self.catch_up == 0 {
            return Err("joins_per_minute, retry_first_ms and catch_up: at least 1".to_owned());
        }
        Ok(self)
    }

    /// True if this user's invitations are followed.
    pub(crate) fn follows(&self, inviter: &UserId) -> bool {
        let names = ["*", inviter.as_str(), inviter.server_name().as_str()];
        names.iter().any(|name| self.invites.contains(*name))
    }

    pub(crate) fn ignores(&self, user: &UserId) -> bool {
        self.ignore.contains(user.as_str())
    }

    pub(crate) fn retries(&self) -> (Duration, Duration) {
        let (first, most) = (u64::from(self.retry_first_ms), u64::from(self.retry_most_ms));
        (Duration::from_millis(first), Duration::from_millis(most.max(first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(text: &str) -> Result<Settings, String> {
        toml::from_str::<Settings>(text).unwrap().complete()
    }

    #[test]
    fn what_is_wrong_is_said_with_a_right_example() {
        for (text, says) in [
            ("", "homeserver: it needs a name"),
            ("homeserver = \"x\"\nuser = \"a:b\"", "user: \"a:b\" is not a user name"),
            ("homeserver = \"x\"\npassword = \"a\"\ntoken = \"b\"", "one of them is enough"),
            ("homeserver = \"x\"\nrooms = [\"tavern\"]", "\"#tavern:example.org\" is"),
            ("homeserver = \"x\"\ninvites = [\"@mia\"]", "\"@mia:example.org\" is"),
            ("homeserver = \"x\"\ntoken_file = \"/nonexistent\"", "token_file: /nonexistent cannot be read"),
        ] {
            let wrong = complete(text).unwrap_err();
            assert!(wrong.contains(says), "{text}: {wrong}");
        }
    }

    #[test]
    fn invitations_are_followed_by_user_by_server_or_all() {
        let follows = |invites: &str| {
            let settings = complete(&format!("homeserver = \"x\"\ninvites = [{invites}]")).unwrap();
            ["@mia:a.org", "@bob:b.org"].map(|user| settings.follows(&UserId::parse(user).unwrap()))
        };
        assert_eq!(follows(""), [false, false]);
        assert_eq!(follows("\"@mia:a.org\""), [true, false]);
        assert_eq!(follows("\"b.org\""), [false, true]);
        assert_eq!(follows("\"*\""), [true, true]);
    }
}
