//! What a running bot is asked for on its socket: a line of JSON in; a line that says how it went, and what was asked for,
//! out.

use crate::order::Order;
use serde::{Deserialize, Serialize};

/// The socket's name in the data directory, which nobody but its owner can enter.
pub const SOCKET: &str = "control";
/// The line in front of what was asked for; another is an error's.
pub const HERE: &str = "here it is";

/// What is asked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// A backup.
    Backup,
    /// A journal.
    Export {
        /// Whose.
        room: String,
        /// Which kind of file.
        kind: Journal,
    },
    /// Something that an operator wants done.
    Order {
        /// What.
        order: Order,
        /// To be told as JSON.
        json: bool,
    },
}

/// A kind of file that a journal is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Journal {
    /// What anybody may know, to be verified.
    Proof,
    /// The same to be read.
    Text,
    /// Everything, to be imported.
    Move,
}
