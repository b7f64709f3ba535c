//! The dice of a command, by what they were thrown for. A line that is edited gets the dice that fell for its first version,
//! each for the same name as then: so a hunger die stays one, whatever was typed in front of it.

use plugin_api::{Die, Refusal, Turn};
use std::collections::{BTreeMap, VecDeque};

/// What was thrown, in its order: for which name, how many dice, and with how many sides.
pub type Fell = Vec<(String, usize, u32)>;

/// The dice of a command.
#[derive(Debug, Default)]
pub struct Thrown {
    /// What is thrown for now.
    name: String,
    /// Whether the line has earlier versions, and what they threw.
    edited: bool,
    before: Fell,
    /// Those of the first version that are not used yet.
    waiting: BTreeMap<String, VecDeque<Die>>,
    /// What was thrown.
    fell: Fell,
    /// Whether dice of the earlier versions lie aside, and whether others were thrown.
    aside: bool,
    more: bool,
}

impl Thrown {
    /// Those of a line whose earlier versions threw these.
    pub fn after(before: Fell) -> Self {
        Thrown { edited: !before.is_empty(), before, ..Thrown::default() }
    }

    /// What follows is thrown for this name.
    pub fn is_for(&mut self, name: &str) {
        // Nothing more is thrown for the name before.
        self.aside |= self.name != name && self.waiting.get(&self.name).is_some_and(|dice| !dice.is_empty());
        name.clone_into(&mut self.name);
    }

    /// Throws dice for the name.
    ///
    /// # Errors
    /// There are too many, or those of the first version were others.
    pub fn throw(&mut self, turn: &mut Turn<'_>, count: usize, sides: u32) -> Result<Vec<Die>, Refusal> {
        // All that fell before falls again at first, in the same order: so nothing can be learned by editing.
        for (name, count, sides) in std::mem::take(&mut self.before) {
            let dice = turn.throw_alike(count, sides)?;
            self.fell.push((name.clone(), count, sides));
            self.waiting.entry(name).or_default().extend(dice);
        }
        let waiting = self.waiting.entry(self.name.clone()).or_default();
        if let Some(other) = waiting.front().filter(|die| die.sides != sides) {
            return Err(Refusal::new(format!(
                "for {} a d{} fell, and this would be a d{sides}",
                self.name, other.sides
            )));
        }
        let mut dice: Vec<Die> = waiting.drain(..count.min(waiting.len())).collect();
        let more = count - dice.len();
        if more > 0 {
            self.more |= self.edited;
            if self.aside {
                return self.lays_none_aside().map(|()| dice);
            }
            self.fell.push((self.name.clone(), more, sides));
            dice.extend(turn.throw_alike(more, sides)?);
        }
        Ok(dice)
    }

    /// Refuses an edit that lays dice aside and throws others: else the best of them could be chosen.
    ///
    /// # Errors
    /// It would.
    pub fn lays_none_aside(&self) -> Result<(), Refusal> {
        let aside = self.waiting.values().any(|dice| !dice.is_empty());
        match aside && self.more {
            true => {
                Err(Refusal::new("an edit keeps the dice that fell, and this one would throw others in their place"))
            }
            false => Ok(()),
        }
    }

    /// What was thrown, for a later version of the line.
    pub fn fell(self) -> Fell {
        self.fell
    }
}
