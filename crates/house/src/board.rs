//! `!board`: one message in a room that always shows what `!now` shows.

use crate::now;
use crate::typed::Switch;
use chat::{Edits, Reply};
use jiff::Timestamp;
use journal::documents::{BoardDoc, DueDoc, Order, When, to_json};
use journal::{digest, keys};
use plugin_api::{Refusal, Role};
use table::own::{AT_MOST, Act, HouseTurn, OnBoard, Unplayed};

pub(super) fn board(turn: &mut HouseTurn, change: Option<Switch>) -> Result<Reply, Unplayed> {
    let mine = turn.table.boards().find(|(_, room)| *room == turn.room_id).map(|(number, _)| number);
    let Some(change) = change else {
        return match (turn.ordered, mine) {
            (Some(ordered), Some(mine)) if ordered == mine => show(turn, mine),
            (_, mine) => Ok(shown(turn, mine)),
        };
    };
    if !turn.may(Act::SetTable) && !turn.may(Act::SetRoom) {
        return Err(Refusal::new("only the referee or a room admin may do that").example("now").into());
    }
    match (change, mine) {
        (Switch::On, _) if turn.edits == Edits::None => {
            let what = "on this network no message can be changed later, so I can keep no board here";
            Err(Refusal::new(what).example("now").into())
        }
        (Switch::On, mine) => {
            let (by, trust, player) = (turn.actor, turn.speaker.trust, turn.speaker.player.clone());
            let (number, room) = (turn.number, Some(turn.room_id.clone()));
            let orders = &mut turn.table_mut().orders;
            mine.map(|mine| orders.remove(&mine));
            // It shows what everybody may know.
            let order = Order { by, player, trust, role: Role::Player, when: When::Shown, own: false, room };
            orders.insert(number, order);
            Ok("I keep a board here: one message that always shows what is going on.".into())
        }
        (Switch::Off, Some(mine)) => {
            turn.table_mut().orders.remove(&mine);
            Ok("The board is gone.".into())
        }
        (Switch::Off, None) => Err(Refusal::new("there is no board in this room").example("board on").into()),
    }
}

fn shown(turn: &HouseTurn, mine: Option<u64>) -> Reply {
    let prefix = &turn.room.prefix;
    match mine {
        Some(number) => {
            let reply = Reply::from(format!("This room has a board, since #{number}. "));
            reply.code(format!("{prefix}board off")).text(" takes it away.")
        }
        None if turn.edits == Edits::None => {
            let reply = Reply::new().text("This network has no boards; ").code(format!("{prefix}now"));
            reply.text(" shows the same at any time.")
        }
        None => {
            let reply = Reply::new().text("This room has no board. ").code(format!("{prefix}board on"));
            reply.text(" makes one: a message that always shows what is going on.")
        }
    }
}

/// Shows the board again, if it is not what it was.
fn show(turn: &mut HouseTurn, number: u64) -> Result<Reply, Unplayed> {
    if turn.edits == Edits::None {
        return Ok(Reply::new());
    }
    let known: Option<BoardDoc> = turn.ledger.read(&keys::board(turn.room_id))?;
    let known = known.filter(|known| known.order == number);
    let next = known.as_ref().and_then(|known| known.at.checked_add(AT_MOST).ok());
    if let Some(next) = next.filter(|next| *next > turn.heard) {
        look_again(turn, number, next);
        return Ok(Reply::new());
    }
    // Answers come first, and a network that is down gets nothing more to say later.
    if turn.host.waiting.of(turn.room_id) > 0 {
        look_again(turn, number, turn.heard.checked_add(AT_MOST).unwrap_or(Timestamp::MAX));
        return Ok(Reply::new());
    }
    let blocks = now::board(turn)?.blocks;
    let digest = digest(&to_json(&blocks));
    if known.is_none_or(|known| known.shown != digest) {
        turn.effects.board = Some(OnBoard { order: number, blocks, digest });
    }
    // Somebody who comes back without a word changes it too.
    let back = turn.table.seats.values().filter_map(|seat| seat.away).filter(|until| *until > turn.heard).min();
    if let Some(back) = back {
        look_again(turn, number, back);
    }
    Ok(Reply::new())
}

fn look_again(turn: &mut HouseTurn, number: u64, at: Timestamp) {
    let due = DueDoc::new(at, turn.room_id.clone(), turn.head.number);
    turn.effects.writes.put(keys::due(turn.ledger.id(), number), to_json(&due));
}
