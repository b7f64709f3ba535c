//! What was said in a room since it was last heard: the events of a sync, and if it left some out, the events fetched
//! back to the last one heard.

use crate::link::Link;
use crate::trouble::{Backoff, Trouble};
use matrix_sdk::Room;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::room::{Messages, MessagesOptions};
use matrix_sdk::ruma::events::room::member::{MembershipState, SyncRoomMemberEvent};
use matrix_sdk::ruma::events::{AnySyncStateEvent, AnySyncTimelineEvent};
use matrix_sdk::ruma::{RoomId, UInt};
use matrix_sdk::sync::Timeline;
use std::time::Duration;
use tokio::time::Instant;

/// Events per page.
const PAGE: u32 = 500;
/// How long a page may keep failing while the homeserver answers other requests.
const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the note with the last event heard in a room.
pub(crate) fn last_note(room: &RoomId) -> String {
    format!("last/{room}")
}

/// The events of a room not heard yet, oldest first.
#[derive(Default)]
pub(crate) struct Unheard {
    pub events: Vec<TimelineEvent>,
    /// How many of them the sync left out.
    pub filled: usize,
    /// True if they begin with the bot's arrival.
    pub arrived: bool,
    /// Why some could not be looked through, if so.
    pub missed: Option<Missed>,
}

/// Why messages were missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// There was too much of it.
    TooMuch,
    /// The homeserver does not return it.
    OutOfReach,
}

/// Where the part that is new to the bot begins.
enum Edge {
    /// After the last event heard.
    Heard(usize),
    /// After the bot's own arrival.
    Arrival(usize),
}

/// Finds what was not heard yet. `last` is the last event heard. `known` is true if the bot has listened with this
/// account before, so a room without a last event is new to it. The bot does not answer what was said before it came.
pub(crate) async fn events(
    link: &Link,
    room: &Room,
    timeline: Timeline,
    last: Option<String>,
    known: bool,
) -> Result<Unheard, Trouble> {
    let mut events = timeline.events;
    let given = events.len();
    let mut from = timeline.prev_batch.filter(|_| timeline.limited);
    let mut missed = None;
    loop {
        match edge(link, &events, last.as_deref()) {
            Some(Edge::Heard(at)) => return Ok(unheard(events, at, given, None)),
            Some(Edge::Arrival(at)) => return Ok(Unheard { arrived: true, ..unheard(events, at, given, None) }),
            None => {}
        }
        // An old room where the bot never listened is taken as it is now.
        let searched = last.is_some() || known;
        let Some(token) = from.take().filter(|_| searched && missed.is_none()) else { break };
        let Some(page) = page(link, room, token).await? else {
            missed = Some(Missed::OutOfReach);
            break;
        };
        if page.chunk.is_empty() {
            break;
        }
        from = page.end;
        events.splice(0..0, page.chunk.into_iter().rev());
        missed = (events.len() - given >= link.settings.catch_up as usize).then_some(Missed::TooMuch);
    }
    Ok(match (&last, known) {
        (None, false) => {
            let at = events.len();
            unheard(events, at, given, None)
        }
        // Nothing was left out, or it is out of reach: take everything there is.
        _ => unheard(events, 0, given, missed),
    })
}

fn unheard(mut events: Vec<TimelineEvent>, at: usize, given: usize, missed: Option<Missed>) -> Unheard {
    let filled = (events.len() - given).saturating_sub(at);
    Unheard { events: events.split_off(at), filled, arrived: false, missed }
}

/// The newest event after which everything is new.
fn edge(link: &Link, events: &[TimelineEvent], last: Option<&str>) -> Option<Edge> {
    for (at, event) in events.iter().enumerate().rev() {
        if event.event_id().is_some_and(|id| Some(id.as_str()) == last) {
            return Some(Edge::Heard(at + 1));
        }
        if comes_in(link, event) {
            return Some(Edge::Arrival(at + 1));
        }
    }
    None
}

/// True if this event is the bot joining the room.
fn comes_in(link: &Link, event: &TimelineEvent) -> bool {
    let kind = event.kind.event_type();
    if kind.as_deref() != Some("m.room.member") {
        return false;
    }
    let Ok(AnySyncTimelineEvent::State(AnySyncStateEvent::RoomMember(SyncRoomMemberEvent::Original(member)))) =
        event.raw().deserialize()
    else {
        return false;
    };
    let was_in = member.unsigned.prev_content.as_ref().is_some_and(|was| was.membership == MembershipState::Join);
    Some(&*member.state_key) == link.client.user_id() && member.content.membership == MembershipState::Join && !was_in
}

/// The page of older events at `token`, however long the homeserver takes to answer at all. Returns `None` if it
/// answers but does not return this page, so other rooms need not wait.
async fn page(link: &Link, room: &Room, token: String) -> Result<Option<Messages>, Trouble> {
    let mut backoff = Backoff::new(link.settings.retries(), link.randomness.clone());
    let begun = Instant::now();
    loop {
        let mut options = MessagesOptions::backward();
        (options.from, options.limit) = (Some(token.clone()), UInt::from(PAGE));
        let (wait, why) = match room.messages(options).await.map_err(|error| Trouble::of(&error)) {
            Ok(page) => return Ok(Some(page)),
            Err(Trouble::Passing { wait: None, why }) if begun.elapsed() > PATIENCE && link.is_up().await => {
                tracing::error!(network = link.network, room = %room.room_id(), why, "what was missed cannot be read");
                return Ok(None);
            }
            Err(Trouble::Passing { wait, why }) => (backoff.wait(wait), why),
            Err(Trouble::Refused(why)) => {
                tracing::error!(network = link.network, room = %room.room_id(), why, "what was missed cannot be read");
                return Ok(None);
            }
            Err(trouble) => return Err(trouble),
        };
        tracing::info!(network = link.network, room = %room.room_id(), why, "what was missed has to wait");
        tokio::time::sleep(wait).await;
    }
}
