//! The state of a table: Destiny dice, Fate stones, Stress, turns, and a Tilt.

use crate::actions::Actions;
use crate::labels::Table;
use crate::rules::{Kind, Stones};
use plugin_api::{CharacterId, Choice, Refusal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// By character; a character without anything may be missing.
    #[serde(default)]
    pub characters: BTreeMap<CharacterId, Holdings>,
    /// The players of the session, in joining order.
    #[serde(default)]
    pub players: Vec<CharacterId>,
    /// When the session began, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_began: Option<i64>,
    /// Tragedy dice that players spent, for the referee to use.
    #[serde(default)]
    pub gm: Stones,
    /// The Destiny Pool.
    #[serde(default)]
    pub pool: Pool,
    /// The Fate Pool during an encounter.
    #[serde(default)]
    pub fate: Option<Fate>,
    /// The number of encounters begun so far; also the number of the current or last one.
    #[serde(default)]
    pub encounters: u32,
    /// The number of turns begun so far.
    #[serde(default)]
    pub turns: u32,
    /// The order of turns.
    #[serde(default)]
    pub order: Vec<InOrder>,
    /// The character whose turn it is.
    #[serde(default)]
    pub current: Option<InOrder>,
    /// The Tilt, from its dice to its last ballot.
    #[serde(default)]
    pub tilt: Option<Tilt>,
    /// The table's own labels in the Tilt tables, by `soft 3` or `soft 3.2`.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// Somebody in the order of turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum InOrder {
    /// A character.
    Character(CharacterId),
    /// A name from the referee, for whom nobody has acted yet.
    Named(String),
}

/// The dice in the Destiny Pool, with their values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pool {
    /// Triumph dice, in the order rolled.
    pub triumph: Vec<u32>,
    /// Tragedy dice, in the order rolled.
    pub tragedy: Vec<u32>,
}

impl Pool {
    /// The dice of this kind.
    pub fn of(&self, kind: Kind) -> &Vec<u32> {
        match kind {
            Kind::Triumph => &self.triumph,
            Kind::Tragedy => &self.tragedy,
        }
    }

    /// The dice of this kind, mutable.
    pub fn of_mut(&mut self, kind: Kind) -> &mut Vec<u32> {
        match kind {
            Kind::Triumph => &mut self.triumph,
            Kind::Tragedy => &mut self.tragedy,
        }
    }

    /// True if the last die is gone.
    pub fn is_empty(&self) -> bool {
        self.triumph.is_empty() && self.tragedy.is_empty()
    }

    /// Takes a die: one that shows `value`, or else the highest.
    pub fn take(&mut self, kind: Kind, value: Option<u32>) -> Result<u32, Refusal> {
        let name = kind.name();
        let dice = self.of_mut(kind);
        let wanted = match value {
            Some(value) => value,
            None => *dice.iter().max().ok_or_else(|| {
                let what = format!("no {name} is left in the Destiny Pool");
                Refusal::new(what).about(kind.word()).example("destiny")
            })?,
        };
        let at = dice.iter().position(|die| *die == wanted).ok_or_else(|| {
            let what = format!("no {name} {wanted} in the pool");
            Refusal::new(what).about(wanted.to_string()).example("destiny")
        })?;
        Ok(dice.remove(at))
    }
}

/// The Fate Pool of an encounter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fate {
    /// The stones.
    pub stones: Stones,
    /// Kinds that were used and cannot be earned before the next turn.
    pub blocked: Vec<Kind>,
}

impl Fate {
    /// Earns stones of a kind, unless it is blocked. Returns the number earned.
    pub fn earn(&mut self, kind: Kind, count: i64) -> i64 {
        if self.blocked.contains(&kind) {
            return 0;
        }
        *self.stones.of_mut(kind) += count;
        count
    }

    /// Uses stones of a kind, which blocks earning it before the next turn.
    pub fn spend(&mut self, kind: Kind, count: i64) -> Result<(), Refusal> {
        let held = self.stones.of(kind);
        if count > held {
            let what = format!("only {held} {} in the pool", kind.name());
            return Err(Refusal::new(what).about(count.to_string()).example("fate"));
        }
        *self.stones.of_mut(kind) -= count;
        if !self.blocked.contains(&kind) {
            self.blocked.push(kind);
        }
        Ok(())
    }
}

/// How tired a hero is.
#[derive(Choice, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fatigue {
    /// Not at all.
    #[default]
    Ok,
    /// After a Surge.
    Fatigued,
    /// After a second one.
    Exhausted,
    /// After a third one.
    Incapacitated,
}

impl Fatigue {
    /// As shown and stated.
    pub fn word(self) -> &'static str {
        match self {
            Fatigue::Ok => "ok",
            Fatigue::Fatigued => "fatigued",
            Fatigue::Exhausted => "exhausted",
            Fatigue::Incapacitated => "incapacitated",
        }
    }

    /// One step worse.
    pub fn worse(self) -> Self {
        match self {
            Fatigue::Ok => Fatigue::Fatigued,
            Fatigue::Fatigued => Fatigue::Exhausted,
            Fatigue::Exhausted | Fatigue::Incapacitated => Fatigue::Incapacitated,
        }
    }

    /// One step better; an incapacitated hero stays so.
    pub fn better(self) -> Self {
        match self {
            Fatigue::Ok | Fatigue::Fatigued => Fatigue::Ok,
            Fatigue::Exhausted => Fatigue::Fatigued,
            Fatigue::Incapacitated => Fatigue::Incapacitated,
        }
    }
}

/// The state of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Holdings {
    /// 1 to 5; `None` means 1.
    pub tier: Option<u32>,
    /// Held Destiny dice, which have no value until they are rolled.
    pub held: Stones,
    /// Stress, 0 to 10.
    pub stress: i64,
    /// Fatigue.
    pub fatigue: Fatigue,
    /// True if the fatigue of a Surge comes when the hero's next turn begins.
    pub surge_pending: bool,
    /// True if the fatigue of a Surge under somebody's control waits until the hero is free.
    pub surge_deferred: bool,
    /// True if a Surge was used since the last turn began.
    pub surged_this_turn: bool,
    /// True if the benefit of that Surge was not named yet.
    pub surge_unsaid: bool,
    /// True if Recover was used in this encounter.
    pub recovered: bool,
    /// Benefits of Surges still in force.
    pub surges: Vec<InForce>,
    /// Ranks of Advantage from an edit, for the next check.
    pub ranks: i64,
    /// Edits that a veto can take back: those with ranks until the next check, those of details until the next session.
    pub edits: Vec<Edit>,
    /// The number of somebody else's check that this character answered, if the answer was their last check.
    pub answered: Option<u64>,
    /// A Destiny die that was rolled but not used yet.
    pub thrown: Option<Thrown>,
    /// Values of awarded dice that may be used at once.
    pub awards: Vec<u32>,
    /// Actions taken since the character's turn began.
    #[serde(skip_serializing_if = "Actions::is_new")]
    pub actions: Actions,
    /// Labels such as `wounded`.
    pub conditions: Vec<String>,
    /// True if they left the table with this game's own command, from before the table had one; kept only as stored.
    pub away: bool,
}

/// A rolled Destiny die, or several that count together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thrown {
    /// Their total.
    pub value: i64,
    /// Their source.
    pub from: Paid,
}

/// The payment for a spend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Paid {
    /// This many held Destiny dice of a kind.
    Dice(Kind, i64),
    /// The referee's held Tragedy dice.
    GmDice(i64),
    /// This many Fate stones of a kind, in the encounter with this number.
    Stones(Kind, i64, u32),
    /// The stone of a critical outside an encounter.
    LooseStone,
    /// The value of an awarded die.
    Award(u32),
}

/// An edit that can be taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Edit {
    /// The ranks of Advantage it gave.
    pub ranks: i64,
    /// The payment.
    pub paid: Paid,
}

/// The most Stress of a hero, and the load at which nobody can be healed.
pub(crate) const MOST_STRESS: i64 = 10;

impl Holdings {
    /// The Tier.
    pub fn tier(&self) -> u32 {
        self.tier.unwrap_or(1)
    }

    /// True if a Surge for this is in force.
    pub fn surges_for(&self, benefit: Benefit) -> bool {
        self.surges.iter().any(|surge| surge.benefit == benefit)
    }

    /// Stress plus held Destiny dice.
    pub fn load(&self) -> i64 {
        self.stress + self.held.triumph + self.held.tragedy
    }
}

impl State {
    /// A character's holdings, mutable.
    pub fn of(&mut self, character: CharacterId) -> &mut Holdings {
        self.characters.entry(character).or_default()
    }

    /// This state without a character's edits: ranks waiting for a check count for nothing else.
    pub fn without_edits(&self, character: CharacterId) -> Self {
        let mut state = State { characters: self.characters.clone(), ..State::default() };
        state.of(character).ranks = 0;
        state
    }

    /// A copy of a character's holdings.
    pub fn held(&self, character: CharacterId) -> Holdings {
        self.characters.get(&character).cloned().unwrap_or_default()
    }

    /// Changes the stones in the Fate Pool by what a check earned: up within the block rule, down as far as there are
    /// any. Outside an encounter nothing is stored. Returns the actual change.
    pub fn earn(&mut self, change: Stones) -> Stones {
        let Some(fate) = &mut self.fate else { return Stones::default() };
        let mut earned = Stones::default();
        for kind in [Kind::Triumph, Kind::Tragedy] {
            let count = change.of(kind);
            *earned.of_mut(kind) = if count > 0 {
                fate.earn(kind, count)
            } else {
                let less = count.max(-fate.stones.of(kind));
                *fate.stones.of_mut(kind) += less;
                less
            };
        }
        earned
    }
}

/// What a Surge gives.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Benefit {
    /// Another standard action this turn.
    Action,
    /// An alternate effect until the encounter ends.
    Effect,
    /// +1 to a trait until the end of the next turn.
    Trait,
    /// Ignore Disadvantages until the end of the next turn.
    Negate,
    /// Ignore the Advantages of opponents until the end of the next turn.
    Deny,
    /// A rank in an Edge until the encounter ends.
    Edge,
    /// Counter an effect, as a reaction.
    Counter,
    /// Another check against an ongoing effect, or another try.
    Retry,
}

/// A lasting benefit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InForce {
    /// The benefit.
    pub benefit: Benefit,
    /// True once the hero's next turn has begun, at the end of which it ends.
    #[serde(default)]
    pub last_turn: bool,
}

impl InForce {
    /// True if it lasts until the encounter ends.
    pub fn until_encounter_ends(&self) -> bool {
        matches!(self.benefit, Benefit::Effect | Benefit::Edge)
    }

    pub fn until_next_turn(&self) -> bool {
        matches!(self.benefit, Benefit::Trait | Benefit::Negate | Benefit::Deny)
    }
}

/// A Tilt in progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tilt {
    /// Everybody's dice, players in order and the referee last.
    pub rolled: Vec<Rolled>,
    /// The table used, once the referee has chosen it.
    pub table: Option<Table>,
    /// Votes of the open ballot.
    pub votes: Vec<u32>,
    /// The results of the ballots so far: good category, bad category, good element, bad element.
    pub chosen: Vec<u32>,
}

/// Somebody's dice in a Tilt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rolled {
    /// The character; `None` for the referee.
    pub who: Option<CharacterId>,
    /// Triumph dice.
    pub triumph: Vec<u32>,
    /// Tragedy dice.
    pub tragedy: Vec<u32>,
    /// Values of the dice that have voted.
    pub used: Vec<u32>,
    /// True if they voted in the open ballot.
    pub voted: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn using_a_kind_bars_earning_it() {
        let mut fate = Fate::default();
        fate.earn(Kind::Triumph, 2);
        fate.spend(Kind::Triumph, 1).unwrap();
        assert_eq!((fate.earn(Kind::Triumph, 3), fate.earn(Kind::Tragedy, 1)), (0, 1));
        assert_eq!(fate.stones, Stones { triumph: 1, tragedy: 1 });
        assert_eq!(fate.spend(Kind::Triumph, 3).unwrap_err().what, "only 1 Triumph in the pool");
    }

    #[test]
    fn nobody_recovers_from_being_incapacitated() {
        assert_eq!(Fatigue::Incapacitated.better(), Fatigue::Incapacitated);
        assert_eq!(Fatigue::Exhausted.better(), Fatigue::Fatigued);
        assert_eq!(Fatigue::Exhausted.worse().worse(), Fatigue::Incapacitated);
    }
}
