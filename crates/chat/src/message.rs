//! What comes in from a network.

use crate::{Block, PlayerId, Recipient, RoomId, Speaker, Trust};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A message somebody sent in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Unique among the room's messages for ever: an event id, a msgid, or a connection's nonce and a line number.
    pub id: String,
    /// The room it is played in: where it was said, unless it was said [`aside`](Self::aside).
    pub room: RoomId,
    /// The private chat it was sent in, if it was sent there on behalf of another room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<RoomId>,
    /// Who said it.
    pub speaker: Speaker,
    /// When it was sent, by the network's clock. Only for display: no limit and no deletion depends on it.
    pub sent: Timestamp,
    /// When the bot received it, by its own clock. The core fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Timestamp>,
    /// The text as sent; it can have several lines.
    pub body: String,
    /// The id of the bot's answer that this one replies to.
    pub reply_to: Option<String>,
    /// True if only the speaker and the bot are in the room, so no prefix is needed.
    pub private: bool,
    /// True if the sender is no longer in the room, as far as the network tells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    /// True if the bot was mentioned in the network's own way (a pill). The mention is removed from the body.
    pub addressed: bool,
    /// True if it was sent while the bot was away. It is answered in order, labelled as late, and exempt from rate
    /// limits.
    pub late: bool,
    /// True if it is exempt from rate limits.
    pub unlimited: bool,
    /// True if it is played again because it could not be written: it was counted against its sender's limits then.
    #[serde(skip)]
    pub counted: bool,
    /// True if the network may deliver it again under the same id, so its outcome must be stored.
    #[serde(default)]
    pub comes_again: bool,
    /// If nobody says it now, because its sender asked for it earlier: the entry that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered: Option<u64>,
}

impl Message {
    /// A line said on time to everybody in a room.
    pub fn new(
        id: impl Into<String>,
        room: RoomId,
        speaker: Speaker,
        sent: Timestamp,
        body: impl Into<String>,
    ) -> Self {
        Message {
            id: id.into(),
            room,
            aside: None,
            speaker,
            sent,
            heard: None,
            body: body.into(),
            reply_to: None,
            private: false,
            absent: false,
            addressed: false,
            late: false,
            unlimited: false,
            counted: false,
            comes_again: false,
            ordered: None,
        }
    }

    /// When the bot received it, by its own clock; when it was sent, if the core did not fill that in.
    pub fn heard_at(&self) -> Timestamp {
        self.heard.unwrap_or(self.sent)
    }

    /// The room or private chat it was said in.
    pub fn said_in(&self) -> &RoomId {
        self.aside.as_ref().unwrap_or(&self.room)
    }
}

/// Something that happened in a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Somebody said something.
    Said(Message),
    /// Somebody edited a message: the new text under its own id, and the id of the first version.
    Edited {
        /// The new version.
        message: Message,
        /// The id of the message it replaces.
        original: String,
    },
    /// Somebody reacted to a message with a sign.
    Reacted {
        /// Who, where and when, under the id of the reaction; the body is empty.
        message: Message,
        /// The id of the message reacted to.
        to: String,
        /// The sign, such as 👍 or 1️⃣.
        sign: String,
    },
    /// Somebody took a message back, so nobody can read it any more.
    Redacted {
        /// Who, where and when, under the id of the redaction; the body is empty.
        message: Message,
        /// The id of the message taken back.
        of: String,
    },
    /// Somebody is in the room (was found there, or came in), under this name.
    Present {
        /// Which room.
        room: RoomId,
        /// Who.
        player: PlayerId,
        /// Under which name.
        name: String,
        /// How sure it is that they are who they claim to be.
        trust: Trust,
    },
    /// The names people use for the room, besides its id.
    Called {
        /// Which room.
        room: RoomId,
        /// All its current names.
        names: Vec<String>,
    },
    /// Somebody left the room.
    Gone {
        /// Which room.
        room: RoomId,
        /// Who.
        player: PlayerId,
    },
    /// Somebody in the room has a new id from now on; what they hold goes with them.
    Renamed {
        /// Unique, like a message's id.
        id: String,
        /// Which room.
        room: RoomId,
        /// Who they were.
        from: PlayerId,
        /// How sure it was that they were who they claimed to be.
        trust: Trust,
        /// Who they are now.
        speaker: Speaker,
        /// When.
        sent: Timestamp,
    },
    /// Somebody in the room is known by another id from now on and leaves what they hold with the old one: they logged
    /// out of their account, or into another.
    LoggedOut {
        /// Which room.
        room: RoomId,
        /// Who they were.
        from: PlayerId,
        /// Who they are now.
        player: PlayerId,
        /// Under which name.
        name: String,
        /// How sure it is that they are who they claim to be.
        trust: Trust,
    },
    /// An answer of the bot was too long for a network where answers must be short: the rest, for anyone who asks for
    /// more.
    Rest {
        /// Which room.
        room: RoomId,
        /// Who reads it.
        to: Recipient,
        /// The rest.
        blocks: Vec<Block>,
    },
    /// A room was replaced by another; its table moves along.
    Moved {
        /// The room as it was.
        from: RoomId,
        /// The room that replaces it.
        to: RoomId,
    },
    /// The bot joined the room.
    Arrived {
        /// Which room.
        room: RoomId,
    },
    /// The bot is no longer in the room, so nobody tells it who is.
    Left {
        /// Which room.
        room: RoomId,
    },
}

impl Event {
    /// The message inside the event, if it has one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Event::Said(message)
            | Event::Edited { message, .. }
            | Event::Reacted { message, .. }
            | Event::Redacted { message, .. } => Some(message),
            _ => None,
        }
    }

    /// The same, mutable.
    pub fn message_mut(&mut self) -> Option<&mut Message> {
        match self {
            Event::Said(message)
            | Event::Edited { message, .. }
            | Event::Reacted { message, .. }
            | Event::Redacted { message, .. } => Some(message),
            _ => None,
        }
    }

    /// Where it happened.
    pub fn room(&self) -> &RoomId {
        match self {
            Event::Said(message)
            | Event::Edited { message, .. }
            | Event::Reacted { message, .. }
            | Event::Redacted { message, .. } => &message.room,
            Event::Present { room, .. }
            | Event::Called { room, .. }
            | Event::Gone { room, .. }
            | Event::Renamed { room, .. }
            | Event::LoggedOut { room, .. }
            | Event::Rest { room, .. }
            | Event::Moved { from: room, .. }
            | Event::Arrived { room }
            | Event::Left { room } => room,
        }
    }
}

/// What a transport hands to the core in one go: events in order, and the notes it wants stored with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivery {
    /// In the network's order.
    pub events: Vec<Event>,
    /// The transport's own notes (a sync cursor, a direct room); `None` deletes one. Never made durable before the
    /// events.
    pub notes: BTreeMap<String, Option<String>>,
}

impl From<Event> for Delivery {
    fn from(event: Event) -> Self {
        Delivery { events: vec![event], notes: BTreeMap::new() }
    }
}
