//! What is kept of a table and of a room, beside the journal.

use crate::change::Touched;
use crate::entry::{Added, first_hash};
use crate::keys::TableId;
use crate::store::StoreError;
use chat::{Block, CharacterId, PlayerId, Readers, RoomId};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The command that entries name which carry a player's things along to another id.
pub const RENAMED: &str = "renamed";

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
    /// The entries that hold declarations not yet opened, by who declared.
    #[serde(default)]
    pub sealed: BTreeMap<CharacterId, u64>,
    /// What players named for themselves.
    #[serde(default, skip_serializing_if = "Shortcuts::is_empty")]
    pub shortcuts: Shortcuts,
    /// What is being played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// Which entry last changed what.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
}

/// Who acts where the bot's operator does, from outside the room: no character.
pub const OPERATOR: CharacterId = CharacterId(0);
/// Who rolls at a table at which no seat is free: no character either, and nothing is kept of them but their rolls.
pub const GUEST: CharacterId = CharacterId(u32::MAX);

/// What the operator, who has no seat, and somebody unknown are called.
pub const NOBODYS: [&str; 3] = ["the operator", "a guest", "somebody"];

impl TableDoc {
    /// Who is called `name`, ignoring case.
    pub fn find(&self, name: &str) -> Option<CharacterId> {
        let wanted = name.to_lowercase();
        self.characters.iter().find(|(_, each)| each.name.to_lowercase() == wanted).map(|(id, _)| *id)
    }

    /// A name that two characters have, ignoring case.
    pub fn name_of_two(&self) -> Option<&str> {
        let mut seen = BTreeSet::new();
        self.characters.values().map(|each| each.name.as_str()).find(|name| !seen.insert(name.to_lowercase()))
    }

    /// The name of a character.
    pub fn name_of(&self, character: CharacterId) -> &str {
        let nobody = match character {
            OPERATOR => NOBODYS[0],
            GUEST => NOBODYS[1],
            _ => NOBODYS[2],
        };
        self.characters.get(&character).map_or(nobody, |each| each.name.as_str())
    }
}

/// What is named at a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortcuts {
    /// For everybody.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub table: Named,
    /// For one character each, before what is for everybody.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<CharacterId, Named>,
}

/// What is named for somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// What stands for `$NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The command that stands for `NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub macros: BTreeMap<String, String>,
    /// Who named which, `$NAME` or `NAME`. Of what an older version kept nobody knows.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, PlayerId>,
}

impl Named {
    /// Nothing is.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.macros.is_empty()
    }

    /// Who named a variable, whose sign is `$`, or a macro, which has none.
    pub fn author(&self, sign: &str, name: &str) -> Option<PlayerId> {
        self.by.get(&format!("{sign}{name}")).cloned()
    }
}

impl Shortcuts {
    /// Nothing is named.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty() && self.own.values().all(Named::is_empty)
    }

    /// What `from` named is from now on `to`'s. Whether that was anything.
    pub fn carry(&mut self, from: &PlayerId, to: &PlayerId) -> bool {
        let mut anything = false;
        let all = self.own.values_mut().chain([&mut self.table]).flat_map(|named| named.by.values_mut());
        for by in all.filter(|by| *by == from) {
            to.clone_into(by);
            anything = true;
        }
        anything
    }

    /// What is named for a character, the table's behind its own.
    pub fn of(&self, character: CharacterId) -> impl Iterator<Item = &Named> {
        self.own.get(&character).into_iter().chain([&self.table])
    }
}

/// What is being played, since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// What it is called.
    pub title: String,
    /// The entry with which it began.
    pub since: u64,
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
    /// Whether they left the table, if they ever left or joined; what they hold stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<bool>,
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
    /// Who is not answered here, as patterns.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ignored: BTreeSet<String>,
    /// Which entry last changed what.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
}

impl RoomDoc {
    /// A room nobody has set anything in, at its own table.
    pub fn new(room: &RoomId, prefix: &str, plugins: &BTreeSet<String>) -> Self {
        RoomDoc {
            table: TableId::of(room),
            prefix: prefix.to_owned(),
            plugins: plugins.clone(),
            settings: PluginSettings::new(),
            ignored: BTreeSet::new(),
            touched: Touched::default(),
        }
    }
}

/// What a table holds of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameDoc {
    /// The version of the game's state that it was written by.
    pub version: u32,
    /// The state.
    pub state: Value,
    /// Which entry last changed what.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
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
    /// What players bound its seed with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Added>,
    /// The number of the next character.
    pub next_character: u32,
    /// The restored backup since which this epoch goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
    /// Each player's last entry, where an older version kept them here: now each has a record of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub players: BTreeMap<PlayerId, u64>,
    /// Each character's last entry, as those of players.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub characters: BTreeMap<CharacterId, u64>,
    /// The newest of the rolls that offer something still.
    #[serde(default)]
    pub open: BTreeSet<u64>,
    /// The first entry of whose changes some are withheld.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<u64>,
    /// The time of the last entry, which says so itself.
    #[serde(skip)]
    pub time: Option<Timestamp>,
}

impl Head {
    /// Begins an epoch, with another seed, that nobody has bound yet.
    pub fn begin_epoch(&mut self, epoch: u32) {
        self.epoch = epoch;
        self.committed = false;
        self.words.clear();
    }
}

impl Default for Head {
    fn default() -> Self {
        Head {
            number: 0,
            hash: first_hash(),
            reserved: 0,
            epoch: 1,
            committed: false,
            words: Vec::new(),
            next_character: 1,
            restored: None,
            players: BTreeMap::new(),
            characters: BTreeMap::new(),
            open: BTreeSet::new(),
            withheld: None,
            time: None,
        }
    }
}

/// What can still be done about a roll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollDoc {
    /// Whose it is.
    pub character: CharacterId,
    /// The plugin that made it.
    pub game: String,
    /// What the plugin noted, as it stands now; nothing if it cannot be followed up, or not while it is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<Value>,
    /// The character's roll of that game before this one, which is the latest again while this one is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<u64>,
    /// What is offered and not taken yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenOffer>,
    /// Since when that is offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The entry that last changed any of this.
    #[serde(default)]
    pub by: u64,
    /// What follows from it is as secret as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub secret: bool,
}

impl RollDoc {
    /// Who may read what is noted and offered here.
    pub fn readers(&self) -> Readers {
        if self.secret { Readers::Referees } else { Readers::Everybody }
    }
}

/// Something that may be typed about a roll.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOffer {
    /// For whom.
    pub character: CharacterId,
    /// The command, without the prefix.
    pub command: String,
    /// What it does, in a few words.
    pub label: String,
}

/// What a player's numbers `!1`, `!2` mean: what was last shown to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoicesDoc {
    /// In the order of their numbers.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// The entry whose answer showed them.
    #[serde(default)]
    pub shown: u64,
}

/// A line that was refused, as it would have been right: `!y` plays it as the next version of its message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MendedDoc {
    /// The message that it was the one command of.
    pub message: String,
    /// The line, without the prefix.
    pub line: String,
    /// The message that it replied to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// The table at which it was refused.
    pub table: TableId,
    /// The player's newest entry there: once they did something else, it is none of their business any more.
    pub after: Option<u64>,
    /// How old the bot was when it was first looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<i64>,
}

/// An offer as it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The roll that it belongs to.
    pub entry: u64,
    /// For whom.
    pub character: CharacterId,
    /// The command, without the prefix.
    pub command: String,
}

/// What became of a message, kept so that it is not played again and its edits are understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InboxRow {
    /// Accepted and not played yet.
    Waiting,
    /// Every command of it was refused: an edit of it is played.
    Refused {
        /// Digests of its command lines.
        lines: Vec<String>,
        /// Who sent it, and may replace it; an older version did not note that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
    },
    /// At least one command of it was played.
    Played {
        /// Digests of its command lines.
        lines: Vec<String>,
        /// The entries they made.
        entries: Vec<u64>,
        /// Where.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        table: Option<TableId>,
        /// Who sent it, and may replace it; an older version did not note that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<PlayerId>,
    },
}

/// What did not fit of a long answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RestDoc {
    /// As it is kept at first.
    Fresh(Vec<Block>),
    /// With the bot's age when it was first looked at since.
    Seen {
        /// What did not fit.
        blocks: Vec<Block>,
        /// The bot's age, in seconds.
        seen: i64,
    },
}

/// Bytes that are kept of what did not fit.
const MOST_REST: usize = 32 << 10;

impl RestDoc {
    /// Of what did not fit, as far as it is kept.
    pub fn of(mut blocks: Vec<Block>) -> Self {
        while to_json(&blocks).len() > MOST_REST {
            blocks.truncate(blocks.len() / 2);
        }
        RestDoc::Fresh(blocks)
    }

    /// What did not fit.
    pub fn into_blocks(self) -> Vec<Block> {
        match self {
            RestDoc::Fresh(blocks) | RestDoc::Seen { blocks, .. } => blocks,
        }
    }
}

impl InboxRow {
    /// Of a message of these lines by this player, at least one of which was played; with the entries that they made.
    pub fn played(table: &TableId, by: &PlayerId, lines: Vec<String>, entries: Vec<u64>) -> Self {
        InboxRow::Played { lines, entries, table: Some(table.clone()), by: Some(by.clone()) }
    }
}

/// A record's JSON.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    // Few are longer, and growing on the way costs more than the room.
    let mut bytes = Vec::with_capacity(1_024);
    serde_json::to_writer(&mut bytes, value).expect("the core's records have text keys and finite numbers");
    bytes.shrink_to_fit();
    bytes
}

/// A record of its JSON.
///
/// # Errors
/// It is not one.
pub fn from_json<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::damaged(key, error))
}
