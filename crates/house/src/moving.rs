//! `!export move` and `!import`: moving a table to another room of this bot, on any network.

use crate::link::has_a_seat;
use chat::{Readers, Reply};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{Head, TableDoc, to_json};
use journal::keys::{self, TableId};
use plugin_api::Refusal;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use table::own::{HouseTurn, Unplayed};

/// How long the word given to a referee is valid.
const COUNTS: SignedDuration = SignedDuration::from_hours(24);
/// Letters of that word, each one of sixteen.
const LETTERS: usize = 12;
/// The word for the room's original table.
const BACK: &str = "back";

/// A table that can be continued in another room.
#[derive(Debug, Serialize, Deserialize)]
struct Leave {
    table: TableId,
    until: Timestamp,
}

/// Gives referees the word by which another room takes over this table: anyone who has it gets everything the table
/// holds.
pub(super) fn export_move(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    // Without a referee, anyone who comes by may give a referee's commands, but must not carry the table away.
    turn.must_disclose("move the table elsewhere")?;
    if turn.ledger.head().number == 0 {
        return Err(Refusal::new("nothing has been played at this table yet").example("help").into());
    }
    let word = new_word(turn);
    let until = turn.heard.saturating_add(COUNTS).unwrap_or(turn.heard);
    let leave = Leave { table: turn.ledger.id().clone(), until };
    turn.effects.writes.put(keys::leave(&word), to_json(&leave));
    turn.effects.readers = Readers::Referees;
    let reply = Reply::new().text("A room whose admin types ").code(format!("{}import {word}", turn.room.prefix));
    Ok(reply.text(" within a day takes over all that this table holds. Tell nobody else."))
}

/// A word that nobody guesses. Letters only: phones do not change such a word.
pub(super) fn new_word(turn: &HouseTurn) -> String {
    let secret = turn.host.with_entropy(|entropy| entropy.secret());
    secret.iter().take(LETTERS).map(|byte| char::from(b'a' + byte % 16)).collect()
}

/// Seats this room at the table that a word stands for, or at its own. More rooms may have the same word, and each is played
/// in its own queue: so what is read here is relied on.
pub(super) fn import(turn: &mut HouseTurn, word: &str, really: bool) -> Result<Reply, Unplayed> {
    let word = word.to_lowercase();
    let here = turn.room.table.clone();
    let key = keys::leave(&word);
    let table = if word == BACK {
        TableId::of(turn.room_id)
    } else {
        let leave: Option<Leave> = turn.ledger.rely_on(&key, &mut turn.effects.writes)?;
        let leave = leave.filter(|leave| turn.heard <= leave.until).ok_or_else(|| {
            let what = "no table has that code word: its referee gets one with export move, good for a day";
            Refusal::new(what).about(word.clone()).example("export move")
        })?;
        leave.table
    };
    if table == here {
        return Err(Refusal::new("this room is already at that table").example("table").into());
    }
    let rooms = turn.ledger.rely_on_rooms_at(&table, &mut turn.effects.writes)?;
    if word == BACK && !rooms.is_empty() {
        let what = "another room plays at that table now: type link there, and link with the word it gives here";
        return Err(Refusal::new(what).example("link").into());
    }
    has_a_seat(&rooms)?;
    let head: Head = turn.ledger.read(&keys::head(&table))?.unwrap_or_default();
    let doc: TableDoc = turn.ledger.read(&keys::doc(&table))?.unwrap_or_default();
    let name = doc.name.clone().unwrap_or_else(|| table.to_string());
    if !really {
        let who: Vec<&str> = doc.characters.values().map(|each| each.name.as_str()).collect();
        let who = if who.is_empty() { "nobody".to_owned() } else { who.join(", ") };
        let what = format!(
            "this seats the room at {name}, with {who}, up to #{}; what it holds now stays at {here}, and {}import {BACK} leads \
             back to its own",
            head.number, turn.room.prefix
        );
        return Err(Refusal::new(what).example(format!("import {word} really")).into());
    }
    if word != BACK {
        turn.effects.writes.delete(key);
    }
    crate::scene::leaves(turn, turn.room_id);
    turn.effects.writes.delete(keys::seated(&here, turn.room_id));
    turn.effects.writes.put(keys::seated(&table, turn.room_id), to_json(&true));
    if rooms.is_empty() {
        crate::link::due_again(turn, &table)?;
    }
    let room = Arc::make_mut(turn.room);
    (room.table, room.guest) = (table, false);
    Ok(format!("From the next command on this room goes on with {name}, from #{} on.", head.number).into())
}
