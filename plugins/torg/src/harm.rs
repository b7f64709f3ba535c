//! Damage, bonus dice, soak and active defense.

use crate::rules::{self, Harm};
use crate::test::{self, chain};
use crate::{How, State, show};
use plugin_api::{CharacterId, Name, Offer, Refusal, Reply, Target, Turn};
use serde::{Deserialize, Serialize};

/// Damage that was dealt, and may be soaked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Damage {
    /// What it did.
    pub harm: Harm,
    /// Who was hit, if it was said.
    pub on: Option<CharacterId>,
    /// It was soaked, or that was tried.
    pub soaked: bool,
}

/// The difficulty of a soak.
const SOAK: i64 = 10;
/// The least that an active defense gives.
const LEAST_DEFENSE: i64 = 1;

/// Throws bonus dice, each with what its 6s add; with `reroll` a 1 is thrown once more.
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
    let reply = Reply::new().bold(format!("{dice} BD = {total}")).text(" | ").die(shown.join(" "));
    Ok(reply.why("a 6 counts 5 and rolls again").fact("total", total))
}

pub(crate) fn damage(
    turn: &mut Turn,
    damage: i64,
    toughness: i64,
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
    if let Some(on) = on.filter(|_| harm != NONE) {
        let label = "soak with the reality skill, costs a Possibility".to_owned();
        reply.offers.push(Offer { command: "soak".to_owned(), label, to: Some(turn.name(on).to_owned()) });
    }
    let why = format!("{total} is {:+} to Toughness {toughness}", total - toughness);
    Ok(facts(reply.why(why), harm).fact("damage", total).record(record(&Damage { harm, on, soaked: false })?))
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
    // Damage that the actor dealt to nobody in particular is not theirs to soak.
    let hit = |target: &Target<Damage>| match target.record.on {
        Some(on) => on == turn.actor,
        None => target.actor != turn.actor,
    };
    let target = match turn.peek_target::<Damage>() {
        Some(target) if hit(&target) && target.record.soaked => {
            let what = format!("#{} was soaked already: once for each damage", target.entry);
            return Err(Refusal::new(what).example("possibilities"));
        }
        Some(target) if hit(&target) => Some(turn.target::<Damage>()?),
        _ => None,
    };
    if let (None, Some(named)) = (&target, turn.peek_target::<serde_json::Value>().filter(|target| target.named)) {
        let what = format!("#{} is no damage of yours to soak", named.entry);
        return Err(Refusal::new(what).example("soak 9"));
    }
    let actor = turn.actor;
    test::pay(state, turn, actor)?;
    if state.held(actor).reality != Some(reality) {
        state.of(actor).reality = Some(reality);
    }
    let thrown = test::throw(state, turn, reality, vec![SOAK], how)?;
    let level = thrown.level(SOAK);
    let headline = match (&target, level) {
        (_, rules::Level::Failure) => "soak fails: the damage stands".to_owned(),
        (Some(target), _) => format!("soaks: {} left", show::harm(rules::soak(level, target.record.harm))),
        (None, rules::Level::Standard) => "soaks 1 Wound and all Shock".to_owned(),
        (None, rules::Level::Good) => "soaks 2 Wounds and all Shock".to_owned(),
        (None, rules::Level::Outstanding) => "soaks everything".to_owned(),
    };
    let reply = show::test(Reply::new().bold(headline).text(" | "), state, turn, actor, &thrown);
    // A soak is settled at once: nothing is offered on it.
    let mut reply = Reply { offers: Vec::new(), ..reply };
    if let Some(target) = target {
        let left = rules::soak(level, target.record.harm);
        reply = facts(reply, left);
        turn.amend(record(&Damage { harm: left, soaked: true, ..target.record })?);
    }
    reply = reply.text(format!(" | Possibilities {}", state.possibilities(turn, actor)));
    Ok(show::possibilities_fact(reply, state, turn, [actor]))
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

fn record(damage: &Damage) -> Result<serde_json::Value, Refusal> {
    serde_json::to_value(damage).map_err(|error| Refusal::new(error.to_string()))
}
