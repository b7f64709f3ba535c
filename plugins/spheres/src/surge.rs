//! Surge: a feat beyond a hero's abilities, for some fatigue.

use crate::state::{Benefit, Fatigue, Holdings, InForce, State};
use plugin_api::{Forms, Refusal, Reply, Turn};

impl Benefit {
    /// As typed.
    pub fn word(self) -> &'static str {
        match self {
            Benefit::Action => "action",
            Benefit::Effect => "effect",
            Benefit::Trait => "trait",
            Benefit::Negate => "negate",
            Benefit::Deny => "deny",
            Benefit::Edge => "edge",
            Benefit::Counter => "counter",
            Benefit::Retry => "retry",
        }
    }

    fn says(self) -> &'static str {
        match self {
            Benefit::Action => "one more standard action this turn",
            Benefit::Effect => "an alternate effect until the encounter ends",
            Benefit::Trait => "a trait +1 until the end of the next turn",
            Benefit::Negate => "no Disadvantage on your checks until the end of your next turn",
            Benefit::Deny => "no Advantage for whoever you oppose until the end of your next turn",
            Benefit::Edge => "a rank of an Edge until the encounter ends",
            Benefit::Counter => "a counter at once",
            Benefit::Retry => "another check, or another attempt, at once",
        }
    }
}

/// What is said of a Surge.
#[derive(Clone, Forms)]
pub(crate) enum Surge {
    /// what it gives; controlled delays the fatigue
    #[form(bare)]
    For {
        what: Option<Benefit>,
        #[flag("controlled", "compelled")]
        controlled: bool,
    },
    /// you are no longer controlled
    Free,
}

pub(crate) fn surge(state: &mut State, turn: &Turn, how: Option<Surge>) -> Result<Reply, Refusal> {
    let held = state.of(turn.actor);
    let (what, controlled) = match how {
        Some(Surge::Free) => return free(held),
        Some(Surge::For { what, controlled }) => (what, controlled),
        None => (None, false),
    };
    if let (true, true, Some(benefit)) = (held.surged_this_turn, held.surge_unsaid, what) {
        // Named late: it is the same Surge.
        held.surge_unsaid = false;
        last(held, benefit);
        return Ok(facts(Reply::new().bold("SURGE").text(format!(": {}", benefit.says())), held));
    }
    if held.surged_this_turn {
        return Err(Refusal::new("you can Surge once per turn, and you already did").example("turn"));
    }
    if held.fatigue == Fatigue::Incapacitated {
        return Err(Refusal::new("you are incapacitated and cannot Surge").example("sheet"));
    }
    held.surged_this_turn = true;
    held.actions.reacted = true;
    if controlled {
        held.surge_deferred = true;
    } else {
        held.surge_pending = true;
    }
    held.surge_unsaid = what.is_none();
    if let Some(benefit) = what {
        last(held, benefit);
    }
    let reply = Reply::new().bold("SURGE").text(": ");
    let reply = match what {
        Some(benefit) => reply.text(benefit.says()),
        None => reply.text("say what for, as in ").code("surge action"),
    };
    let reply = match controlled {
        true => reply.text("; the fatigue waits until you are free: ").code("surge free"),
        false => reply.text("; then fatigue with your next turn, unless you recover before"),
    };
    Ok(facts(reply, held))
}

/// Brings the fatigue that was put off.
fn free(held: &mut Holdings) -> Result<Reply, Refusal> {
    if !std::mem::take(&mut held.surge_deferred) {
        return Err(Refusal::new("you have no fatigue that waits until you are free").example("surge action"));
    }
    held.surge_pending = true;
    Ok(facts(Reply::from("free again: the fatigue of the Surge comes with your next turn"), held))
}

/// Stores a lasting benefit, or grants the action.
fn last(held: &mut Holdings, benefit: Benefit) {
    if benefit == Benefit::Action {
        held.actions.more += 1;
    }
    let lasting = InForce { benefit, last_turn: false };
    if lasting.until_encounter_ends() || lasting.until_next_turn() {
        held.surges.push(lasting);
    }
}

fn facts(reply: Reply, held: &Holdings) -> Reply {
    reply.fact("pending", held.surge_pending).fact("condition", held.fatigue.word())
}

/// Ends benefits that last until the end of a hero's next turn, once another turn begins after it.
pub(crate) fn turn_begins(held: &mut Holdings) {
    held.surges.retain(|surge| !(surge.until_next_turn() && surge.last_turn));
}

/// Benefits that last until the end of a hero's next turn end with this one.
pub(crate) fn own_turn_begins(held: &mut Holdings) {
    held.surges.iter_mut().filter(|surge| surge.until_next_turn()).for_each(|surge| surge.last_turn = true);
}
