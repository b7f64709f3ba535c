//! What comes in from a network.

use crate::{Block, PlayerId, Recipient, RoomId, Speaker, Trust};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something somebody said in a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Unique among the room's messages, for ever: an event id, a msgid, or a connection's nonce and a line number.
    pub id: String,
    /// Where it is played: where it was said, unless it was said [`aside`](Self::aside).
    pub room: RoomId,
    /// The private chat it was said in, if it was said there for another room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aside: Option<RoomId>,
    /// Who.
    pub speaker: Speaker,
    /// When it was sent, by the network's clock: it is shown, and nothing is limited or erased by it.
    pub sent: Timestamp,
    /// When the bot heard it, by its own clock. The core fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Timestamp>,
    /// The text, as sent; may have several lines.
    pub body: String,
    /// The id of the bot's answer that this one replies to.
    pub reply_to: Option<String>,
    /// Only the speaker and the bot are in the room, so that no prefix is needed.
    pub private: bool,
    /// Whoever said it is not in the room any more, as far as the network tells.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub absent: bool,
    /// The bot was mentioned in the network's own way (a pill), and the mention is cut off the body.
    pub addressed: bool,
    /// It was sent while the bot was away: answered in order and labelled, and no rate limit counts it.
    pub late: bool,
    /// No rate limit counts it.
    pub unlimited: bool,
    /// The network may hand it on once more under the same id, so that what became of it must be kept.
    #[serde(default)]
    pub comes_again: bool,
}

impl Message {
    /// A line said to everybody in a room, on time.
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
            comes_again: false,
        }
    }

    /// When the bot heard it, by its own clock; when it was sent, where nobody asked the clock.
    pub fn heard_at(&self) -> Timestamp {
        self.heard.unwrap_or(self.sent)
    }

    /// Where it was said.
    pub fn said_in(&self) -> &RoomId {
        self.aside.as_ref().unwrap_or(&self.room)
    }
}

/// Something that happened in a room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Event {
    /// Somebody said something.
    Said(Message),
    /// Somebody replaced what they had said: the new text under its own id, and the id of the first version.
    Edited {
        /// The new version.
        message: Message,
        /// The id of the message it replaces.
        original: String,
    },
    /// Somebody answered a message with a sign.
    Reacted {
        /// Who, where and when, under the id of the reaction; without words.
        message: Message,
        /// The id of the message it stands at.
        to: String,
        /// The sign, such as 👍 or 1️⃣.
        sign: String,
    },
    /// Somebody took back what was said, so that nobody reads it any more.
    Redacted {
        /// Who, where and when, under the id of the redaction; without words.
        message: Message,
        /// The id of the message that is gone.
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
        /// How sure it is that they are who they say.
        trust: Trust,
    },
    /// What people call the room, besides its id.
    Called {
        /// Which room.
        room: RoomId,
        /// Its names: all that it has now.
        names: Vec<String>,
    },
    /// Somebody left the room.
    Gone {
        /// Which room.
        room: RoomId,
        /// Who.
        player: PlayerId,
    },
    /// Somebody in the room is known under another id from now on: what they hold goes with them.
    Renamed {
        /// Unique as a message's id.
        id: String,
        /// Which room.
        room: RoomId,
        /// Who they were.
        from: PlayerId,
        /// How sure it was that they were.
        trust: Trust,
        /// Who they are now.
        speaker: Speaker,
        /// When.
        sent: Timestamp,
    },
    /// The bot says something there that does not fit, where answers must be short: what is left, for who asks for more.
    Rest {
        /// Which room.
        room: RoomId,
        /// Who reads it.
        to: Recipient,
        /// It.
        blocks: Vec<Block>,
    },
    /// A room was replaced by another: what its table holds goes along.
    Moved {
        /// The room as it was.
        from: RoomId,
        /// The room that replaces it.
        to: RoomId,
    },
    /// The bot came into the room.
    Arrived {
        /// Which room.
        room: RoomId,
    },
    /// The bot is not in the room any more: who is, nobody tells it.
    Left {
        /// Which room.
        room: RoomId,
    },
}

impl Event {
    /// The message that it is, if it is one.
    pub fn message(&self) -> Option<&Message> {
        match self {
            Event::Said(message)
            | Event::Edited { message, .. }
            | Event::Reacted { message, .. }
            | Event::Redacted { message, .. } => Some(message),
            _ => None,
        }
    }

    /// The same, to be changed.
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
            | Event::Rest { room, .. }
            | Event::Moved { from: room, .. }
            | Event::Arrived { room }
            | Event::Left { room } => room,
        }
    }
}

/// What a transport hands to the core at once: events in their order, and what it wants kept with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delivery {
    /// In the order of the network.
    pub events: Vec<Event>,
    /// The transport's own notes (a sync cursor, a direct room); `None` forgets one. Never durable before the events.
    pub notes: BTreeMap<String, Option<String>>,
}

impl From<Event> for Delivery {
    fn from(event: Event) -> Self {
        Delivery { events: vec![event], notes: BTreeMap::new() }
    }
}
