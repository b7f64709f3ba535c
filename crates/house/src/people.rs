//! `!gm`, `!iam`, `!pc`: who runs the game, and who plays whom.

use crate::Person;
use chat::{PlayerId, Reply, Speaker, Trust};
use journal::documents::{Character, TableDoc};
use plugin_api::names::written;
use plugin_api::{CharacterId, Forms, Name, Refusal};
use std::sync::Arc;
use table::budget::MOST_CHARACTERS;
use table::own::{
    Act, For, HouseTurn, Naming, People, Quotas, Unplayed, Used, as_name, held, looks_like_an_id, with_id,
};

/// Who referees from now on, or no longer.
#[derive(Forms)]
pub(super) enum Referee {
    Me,
    Add { player: Person },
    Remove { player: Person },
}

pub(super) fn referees(turn: &mut HouseTurn, change: Option<Referee>) -> Result<Reply, Unplayed> {
    let me = matches!(change, Some(Referee::Me));
    let player = match change {
        None => return Ok(list(turn)),
        Some(Referee::Me) => turn.speaker.player.clone(),
        Some(Referee::Add { player }) => turn.table.player(&player.0, turn.present)?,
        Some(Referee::Remove { player }) => return Ok(dismiss(turn, &player.0)?),
    };
    let name = if me { turn.speaker.name.clone() } else { shown_name(turn, &player) };
    let whole = if me { name.clone() } else { with_id(&name, &player) };
    if turn.table.referees.contains_key(&player) {
        return Err(Refusal::new(format!("{whole} is already a referee here")).into());
    }
    if !turn.may(Act::NameReferee) {
        let now = turn.table.referees.values().cloned().collect::<Vec<_>>().join(", ");
        return Err(Refusal::new(format!("this table has a referee: ask {now}")).example("gm").into());
    }
    if turn.table.referees.is_empty() && !turn.may(Act::Disclose) && turn.ledger.holds_secrets_of_others(turn.rights)? {
        let what = "others have secrets here, and a referee could read them: only a room admin may name the first one";
        return Err(Refusal::new(what).example("gm").into());
    }
    let trusted =
        if me { turn.speaker.trust == Trust::Account } else { turn.host.roster.vouches_for(turn.room_id, &player) };
    if !trusted {
        let what = match me || turn.present.contains_key(&player) {
            true => "a bare nick cannot hold rights, since anybody may take it; log in to services first".to_owned(),
            false => format!("{whole} is not here now: a referee must be in the room"),
        };
        return Err(Refusal::new(what).into());
    }
    turn.table_mut().referees.insert(player, name);
    Ok(format!("{whole} is now a referee of this table.").into())
}

/// The name that a player shows, or showed last.
fn shown_name(turn: &HouseTurn, player: &PlayerId) -> String {
    let seated = || turn.table.seats.get(player).map(|seat| &seat.name);
    let name = turn.present.get(player).or_else(seated).or_else(|| turn.table.referees.get(player));
    name.map_or_else(|| player.id.clone(), Clone::clone)
}

fn list(turn: &HouseTurn) -> Reply {
    let names: Vec<_> = turn.table.referees.values().cloned().collect();
    match names.as_slice() {
        [] => Reply::from("No referee yet, so anyone may use referee commands. ")
            .code(format!("{}gm me", turn.room.prefix))
            .text(" makes you one."),
        [one] => format!("The referee is {one}.").into(),
        several => format!("The referees are {}.", several.join(", ")).into(),
    }
}

fn dismiss(turn: &mut HouseTurn, typed: &str) -> Result<Reply, Refusal> {
    let player = match typed.eq_ignore_ascii_case("me") {
        true => turn.speaker.player.clone(),
        false => referee_called(turn, typed)?,
    };
    turn.needs(Act::Dismiss(&player), "dismiss a referee")?;
    match turn.table.referees.get(&player).cloned() {
        Some(name) => {
            turn.table_mut().referees.remove(&player);
            Ok(format!("{} is no longer a referee of this table.", with_id(&name, &player)).into())
        }
        None => Err(Refusal::new(format!("{typed} is not a referee of this table")).about(typed).example("gm")),
    }
}

/// The referee meant; a name from when they became referee counts if no other has it.
fn referee_called(turn: &HouseTurn, typed: &str) -> Result<PlayerId, Refusal> {
    let wanted = typed.strip_prefix('@').unwrap_or(typed).to_lowercase();
    let mut named = turn.table.referees.iter().filter(|(_, name)| name.to_lowercase() == wanted);
    match (looks_like_an_id(typed), named.next(), named.next()) {
        (false, Some((player, _)), None) => Ok(player.clone()),
        _ => turn.table.player(typed, turn.present),
    }
}

pub(super) fn i_am(turn: &mut HouseTurn, name: Option<&str>) -> Result<Reply, Refusal> {
    let player = turn.speaker.player.clone();
    let Some(name) = name else {
        let current = turn.table.name_of(turn.actor).to_owned();
        let others = own(turn.table, turn.speaker).filter(|id| *id != turn.actor);
        let others: Vec<_> = others.map(|id| turn.table.name_of(id).to_owned()).collect();
        return Ok(match others.is_empty() {
            true => format!("You are {current}.").into(),
            false => format!("You are {current}. Also yours: {}.", others.join(", ")).into(),
        });
    };
    let actor = turn.actor;
    if let Some(id) = held(turn.table, name) {
        let name = as_name(name.trim_matches('"'));
        if id == actor {
            return switch_spelling(turn, id, &name);
        }
        if !turn.table.characters[&id].owner.as_ref().is_some_and(|owner| turn.speaker.is(owner)) {
            let prefix = &turn.room.prefix;
            let what = format!("{name} is not yours; a referee gives them to you with {prefix}pc {name} @you");
            return Err(Refusal::new(what).about(name));
        }
        acts_for(turn, id);
        return Ok(format!("You now act for {}.", turn.table.name_of(id)).into());
    }
    let name = naming(turn, For::Speaker(turn.speaker)).proper(name)?;
    let unnamed = turn.table.characters.get(&actor).is_some_and(|each| !each.named && each.owner.is_some());
    if unnamed {
        let character = turn.table_mut().characters.get_mut(&actor).expect("the actor is a character");
        character.named = true;
        character.was = Some(std::mem::replace(&mut character.name, name.clone()));
        return Ok(format!("You are {name}.").into());
    }
    let id = new_character(turn, &name, Some(player.clone()))?;
    acts_for(turn, id);
    let others: Vec<_> = own(turn.table, turn.speaker).filter(|own| *own != id).collect();
    let others: Vec<_> = others.into_iter().map(|id| turn.table.name_of(id)).collect();
    let reply = format!("You are {name}, a new character. Also yours: {}.", others.join(", "));
    let near = turn.table.own_characters(&player).told("You have", "characters");
    Ok((reply + &near.or_else(|| all_near(turn)).unwrap_or_default()).into())
}

/// What a name at this table must be told apart from.
fn naming<'a>(turn: &'a HouseTurn<'_>, whose: For<'a>) -> Naming<'a> {
    Naming { host: turn.host, table: turn.table, present: turn.present, whose }
}

/// A warning when the table has nearly the most characters allowed.
fn all_near(turn: &HouseTurn) -> Option<String> {
    Used { used: turn.table.characters.len(), most: MOST_CHARACTERS }.told("This table has", "characters")
}

/// Words with which people try to delete a character.
const REMOVES: [&str; 6] = ["delete", "remove", "del", "rm", "kill", "erase"];

/// The same name again: takes over a different case, and counts as chosen.
fn switch_spelling(turn: &mut HouseTurn, id: CharacterId, name: &str) -> Result<Reply, Refusal> {
    let character = &turn.table.characters[&id];
    if character.name != name || !character.named {
        let character = turn.table_mut().characters.get_mut(&id).expect("it was just found");
        name.clone_into(&mut character.name);
        character.named = true;
    }
    Ok(format!("You are {name}.").into())
}

pub(super) fn characters(
    turn: &mut HouseTurn,
    character: Option<Name>,
    player: Option<Person>,
    free: bool,
) -> Result<Reply, Refusal> {
    let Some(character) = character else {
        if free {
            return Err(Refusal::new("which character is free from now on?").example("pc Ann free"));
        }
        return Ok(list_characters(turn));
    };
    turn.needs(Act::KeepCharacters, "make, bind and free characters")?;
    let name = as_name(character.0.trim_matches('"'));
    if let Some(other) = player.as_ref().filter(|_| REMOVES.contains(&name.to_lowercase().as_str()))
        && let Some(who) = turn.cast().known(&other.0)
    {
        let what = "no character is deleted, since the journal tells of them; leave takes one away from the table";
        return Err(Refusal::new(what).example(format!("leave {}", turn.table.name_of(who))));
    }
    // A player's name means the character they act for, as it does everywhere.
    let found = held(turn.table, &name).or_else(|| turn.cast().known(&name));
    let name = found.map_or(name, |id| turn.table.name_of(id).to_owned());
    match (found, player, free) {
        (None, None, false) => {
            let name = naming(turn, For::Nobody).proper(&name)?;
            let id = new_character(turn, &name, None)?;
            let reply = format!("{} is here, for the referee to act for.", turn.table.name_of(id));
            Ok((reply + &all_near(turn).unwrap_or_default()).into())
        }
        (Some(id), None, false) => match turn.table.characters[&id].owner.clone() {
            Some(owner) => {
                Ok(format!("{} is played by {}.", turn.table.name_of(id), played_by(turn.table, &owner)).into())
            }
            None => Ok(format!("{} is the referee's.", turn.table.name_of(id)).into()),
        },
        (Some(id), None, true) => {
            turn.table_mut().hand_over(id, None);
            Ok(format!("{name} is an NPC now; a referee acts for them.").into())
        }
        (_, Some(player), false) => bind(turn, &name, &player),
        (None, None, true) => Err(Refusal::new(format!("nobody here is called {name}")).about(name)),
        (_, Some(_), true) => Err(Refusal::new("either a player or free")),
    }
}

pub(super) fn join(turn: &mut HouseTurn, name: Option<Name>) -> Result<Reply, Refusal> {
    let who = named(turn, name)?;
    turn.table_mut().characters.entry(who).and_modify(|each| each.away = Some(false));
    Ok(format!("{} is at the table.", turn.table.name_of(who)).into())
}

pub(super) fn leave(turn: &mut HouseTurn, name: Option<Name>) -> Result<Reply, Refusal> {
    let who = named(turn, name)?;
    let name = turn.table.name_of(who).to_owned();
    if who != turn.actor {
        turn.needs(Act::KeepCharacters, &format!("see off {name}"))?;
    }
    turn.table_mut().characters.entry(who).and_modify(|each| each.away = Some(true));
    Ok(format!("{name} has left the table; what they hold stays.").into())
}

/// The character named, found as a game would find it, or the actor.
fn named(turn: &mut HouseTurn, name: Option<Name>) -> Result<CharacterId, Refusal> {
    let Some(Name(name)) = name else { return Ok(turn.actor) };
    let mut cast = turn.cast();
    let who = cast.find(&name).ok_or_else(|| cast.nobody(&name))?;
    if !cast.newcomers().is_empty() {
        Arc::make_mut(turn.table).sit(Arc::make_mut(turn.head), &cast);
        // New seats stay even if the command is undone.
        *turn.arrived = turn.table.clone();
    }
    Ok(who)
}

fn list_characters(turn: &HouseTurn) -> Reply {
    let lines = turn.table.characters.values().map(|each| match &each.owner {
        Some(owner) => format!("{} ({}{})", each.name, played_by(turn.table, owner), away(each)),
        None => format!("{} (referee's{})", each.name, away(each)),
    });
    let lines: Vec<_> = lines.collect();
    match lines.is_empty() {
        true => Reply::from("Nobody has played here yet."),
        false => format!("Characters: {}.", lines.join(", ")).into(),
    }
}

fn away(character: &Character) -> &'static str {
    if character.away == Some(true) { ", away" } else { "" }
}

/// Gives a character to a player, who gets a seat by that.
fn bind(turn: &mut HouseTurn, name: &str, player: &Person) -> Result<Reply, Refusal> {
    let owner = turn.table.player(&player.0, turn.present)?;
    let seat_name = shown_name(turn, &owner);
    let (table, head) = (Arc::make_mut(turn.table), Arc::make_mut(turn.head));
    if !table.has_room() && !table.seats.contains_key(&owner) {
        return Err(Refusal::new(format!("{seat_name} has no seat here, and all are taken")).example("pc"));
    }
    table.seat(head, &owner, &seat_name);
    // New seats stay even if the command is undone.
    *turn.arrived = turn.table.clone();
    let id = match held(turn.table, name) {
        Some(id) => id,
        None => {
            let name = naming(turn, For::Player(&owner)).proper(name)?;
            new_character(turn, &name, None)?
        }
    };
    turn.table_mut().hand_over(id, Some(&owner));
    let name = turn.table.name_of(id);
    let whole = with_id(&seat_name, &owner);
    let plays = turn.table.seats[&owner].plays;
    if plays == id || !turn.table.characters[&plays].named {
        let reply = format!("{whole} now plays {name}.");
        turn.table_mut().seats.get_mut(&owner).expect("they were just seated").plays = id;
        return Ok(reply.into());
    }
    // Players who chose the character they act for keep it.
    let (prefix, plays, line) = (&turn.room.prefix, turn.table.name_of(plays), written(name));
    let how = format!("{prefix}as {line} ... or {prefix}iam {line}");
    Ok(format!("{whole} also plays {name} now, and still acts for {plays}: {how} acts for {name}.").into())
}

fn new_character(turn: &mut HouseTurn, name: &str, owner: Option<PlayerId>) -> Result<CharacterId, Refusal> {
    Arc::make_mut(turn.table).make_character(Arc::make_mut(turn.head), name, owner)
}

fn own<'a>(table: &'a TableDoc, speaker: &'a Speaker) -> impl Iterator<Item = CharacterId> + 'a {
    let theirs = |each: &Character| each.owner.as_ref().is_some_and(|owner| speaker.is(owner));
    table.characters.iter().filter(move |(_, each)| theirs(each)).map(|(id, _)| *id)
}

/// Lets the speaker act for a character of theirs from now on, whichever account they use if both played the same.
fn acts_for(turn: &mut HouseTurn, id: CharacterId) {
    let speaker = turn.speaker;
    let seats = &mut turn.table_mut().seats;
    let before = seats.get(&speaker.player).expect("who speaks has a seat").plays;
    for account in speaker.accounts() {
        seats.entry(account.clone()).and_modify(|seat| {
            if seat.plays == before {
                seat.plays = id;
            }
        });
    }
}

fn played_by(table: &TableDoc, player: &PlayerId) -> String {
    table.seats.get(player).map_or_else(|| player.id.clone(), |seat| seat.name.clone())
}
