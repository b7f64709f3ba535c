//! What is decided about a roll after it was made: its counter, its critical success, the die its fumble scratches.
//!
//! Each decision is written into the roll, which is judged anew; the difference in inspiration is given or taken.

use crate::rules::{CritUse, Kind, Outcome, Roll, Whether};
use crate::{CritChoice, NamedDie, State, show};
use plugin_api::{Refusal, Reply, Target, Turn};

/// What can be typed where nothing more can be decided about a roll.
const NEW_ROLL: &str = "act d8 d10 vs 17";

pub(crate) fn vs(state: &mut State, turn: &mut Turn, total: i64) -> Result<Reply, Refusal> {
    let target: Target<Roll> = turn.target()?;
    if target.record.kind == Kind::Counter {
        return Err(Refusal::new(format!("#{} is a counter itself, which is not countered", target.entry)));
    }
    if let Some(counter) = target.record.counter {
        let what = format!("#{} was settled against {counter}", target.entry);
        return Err(Refusal::new(what).example(NEW_ROLL));
    }
    let mut roll = Roll { counter: Some(total), ..target.record.clone() };
    let mut note = None;
    if roll.judge().outcome == Outcome::Countered {
        note = roll.crit.take().map(|used| match used {
            CritUse::Impact => "countered, so the crit's +2 impact is taken back",
            CritUse::Inspire if state.inspiration_of(target.actor) == 0 => {
                "countered; the crit's inspiration was spent and cannot be taken back"
            }
            CritUse::Inspire => "countered, so the crit's inspiration is taken back",
        });
    }
    amend(state, turn, &target, &roll, note)
}

pub(crate) fn crit(state: &mut State, turn: &mut Turn, choice: CritChoice) -> Result<Reply, Refusal> {
    let target: Target<Roll> = turn.target()?;
    let entry = target.entry;
    let judgement = target.record.judge();
    if target.record.crit.is_some() {
        return Err(Refusal::new(format!("the critical success of #{entry} was used already")).example(NEW_ROLL));
    }
    if judgement.crit == Whether::No {
        let why = match (target.record.kind, target.record.fortune) {
            (Kind::Action, 20) => "was countered: that is no critical success",
            (Kind::Counter, 20) => "is a counter, which has no critical success",
            _ => "has no 20 on its d20: that is no critical success",
        };
        return Err(Refusal::new(format!("#{entry} {why}")).example(NEW_ROLL));
    }
    let (used, note) = match choice {
        CritChoice::Impact => (CritUse::Impact, "CRIT: +2 impact"),
        CritChoice::Inspire => (CritUse::Inspire, "CRIT: a point of inspiration"),
    };
    let roll = Roll { crit: Some(used), ..target.record.clone() };
    amend(state, turn, &target, &roll, Some(note))
}

pub(crate) fn scratch(state: &mut State, turn: &mut Turn, die: &NamedDie) -> Result<Reply, Refusal> {
    let target: Target<Roll> = turn.target()?;
    let roll = &target.record;
    if roll.fortune != 1 {
        let what = format!("#{} has no 1 on its d20, so nothing is scratched", target.entry);
        return Err(Refusal::new(what).example(NEW_ROLL));
    }
    let fits = |at: &usize| {
        let thrown = roll.dice[*at];
        thrown.sides == die.sides && die.value.is_none_or(|value| value == thrown.value)
    };
    let mut found: Vec<usize> = roll.may_scratch().filter(fits).collect();
    found.dedup_by_key(|at| roll.dice[*at]);
    match found.as_slice() {
        [at] => {
            let chosen = Roll { scratch: Some(*at), ..roll.clone() };
            amend(state, turn, &target, &chosen, None)
        }
        [] => Err(no_such_die(roll, die)),
        several => {
            let forms: Vec<_> = several.iter().map(|at| format!("scratch {}", roll.dice[*at])).collect();
            Err(Refusal::new(format!("which d{}: {}?", die.sides, forms.join(" or "))).example(&forms[0]))
        }
    }
}

fn no_such_die(roll: &Roll, die: &NamedDie) -> Refusal {
    let shows_one = roll.dice.iter().any(|thrown| thrown.sides == die.sides && thrown.value == 1);
    let what = match shows_one && die.value.is_none_or(|value| value == 1) {
        true => "a die that rolled 1 may not be scratched".to_owned(),
        false if die.sides == 20 => "the d20 is never scratched".to_owned(),
        false => format!("there is no such d{} to scratch in that roll", die.sides),
    };
    match roll.may_scratch().next() {
        Some(at) => Refusal::new(what).about(&die.typed).example(format!("scratch d{}", roll.dice[at].sides)),
        None => Refusal::new(format!("{what}, and no other is left")).about(&die.typed).example(NEW_ROLL),
    }
}

/// Writes a decision into the roll and gives or takes what it brings more or less than before.
fn amend(
    state: &mut State,
    turn: &mut Turn,
    target: &Target<Roll>,
    roll: &Roll,
    note: Option<&str>,
) -> Result<Reply, Refusal> {
    let (before, after) = (target.record.judge(), roll.judge());
    let held = state.inspiration_of(target.actor);
    // What was given may be spent by now: more than is held cannot be taken back.
    let change = (after.inspiration - before.inspiration).max(-held);
    if change != 0 {
        state.of(target.actor).inspiration += change;
    }
    turn.amend(roll);
    Ok(turn.answer(show::ending(&after), |mut reply| {
        if target.actor != turn.actor {
            reply = reply.text(format!("{}'s roll: ", turn.name(target.actor)));
        }
        if let Some(note) = note {
            reply = reply.text(format!("{note} | "));
        }
        turn.offered_to(target.actor, show::roll(reply, roll, &after, change, held + change))
    }))
}
