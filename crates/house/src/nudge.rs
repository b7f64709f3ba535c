//! `!nudge`: whoever is waited for is called once, after a time that the referee sets.

use crate::orders::{read_time, zone};
use crate::{view, waiting};
use chat::{PlayerId, Reply};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{DueDoc, Order, RollDoc, When, to_json};
use journal::keys;
use plugin_api::{CharacterId, Refusal, Text};
use std::collections::{BTreeMap, BTreeSet};
use table::own::{Act, Answered, HouseTurn, Unplayed, due_at};

/// The words that end it.
const OFF: [&str; 4] = ["off", "none", "no", "never"];
/// The shortest time after which somebody is called.
const LEAST: SignedDuration = SignedDuration::from_mins(1);
const EXAMPLE: &str = "nudge 24h";

pub(super) fn nudge(turn: &mut HouseTurn, after: Option<&Text>) -> Result<Reply, Unplayed> {
    let Some(Text { text, .. }) = after else {
        return match turn.ordered {
            Some(number) if is_nudge(turn, number) => call(turn, number),
            _ => Ok(shown(turn)),
        };
    };
    turn.needs(Act::SetTable, "say when people are called")?;
    if OFF.contains(&text.trim().to_lowercase().as_str()) {
        if turn.table.nudge().is_none() {
            return Err(Refusal::new("I call nobody here as it is").example(EXAMPLE).into());
        }
        turn.table_mut().orders.retain(|_, order| !matches!(order.when, When::Waited(_)));
        return Ok("I call nobody any more who is waited for.".into());
    }
    let typed = read_time(turn, text, EXAMPLE)?;
    let after = typed.at.duration_since(turn.now);
    if typed.by_the_clock || after < LEAST {
        let what = "after how long? I need a time to wait, of a minute at least: 24h, 2d";
        return Err(Refusal::new(what).about(text).example(EXAMPLE).into());
    }
    let (by, trust, role, player) = (turn.actor, turn.speaker.trust, turn.rights.role(), turn.speaker.player.clone());
    let (when, room) = (When::Waited(after.as_secs()), Some(turn.room_id.clone()));
    let number = turn.number;
    let orders = &mut turn.table_mut().orders;
    orders.retain(|_, order| !matches!(order.when, When::Waited(_)));
    orders.insert(number, Order { by, player, trust, role, when, own: false, room });
    Ok(shown(turn))
}

fn is_nudge(turn: &HouseTurn, number: u64) -> bool {
    turn.table.orders.get(&number).is_some_and(|order| matches!(order.when, When::Waited(_)))
}

fn shown(turn: &HouseTurn) -> Reply {
    let prefix = &turn.room.prefix;
    let Some((_, _, seconds)) = turn.table.nudge() else {
        let reply = Reply::new().text("I call nobody. ").code(format!("{prefix}{EXAMPLE}"));
        return reply.text(" makes me call whoever has been waited for a day, once.");
    };
    let reply = Reply::from(format!("I call whoever has been waited for {}, once", in_words(seconds)));
    match turn.room.quiet() {
        Some(quiet) => {
            let zone = zone(turn);
            let clock = zone.iana_name().unwrap_or("UTC").replace('_', " ");
            reply.text(format!(", but not in the quiet hours, {quiet} ({clock})."))
        }
        None => reply.text(". Quiet hours: ").code(format!("{prefix}room quiet 22:00-08:00")),
    }
}

/// A time to wait in words: `2 days`, `90 minutes`.
fn in_words(seconds: i64) -> String {
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let (each, unit) = units.into_iter().find(|(each, _)| seconds % each == 0).unwrap_or((1, "second"));
    let count = seconds / each;
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// Calls everyone who has been waited for long enough and was not called yet, and notes when to look again.
fn call(turn: &mut HouseTurn, number: u64) -> Result<Reply, Unplayed> {
    let Some((_, _, after)) = turn.table.nudge() else { return Ok(Reply::new()) };
    let (zone, quiet) = (zone(turn), turn.room.quiet());
    let mut next: Option<Timestamp> = None;
    let mut late = Vec::new();
    for open in view::all(&turn.looking())? {
        let Some(roll) = turn.ledger.roll(open.entry)?.filter(|_| open.is_must()) else { continue };
        if roll.called.contains(&open.character) {
            continue;
        }
        let since = match roll.since {
            Some(since) => since,
            // It was taken up once, and that was undone.
            None => turn.ledger.page(roll.by)?.map_or(turn.now, |page| page.entry.time),
        };
        let due = due_at(since, after, turn.table.away(open.character, turn.heard), quiet, &zone);
        // Somebody may be called late, but not while it is quiet.
        let due = quiet.map_or(due, |quiet| quiet.after(due.max(turn.heard), &zone));
        match due <= turn.heard {
            true => late.push((open, roll)),
            false => next = Some(next.map_or(due, |next| next.min(due))),
        }
    }
    if let Some(at) = next {
        let due = DueDoc::new(at, turn.room_id.clone(), turn.head.number);
        turn.effects.writes.put(keys::due(turn.ledger.id(), number), to_json(&due));
    }
    let mut rolls: BTreeMap<u64, RollDoc> = BTreeMap::new();
    let mut listed = Vec::new();
    for (open, roll) in late {
        rolls.entry(open.entry).or_insert(roll).called.insert(open.character);
        let called = whom(turn, open.character).into_iter().filter(|player| turn.is_here(player));
        turn.effects.calls.extend(called.collect::<Vec<_>>());
        listed.push(open);
    }
    for (entry, roll) in &rolls {
        turn.effects.writes.put(keys::roll(turn.ledger.id(), *entry), to_json(roll));
    }
    if listed.is_empty() {
        return Ok(Reply::new());
    }
    Ok(Reply::new().bold("Still waited for").text(":").list(waiting::shown(turn, &listed, |_| "on")))
}

/// Who answers for a character: their player, or the referees.
fn whom(turn: &HouseTurn, character: CharacterId) -> BTreeSet<PlayerId> {
    let owner = turn.table.characters.get(&character).and_then(|each| each.owner.clone());
    match owner {
        Some(owner) => BTreeSet::from([owner]),
        None => turn.table.referees.keys().cloned().collect(),
    }
}
