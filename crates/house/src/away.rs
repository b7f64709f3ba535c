//! `!away`, `!back`: until when somebody is not there.

use crate::orders::{read_time, with_clock, zone};
use crate::{view, waiting};
use chat::{Line, Reply, Span};
use jiff::Timestamp;
use plugin_api::{Refusal, Text};
use table::own::{HouseTurn, Unplayed, times};

/// Words for not being away any more.
const OVER: [&str; 5] = ["off", "over", "no", "none", "back"];
/// Words in front of a time.
const BEFORE: [&str; 5] = ["until", "untill", "till", "til", "for"];
const EXAMPLE: &str = "away 5d";

pub(super) fn away(turn: &mut HouseTurn, until: Option<&Text>) -> Result<Reply, Unplayed> {
    let Some(Text { text, .. }) = until else { return Ok(list(turn)) };
    if OVER.contains(&text.trim().to_lowercase().as_str()) {
        return back(turn);
    }
    let (first, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text, ""));
    let time = if BEFORE.contains(&first.to_lowercase().as_str()) { rest } else { text };
    let typed = read_time(turn, time, EXAMPLE)?;
    set(turn, Some(typed.at))?;
    let until = times::shown(typed.at, &zone(turn));
    let reply = Reply::from(format!("You are away until {until}. "));
    let reply = reply.code(format!("{}back", turn.room.prefix)).text(" ends that.");
    Ok(with_clock(turn, reply, &typed))
}

pub(super) fn back(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let player = turn.speaker.player.clone();
    let until = turn.table.seats.get(&player).and_then(|seat| seat.away);
    if until.is_none_or(|until| until <= turn.now) {
        return Err(Refusal::new("you are not away").example(EXAMPLE).into());
    }
    set(turn, None)?;
    let mut asked = view::all(&turn.looking())?;
    let mine = |open: &view::Open| {
        let owner = turn.table.characters.get(&open.character).and_then(|each| each.owner.as_ref());
        open.is_must() && owner == Some(&player)
    };
    asked.retain(mine);
    if asked.is_empty() {
        return Ok("You are back, and nobody waits for you.".into());
    }
    Ok(Reply::new().text("You are back. Waited for:").list(waiting::listed(turn, &asked, |_| "on")))
}

fn set(turn: &mut HouseTurn, until: Option<Timestamp>) -> Result<(), Refusal> {
    let player = turn.speaker.player.clone();
    match turn.table_mut().seats.get_mut(&player) {
        Some(seat) => seat.away = until,
        None => return Err(Refusal::new("you have no seat at this table").example("pc")),
    }
    Ok(())
}

fn list(turn: &HouseTurn) -> Reply {
    let away = turn.table.seats.values().filter_map(|seat| Some((seat, seat.away.filter(|until| *until > turn.now)?)));
    let lines: Vec<Line> = away
        .map(|(seat, until)| {
            vec![Span::Bold(seat.name.clone()), Span::Text(format!(": until {}", times::shown(until, &zone(turn))))]
        })
        .collect();
    if lines.is_empty() {
        let reply = Reply::new().text("Nobody is away. ").code(format!("{}{EXAMPLE}", turn.room.prefix));
        return reply.text(" says that you are.");
    }
    Reply::new().text("Away:").list(lines)
}
