//! The rules of Shattered Spheres, applied to rolled dice. Knows no chat and rolls nothing.
//!
//! Section names are those of the rules page (Advantage and Disadvantage, Checks, Luck, Fate).

use plugin_api::{Choice, Die};
use serde::{Deserialize, Serialize};

/// The most degrees of success or failure.
const MOST_DEGREES: i64 = 5;
/// The value of the d20 in a routine or passive check.
const ROUTINE: u32 = 10;

/// The two kinds of Destiny dice and of Fate stones.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Good for the heroes.
    #[choice("triumph", "triumphs")]
    Triumph,
    /// Bad for the heroes.
    #[choice("tragedy", "tragedies")]
    Tragedy,
}

impl Kind {
    /// As shown.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Triumph => "Triumph",
            Kind::Tragedy => "Tragedy",
        }
    }

    /// As typed and stated.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Triumph => "triumph",
            Kind::Tragedy => "tragedy",
        }
    }
}

/// The side a check is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The players' characters.
    Hero,
    /// The opposition.
    Foe,
}

impl Side {
    /// The kind of stones this side uses, and earns by luck.
    pub fn kind(self) -> Kind {
        match self {
            Side::Hero => Kind::Triumph,
            Side::Foe => Kind::Tragedy,
        }
    }
}

/// The purpose of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// A skill.
    Skill,
    /// An attack: a 20 always hits, a 1 always misses.
    Attack,
    /// Resistance: the same.
    Resist,
}

/// The mode of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// With a d20.
    Roll,
    /// Without pressure: the d20 counts as 10.
    Routine,
    /// Unaware or as a defense: the d20 counts as 10.
    Passive,
    /// By sheer luck: Fortune and Misfortune are added and subtracted.
    Luck,
}

/// The highest usable rank at each Tier, from Tier 1.
const HIGHEST_RANK: [i64; 5] = [5, 9, 12, 14, 15];

/// The rank of Advantage or Disadvantage that counts at a Tier.
pub fn usable_rank(rank: i64, tier: u32) -> i64 {
    rank.clamp(0, HIGHEST_RANK[(tier.clamp(1, 5) - 1) as usize])
}

/// The sizes of the dice for a rank, the largest first: up to d12, then with each Tier another die, up to one step
/// below the previous one.
pub fn rank_dice(rank: i64, tier: u32) -> Vec<u32> {
    let mut left = usable_rank(rank, tier);
    let mut dice = Vec::new();
    let mut steps = 5;
    while left > 0 {
        let filled = left.min(steps);
        dice.push(2 + 2 * u32::try_from(filled).expect("at most five steps"));
        left -= filled;
        steps -= 1;
    }
    dice
}

/// A difficulty class from the level of the obstacle.
pub fn difficulty_class(level: i64, times: i64, base: i64) -> i64 {
    level * times + base
}

/// The die that a check uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The d20, or the 10 of a routine check.
    Normal,
    /// The Fortune die.
    Fortune,
    /// The Misfortune die.
    Misfortune,
}

/// Whether a check is critical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Critical {
    /// No.
    No,
    /// The die used shows 20 and counts 20.
    Success,
    /// The die used shows 1 and counts 1.
    Failure,
}

/// A check on the table: its dice and ranks, and what was bought since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// The flat skill rank.
    pub skill: i64,
    /// Ranks of Advantage, all sources together.
    pub advantage: i64,
    /// Ranks of Disadvantage, all sources together.
    pub disadvantage: i64,
    /// The Tier that turns ranks into dice.
    pub tier: u32,
    /// Its purpose.
    pub purpose: Purpose,
    /// Its side.
    pub side: Side,
    /// Its mode.
    pub mode: Mode,
    /// The d20; `None` in a routine or passive check.
    pub d20: Option<u32>,
    /// The Fortune die, as rolled.
    pub fortune: Option<u32>,
    /// The Misfortune die, as rolled.
    pub misfortune: Option<u32>,
    /// The Advantage dice.
    pub advantage_dice: Vec<Die>,
    /// The Disadvantage dice.
    pub disadvantage_dice: Vec<Die>,
    /// The bonus bought for the total.
    pub bonus: i64,
    /// Degrees of success bought.
    pub degrees: i64,
    /// The difficulty class.
    pub dc: Option<i64>,
    /// The d20 in the difficulty class, if it was rolled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dc_die: Option<u32>,
    /// The ranks that Surges keep out of it.
    #[serde(default, skip_serializing_if = "Negated::is_nothing")]
    pub negated: Negated,
}

/// Ranks that Surges keep out of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Negated {
    /// Of Advantage, by an opponent's Surge.
    pub advantage: i64,
    /// Of Disadvantage, by the character's own Surge.
    pub disadvantage: i64,
}

impl Negated {
    /// True if there are none.
    pub fn is_nothing(&self) -> bool {
        *self == Negated::default()
    }
}

/// The value of a Fortune die (Luck).
pub fn fortune_counts(shows: u32) -> u32 {
    if shows <= 10 { shows + 10 } else { shows }
}

/// The value of a Misfortune die (Luck).
pub fn misfortune_counts(shows: u32) -> u32 {
    if shows >= 11 { shows - 10 } else { shows }
}

impl Check {
    /// The die used, and its value: the higher one with Fortune, the lower one with Misfortune, the middle one with
    /// both. The d20 wins ties.
    pub fn used(&self) -> (u32, Source) {
        let normal = self.d20.unwrap_or(ROUTINE);
        if self.mode == Mode::Luck {
            return (normal, Source::Normal);
        }
        let low = self.misfortune.map(misfortune_counts);
        let high = self.fortune.map(fortune_counts);
        match (low, high) {
            // Both: the d20, limited by the two. A Misfortune die counts at most 10, a Fortune die at least 11.
            (Some(low), Some(_)) if normal < low => (low, Source::Misfortune),
            (Some(_), Some(high)) if normal > high => (high, Source::Fortune),
            (Some(low), None) if low < normal => (low, Source::Misfortune),
            (None, Some(high)) if high > normal => (high, Source::Fortune),
            _ => (normal, Source::Normal),
        }
    }

    /// Whether it is critical. The 10 of a routine check never is, nor is a lucky die whose value differs from its
    /// face.
    pub fn critical(&self) -> Critical {
        let (counts, source) = self.used();
        let shows = match source {
            Source::Normal => self.d20,
            Source::Fortune => self.fortune,
            Source::Misfortune => self.misfortune,
        };
        match (self.mode, shows) {
            (Mode::Routine | Mode::Passive, _) => Critical::No,
            (_, Some(20)) if counts == 20 => Critical::Success,
            (_, Some(1)) if counts == 1 => Critical::Failure,
            _ => Critical::No,
        }
    }

    /// The total.
    pub fn total(&self) -> i64 {
        let luck = match self.mode {
            Mode::Luck => shown(self.fortune) - shown(self.misfortune),
            _ => 0,
        };
        i64::from(self.used().0) + self.skill + sum(&self.advantage_dice) - sum(&self.disadvantage_dice)
            + luck
            + self.bonus
    }

    /// Degrees of success (above 0) or failure (below 0), if the difficulty is known.
    pub fn degree(&self) -> Option<i64> {
        let margin = self.total() - self.dc?;
        let degree = if margin >= 0 { 1 + margin / 5 } else { -(1 - margin / 5) };
        let degree = match self.critical() {
            Critical::No => degree,
            Critical::Success => step(degree, 1),
            Critical::Failure => step(degree, -1),
        };
        let degree = match (self.purpose, self.critical()) {
            (Purpose::Attack | Purpose::Resist, Critical::Success) => degree.max(1),
            (Purpose::Attack | Purpose::Resist, Critical::Failure) => degree.min(-1),
            _ => degree,
        };
        let bought = if degree > 0 { self.degrees } else { 0 };
        Some((degree + bought).clamp(-MOST_DEGREES, MOST_DEGREES))
    }

    /// True if it is known to have succeeded.
    pub fn succeeds(&self) -> bool {
        self.degree().is_some_and(|degree| degree > 0)
    }

    /// The stones it earns, Triumph and Tragedy (Fate): Advantage and Fortune against Disadvantage and Misfortune, as
    /// rolled, and one for a critical.
    pub fn stones(&self) -> Stones {
        let for_it = sum(&self.advantage_dice) + shown(self.fortune);
        let against = sum(&self.disadvantage_dice) + shown(self.misfortune);
        let stones = (for_it - against).abs() / 5;
        let (mut own, mut other) = if for_it >= against { (stones, 0) } else { (0, stones) };
        match self.critical() {
            Critical::No => {}
            Critical::Success => own += 1,
            Critical::Failure => other += 1,
        }
        match self.side {
            Side::Hero => Stones { triumph: own, tragedy: other },
            Side::Foe => Stones { triumph: other, tragedy: own },
        }
    }

    /// The stone for a critical.
    pub fn critical_stone(&self) -> Option<Kind> {
        match (self.critical(), self.side) {
            (Critical::No, _) => None,
            (Critical::Success, Side::Hero) | (Critical::Failure, Side::Foe) => Some(Kind::Triumph),
            (Critical::Failure, Side::Hero) | (Critical::Success, Side::Foe) => Some(Kind::Tragedy),
        }
    }
}

/// Fate stones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stones {
    /// Triumph stones.
    pub triumph: i64,
    /// Tragedy stones.
    pub tragedy: i64,
}

impl Stones {
    /// The number of this kind.
    pub fn of(self, kind: Kind) -> i64 {
        match kind {
            Kind::Triumph => self.triumph,
            Kind::Tragedy => self.tragedy,
        }
    }

    /// The number of this kind, mutable.
    pub fn of_mut(&mut self, kind: Kind) -> &mut i64 {
        match kind {
            Kind::Triumph => &mut self.triumph,
            Kind::Tragedy => &mut self.tragedy,
        }
    }
}

/// Half of what is spent, rounded up: as degrees, or as ranks of Advantage.
pub fn half(value: i64) -> i64 {
    (value + 1) / 2
}

/// Moves a degree one step; there is no degree 0.
fn step(degree: i64, by: i64) -> i64 {
    match degree + by {
        0 => by,
        other => other,
    }
}

fn sum(dice: &[Die]) -> i64 {
    dice.iter().map(|die| i64::from(die.value)).sum()
}

fn shown(die: Option<u32>) -> i64 {
    die.map_or(0, i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(d20: u32, dc: i64) -> Check {
        Check {
            skill: 0,
            advantage: 0,
            disadvantage: 0,
            tier: 1,
            purpose: Purpose::Skill,
            side: Side::Hero,
            mode: Mode::Roll,
            d20: Some(d20),
            fortune: None,
            misfortune: None,
            advantage_dice: Vec::new(),
            disadvantage_dice: Vec::new(),
            bonus: 0,
            degrees: 0,
            dc: Some(dc),
            dc_die: None,
            negated: Negated::default(),
        }
    }

    #[test]
    fn ranks_are_the_dice_of_the_ladder() {
        assert!(rank_dice(0, 1).is_empty());
        assert_eq!(rank_dice(2, 1), [6]);
        assert_eq!(rank_dice(5, 1), [12]);
        assert_eq!(rank_dice(8, 1), [12]);
        assert_eq!(rank_dice(9, 2), [12, 10]);
        assert_eq!(rank_dice(10, 3), [12, 10, 4]);
        assert_eq!(rank_dice(12, 3), [12, 10, 8]);
        assert_eq!(rank_dice(14, 4), [12, 10, 8, 6]);
        assert_eq!(rank_dice(99, 5), [12, 10, 8, 6, 4]);
    }

    #[test]
    fn there_is_no_degree_zero_and_a_critical_moves_by_one_step() {
        let degree = |d20, dc| check(d20, dc).degree().unwrap();
        assert_eq!(
            [(10, 10), (14, 10), (15, 10), (9, 10), (6, 10), (5, 10)].map(|(d20, dc)| degree(d20, dc)),
            [1, 1, 2, -1, -1, -2]
        );
        assert_eq!((degree(20, 21), degree(20, 25), degree(1, 1), degree(1, -5)), (1, -1, -1, 1));
        assert_eq!(degree(19, -30), 5);
        assert_eq!(Check { purpose: Purpose::Attack, ..check(20, 40) }.degree(), Some(1));
        assert_eq!(Check { purpose: Purpose::Resist, ..check(1, -40) }.degree(), Some(-1));
    }

    #[test]
    fn both_luck_dice_hold_the_d20_between_them() {
        for d20 in 1..=20 {
            for fortune in 1..=20 {
                for misfortune in 1..=20 {
                    let lucky = Check { fortune: Some(fortune), misfortune: Some(misfortune), ..check(d20, 10) };
                    let mut all = [d20, fortune_counts(fortune), misfortune_counts(misfortune)];
                    all.sort_unstable();
                    assert_eq!(lucky.used().0, all[1]);
                }
            }
        }
    }

    #[test]
    fn a_lucky_die_is_critical_only_if_it_shows_what_it_counts() {
        let with = |d20, fortune, misfortune| Check { fortune, misfortune, ..check(d20, 10) }.critical();
        assert_eq!(with(5, Some(20), None), Critical::Success);
        assert_eq!(with(5, Some(10), None), Critical::No);
        assert_eq!(with(1, Some(1), None), Critical::No);
        assert_eq!(with(15, None, Some(1)), Critical::Failure);
        assert_eq!(with(15, None, Some(11)), Critical::No);
        assert_eq!(with(20, Some(10), None), Critical::Success, "the d20 goes first if they are equal");
    }

    #[test]
    fn stones_of_the_opposition_are_swapped() {
        let dice = vec![Die { sides: 12, value: 11 }];
        let foe = Check { side: Side::Foe, disadvantage_dice: dice.clone(), ..check(11, 10) };
        assert_eq!(foe.stones(), Stones { triumph: 2, tragedy: 0 });
        let hero = Check { advantage_dice: dice, ..check(20, 10) };
        assert_eq!(hero.stones(), Stones { triumph: 3, tragedy: 0 });
        assert_eq!(Check { side: Side::Foe, ..check(20, 10) }.stones(), Stones { triumph: 0, tragedy: 1 });
    }

    #[test]
    fn bought_degrees_count_only_on_a_success() {
        let bought = Check { degrees: half(5), ..check(12, 10) };
        assert_eq!(bought.degree(), Some(4));
        assert_eq!(Check { degrees: half(5), ..check(2, 10) }.degree(), Some(-2));
        assert_eq!((half(1), half(2), half(3), half(6)), (1, 1, 2, 3));
    }
}
