//! The state of a table.

use crate::rules::Aspect;
use plugin_api::CharacterId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The number of players, not counting the Showrunner; 0 before the first Series.
    #[serde(default)]
    pub players: u32,
    /// The number of Personal Dials defined.
    #[serde(default)]
    pub dials: u32,
    /// Spotlight Tokens left in this Episode.
    #[serde(default)]
    pub pool: u32,
    /// Spotlight Tokens at the start of this Episode.
    #[serde(default)]
    pub full: u32,
    /// True if the Reboot's results are used.
    #[serde(default)]
    pub reboot: bool,
    /// By character; a character without anything may be missing.
    #[serde(default)]
    pub characters: BTreeMap<CharacterId, Holdings>,
}

/// The state of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holdings {
    /// Benefits and obstacles waiting for the next Intention or opposed roll.
    #[serde(default)]
    pub pending: Vec<Pending>,
    /// Spotlight Tokens spent on the next Intention, by the aspect they bring into play.
    #[serde(default)]
    pub paid: Vec<Aspect>,
    /// True while somebody else decides what the character does.
    #[serde(default)]
    pub ceded: bool,
    /// The number of Personal Dials defined for this character.
    #[serde(default)]
    pub dials: u32,
    /// True if they left the table with this game's own command, from before the table had one; kept only as stored.
    #[serde(default)]
    pub away: bool,
}

/// A waiting Benefit (above 0) or Obstacle (below 0).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// Positions on the ladder.
    pub steps: i32,
    /// Its source.
    pub from: String,
}

/// The most Benefits and Obstacles waiting for one character.
const MOST_PENDING: usize = 20;

impl State {
    pub fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    pub fn held(&self, character: CharacterId) -> Holdings {
        self.characters.get(&character).cloned().unwrap_or_default()
    }

    /// Adds a Benefit or Obstacle for a character's next roll. If there are very many, the last ones are merged.
    pub fn await_next(&mut self, who: CharacterId, steps: i32, from: String) {
        let pending = &mut self.of(who).pending;
        match pending.get_mut(MOST_PENDING - 1) {
            None => pending.push(Pending { steps, from }),
            Some(last) => *last = Pending { steps: last.steps.saturating_add(steps), from: "and others".to_owned() },
        }
    }
}

impl Holdings {
    /// The sum of the waiting positions on the ladder.
    pub fn waiting(&self) -> i32 {
        self.pending.iter().map(|each| each.steps).sum()
    }
}
