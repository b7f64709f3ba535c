//! How a network is, as a transport reports it to the operator.

use jiff::Timestamp;
use serde::Serialize;

/// The state of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// True if the bot hears what is said there.
    pub connected: bool,
    /// The bot's name there: a nick, a user id.
    pub me: String,
    /// When something was last heard from the network.
    pub heard: Option<Timestamp>,
    /// The rooms it is in.
    pub rooms: Vec<RoomStatus>,
    /// The rooms that it should be in and that do not let it in.
    pub awaited: Vec<AwaitedRoom>,
    /// Why it is not connected, if that is known.
    pub trouble: Option<String>,
    /// When it tries again, if it waits.
    pub again: Option<Timestamp>,
}

/// A room that the bot is in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoomStatus {
    /// Its id on the network.
    pub id: String,
    /// What people call it, if that differs from the id.
    pub name: Option<String>,
    /// The number of people in it besides the bot.
    pub others: u64,
    /// True if the configuration wants the bot there.
    pub configured: bool,
    /// Why the bot cannot speak there, if it cannot.
    pub mute: Option<String>,
}

/// A room that the bot should be in and is not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AwaitedRoom {
    /// Its id on the network, or its address.
    pub id: String,
    /// True if the configuration wants the bot there; else somebody invited it.
    pub configured: bool,
    /// Why the bot is not in it, and what helps.
    pub why: String,
    /// When it tries again by itself, if it does.
    pub again: Option<Timestamp>,
}
