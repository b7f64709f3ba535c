//! Pinning the board of a room, where the bot may. It is a convenience: nothing waits for it, and other pins stay.

use crate::link::Link;
use crate::outbox::room_of;
use crate::trouble::Trouble;
use matrix_sdk::Room;
use matrix_sdk::ruma::EventId;
use matrix_sdk::ruma::api::client::state::get_state_event_for_key::v3::Request;
use matrix_sdk::ruma::events::StateEventType;
use serde_json::{Value, json};

/// What is pinned in a room.
const PINNED: &str = "m.room.pinned_events";

/// Pins an event of a room, unless it is pinned.
pub(crate) async fn add(link: &Link, room: &str, event: &EventId) {
    let done = match room_of(link, room) {
        Ok(room) => change(link, &room, |pins| pins.push(event.to_string()), |pins| !has(pins, event.as_str())).await,
        Err(trouble) => Err(trouble),
    };
    if let Err(trouble) = done
        && link.unpinned.insert(room)
    {
        tracing::info!(network = link.network, room, why = trouble.why(), "the board is not pinned");
    }
}

/// Takes the pin of an event away.
pub(crate) async fn take_away(link: &Link, room: &Room, event: &str) {
    let done = change(link, room, |pins| pins.retain(|pin| pin != event), |pins| has(pins, event)).await;
    if let Err(trouble) = done {
        tracing::info!(network = link.network, room = %room.room_id(), why = trouble.why(), "the board stays pinned");
    }
}

fn has(pins: &[String], event: &str) -> bool {
    pins.iter().any(|pin| pin == event)
}

async fn change(
    link: &Link,
    room: &Room,
    change: impl FnOnce(&mut Vec<String>),
    needed: impl FnOnce(&[String]) -> bool,
) -> Result<(), Trouble> {
    let request = Request::new(room.room_id().to_owned(), StateEventType::RoomPinnedEvents, String::new());
    let pinned: Value = match link.client.send(request).await {
        Ok(answer) => serde_json::from_str(answer.event_or_content.get()).unwrap_or_default(),
        Err(error) => match Trouble::of_http(&error) {
            // Nothing was ever pinned.
            Trouble::Refused(_) => Value::Null,
            trouble => return Err(trouble),
        },
    };
    let pins = pinned["pinned"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut pins: Vec<String> = pins.map(str::to_owned).collect();
    if !needed(&pins) {
        return Ok(());
    }
    change(&mut pins);
    let sent = room.send_state_event_raw(PINNED, "", json!({ "pinned": pins })).await;
    sent.map(drop).map_err(|error| Trouble::of(&error))
}
