//! `!undo`, `!redo`, `!erase`: taking back, which appends; and forgetting what was typed.

use super::{HouseTurn, show};
use crate::budget::MOST_UNDONE;
use crate::host::Host;
use crate::rights::{Act, Rights, Takes};
use crate::table::{NotFound, RENAMED};
use chat::{Reply, RoomId};
use journal::documents::{TableDoc, to_json};
use journal::keys;
use journal::store::Batch;
use journal::{Change, Page, Place, leaves};
use plugin_api::{Refusal, Role};

/// Changes that the answer names.
const MOST_CHANGES: usize = 4;

pub(super) fn undo(turn: &mut HouseTurn, number: Option<u64>) -> Result<Reply, NotFound> {
    let page = match number.or(turn.replied) {
        Some(number) => turn.ledger.must_have(turn.ledger.current(number)?)?,
        None => last_own(turn, |page| page.entry.undoes.is_none() && can_be_taken_back(page))?
            .ok_or_else(|| Refusal::new("there is nothing of yours to take back").example("history"))?,
    };
    take_back(turn, page)
}

pub(super) fn redo(turn: &mut HouseTurn) -> Result<Reply, NotFound> {
    let ledger = turn.ledger;
    // An undo of an undo is a redo, which is not to be redone.
    let undoes = |page: &Page| page.entry.undoes.and_then(|undone| ledger.page(undone).ok().flatten());
    let page =
        last_own(turn, |page| !page.is_void() && undoes(page).is_some_and(|undone| undone.entry.undoes.is_none()))?
            .ok_or_else(|| Refusal::new("there is no undo of yours to take back").example("undo"))?;
    take_back(turn, page)
}

fn last_own(turn: &HouseTurn, fits: impl Fn(&Page) -> bool) -> Result<Option<Page>, NotFound> {
    for page in turn.ledger.of_player(&turn.speaker.player).take(MOST_UNDONE) {
        let page = page?;
        // That somebody got another nick is nothing they did.
        if page.entry.command != RENAMED && fits(&page) {
            return Ok(Some(page));
        }
    }
    Ok(None)
}

/// What was disclosed, published or erased cannot be made undone.
fn can_be_taken_back(page: &Page) -> bool {
    !page.is_void() && !page.entry.shows()
}

fn take_back(turn: &mut HouseTurn, page: Page) -> Result<Reply, NotFound> {
    let number = page.number();
    let about = |what: String| Refusal::new(what).about(format!("#{number}"));
    if let Some(by) = page.link.fate.undone_by {
        let what = format!("#{number} is undone already, in #{by}; undo #{by} brings it back");
        return Err(about(what).example(format!("undo #{by}")).into());
    }
    if !can_be_taken_back(&page) {
        return Err(about(format!("#{number} cannot be taken back: what it showed was seen")).into());
    }
    may_take_back(turn.host, turn.table, turn.rights, turn.room_id, &page)?;
    let taken = turn.ledger.take_back(&page, turn.table, turn.number)?;
    let effects = &mut *turn.effects;
    effects.rooms = taken.rooms;
    for (game, doc) in taken.games {
        effects.writes.put(keys::game(turn.ledger.id(), &game), to_json(&doc));
        effects.outdated_games.push(game);
    }
    effects.rolls = taken.rolls;
    effects.undoes = Some(number);
    let reply = says(turn, &page, &taken.changes);
    let mut marks = Batch::default();
    let secret = page.is_secret();
    turn.ledger.mark_undone(page, Some(turn.number), &mut marks)?;
    turn.effects.writes.append(marks);
    if let Some(doc) = taken.table {
        *turn.table_mut() = doc;
    }
    turn.effects.made = Some(taken.changes);
    turn.effects.secret = secret;
    Ok(reply)
}

/// Whether an entry may be taken back: what is one's own, or by a referee anybody's; and by nobody what they could not do
/// now, or not see.
///
/// # Errors
/// Says why not.
pub(crate) fn may_take_back(
    host: &Host,
    table: &TableDoc,
    rights: &Rights<'_>,
    room: &RoomId,
    page: &Page,
) -> Result<(), Refusal> {
    let (number, entry) = (page.number(), &page.entry);
    let refuse = |what: String| Err(Refusal::new(what).about(format!("#{number}")));
    if !rights.may(table, Act::Undo) {
        return Err(Refusal::new("at this table only the referee may undo").example("history"));
    }
    if page.is_secret() && !rights.may(table, Act::Read(entry)) {
        let name = table.name_of(entry.character);
        return refuse(format!("#{number} is secret: the player of {name} or a referee may take it back"));
    }
    if !rights.may(table, Act::TakeBack(entry)) {
        return refuse(format!("#{number} is not yours: only the referee may take it back"));
    }
    // What an older version played may have taken a referee.
    let took = page.link.before.took.unwrap_or(Role::Referee).max(host.plugins.role_of(&entry.game, &entry.command));
    let places: Vec<Place> = page.reversed().iter().flat_map(leaves).map(|change| change.place()).collect();
    if places.iter().any(|place| matches!(place, Place::Room(other) if other != room)) {
        return refuse(format!("#{number} was about another room: take it back there"));
    }
    for act in places.iter().map(Act::PutBack).chain([Act::Give(took)]) {
        if !rights.may(table, act) {
            let whom = whom(rights.takes(table, act));
            return refuse(format!("#{number} is no longer yours to take back: it takes {whom}"));
        }
    }
    Ok(())
}

fn whom(takes: Takes) -> &'static str {
    match takes {
        Takes::Role(Role::Referee) => "the referee",
        Takes::Nothing | Takes::Role(_) => "a room admin",
        Takes::Another => "a newer version of me",
    }
}

/// What is undone, which dice that discards, what is again as it was.
fn says(turn: &HouseTurn, page: &Page, changes: &[Change]) -> Reply {
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
    let mut shown = show::changes(turn, changes);
    let more = shown.len().saturating_sub(MOST_CHANGES);
    shown.truncate(MOST_CHANGES);
    if !shown.is_empty() {
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        reply = reply.text(format!(" | {}{more}", shown.join("; ")));
    }
    if page.entry.undoes.is_none() {
        reply = reply.text(" | ").code(format!("{}redo", turn.room.prefix)).text(" brings it back");
    }
    reply.fact("undoes", number)
}
