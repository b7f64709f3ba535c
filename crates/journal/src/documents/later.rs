//! What the bot is to do later, and what it showed last of what it shows again.

use chat::{CharacterId, Moment, PlayerId, Role, RoomId, Trust};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Something that the bot is to do later for somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The character who asked for it.
    pub by: CharacterId,
    /// The player who asked for it.
    pub player: PlayerId,
    /// How sure it was that they were who they claimed to be.
    pub trust: Trust,
    /// The role they had: what is done for them never gets a higher one.
    pub role: Role,
    /// When it is done.
    pub when: When,
    /// True if it is for them alone.
    pub own: bool,
    /// The room where it is carried out, if that is not the one where it comes due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room: Option<RoomId>,
}

/// When an order is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Once, at this time.
    At(Timestamp),
    /// Each time this happens.
    Each(Moment),
    /// Once, when the sealed declarations are opened.
    Opened,
    /// Whenever somebody has been waited for so long, in seconds.
    Waited(i64),
    /// Whenever what the board of its room shows may have changed.
    Shown,
}

impl When {
    /// Its time, if that is known.
    pub fn at(self) -> Option<Timestamp> {
        match self {
            When::At(at) => Some(at),
            When::Each(_) | When::Opened | When::Waited(_) | When::Shown => None,
        }
    }
}

/// An order whose time has come, or will; stored until it is carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DueDoc {
    /// The time.
    pub at: Timestamp,
    /// The room where it is carried out.
    pub room: RoomId,
    /// The entry that made it due: the one that asked for it, or the one with which its moment came.
    pub cause: u64,
    /// Where its player connected from when they asked for it, if the network shows that: who is ignored by that is not
    /// heard later either.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub address: String,
}

impl DueDoc {
    /// What an entry made due in a room at a time.
    pub fn new(at: Timestamp, room: RoomId, cause: u64) -> Self {
        DueDoc { at, room, cause, address: String::new() }
    }
}

/// What the board of a room shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoardDoc {
    /// The order that it is kept by.
    pub order: u64,
    /// The key of the post that is the board.
    pub post: String,
    /// A digest of what it shows.
    pub shown: String,
    /// When that was shown.
    pub at: Timestamp,
}
