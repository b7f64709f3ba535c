//! Intentions and assists, and the choice after a 7 to 9.

use crate::plan::{Made, Waiting, throw};
use crate::rules::{Band, Throw};
use crate::state::State;
use crate::words::Effort;
use crate::{Record, show};
use plugin_api::{CharacterId, Name, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// An Intention on the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Intent {
    /// Its dice.
    pub throw: Throw,
    /// True if it was made under the Reboot's results.
    pub reboot: bool,
    /// The choice for its 7 to 9, as it was announced.
    pub chosen: Option<String>,
    /// True if the character to empower or hinder was chosen.
    #[serde(default)]
    pub whom: bool,
}

/// Help for somebody else's Intention.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Assist {
    /// Its dice.
    pub throw: Throw,
    /// The character who is helped.
    pub helps: CharacterId,
    /// The choice for its 7 to 9, as it was announced.
    pub chosen: Option<String>,
}

/// A choice for a 7 to 9.
pub(crate) enum Chosen {
    /// No success, and control stays.
    Keep,
    /// Success, and control goes.
    Cede,
    /// No success, and another character is empowered.
    Empower(Option<Name>),
    /// Success, and another character is hindered.
    Hinder(Option<Name>),
}

/// The bonus from a successful assist (Assisting Results).
const HELP: i32 = 2;
/// The penalty from a failed one.
const HINDRANCE: i32 = -1;

pub(crate) fn intent(state: &mut State, turn: &mut Turn, effort: &Effort) -> Result<Reply, Refusal> {
    let made = throw(state, turn, effort, Waiting::Counts)?;
    Ok(turn.answer(show::ending(&made.throw), |reply| {
        let band = made.throw.band();
        let says = match band {
            Band::Fail => "FAILS",
            Band::Mixed => "CHOICE",
            Band::Success => "SUCCESS",
        };
        let mut reply = show::throw(show::headline(reply, says, &made.throw), state, &made);
        if band == Band::Mixed {
            let [first, second] = choices(state.reboot);
            reply = reply.ask(first.0, first.1).ask(second.0, second.1).fact("choice", vec![first.0, second.0]);
        }
        let Made { throw, .. } = made;
        reply.record(&Record::Intent(Intent { throw, reboot: state.reboot, chosen: None, whom: false }))
    }))
}

/// The choices for a 7 to 9: what to type, and what it means.
fn choices(reboot: bool) -> [(&'static str, &'static str); 2] {
    match reboot {
        false => [("keep", "fail, keep control"), ("cede", "succeed, cede control")],
        true => [("empower", "fail, empower another (add a name)"), ("hinder", "succeed, hinder another (add a name)")],
    }
}

pub(crate) fn assist(state: &mut State, turn: &mut Turn, who: &Name, effort: &Effort) -> Result<Reply, Refusal> {
    let helps = turn.character(&who.0)?;
    if helps == turn.actor {
        return Err(Refusal::new("you cannot assist yourself").about(&who.0).example("intent +1"));
    }
    turn.touches(helps)?;
    let name = turn.name(helps).to_owned();
    let made = throw(state, turn, effort, Waiting::Stays)?;
    let band = made.throw.band();
    match band {
        Band::Success => helped(state, turn, helps, HELP),
        Band::Fail => helped(state, turn, helps, HINDRANCE),
        Band::Mixed => {}
    }
    Ok(turn.answer(show::ending(&made.throw), |reply| {
        let total = made.throw.total();
        let says = match band {
            Band::Success => format!("SUCCESS on {total}: helps {name}, +2d on their next Intention"),
            Band::Fail => format!("FAILS on {total}: gets in the way of {name}, -1d on their next Intention"),
            Band::Mixed => format!("CHOICE on {total} for {name}"),
        };
        let mut reply = show::throw(reply.bold(says).text(show::position(&made.throw)), state, &made);
        if band == Band::Mixed {
            reply = reply.ask("keep", "no help, keep control").ask("cede", format!("+2d for {name}, cede control"));
            reply = reply.fact("choice", vec!["keep", "cede"]);
        }
        let reply = show::pending_fact(reply, state, turn, helps);
        let Made { throw, .. } = made;
        reply.record(&Record::Assist(Assist { throw, helps, chosen: None }))
    }))
}

fn helped(state: &mut State, turn: &Turn, who: CharacterId, steps: i32) {
    let name = turn.name(turn.actor);
    let from = if steps > 0 { format!("help of {name}") } else { format!("{name} in the way") };
    state.await_next(who, steps, from);
}

/// Settles a 7 to 9.
pub(crate) fn choose(state: &mut State, turn: &mut Turn, chosen: Chosen) -> Result<Reply, Refusal> {
    let target: Target<Record> = turn.target()?;
    let (band, reboot, before) = match &target.record {
        Record::Intent(intent) => (intent.throw.band(), intent.reboot, intent.chosen.clone()),
        Record::Assist(assist) => (assist.throw.band(), false, assist.chosen.clone()),
        Record::Opposed(_) => {
            let what = format!("#{} is an opposed Intention, which leaves no choice", target.entry);
            return Err(Refusal::new(what).example("waiting"));
        }
    };
    if let Some(before) = before.filter(|before| !names_later(&target.record, &chosen, before)) {
        return Err(Refusal::new(format!("#{} was chosen already: {before}", target.entry)).example("intent +1"));
    }
    if band != Band::Mixed {
        let what = format!("#{} is not a 7 to 9, so there is nothing to choose", target.entry);
        return Err(Refusal::new(what).example("waiting"));
    }
    if reboot != matches!(chosen, Chosen::Empower(_) | Chosen::Hinder(_)) {
        let [first, second] = choices(reboot).map(|(command, _)| command);
        let what = format!("the choice of #{} is {first} or {second}", target.entry);
        return Err(Refusal::new(what).example(first));
    }
    let (actor, succeeds) = (target.actor, matches!(chosen, Chosen::Cede | Chosen::Hinder(_)));
    let ceded = matches!(chosen, Chosen::Cede);
    if ceded {
        state.of(actor).ceded = true;
    }
    let begun = match target.latest || target.named {
        true => turn.about(actor),
        false => Reply::from(turn.whose(&target, "roll")),
    };
    let (reply, says) = match target.record {
        Record::Assist(assist) => assisted(state, turn, begun, (actor, assist), ceded)?,
        Record::Intent(intent) => intended(turn, begun, (actor, intent), chosen)?,
        Record::Opposed(_) => unreachable!("refused above"),
    };
    turn.amend(&says);
    let control = if ceded { "ceded" } else { "kept" };
    Ok(reply.fact("result", if succeeds { "succeeds" } else { "fails" }).fact("control", control))
}

fn assisted(
    state: &mut State,
    turn: &Turn,
    begun: Reply,
    (actor, assist): (CharacterId, Assist),
    ceded: bool,
) -> Result<(Reply, Record), Refusal> {
    let name = turn.name(assist.helps);
    let says = match ceded {
        true => format!("+2d for {name}, control ceded"),
        false => format!("no help for {name}, control kept"),
    };
    if ceded {
        let from = format!("help of {}", turn.name(actor));
        state.await_next(assist.helps, HELP, from);
    }
    let reply = show::pending_fact(begun.bold(&says), state, turn, assist.helps);
    Ok((reply, Record::Assist(Assist { chosen: Some(says), ..assist })))
}

fn intended(
    turn: &mut Turn,
    begun: Reply,
    (actor, intent): (CharacterId, Intent),
    chosen: Chosen,
) -> Result<(Reply, Record), Refusal> {
    let (says, whom) = match chosen {
        Chosen::Keep => ("FAILS, control kept".to_owned(), None),
        Chosen::Cede => ("SUCCEEDS, control ceded".to_owned(), None),
        Chosen::Empower(who) => {
            let whom = another(turn, actor, who)?;
            (format!("FAILS, empowers {}", whom.as_deref().unwrap_or("another character")), whom)
        }
        Chosen::Hinder(who) => {
            let whom = another(turn, actor, who)?;
            (format!("SUCCEEDS, hinders {}", whom.as_deref().unwrap_or("another character")), whom)
        }
    };
    let mut reply = begun.bold(&says).text(format!(" ({})", intent.throw.total()));
    let named = whom.is_some();
    if let Some(whom) = whom {
        reply = reply.fact("whom", whom);
    }
    Ok((reply, Record::Intent(Intent { chosen: Some(says), whom: named, ..intent })))
}

/// True if its choice may name a character and does not yet.
pub(crate) fn is_without_a_name(record: &Record) -> bool {
    matches!(record, Record::Intent(intent) if intent.reboot && intent.chosen.is_some() && !intent.whom)
}

/// True if this only adds the name to a choice made without one.
fn names_later(record: &Record, chosen: &Chosen, before: &str) -> bool {
    is_without_a_name(record)
        && match chosen {
            Chosen::Empower(Some(_)) => before.starts_with("FAILS, empowers"),
            Chosen::Hinder(Some(_)) => before.starts_with("SUCCEEDS, hinders"),
            _ => false,
        }
}

/// The name of another character than the actor.
fn another(turn: &mut Turn, actor: CharacterId, who: Option<Name>) -> Result<Option<String>, Refusal> {
    let Some(Name(name)) = who else { return Ok(None) };
    match turn.character(&name)? {
        who if who == actor => Err(Refusal::new("it must be another character").about(name)),
        who => Ok(Some(turn.name(who).to_owned())),
    }
}
