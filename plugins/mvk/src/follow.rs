//! Decisions about a roll after it was made: its counter, the use of its critical success, the die its fumble
//! scratches.
//!
//! Each decision is stored in the roll, which is judged again; the difference in inspiration is given or taken.

use crate::rules::{CritUse, Judgement, Kind, Outcome, Roll, Whether};
use crate::{CritChoice, NamedDie, Pool, State, settle, show, throw};
use plugin_api::{CharacterId, DiceWord, Refusal, Reply, Target, Turn};

/// An example for when nothing more can be decided about a roll.
const NEW_ROLL: &str = "act d8 d10 vs 17";

pub(crate) fn vs(state: &mut State, turn: &mut Turn, total: i64) -> Result<Reply, Refusal> {
    let target: Target<Roll> = turn.target()?;
    if target.record.kind == Kind::Counter {
        return Err(Refusal::new(format!("#{} is itself a counter, so nothing counters it", target.entry)));
    }
    if let Some(counter) = target.record.counter {
        let against = turn.hides().map_or(counter.to_string(), str::to_owned);
        let what = format!("#{} was settled against {against}", target.entry);
        let again = format!("amend #{} act d8 d10 vs {total}", target.entry);
        return Err(Refusal::new(what).example(if turn.by_referee() { again } else { NEW_ROLL.to_owned() }));
    }
    let (roll, note) = settled(state, &target, total);
    Ok(amend(state, turn, &target, roll, note))
}

/// Settles an action against a counter total. Also returns what to say if it turned out not to be a critical success.
fn settled(state: &State, action: &Target<Roll>, total: i64) -> (Roll, Option<&'static str>) {
    let mut roll = Roll { counter: Some(total), ..action.record.clone() };
    let note = without_crit_if_countered(state, &mut roll, action.actor);
    (roll, note)
}

/// Takes the critical success of a countered roll back. Returns what to say about it.
fn without_crit_if_countered(state: &State, roll: &mut Roll, actor: CharacterId) -> Option<&'static str> {
    let countered = roll.judge().outcome == Outcome::Countered;
    roll.crit.take_if(|_| countered).map(|used| match used {
        CritUse::Impact => "countered, so the crit's +2 impact is taken back",
        CritUse::Inspire if state.inspiration_of(actor) == 0 => {
            "countered; the crit's inspiration was spent and cannot be taken back"
        }
        CritUse::Inspire => "countered, so the crit's inspiration is taken back",
    })
}

/// The action that a counter settles: one against the character who counters, or one of the opposition that they name;
/// referees may name any.
pub(crate) fn countered(turn: &Turn) -> Result<Option<Target<Roll>>, Refusal> {
    let Some(target) = turn.peek_target::<Roll>() else { return Ok(None) };
    let Target { entry, actor, record: Roll { kind, counter, against, .. }, named, .. } = target;
    let pointed = named || actor != turn.actor;
    let refuse = |what: String| Err(Refusal::new(what).example("counter d8 d10"));
    match (kind, counter) {
        _ if !pointed => Ok(None),
        (Kind::Counter, _) => refuse(format!("#{entry} is itself a counter, so nothing counters it")),
        (_, Some(_)) => refuse(format!("#{entry} is settled already")),
        _ if actor == turn.actor => refuse(format!("#{entry} is your own action")),
        _ if against == Some(turn.actor) || turn.opposes(actor) || turn.by_referee() => turn.target().map(Some),
        _ => {
            let whose = turn.name(actor);
            refuse(format!("#{entry} is an action of {whose}, and not against you: a referee may counter it"))
        }
    }
}

/// Rolls these dice as the counter to an action, and settles it.
pub(crate) fn counter(
    state: &mut State,
    turn: &mut Turn,
    action: &Target<Roll>,
    pool: &Pool,
) -> Result<Reply, Refusal> {
    let actor = turn.actor;
    let roll = throw(state, turn, (actor, Kind::Counter), pool)?;
    let judged = roll.judge();
    let held = state.inspiration_of(turn.actor) + judged.inspiration;
    if judged.inspiration != 0 {
        state.of(turn.actor).inspiration = held;
    }
    let (action_now, note) = settled(state, action, i64::from(judged.total));
    let decided = decide(state, turn, action, action_now, note);
    Ok(turn.answer(show::ending(&decided.judged), |reply| {
        let countering = show::roll(Reply::new(), turn, &roll, &judged, (judged.inspiration, held)).text(" | ");
        let shown = Reply { facts: reply.facts, ..countering };
        decided.show_result(turn, action, shown)
    }))
}

/// Rolls an action, and the counter of whom it is against with the dice on their sheet.
pub(crate) fn both(state: &mut State, turn: &mut Turn, pool: &Pool, dice: DiceWord) -> Result<Reply, Refusal> {
    let Some(who) = turn.against() else {
        let what = "whoever counters rolls those dice themselves: name them here, and they type counter";
        return Err(Refusal::new(what).about(&*dice.typed));
    };
    // The referee, who has the NPCs, reads what is played in secret.
    if !turn.opposes(who) {
        turn.touches(who)?;
    }
    let countering = Pool { dice: vec![dice], ..Pool::default() };
    let actor = turn.actor;
    let roll = throw(state, turn, (actor, Kind::Action), pool)?;
    let counter = throw(state, turn, (who, Kind::Counter), &countering)?;
    let judged = counter.judge();
    if judged.inspiration != 0 {
        state.of(who).inspiration += judged.inspiration;
    }
    let reply = settle(state, turn, Roll { counter: Some(i64::from(judged.total)), against: Some(who), ..roll })?;
    Ok(show::countering(reply, turn.name(who), &counter, &judged))
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
    Ok(amend(state, turn, &target, roll, Some(note)))
}

/// Which scratched die is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scratched {
    /// The one that a fumble with a 1 takes; of another roll, one that a rule takes.
    ForTheFumble,
    /// One that a rule takes, besides.
    ByRule,
}

pub(crate) fn scratch(
    state: &mut State,
    turn: &mut Turn,
    die: &NamedDie,
    scratched: Scratched,
) -> Result<Reply, Refusal> {
    let target: Target<Roll> = turn.target()?;
    let roll = &target.record;
    let for_the_fumble = scratched == Scratched::ForTheFumble && roll.fortune == 1;
    let taken = roll.judge().scratched;
    let may_go: Vec<usize> = match for_the_fumble {
        true => roll.may_scratch().collect(),
        false => roll.in_play().filter(|at| Some(*at) != taken).collect(),
    };
    let fits = |at: &usize| {
        let thrown = roll.dice[*at];
        thrown.sides == die.sides && die.value.is_none_or(|value| value == thrown.value)
    };
    let mut found: Vec<usize> = may_go.iter().copied().filter(fits).collect();
    found.dedup_by_key(|at| roll.dice[*at]);
    match found.as_slice() {
        [at] => {
            let mut chosen = roll.clone();
            if for_the_fumble {
                chosen.scratch = Some(*at)
            } else {
                chosen.removed.push(*at)
            }
            let note = without_crit_if_countered(state, &mut chosen, target.actor);
            Ok(amend(state, turn, &target, chosen, note))
        }
        [] => Err(no_such_die(roll, die, may_go.first().copied())),
        several => {
            let forms: Vec<_> = several.iter().map(|at| format!("scratch {}", roll.dice[*at])).collect();
            Err(Refusal::new(format!("which d{}: {}?", die.sides, forms.join(" or "))).example(&forms[0]))
        }
    }
}

fn no_such_die(roll: &Roll, die: &NamedDie, other: Option<usize>) -> Refusal {
    let same = |at: &usize| {
        let thrown = roll.dice[*at];
        thrown.sides == die.sides && die.value.is_none_or(|value| value == thrown.value)
    };
    let shows_one = roll.in_play().filter(same).any(|at| roll.dice[at].value == 1);
    let what = match shows_one && roll.fortune == 1 {
        true => "a die that rolled 1 may not be scratched".to_owned(),
        false if die.sides == 20 => "the d20 is never scratched".to_owned(),
        false if (0..roll.dice.len()).any(|at| same(&at)) => format!("that {} is scratched already", die.typed),
        false => format!("there is no such d{} to scratch in that roll", die.sides),
    };
    match other {
        Some(at) => Refusal::new(what).about(&*die.typed).example(format!("scratch d{}", roll.dice[at].sides)),
        None => Refusal::new(format!("{what}, and no other is left")).about(&die.typed).example(NEW_ROLL),
    }
}

/// The result of a decision about a roll.
struct Decided {
    roll: Roll,
    judged: Judgement,
    /// The inspiration it gave or took, and the amount now held.
    change: i64,
    now: i64,
    note: Option<&'static str>,
}

/// Stores a decision in the roll, and gives or takes the difference in inspiration.
fn decide(
    state: &mut State,
    turn: &mut Turn,
    target: &Target<Roll>,
    roll: Roll,
    note: Option<&'static str>,
) -> Decided {
    let (before, judged) = (target.record.judge(), roll.judge());
    let held = state.inspiration_of(target.actor);
    // Inspiration may have been spent by now: no more than is held can be taken back.
    let change = (judged.inspiration - before.inspiration).max(-held);
    if change != 0 {
        state.of(target.actor).inspiration += change;
    }
    turn.amend(&roll);
    Decided { roll, judged, change, now: held + change, note }
}

/// The same as [`decide`], with the answer.
fn amend(state: &mut State, turn: &mut Turn, target: &Target<Roll>, roll: Roll, note: Option<&'static str>) -> Reply {
    let decided = decide(state, turn, target, roll, note);
    turn.answer(show::ending(&decided.judged), |reply| decided.show(turn, target, reply))
}

impl Decided {
    /// How the roll ends, after `reply`, without the dice that everybody has read.
    fn show_result(&self, turn: &Turn, target: &Target<Roll>, mut reply: Reply) -> Reply {
        reply = reply.text(turn.whose(target, "roll"));
        if let Some(note) = self.note {
            reply = reply.text(format!("{note} | "));
        }
        turn.offered_to(target.actor, show::result(reply, turn, &self.roll, &self.judged, (self.change, self.now)))
    }

    /// The roll as it is now, after `reply`.
    fn show(&self, turn: &Turn, target: &Target<Roll>, mut reply: Reply) -> Reply {
        reply = reply.text(turn.whose(target, "roll"));
        if let Some(note) = self.note {
            reply = reply.text(format!("{note} | "));
        }
        turn.offered_to(target.actor, show::roll(reply, turn, &self.roll, &self.judged, (self.change, self.now)))
    }
}
