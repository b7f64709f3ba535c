//! Boards: messages that always show what is going on in a room. `!board` makes and draws them.
//!
//! After each entry a record says when the board is looked at again ([`DueDoc`]): soon, but not sooner than a minute
//! after it last changed. What is then shown differently becomes a correction of the one post that is the board, and
//! is noted in the same batch ([`BoardDoc`]). So there is one board whatever crashes, and it grows nothing.

use crate::draft::Draft;
use chat::RoomId;
use host::Host;
use host::state::State;
use jiff::{SignedDuration, Timestamp};
use journal::documents::{BoardDoc, DueDoc, to_json};
use journal::keys;
use journal::store::StoreError;
use std::collections::BTreeSet;

/// A board changes at most once in this time.
pub const AT_MOST: SignedDuration = SignedDuration::from_mins(1);
/// What is typed together is shown together.
const TOGETHER: SignedDuration = SignedDuration::from_secs(3);

/// Has the boards of the table looked at soon, if the message made an entry. Returns the boards that nobody wants
/// any more.
pub(crate) fn keep_boards(
    draft: &mut Draft,
    host: &Host,
    before: &State,
) -> Result<BTreeSet<(u64, RoomId)>, StoreError> {
    let owned = |(number, room): (u64, &RoomId)| (number, room.clone());
    let now: BTreeSet<_> = draft.state.doc.doc.boards().map(owned).collect();
    let gone = before.doc.doc.boards().map(owned).filter(|board| !now.contains(board)).collect();
    if draft.state.head.number == before.head.number {
        return Ok(gone);
    }
    let entered = draft.state.head.time.unwrap_or_default();
    for (number, room) in now {
        if draft.room(host, &room)?.doc.table != draft.state.id {
            continue;
        }
        let known: Option<BoardDoc> = draft.read(host, &keys::board(&room))?;
        let next = |known: BoardDoc| known.at.checked_add(AT_MOST).unwrap_or(Timestamp::MAX);
        let soon = entered.checked_add(TOGETHER).unwrap_or(Timestamp::MAX);
        let at = known.map_or(soon, |known| next(known).max(soon));
        let key = keys::due(&draft.state.id, number);
        if draft.read::<DueDoc>(host, &key)?.is_none_or(|due| due.at > at) {
            draft.writes.put(key, to_json(&DueDoc::new(at, room, draft.state.head.number)));
        }
    }
    Ok(gone)
}
