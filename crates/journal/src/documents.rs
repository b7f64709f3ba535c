//! The documents of a table and of a room, stored next to the journal.

mod later;
mod open;
mod scene;

pub use later::{BoardDoc, DueDoc, Order, When};
pub use open::{Choice, ChoicesDoc, InboxRow, MendedDoc, OpenOffer, RestDoc, RollDoc};
pub use scene::{Apart, Scene};

use crate::change::Touched;
use crate::entry::{Added, first_hash};
use crate::keys::TableId;
use crate::store::StoreError;
use chat::{CharacterId, PlayerId, RoomId, Seen};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The command named by entries that carry a player's things over to a new id.
pub const RENAMED: &str = "renamed";
/// The command named by entries that carry what the table kept for a room over to the room that replaces it.
pub const MOVED: &str = "moved";

/// A table's people and settings. Its changes are in the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableDoc {
    /// The name the players gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The game that wins when games share a command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_game: Option<String>,
    /// The players who run the game, with the names they had.
    #[serde(default)]
    pub referees: BTreeMap<PlayerId, String>,
    /// The players.
    #[serde(default)]
    pub seats: BTreeMap<PlayerId, Seat>,
    /// The characters.
    #[serde(default)]
    pub characters: BTreeMap<CharacterId, Character>,
    /// Settings that plugins declared for tables.
    #[serde(default)]
    pub settings: PluginSettings,
    /// The entries of declarations not opened yet, by character.
    #[serde(default)]
    pub sealed: BTreeMap<CharacterId, u64>,
    /// Notes, by the entry that says what was noted.
    #[serde(default)]
    pub notes: BTreeMap<u64, Note>,
    /// What the bot is to do later, by the entry that says what.
    #[serde(default)]
    pub orders: BTreeMap<u64, Order>,
    /// Shortcuts that players defined.
    #[serde(default, skip_serializing_if = "Shortcuts::is_empty")]
    pub shortcuts: Shortcuts,
    /// The common scene.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// The entry that ended the last scene, while there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scene_over: Option<u64>,
    /// The scenes of rooms that play apart from the others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub apart: BTreeMap<RoomId, Apart>,
    /// The last entry that changed each place.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
}

/// The operator, acting from outside the room: not a character.
pub const OPERATOR: CharacterId = CharacterId(0);
/// Anyone who rolls at a table with no seat free: not a character either, and only their rolls are stored.
pub const GUEST: CharacterId = CharacterId(u32::MAX);

/// The names shown for the operator, for a guest, and for an unknown character.
pub const NOBODYS: [&str; 3] = ["the operator", "a guest", "somebody"];

impl TableDoc {
    /// The character called `name`, ignoring case.
    pub fn find(&self, name: &str) -> Option<CharacterId> {
        let wanted = name.to_lowercase();
        self.characters.iter().find(|(_, each)| each.name.to_lowercase() == wanted).map(|(id, _)| *id)
    }

    /// A name that two characters share, ignoring case.
    pub fn name_of_two(&self) -> Option<&str> {
        let mut seen = BTreeSet::new();
        self.characters.values().map(|each| each.name.as_str()).find(|name| !seen.insert(name.to_lowercase()))
    }

    /// Who may see the values of a character. Those of nobody's and a referee's characters are for referees alone; while a
    /// table has no referee, there is nobody to keep them from.
    pub fn seen_values_of(&self, character: CharacterId) -> Seen {
        let owner = self.characters.get(&character).map(|each| each.owner.as_ref());
        let opposes = owner.is_some_and(|owner| owner.is_none_or(|owner| self.referees.contains_key(owner)));
        if opposes && !self.referees.is_empty() { Seen::of(character) } else { Seen::EVERYBODY }
    }

    /// Until when the player of a character is away, if they are `now`.
    pub fn away(&self, character: CharacterId, now: Timestamp) -> Option<Timestamp> {
        let owner = self.characters.get(&character)?.owner.as_ref()?;
        self.seats.get(owner)?.away.filter(|until| *until > now)
    }

    /// The order to call whoever is waited for, and after how many seconds.
    pub fn nudge(&self) -> Option<(u64, &Order, i64)> {
        self.orders.iter().find_map(|(number, order)| match order.when {
            When::Waited(seconds) => Some((*number, order, seconds)),
            _ => None,
        })
    }

    /// The orders to keep boards, with their rooms.
    pub fn boards(&self) -> impl Iterator<Item = (u64, &RoomId)> {
        let boards = self.orders.iter().filter(|(_, order)| order.when == When::Shown);
        boards.filter_map(|(number, order)| Some((*number, order.room.as_ref()?)))
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

/// The shortcuts of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shortcuts {
    /// For everybody.
    #[serde(default, skip_serializing_if = "Named::is_empty")]
    pub table: Named,
    /// For one character each; they win over those for everybody.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<CharacterId, Named>,
}

/// Shortcuts for one audience.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// The text for each `$NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// The command for each `NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub macros: BTreeMap<String, String>,
    /// The author of each `$NAME` or `NAME`; unknown for those an older version stored.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, PlayerId>,
    /// Each `$NAME` or `NAME` whose text has a `d66` and was stored since that is two dice. In all others it is one die
    /// of 66 sides.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub digits: BTreeSet<String>,
}

impl Named {
    /// Notes values that a game worked out, so that nobody in particular wrote them.
    pub fn note(&mut self, values: impl IntoIterator<Item = (String, impl ToString)>) {
        for (name, value) in values {
            self.by.remove(&format!("${name}"));
            self.digits.remove(&format!("${name}"));
            self.variables.insert(name, value.to_string());
        }
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.macros.is_empty()
    }

    /// The text of a variable (sign `$`) or a macro (empty sign), as it is typed today for what it meant when it was
    /// stored.
    pub fn as_meant<'t>(&self, sign: &str, name: &str, text: &'t str) -> Cow<'t, str> {
        match dice::has_digits(text) && !self.digits.contains(&format!("{sign}{name}")) {
            true => Cow::Owned(dice::as_before(text)),
            false => Cow::Borrowed(text),
        }
    }

    /// The author of a variable (sign `$`) or a macro (empty sign).
    pub fn author(&self, sign: &str, name: &str) -> Option<PlayerId> {
        self.by.get(&format!("{sign}{name}")).cloned()
    }
}

impl Shortcuts {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty() && self.own.values().all(Named::is_empty)
    }

    /// Makes `to` the author of everything by `from`. Returns true if that changed anything.
    pub fn carry(&mut self, from: &PlayerId, to: &PlayerId) -> bool {
        let mut anything = false;
        let all = self.own.values_mut().chain([&mut self.table]).flat_map(|named| named.by.values_mut());
        for by in all.filter(|by| *by == from) {
            to.clone_into(by);
            anything = true;
        }
        anything
    }

    /// The shortcuts for a character, its own first, then the table's.
    pub fn of(&self, character: CharacterId) -> impl Iterator<Item = &Named> {
        self.own.get(&character).into_iter().chain([&self.table])
    }
}

/// Whose note an entry is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The character who noted it.
    pub by: CharacterId,
    /// True if it is for them alone.
    pub own: bool,
    /// If it is a handout, who got it besides, each with the entry that gave it to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<BTreeMap<CharacterId, u64>>,
}

/// The values of settings that plugins declared, by plugin and key.
pub type PluginSettings = BTreeMap<String, BTreeMap<String, String>>;

/// A player at a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The name they had when they last did something here.
    pub name: String,
    /// The character they act for.
    pub plays: CharacterId,
    /// Until when they are away, as they said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<Timestamp>,
}

/// A character in the story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Character {
    /// The name; no two at a table differ only in case.
    pub name: String,
    /// The owner; a character without one is the referees'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<PlayerId>,
    /// True if the name was chosen rather than taken from the player.
    #[serde(default)]
    pub named: bool,
    /// What they were called before their player chose a name, as others still know them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// True if they left the table, `None` if they never left or joined. What they hold stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away: Option<bool>,
}

/// A room's settings. Its changes are in the journal of its table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomDoc {
    /// The table it sits at.
    pub table: TableId,
    /// The prefix of commands.
    pub prefix: String,
    /// The plugins enabled here.
    pub plugins: BTreeSet<String>,
    /// The tools that every room has and that are switched off here.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without: BTreeSet<String>,
    /// Settings that plugins declared for rooms.
    #[serde(default)]
    pub settings: PluginSettings,
    /// True if it is linked to the table of another room: who runs this room runs that table no more than anyone else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
    /// People who are not answered here, as patterns.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub ignored: BTreeSet<String>,
    /// The last entry that changed each place.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
}

impl RoomDoc {
    /// A room with default settings, at its own table.
    pub fn new(room: &RoomId, prefix: &str, plugins: &BTreeSet<String>) -> Self {
        RoomDoc {
            table: TableId::of(room),
            prefix: prefix.to_owned(),
            plugins: plugins.clone(),
            without: BTreeSet::new(),
            settings: PluginSettings::new(),
            guest: false,
            ignored: BTreeSet::new(),
            touched: Touched::default(),
        }
    }
}

/// The state of a game at a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameDoc {
    /// The version of the game's state that wrote it.
    pub version: u32,
    /// The state.
    pub state: Value,
    /// The last entry that changed each place.
    #[serde(default, skip_serializing_if = "Touched::is_empty")]
    pub touched: Touched,
}

/// The end of a table's journal. Undo does not turn it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The last entry's number; 0 before the first.
    pub number: u64,
    /// The chain's hash.
    pub hash: String,
    /// Numbers up to this one may have been shown before their entries were durable.
    pub reserved: u64,
    /// The number of the current seed, from 1.
    pub epoch: u32,
    /// True once the epoch has its first entry, which holds the commitment.
    pub committed: bool,
    /// The words that players bound its seed with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Added>,
    /// The number of the next character.
    pub next_character: u32,
    /// The backup whose restoring began this epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<String>,
    /// Each player's last entry, if an older version stored it here; now each has a record of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub players: BTreeMap<PlayerId, u64>,
    /// Each character's last entry, as for players.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub characters: BTreeMap<CharacterId, u64>,
    /// The newest rolls that still have open offers.
    #[serde(default)]
    pub open: BTreeSet<u64>,
    /// The first entry that withholds changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<u64>,
    /// The entry whose answer said how `d66` is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<u64>,
    /// The time of the last entry, read from the entry itself.
    #[serde(skip)]
    pub time: Option<Timestamp>,
}

impl Head {
    /// Begins an epoch with a new seed that nobody has bound yet.
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
            digits: None,
            time: None,
        }
    }
}

/// Encodes a record as JSON.
pub fn to_json(value: &impl Serialize) -> Vec<u8> {
    // Few records are longer, and reallocating costs more than the unused space.
    let mut bytes = Vec::with_capacity(1_024);
    serde_json::to_writer(&mut bytes, value).expect("the core's records have text keys and finite numbers");
    bytes.shrink_to_fit();
    bytes
}

/// Decodes a record from JSON.
///
/// # Errors
/// The bytes are not such a record.
pub fn from_json<T: DeserializeOwned>(key: &str, bytes: &[u8]) -> Result<T, StoreError> {
    serde_json::from_slice(bytes).map_err(|error| StoreError::damaged(key, error))
}
