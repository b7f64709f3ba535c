//! The turn order of each scene: of the common one, and of those that are played apart while the party is split.

use crate::State;
use crate::cards::RoundCards;
use crate::conditions::Conditions;
use crate::order::Order;
use plugin_api::{CharacterId, Scenes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most orders kept. Those of scenes that are over stay until there are more, because undo may bring the scene back.
const MOST: usize = 16;

/// The turn order of a scene apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Paced {
    #[serde(default)]
    order: Order,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cards: Option<RoundCards>,
}

/// What a turn finds in its scene.
pub(crate) struct Here<'a> {
    pub order: &'a mut Order,
    pub cards: &'a mut Option<RoundCards>,
    conditions: &'a mut Conditions,
    /// The entry with which the room began to play apart; `None` in the common scene.
    apart: Option<u64>,
    /// The rounds in which scenes apart ended.
    ended: BTreeMap<u64, u32>,
}

impl Here<'_> {
    /// Ends the conditions that end when the turn begins that begins now. Paced that were still to come in a scene that is
    /// over count here from now on.
    pub fn pass(&mut self) -> Vec<(CharacterId, String)> {
        let (round, turn) = (self.order.round(), self.order.current());
        let ended = self.conditions.pass(self.apart, round, turn);
        if self.apart.is_none() {
            self.conditions.go_on(&self.ended, round, turn);
        }
        ended
    }
}

impl State {
    /// What a turn finds in its scene.
    pub fn here(&mut self, scenes: &Scenes) -> Here<'_> {
        let over = self.apart.iter().filter(|(apart, _)| !scenes.is_split_off(**apart));
        let ended = over.map(|(apart, each)| (*apart, each.order.round())).collect();
        let State { order, cards, conditions, apart, .. } = self;
        let (order, cards) = match scenes.apart {
            None => (order, cards),
            Some(from) => {
                let Paced { order, cards } = apart.entry(from).or_default();
                (order, cards)
            }
        };
        Here { order, cards, conditions, apart: scenes.apart, ended }
    }

    /// The turn order of the scene that began to be played apart with this entry, or of the common one.
    pub fn order(&self, apart: Option<u64>) -> Option<&Order> {
        match apart {
            None => Some(&self.order),
            Some(from) => self.apart.get(&from).map(|each| &each.order),
        }
    }

    /// The round of that scene; 0 before the first.
    pub fn round(&self, apart: Option<u64>) -> u32 {
        self.order(apart).map_or(0, Order::round)
    }

    /// Drops the orders that are empty, and the oldest of scenes that are over if there are many.
    pub fn tidy(&mut self, scenes: &Scenes) {
        self.apart.retain(|_, each| *each != Paced::default());
        while self.apart.len() > MOST
            && let Some(oldest) = self.apart.keys().find(|apart| !scenes.is_split_off(**apart)).copied()
        {
            self.apart.remove(&oldest);
        }
    }
}
