//! The result of a command, before it is written.

use crate::state::GameState;
use chat::{Moment, Reply};
use journal::{Changes, HOUSE};
use plugin_api::{CharacterId, Closed, CommandSpec, Seen, Target};
use serde_json::Value;

/// The result of a command, before it is written.
pub struct Done<'a> {
    /// The id of the plugin, or of the table itself.
    pub game: &'a str,
    /// The command.
    pub spec: &'a CommandSpec,
    /// The answer.
    pub reply: Reply,
    /// What was said with it.
    pub comment: Option<String>,
    /// What it changed.
    pub changes: Changes,
    /// The game's new state and its JSON, if it changed.
    pub state: Option<(GameState, Vec<u8>)>,
    /// The roll it followed up on, and its new record if that changed.
    pub followed: Option<(Target<Value>, Option<Value>)>,
    /// Offers that are no longer open.
    pub closed: Vec<Closed>,
    /// If its dice were rolled but it had no effect: the reason.
    pub nothing: Option<String>,
    /// What begins with it, and whose, that people leave orders for.
    pub begins: Vec<(Moment, Option<CharacterId>)>,
    /// Who may see the value that it is measured against.
    pub measured: Seen,
}

impl<'a> Done<'a> {
    /// The result of one of the table's own commands that only answered.
    pub fn looked(spec: &'a CommandSpec, reply: Reply) -> Self {
        Done {
            game: HOUSE,
            spec,
            reply,
            comment: None,
            changes: Changes::default(),
            state: None,
            followed: None,
            closed: Vec::new(),
            nothing: None,
            begins: Vec::new(),
            measured: Seen::EVERYBODY,
        }
    }
}
