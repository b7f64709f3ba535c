//! Who speaks, and where.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A room or channel: the network's name as the operator gave it, and the room's id there.
///
/// Stored and shown as `network/id`. A network's name contains no `/` and no `:`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct RoomId {
    /// The network's name.
    pub network: String,
    /// The room's id on that network.
    pub id: String,
}

/// A player as a network knows them: a user id or an account, or just a nick where there are no accounts.
///
/// Stored and shown as `network:id`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct PlayerId {
    /// The network's name.
    pub network: String,
    /// The player's id on that network.
    pub id: String,
}

/// The sender of something, as the transport saw them at that moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaker {
    /// Who it is.
    pub player: PlayerId,
    /// The name others see: shown, never trusted.
    pub name: String,
    /// What they may do in the room.
    pub standing: Standing,
    /// How sure it is that they are who they claim to be.
    pub trust: Trust,
    /// True if a private answer reaches them.
    #[serde(default = "reachable")]
    pub reachable: bool,
    /// Where they connect from, if the network shows that besides the id: `nick!user@host`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
    /// Another account of theirs, if they linked the two. The core fills it in as it hears them; no network says so.
    #[serde(skip)]
    pub also: Option<PlayerId>,
}

impl Speaker {
    /// A member of the room whose identity the network vouches for and whom private answers reach.
    pub fn new(player: PlayerId, name: impl Into<String>) -> Self {
        let (standing, trust) = (Standing::Member, Trust::Account);
        Speaker { player, name: name.into(), standing, trust, reachable: true, address: String::new(), also: None }
    }

    /// The accounts by which the bot knows them, the one that speaks first.
    pub fn accounts(&self) -> impl Iterator<Item = &PlayerId> {
        std::iter::once(&self.player).chain(&self.also)
    }

    /// True if this is one of their accounts.
    pub fn is(&self, player: &PlayerId) -> bool {
        self.accounts().any(|account| account == player)
    }
}

fn reachable() -> bool {
    true
}

/// Somebody's standing in a room. The core turns it into a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// Anyone who may speak.
    Member,
    /// Runs the room: channel operator, power level of a moderator or more.
    Admin,
    /// Runs the bot and gives a command from outside the room: not one of its players.
    Operator,
}

/// How sure a player's identity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trust {
    /// The network vouches for it: an account, a user id.
    Account,
    /// Only a name that anyone can take.
    NickOnly,
}

macro_rules! stored_as_text {
    ($type:ident, $separator:literal) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}{}", self.network, $separator, self.id)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let (network, id) =
                    text.split_once($separator).ok_or_else(|| format!("no {:?} in {text:?}", $separator))?;
                Ok(Self::new(network, id))
            }
        }

        impl $type {
            /// Builds it from its two parts.
            pub fn new(network: impl Into<String>, id: impl Into<String>) -> Self {
                Self { network: network.into(), id: id.into() }
            }
        }
    };
}

stored_as_text!(RoomId, '/');
stored_as_text!(PlayerId, ':');

/// A character of a table: the key of everything a game stores for it. Names may change; this does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CharacterId(pub u32);

/// Something that happens at a table now and then, and that people leave orders for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A character's turn begins.
    Turn,
    /// A round begins.
    Round,
    /// A character is asked to answer somebody's roll.
    Asked,
    /// A scene begins.
    Scene,
}

/// What somebody may do at a table. Each role includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// Anyone.
    #[default]
    Player,
    /// Runs the game at this table. While a table has no referee, anyone may give a referee's commands.
    Referee,
    /// Runs the room.
    Admin,
    /// Runs the bot.
    Owner,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_being_stored_whatever_the_network_puts_in_them() {
        let room = RoomId::new("matrix", "!abc/def:example.org");
        let player = PlayerId::new("matrix", "@mia:example.org");
        let stored = serde_json::to_string(&(&room, &player)).unwrap();
        assert_eq!(stored, r#"["matrix/!abc/def:example.org","matrix:@mia:example.org"]"#);
        assert_eq!(serde_json::from_str::<(RoomId, PlayerId)>(&stored).unwrap(), (room, player));
    }
}
