//! `!ignore`: people who are not answered in this room.

use chat::Reply;
use chat::pattern::about;
use plugin_api::{Refusal, Text};
use std::collections::BTreeSet;
use std::sync::Arc;
use table::own::{HouseTurn, People, looks_like_an_id, with_id};

/// The most patterns per room.
const MOST: usize = 100;
/// The most characters of a pattern.
const LONGEST: usize = 200;

pub(super) fn ignore(turn: &mut HouseTurn, who: Option<Text>) -> Result<Reply, Refusal> {
    let Some(who) = who else { return Ok(list(turn)) };
    let typed = who.text.trim();
    let (pattern, shown) = named(turn, typed)?;
    if about(&[pattern.clone()].into(), turn.speaker).is_some() {
        return Err(Refusal::new(format!("{typed} is you too")).about(typed).example("ignore *!*@*.spam.example"));
    }
    if turn.room.ignored.len() >= MOST {
        return Err(Refusal::new(format!("a room ignores at most {MOST} people")).example("ignore"));
    }
    if !Arc::make_mut(turn.room).ignored.insert(pattern.clone()) {
        return Err(Refusal::new(format!("{typed} is already ignored here")).about(typed).example("ignore"));
    }
    let reply = Reply::new().text(format!("{shown} is not answered in this room from now on. "));
    Ok(reply.code(format!("{}unignore {typed}", turn.room.prefix)).text(" ends that."))
}

pub(super) fn unignore(turn: &mut HouseTurn, who: &Text) -> Result<Reply, Refusal> {
    let typed = who.text.trim();
    let (pattern, shown) = named(turn, typed)?;
    if Arc::make_mut(turn.room).ignored.remove(&pattern) {
        return Ok(format!("{shown} is answered again in this room.").into());
    }
    let before = ignored_before(turn, typed);
    if before.is_empty() {
        return Err(Refusal::new(format!("{typed} is not ignored here")).about(typed).example("ignore"));
    }
    Arc::make_mut(turn.room).ignored.retain(|pattern| !before.contains(pattern));
    let before: Vec<_> = before.into_iter().collect();
    Ok(format!("{shown}, ignored as {}, is answered again in this room.", before.join(", ")).into())
}

/// What is ignored here and matched somebody who has another id by now.
fn ignored_before(turn: &HouseTurn, typed: &str) -> BTreeSet<String> {
    let Ok(player) = turn.table.player(typed, turn.present) else { return BTreeSet::new() };
    let matched = turn.host.roster.ignored_in(turn.room_id, &player);
    matched.intersection(&turn.room.ignored).cloned().collect()
}

fn list(turn: &HouseTurn) -> Reply {
    let ignored: Vec<&str> = turn.room.ignored.iter().map(String::as_str).collect();
    match ignored.is_empty() {
        true => Reply::from("Nobody is ignored in this room."),
        false => format!("Ignored in this room: {}.", ignored.join(", ")).into(),
    }
}

/// The pattern meant, and how it is shown. Text with a special character is taken as an id or a mask; a name stands for
/// that person's id.
fn named(turn: &HouseTurn, typed: &str) -> Result<(String, String), Refusal> {
    let bad = typed.is_empty() || typed.chars().count() > LONGEST || typed.contains(char::is_whitespace);
    let mask = typed.contains('*') || (typed.contains('!') && typed.contains('@'));
    if !bad && (mask || looks_like_an_id(typed)) {
        return Ok((typed.to_owned(), typed.to_owned()));
    }
    match turn.table.player(typed, turn.present) {
        Ok(player) => Ok((player.to_string(), with_id(typed, &player))),
        Err(Refusal { what, .. }) if what.ends_with(typed) => {
            let what = format!("{what}: name somebody here, an id, or a mask");
            Err(Refusal::new(what).about(typed).example("ignore *!*@*.spam.example"))
        }
        Err(refusal) => Err(refusal.example("ignore *!*@*.spam.example")),
    }
}
