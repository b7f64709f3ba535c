//! Direct rooms, for private messages to one person. The bot creates them, each for exactly one person, and notes
//! which. Before it says anything in one, it asks the homeserver who can read it now. What others say about a room, or
//! that it is marked as direct, does not count.

mod readers;

use crate::link::Link;
use crate::trouble::Trouble;
use matrix_sdk::deserialized_responses::RawAnySyncOrStrippedState;
use matrix_sdk::ruma::api::client::room::create_room::v3::{Request, RoomPreset};
use matrix_sdk::ruma::events::room::encryption::RoomEncryptionEventContent;
use matrix_sdk::ruma::events::room::history_visibility::{HistoryVisibility, RoomHistoryVisibilityEventContent};
use matrix_sdk::ruma::events::{InitialStateEvent, StateEventType};
use matrix_sdk::ruma::serde::Raw;
use matrix_sdk::ruma::{OwnedUserId, UserId};
use matrix_sdk::{Room, RoomState};
use readers::{Flaw, Pair};
use serde_json::{Value, json};

/// Names the person in the creation event of a direct room. Nobody else can make the bot write this, and nobody can
/// change it.
const FOR: &str = "org.astragal.for";

/// The direct room with somebody, where they and the bot are alone at this moment.
pub(crate) async fn room(link: &Link, user: &str) -> Result<Room, Trouble> {
    let user = parsed(user)?;
    let noted = noted_room(link, &user);
    if let Some(room) = &noted
        && is_fit(link, room, &user).await?
    {
        return Ok(room.clone());
    }
    for room in marked(link, &user).await {
        if noted.as_ref().is_none_or(|noted| noted.room_id() != room.room_id()) && is_fit(link, &room, &user).await? {
            link.keep(note(&user), Some(room.room_id().to_string())).await;
            return Ok(room);
        }
    }
    let room = made(link, &user).await?;
    link.keep(note(&user), Some(room.room_id().to_string())).await;
    match flaw(link, &room, &user).await? {
        None => Ok(room),
        Some(flaw) => Err(Trouble::Refused(format!("a new direct room is of no use: {flaw}"))),
    }
}

/// True if a direct room can be used. The bot leaves one where it is alone.
async fn is_fit(link: &Link, room: &Room, user: &UserId) -> Result<bool, Trouble> {
    let Some(flaw) = flaw(link, room, user).await? else { return Ok(true) };
    tracing::warn!(network = link.network, %user, room = %room.room_id(), %flaw, "a direct room is not used any more");
    if flaw == Flaw::Deserted
        && let Err(error) = room.leave().await
    {
        tracing::info!(network = link.network, room = %room.room_id(), %error, "an empty direct room is not left");
    }
    Ok(false)
}

/// The direct room last noted for somebody, whoever can read it now; for taking something back there.
pub(crate) fn noted(link: &Link, user: &str) -> Result<Room, Trouble> {
    let user = parsed(user)?;
    noted_room(link, &user).ok_or_else(|| Trouble::Refused(format!("there is no direct room with {user}")))
}

fn parsed(user: &str) -> Result<OwnedUserId, Trouble> {
    UserId::parse(user).map_err(|_| Trouble::Refused(format!("{user} is nobody on Matrix")))
}

fn note(user: &UserId) -> String {
    format!("direct/{user}")
}

fn noted_room(link: &Link, user: &UserId) -> Option<Room> {
    let room = link.client.get_room(&matrix_sdk::ruma::RoomId::parse(link.note(&note(user))?).ok()?)?;
    (room.state() == RoomState::Joined).then_some(room)
}

/// Direct rooms that the bot made for somebody: any it did not get round to noting, or any besides the noted one.
async fn marked(link: &Link, user: &UserId) -> Vec<Room> {
    let mut marked = Vec::new();
    for room in link.client.joined_rooms().into_iter().filter(|room| is_own(link, room)) {
        let Ok(Some(RawAnySyncOrStrippedState::Sync(create))) =
            room.get_state_event(StateEventType::RoomCreate, "").await
        else {
            continue;
        };
        let create: Value = create.deserialize_as_unchecked().unwrap_or_default();
        if create["content"][FOR] == user.as_str() {
            marked.push(room);
        }
    }
    marked
}

/// True if the bot made the room itself; it makes only direct ones.
pub(crate) fn is_own(link: &Link, room: &Room) -> bool {
    let creators = room.creators().unwrap_or_default();
    creators.iter().any(|creator| Some(&**creator) == link.client.user_id())
}

/// Why a room cannot be used for private messages to somebody, according to its state on the homeserver now.
async fn flaw(link: &Link, room: &Room, user: &UserId) -> Result<Option<Flaw>, Trouble> {
    let own = link.client.user_id().expect("the bot is logged in");
    let state = match readers::ask(link, room).await {
        Ok(state) => state,
        Err(Trouble::Refused(_)) => return Ok(Some(Flaw::OutOfSight)),
        Err(trouble) => return Err(trouble),
    };
    let flaw = readers::flaw(&state, &Pair { own, user, encrypted: link.settings.encrypt_direct });
    if flaw.is_none() && state.is_encrypted() {
        let known = room.latest_encryption_state().await.map_err(|error| Trouble::of(&error))?;
        if !known.is_encrypted() {
            return Err(Trouble::Passing {
                wait: None,
                why: "that a direct room is encrypted is not known yet".into(),
            });
        }
    }
    Ok(flaw)
}

async fn made(link: &Link, user: &OwnedUserId) -> Result<Room, Trouble> {
    if !link.lately.count(user, link.clock.now()) {
        return Err(Trouble::Refused(format!("{user} left the direct rooms that were made for them")));
    }
    let room = link.client.create_room(request(link, user)).await.map_err(|error| Trouble::of(&error))?;
    tracing::info!(network = link.network, %user, room = %room.room_id(), "made a direct room");
    Ok(room)
}

/// A request for a room where the person can talk and do nothing else.
fn request(link: &Link, user: &OwnedUserId) -> Request {
    let mut request = Request::new();
    request.invite = vec![user.clone()];
    request.is_direct = true;
    // Not the preset that gives invited people the bot's own power.
    request.preset = Some(RoomPreset::PrivateChat);
    request.creation_content = Some(raw(&json!({ FOR: user })));
    let levels = json!({
        "users_default": 0, "events_default": 0, "events": {},
        "state_default": 100, "invite": 100, "kick": 100, "ban": 100, "redact": 100,
    });
    request.power_level_content_override = Some(raw(&levels));
    let visibility = RoomHistoryVisibilityEventContent::new(HistoryVisibility::Invited);
    request.initial_state = vec![InitialStateEvent::with_empty_state_key(visibility).to_raw_any()];
    if link.settings.encrypt_direct {
        let encryption = RoomEncryptionEventContent::with_recommended_defaults();
        request.initial_state.push(InitialStateEvent::with_empty_state_key(encryption).to_raw_any());
    }
    request
}

fn raw<T>(content: &Value) -> Raw<T> {
    Raw::from_json_string(content.to_string()).expect("it is JSON")
}
