//! The scenes of a table: a common one, and one for each room that plays apart while the party is split.

use std::collections::BTreeMap;

/// The scenes that are being played, and which of them a turn is in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenes {
    /// The entry with which the room of this turn began to play apart; `None` in the common scene.
    pub apart: Option<u64>,
    /// The entry that the common scene began with, if there is one.
    pub common: Option<u64>,
    /// The entry that each scene apart began with, by the entry with which its room began to play apart.
    pub others: BTreeMap<u64, u64>,
}

impl Scenes {
    /// The entry that the scene of this turn began with, if there is one.
    pub fn here(&self) -> Option<u64> {
        match self.apart {
            Some(apart) => self.others.get(&apart).copied(),
            None => self.common,
        }
    }

    /// True if the scene that began with this entry is still being played, here or elsewhere.
    pub fn goes_on(&self, began: u64) -> bool {
        self.common == Some(began) || self.others.values().any(|other| *other == began)
    }

    /// True if the room that began to play apart with this entry still does.
    pub fn is_split_off(&self, apart: u64) -> bool {
        self.others.contains_key(&apart)
    }
}
