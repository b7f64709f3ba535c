//! `!undo`, `!redo`: taking entries back, which appends an entry.

use crate::show;
use chat::{Readers, Reply, Seen};
use journal::documents::to_json;
use journal::store::{Batch, StoreError};
use journal::{Change, Page, keys};
use plugin_api::Refusal;
use table::budget::MOST_UNDONE;
use table::own::{HouseTurn, Unplayed, is_for_its_player, may_take_back};

/// The most changes named in the answer.
const MOST_CHANGES: usize = 4;

pub(super) fn undo(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, Unplayed> {
    let page = match number.or(turn.replied) {
        Some(number) => turn.ledger.must_have(turn.ledger.current(number)?)?,
        None => turn
            .ledger
            .last_to_undo(turn.speaker, MOST_UNDONE)?
            .ok_or_else(|| Refusal::new("there is nothing of yours to undo").example("history"))?,
    };
    take_back(turn, page)
}

pub(super) fn redo(turn: &mut HouseTurn) -> Result<Reply, Unplayed> {
    let page = turn
        .ledger
        .last_to_redo(turn.speaker, MOST_UNDONE)?
        .ok_or_else(|| Refusal::new("there is no undo of yours to redo").example("undo"))?;
    take_back(turn, page)
}

fn take_back(turn: &mut HouseTurn, page: Page) -> Result<Reply, Unplayed> {
    let number = page.number();
    let about = |what: String| Refusal::new(what).about(format!("#{number}"));
    if let Some(by) = page.link.fate.undone_by {
        let what = format!("#{number} was already undone by #{by}; undo #{by} brings it back");
        return Err(about(what).example(format!("undo #{by}")).into());
    }
    if !page.can_be_taken_back() {
        return Err(about(format!("#{number} cannot be undone: people have seen what it showed")).into());
    }
    may_take_back(turn.host, turn.table, turn.rights, turn.room_id, &page)?;
    if page.changed_nothing() {
        return Err(about(format!("#{number} changed nothing that undo brings back")).into());
    }
    if !turn.looking().may_know(&page)? {
        let name = turn.table.name_of(page.entry.character);
        return Err(
            about(format!("#{number} holds a secret of {name}'s: their player or a referee may take it back")).into()
        );
    }
    let taken = turn.ledger.take_back(&page, turn.table, turn.rights, turn.number)?;
    let effects = &mut *turn.effects;
    effects.rooms = taken.rooms;
    for (game, doc) in taken.games {
        effects.writes.put(keys::game(turn.ledger.id(), &game), to_json(&doc));
        effects.outdated_games.push(game);
    }
    effects.rolls = taken.rolls;
    effects.undoes = Some(number);
    let reply = says(turn, &page, &taken.changes)?;
    let mut marks = Batch::default();
    let seen = page.seen();
    // That somebody kept something for themselves is nobody else's to hear when they take it back either.
    let own = is_for_its_player(&page.entry) && turn.rights.made(&page.entry);
    turn.ledger.mark_undone(page, Some(turn.number), &mut marks)?;
    turn.effects.writes.append(marks);
    if let Some(doc) = taken.table {
        *turn.table_mut() = doc;
    }
    turn.effects.made = Some(taken.changes);
    turn.effects.readers = if own { Readers::Player } else { seen.readers };
    Ok(reply)
}

/// Says what is undone, which dice that discards, and what is restored.
fn says(turn: &HouseTurn, page: &Page, changes: &[Change]) -> Result<Reply, Unplayed> {
    let (number, name) = (page.number(), turn.table.name_of(page.entry.character));
    let what = match page.entry.undoes {
        Some(undone) => format!("#{undone} holds again: its undo #{number} is taken back"),
        None => format!("{name}'s {} #{number} is undone", page.entry.command),
    };
    let mut reply = Reply::new().text(what);
    let dice = page.dice_shown();
    if !dice.is_empty() {
        reply = reply.text(format!("; it discards {dice}"));
    }
    let mut shown = show::changes(&turn.looking(), &readable(turn, page.seen(), changes)?);
    let more = shown.len().saturating_sub(MOST_CHANGES);
    shown.truncate(MOST_CHANGES);
    if !shown.is_empty() {
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        reply = reply.text(format!(" | {}{more}", shown.join("; ")));
    }
    if page.entry.undoes.is_none() {
        reply = reply.text(" | ").code(format!("{}redo", turn.room.prefix)).text(" brings it back");
    }
    Ok(reply.fact("undoes", number))
}

/// Those changes of an entry that every reader of the answer may know.
fn readable(turn: &HouseTurn, readers: Seen, changes: &[Change]) -> Result<Vec<Change>, StoreError> {
    let mut readable = Vec::new();
    for change in changes {
        if turn.ledger.seen_of(change)?.shows_to(readers) {
            readable.push(change.clone());
        }
    }
    Ok(readable)
}
