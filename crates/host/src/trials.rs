//! The results of playing a game's command with all possible rolls, added up.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The results of all possible rolls, added up.
#[derive(Debug)]
pub struct Trials {
    /// The chance of everything left out.
    pub left: f64,
    /// True if dice were rolled.
    pub thrown: bool,
    /// The number of rolls played.
    pub played: u32,
    /// The number of rolls begun, also of those that were cut off.
    pub begun: u32,
    /// The chance of everything played, and of success, as long as every answer states it.
    all: f64,
    good: Option<f64>,
    /// The chance of each total, as long as every answer states one.
    totals: Option<BTreeMap<i64, f64>>,
    /// The chance of each outcome word.
    outcomes: BTreeMap<String, f64>,
}

/// The fact that states whether a roll is a success.
pub const SUCCESS: &str = "success";
/// The fact that states its total, a whole number.
const TOTAL: &str = "total";
/// The fact that states its outcome, a word.
pub const OUTCOME: &str = "outcome";

impl Trials {
    /// Nothing was played yet.
    pub fn none() -> Self {
        let (good, totals) = (Some(0.0), Some(BTreeMap::new()));
        Trials { left: 0.0, thrown: false, played: 0, begun: 0, all: 0.0, good, totals, outcomes: BTreeMap::new() }
    }

    /// Counts an answer's facts with this chance, 0 to 1.
    pub fn count(&mut self, facts: &Map<String, Value>, chance: f64) {
        self.played += 1;
        self.all += chance;
        let success = facts.get(SUCCESS).and_then(Value::as_bool);
        self.good = self.good.zip(success).map(|(good, success)| if success { good + chance } else { good });
        match (facts.get(TOTAL).and_then(Value::as_i64), &mut self.totals) {
            (Some(total), Some(totals)) => *totals.entry(total).or_default() += chance,
            _ => self.totals = None,
        }
        if let Some(word) = facts.get(OUTCOME).and_then(Value::as_str) {
            match self.outcomes.get_mut(word) {
                Some(known) => *known += chance,
                None => drop(self.outcomes.insert(word.to_owned(), chance)),
            }
        }
    }

    /// The chance of success among what was not left out; `None` if the answers do not state it.
    pub fn success(&self) -> Option<f64> {
        self.good.filter(|_| self.all > 0.0).map(|good| good / self.all)
    }

    /// The chance of any outcome but this one among what was not left out; `None` if the answers state none.
    pub fn other_than(&self, outcome: &str) -> Option<f64> {
        let stated: f64 = self.outcomes.values().sum();
        let same = self.outcomes.get(outcome).copied().unwrap_or_default();
        (stated > 0.0).then(|| (1.0 - same / stated).max(0.0))
    }

    /// The totals from the lowest to the highest, each with its chance.
    pub fn totals(&self) -> Option<Vec<(i64, f64)>> {
        self.totals.as_ref().map(|totals| totals.iter().map(|(total, chance)| (*total, *chance)).collect())
    }

    /// The outcome words, the likeliest first; empty if the answers have none.
    pub fn outcomes(&self) -> Vec<(String, f64)> {
        let mut words: Vec<_> = self.outcomes.iter().map(|(word, chance)| (word.clone(), *chance)).collect();
        words.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        words
    }
}
