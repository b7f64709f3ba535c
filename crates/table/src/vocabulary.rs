//! Every word that says something at a table. It is built once for all guesses at a message, because there are many of both.
//! How it is built is the business of those who guess.

use journal::documents::{RoomDoc, TableDoc};
use plugin_api::CharacterId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Every word that says something in a room, to somebody who acts for a character.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    /// The documents and the character that it was built for. Holding the documents here keeps their addresses unique.
    pub of: (Arc<RoomDoc>, Arc<TableDoc>, CharacterId),
    /// In lower case.
    pub known: BTreeSet<String>,
    /// The consonants of each.
    pub consonants: BTreeMap<String, String>,
    /// Words that were looked for, and what each is a slip of.
    pub corrected: RefCell<BTreeMap<String, Option<String>>>,
}
