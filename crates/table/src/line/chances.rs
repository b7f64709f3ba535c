//! The chances of a game's command: of one whose odds are asked for, and of the offers in an answer.

use super::around::Around;
use super::filled::{Filled, filled};
use super::meant::ODDS;
use super::meant::read_line;
use super::prepared::Prepared;
use super::prepared::prepare;
use crate::attempt::Attempt;
use crate::draft::Draft;
use crate::odds::of_trials;
use crate::shortcuts;
use chat::{Chance, Offer, Reply};
use dice::{Dice, Every};
use host::Host;
use host::budget::{AN_OUTCOME, ASKED_FOR, Effort, OF_AN_OFFER, OF_OFFERS, SAMPLED};
use host::done::Done;
use host::fuel::{Fuel, too_much};
use host::notation::{dice_of_no_table, guessed, reads_as_dice, throws_dice};
use host::rights::Act;
use host::room::Answered;
use host::trials::{OUTCOME, SUCCESS, Trials};
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use plugin_api::{Against, CommandSpec, FollowUp, Held, Left, Played, Plugin, Refusal, Seen, Target, Wanted, Words};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;
use understand::guess::surely;
use understand::surroundings::Found;

/// The word that asks for an estimate.
const ESTIMATE: &str = "estimate";

/// A game's command whose odds are asked for.
pub(super) struct Asked<'a> {
    odds: &'a CommandSpec,
    plugin: &'a dyn Plugin,
    spec: &'a CommandSpec,
    line: CommandLine,
    from: usize,
    estimate: bool,
}

/// The game's command after `odds`, if there is one. If it only rolls dice, those replace it in the line.
pub(super) fn asked_of_game<'a>(
    draft: &Draft,
    host: &'a Host,
    odds: &'a CommandSpec,
    line: &mut CommandLine,
    attempt: &mut Attempt<'a>,
) -> Result<Option<Asked<'a>>, Unplayed> {
    let (word, place) = line.word();
    let behind = line.typed[place.end..].trim_start();
    let estimated = behind.strip_prefix(ESTIMATE).filter(|rest| rest.starts_with(char::is_whitespace));
    let typed = estimated.unwrap_or(behind).trim_start().trim_start_matches(attempt.room.prefix.as_str());
    let typed = ["for ", "of "].iter().find_map(|leads| typed.strip_prefix(leads)).unwrap_or(typed);
    if reads_as_dice(&guessed(typed), attempt.room.dialect()) || !typed.starts_with(char::is_alphabetic) {
        return match host
            .plugins
            .rolling(&attempt.room, &attempt.doc)
            .filter(|_| !throws_dice(&guessed(typed), attempt.room.dialect()))
        {
            // `odds +2`
            Some(main) if typed.starts_with(['+', '-']) => {
                let meant = format!("{word} {} {typed}", main.name);
                attempt.typed.clone_from(&line.typed);
                Err(Refusal::new("that has no dice in it").mended(0..line.typed.len(), Some(meant)).into())
            }
            _ => Ok(None),
        };
    }
    let inner = CommandLine { typed: typed.to_owned(), by_name: true };
    let (found, inner) = read_line(draft, host, inner, attempt)?;
    attempt.typed.clone_from(&inner.typed);
    let found = found.map_err(|unplayed| {
        // `odds for acrobatics vs 16`
        let meant =
            surely(&Around::of(host, attempt), &inner.typed).filter(|_| !matches!(unplayed, Unplayed::Store(_)));
        let Some(meant) = meant else { return unplayed };
        attempt.typed.clone_from(&line.typed);
        let what = format!("{} is no command", inner.word().0);
        Refusal::new(what).mended(0..line.typed.len(), Some(format!("{word} {meant}"))).into()
    })?;
    match found {
        Found::House(_) => {
            // The line that a value's name stands for has its number in it.
            attempt.typed.clone_from(&line.typed);
            let command = typed.split_whitespace().next().unwrap_or_default();
            Err(Refusal::new(format!("{command} rolls no dice")).about(command).example("odds 2d6 vs 9").into())
        }
        Found::Plugin(plugin, spec, from) if !spec.notation => {
            attempt.said = Some((inner.typed.clone(), Found::Plugin(plugin, spec, from)));
            Ok(Some(Asked { odds, plugin, spec, line: inner, from, estimate: estimated.is_some() }))
        }
        Found::Plugin(plugin, spec, from) => {
            let Filled { line: filled, against, .. } = filled(host, plugin, spec, from, attempt)?;
            if let Some(against) = against.filter(Against::is_hidden) {
                return Err(untold(attempt.doc.name_of(against.who), attempt).into());
            }
            let estimate = if estimated.is_some() { " estimate" } else { "" };
            line.typed = format!("{word}{estimate} {}", filled[from..].trim_start());
            attempt.typed.clone_from(&line.typed);
            Ok(None)
        }
    }
}

/// Whether the odds of a game's command could be told.
pub(super) fn would_tell_odds<'a>(
    draft: &mut Draft,
    host: &Host,
    asked: Asked<'a>,
    attempt: &mut Attempt<'a>,
) -> Result<(), Unplayed> {
    attempt.spec = Some(asked.spec);
    attempt.typed = asked.line.typed;
    attempt.may_use(asked.spec)?;
    let (play, _) = prepare(draft, host, asked.plugin, asked.spec, asked.from, attempt)?;
    Ok(may_tell_odds(&play, attempt)?)
}

/// The odds of a game's command, by playing all possible rolls with the table's current state.
pub(super) fn odds_of_game<'a>(
    draft: &mut Draft,
    host: &Host,
    asked: Asked<'a>,
    attempt: &mut Attempt<'a>,
) -> Result<Done<'a>, Unplayed> {
    let Asked { odds, plugin, spec, line, from, estimate } = asked;
    attempt.spec = Some(spec);
    let words = shortcuts::Words::Any(spec.follow_up);
    let filled = shortcuts::filled(&attempt.doc, attempt.actor, &line, words);
    attempt.typed = filled.put_into(host, attempt)?.typed;
    attempt.may_use(spec)?;
    let (play, _) = prepare(draft, host, plugin, spec, from, attempt)?;
    may_tell_odds(&play, attempt)?;
    if draft.fuel.is_out() {
        return Err(too_much().into());
    }
    let typed = &play.arguments.typed;
    let effort = play.afford(ASKED_FOR);
    let exact = if estimate { None } else { play.with_all(effort, None)? };
    draft.fuel.takes(exact.as_ref().map_or(effort.throws, |trials| trials.begun as usize) * AN_OUTCOME);
    let reply = match exact.filter(|trials| trials.left < 0.01) {
        Some(trials) => of_trials(typed, &trials, None)?,
        // If there are too many outcomes to go through, an estimate is shown as one.
        None => {
            let trials = play.sampled(&mut dice_of_no_table(typed))?;
            of_trials(typed, &trials, Some(trials.played))?
        }
    };
    // The words may match an offer, but the offer was not taken.
    attempt.typed = format!("{} {typed}", odds.name);
    Ok(Done::looked(odds, reply))
}

/// Refuses odds that would tell a value which only referees know.
fn may_tell_odds(play: &Prepared<'_>, attempt: &Attempt<'_>) -> Result<(), Refusal> {
    let new = play.against.filter(Against::is_hidden).map(|against| against.who);
    let Some(whose) = new.or(play.measured.whose()) else { return Ok(()) };
    Err(untold(play.cast.name(whose), attempt))
}

fn untold(name: &str, attempt: &Attempt<'_>) -> Refusal {
    let what = format!("the odds would tell what only the referee knows of {name}");
    let typed = attempt.typed.trim_start_matches(ODDS).trim_start();
    match attempt.rights.could(&attempt.doc, Act::Know) {
        true => Refusal::new(what).example(format!("secret {ODDS} {typed}")),
        false => Refusal::new(what).example(typed),
    }
}

impl Prepared<'_> {
    /// Plays it with all possible rolls; `None` if that takes more than `effort`. If the answers lack a `wanted` fact,
    /// it stops at the first.
    ///
    /// # Errors
    /// The game refuses it or panics.
    pub fn with_all(&self, effort: Effort, wanted: Option<&str>) -> Result<Option<Trials>, Refusal> {
        let mut every = Every::new(effort.rarest);
        let mut trials = Trials::none();
        for _ in 0..effort.throws {
            trials.begun += 1;
            match self.ended_with(&mut every) {
                Ok(_) if every.is_cut() => trials.left += every.chance(),
                Ok(played) => {
                    let lacks = wanted.is_some_and(|wanted| played.reply.facts.get(wanted).is_none_or(Value::is_null));
                    trials.count(&played.reply.facts, every.chance());
                    if lacks {
                        return Ok(Some(trials));
                    }
                }
                Err(_) if every.is_cut() => trials.left += every.chance(),
                Err(refusal) => return Err(refusal),
            }
            trials.thrown |= every.dice() > 0;
            if !every.turn() {
                return Ok(Some(trials));
            }
        }
        Ok(None)
    }

    /// Plays it with as many rolls as an estimate has.
    ///
    /// # Errors
    /// The game refuses it or panics.
    pub fn sampled(&self, dice: &mut dyn Dice) -> Result<Trials, Refusal> {
        let mut trials = Trials::none();
        trials.thrown = true;
        let throws = self.afford(Effort { throws: SAMPLED, rarest: 0.0 }).throws;
        for _ in 0..throws {
            trials.count(&self.ended_with(dice)?.reply.facts, 1.0 / throws as f64);
        }
        Ok(trials)
    }

    /// Reduces an effort to what is affordable with the size of the game's state.
    pub fn afford(&self, effort: Effort) -> Effort {
        effort.with(self.bytes)
    }

    fn ended_with(&self, dice: &mut dyn Dice) -> Result<Played, Refusal> {
        let stumbled = || Refusal::new(format!("that hits a bug in {}", self.plugin.manifest().id));
        self.with(dice, Wanted::Ending).unwrap_or_else(|| Err(stumbled())).map(|(played, _)| played)
    }
}

/// Adds to each offer that rolls dice how likely it helps, if that can be found quickly.
pub(super) fn chances_of_offers(
    play: &Prepared<'_>,
    after: &Held,
    (left, fuel): (&Left, &Fuel),
    reply: &mut Reply,
    number: u64,
) {
    let (entry, actor, record) = match &play.target {
        Some(target) if left.followed => {
            (target.entry, target.actor, left.amended.clone().or_else(|| Some(target.record.clone())))
        }
        _ => (number, play.actor, reply.record.clone()),
    };
    let record = record.unwrap_or_default();
    // Changing somebody else's roll is no success for the one who is offered it.
    let theirs = |offer: &&mut Offer| offer.to.is_none() && actor == play.actor;
    let Some(several) = NonZeroUsize::new(reply.offers.iter_mut().filter(theirs).count()) else { return };
    let effort = play.afford(Effort { throws: (OF_OFFERS / several).min(OF_AN_OFFER.throws), ..OF_AN_OFFER });
    let succeeded = reply.facts.get(SUCCESS).and_then(Value::as_bool).unwrap_or_default();
    let outcome = reply.facts.get(OUTCOME).and_then(Value::as_str).map(str::to_owned);
    for offer in reply.offers.iter_mut().filter(theirs) {
        let target = Target { entry, actor, record: record.clone(), latest: true, named: true };
        if !fuel.tries_an_offer(effort.throws) {
            return;
        }
        let (trials, spared) = trials_of(play, after, (left, effort), offer, target);
        fuel.spares(spared);
        let Some(trials) = trials else { continue };
        offer.chance = match &outcome {
            // Nobody is offered to make things worse: what ends otherwise ends better.
            Some(outcome) if succeeded => trials.other_than(outcome).map(|better| Chance::Better { better }),
            None if succeeded => None,
            _ => trials.success().map(Chance::Success),
        };
    }
}

/// How an offered command may end; `None` if it rolls no dice, or that takes too long to find out. And how many rolls of the
/// effort that did not take.
fn trials_of(
    play: &Prepared<'_>,
    after: &Held,
    (left, effort): (&Left, Effort),
    offer: &Offer,
    target: Target<Value>,
) -> (Option<Trials>, usize) {
    let Some(offered) = offered(play, after, left, offer, target) else { return (None, effort.throws) };
    let trials = offered.with_all(effort, Some(SUCCESS)).ok().flatten();
    let played = trials.as_ref().map_or(effort.throws, |trials| trials.begun as usize);
    (trials.filter(|trials| trials.thrown), effort.throws.saturating_sub(played))
}

/// An offered command, ready to be played; `None` if the game does not read it.
fn offered<'a>(
    play: &Prepared<'a>,
    after: &Held,
    left: &Left,
    offer: &Offer,
    target: Target<Value>,
) -> Option<Prepared<'a>> {
    let line = CommandLine::new(&offer.command);
    let (word, place) = line.word();
    let spec = play.plugin.manifest().command(&word)?;
    let follows_up = spec.follow_up != FollowUp::No;
    let arguments = Arguments::of(&line.typed, spec.follow_up);
    let mut words = Words::new(&arguments.typed, place.end.min(arguments.typed.len()));
    Some(Prepared {
        remark: None,
        earlier: None,
        looked_up: Vec::new(),
        against: play.against,
        measured: Seen::EVERYBODY,
        plugin: play.plugin,
        ready: play.plugin.ready(after, &spec.name, &mut words).ok()?,
        arguments,
        target: follows_up.then(|| Arc::new(target)),
        cast: left.cast.clone(),
        settings: play.settings.clone(),
        decks: play.decks.clone(),
        actor: play.actor,
        player: play.player.clone(),
        role: play.role,
        scenes: play.scenes.clone(),
        seen: play.seen,
        secrets: play.secrets,
        now: play.now,
        bytes: play.bytes,
    })
}
