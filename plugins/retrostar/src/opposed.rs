//! Opposed Intentions: both sides at once, or answered later.

use crate::plan::{Made, Waiting, plan, throw};
use crate::rules::{Contest, Throw, Winner, contest};
use crate::state::State;
use crate::words::{Effort, Other};
use crate::{Record, show};
use plugin_api::names::written;
use plugin_api::{CharacterId, Name, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// An opposed Intention, answered or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opposed {
    /// The dice of the side that began.
    pub began: Throw,
    /// The other side, if it was named.
    pub against: Option<CharacterId>,
    /// The other side's dice, once rolled.
    pub answered: Option<Throw>,
}

pub(crate) fn oppose(
    state: &mut State,
    turn: &mut Turn,
    who: Option<Name>,
    other: Option<Other>,
    effort: &Effort,
) -> Result<Reply, Refusal> {
    let (named, now) = match other {
        Some(Other { character: Some(other), .. }) if who.is_some() => {
            let first = who.map_or(String::new(), |name| name.0);
            let what = format!("two names: who acts, and against whom? If {first} acts against {}, say so", other.0);
            let example = format!("as {} oppose {}", written(&first), written(&other.0));
            return Err(Refusal::new(what).about(first).example(example));
        }
        Some(other) => (other.character.or(who), other.modifier.typed.then_some(other.modifier)),
        None => (who, None),
    };
    let against = named.as_ref().map(|name| turn.character(&name.0)).transpose()?;
    if against == Some(turn.actor) {
        return Err(Refusal::new("you cannot oppose yourself").about(named.map_or(String::new(), |name| name.0)));
    }
    let other_name = against.map(|who| turn.name(who).to_owned());
    match (other_name, now) {
        (None, None) => Err(Refusal::new("whom do you oppose, or vs what?").example("oppose +1 vs -2")),
        (Some(name), Some(_)) if !turn.by_referee() => {
            let what = format!("{name} answers with their own dice: leave the number away, they type resist");
            Err(Refusal::new(what).example(format!("oppose {name} +1")))
        }
        (name, Some(modifier)) => {
            let own = plan(state, turn, turn.actor, effort, Waiting::Counts)?;
            let typed = Effort { modifier, spot: None };
            let theirs = match against {
                Some(who) => plan(state, turn, who, &typed, Waiting::Counts)?,
                None => plan(&mut State::default(), turn, turn.actor, &typed, Waiting::Stays)?,
            };
            let (own, theirs) = (own.throw(turn)?, theirs.throw(turn)?);
            let names = [turn.name(turn.actor).to_owned(), name.unwrap_or_else(|| "the other side".to_owned())];
            let notes = [show::notes(state, &own), show::notes(state, &theirs)].concat();
            let opposed = Opposed { began: own.throw, against, answered: Some(theirs.throw) };
            let reply = settle(state, &opposed, turn.actor, &names, &notes);
            Ok(reply.record(&Record::Opposed(opposed)))
        }
        (Some(name), None) => {
            let made = throw(state, turn, effort, Waiting::Counts)?;
            Ok(turn.answer(show::ending(&made.throw), |reply| {
                let headline = format!("opposes {name} with {} ({})", made.throw.total(), made.throw.band().word());
                let reply = show::throw(reply.bold(headline).text(show::position(&made.throw)), state, &made);
                let reply = reply.ask_of(name, "resist", "with your modifier: resist -1");
                let Made { throw, .. } = made;
                let opposed = Opposed { began: throw, against, answered: None };
                reply.record(&Record::Opposed(opposed))
            }))
        }
    }
}

pub(crate) fn resist(state: &mut State, turn: &mut Turn, effort: &Effort) -> Result<Reply, Refusal> {
    let nobody = || Refusal::new("nobody opposes you").example("intent +1");
    let target: Target<Record> = turn.target().map_err(|_| nobody())?;
    let Record::Opposed(opposed) = target.record else { return Err(nobody()) };
    if opposed.answered.is_some() {
        return Err(Refusal::new(format!("#{} is already answered", target.entry)).example("intent +1"));
    }
    let against = opposed.against.ok_or_else(nobody)?;
    if against != turn.actor && !turn.by_referee() {
        let what = format!("#{} is for {} to answer, or for a referee", target.entry, turn.name(against));
        return Err(Refusal::new(what).example("intent +1"));
    }
    if !effort.modifier.typed {
        return Err(Refusal::new("with what? Type your modifier, 0 if you have none").example("resist +1"));
    }
    // A referee who answers for somebody rolls that character's dice.
    let made = plan(state, turn, against, effort, Waiting::Counts)?.throw(turn)?;
    let notes = show::notes(state, &made);
    let opposed = Opposed { answered: Some(made.throw), ..opposed };
    let names = [turn.name(target.actor).to_owned(), turn.name(against).to_owned()];
    let reply = settle(state, &opposed, target.actor, &names, &notes);
    turn.amend(&Record::Opposed(opposed));
    Ok(reply)
}

/// Compares both sides, and stores the penalties for their next rolls.
fn settle(state: &mut State, opposed: &Opposed, a: CharacterId, names: &[String; 2], notes: &[String]) -> Reply {
    let (began, answered) = (&opposed.began, opposed.answered.as_ref().expect("both sides threw"));
    let contest = contest(began.band(), answered.band());
    let [name_a, name_b] = names;
    if contest.penalty_a != 0 {
        state.await_next(a, contest.penalty_a, format!("opposed by {name_b}"));
    }
    if let Some(b) = opposed.against.filter(|_| contest.penalty_b != 0) {
        state.await_next(b, contest.penalty_b, format!("opposed by {name_a}"));
    }
    let ends = ends(&contest, names);
    let headline = format!("{name_a} vs {name_b}: {ends} {} : {}", began.total(), answered.total());
    let penalty = match (contest.penalty_a, contest.penalty_b) {
        (0, 0) => String::new(),
        (0, _) => format!(", {name_b} -1d next"),
        (_, 0) => format!(", {name_a} -1d next"),
        _ => ", both -1d next".to_owned(),
    };
    let reply = Reply::new().bold(headline).text(format!("{penalty} |"));
    let reply = show::dice(show::dice(reply, began).text(" :"), answered);
    let reply = if notes.is_empty() { reply } else { reply.text(format!(" | {}", notes.join(", "))) };
    let winner = match contest.winner {
        Winner::None => "none",
        Winner::Draw => "draw",
        Winner::A => "A",
        Winner::B => "B",
    };
    let reply = reply.why(format!("{name_a}: {}; {name_b}: {}", show::sum(began), show::sum(answered)));
    reply
        .fact("A", began.total())
        .fact("B", answered.total())
        .fact("winner", winner)
        .fact("partial", contest.partial)
        .fact("penaltyA", contest.penalty_a)
        .fact("penaltyB", contest.penalty_b)
        .fact("pool", state.pool)
}

fn ends(contest: &Contest, [name_a, name_b]: &[String; 2]) -> String {
    let partly = if contest.partial { "partly succeeds" } else { "succeeds" };
    match contest.winner {
        Winner::None => "BOTH FAIL, the Showrunner decides,".to_owned(),
        Winner::Draw => "DRAW".to_owned(),
        Winner::A => format!("{name_a} {partly}").to_uppercase(),
        Winner::B => format!("{name_b} {partly}").to_uppercase(),
    }
}
