//! The rules of Mecha vs Kaiju 202X, applied to rolled dice. Knows no chat and rolls nothing.
//!
//! Section names are those of the game's dice chapter (Critical Fumble, Scratching a Die, Stress, Minimum Impact).

use plugin_api::{CharacterId, Die};
use serde::{Deserialize, Serialize};

/// The sizes of character dice, in steps from the smallest.
pub const SIZES: [u32; 5] = [4, 6, 8, 10, 12];

/// The purpose of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// To do something: it may be countered, or be a critical success.
    Action,
    /// To counter somebody's action.
    Counter,
}

/// Advantage and Disadvantage; several of one kind count once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// Neither.
    None,
    /// Two d20, the higher is kept.
    Advantage,
    /// Two d20, the lower is kept.
    Disadvantage,
    /// Both, which cancel each other.
    Cancelled,
}

impl Edge {
    /// The edge for what was typed.
    pub fn of(advantage: bool, disadvantage: bool) -> Self {
        match (advantage, disadvantage) {
            (true, false) => Edge::Advantage,
            (false, true) => Edge::Disadvantage,
            (true, true) => Edge::Cancelled,
            (false, false) => Edge::None,
        }
    }

    /// The number of d20s rolled.
    pub fn fortune_dice(self) -> usize {
        match self {
            Edge::Advantage | Edge::Disadvantage => 2,
            Edge::None | Edge::Cancelled => 1,
        }
    }

    /// The kept d20 and the one left out (The Limits of Fortune).
    pub fn keep(self, first: u32, second: u32) -> (u32, u32) {
        match self {
            Edge::Disadvantage => (first.min(second), first.max(second)),
            _ => (first.max(second), first.min(second)),
        }
    }
}

/// The effect of stress on a pool (Stress).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stress {
    /// No stress.
    None,
    /// Stress, but no character die for it to affect.
    NothingToTake,
    /// The largest die steps down; a d4 leaves the pool.
    Reduced {
        /// Its size before.
        from: u32,
        /// Its size after, if it is still there.
        to: Option<u32>,
    },
    /// The largest die is rolled and then removed: its index in the pool.
    Scratched(usize),
}

/// The pool under this many kinds of stress, before the roll. The first of the largest dice steps down if the character
/// is Overwhelmed or Staggered, and is marked to be scratched if both.
pub fn under_stress(pool: &[u32], stressed: usize) -> (Vec<u32>, Stress) {
    let mut pool = pool.to_vec();
    let Some(&largest) = pool.iter().max() else {
        return (pool, if stressed == 0 { Stress::None } else { Stress::NothingToTake });
    };
    let at = pool.iter().position(|sides| *sides == largest).expect("the largest is one of them");
    let stress = match stressed {
        0 => Stress::None,
        1 => {
            let to = SIZES.iter().rev().find(|size| **size < largest).copied();
            match to {
                Some(size) => pool[at] = size,
                None => {
                    pool.remove(at);
                }
            }
            Stress::Reduced { from: largest, to }
        }
        _ => Stress::Scratched(at),
    };
    (pool, stress)
}

/// The use of a critical success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CritUse {
    /// Two more impact.
    Impact,
    /// A point of inspiration.
    Inspire,
}

/// A roll on the table: its dice, and everything decided about it since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roll {
    /// Its purpose.
    pub kind: Kind,
    /// The d20 that counts.
    pub fortune: u32,
    /// The other d20 of Advantage or Disadvantage.
    pub dropped_fortune: Option<u32>,
    /// Advantage, Disadvantage.
    pub edge: Edge,
    /// The character dice, in the order typed.
    pub dice: Vec<Die>,
    /// The effect of stress on them.
    pub stress: Stress,
    /// The index of the die that the player chose to scratch instead of the automatic choice.
    pub scratch: Option<usize>,
    /// The counter total.
    pub counter: Option<i64>,
    /// The character who is to counter it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<CharacterId>,
    /// The use of the critical success.
    pub crit: Option<CritUse>,
    /// The indices of the dice that are scratched because a rule says so (Scratching a Die), besides what stress and a
    /// fumble take.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<usize>,
    /// The points of its impact that are spent.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub spent: u32,
    /// The number of character dice that fell before the second d20, if some fell after it, because they were added
    /// later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_after: Option<usize>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Whether something happened, or will happen under a condition not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whether {
    /// No.
    No,
    /// If the action succeeds (for a critical success), or if it is countered (for a fumble).
    If,
    /// Yes.
    Yes,
}

/// How an action went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The counter is not known.
    Unknown,
    /// The total reaches the counter.
    Success,
    /// It does not.
    Countered,
}

/// The result of a roll.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The two highest remaining dice, or the only one.
    pub parts: Vec<Die>,
    /// Their sum: the action total.
    pub total: u32,
    /// The impact if the action is not countered.
    pub impact: u32,
    /// The usable impact, once it is known.
    pub usable_impact: Option<u32>,
    /// The outcome.
    pub outcome: Outcome,
    /// Whether it is a critical success.
    pub crit: Whether,
    /// Whether it is a critical fumble.
    pub fumble: Whether,
    /// The index of the die that the fumble scratches.
    pub scratched: Option<usize>,
    /// Points of inspiration from the roll.
    pub inspiration: i64,
}

impl Roll {
    /// Indices of the dice that stress and other rules left in.
    pub fn in_play(&self) -> impl Iterator<Item = usize> + '_ {
        let out = if let Stress::Scratched(at) = self.stress { Some(at) } else { None };
        (0..self.dice.len()).filter(move |at| Some(*at) != out && !self.removed.contains(at))
    }

    /// Scratches the lowest die of this size that is still in play, and returns its index.
    pub fn remove_lowest(&mut self, sides: u32) -> Option<usize> {
        let of_size = self.in_play().filter(|at| self.dice[*at].sides == sides);
        let at = of_size.min_by_key(|at| (self.dice[*at].value, *at))?;
        self.removed.push(at);
        Some(at)
    }

    /// Where the second d20 of a new version of this roll falls: behind how many character dice. What fell stays in its
    /// order.
    pub fn second_falls_after(&self) -> Option<usize> {
        self.dropped_fortune.map(|_| self.second_after.unwrap_or(self.dice.len()))
    }

    /// Indices of the dice that a fumble may scratch: those that do not show 1.
    pub fn may_scratch(&self) -> impl Iterator<Item = usize> + '_ {
        self.in_play().filter(|at| self.dice[*at].value != 1)
    }

    /// The automatic choice: the lowest value, then the smaller size, then the first typed. No other choice is ever
    /// better.
    fn automatic_scratch(&self) -> Option<usize> {
        self.may_scratch().min_by_key(|at| (self.dice[*at].value, self.dice[*at].sides, *at))
    }

    /// Computes the result from what is known.
    pub fn judge(&self) -> Judgement {
        let scratched = match self.fortune {
            1 => self.scratch.or_else(|| self.automatic_scratch()),
            _ => None,
        };
        let left: Vec<Die> = self.in_play().filter(|at| Some(*at) != scratched).map(|at| self.dice[at]).collect();

        let mut parts = vec![Die { sides: 20, value: self.fortune }];
        parts.extend(&left);
        parts.sort_by_key(|die| std::cmp::Reverse(die.value));
        parts.truncate(2);
        let total: u32 = parts.iter().map(|die| die.value).sum();

        let outcome = match self.counter {
            None => Outcome::Unknown,
            Some(counter) if i64::from(total) >= counter => Outcome::Success,
            Some(_) => Outcome::Countered,
        };
        let crit = match (self.kind, self.fortune, outcome) {
            (Kind::Action, 20, Outcome::Unknown) => Whether::If,
            (Kind::Action, 20, Outcome::Success) => Whether::Yes,
            _ => Whether::No,
        };
        let fumble = match (self.kind, self.fortune, outcome) {
            (_, 1, _) | (_, 2 | 3, Outcome::Countered) => Whether::Yes,
            (Kind::Action, 2 | 3, Outcome::Unknown) => Whether::If,
            _ => Whether::No,
        };
        let used = self.crit.filter(|_| crit != Whether::No);
        let minimum = u32::from(self.fortune >= 4);
        let dice_impact: u32 = left.iter().map(|die| impact_of(die.value)).sum();
        let impact = minimum + dice_impact + if used == Some(CritUse::Impact) { 2 } else { 0 };
        Judgement {
            parts,
            total,
            impact,
            usable_impact: match outcome {
                Outcome::Unknown => None,
                Outcome::Success => Some(impact),
                Outcome::Countered => Some(minimum),
            },
            outcome,
            crit,
            fumble,
            scratched,
            inspiration: i64::from(fumble == Whether::Yes) + i64::from(used == Some(CritUse::Inspire)),
        }
    }
}

/// The impact of a character die (Impact): two from 10 up, one from 4 up.
fn impact_of(value: u32) -> u32 {
    match value {
        10.. => 2,
        4..=9 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fumbled(dice: &[(u32, u32)], scratch: Option<usize>) -> Roll {
        Roll {
            kind: Kind::Action,
            fortune: 1,
            dropped_fortune: None,
            edge: Edge::None,
            dice: dice.iter().map(|die| Die::from(*die)).collect(),
            stress: Stress::None,
            scratch,
            counter: None,
            against: None,
            crit: None,
            removed: Vec::new(),
            spent: 0,
            second_after: None,
        }
    }

    #[test]
    fn the_automatic_scratch_is_never_worse_than_any_other() {
        let faces = || SIZES.iter().flat_map(|sides| (1..=*sides).map(move |value| (*sides, value)));
        for first in faces() {
            for second in faces() {
                for third in faces().step_by(3) {
                    let roll = fumbled(&[first, second, third], None);
                    let automatic = roll.judge();
                    for choice in roll.may_scratch() {
                        let chosen = fumbled(&[first, second, third], Some(choice)).judge();
                        assert!(automatic.total >= chosen.total && automatic.impact >= chosen.impact);
                    }
                }
            }
        }
    }

    #[test]
    fn stress_takes_the_first_of_the_largest_type() {
        assert_eq!(under_stress(&[8, 12, 12], 1), (vec![8, 10, 12], Stress::Reduced { from: 12, to: Some(10) }));
        assert_eq!(under_stress(&[8, 12, 12], 2), (vec![8, 12, 12], Stress::Scratched(1)));
        assert_eq!(under_stress(&[4], 1), (vec![], Stress::Reduced { from: 4, to: None }));
        assert_eq!(under_stress(&[], 1), (vec![], Stress::NothingToTake));
        assert_eq!(under_stress(&[], 0), (vec![], Stress::None));
    }
}
