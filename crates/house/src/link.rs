//! `!link`, `!unlink`, `!mirror`: several rooms at one table, on any networks.

use crate::typed::Switch;
use chat::{Readers, Reply, RoomId};
use jiff::{SignedDuration, Timestamp};
use journal::HOUSE;
use journal::documents::{DueDoc, Head, RoomDoc, TableDoc, to_json};
use journal::keys::{self, TableId};
use journal::store::StoreError;
use plugin_api::{Argument, ArgumentKind, Refusal};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::budget::MOST_ROOMS;
use table::own::{Act, HouseTurn, MIRROR, Unplayed};

/// How long the word is valid.
const COUNTS: SignedDuration = SignedDuration::from_hours(24);
/// Asks for a word where the rooms would be listed.
const ANOTHER: &str = "another";

/// A room as typed: its id or its name.
pub(super) struct Called(String);

impl Argument for Called {
    fn kind() -> ArgumentKind {
        ArgumentKind::Room
    }

    fn from_value(value: plugin_api::Value) -> Result<Self, Refusal> {
        Ok(Called(value.text()?.to_owned()))
    }
}

/// A table that another room can be linked to.
#[derive(Debug, Serialize, Deserialize)]
struct Link {
    table: TableId,
    until: Timestamp,
}

/// `!link`: the rooms of this table, or the word for another one.
pub(super) fn link(turn: &mut HouseTurn, word: Option<&str>, really: bool) -> Result<Reply, Unplayed> {
    match word.map(str::to_lowercase).as_deref() {
        None => {
            let rooms = turn.ledger.rooms_at(turn.ledger.id())?;
            if rooms.len() < 2 { give_word(turn) } else { list(turn, &rooms) }
        }
        Some(ANOTHER) => give_word(turn),
        Some(word) => link_by(turn, word, really),
    }
}

fn list(turn: &HouseTurn, rooms: &BTreeMap<RoomId, RoomDoc>) -> Result<Reply, Unplayed> {
    let reply = Reply::new().text("At this table: ").text(names(turn, rooms.keys())?).text(". ");
    let prefix = &turn.room.prefix;
    let reply = reply.code(format!("{prefix}link {ANOTHER}")).text(" lets one more in, ");
    Ok(reply.code(format!("{prefix}unlink")).text(" takes this one out."))
}

/// The names of rooms.
fn names<'a>(turn: &HouseTurn, rooms: impl Iterator<Item = &'a RoomId>) -> Result<String, StoreError> {
    let names: Result<Vec<_>, StoreError> = rooms.map(|room| name(turn, room, turn.room_id)).collect();
    Ok(names?.join(", "))
}

/// The name of a room for those in another, with its network if that is not theirs.
pub(super) fn name(turn: &HouseTurn, room: &RoomId, seen_from: &RoomId) -> Result<String, StoreError> {
    turn.host.name_from(room, seen_from)
}

/// Gives the word by which another room comes to this table.
fn give_word(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    turn.must_disclose("bring another room to this table")?;
    let table = turn.ledger.id().clone();
    has_a_seat(&turn.ledger.rooms_at(&table)?)?;
    let word = crate::moving::new_word(turn);
    let until = turn.heard.saturating_add(COUNTS).unwrap_or(turn.heard);
    let writes = &mut turn.effects.writes;
    writes.put(keys::link(&word), to_json(&Link { table: table.clone(), until }));
    turn.host.note_rooms_of(&table, writes)?;
    writes.put(keys::seated(&table, turn.room_id), to_json(&true));
    turn.effects.readers = Readers::Referees;
    let reply = Reply::new().text("In the other room, its admin or referee types ");
    let reply = reply.code(format!("{}link {word}", turn.room.prefix));
    Ok(reply.text(" within a day. Then it plays at this table. The word works once; tell nobody else."))
}

/// Refuses one more room at a table where these sit.
pub(super) fn has_a_seat(rooms: &BTreeMap<RoomId, RoomDoc>) -> Result<(), Refusal> {
    if rooms.len() < MOST_ROOMS {
        return Ok(());
    }
    Err(Refusal::new(format!("{MOST_ROOMS} rooms play at that table, and no more can")).example("link"))
}

/// Seats this room at the table that a word stands for. The other table has a queue of its own, and more rooms may have the
/// same word: so what is read here is relied on.
fn link_by(turn: &mut HouseTurn, word: &str, really: bool) -> Result<Reply, Unplayed> {
    stays(turn)?;
    may_seat(turn, "link this room")?;
    if !turn.host.guesses.may_go_on(turn.room_id, turn.heard) {
        return Err(Refusal::new("too many wrong words were tried here: try again in an hour").into());
    }
    let writes = &mut turn.effects.writes;
    let found: Option<Link> = turn.ledger.rely_on(&keys::link(word), writes)?;
    let Some(Link { table, .. }) = found.filter(|link| turn.heard <= link.until) else {
        turn.host.guesses.was_wrong(turn.room_id, turn.heard);
        let what = "no table has that word: type link in the room to share its table, and you get one";
        return Err(Refusal::new(what).about(word.to_owned()).example("link").into());
    };
    let here = turn.ledger.id().clone();
    if table == here {
        return Err(Refusal::new("this room is already at that table: type this in the other room")
            .example("link")
            .into());
    }
    let mut others = turn.ledger.rely_on_rooms_at(&here, &mut turn.effects.writes)?;
    others.remove(turn.room_id);
    if !others.is_empty() {
        let what = format!("this room shares its table with {}: unlink first", names(turn, others.keys())?);
        return Err(Refusal::new(what).example("unlink").into());
    }
    let rooms = turn.ledger.rely_on_rooms_at(&table, &mut turn.effects.writes)?;
    has_a_seat(&rooms)?;
    let called = name_of(turn, &table, &rooms)?;
    let played = turn.ledger.head().number;
    if played > 0 && !really {
        let what =
            format!("then this room plays at {called}; what was played here, up to #{played}, waits until you unlink");
        return Err(Refusal::new(what).example(format!("link {word} really")).into());
    }
    for room in rooms.keys() {
        let news = format!("{} plays at this table from now on.", name(turn, turn.room_id, room)?);
        turn.effects.announces.insert(room.clone(), news);
    }
    crate::scene::leaves(turn, turn.room_id);
    let writes = &mut turn.effects.writes;
    writes.delete(keys::link(word));
    writes.delete(keys::seated(&here, turn.room_id));
    writes.put(keys::seated(&table, turn.room_id), to_json(&true));
    enable_games_of(turn, &rooms);
    let room = Arc::make_mut(turn.room);
    (room.table, room.guest) = (table.clone(), true);
    let head: Head = turn.ledger.read(&keys::head(&table))?.unwrap_or_default();
    let next = head.number + 1;
    let reply = Reply::new().text(format!("This room now plays at {called}: it goes on with #{next}. "));
    Ok(reply.code(format!("{}unlink", turn.room.prefix)).text(" ends that."))
}

/// What a table is called: by its players, or after its rooms.
fn name_of(turn: &HouseTurn, table: &TableId, rooms: &BTreeMap<RoomId, RoomDoc>) -> Result<String, StoreError> {
    let doc: TableDoc = turn.ledger.read(&keys::doc(table))?.unwrap_or_default();
    Ok(match doc.name {
        Some(name) => name,
        None if rooms.is_empty() => table.to_string(),
        None => format!("the table of {}", names(turn, rooms.keys())?),
    })
}

/// Enables here the games that are played at the table, if the operator offers them here.
fn enable_games_of(turn: &mut HouseTurn, rooms: &BTreeMap<RoomId, RoomDoc>) {
    let (host, here) = (turn.host, turn.room_id);
    let offered = |id: &&String| host.plugins.get(id).is_some_and(|plugin| host.offers(here, plugin.manifest()));
    let played = rooms.values().filter(|room| !room.guest).flat_map(|room| &room.plugins);
    Arc::make_mut(turn.room).plugins.extend(played.filter(offered).cloned());
}

/// Refuses what was said before the room moved to another table.
fn stays(turn: &HouseTurn) -> Result<(), Refusal> {
    if turn.in_private {
        return Err(Refusal::new("rooms come and go in the open: type that in the room itself"));
    }
    if turn.room.table != *turn.ledger.id() {
        return Err(Refusal::new("this room has just moved to another table: type that again").example("link"));
    }
    Ok(())
}

fn may_seat(turn: &HouseTurn, what: &str) -> Result<(), Refusal> {
    if turn.may(Act::SeatRoom) {
        return Ok(());
    }
    Err(Refusal::new(format!("only a room admin or the referee may {what}")).example("gm"))
}

/// `!unlink`: this room, or another one, leaves the table.
pub(super) fn unlink(turn: &mut HouseTurn, room: Option<Called>, really: bool) -> Result<Reply, Unplayed> {
    stays(turn)?;
    let table = turn.ledger.id().clone();
    let mut rooms = turn.ledger.rely_on_rooms_at(&table, &mut turn.effects.writes)?;
    rooms.entry(turn.room_id.clone()).or_insert_with(|| (**turn.room).clone());
    if rooms.len() < 2 {
        return Err(Refusal::new("no other room plays at this table").example("link").into());
    }
    let leaves = match room {
        Some(Called(typed)) => called(turn, &rooms, &typed)?,
        None => turn.room_id.clone(),
    };
    let guest = rooms[&leaves].guest;
    if leaves == *turn.room_id {
        may_seat(turn, "take this room away from its table")?;
    } else {
        turn.must_disclose("send another room away")?;
        if !guest {
            let what =
                format!("this is the table of {0}: only {0} itself can leave it", turn.host.name_of_room(&leaves)?);
            return Err(Refusal::new(what).example("unlink").into());
        }
    }
    let doc = rooms.remove(&leaves).unwrap_or_else(|| (**turn.room).clone());
    let heirs = guest || rooms.values().any(|room| !room.guest);
    if !heirs && !really {
        let others = names(turn, rooms.keys())?;
        let what =
            format!("this leaves the table and all that was played at it to {others}, and whoever runs those rooms");
        return Err(Refusal::new(what).example("unlink really").into());
    }
    if !heirs {
        let with = |(room, doc): (&RoomId, &RoomDoc)| (room.clone(), RoomDoc { guest: false, ..doc.clone() });
        turn.effects.rooms.extend(rooms.iter().map(with));
    }
    leave(turn, &leaves, doc, &rooms)
}

/// The room of a table that somebody means.
fn called(turn: &HouseTurn, rooms: &BTreeMap<RoomId, RoomDoc>, typed: &str) -> Result<RoomId, Unplayed> {
    let plain = |name: &str| name.trim_start_matches(['#', '!', '&']).to_lowercase();
    let mut found = Vec::new();
    for room in rooms.keys() {
        let name = turn.host.name_of_room(room)?;
        if room.to_string() == typed || [&room.id, &name].iter().any(|name| plain(name) == plain(typed)) {
            found.push(room.clone());
        }
    }
    match found.as_slice() {
        [room] => Ok(room.clone()),
        _ => {
            let what = format!("which room? At this table: {}", names(turn, rooms.keys())?);
            Err(Refusal::new(what).about(typed).example("link").into())
        }
    }
}

/// Seats a room at a table where no other room sits: its own, if it can have that.
fn leave(
    turn: &mut HouseTurn,
    leaves: &RoomId,
    doc: RoomDoc,
    stay: &BTreeMap<RoomId, RoomDoc>,
) -> Result<Reply, Unplayed> {
    let old = turn.ledger.id().clone();
    let new = table_for(turn, leaves)?;
    let head: Head = turn.ledger.read(&keys::head(&new))?.unwrap_or_default();
    let begins = match head.number {
        0 => "begins a new table".to_owned(),
        last => format!("goes on at its own table, after #{last}"),
    };
    crate::scene::leaves(turn, leaves);
    let writes = &mut turn.effects.writes;
    writes.delete(keys::seated(&old, leaves));
    writes.put(keys::seated(&new, leaves), to_json(&true));
    due_again(turn, &new)?;
    for room in stay.keys().filter(|room| *room != turn.room_id) {
        turn.effects.announces.insert(room.clone(), format!("{} has left this table.", name(turn, leaves, room)?));
    }
    if leaves == turn.room_id {
        let room = Arc::make_mut(turn.room);
        (room.table, room.guest) = (new, false);
        return Ok(format!("This room has left the table and {begins}.").into());
    }
    turn.effects.rooms.insert(leaves.clone(), RoomDoc { table: new, guest: false, ..doc });
    turn.effects.announces.insert(leaves.clone(), format!("This room no longer shares a table: it {begins}."));
    Ok(format!("{} has left this table.", name(turn, leaves, turn.room_id)?).into())
}

/// Writes down again what is due at a table where no room played: what became due in the meantime is carried out now.
pub(super) fn due_again(turn: &mut HouseTurn, table: &TableId) -> Result<(), StoreError> {
    let writes = &mut turn.effects.writes;
    for waits in turn.host.committer().stored(&keys::due_at(table)) {
        let (key, _) = waits?;
        if let Some(due) = turn.ledger.rely_on::<DueDoc>(&key, writes)? {
            writes.put(key, to_json(&due));
        }
    }
    Ok(())
}

fn table_for(turn: &mut HouseTurn, room: &RoomId) -> Result<TableId, StoreError> {
    let again = (2..).map(|times| TableId::left_again(room, times));
    for table in [TableId::of(room), TableId::left_behind(room)].into_iter().chain(again) {
        if table == *turn.ledger.id() {
            continue;
        }
        let sitting = turn.ledger.rely_on_rooms_at(&table, &mut turn.effects.writes)?;
        if sitting.keys().all(|other| other == room) {
            return Ok(table);
        }
    }
    Ok(TableId::of(room))
}

/// `!mirror`: whether what is rolled in one room is shown in the others.
pub(super) fn mirror(turn: &mut HouseTurn, change: Option<Switch>) -> Result<Reply, Unplayed> {
    let table = turn.ledger.id().clone();
    let Some(change) = change else {
        let others = turn.ledger.rooms_at(&table)?.len() > 1;
        let prefix = turn.room.prefix.clone();
        return Ok(match (MIRROR.is_on(turn.table), others) {
            (true, true) => "What is rolled here is shown in the other rooms of this table.".into(),
            (true, false) => {
                "What is rolled here will be shown in the other rooms of this table, once there are any.".into()
            }
            (false, _) => {
                let reply = Reply::new().text("Rolls stay in their room. ").code(format!("{prefix}mirror on"));
                reply.text(" shows them in the other rooms of this table.")
            }
        });
    };
    turn.needs(Act::SetTable, "change what the rooms of this table see of each other")?;
    turn.host.note_rooms_of(&table, &mut turn.effects.writes)?;
    let (value, reply) = match change {
        Switch::On => (
            "on",
            "From now on each room of this table sees what is rolled in the others. Secrets stay where they are.",
        ),
        Switch::Off => ("off", "Rolls stay in their room from now on."),
    };
    let set = turn.table_mut().settings.entry(HOUSE.to_owned()).or_default();
    set.insert(MIRROR.key.to_owned(), value.to_owned());
    Ok(reply.into())
}
