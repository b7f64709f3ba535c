//! Requests to a running bot on its socket: a line of JSON in; out comes a line with the result, then whatever was
//! requested.

use crate::order::Order;
use serde::{Deserialize, Serialize};

/// The socket's name in the data directory, which only its owner can enter.
pub const SOCKET: &str = "control";
/// The line before what was requested; any other line is an error.
pub const HERE: &str = "here it is";

/// A request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// A backup.
    Backup,
    /// A journal.
    Export {
        /// The room.
        room: String,
        /// The kind of file.
        kind: Journal,
    },
    /// An operator's order.
    Order {
        /// The order.
        order: Order,
        /// True for an answer in JSON.
        json: bool,
        /// True for an answer in columns, where there is one.
        #[serde(default)]
        columns: bool,
    },
    /// The tables.
    Tables,
    /// A verification of the bot on a network, as a conversation in [`Turn`]s.
    Verify {
        /// The network.
        network: String,
    },
}

/// What the bot says in a conversation, a line of JSON each. A question is answered with a line, `y` or `n`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// Something to show.
    Show(String),
    /// A question.
    Ask(String),
    /// The end: whether it went well, or why it cannot go on.
    End(Result<bool, String>),
}

/// The kind of file for a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Journal {
    /// What anyone may know, for verifying.
    Proof,
    /// The same, for reading.
    Text,
    /// What happened, as Markdown.
    Story,
    /// The same as a page for a browser.
    Page,
    /// Everything, for importing.
    Move,
}
