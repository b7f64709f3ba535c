//! `!scene`: what is being played, by all rooms of the table or by one of them while the party is split.

use crate::link;
use chat::{Reply, RoomId};
use journal::documents::{Apart, Scene};
use journal::store::StoreError;
use plugin_api::{Refusal, Text};
use table::own::{Act, HouseTurn, SCENE, Split, Unplayed, after_apart};

/// The words that end a scene, and those that bring a room back to the others.
const END: [&str; 4] = ["end", "ends", "over", "none"];
const TOGETHER: [&str; 3] = ["together", "rejoin", "end apart"];
/// The most characters of a scene's title.
const MOST_TITLE: usize = 80;

pub(super) fn scene(turn: &mut HouseTurn, title: Option<Text>) -> Result<Reply, Unplayed> {
    let here = turn.table.apart(turn.room_id);
    let Some(Text { text, at }) = title else { return shown(turn, here) };
    turn.needs(Act::BeginScene, "begin a scene")?;
    let typed = text.trim();
    let is_any_of = |words: &[&str]| words.iter().any(|word| typed.eq_ignore_ascii_case(word));
    match (here, is_any_of(&END), is_any_of(&TOGETHER)) {
        (Some(_), true, _) | (Some(_), _, true) => return Ok(together(turn)),
        (None, _, true) => return Err(nobody_apart(turn)?.into()),
        (None, true, _) => return Ok(end(turn)?),
        _ => {}
    }
    let split_off = after_apart(typed);
    let title = split_off.unwrap_or(typed);
    if title.is_empty() {
        return Err(Refusal::new("what is the scene called?").example(format!("{SCENE} {typed} At the mill")).into());
    }
    if title.chars().count() > MOST_TITLE {
        let what = format!("a scene's title has up to {MOST_TITLE} characters");
        return Err(Refusal::new(what).at(at..at + text.len()).example("scene The wolf at the ford").into());
    }
    match split_off.is_some() || here.is_some() {
        true => begin_apart(turn, here, title),
        false => Ok(begin(turn, title)),
    }
}

fn shown(turn: &HouseTurn, here: Option<u64>) -> Result<Reply, Unplayed> {
    let reply = match turn.ledger.scene(turn.table, here)? {
        Some(Scene { title, since }) => Reply::from(format!("Scene: {title}, since #{since}.")),
        None => Reply::from("No scene was begun here."),
    };
    let prefix = &turn.room.prefix;
    Ok(match here {
        Some(_) => {
            let reply = reply.text(" This room plays it apart from the others; ");
            reply.code(format!("{prefix}{SCENE} {}", TOGETHER[0])).text(" brings it back.")
        }
        None if !is_split(turn)? => reply,
        None => reply.text(" The party is split: ").code(format!("{prefix}now all")).text(" shows every scene."),
    })
}

/// Begins the common scene.
fn begin(turn: &mut HouseTurn, title: &str) -> Reply {
    let since = turn.number;
    let table = turn.table_mut();
    (table.scene, table.scene_over) = (Some(Scene { title: title.to_owned(), since }), None);
    Reply::new().text("Scene: ").bold(title).text(".")
}

/// Ends the common scene.
fn end(turn: &mut HouseTurn) -> Result<Reply, Refusal> {
    let Some(Scene { title, .. }) = turn.table_mut().scene.take() else {
        return Err(Refusal::new("no scene was begun here").example("scene The wolf at the ford"));
    };
    turn.table_mut().scene_over = Some(turn.number);
    Ok(format!("The scene {title} ends.").into())
}

/// Begins a scene of this room alone.
fn begin_apart(turn: &mut HouseTurn, here: Option<u64>, title: &str) -> Result<Reply, Unplayed> {
    let rooms = turn.ledger.rooms_at(turn.ledger.id())?;
    if rooms.keys().all(|room| room == turn.room_id) {
        let what = "this table has only this room, so nobody can play apart: bring in another room first";
        return Err(Refusal::new(what).example("link").into());
    }
    let (number, room) = (turn.number, turn.room_id.clone());
    // Whoever mends the title keeps what was played in the scene.
    let first = turn.replaces.map(|first| turn.ledger.page(first)).transpose()?.flatten();
    let begun = first.and_then(|first| Split::default().forwards(&first));
    let apart = Apart { from: here.or(begun).unwrap_or(number), since: number };
    let table = turn.table_mut();
    // Nothing is left of rooms that went without a word, so there are never more scenes than rooms.
    table.apart.retain(|room, _| rooms.contains_key(room));
    table.apart.insert(room, apart);
    let reply = Reply::new().text("Scene: ").bold(title).text(".");
    if here.is_some() {
        return Ok(reply);
    }
    let reply = reply.text(" This room plays it apart, with its own turn order, until ");
    Ok(reply.code(format!("{}{SCENE} {}", turn.room.prefix, TOGETHER[0])).text("."))
}

/// Ends the scene of this room, which is back in the common one. The answer leaves out the titles, so that they are erased
/// with the entries that began the scenes.
fn together(turn: &mut HouseTurn) -> Reply {
    let room = turn.room_id.clone();
    turn.table_mut().apart.remove(&room);
    "This room is back together with the others, and its own scene ends.".into()
}

/// A refusal to bring a room back that does not play apart.
fn nobody_apart(turn: &HouseTurn) -> Result<Refusal, StoreError> {
    let names: Result<Vec<String>, StoreError> =
        apart(turn)?.iter().map(|room| link::name(turn, room, turn.room_id)).collect();
    let what = match names?.as_slice() {
        [] => "no room plays a scene apart".to_owned(),
        rooms => format!("this room plays the common scene: type that in {}", rooms.join(" or ")),
    };
    Ok(Refusal::new(what).example(SCENE))
}

/// The rooms of the table that play apart. In a table that came from elsewhere there may be scenes of rooms that did not.
fn apart(turn: &HouseTurn) -> Result<Vec<RoomId>, StoreError> {
    if turn.table.apart.is_empty() {
        return Ok(Vec::new());
    }
    let rooms = turn.ledger.rooms_at(turn.ledger.id())?;
    Ok(rooms.into_keys().filter(|room| turn.table.apart(room).is_some()).collect())
}

/// True if a room of the table plays apart.
pub(super) fn is_split(turn: &HouseTurn) -> Result<bool, StoreError> {
    Ok(!apart(turn)?.is_empty())
}

/// Ends what a room has at a table that it leaves: its scene apart, and its board.
pub(super) fn leaves(turn: &mut HouseTurn, room: &RoomId) {
    let board = turn.table.boards().find(|(_, of)| *of == room).map(|(number, _)| number);
    if board.is_none() && turn.table.apart(room).is_none() {
        return;
    }
    let table = turn.table_mut();
    table.apart.remove(room);
    board.map(|number| table.orders.remove(&number));
}
