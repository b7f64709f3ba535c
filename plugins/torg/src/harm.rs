//! Damage, bonus dice, soak and active defense.

use crate::rules::{self, Harm, Soak, Test};
use crate::test::{self, chain};
use crate::{How, State, show};
use plugin_api::{CharacterId, Name, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// Damage that was dealt and may be soaked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Damage {
    /// The harm.
    pub harm: Harm,
    /// The character hit, if named.
    pub on: Option<CharacterId>,
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
    state: &State,
    turn: &mut Turn,
    (damage, toughness): (i64, i64),
    dice: u32,
    who: Option<Name>,
) -> Result<Reply, Refusal> {
    let on = who.map(|name| turn.character(&name.0)).transpose()?;
    let (values, shown) = throw_bonus_dice(turn, dice, false)?;
    let total = damage + i64::from(rules::bonus_dice_total(&values));
    let harm = rules::harm(total, toughness);
    let hit = on.map_or(String::new(), |on| format!("{}: ", turn.name(on)));
    let mut reply = Reply::new().bold(format!("{hit}damage {total} vs {toughness}: {}", show::harm(harm)));
    if dice > 0 {
        reply = reply.text(format!(" | {damage} + {dice} BD ")).die(shown.join(" "));
    }
    if let Some(on) = on.filter(|on| harm != NONE && test::payable(state, turn, *on).is_ok()) {
        let label = "with your reality skill: soak 9; costs a Possibility";
        reply = reply.offer_to(turn.name(on), "soak", label);
    }
    let why = format!("{total} is {:+} to Toughness {toughness}", total - toughness);
    Ok(facts(reply.why(why), harm).fact("damage", total).record(&Damage { harm, on }))
}

/// No harm at all.
const NONE: Harm = Harm { wounds: 0, shock: 0 };

pub(crate) fn soak(state: &mut State, turn: &mut Turn, reality: Option<i64>, how: &How) -> Result<Reply, Refusal> {
    let Some(reality) = reality.or(state.held(turn.actor).reality) else {
        return Err(Refusal::new("with which reality skill? A number is missing").example("soak 9"));
    };
    if how.possibility {
        let what = "the Possibility of a soak is spent on it anyway; another is none of its dice";
        return Err(Refusal::new(what).about("poss").example("soak 9"));
    }
    let actor = turn.actor;
    let damage = hit(state, turn)?;
    test::pay(state, turn, actor)?;
    let holdings = state.of(actor);
    holdings.reality = Some(reality);
    if let Some((entry, _)) = damage {
        holdings.soaked.push(entry);
        let old = holdings.soaked.len().saturating_sub(MOST_SOAKED);
        holdings.soaked.drain(..old);
        turn.close_offers_on(entry, &["soak"]);
    }
    let thrown = test::throw(state, turn, reality, vec![SOAK], how)?;
    let thrown = Test { soak: Some(Soak { damage }), ..thrown };
    Ok(test::answer(state, turn, &thrown))
}

/// The most soaked damage remembered per character.
const MOST_SOAKED: usize = 50;

/// The damage that the actor soaks, if the bot knows it.
fn hit(state: &State, turn: &Turn) -> Result<Option<(u64, Harm)>, Refusal> {
    let actor = turn.actor;
    let Some(Target { entry, record: Damage { harm, on }, .. }) = turn.peek_target::<Damage>() else {
        return match turn.peek_target::<serde_json::Value>() {
            Some(other) if other.named || other.actor != actor => {
                Err(Refusal::new(format!("#{} is no damage to soak", other.entry)).example("soak 9"))
            }
            _ => Ok(None),
        };
    };
    match on {
        Some(on) if on != actor => {
            let name = turn.name(on);
            let what = format!("#{entry} is damage on {name}, who soaks it with a Possibility of theirs");
            Err(Refusal::new(what).example(format!("as {name} soak 9")))
        }
        _ if state.held(actor).soaked.contains(&entry) => {
            let what = format!("you soaked #{entry} already: once for each damage");
            Err(Refusal::new(what).example("possibilities"))
        }
        _ => Ok(Some((entry, harm))),
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
