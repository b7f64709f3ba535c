//! A check as it is followed up on.

use crate::rules::{Check, Kind, Stones};
use plugin_api::CharacterId;
use serde::{Deserialize, Serialize};

/// A check as it is followed up on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The check.
    pub check: Check,
    /// Who is to answer it.
    pub against: Option<CharacterId>,
    /// The other side, once it is known.
    pub opponent: Option<Check>,
    /// The encounter it was made in, by its number.
    pub encounter: Option<u32>,
    /// Turns that had begun when it was made.
    pub turn: u32,
    /// The stones that were put into the Fate Pool for it.
    pub earned: Stones,
    /// The stone of a critical outside an encounter, until it is used.
    pub loose: Option<Kind>,
    /// That stone was used.
    #[serde(default)]
    pub loose_used: bool,
}
