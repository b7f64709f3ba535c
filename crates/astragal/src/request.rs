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
    },
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
