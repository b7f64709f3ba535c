//! When whoever is waited for is called. `!nudge` sets it, and calls them.
//!
//! A record of what is due waits for the first of them ([`DueDoc`]); what is carried out then looks at all, and leaves
//! another record for the next. It may be too early, but never missing: whatever asks somebody for something leaves one
//! if there is none, and whatever may make a call due sooner has somebody look at once.

use crate::draft::Draft;
use host::Host;
use host::room::Answered;
use host::state::State;
use host::times::Hours;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use journal::documents::{DueDoc, TableDoc, to_json};
use journal::keys;
use journal::store::StoreError;
use std::sync::Arc;

/// When somebody is called who has been waited for since then: after so many seconds, not while they are away, and not
/// while it is quiet.
pub fn due_at(
    since: Timestamp,
    seconds: i64,
    away: Option<Timestamp>,
    quiet: Option<Hours>,
    zone: &TimeZone,
) -> Timestamp {
    let after = since.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX);
    let due = away.map_or(after, |until| until.max(after));
    quiet.map_or(due, |quiet| quiet.after(due, zone))
}

/// Sees to it that somebody looks in time for who is to be called; `before` is the table before the message.
pub(crate) fn keep_nudge(draft: &mut Draft, host: &Host, before: &State) -> Result<(), StoreError> {
    let Some((number, order, seconds)) = draft.state.doc.doc.nudge() else { return Ok(()) };
    let Some(room) = order.room.clone() else { return Ok(()) };
    let (key, now) = (keys::due(&draft.state.id, number), draft.state.head.time.unwrap_or_default());
    let at = if may_be_sooner(draft, before) {
        now
    } else if draft.asks && draft.read::<DueDoc>(host, &key)?.is_none() {
        now.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
    } else {
        return Ok(());
    };
    let due = DueDoc::new(at, room, draft.state.head.number);
    draft.writes.put(key, to_json(&due));
    Ok(())
}

/// True if what decides when somebody is called is not what it was.
fn may_be_sooner(draft: &Draft, before: &State) -> bool {
    let quiet = |state: &State| -> Vec<_> {
        let rooms = before.rooms.keys().filter_map(|room| state.rooms.get(room));
        rooms.map(|room| room.doc.quiet()).collect()
    };
    let (was, is) = (&before.doc.doc, &draft.state.doc.doc);
    let away = |doc: &TableDoc| -> Vec<_> {
        doc.seats.iter().filter_map(|(player, seat)| Some((player.clone(), seat.away?))).collect()
    };
    let owners = |doc: &TableDoc| -> Vec<_> { doc.characters.values().map(|each| each.owner.clone()).collect() };
    let differs = |was: &TableDoc, is: &TableDoc| {
        was.nudge() != is.nudge() || was.settings != is.settings || away(was) != away(is) || owners(was) != owners(is)
    };
    quiet(before) != quiet(&draft.state) || (!Arc::ptr_eq(was, is) && differs(was, is))
}
