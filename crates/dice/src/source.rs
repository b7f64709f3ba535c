//! Where dice come from: the trait, the budget of one command, and the scripted list of tests.

use crate::limits::MAX_DRAWS;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// One rolled die: `sides` from 1, `value` from 1 to `sides`. Stored as `[sides, value]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct Die {
    /// The number of faces, from 1.
    pub sides: u32,
    /// The face it shows, 1 to `sides`.
    pub value: u32,
}

impl From<(u32, u32)> for Die {
    fn from((sides, value): (u32, u32)) -> Self {
        Die { sides, value }
    }
}

impl From<Die> for (u32, u32) {
    fn from(die: Die) -> Self {
        (die.sides, die.value)
    }
}

impl std::fmt::Display for Die {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "d{}={}", self.sides, self.value)
    }
}

/// A source of dice. Rolling may fail, because every source has a limit.
pub trait Dice {
    /// Rolls one die of `sides` faces and returns the face, 1 to `sides`.
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError>;

    /// Rolls so many dice of `sides` faces, whose order means nothing to whoever asks for them.
    fn throw_pool(&mut self, count: usize, sides: u32) -> Result<Vec<u32>, DiceError> {
        (0..count).map(|_| self.throw(sides)).collect()
    }
}

impl<D: Dice + ?Sized> Dice for Box<D> {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        (**self).throw(sides)
    }

    fn throw_pool(&mut self, count: usize, sides: u32) -> Result<Vec<u32>, DiceError> {
        (**self).throw_pool(count, sides)
    }
}

/// Why a die could not be rolled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DiceError {
    /// The command has used up its draws.
    #[error("that takes more than {MAX_DRAWS} dice, explosions and rerolls included")]
    TooMany,
    /// A die without faces.
    #[error("a die needs at least one side")]
    NoSides,
    /// An edited command asked for a different die than the one rolled before its edit.
    #[error("a d{asked} was asked for where {fell} fell before")]
    OtherFell {
        /// Sides of the die asked for.
        asked: u32,
        /// The die rolled before.
        fell: Die,
    },
    /// The script had a different die next, or none (tests only).
    #[error("the script has {listed} where a d{asked} is thrown")]
    Script {
        /// Sides of the die asked for.
        asked: u32,
        /// What the script had instead.
        listed: String,
    },
}

/// Lends the dice of `source` to one command: at most [`MAX_DRAWS`], each recorded in order.
pub struct Budget<'a> {
    source: &'a mut dyn Dice,
    thrown: Vec<Die>,
    fell: &'a [Die],
    strayed: bool,
}

impl<'a> Budget<'a> {
    /// A full budget over `source`.
    pub fn new(source: &'a mut dyn Dice) -> Self {
        Budget::after(source, &[])
    }

    /// A full budget over `source` for a command whose earlier version rolled `fell`. Until all of these are used, only
    /// the same kinds of dice can be rolled, in the same order, so an edit learns nothing new.
    pub fn after(source: &'a mut dyn Dice, fell: &'a [Die]) -> Self {
        Budget { source, thrown: Vec::new(), fell, strayed: false }
    }

    /// True if a different die was asked for than the one rolled before.
    pub fn strayed(&self) -> bool {
        self.strayed
    }

    /// Ends the command and returns its dice, in order.
    pub fn into_thrown(self) -> Vec<Die> {
        self.thrown
    }
}

impl Dice for Budget<'_> {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        if self.thrown.len() >= MAX_DRAWS {
            return Err(DiceError::TooMany);
        }
        if let Some(fell) = self.fell.get(self.thrown.len()).copied().filter(|fell| fell.sides != sides) {
            self.strayed = true;
            return Err(DiceError::OtherFell { asked: sides, fell });
        }
        let value = self.source.throw(sides)?;
        self.thrown.push(Die { sides, value });
        Ok(value)
    }
}

/// A fixed list of dice whose sides are asserted: the dice of tests and session files.
#[derive(Clone, Debug, Default)]
pub struct Scripted(VecDeque<Die>);

impl Scripted {
    /// A script of `(sides, value)` in the order they will be rolled.
    pub fn new(dice: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Scripted(dice.into_iter().map(Die::from).collect())
    }

    /// The dice in the script not rolled yet.
    pub fn left(&self) -> impl Iterator<Item = &Die> {
        self.0.iter()
    }
}

impl Dice for Scripted {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        match self.0.front().copied() {
            Some(die) if die.sides == sides => {
                self.0.pop_front();
                Ok(die.value)
            }
            other => {
                let listed = other.map_or_else(|| "no die left".to_owned(), |die| die.to_string());
                Err(DiceError::Script { asked: sides, listed })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_and_says_so() {
        struct Ones;
        impl Dice for Ones {
            fn throw(&mut self, _: u32) -> Result<u32, DiceError> {
                Ok(1)
            }
        }
        let mut ones = Ones;
        let mut budget = Budget::new(&mut ones);
        for _ in 0..MAX_DRAWS {
            budget.throw(6).unwrap();
        }
        assert_eq!(budget.throw(6), Err(DiceError::TooMany));
        assert_eq!(budget.into_thrown().len(), MAX_DRAWS);
    }

    #[test]
    fn what_fell_before_an_edit_is_thrown_first() {
        let fell = [Die { sides: 20, value: 7 }];
        let mut script = Scripted::new([(20, 7), (6, 3)]);
        let mut budget = Budget::after(&mut script, &fell);
        assert_eq!(budget.throw(6), Err(DiceError::OtherFell { asked: 6, fell: fell[0] }));
        assert_eq!((budget.throw(20), budget.throw(6)), (Ok(7), Ok(3)));
    }

    #[test]
    fn a_script_with_other_sides_is_an_error_and_keeps_its_die() {
        let mut script = Scripted::new([(20, 7)]);
        assert!(script.throw(6).is_err());
        assert_eq!(script.throw(20), Ok(7));
        assert!(script.throw(20).unwrap_err().to_string().contains("no die left"));
    }

    #[test]
    fn a_die_is_stored_as_a_pair() {
        let die = Die { sides: 20, value: 7 };
        assert_eq!(format!("{die}"), "d20=7");
    }
}
