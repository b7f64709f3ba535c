//! From the typed line to the dice of a roll. Anything that can be refused is refused before any die is rolled.

use crate::rules::{self, Aspect, Throw};
use crate::spotlight;
use crate::state::{Holdings, Pending, State};
use crate::words::Effort;
use plugin_api::{CharacterId, Refusal, Turn};

/// What went into a roll, for display.
pub(crate) struct Made {
    pub throw: Throw,
    /// Aspects brought into play by tokens.
    pub spotlight: Vec<Aspect>,
    /// Waiting benefits and obstacles that were used up.
    pub used: Vec<Pending>,
}

/// Whether waiting benefits and obstacles count in a roll.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// They count and are used up.
    Counts,
    /// They go on waiting.
    Stays,
}

/// A roll before its dice are rolled.
pub(crate) struct Plan {
    pub net: i32,
    pub spotlight: Vec<Aspect>,
    pub used: Vec<Pending>,
}

impl Plan {
    pub fn throw(self, turn: &mut Turn) -> Result<Made, Refusal> {
        let Plan { net, spotlight, used } = self;
        let dice = turn.throw_dice((0..rules::dice_at(net)).map(|_| 6))?;
        Ok(Made { throw: Throw { net, dice }, spotlight, used })
    }
}

/// Rolls the actor's dice: pays for the spotlight, and uses what waits.
pub(crate) fn throw(state: &mut State, turn: &mut Turn, effort: &Effort, waiting: Waiting) -> Result<Made, Refusal> {
    let who = turn.actor;
    plan(state, turn, who, effort, waiting)?.throw(turn)
}

/// Plans a character's roll: pays for the spotlight, and uses what waits. Anything that can be refused is refused here,
/// before any die is rolled.
pub(crate) fn plan(
    state: &mut State,
    turn: &Turn,
    who: CharacterId,
    effort: &Effort,
    waiting: Waiting,
) -> Result<Plan, Refusal> {
    let held = state.held(who);
    let mut spotlight = Vec::new();
    let mut used = Vec::new();
    if waiting == Waiting::Counts {
        (spotlight, used) = (held.paid.clone(), held.pending.clone());
    }
    if let Some(aspect) = effort.spot {
        spotlight.push(aspect);
        spotlight::allow(turn, spotlight.len())?;
        spotlight::pay(state)?;
    }
    let waits: i32 = used.iter().map(|each| each.steps).sum();
    let tokens = 2 * i32::try_from(spotlight.len()).expect("few tokens");
    let net = effort.modifier.steps + waits + tokens;
    if net.abs() > rules::FURTHEST {
        let far = rules::FURTHEST;
        let waits =
            if waits == 0 { String::new() } else { format!(", {waits:+} of it waiting for {}", turn.name(who)) };
        return Err(Refusal::new(format!("{net:+} is too far on the ladder{waits}: {far} up or down is the most")));
    }
    if waiting == Waiting::Counts && held != Holdings::default() {
        let holdings = state.of(who);
        holdings.pending.clear();
        holdings.paid.clear();
    }
    Ok(Plan { net, spotlight, used })
}
