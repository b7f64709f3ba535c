//! What a table holds.

use crate::rules::Aspect;
use plugin_api::CharacterId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a table holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Players, the Showrunner not counted; 0 before the first Series.
    #[serde(default)]
    pub players: u32,
    /// Personal Dials that are defined.
    #[serde(default)]
    pub dials: u32,
    /// Spotlight Tokens that are left in this Episode.
    #[serde(default)]
    pub pool: u32,
    /// Spotlight Tokens that this Episode began with.
    #[serde(default)]
    pub full: u32,
    /// Whether the Reboot's results are used.
    #[serde(default)]
    pub reboot: bool,
    /// By character; who holds nothing may be missing.
    #[serde(default)]
    pub characters: BTreeMap<CharacterId, Holdings>,
}

/// What a character holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holdings {
    /// What waits for the next Intention or opposed roll.
    #[serde(default)]
    pub pending: Vec<Pending>,
    /// Spotlight Tokens spent on the next Intention, by what they bring into play.
    #[serde(default)]
    pub paid: Vec<Aspect>,
    /// Somebody else decides what the character does.
    #[serde(default)]
    pub ceded: bool,
    /// Personal Dials of this character that are defined.
    #[serde(default)]
    pub dials: u32,
    /// Who left the table by this game's own command, before the table itself knew; kept only as it was stored.
    #[serde(default)]
    pub away: bool,
}

/// A Benefit (above 0) or Obstacle (below 0) that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// Positions on the ladder.
    pub steps: i32,
    /// Where it comes from.
    pub from: String,
}

/// Benefits and Obstacles that wait for one character.
const MOST_PENDING: usize = 20;

impl State {
    pub fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    pub fn held(&self, character: CharacterId) -> Holdings {
        self.characters.get(&character).cloned().unwrap_or_default()
    }

    /// Adds what waits for the next roll of a character; of very many the last ones are counted together.
    pub fn await_next(&mut self, who: CharacterId, steps: i32, from: String) {
        let pending = &mut self.of(who).pending;
        match pending.get_mut(MOST_PENDING - 1) {
            None => pending.push(Pending { steps, from }),
            Some(last) => *last = Pending { steps: last.steps.saturating_add(steps), from: "and others".to_owned() },
        }
    }
}

impl Holdings {
    /// Positions on the ladder that wait, together.
    pub fn waiting(&self) -> i32 {
        self.pending.iter().map(|each| each.steps).sum()
    }
}
