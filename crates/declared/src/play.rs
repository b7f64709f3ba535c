//! Plays a command of a game.

use crate::evaluate::{Scope, Value};
use crate::expression::Expression;
use crate::game::{Change, Command, End, Game, Step};
use crate::read::VALUE;
use plugin_api::{Counter, Refusal, Reply, Target, Trait, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a roll keeps for its follow-ups.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The command that rolled.
    pub command: String,
    /// What had a name at its end.
    pub names: BTreeMap<String, Value>,
}

/// Plays the command at this place of the manifest with what was typed for it.
///
/// # Errors
/// The game refuses, or it would take more dice than there may be.
pub fn play(game: &Game, at: usize, typed: &BTreeMap<String, Value>, turn: &mut Turn) -> Result<Reply, Refusal> {
    let (spec, command) = (&game.manifest.commands[at], &game.commands[at]);
    let target: Option<Target<Record>> = match command.follows.is_empty() {
        true => None,
        false => Some(turn.target()?),
    };
    let mut names = BTreeMap::new();
    if let Some(target) = &target {
        may_follow(command, target, spec.is(Trait::Sheet), turn)?;
        names.clone_from(&target.record.names);
    }
    names.extend(typed.iter().map(|(name, value)| (name.clone(), value.clone())));
    let first = game.sheet.iter().map(|(name, first)| (name.clone(), first.now)).collect();
    let wanted = turn.is_wanted_whole();
    let mut scope = Scope { names, sheet: &first, derived: &game.derived, turn };
    let rolled = steps(command, &mut scope)?;
    let end = ending(command, &mut scope)?;
    let mut reply = stated(command, end, &scope);
    if !wanted {
        return Ok(reply);
    }
    if let Some(target) = &target {
        reply = reply.text(scope.turn.whose(target, &target.record.command));
    }
    reply = shown(command, end, &rolled, reply, &mut scope)?;
    reply = changed(game, command, reply, &mut scope)?;
    for (when, said) in &command.tells {
        if holds(when.as_ref(), &mut scope)? {
            let said = said.said(&mut scope)?;
            reply = apart(reply).text(said);
        }
    }
    for offer in &command.offers {
        if holds(offer.when.as_ref(), &mut scope)? {
            let label = offer.label.said(&mut scope)?;
            reply = if offer.must { reply.ask(&offer.line, label) } else { reply.offer(&offer.line, label) };
        }
    }
    Ok(kept(command, &spec.name, target, reply, scope))
}

/// Refuses to follow up on another command's roll, or to change a sheet that is not of whoever rolled.
fn may_follow(command: &Command, target: &Target<Record>, sheet: bool, turn: &Turn) -> Result<(), Refusal> {
    if !command.follows.contains(&target.record.command) {
        let what = format!(
            "that follows {}, and #{} is {}",
            command.follows.join(" or "),
            target.entry,
            target.record.command
        );
        return Err(Refusal::new(what));
    }
    if sheet && target.actor != turn.actor {
        let name = turn.name(target.actor);
        return Err(Refusal::new(format!(
            "#{} is {name}'s roll, and this changes a sheet: act as {name}",
            target.entry
        )));
    }
    Ok(())
}

fn holds(when: Option<&Expression>, scope: &mut Scope<'_, '_>) -> Result<bool, Refusal> {
    match when {
        Some(when) => Ok(scope.value(when)?.holds()),
        None => Ok(true),
    }
}

/// Does the steps in their order. Returns the names of what was rolled.
fn steps<'c>(command: &'c Command, scope: &mut Scope<'_, '_>) -> Result<Vec<&'c str>, Refusal> {
    let mut rolled: Vec<&str> = Vec::new();
    for step in &command.steps {
        match step {
            Step::Refuse(when, said) => {
                if scope.value(when)?.holds() {
                    return Err(Refusal::new(said.said(scope)?));
                }
            }
            Step::Let(name, expression) | Step::Roll(name, expression) => {
                let value = scope.value(expression)?;
                scope.names.insert(name.clone(), value);
                if matches!(step, Step::Roll(..)) && !rolled.contains(&name.as_str()) {
                    rolled.push(name);
                }
            }
        }
    }
    Ok(rolled)
}

/// How it ends.
fn ending<'c>(command: &'c Command, scope: &mut Scope<'_, '_>) -> Result<Option<&'c End>, Refusal> {
    if let Some(total) = &command.total {
        let total = scope.number(total)?;
        scope.names.insert(VALUE.to_owned(), Value::Number(total));
    }
    for end in &command.ends {
        if holds(end.when.as_ref(), scope)? {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// The facts of how it ended.
fn stated(command: &Command, end: Option<&End>, scope: &Scope<'_, '_>) -> Reply {
    let mut reply = Reply::new();
    if command.total.is_some()
        && let Some(total) = scope.names.get(VALUE)
    {
        reply = reply.fact("total", total.number());
    }
    if let Some(end) = end {
        reply = reply.fact("outcome", end.outcome.as_str());
        reply = end.success.into_iter().fold(reply, |reply, success| reply.fact("success", success));
    }
    reply
}

/// The beginning of what is behind a bar, unless nothing stands before it.
fn apart(reply: Reply) -> Reply {
    if reply.plain().is_empty() { reply } else { reply.text(" | ") }
}

/// How it ended, and the dice.
fn shown(
    command: &Command,
    end: Option<&End>,
    rolled: &[&str],
    mut reply: Reply,
    scope: &mut Scope<'_, '_>,
) -> Result<Reply, Refusal> {
    if let Some(end) = end {
        reply = reply.bold(end.headline.said(scope)?);
        let more = end.more.said(scope)?;
        reply = if more.is_empty() { reply } else { reply.text(format!(": {more}")) };
    } else if command.total.is_some() {
        reply = reply.bold(scope.names.get(VALUE).map(Value::shown).unwrap_or_default());
    }
    for name in rolled {
        reply = apart(reply);
        let dice = scope.names.get(*name).cloned().unwrap_or(Value::Nothing).dice();
        for (at, (sides, value)) in dice.into_iter().enumerate() {
            reply = if at > 0 { reply.text(" ") } else { reply };
            reply = reply.die(format!("d{sides}={value}"));
        }
    }
    Ok(reply)
}

/// Changes numbers of the sheet, and says which.
fn changed(game: &Game, command: &Command, mut reply: Reply, scope: &mut Scope<'_, '_>) -> Result<Reply, Refusal> {
    for Change { when, name, to } in &command.changes {
        if !holds(when.as_ref(), scope)? {
            continue;
        }
        let to = scope.number(to)?;
        let first: Counter = game.sheet[name];
        let before = scope.turn.value(name)?.unwrap_or(first);
        let after = Counter { most: before.most.or(first.most), ..before }.at(to);
        scope.turn.change_value(name, after);
        let by = match after.now - before.now {
            0 => " as before".to_owned(),
            by => format!(" ({by:+})"),
        };
        reply = apart(reply).text(format!("{name} {after}{by}"));
    }
    Ok(reply)
}

/// Keeps what follow-ups need, and closes what is offered no longer.
fn kept(command: &Command, name: &str, target: Option<Target<Record>>, reply: Reply, scope: Scope<'_, '_>) -> Reply {
    let Scope { names, turn, .. } = scope;
    match target {
        Some(target) => {
            if !command.closes.is_empty() {
                let closed: Vec<&str> = command.closes.iter().map(String::as_str).collect();
                turn.close_offers_on(target.entry, &closed);
            }
            turn.amend(&Record { names, ..target.record });
            turn.offered_to(target.actor, reply)
        }
        None => reply.record(&Record { command: name.to_owned(), names }),
    }
}
