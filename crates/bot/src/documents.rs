//! What the core keeps of a table and a room.

use crate::journal::first_hash;
use crate::keys::TableId;
use chat::{Offer, PlayerId, RoomId};
use plugin_api::{CharacterId, Manifest, Setting, SettingScope};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A table's people and settings. Changes of it are in the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableDoc {
    /// What the players call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The game that a word shared by several means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_game: Option<String>,
    /// Who runs the game, with the name they had.
    #[serde(default)]
    pub referees: BTreeMap<PlayerId, String>,
    /// Who plays.
    #[serde(default)]
    pub seats: BTreeMap<PlayerId, Seat>,
    /// Who is played.
    #[serde(default)]
    pub characters: BTreeMap<CharacterId, Character>,
    /// Settings that plugins declared for tables.
    #[serde(default)]
    pub settings: PluginSettings,
}

/// What was set of what plugins declared, by plugin and key.
pub type PluginSettings = BTreeMap<String, BTreeMap<String, String>>;

/// A player at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The name they had when they last did something here.
    pub name: String,
    /// The character they act for.
    pub plays: CharacterId,
}

/// Somebody in the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Character {
    /// The name; no two at a table differ only in case.
    pub name: String,
    /// Whose it is; a referee's where it is nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<PlayerId>,
    /// The name was chosen, not taken over from the player.
    #[serde(default)]
    pub named: bool,
}

/// A room's settings. Changes of it are in the journal of its table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomDoc {
    /// The table it sits at.
    pub table: TableId,
    /// What stands in front of a command.
    pub prefix: String,
    /// The plugins enabled here.
    pub plugins: BTreeSet<String>,
    /// Settings that plugins declared for rooms.
    #[serde(default)]
    pub settings: PluginSettings,
}

impl RoomDoc {
    /// A room nobody has set anything in, at its own table.
    pub fn new(room: &RoomId, prefix: &str, plugins: &BTreeSet<String>) -> Self {
        RoomDoc {
            table: TableId::of(room),
            prefix: prefix.to_owned(),
            plugins: plugins.clone(),
            settings: PluginSettings::new(),
        }
    }
}

/// Where a table's journal ends. Undo does not turn it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The last entry's number; 0 before the first.
    pub number: u64,
    /// The chain's hash.
    pub hash: String,
    /// Numbers up to here may have been shown before their entries were durable.
    pub reserved: u64,
    /// Which seed is in use, from 1.
    pub epoch: u32,
    /// The epoch has its first entry, which holds the commitment.
    pub committed: bool,
    /// The number of the next character.
    pub next_character: u32,
    /// The restored backup since which this epoch goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
}

impl Default for Head {
    fn default() -> Self {
        Head {
            number: 0,
            hash: first_hash(),
            reserved: 0,
            epoch: 1,
            committed: false,
            next_character: 1,
            restored: None,
        }
    }
}

/// A roll that can be followed up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollDoc {
    /// Whose it is.
    pub character: CharacterId,
    /// The plugin that made it.
    pub game: String,
    /// What the plugin noted, as it stands now.
    pub record: Value,
    /// The character's roll of that game before this one, which is the latest again if this one is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u64>,
}

/// What was last offered to a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OffersDoc {
    /// The roll the offers belong to.
    pub entry: u64,
    /// The character they are for.
    pub character: CharacterId,
    /// In the order of their numbers.
    pub offers: Vec<Offer>,
}

/// What became of a message, kept so that it is not played again and its edits are understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboxRow {
    /// Accepted and not played yet.
    Waiting,
    /// Every command of it was refused: an edit of it is played.
    Refused {
        /// Its command lines.
        lines: Vec<String>,
    },
    /// At least one command of it was played.
    Played {
        /// Its command lines.
        lines: Vec<String>,
        /// The entries they made.
        entries: Vec<u64>,
    },
}

/// The values of a plugin's settings for a room at a table, those nobody set included.
pub fn settings_of(manifest: &Manifest, table: &TableDoc, room: &RoomDoc) -> BTreeMap<String, String> {
    let value = |setting: &Setting| {
        let set = match setting.scope {
            SettingScope::Table => &table.settings,
            SettingScope::Room => &room.settings,
        };
        let value = set.get(&manifest.id).and_then(|set| set.get(&setting.key));
        (setting.key.clone(), value.unwrap_or(&setting.default).clone())
    };
    manifest.settings.iter().map(value).collect()
}

/// A record's JSON.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("the core's records have text keys and finite numbers")
}

/// A record of its JSON.
///
/// # Errors
/// It is not one.
pub fn from_json<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, crate::store::StoreError> {
    serde_json::from_slice(bytes).map_err(|error| crate::store::StoreError::damaged(key, error))
}
