//! What an operator decides about one Matrix account. `config/astragal.example.toml` explains every key.

use crate::profile;
use chat::Secret;
use matrix_sdk::ruma::{RoomOrAliasId, ServerName, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// What becomes of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Pictures {
    /// They are drawn for a light ground.
    #[default]
    Light,
    /// They are drawn for a dark ground.
    Dark,
    /// There are none: what they show is said in words alone.
    None,
}

/// One account on a homeserver.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The homeserver: its name (`example.org`) or its address (`https://matrix.example.org`).
    pub homeserver: String,
    /// The bot's user name there, or its whole id. A token needs none.
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
    /// The display name of the bot's account. If it is empty, the account keeps the one that it has.
    pub name: String,
    /// A picture for the bot's account: PNG, JPEG, GIF or WebP.
    #[schemars(extend("format" = "path"))]
    pub avatar: Option<PathBuf>,
    /// Rooms to be in, by alias or id.
    pub rooms: BTreeSet<String>,
    /// Whose invitations are followed: user ids, servers, or `*` for everyone. Owners' invitations are always followed.
    pub invites: BTreeSet<String>,
    /// The most rooms to be in. Then invitations are declined, except those of rooms of the configuration.
    #[schemars(range(min = 1))]
    pub full: Option<u32>,
    /// What whoever invites the bot is told then.
    pub full_says: String,
    /// Rooms to join per minute. Other invitations wait.
    #[schemars(range(min = 1))]
    pub joins_per_minute: u32,
    /// The power level that makes somebody a room's admin.
    pub admin_power: i64,
    /// True to encrypt the direct rooms that the bot creates.
    pub encrypt_direct: bool,
    /// Whether odds, clocks and cards are shown as pictures too, and for what ground. A bot cannot see which one people have.
    pub pictures: Pictures,
    /// True to set reactions at its offers, for people to tap.
    pub offer_reactions: bool,
    /// Users whose messages are ignored, such as other bots.
    pub ignore: BTreeSet<String>,
    /// Seconds a sync may wait for something to happen.
    #[schemars(range(min = 1))]
    pub sync_seconds: u32,
    /// Milliseconds before the first retry of a failed request.
    #[schemars(range(min = 1))]
    pub retry_first_ms: u32,
    /// The most milliseconds between retries.
    pub retry_most_ms: u32,
    /// The most messages to search in a room for commands sent while the bot was away.
    #[schemars(range(min = 1))]
    pub catch_up: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            homeserver: String::new(),
            user: String::new(),
            password: None,
            password_file: None,
            token: None,
            token_file: None,
            device: "astragal".to_owned(),
            name: String::new(),
            avatar: None,
            rooms: BTreeSet::new(),
            invites: BTreeSet::new(),
            full: None,
            full_says: "I am in as many rooms as I can be.".to_owned(),
            joins_per_minute: 6,
            admin_power: 50,
            encrypt_direct: true,
            pictures: Pictures::Light,
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
    /// Everything that is wrong, each with one correct example.
    pub fn complete(mut self) -> Result<Self, Vec<String>> {
        let mut wrong = Vec::new();
        wrong.extend(Secret::read_into(&mut self.password, self.password_file.as_deref(), "password").err());
        wrong.extend(Secret::read_into(&mut self.token, self.token_file.as_deref(), "token").err());
        if self.homeserver.is_empty() || self.homeserver.contains(char::is_whitespace) {
            wrong.push("homeserver: it needs a name, such as \"example.org\"".to_owned());
        }
        wrong.extend(self.wrong_user());
        if self.password.is_some() && self.token.is_some() {
            wrong.push("password and token: one of them is enough".to_owned());
        }
        wrong.extend(self.avatar.as_deref().and_then(|file| profile::picture(file).err()));
        let rooms = self.rooms.iter().filter(|room| RoomOrAliasId::parse(room.as_str()).is_err());
        wrong.extend(rooms.map(|room| format!("rooms: {room:?} is not a room; \"#tavern:example.org\" is")));
        let named = |name: &str| name == "*" || UserId::parse(name).is_ok() || ServerName::parse(name).is_ok();
        let invites = self.invites.iter().filter(|name| !named(name));
        wrong.extend(
            invites.map(|name| format!("invites: {name:?} is nobody; \"@mia:example.org\" is, or \"example.org\"")),
        );
        let ignored = self.ignore.iter().filter(|name| UserId::parse(name.as_str()).is_err());
        wrong.extend(ignored.map(|name| format!("ignore: {name:?} is nobody; \"@dicebot:example.org\" is")));
        let counts = [
            ("full", self.full == Some(0)),
            ("joins_per_minute", self.joins_per_minute == 0),
            ("sync_seconds", self.sync_seconds == 0),
            ("retry_first_ms", self.retry_first_ms == 0),
            ("catch_up", self.catch_up == 0),
        ];
        wrong
            .extend(counts.iter().filter(|(_, none)| *none).map(|(key, _)| format!("{key}: a whole number from 1 up")));
        if wrong.is_empty() { Ok(self) } else { Err(wrong) }
    }

    /// The same settings with the secrets that their files hold now. A file that cannot be read now changes nothing.
    pub(crate) fn with_secrets_of_now(&self) -> Self {
        let mut now = self.clone();
        for (secret, file) in [(&mut now.password, &self.password_file), (&mut now.token, &self.token_file)] {
            let mut read = None;
            if Secret::read_into(&mut read, file.as_deref(), "secret").is_ok() && read.is_some() {
                *secret = read;
            }
        }
        now
    }

    /// What is wrong with the user's name. A token has its own.
    fn wrong_user(&self) -> Option<String> {
        let has_token = self.token.is_some() || self.token_file.is_some();
        if self.user.is_empty() {
            let what = "user: the name of the bot's account is missing: user = \"astragal\", or the name it has";
            return (!has_token).then(|| what.to_owned());
        }
        let whole = self.user.starts_with('@');
        let wrong = if whole { UserId::parse(&self.user).is_err() } else { self.user.contains(':') };
        wrong
            .then(|| format!("user: {:?} is not a user name; \"astragal\" is, or \"@astragal:example.org\"", self.user))
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

    fn complete(text: &str) -> Result<Settings, Vec<String>> {
        toml::from_str::<Settings>(text).unwrap().complete()
    }

    #[test]
    fn what_is_wrong_is_said_with_a_right_example() {
        for (text, says) in [
            ("user = \"a\"", "homeserver: it needs a name"),
            ("homeserver = \"x\"\npassword = \"a\"", "user: the name of the bot's account is missing"),
            ("homeserver = \"x\"\nuser = \"a:b\"", "user: \"a:b\" is not a user name"),
            ("homeserver = \"x\"\nuser = \"a\"\npassword = \"a\"\ntoken = \"b\"", "one of them is enough"),
            ("homeserver = \"x\"\nuser = \"a\"\nrooms = [\"tavern\"]", "\"#tavern:example.org\" is"),
            ("homeserver = \"x\"\nuser = \"a\"\ninvites = [\"@mia\"]", "\"@mia:example.org\" is"),
            ("homeserver = \"x\"\ntoken_file = \"/nonexistent\"", "token_file: /nonexistent cannot be read"),
        ] {
            let wrong = complete(text).unwrap_err();
            assert!(wrong.len() == 1 && wrong[0].contains(says), "{text}: {wrong:?}");
        }
    }

    #[test]
    fn everything_that_is_wrong_is_said_at_once_and_a_token_needs_no_user() {
        let several = "user = \"a:b\"\nrooms = [\"tavern\", \"hall\"]\nignore = [\"gus\"]";
        assert_eq!(complete(several).unwrap_err().len(), 5);
        assert!(complete("homeserver = \"x\"\ntoken = \"t\"").is_ok());
    }

    #[test]
    fn invitations_are_followed_by_user_by_server_or_all() {
        let follows = |invites: &str| {
            let settings = complete(&format!("homeserver = \"x\"\nuser = \"a\"\ninvites = [{invites}]")).unwrap();
            ["@mia:a.org", "@bob:b.org"].map(|user| settings.follows(&UserId::parse(user).unwrap()))
        };
        assert_eq!(follows(""), [false, false]);
        assert_eq!(follows("\"@mia:a.org\""), [true, false]);
        assert_eq!(follows("\"b.org\""), [false, true]);
        assert_eq!(follows("\"*\""), [true, true]);
    }
}
