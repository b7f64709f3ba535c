//! Which commands play an earlier entry again in other words.

use crate::shared::Host;
use journal::documents::RoomDoc;

/// Says the entry again, in other words.
pub const AMEND: &str = "amend";
/// Adds words to it.
pub const ADD: &str = "add";
/// Adds one word to it, which is the command itself.
const ADDED: [&str; 2] = ["adv", "dis"];

/// True if a line that begins with this word amends an entry.
pub fn amends(host: &Host, room: &RoomDoc, word: &str) -> bool {
    [AMEND, ADD].contains(&word) || (ADDED.contains(&word) && host.plugins.knowing(word, room).is_empty())
}
