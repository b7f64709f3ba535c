//! The rules of Torg Eternity, applied to rolled dice. Knows no chat and rolls nothing.
//!
//! Table names are those of the rulebook (Bonus Chart, Result Points, Damage Result).

use serde::{Deserialize, Serialize};

/// A d20 and the dice that its 10s and 20s added, in the order rolled.
pub type Chain = Vec<u32>;

/// The least that a chain of paid d20s counts (Possibilities).
const PAID_MINIMUM: u32 = 10;
/// The die total from which a Glory card may be played.
pub const GLORY: u32 = 60;
/// The bonus from each card that adds to a test.
pub const CARD: i64 = 3;

/// True if another d20 follows this one: on a 10, and on a 20 unless unskilled.
pub fn explodes(value: u32, unskilled: bool) -> bool {
    value == 10 || (value == 20 && !unskilled)
}

/// The bonus of a die total (Bonus Chart).
pub fn bonus(die_total: u32) -> i64 {
    match die_total {
        ..=1 => -10,
        2 => -8,
        3..=4 => -6,
        5..=6 => -4,
        7..=8 => -2,
        9..=10 => -1,
        11..=12 => 0,
        13..=14 => 1,
        15..=20 => i64::from(die_total) - 13,
        21.. => 7 + i64::from((die_total - 20).div_ceil(5)),
    }
}

/// The names of difficulty numbers, as typed.
pub const DIFFICULTIES: [(&str, i64); 8] = [
    ("very easy", 6),
    ("easy", 8),
    ("standard", 10),
    ("challenging", 12),
    ("hard", 14),
    ("very hard", 16),
    ("heroic", 18),
    ("near impossible", 20),
];

/// The level of success of a test (Result Points).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Below the difficulty, or a natural 1.
    Failure,
    /// 0 to 4 over it.
    Standard,
    /// 5 to 9 over it.
    Good,
    /// 10 and more.
    Outstanding,
}

impl Level {
    /// The level of an action total against a difficulty number.
    pub fn of(total: i64, dn: i64) -> Self {
        match total - dn {
            ..=-1 => Level::Failure,
            0..=4 => Level::Standard,
            5..=9 => Level::Good,
            10.. => Level::Outstanding,
        }
    }

    /// `failure`, `standard`, `good`, `outstanding`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Failure => "failure",
            Level::Standard => "standard",
            Level::Good => "good",
            Level::Outstanding => "outstanding",
        }
    }
}

/// Harm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Harm {
    /// Wounds.
    pub wounds: i64,
    /// Points of Shock.
    pub shock: i64,
}

/// The harm from damage against Toughness (Damage Result).
pub fn harm(damage: i64, toughness: i64) -> Harm {
    let over = damage - toughness;
    match over {
        ..=-6 => Harm { wounds: 0, shock: 0 },
        -5..=-1 => Harm { wounds: 0, shock: 1 },
        0..=4 => Harm { wounds: 0, shock: 2 },
        5.. => Harm { wounds: over / 5, shock: over / 5 * 2 },
    }
}

/// The harm left after a soak (Soaking Damage).
pub fn soak(level: Level, harm: Harm) -> Harm {
    let less = |wounds: i64| Harm { wounds: (harm.wounds - wounds).max(0), shock: 0 };
    match level {
        Level::Failure => harm,
        Level::Standard => less(1),
        Level::Good => less(2),
        Level::Outstanding => less(harm.wounds),
    }
}

impl Harm {
    /// No harm at all.
    pub const NONE: Harm = Harm { wounds: 0, shock: 0 };

    /// This and more.
    #[must_use]
    pub fn and(self, more: Harm) -> Harm {
        Harm { wounds: self.wounds + more.wounds, shock: self.shock + more.shock }
    }

    /// This, but no more than `most` of either.
    #[must_use]
    pub fn at_most(self, most: i64) -> Harm {
        Harm { wounds: self.wounds.min(most), shock: self.shock.min(most) }
    }

    /// This without `less`, at least nothing.
    #[must_use]
    pub fn without(self, less: Harm) -> Harm {
        Harm { wounds: (self.wounds - less.wounds).max(0), shock: (self.shock - less.shock).max(0) }
    }
}

/// True if another bonus die follows this one.
pub fn bonus_die_explodes(value: u32) -> bool {
    value == 6
}

/// The sum of bonus dice: a 6 counts 5.
pub fn bonus_dice_total(values: &[u32]) -> u32 {
    values.iter().map(|value| (*value).min(5)).sum()
}

/// A die added to a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Its dice.
    pub chain: Chain,
    /// True if it counts at least 10.
    pub minimum: bool,
}

impl Added {
    /// Its value.
    pub fn counts(&self) -> u32 {
        let sum: u32 = self.chain.iter().sum();
        if self.minimum { sum.max(PAID_MINIMUM) } else { sum }
    }
}

/// Whether the first die may be rerolled (Favored Skill).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Favored {
    /// The test is not favored.
    No,
    /// It may, as long as nothing else is added.
    Open,
    /// No longer: something was added.
    Closed,
    /// The test is favored, and a Multi-Action, which has no reroll.
    Barred,
}

/// A test on the table: its dice and modifiers, and what was added since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// The skill or attribute.
    pub value: i64,
    /// Modifiers to the action total, without cards, extra actions and wounds.
    pub mods: i64,
    /// Cards, each worth [`CARD`].
    pub cards: i64,
    /// True if only a 10 rolls again.
    pub unskilled: bool,
    /// A Mishap is a first die from 1 to this.
    pub mishap: u32,
    /// Actions besides the first.
    pub multi: i64,
    /// Wounds, each -1.
    #[serde(default)]
    pub wounds: i64,
    /// The first die.
    pub first: Chain,
    /// The reroll of the first die.
    pub reroll: Option<Chain>,
    /// Whether the first die may still be rerolled.
    pub favored: Favored,
    /// The die of an Up condition.
    pub up: Option<Added>,
    /// The die of a Possibility.
    pub possibility: Option<Added>,
    /// The die of a Hero card.
    pub hero: Option<Added>,
    /// The die of a Drama card.
    pub drama: Option<Added>,
    /// The difficulty numbers; empty while they are not known.
    pub dns: Vec<i64>,
    /// The damage that it soaks.
    #[serde(default)]
    pub soak: Option<Soak>,
}

/// The damage that a test soaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Soak {
    /// The entry of the damage, and its harm; `None` if only the table knows.
    pub damage: Option<(u64, Harm)>,
    /// True if the harm was added to what the character has, so what is soaked is taken off there.
    #[serde(default)]
    pub kept: bool,
}

impl Soak {
    /// The part of the harm that a soak of this level takes away.
    pub fn taken(&self, level: Level) -> Harm {
        self.damage.map_or(Harm::NONE, |(_, harm)| harm.without(soak(level, harm)))
    }
}

/// The bonus for this many characters acting together (Combined Actions).
pub fn combined(characters: i64) -> i64 {
    match characters {
        ..=1 => 0,
        2 => 1,
        3 => 2,
        4.. => 3,
    }
}

impl Test {
    /// True for a natural 1: it fails, and nothing can be added.
    pub fn is_lost(&self) -> bool {
        self.first.first() == Some(&1)
    }

    /// True if the first die is in the Mishap range.
    pub fn is_mishap(&self) -> bool {
        self.first.first().is_some_and(|first| *first <= self.mishap)
    }

    /// The dice added, in the order rolled.
    pub fn added(&self) -> impl Iterator<Item = (&'static str, &Added)> {
        let all = [("Up", &self.up), ("Possibility", &self.possibility), ("Hero", &self.hero), ("Drama", &self.drama)];
        all.into_iter().filter_map(|(what, added)| added.as_ref().map(|added| (what, added)))
    }

    /// The total of all chains.
    pub fn die_total(&self) -> u32 {
        let first: u32 = self.reroll.as_ref().unwrap_or(&self.first).iter().sum();
        first + self.added().map(|(_, added)| added.counts()).sum::<u32>()
    }

    /// The action total.
    pub fn total(&self) -> i64 {
        self.value + bonus(self.die_total()) + self.all_mods() + CARD * self.cards
    }

    /// All modifiers but cards: those typed, extra actions and wounds.
    pub fn all_mods(&self) -> i64 {
        self.mods - 2 * self.multi - self.wounds
    }

    /// The level of success against a difficulty number.
    pub fn level(&self, dn: i64) -> Level {
        if self.is_lost() { Level::Failure } else { Level::of(self.total(), dn) }
    }

    /// True if it succeeds against all its difficulty numbers.
    pub fn succeeds(&self) -> bool {
        self.dns.iter().all(|dn| self.level(*dn) > Level::Failure)
    }

    /// True if a first die that may be rerolled should be: it did not explode, and it fails, or is below 10 if no
    /// difficulty is known.
    pub fn wants_reroll(&self) -> bool {
        let low = self.first.first().is_some_and(|first| *first < 10);
        self.first.len() == 1 && if self.dns.is_empty() { low } else { !self.succeeds() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bonus_chart_is_that_of_the_book() {
        let chart: Vec<i64> = (1..=26).map(bonus).collect();
        assert_eq!(chart, [-10, -8, -6, -6, -4, -4, -2, -2, -1, -1, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8, 9]);
        assert_eq!([30, 31, 41, 50, 51, 60, 62, 84].map(bonus), [9, 10, 12, 13, 14, 15, 16, 20]);
    }

    #[test]
    fn damage_at_the_edges_of_the_table() {
        let at = |over: i64| (harm(12 + over, 12).wounds, harm(12 + over, 12).shock);
        assert_eq!(
            [-6, -5, -1, 0, 4, 5, 9, 10, 14, 15, 20].map(at),
            [(0, 0), (0, 1), (0, 1), (0, 2), (0, 2), (1, 2), (1, 2), (2, 4), (2, 4), (3, 6), (4, 8)]
        );
    }

    #[test]
    fn a_soak_takes_wounds_by_its_level_and_all_shock() {
        let harm = Harm { wounds: 3, shock: 6 };
        let left = |level| soak(level, harm);
        assert_eq!(left(Level::Failure), harm);
        assert_eq!(left(Level::Standard), Harm { wounds: 2, shock: 0 });
        assert_eq!(left(Level::Good), Harm { wounds: 1, shock: 0 });
        assert_eq!(left(Level::Outstanding), Harm { wounds: 0, shock: 0 });
        assert_eq!(soak(Level::Standard, Harm { wounds: 0, shock: 2 }), Harm { wounds: 0, shock: 0 });
    }
}
