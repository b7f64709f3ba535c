//! What a command did, before it is written down.

use crate::state::GameState;
use chat::Reply;
use journal::{Changes, HOUSE};
use plugin_api::{Closed, CommandSpec, Target};
use serde_json::Value;

/// What a command did, before it is written down.
pub(crate) struct Done<'a> {
    pub game: &'a str,
    pub spec: &'a CommandSpec,
    pub reply: Reply,
    pub comment: Option<String>,
    pub changes: Changes,
    /// What the table holds of the game, if it changed, and its JSON.
    pub state: Option<(GameState, Vec<u8>)>,
    /// The roll it followed up on, with its record replaced if it was.
    pub followed: Option<(Target<Value>, Option<Value>)>,
    /// Offers that are open no longer.
    pub closed: Vec<Closed>,
    /// Its dice fell, and nothing came of it, for this reason.
    pub nothing: Option<String>,
}

impl<'a> Done<'a> {
    /// One of the table's own commands answered this, and did nothing.
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
        }
    }
}
