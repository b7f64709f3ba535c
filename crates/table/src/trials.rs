//! What comes of playing a game's command with all that could be thrown, added up.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What came of playing all that could be thrown, added up.
#[derive(Debug)]
pub(crate) struct Trials {
    /// The chance of what was left out.
    pub left: f64,
    /// Dice were thrown.
    pub thrown: bool,
    /// How many throws were played.
    pub played: u32,
    /// The chance of all that was played, and of what succeeded, as long as every answer tells.
    all: f64,
    good: Option<f64>,
    /// The chance of each total, as long as every answer has one.
    totals: Option<BTreeMap<i64, f64>>,
    /// The chance of each word for how it ends.
    outcomes: BTreeMap<String, f64>,
}

/// What an answer states that says how a roll ended: true or false, a whole number, a word.
pub(crate) const SUCCESS: &str = "success";
const TOTAL: &str = "total";
const OUTCOME: &str = "outcome";

impl Trials {
    /// Nothing was played yet.
    pub fn none() -> Self {
        let (good, totals) = (Some(0.0), Some(BTreeMap::new()));
        Trials { left: 0.0, thrown: false, played: 0, all: 0.0, good, totals, outcomes: BTreeMap::new() }
    }

    /// Takes note of what an answer states that comes with this chance, 0 to 1.
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

    /// The chance that it succeeds, of what was not left out; nothing where the answers do not tell.
    pub fn success(&self) -> Option<f64> {
        self.good.filter(|_| self.all > 0.0).map(|good| good / self.all)
    }

    /// What it comes to, from the lowest to the highest, each with its chance.
    pub fn totals(&self) -> Option<Vec<(i64, f64)>> {
        self.totals.as_ref().map(|totals| totals.iter().map(|(total, chance)| (*total, *chance)).collect())
    }

    /// The words for how it ends, the likeliest first; none where the answers have none.
    pub fn outcomes(&self) -> Vec<(String, f64)> {
        let mut words: Vec<_> = self.outcomes.iter().map(|(word, chance)| (word.clone(), *chance)).collect();
        words.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        words
    }
}
