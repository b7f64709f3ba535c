//! Shows rolls and holdings, and states their facts.

use crate::rules::{CritUse, Edge, Judgement, Kind, Outcome, Roll, Stress, Whether};
use crate::{Holdings, State};
use plugin_api::{CharacterId, Reply, Turn};
use serde_json::{Value, json};

/// How a roll ended.
pub(crate) fn ending(judged: &Judgement) -> Reply {
    let outcome = match judged.outcome {
        Outcome::Unknown => "unknown",
        Outcome::Success => "success",
        Outcome::Countered => "countered",
    };
    let success = (judged.outcome != Outcome::Unknown).then_some(judged.outcome == Outcome::Success);
    Reply::new().fact("total", judged.total).fact("outcome", outcome).fact("success", success)
}

/// A judged roll: result, dice, possible follow-ups. `change` is the inspiration just gained or lost, `now` the amount
/// held.
pub(crate) fn roll(reply: Reply, turn: &Turn, roll: &Roll, judged: &Judgement, (change, now): (i64, i64)) -> Reply {
    let reply = headline(reply, turn, roll, judged, Sum::Shown).text(" |");
    noted(dice(reply, roll, judged), roll, judged, (change, now))
}

/// The same without its dice, which were shown before.
pub(crate) fn result(reply: Reply, turn: &Turn, roll: &Roll, judged: &Judgement, change: (i64, i64)) -> Reply {
    noted(headline(reply, turn, roll, judged, Sum::Known), roll, judged, change)
}

/// What is to be said about a roll behind its result, and what may follow.
fn noted(mut reply: Reply, roll: &Roll, judged: &Judgement, (change, now): (i64, i64)) -> Reply {
    let notes = notes(roll, judged, change, now);
    if !notes.is_empty() {
        reply = reply.text(format!(" | {}", notes.join(", ")));
    }
    if judged.crit != Whether::No && roll.crit.is_none() {
        reply = reply.offer("crit impact", "+2 impact").offer("crit inspire", "+1 inspiration");
    }
    facts(explain(reply, roll, judged), roll, judged, change, now)
}

/// The counter that was rolled with an action, of somebody of this name.
pub(crate) fn countering(reply: Reply, name: &str, roll: &Roll, judged: &Judgement) -> Reply {
    let reply = dice(reply.text(format!(" | {name} counters {}:", judged.total)), roll, judged);
    let notes = notes(roll, judged, 0, 0);
    if notes.is_empty() { reply } else { reply.text(format!(" | {}", notes.join(", "))) }
}

/// The steps to the result, with the rule for each.
fn explain(mut reply: Reply, roll: &Roll, judged: &Judgement) -> Reply {
    let fortune = roll.fortune;
    reply = reply.why(match roll.dropped_fortune {
        None => format!("d20={fortune} is the fortune die"),
        Some(other) => format!("d20={fortune} is the fortune die, d20={other} does not count ({})", edge(roll.edge)),
    });
    reply = match roll.stress {
        Stress::Reduced { from, to: Some(to) } => reply.why(format!("stress: the d{from} was thrown as a d{to}")),
        Stress::Reduced { from, to: None } => reply.why(format!("stress: the d{from} was not thrown")),
        Stress::Scratched(at) => reply.why(format!("stress scratches the largest die, {}", roll.dice[at])),
        Stress::NothingToTake | Stress::None => reply,
    };
    if !roll.removed.is_empty() {
        reply = reply.why(format!("{} scratched: they count for nothing", removed(roll).join(" and ")));
    }
    if let Some(at) = judged.scratched {
        let whose = if roll.scratch.is_some() { "as chosen" } else { "the lowest that shows no 1" };
        reply =
            reply.why(format!("a 1 on the fortune die is a critical fumble and scratches {}, {whose}", roll.dice[at]));
    }
    let parts: Vec<_> = judged.parts.iter().map(ToString::to_string).collect();
    reply = reply.why(format!("total {}: the two highest, {}", judged.total, parts.join(" + ")));
    let minimum = if fortune >= 4 { "1 for a fortune die of 4 and more, and " } else { "" };
    let used = if roll.crit == Some(CritUse::Impact) { ", and 2 for the critical success" } else { "" };
    let rule = "1 for each die of 4 to 9 and 2 for each of 10 and more";
    let least = if minimum_is_noted(roll, judged) { "; 1 is left if the action is countered" } else { "" };
    reply = reply.why(format!("impact {}: {minimum}{rule}{used}{least}", judged.impact));
    match (judged.crit, judged.fumble) {
        (Whether::If, _) => reply.why("d20=20 is a critical success if the action succeeds"),
        (Whether::Yes, _) => reply.why("d20=20 and the total reaches the counter: a critical success"),
        (_, Whether::If) => reply.why(format!("d20={fortune} is a critical fumble if the action is countered")),
        (_, Whether::Yes) if fortune > 1 => reply.why(format!("d20={fortune} and countered: a critical fumble")),
        _ => reply,
    }
}

fn edge(edge: Edge) -> &'static str {
    match edge {
        Edge::Advantage => "advantage",
        Edge::Disadvantage => "disadvantage",
        Edge::Cancelled => "advantage and disadvantage cancel out",
        Edge::None => "",
    }
}

/// Whether the dice that make the total are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    Shown,
    Known,
}

fn headline(reply: Reply, turn: &Turn, roll: &Roll, judged: &Judgement, sum: Sum) -> Reply {
    let parts: Vec<_> = judged.parts.iter().map(|die| format!("d{} {}", die.sides, die.value)).collect();
    let total = judged.total;
    let parts = if sum == Sum::Shown { format!(" ({})", parts.join(" + ")) } else { String::new() };
    let against = |counter: i64| turn.hides().map_or(counter.to_string(), str::to_owned);
    let versus = roll.counter.map_or(String::new(), |counter| format!(" vs {}", against(counter)));
    match (judged.outcome, roll.kind) {
        (Outcome::Countered, _) => {
            let usable = judged.usable_impact.unwrap_or_default();
            reply.bold(format!("COUNTERED {total}{versus}")).text(format!(", no stress, impact {usable}"))
        }
        (Outcome::Success, _) => {
            reply.bold(format!("SUCCESS {total}{versus}")).text(format!("{parts}, IMPACT {}", judged.impact))
        }
        (Outcome::Unknown, kind) => {
            let what = if kind == Kind::Action { "ACTION" } else { "COUNTER" };
            // Unless somebody is asked to counter, nobody may.
            let least = roll.against.is_some() && minimum_is_noted(roll, judged) && judged.impact > 1;
            let least = if least { " (1 if countered)" } else { "" };
            reply.bold(format!("{what} {total}")).text(format!("{parts}, IMPACT {}{least}", judged.impact))
        }
    }
}

fn dice(mut reply: Reply, roll: &Roll, judged: &Judgement) -> Reply {
    reply = reply.text(" ").die(format!("d20={}", roll.fortune));
    if let Some(dropped) = roll.dropped_fortune {
        reply = reply.text(" ").dropped(format!("d20={dropped}"));
    }
    for (at, die) in roll.dice.iter().enumerate() {
        let out = judged.scratched == Some(at) || !roll.in_play().any(|left| left == at);
        reply = reply.text(" ");
        reply = if out { reply.dropped(die.to_string()) } else { reply.die(die.to_string()) };
    }
    reply
}

fn notes(roll: &Roll, judged: &Judgement, change: i64, now: i64) -> Vec<String> {
    let mut notes = Vec::new();
    if roll.edge != Edge::None {
        notes.push(edge(roll.edge).to_owned());
    }
    match roll.stress {
        Stress::Reduced { from, to: Some(to) } => notes.push(format!("stress: d{from} is a d{to}")),
        Stress::Reduced { from, to: None } => notes.push(format!("stress: the d{from} is out")),
        Stress::Scratched(at) => notes.push(format!("stress scratches {}", roll.dice[at])),
        Stress::NothingToTake => notes.push("stress has no character die to take".to_owned()),
        Stress::None => {}
    }
    if !roll.removed.is_empty() {
        notes.push(format!("{} scratched", removed(roll).join(" and ")));
    }
    match (judged.crit, roll.crit) {
        (Whether::If, None) => notes.push("CRIT if it succeeds".to_owned()),
        (Whether::Yes, None) => notes.push("CRITICAL SUCCESS".to_owned()),
        (Whether::Yes, Some(CritUse::Impact)) => notes.push("CRITICAL SUCCESS, its +2 impact included".to_owned()),
        (Whether::Yes, Some(CritUse::Inspire)) => notes.push("CRITICAL SUCCESS, used for inspiration".to_owned()),
        _ => {}
    }
    match (judged.fumble, judged.scratched) {
        (Whether::Yes, Some(at)) => {
            notes.push(format!("CRITICAL FUMBLE: {} scratched", roll.dice[at]));
        }
        (Whether::Yes, None) if roll.fortune == 1 => notes.push("CRITICAL FUMBLE: no die to scratch".to_owned()),
        (Whether::Yes, None) => notes.push("CRITICAL FUMBLE (1-3 and countered)".to_owned()),
        (Whether::If, _) => notes.push("fumble if countered".to_owned()),
        (Whether::No, _) => {}
    }
    if change != 0 {
        notes.push(format!("inspiration {now} ({change:+})"));
    }
    notes
}

/// The dice that a rule scratched.
fn removed(roll: &Roll) -> Vec<String> {
    roll.removed.iter().map(|at| roll.dice[*at].to_string()).collect()
}

/// How much impact was spent, and what is left.
pub(crate) fn spent(reply: Reply, points: i64, left: i64) -> Reply {
    let reply = reply.text(format!("{points} impact spent, {left} left"));
    reply.fact("impact_spent", points).fact("impact_left", left)
}

/// True if the minimum impact is worth mentioning, because the action may still be countered.
fn minimum_is_noted(roll: &Roll, judged: &Judgement) -> bool {
    roll.kind == Kind::Action && judged.outcome == Outcome::Unknown && roll.fortune >= 4
}

fn facts(reply: Reply, roll: &Roll, judged: &Judgement, change: i64, now: i64) -> Reply {
    let whether = |whether, condition: &str| match whether {
        Whether::No => "no".to_owned(),
        Whether::If => condition.to_owned(),
        Whether::Yes => "yes".to_owned(),
    };
    let stress = match roll.stress {
        Stress::None => Value::Null,
        Stress::NothingToTake => json!("nothing to take"),
        Stress::Reduced { from, to: Some(to) } => json!(format!("d{from}->d{to}")),
        Stress::Reduced { from, to: None } => json!(format!("d{from}->removed")),
        Stress::Scratched(at) => json!(format!("scratch d{}", roll.dice[at].sides)),
    };
    let crit_used = roll.crit.map(|used| match used {
        CritUse::Impact => "impact",
        CritUse::Inspire => "inspire",
    });
    let pool: Vec<_> = roll.dice.iter().map(|die| format!("d{}", die.sides)).collect();
    reply
        .fact("impact", judged.impact)
        .fact("usable_impact", judged.usable_impact)
        .fact("counter", roll.counter)
        .fact("fortune", roll.fortune)
        .fact("dropped_fortune", roll.dropped_fortune)
        .fact("pool", pool)
        .fact("stress", stress)
        .fact("scratched", judged.scratched.map(|at| roll.dice[at].to_string()))
        .fact("scratched_by_rule", (!roll.removed.is_empty()).then(|| removed(roll)))
        .fact("crit", whether(judged.crit, "if_succeeds"))
        .fact("crit_used", crit_used)
        .fact("fumble", whether(judged.fumble, "if_countered"))
        .fact("min_impact_note", minimum_is_noted(roll, judged))
        .fact("inspiration", now)
        .fact("inspiration_change", change)
}

/// The stress a character is under.
pub(crate) fn stress(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.characters.get(&who).cloned().unwrap_or_default();
    let says = match (held.overwhelmed, held.staggered) {
        (true, true) => "overwhelmed and staggered: the largest die is scratched",
        (true, false) => "overwhelmed: the largest die steps down",
        (false, true) => "staggered: the largest die steps down",
        (false, false) => "under no stress",
    };
    turn.about(who).text(says).fact("overwhelmed", held.overwhelmed).fact("staggered", held.staggered)
}

/// Everything a character and the table hold.
pub(crate) fn sheet(state: &State, turn: &Turn, who: CharacterId) -> Reply {
    let held = state.characters.get(&who).cloned().unwrap_or_default();
    let others: Vec<_> = state
        .characters
        .iter()
        .filter(|(id, _)| **id != who && !turn.is_away(**id))
        .map(|(id, each)| format!("{} {}", turn.name(*id), holdings(each)))
        .collect();
    let mut reply = turn.about(who).text(holdings(&held)).text(away(turn, who));
    if !others.is_empty() {
        reply = reply.text(format!(" | at the table: {}", others.join("; ")));
    }
    reply.fact("inspiration", held.inspiration).fact("overwhelmed", held.overwhelmed).fact("staggered", held.staggered)
}

fn holdings(held: &Holdings) -> String {
    let mut words = vec![format!("inspiration {}", held.inspiration)];
    words.extend(held.overwhelmed.then(|| "overwhelmed".to_owned()));
    words.extend(held.staggered.then(|| "staggered".to_owned()));
    words.join(", ")
}

fn away(turn: &Turn, who: CharacterId) -> &'static str {
    if turn.is_away(who) { ", away" } else { "" }
}
