//! The chances of a game's command: of one whose odds are asked for, and of the offers in an answer.

use super::asked::{Asked, untold};
use super::prepared::{Prepared, prepare};
use crate::attempt::Attempt;
use crate::draft::Draft;
use crate::odds::of_trials;
use crate::shortcuts;
use chat::{Chance, Offer, Reply};
use dice::{Budget, Dice, Every};
use host::Host;
use host::budget::{AN_OUTCOME, ASKED_FOR, DICE_OF_A_THROW, Effort, OF_AN_OFFER, OF_OFFERS, SAMPLED};
use host::done::Done;
use host::fuel::{Fuel, too_much};
use host::notation::dice_of_no_table;
use host::trials::{OUTCOME, SUCCESS, Trials};
use host::unplayed::Unplayed;
use host::words::{Arguments, CommandLine};
use plugin_api::{Against, FollowUp, Held, Left, Played, Refusal, Seen, Target, Wanted, Words};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;

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
            if every.dice() > effort.throws * DICE_OF_A_THROW {
                return Ok(None);
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
        let effort = self.afford(Effort { throws: SAMPLED, rarest: 0.0 });
        let (mut endings, mut thrown) = (Vec::new(), 0);
        while endings.len() < effort.throws && thrown <= effort.throws * DICE_OF_A_THROW {
            let mut budget = Budget::new(dice);
            endings.push(self.ended_with(&mut budget)?.reply.facts);
            thrown += budget.into_thrown().len();
        }
        endings.iter().for_each(|facts| trials.count(facts, 1.0 / endings.len() as f64));
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
        let offered = play.plugin.manifest().begun(&offer.command);
        let follows = offered.is_some_and(|(spec, _)| spec.follow_up != FollowUp::No);
        offer.chance = match &outcome {
            // Nobody is offered to make things worse: what ends otherwise ends better. What is no follow-up changes nothing of it.
            Some(outcome) if succeeded && follows => trials.other_than(outcome).map(|better| Chance::Better { better }),
            _ if succeeded => None,
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
    let (spec, end) = play.plugin.manifest().begun(&line.typed)?;
    let follows_up = spec.follow_up != FollowUp::No;
    let arguments = Arguments::of(&line.typed, spec.follow_up);
    let mut words = Words::new(&arguments.typed, end.min(arguments.typed.len()));
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
        brought: play.brought.clone(),
        actor: play.actor,
        player: play.player.clone(),
        role: play.role,
        scenes: play.scenes.clone(),
        noted: left.noted(&play.noted),
        seen: play.seen,
        secrets: play.secrets,
        now: play.now,
        bytes: play.bytes,
    })
}
