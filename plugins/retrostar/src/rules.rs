//! The rules of Retrostar, applied to rolled dice. Knows no chat and rolls nothing.
//!
//! Table names are those of the game's reference sheet.

use plugin_api::{Choice, Die};
use serde::{Deserialize, Serialize};

/// The furthest position on the ladder in play, in both directions.
pub const FURTHEST: i32 = 30;

/// Which dice of a roll are added (How Many Dice Do I Roll and What Do I Keep?).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Both dice.
    All,
    /// The two highest.
    High,
    /// The two lowest.
    Low,
}

impl Keep {
    /// `all`, `high`, `low`.
    pub fn word(self) -> &'static str {
        match self {
            Keep::All => "all",
            Keep::High => "high",
            Keep::Low => "low",
        }
    }
}

/// The number of d6 to roll at a position on the ladder.
pub fn dice_at(net: i32) -> u32 {
    2 + net.unsigned_abs()
}

/// The result bands of a total; they are the same for Intentions, assists and opposed Intentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Band {
    /// 2 to 6.
    Fail,
    /// 7 to 9.
    Mixed,
    /// 10 to 12.
    Success,
}

impl Band {
    /// The band of a total.
    pub fn of(total: u32) -> Self {
        match total {
            ..=6 => Band::Fail,
            7..=9 => Band::Mixed,
            10.. => Band::Success,
        }
    }

    /// `fail`, `mixed`, `success`.
    pub fn word(self) -> &'static str {
        match self {
            Band::Fail => "fail",
            Band::Mixed => "mixed",
            Band::Success => "success",
        }
    }
}

/// Dice rolled at a position on the ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throw {
    /// The position: traits, benefits, obstacles and a Spotlight Token together.
    pub net: i32,
    /// The dice, in the order rolled.
    pub dice: Vec<Die>,
}

impl Throw {
    /// Which dice are added.
    pub fn keep(&self) -> Keep {
        match self.net {
            0 => Keep::All,
            1.. => Keep::High,
            _ => Keep::Low,
        }
    }

    /// The values from low to high, each with true if it is added.
    pub fn sorted(&self) -> Vec<(u32, bool)> {
        let mut values: Vec<u32> = self.dice.iter().map(|die| die.value).collect();
        values.sort_unstable();
        let kept = match self.keep() {
            Keep::High => values.len().saturating_sub(2)..values.len(),
            Keep::All | Keep::Low => 0..2,
        };
        values.into_iter().enumerate().map(|(at, value)| (value, kept.contains(&at))).collect()
    }

    /// The sum of the two dice added: 2 to 12.
    pub fn total(&self) -> u32 {
        self.sorted().into_iter().filter(|(_, kept)| *kept).map(|(value, _)| value).sum()
    }

    /// The result band.
    pub fn band(&self) -> Band {
        Band::of(self.total())
    }
}

/// The outcome of an opposed Intention (Opposed Intentions).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contest {
    /// The side that succeeds, at least partly.
    pub winner: Winner,
    /// True if the success is partial.
    pub partial: bool,
    /// The penalty for side A's next roll: 0 or -1.
    pub penalty_a: i32,
    /// The penalty for side B's next roll: 0 or -1.
    pub penalty_b: i32,
}

/// The winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// Neither: both fail.
    None,
    /// Both, and the contest goes on.
    Draw,
    /// The side that began.
    A,
    /// The other side.
    B,
}

/// The outcome of an opposed Intention by the bands of both sides; totals within a band do not matter.
pub fn contest(a: Band, b: Band) -> Contest {
    let (winner, partial, penalty_a, penalty_b) = match (a, b) {
        (Band::Fail, Band::Fail) => (Winner::None, false, 0, 0),
        (Band::Fail, Band::Mixed) => (Winner::B, true, -1, 0),
        (Band::Mixed, Band::Fail) => (Winner::A, true, 0, -1),
        (Band::Mixed, Band::Mixed) => (Winner::Draw, false, -1, -1),
        (Band::Success, Band::Success) => (Winner::Draw, false, 0, 0),
        (Band::Success, _) => (Winner::A, false, 0, 0),
        (_, Band::Success) => (Winner::B, false, 0, 0),
    };
    Contest { winner, partial, penalty_a, penalty_b }
}

/// Spotlight Tokens of a new Episode: three per player, less one for each defined Personal Dial, but at least two per
/// player plus one (Spotlight Token Pool).
pub fn pool_size(players: u32, dials: u32) -> u32 {
    (2 * players + 1).max((3 * players).saturating_sub(dials))
}

/// What of a character a Spotlight Token brings into play.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Where they come from.
    Background,
    /// Their part in the show.
    Casting,
    /// A word that describes them.
    #[choice("descriptor", "descriptors")]
    Descriptor,
}

impl Aspect {
    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Aspect::Background => "background",
            Aspect::Casting => "casting",
            Aspect::Descriptor => "descriptor",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(net: i32, values: &[u32]) -> u32 {
        assert_eq!(values.len(), dice_at(net) as usize);
        Throw { net, dice: values.iter().map(|value| Die { sides: 6, value: *value }).collect() }.total()
    }

    #[test]
    fn the_ladder_keeps_two_whatever_its_length() {
        assert_eq!(total(0, &[3, 4]), 7);
        assert_eq!(total(1, &[1, 6, 4]), 10);
        assert_eq!(total(-1, &[6, 6, 1]), 7);
        assert_eq!(total(-3, &[3, 4, 6, 6, 2]), 5);
        assert_eq!(total(5, &[1, 1, 6, 1, 1, 5, 1]), 11);
        assert_eq!(total(-30, &[6; 32]), 12);
    }

    #[test]
    fn the_pool_falls_by_a_dial_each_down_to_two_a_player_and_one() {
        let sizes = |players| (0..5).map(|dials| pool_size(players, dials)).collect::<Vec<_>>();
        assert_eq!(sizes(4), [12, 11, 10, 9, 9]);
        assert_eq!(sizes(1), [3, 3, 3, 3, 3]);
        assert_eq!(pool_size(5, 9), 11);
    }

    #[test]
    fn a_contest_looks_the_same_from_both_sides() {
        let bands = [Band::Fail, Band::Mixed, Band::Success];
        for a in bands {
            for b in bands {
                let (one, other) = (contest(a, b), contest(b, a));
                let turned = match other.winner {
                    Winner::A => Winner::B,
                    Winner::B => Winner::A,
                    same => same,
                };
                assert_eq!((one.winner, one.partial), (turned, other.partial));
                assert_eq!((one.penalty_a, one.penalty_b), (other.penalty_b, other.penalty_a));
            }
        }
    }
}
