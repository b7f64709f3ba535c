//! Plays a command of a game.

use crate::evaluate::{Scope, Spent, Value};
use crate::expression::Expression;
use crate::game::{Change, Command, End, Game, Sign, Step};
use crate::kept::Kept;
use crate::read::{VALUE, tells};
use crate::template::Template;
use crate::thrown::{Fell, Thrown};
use chat::{Block, Span};
use plugin_api::{CharacterId, CommandSpec, Counter, FollowUp, Manifest, Refusal, Reply, Target, Trait, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The fact that says what the story tells.
pub const STORY: &str = "story";

/// What a roll keeps for its follow-ups.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The command that rolled.
    pub command: String,
    /// What had a name at its end.
    pub names: BTreeMap<String, Value>,
    /// The follow-ups that were done, and are not offered again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<String>,
    /// For each command that the line was and that rolls for several names, what fell for each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fell: BTreeMap<String, Fell>,
    /// Who was asked for which command.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, u32>,
    /// The version of the file that rolled, as the table counts them.
    #[serde(default = "first_version", skip_serializing_if = "is_first_version")]
    pub version: u32,
}

fn first_version() -> u32 {
    1
}

fn is_first_version(version: &u32) -> bool {
    *version == first_version()
}

/// Plays the command at this place of the manifest with what was typed for it, at a table that keeps these versions of the
/// game. A follow-up is played by the version that rolled.
///
/// # Errors
/// The game refuses, or it would take more dice than there may be.
pub fn play(
    (game, kept): (&Game, &Kept),
    at: usize,
    typed: &BTreeMap<String, Value>,
    turn: &mut Turn,
) -> Result<Reply, Refusal> {
    let target: Option<Target<Record>> = match game.commands[at].follows.is_empty() {
        true => None,
        false => Some(turn.target()?),
    };
    let version = target.as_ref().map_or_else(|| kept.number_of(game), |target| target.record.version);
    let (game, at) = match &target {
        Some(target) => rolled_by((game, kept), at, target)?,
        None => (game, at),
    };
    let (spec, command) = (&game.manifest.commands[at], &game.commands[at]);
    let mut names = BTreeMap::new();
    if let Some(target) = &target {
        may_follow(spec, command, target, turn)?;
        names.clone_from(&target.record.names);
        // What the roll called something may have come onto the sheet with a newer file.
        names.retain(|name, _| !game.sheet.contains_key(name) && !game.derived.contains_key(name));
    }
    for (name, value) in typed {
        let value = if command.people.contains(name) { somebody(value, turn)? } else { value.clone() };
        names.insert(name.clone(), value);
    }
    names.extend(game.manifest.settings.iter().map(|setting| (setting.key.clone(), Value::of_setting(setting, turn))));
    let wanted = turn.is_wanted_whole();
    let mut fell = turn.earlier_version::<Record>().map(|earlier| earlier.fell).unwrap_or_default();
    let thrown = Thrown::after(fell.remove(&spec.name).unwrap_or_default());
    let mut scope = Scope { names, sheet: &game.sheet, derived: &game.derived, turn, thrown, spent: Spent::default() };
    let done = target.as_ref().filter(|target| target.record.done.contains(&spec.name) && !command.again);
    let done = done.map(|target| Refusal::new(format!("{} was done on #{} already", spec.name, target.entry)));
    let rolled = steps(command, done, &mut scope)?;
    scope.thrown.lays_none_aside()?;
    let end = ending(command, &mut scope)?;
    let mut reply = stated(command, end, &scope);
    if !wanted {
        return Ok(reply);
    }
    reply = shown(command, end, &rolled, reply, &mut scope)?;
    reply = changed(game, command, reply, &mut scope)?;
    let mut asked = BTreeMap::new();
    reply = told((&game.manifest, command), reply, &mut asked, &mut scope)?;
    let whose = target.as_ref().map(|target| scope.turn.whose(target, &target.record.command)).unwrap_or_default();
    if let Some(Block::Line(line)) = reply.blocks.first_mut().filter(|_| !whose.is_empty()) {
        line.insert(0, Span::Text(whose));
    }
    let next = Record { command: spec.name.clone(), names: BTreeMap::new(), done: Vec::new(), fell, asked, version };
    let kept = |name: &str| game.command(name).map(|followed| &followed.keeps);
    let keeps = kept(target.as_ref().map_or(&spec.name, |target| &target.record.command));
    scope.names.retain(|name, _| keeps.is_some_and(|keeps| keeps.contains(name)));
    Ok(recorded(&game.manifest, (spec, command), &rolled, (target, next), reply, scope))
}

/// The game as it was when it rolled, and the place of the same command in it.
fn rolled_by<'g>(
    (game, kept): (&'g Game, &'g Kept),
    at: usize,
    Target { entry, record, .. }: &Target<Record>,
) -> Result<(&'g Game, usize), Refusal> {
    // A roll of a version that the table does not keep is settled by what it plays now.
    let old = match kept.game(record.version) {
        Some(old) if old.text != game.text => old,
        _ => return Ok((game, at)),
    };
    let spec = &game.manifest.commands[at];
    let same = |old: &CommandSpec| old.name == spec.name && old.arguments == spec.arguments;
    // What is no longer declared cannot be read from a sheet.
    let known = || old.sheet.keys().all(|name| game.sheet.contains_key(name));
    let place = old.manifest.commands.iter().position(same).filter(|_| known());
    let refusal = || {
        let title = &game.manifest.title;
        let what = format!("#{entry} was rolled with another version of {title}, in which {} is different", spec.name);
        Refusal::new(what)
    };
    Ok((old, place.ok_or_else(refusal)?))
}

/// Refuses to follow up on another command's roll, or to change a sheet that is not of whoever rolled.
fn may_follow(spec: &CommandSpec, command: &Command, target: &Target<Record>, turn: &Turn) -> Result<(), Refusal> {
    let Target { entry, actor, record, .. } = target;
    if !command.follows.contains(&record.command) {
        let what = format!("that follows {}, and #{entry} is {}", command.follows.join(" or "), record.command);
        return Err(Refusal::new(what));
    }
    let asked = record.asked.get(&spec.name).map(|who| CharacterId(*who)).filter(|who| *who != turn.actor);
    if let Some(asked) = asked {
        return Err(Refusal::new(format!("#{entry} is for {} to answer", turn.name(asked))));
    }
    if spec.is(Trait::Sheet) && *actor != turn.actor && spec.follow_up == FollowUp::Own {
        let name = turn.name(*actor);
        return Err(Refusal::new(format!("#{entry} is {name}'s roll, and this is about a sheet: act as {name}")));
    }
    Ok(())
}

/// The character who was named, if anybody was.
fn somebody(typed: &Value, turn: &mut Turn) -> Result<Value, Refusal> {
    let Value::Word(name) = typed else { return Ok(Value::Nothing) };
    let who = turn.character(name)?;
    if who == turn.actor {
        return Err(Refusal::new("that is you yourself: name somebody else").about(name));
    }
    Ok(Value::Somebody { who: who.0, name: turn.name(who).to_owned() })
}

fn holds(when: Option<&Expression>, scope: &mut Scope<'_, '_>) -> Result<bool, Refusal> {
    match when {
        Some(when) => Ok(scope.value(when)?.holds()),
        None => Ok(true),
    }
}

/// Does the steps in their order. Returns the names of what was rolled. What was done already is refused unless the game itself
/// says why not.
fn steps<'c>(command: &'c Command, done: Option<Refusal>, scope: &mut Scope<'_, '_>) -> Result<Vec<&'c str>, Refusal> {
    let mut rolled: Vec<&str> = Vec::new();
    for step in &command.steps {
        match step {
            Step::Refuse(when, said) => {
                if scope.value(when)?.holds() {
                    return Err(Refusal::new(said.said(scope)?));
                }
            }
            Step::Roll(..) if done.is_some() => break,
            Step::Let(name, expression) | Step::Roll(name, expression) => {
                scope.thrown.is_for(name);
                let value = scope.value(expression)?;
                scope.names.insert(name.clone(), value);
                if matches!(step, Step::Roll(..)) && !rolled.contains(&name.as_str()) {
                    rolled.push(name);
                }
            }
        }
    }
    done.map_or(Ok(rolled), Err)
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
    let hides = scope.turn.hides().is_some() && command.hidden.contains(VALUE);
    if command.total.is_some()
        && !hides
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
    let hides = scope.turn.hides().is_some();
    let told = |text: &Template| !hides || !tells(text, &command.hidden);
    if let Some(end) = end {
        reply = reply.bold(if told(&end.headline) { end.headline.said(scope)? } else { end.outcome.clone() });
        let more = if told(&end.more) { end.more.said(scope)? } else { String::new() };
        reply = if more.is_empty() { reply } else { reply.text(format!(": {more}")) };
    } else if command.total.is_some() && !(hides && command.hidden.contains(VALUE)) {
        reply = reply.bold(scope.names.get(VALUE).map(Value::shown).unwrap_or_default());
    }
    for name in rolled {
        let dice = scope.names.get(*name).cloned().unwrap_or(Value::Nothing).dice();
        let faced = command.faced.get(*name);
        let (called, between) = faced.map_or((String::new(), " "), |die| (format!("{} ", die.name), ", "));
        reply = if dice.is_empty() { reply } else { apart(reply).text(called) };
        for (at, (sides, value)) in dice.into_iter().enumerate() {
            reply = if at > 0 { reply.text(between) } else { reply };
            reply = reply.die(faced.map_or_else(|| format!("d{sides}={value}"), |die| die.shown(value)));
        }
    }
    Ok(reply)
}

/// Changes numbers of the sheet, and says which.
fn changed(game: &Game, command: &Command, mut reply: Reply, scope: &mut Scope<'_, '_>) -> Result<Reply, Refusal> {
    for Change { when, name, sign, amount } in &command.changes {
        if !holds(when.as_ref(), scope)? {
            continue;
        }
        // `take: attribute, one of might, wits` names the number.
        let typed = match scope.names.get(name) {
            Some(Value::Word(typed)) => Some(typed.clone()),
            _ => None,
        };
        let name = typed.as_ref().unwrap_or(name);
        let Some(first) = game.sheet.get(name) else { continue };
        let amount = scope.number(amount)?;
        let before = scope.turn.value(name)?.unwrap_or(*first);
        let to = match sign {
            Sign::Plus => before.now.saturating_add(amount),
            Sign::Minus => before.now.saturating_sub(amount),
            Sign::Is => amount,
        };
        let declared = game.manifest.values.iter().find(|value| value.name == *name);
        let to = declared.map_or(to, |value| value.within(to));
        let after = Counter { most: before.most.or(first.most), ..before }.at(to);
        scope.turn.change_value(name, after);
        let by = match after.now.saturating_sub(before.now) {
            // What is full cannot become more; what changes by nothing is no change.
            0 if *sign == Sign::Is || amount == 0 => continue,
            0 => " as before".to_owned(),
            by => format!(" ({by:+})"),
        };
        reply = apart(reply).text(format!("{name} {after}{by}"));
    }
    Ok(reply)
}

/// What else it says, in the answer and in the story, and what may be typed next.
fn told(
    (manifest, command): (&Manifest, &Command),
    mut reply: Reply,
    asked: &mut BTreeMap<String, u32>,
    scope: &mut Scope<'_, '_>,
) -> Result<Reply, Refusal> {
    for (when, said) in &command.tells {
        if holds(when.as_ref(), scope)? {
            let said = said.said(scope)?;
            reply = apart(reply).text(said);
        }
    }
    for (when, said) in &command.stories {
        if holds(when.as_ref(), scope)? {
            let said = said.said(scope)?;
            reply = reply.fact(STORY, said);
            break;
        }
    }
    for (when, said) in &command.whys {
        if holds(when.as_ref(), scope)? {
            let said = said.said(scope)?;
            reply = reply.why(said);
        }
    }
    for offer in &command.offers {
        if holds(offer.when.as_ref(), scope)? {
            let (line, label) = (offer.line.said(scope)?, offer.label.said(scope)?);
            let of = offer.of.as_ref().map(|of| scope.names.get(of).cloned().unwrap_or(Value::Nothing));
            reply = match of {
                None if offer.must => reply.ask(line, label),
                None => reply.offer(line, label),
                Some(Value::Somebody { who, .. }) => {
                    asked.extend(manifest.begun(&line).map(|(spec, _)| (spec.name.clone(), who)));
                    reply.ask_of(scope.turn.name(CharacterId(who)), line, label)
                }
                // Nobody was named.
                Some(_) => reply,
            };
        }
    }
    Ok(reply)
}

/// Records what follow-ups need, and closes what is offered no longer.
fn recorded(
    manifest: &Manifest,
    (spec, command): (&CommandSpec, &Command),
    rolled: &[&str],
    (target, mut next): (Option<Target<Record>>, Record),
    reply: Reply,
    scope: Scope<'_, '_>,
) -> Reply {
    let Scope { names, turn, thrown, .. } = scope;
    let Some(Target { entry, actor, record, .. }) = target else {
        // If all is thrown for one name, the order of the dice says enough.
        let several = command.steps.iter().filter(|step| matches!(step, Step::Roll(..))).count() > 1;
        next.fell.extend(several.then(|| (spec.name.clone(), thrown.fell())));
        return reply.record(&Record { names, ..next });
    };
    if !command.closes.is_empty() {
        let closed: Vec<&str> = command.closes.iter().map(String::as_str).collect();
        turn.close_offers_on(entry, &closed);
    }
    let offered = |name: &String| {
        let mut lines = reply.offers.iter().filter_map(|offer| manifest.begun(&offer.command));
        lines.any(|(spec, _)| spec.name == *name)
    };
    let done = record.done.iter().chain([&spec.name]).filter(|name| !offered(name)).cloned().collect();
    let names = match spec.follow_up {
        // Of what somebody else typed and has on their sheet, the roll keeps nothing but the dice.
        FollowUp::Anyone => {
            let dice = names.into_iter().filter(|(name, _)| rolled.contains(&name.as_str()));
            record.names.into_iter().chain(dice).collect()
        }
        _ => names,
    };
    let asked = record.asked.into_iter().chain(next.asked).collect();
    turn.amend(&Record { names, done, asked, ..record });
    if spec.follow_up == FollowUp::Own { turn.offered_to(actor, reply) } else { reply }
}
