//! Damage, bonus dice, soak and active defense.

use crate::rules::{self, Harm, Soak, Test};
use crate::test::{self, chain};
use crate::words::{Also, Now};
use crate::{How, Kept, State, show};
use plugin_api::names::written;
use plugin_api::{CharacterId, Name, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// Damage that was dealt and may be soaked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Damage {
    /// The harm.
    pub harm: Harm,
    /// The character hit, if named.
    pub on: Option<CharacterId>,
    /// True if it was added to the harm of that character.
    #[serde(default)]
    pub kept: bool,
}

/// The difficulty of a soak.
const SOAK: i64 = 10;
/// The least bonus of an active defense.
const LEAST_DEFENSE: i64 = 1;

/// Rolls bonus dice, each with the dice its 6s add; with `reroll` each 1 is rerolled once.
fn throw_bonus_dice(turn: &mut Turn, dice: u32, reroll: bool) -> Result<(Vec<u32>, Vec<String>), Refusal> {
    let (mut values, mut shown) = (Vec::new(), Vec::new());
    for _ in 0..dice {
        let mut value = turn.throw_die(6)?.value;
        if value == 1 && reroll {
            shown.push("(1)".to_owned());
            value = turn.throw_die(6)?.value;
        }
        values.push(value);
        while rules::bonus_die_explodes(value) {
            shown.push("6*5".to_owned());
            value = turn.throw_die(6)?.value;
            values.push(value);
        }
        shown.push(value.to_string());
    }
    Ok((values, shown))
}

pub(crate) fn bonus_dice(turn: &mut Turn, dice: u32, reroll: bool) -> Result<Reply, Refusal> {
    let (values, shown) = throw_bonus_dice(turn, dice, reroll)?;
    let total = rules::bonus_dice_total(&values);
    Ok(turn.answer(Reply::new().fact("total", total), |reply| {
        let reply = reply.bold(format!("{dice} BD = {total}")).text(" | ").die(shown.join(" "));
        reply.why("a 6 counts 5 and rolls again")
    }))
}

pub(crate) fn damage(
    state: &mut State,
    turn: &mut Turn,
    (damage, toughness): (i64, i64),
    dice: u32,
    who: Option<Name>,
) -> Result<Reply, Refusal> {
    let on = who.map(|name| turn.character(&name.0)).transpose()?;
    on.map_or(Ok(()), |on| turn.touches(on))?;
    let (values, shown) = throw_bonus_dice(turn, dice, false)?;
    let total = damage + i64::from(rules::bonus_dice_total(&values));
    let harm = rules::harm(total, toughness);
    let hit = on.map_or(String::new(), |on| format!("{}: ", turn.name(on)));
    let against = if turn.hides().is_some() { String::new() } else { format!(" vs {toughness}") };
    let mut reply = Reply::new().bold(format!("{hit}damage {total}{against}: {}", show::harm(harm)));
    if dice > 0 {
        reply = reply.text(format!(" | {damage} + {dice} BD ")).die(shown.join(" "));
    }
    let hurt = on.filter(|_| harm != Harm::NONE);
    // Another player's hero is hurt by that player or a referee.
    let kept = hurt.filter(|on| turn.opposes(*on) || *on == turn.actor || turn.by_referee());
    if let Some(on) = kept {
        let before = state.held(on).harm;
        let now = before.and(harm).at_most(MOST_HARM);
        state.of(on).harm = now;
        if before != Harm::NONE {
            reply = reply.text(format!(" | {} in all", show::harm(now)));
        }
    }
    if let Some(on) = hurt.filter(|on| test::payable(state, turn, *on).is_ok()) {
        let label = "with your reality skill after it; costs a Possibility";
        reply = reply.offer_to(turn.name(on), "soak", label);
    }
    let why = format!("{total} is {:+} to Toughness {toughness}", total - toughness);
    let record = Damage { harm, on, kept: kept.is_some() };
    Ok(facts(reply.why(why), harm).fact("damage", total).record(&record))
}

/// The most wounds and Shock that are kept.
const MOST_HARM: i64 = 1000;

/// Which of the two kinds of harm a command is about.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Wounds.
    Wounds,
    /// Shock.
    Shock,
}

/// Shows or changes the wounds or the Shock of a character, and perhaps `also` the other of the two.
pub(crate) fn kept(
    state: &mut State,
    turn: &mut Turn,
    kind: Kind,
    typed: Kept,
    also: Option<Also>,
) -> Result<Reply, Refusal> {
    let Kept { character, now, change } = typed;
    let who = match (&now, change, &also) {
        (None, None, None) => turn.named(character)?,
        _ => turn.own(character, "change the harm of")?,
    };
    let before = state.held(who).harm;
    let mut harm = before;
    let (count, other) = match kind {
        Kind::Wounds => (&mut harm.wounds, &mut harm.shock),
        Kind::Shock => (&mut harm.shock, &mut harm.wounds),
    };
    *count = now.as_ref().map_or(*count, |Now(now)| *now) + change.map_or(0, i64::from);
    match also {
        Some(Also::Now(now)) => *other = now,
        Some(Also::Change(change)) => *other += i64::from(change),
        None => {}
    }
    if harm.wounds < 0 || harm.shock < 0 {
        let name = turn.name(who);
        return Err(match before == Harm::NONE {
            true => Refusal::new(format!("{name} is unhurt already")).example("wounds +1"),
            false => Refusal::new(format!("{name} has only {}", show::harm(before))).example("wounds none"),
        });
    }
    if harm.wounds > MOST_HARM || harm.shock > MOST_HARM {
        return Err(Refusal::new(format!("{MOST_HARM} is the most I count")).example("wounds +1"));
    }
    if state.held(who).harm != harm {
        state.of(who).harm = harm;
    }
    let says = if harm == Harm::NONE { "unhurt".to_owned() } else { show::harm(harm) };
    let reply = turn.about(who).bold(says);
    let reply = if harm.wounds > 0 { reply.text(format!(" ({:+} to tests)", -harm.wounds)) } else { reply };
    let alone = also.is_none() && change.is_none();
    let reply = match now.filter(|_| alone) {
        Some(Now(now)) => more_instead(reply, turn, who, kind.of(before), (kind, now)),
        None => reply,
    };
    Ok(facts(reply, harm))
}

/// Offers to add what was typed without a sign, for it says how much there is, and people may mean so much more.
fn more_instead(reply: Reply, turn: &Turn, who: CharacterId, before: i64, (kind, now): (Kind, i64)) -> Reply {
    if before == 0 || now == 0 || before + now > MOST_HARM {
        return reply;
    }
    let whose = if who == turn.actor { String::new() } else { format!("{} ", written(turn.name(who))) };
    let word = kind.word();
    reply.offer(format!("{word} {whose}{before:+}"), format!("{now} more instead: {}", before + now))
}

impl Kind {
    fn of(self, harm: Harm) -> i64 {
        match self {
            Kind::Wounds => harm.wounds,
            Kind::Shock => harm.shock,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Kind::Wounds => "wounds",
            Kind::Shock => "shock",
        }
    }
}

/// Takes what a soak takes away off the harm of a character: the difference to what the same soak took `before`.
pub(crate) fn soaked(state: &mut State, who: CharacterId, before: Option<&Test>, now: &Test) {
    let taken = |test: &Test| match &test.soak {
        Some(soak) if soak.kept => soak.taken(test.level(SOAK)),
        _ => Harm::NONE,
    };
    let more = taken(now).without(before.map_or(Harm::NONE, taken));
    if more != Harm::NONE {
        let held = state.of(who);
        held.harm = held.harm.without(more);
    }
}

pub(crate) fn soak(state: &mut State, turn: &mut Turn, reality: Option<i64>, how: &How) -> Result<Reply, Refusal> {
    let Some(reality) = reality.or(state.held(turn.actor).reality) else {
        return Err(Refusal::new("with which reality skill? Say its number").example("soak 9"));
    };
    if how.possibility {
        let what = "a soak already costs a Possibility; you cannot add another";
        return Err(Refusal::new(what).about("poss").example("soak 9"));
    }
    let actor = turn.actor;
    let (damage, kept) = hit(state, turn)?.map_or((None, false), |(entry, harm, kept)| (Some((entry, harm)), kept));
    test::pay(state, turn, actor)?;
    let holdings = state.of(actor);
    holdings.reality = Some(reality);
    if let Some((entry, _)) = damage {
        holdings.soaked.push(entry);
        let old = holdings.soaked.len().saturating_sub(MOST_SOAKED);
        holdings.soaked.drain(..old);
        turn.close_offers_on(entry, &["soak"]);
    }
    let about_to_be_done = damage.filter(|_| kept).map_or(Harm::NONE, |(_, harm)| harm);
    let thrown = test::throw(state, turn, reality, vec![SOAK], how, about_to_be_done)?;
    let thrown = Test { soak: Some(Soak { damage, kept }), ..thrown };
    soaked(state, actor, None, &thrown);
    Ok(test::answer(state, turn, &thrown))
}

/// The most soaked damage remembered per character.
const MOST_SOAKED: usize = 50;

/// The damage that the actor soaks, if the bot knows it: its entry, its harm, and whether that was added to theirs.
fn hit(state: &State, turn: &Turn) -> Result<Option<(u64, Harm, bool)>, Refusal> {
    let actor = turn.actor;
    let Some(Target { entry, record: Damage { harm, on, kept }, .. }) = turn.peek_target::<Damage>() else {
        return match turn.peek_target::<serde_json::Value>() {
            Some(other) if other.named || other.actor != actor => {
                Err(Refusal::new(format!("#{} is not damage, so there is nothing to soak", other.entry))
                    .example("soak 9"))
            }
            _ => Ok(None),
        };
    };
    match on {
        Some(on) if on != actor => {
            let name = turn.name(on);
            let what = format!("#{entry} is damage on {name}, who soaks it with a Possibility of theirs");
            Err(Refusal::new(what).example(format!("as {} soak 9", written(name))))
        }
        _ if state.held(actor).soaked.contains(&entry) => {
            let what = format!("you soaked #{entry} already, and each damage can be soaked once");
            Err(Refusal::new(what).example("possibilities"))
        }
        _ => Ok(Some((entry, harm, kept))),
    }
}

pub(crate) fn defend(turn: &mut Turn, unskilled: bool) -> Result<Reply, Refusal> {
    let dice = chain(turn, unskilled)?;
    let total: u32 = dice.iter().sum();
    let bonus = rules::bonus(total).max(LEAST_DEFENSE);
    let reply = Reply::new().bold(format!("active defense {bonus:+}")).text(" | ").die(show::chain(&dice));
    let why = format!("a die total of {total} gives {:+}, and an active defense +1 at least", rules::bonus(total));
    Ok(reply.why(why).fact("bonus", bonus).fact("die_total", total))
}

fn facts(reply: Reply, harm: Harm) -> Reply {
    reply.fact("wounds", harm.wounds).fact("shock", harm.shock)
}
