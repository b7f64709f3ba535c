//! `!ignore`: who is not answered in this room.

use super::HouseTurn;
use crate::pattern;
use chat::Reply;
use plugin_api::{Refusal, Text};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Patterns that a room may have.
const MOST: usize = 100;
/// Characters of one.
const LONGEST: usize = 200;

pub(super) fn ignore(turn: &mut HouseTurn, who: Option<Text>) -> Result<Reply, Refusal> {
    let Some(who) = who else { return Ok(list(turn)) };
    let typed = who.text.trim();
    let pattern = named(turn, typed)?;
    if pattern::about(&[pattern.clone()].into(), turn.speaker).is_some() {
        return Err(Refusal::new(format!("{typed} is you too")).about(typed).example("ignore *!*@*.spam.example"));
    }
    if turn.room.ignored.len() >= MOST {
        return Err(Refusal::new(format!("a room ignores {MOST} at the most")).example("ignore"));
    }
    if !Arc::make_mut(turn.room).ignored.insert(pattern.clone()) {
        return Err(Refusal::new(format!("{typed} is ignored here already")).about(typed).example("ignore"));
    }
    let reply = Reply::new().text(format!("{typed} is not answered in this room from now on. "));
    Ok(reply.code(format!("{}unignore {typed}", turn.room.prefix)).text(" ends that."))
}

pub(super) fn unignore(turn: &mut HouseTurn, who: &Text) -> Result<Reply, Refusal> {
    let typed = who.text.trim();
    let pattern = named(turn, typed)?;
    if !Arc::make_mut(turn.room).ignored.remove(&pattern) {
        return Err(Refusal::new(format!("{typed} is not ignored here")).about(typed).example("ignore"));
    }
    Ok(format!("{typed} is answered again in this room.").into())
}

fn list(turn: &HouseTurn) -> Reply {
    let ignored: Vec<&str> = turn.room.ignored.iter().map(String::as_str).collect();
    match ignored.is_empty() {
        true => Reply::from("Nobody is ignored in this room."),
        false => format!("Ignored in this room: {}.", ignored.join(", ")).into(),
    }
}

/// Somebody by name is meant by their id; what holds a mark is an id or a mask as it stands.
fn named(turn: &HouseTurn, typed: &str) -> Result<String, Refusal> {
    let bad = typed.is_empty() || typed.chars().count() > LONGEST || typed.contains(char::is_whitespace);
    let is_name = |name: &str| name.to_lowercase() == typed.to_lowercase();
    // Who has gone is known by the seat they had.
    let seated = turn.table.seats.iter().map(|(player, seat)| (player, &seat.name));
    let named = turn.present.iter().chain(seated).filter(|(_, name)| is_name(name)).map(|(player, _)| player);
    let found: Vec<_> = named.collect::<BTreeSet<_>>().into_iter().collect();
    match found.as_slice() {
        [player] => Ok(player.to_string()),
        [_, ..] => Err(Refusal::new(format!("several here are called {typed}: name one by their id")).about(typed)),
        [] if !bad && typed.contains(['*', '@', ':', '!']) => Ok(typed.to_owned()),
        [] => {
            let what = format!("nobody here is called {typed}: name somebody here, an id, or a mask");
            Err(Refusal::new(what).about(typed).example("ignore *!*@*.spam.example"))
        }
    }
}
