//! Stress, Recover, rest, conditions and Tiers of a hero.

use crate::show;
use crate::state::{Fatigue, MOST_STRESS, State};
use plugin_api::{CharacterId, Choice, Name, Refusal, Reply, Turn};

/// How long a rest is.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// A Recover.
    Short,
    /// It removes Stress by Tier.
    Long,
}

/// The most labels on one character.
const MOST_CONDITIONS: usize = 10;
/// The most characters of a label.
const MOST_LABEL: usize = 30;

pub(crate) fn stress(
    state: &mut State,
    turn: &mut Turn,
    change: Option<i32>,
    who: Option<Name>,
) -> Result<Reply, Refusal> {
    let Some(change) = change else {
        let who = turn.named(who)?;
        return Ok(show::stress(state, turn, who));
    };
    let who = turn.own(who, "change the Stress of")?;
    let now = state.held(who).stress + i64::from(change);
    if !(0..=MOST_STRESS).contains(&now) {
        let what = format!("Stress {} and {change:+} is not from 0 to {MOST_STRESS}", state.held(who).stress);
        return Err(Refusal::new(what).about(format!("{change:+}")).example("stress +1"));
    }
    state.of(who).stress = now;
    Ok(show::stress(state, turn, who))
}

pub(crate) fn recover(state: &mut State, turn: &Turn, who: CharacterId) -> Result<Reply, Refusal> {
    if state.fate.is_some() && state.held(who).recovered {
        let what = "you can Recover once an encounter, and you already did";
        return Err(Refusal::new(what).example("spend triumph recover"));
    }
    let held = state.held(who);
    if held.fatigue == Fatigue::Ok && !held.surge_pending && held.conditions.is_empty() {
        let name = turn.name(who);
        let what = format!("{name} has nothing to recover from, and it would cost 1 Stress");
        return Err(Refusal::new(what).example("stress"));
    }
    let reply = recover_now(state, turn, who)?;
    if state.fate.is_some() {
        state.of(who).recovered = true;
    }
    Ok(reply)
}

/// A Recover that does not count against the one per encounter: a Stress for a step of fatigue; fatigue still to come
/// goes first.
pub(crate) fn recover_now(state: &mut State, turn: &Turn, who: CharacterId) -> Result<Reply, Refusal> {
    bears_more(state, turn, who, 0)?;
    let held = state.of(who);
    held.stress = (held.stress + 1).min(MOST_STRESS);
    let says = rested(held);
    Ok(Reply {
        facts: show::stress(state, turn, who).facts,
        ..Reply::from(format!("recovers: {says}; {}", load(state, who)))
    })
}

/// One step less of fatigue; fatigue still to come goes first.
fn rested(held: &mut crate::state::Holdings) -> String {
    if held.surge_pending {
        held.surge_pending = false;
        return "the Surge brings no fatigue".to_owned();
    }
    let before = held.fatigue;
    held.fatigue = before.better();
    match before == held.fatigue {
        true => format!("still {}", before.word()),
        false => format!("{} → {}", before.word(), held.fatigue.word()),
    }
}

fn load(state: &State, who: CharacterId) -> String {
    let held = state.held(who);
    format!("Stress {}, load {} of {MOST_STRESS}", held.stress, held.load())
}

/// Refuses healing at the limit; `less` is about to be subtracted from the load.
pub(crate) fn bears_more(state: &State, turn: &Turn, who: CharacterId, less: i64) -> Result<(), Refusal> {
    let held = state.held(who);
    if held.load() - less < MOST_STRESS {
        return Ok(());
    }
    let what = format!(
        "{} bears {} of {MOST_STRESS}, Stress and held Destiny dice together: no healing before a long rest",
        turn.name(who),
        held.load()
    );
    Err(Refusal::new(what).example("rest long"))
}

pub(crate) fn heal(state: &mut State, turn: &mut Turn, who: &Name, own: bool) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    bears_more(state, turn, who, 0)?;
    let bearer = if own { turn.actor } else { who };
    turn.touches(bearer)?;
    if state.held(bearer).stress >= MOST_STRESS {
        return Err(
            Refusal::new(format!("{} bears {MOST_STRESS} Stress already", turn.name(bearer))).example("heal Bob")
        );
    }
    state.of(bearer).stress += 1;
    let whose = if own { format!(", and {} bears the Stress", turn.name(bearer)) } else { String::new() };
    let says = format!("{} is healed{whose}: {}", turn.name(who), load(state, bearer));
    Ok(Reply { facts: show::stress(state, turn, bearer).facts, ..Reply::from(says) })
}

pub(crate) fn rest(state: &mut State, turn: &Turn, length: Length, recovers: i64) -> Result<Reply, Refusal> {
    let who = turn.actor;
    match length {
        Length::Short if recovers != 0 => {
            Err(Refusal::new("a short rest is one Recover").about(recovers.to_string()).example("rest short"))
        }
        Length::Short => recover_now(state, turn, who),
        Length::Long => {
            let tier = i64::from(state.held(who).tier());
            if recovers > tier {
                let what = format!("{recovers} Recovers are too many: Tier {tier} has {tier} in a long rest");
                return Err(Refusal::new(what).about(recovers.to_string()).example("rest long 1"));
            }
            if recovers > 0 {
                bears_more(state, turn, who, 0)?;
            }
            let held = state.of(who);
            let less = (tier - recovers).min(held.stress);
            held.stress -= less;
            let mut says = Vec::new();
            match (less, held.stress, recovers) {
                (0, 0, 0) => says.push("there was no Stress".to_owned()),
                (0, ..) => {}
                _ => says.push(format!("Stress -{less}")),
            }
            says.extend((0..recovers).map(|_| format!("Recover: {}", rested(held))));
            let says = format!("a long rest: {}; {}", says.join(", "), load(state, who));
            Ok(Reply { facts: show::stress(state, turn, who).facts, ..Reply::from(says) })
        }
    }
}

/// Everybody's conditions.
pub(crate) fn conditions(state: &State, turn: &Turn) -> Reply {
    let held = state.characters.iter().filter(|(_, held)| !held.conditions.is_empty());
    let all: Vec<String> =
        held.map(|(who, held)| format!("{}: {}", turn.name(*who), held.conditions.join(", "))).collect();
    if all.is_empty() { "Nobody has a condition.".into() } else { all.join(" | ").into() }
}

/// Words that say that a condition is over.
const OVER: [&str; 9] = ["is", "no", "not", "longer", "isn't", "never", "off", "over", "anymore"];

/// The condition that is over, of `no longer prone`.
fn over(label: &str, held: &[String]) -> Option<String> {
    let says = |word: &&str| !OVER.contains(&word.to_lowercase().as_str());
    let left = label.split_whitespace().filter(says).collect::<Vec<_>>().join(" ");
    let whole = left.len() < label.len();
    held.iter().find(|each| whole && each.eq_ignore_ascii_case(&left)).cloned()
}

pub(crate) fn condition(
    state: &mut State,
    turn: &mut Turn,
    who: &Name,
    clear: bool,
    label: Option<String>,
) -> Result<Reply, Refusal> {
    let who = match clear || label.is_some() {
        true => turn.own(Some(who.clone()), "change the conditions of")?,
        false => turn.character(&who.0)?,
    };
    if !clear && label.is_none() {
        let conditions = state.held(who).conditions;
        let all = if conditions.is_empty() { "no conditions".to_owned() } else { conditions.join(", ") };
        return Ok(turn.about(who).text(all).fact("conditions", conditions));
    }
    let name = turn.name(who).to_owned();
    let conditions = &mut state.of(who).conditions;
    let label = label.map(|label| label.replace(" and ", ", ").replace(" & ", ", "));
    let labels =
        label.as_deref().unwrap_or_default().split([',', ';']).map(|label| label.trim_matches([' ', '=', '.', '!']));
    let labels = labels.filter(|label| !label.is_empty());
    if clear && label.is_none() {
        conditions.clear();
    }
    if let Some((said, over)) =
        labels.clone().find_map(|label| Some((label, over(label, conditions)?))).filter(|_| !clear)
    {
        let what = format!("clear goes in front of what {name} has no longer");
        return Err(Refusal::new(what).about_meant(said, format!("clear {over}")));
    }
    for label in labels {
        let there = conditions.iter().position(|each| each.eq_ignore_ascii_case(label));
        let wrong = match (clear, there) {
            (true, Some(at)) => {
                conditions.remove(at);
                continue;
            }
            (false, None) if label.chars().count() <= MOST_LABEL && conditions.len() < MOST_CONDITIONS => {
                conditions.push(label.to_owned());
                continue;
            }
            (true, None) => Refusal::new(format!("{name} is not {label}")).about(label),
            (false, Some(_)) => Refusal::new(format!("{name} is {label} already")),
            (false, None) => {
                Refusal::new(format!("{MOST_CONDITIONS} conditions of {MOST_LABEL} characters are the most"))
            }
        };
        return Err(wrong.example(format!("condition {name} clear")));
    }
    let all = if conditions.is_empty() { "no conditions".to_owned() } else { conditions.join(", ") };
    Ok(Reply::from(format!("{name}: {all}")).fact("conditions", conditions.clone()))
}

pub(crate) fn fatigue(state: &mut State, turn: &mut Turn, fatigue: Fatigue, who: &Name) -> Result<Reply, Refusal> {
    let who = turn.character(&who.0)?;
    let held = state.of(who);
    (held.fatigue, held.surge_pending) = (fatigue, false);
    let facts = show::stress(state, turn, who).facts;
    Ok(Reply { facts, ..turn.about(who).text(format!("{}, no fatigue from a Surge", fatigue.word())) })
}

pub(crate) fn tier(state: &mut State, turn: &mut Turn, tier: Option<u32>, who: Option<Name>) -> Result<Reply, Refusal> {
    let who = match tier {
        Some(_) => turn.own(who, "change the Tier of")?,
        None => turn.named(who)?,
    };
    if let Some(tier) = tier {
        state.of(who).tier = Some(tier);
    }
    let tier = state.held(who).tier();
    Ok(turn.about(who).text(format!("Tier {tier}")).fact("tier", tier))
}
