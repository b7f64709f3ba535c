//! The record of a check, for follow-ups.

use crate::rules::{Check, Kind, Stones};
use plugin_api::CharacterId;
use serde::{Deserialize, Serialize};

/// The record of a check, for follow-ups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The check.
    pub check: Check,
    /// The character who is to answer it.
    pub against: Option<CharacterId>,
    /// The other side's check, once it is known.
    pub opponent: Option<Check>,
    /// The number of the encounter it was made in.
    pub encounter: Option<u32>,
    /// The number of turns begun before it.
    pub turn: u32,
    /// The stones it put into the Fate Pool.
    pub earned: Stones,
    /// The stone of a critical outside an encounter, until it is used.
    pub loose: Option<Kind>,
    /// True if that stone was used.
    #[serde(default)]
    pub loose_used: bool,
}
