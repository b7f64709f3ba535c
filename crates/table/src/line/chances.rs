//! A game's command that is ready to be played: once with the table's dice, or with all that could be thrown, which tells
//! what its chances are.

use super::resolve::Followed;
use crate::attempt::{Attempt, Found};
use crate::budget::{self, ASKED_FOR, Effort, OF_AN_OFFER, OF_OFFERS, SAMPLED};
use crate::done::Done;
use crate::draft::Draft;
use crate::host::Host;
use crate::notation::{dice_of_no_table, guessed, reads_as_dice};
use crate::odds::of_trials;
use crate::people::People;
use crate::room::{Answered, settings_of};
use crate::shortcuts;
use crate::state::Stored;
use crate::trials::{SUCCESS, Trials};
use crate::unplayed::Unplayed;
use crate::words::{Arguments, CommandLine};
use chat::{Offer, Reply};
use dice::{Dice, Every};
use jiff::Timestamp;
use journal::documents::{GameDoc, to_json};
use plugin_api::{
    Cast, CharacterId, CommandSpec, FollowUp, Left, Played, Plugin, Refusal, Role, SavedState, Target, Turn, Words,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The word for one.
const ESTIMATE: &str = "estimate";

/// A command, and all that it is played with but the dice.
pub(super) struct Prepared<'a> {
    pub plugin: &'a dyn Plugin,
    pub spec: &'a CommandSpec,
    pub arguments: Arguments,
    /// The roll it follows up on.
    pub target: Option<Target<Value>>,
    from: usize,
    state: SavedState,
    cast: Cast,
    settings: BTreeMap<String, String>,
    actor: CharacterId,
    player: String,
    role: Role,
    now: Timestamp,
}

impl Draft {
    /// Makes a plugin's command ready, whose arguments begin at byte `from` of what was typed; and what the table holds of
    /// the game.
    pub(super) fn prepare<'a>(
        &mut self,
        host: &Host,
        plugin: &'a dyn Plugin,
        spec: &'a CommandSpec,
        from: usize,
        attempt: &mut Attempt<'_>,
    ) -> Result<(Prepared<'a>, Stored<GameDoc>), Unplayed> {
        // Whatever made the line what it is, it is played only if it is no longer than what may be typed.
        budget::fits(&attempt.typed)?;
        let message = attempt.message;
        let cast = attempt.doc.cast(&attempt.head, host.roster.present(&message.room));
        let mut arguments = Arguments::of(&attempt.typed, spec.follow_up != FollowUp::No);
        let target = match spec.follow_up {
            FollowUp::No => None,
            _ => {
                let (actor, rights, offered) = (attempt.actor, &attempt.rights, attempt.offered);
                let followed = Followed { plugin, spec, cast: &cast, actor, rights, offered, from };
                self.target(host, message, &followed, &mut arguments)?
            }
        };
        if let Some(target) = &target {
            let roll = self.ledger(host).roll(target.entry)?;
            let secret = roll.is_some_and(|roll| roll.secret);
            if attempt.secret && !secret {
                let what = format!("#{} is for everybody to see, and so is what follows it", target.entry);
                return Err(Refusal::new(what).example(attempt.typed.as_str()).into());
            }
            attempt.secret |= secret;
            attempt.must_reach()?;
        }
        let state = self.game(host, plugin)?;
        let prepared = Prepared {
            plugin,
            spec,
            from: from.min(arguments.typed.len()),
            arguments,
            target,
            state: SavedState { version: state.doc.version, state: state.doc.state.clone() },
            cast,
            settings: settings_of(plugin.manifest(), &attempt.doc, &attempt.room),
            actor: attempt.actor,
            player: message.speaker.name.clone(),
            role: attempt.rights.role(),
            now: message.sent,
        };
        Ok((prepared, state))
    }
}

/// A game's command whose odds are asked for.
pub(super) struct Asked<'a> {
    odds: &'a CommandSpec,
    plugin: &'a dyn Plugin,
    spec: &'a CommandSpec,
    line: CommandLine,
    from: usize,
    estimate: bool,
}

impl Draft {
    /// The game's command behind `odds`, if it is one; of one that only throws dice, those take its place in the line.
    pub(super) fn asked_of_game<'a>(
        &self,
        host: &'a Host,
        odds: &'a CommandSpec,
        line: &mut CommandLine,
        attempt: &mut Attempt<'a>,
    ) -> Result<Option<Asked<'a>>, Unplayed> {
        let (word, place) = line.word();
        let behind = line.typed[place.end..].trim_start();
        let estimated = behind.strip_prefix(ESTIMATE).filter(|rest| rest.starts_with(char::is_whitespace));
        let typed = estimated.unwrap_or(behind).trim_start().trim_start_matches(attempt.room.prefix.as_str());
        if reads_as_dice(&guessed(typed), attempt.room.dialect()) || !typed.starts_with(char::is_alphabetic) {
            return Ok(None);
        }
        let inner = CommandLine { typed: typed.to_owned(), by_name: true };
        let (found, inner) = self.read_line(host, inner, attempt)?;
        attempt.typed.clone_from(&inner.typed);
        match found? {
            Found::House(spec) => Err(Refusal::new(format!("{} throws no dice", spec.name))
                .about(&spec.name)
                .example("odds 2d6 vs 9")
                .into()),
            Found::Plugin(plugin, spec, from) if !spec.notation => {
                Ok(Some(Asked { odds, plugin, spec, line: inner, from, estimate: estimated.is_some() }))
            }
            Found::Plugin(_, _, from) => {
                let estimate = if estimated.is_some() { " estimate" } else { "" };
                line.typed = format!("{word}{estimate} {}", inner.typed[from..].trim_start());
                attempt.typed.clone_from(&line.typed);
                Ok(None)
            }
        }
    }

    /// The odds of a game's command, played with all that could be thrown as the table stands.
    pub(super) fn odds_of_game<'a>(
        &mut self,
        host: &Host,
        asked: Asked<'a>,
        attempt: &mut Attempt<'a>,
    ) -> Result<Done<'a>, Unplayed> {
        let Asked { odds, plugin, spec, line, from, estimate } = asked;
        attempt.spec = Some(spec);
        let words = shortcuts::Words::Any { follow_up: spec.follow_up != FollowUp::No };
        let filled = shortcuts::filled(&attempt.doc, attempt.actor, &line, words)?;
        attempt.typed = filled.under(&mut attempt.rights, &attempt.doc).typed;
        attempt.may_use(spec)?;
        let (play, _) = self.prepare(host, plugin, spec, from, attempt)?;
        let typed = &play.arguments.typed;
        let trials = match estimate {
            true => Some(play.sampled(&mut dice_of_no_table(typed))?),
            false => play.with_all(play.afford(ASKED_FOR), None)?,
        };
        let known = trials.filter(|trials| trials.left < 0.01);
        let reply = known.map(|trials| of_trials(typed, &trials, estimate.then_some(trials.played)));
        let Some(reply) = reply else {
            let what = "that has too many outcomes to go through them; an estimate is quick";
            return Err(Refusal::new(what).example(format!("{} {ESTIMATE} {typed}", odds.name)).into());
        };
        let reply = reply?;
        // What is offered in these words was not taken.
        attempt.typed = format!("{} {typed}", odds.name);
        Ok(Done::looked(odds, reply))
    }
}

impl Prepared<'_> {
    /// Plays it with these dice.
    pub fn with(&self, dice: &mut dyn Dice) -> Result<(Played, Left), Refusal> {
        let mut turn = Turn::new(self.actor, self.cast.clone(), self.now, dice)
            .with_role(self.role)
            .with_settings(self.settings.clone())
            .with_target(self.target.clone());
        turn.player.clone_from(&self.player);
        turn.comment.clone_from(&self.arguments.comment);
        let mut words = Words::new(&self.arguments.typed, self.from);
        let played = self.plugin.play(&self.state, &self.spec.name, &mut words, &mut turn)?;
        Ok((played, turn.finish()))
    }

    /// Plays it with all that could be thrown; nothing where that is more than `effort`. Where the answers lack a fact that
    /// is `wanted`, the first will do.
    ///
    /// # Errors
    /// It is refused, or stumbles.
    pub fn with_all(&self, effort: Effort, wanted: Option<&str>) -> Result<Option<Trials>, Refusal> {
        let mut every = Every::new(effort.rarest);
        let mut trials = Trials::none();
        for _ in 0..effort.throws {
            match self.safely_with(&mut every) {
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

    /// Plays it with as many throws as an estimate has.
    ///
    /// # Errors
    /// It is refused, or stumbles.
    pub fn sampled(&self, dice: &mut dyn Dice) -> Result<Trials, Refusal> {
        let mut trials = Trials::none();
        trials.thrown = true;
        let throws = self.afford(Effort { throws: SAMPLED, rarest: 0.0 }).throws;
        for _ in 0..throws {
            trials.count(&self.safely_with(dice)?.reply.facts, 1.0 / throws as f64);
        }
        Ok(trials)
    }

    /// What of an effort can be afforded with what the table holds of the game.
    pub fn afford(&self, effort: Effort) -> Effort {
        effort.with(to_json(&self.state.state).len())
    }

    fn safely_with(&self, dice: &mut dyn Dice) -> Result<Played, Refusal> {
        let stumbled = || Refusal::new(format!("that hits a bug in {}", self.plugin.manifest().id));
        let played = catch_unwind(AssertUnwindSafe(|| self.with(dice)));
        played.unwrap_or_else(|_| Err(stumbled())).map(|(played, _)| played)
    }
}

/// Notes of each offer that throws dice the chance that it succeeds, where that is soon known.
pub(super) fn chances_of_offers(play: &Prepared<'_>, after: &SavedState, left: &Left, reply: &mut Reply, number: u64) {
    let (entry, actor, record) = match &play.target {
        Some(target) if left.followed => {
            (target.entry, target.actor, left.amended.clone().or_else(|| Some(target.record.clone())))
        }
        _ => (number, play.actor, reply.record.clone()),
    };
    let record = record.unwrap_or_default();
    // What becomes of somebody else's roll is no success of who is offered to change it.
    let theirs = |offer: &&mut Offer| offer.to.is_none() && actor == play.actor;
    let Some(several) = NonZeroUsize::new(reply.offers.iter_mut().filter(theirs).count()) else { return };
    let effort = play.afford(Effort { throws: (OF_OFFERS / several).min(OF_AN_OFFER.throws), ..OF_AN_OFFER });
    for offer in reply.offers.iter_mut().filter(theirs) {
        let target = Target { entry, actor, record: record.clone(), latest: true, named: true };
        offer.chance = chance_of(play, after, (left, effort), offer, target);
    }
}

fn chance_of(
    play: &Prepared<'_>,
    after: &SavedState,
    (left, effort): (&Left, Effort),
    offer: &Offer,
    target: Target<Value>,
) -> Option<f64> {
    let line = CommandLine::new(&offer.command);
    let (word, place) = line.word();
    let spec = play.plugin.manifest().command(&word)?;
    let follows_up = spec.follow_up != FollowUp::No;
    let offered = Prepared {
        plugin: play.plugin,
        spec,
        from: place.end,
        arguments: Arguments::of(&line.typed, follows_up),
        target: follows_up.then_some(target),
        state: after.clone(),
        cast: left.cast.clone(),
        settings: play.settings.clone(),
        actor: play.actor,
        player: play.player.clone(),
        role: play.role,
        now: play.now,
    };
    let trials = offered.with_all(effort, Some(SUCCESS)).ok()??;
    trials.success().filter(|_| trials.thrown)
}
