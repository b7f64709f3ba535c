//! Direct rooms: where one person is told what is for them alone. Made once, encrypted if the operator does not forbid it,
//! and used again for ever.

use crate::link::Link;
use crate::trouble::Trouble;
use matrix_sdk::ruma::api::client::room::create_room::v3::{Request, RoomPreset};
use matrix_sdk::ruma::events::InitialStateEvent;
use matrix_sdk::ruma::events::room::encryption::RoomEncryptionEventContent;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::{OwnedUserId, RoomId, UserId};
use matrix_sdk::{Room, RoomState};

/// The direct room with somebody.
pub(crate) async fn room(link: &Link, user: &str) -> Result<Room, Trouble> {
    let user = UserId::parse(user).map_err(|_| Trouble::Refused(format!("{user} is nobody on Matrix")))?;
    let note = format!("direct/{user}");
    if let Some(room) = link.note(&note).and_then(|id| usable(link, &id)) {
        return invited(room, &user).await;
    }
    let room = match found(link, &user).await {
        Some(room) => room,
        None => made(link, &user).await?,
    };
    link.keep(note, Some(room.room_id().to_string())).await;
    invited(room, &user).await
}

fn usable(link: &Link, id: &str) -> Option<Room> {
    let room = link.client.get_room(&RoomId::parse(id).ok()?)?;
    (room.state() == RoomState::Joined && !room.is_tombstoned()).then_some(room)
}

/// One that is there already: marked as direct, or made by the bot for the two of them and then forgotten in a crash.
async fn found(link: &Link, user: &OwnedUserId) -> Option<Room> {
    let marked = link.client.get_dm_rooms(user).find(|room| !room.is_tombstoned());
    if marked.is_some() {
        return marked;
    }
    let own = link.client.user_id()?;
    for room in link.client.joined_rooms() {
        let ours = room.creators().is_some_and(|creators| creators.iter().any(|creator| creator == own));
        if !ours || room.name().is_some() || room.is_tombstoned() || room.active_members_count() > 2 {
            continue;
        }
        if let Ok(Some(member)) = room.get_member_no_sync(user).await
            && matches!(member.membership(), MembershipState::Join | MembershipState::Invite)
        {
            return Some(room);
        }
    }
    None
}

async fn made(link: &Link, user: &OwnedUserId) -> Result<Room, Trouble> {
    let mut request = Request::new();
    request.invite = vec![user.clone()];
    request.is_direct = true;
    request.preset = Some(RoomPreset::TrustedPrivateChat);
    if link.settings.encrypt_direct {
        let encryption = RoomEncryptionEventContent::with_recommended_defaults();
        request.initial_state = vec![InitialStateEvent::with_empty_state_key(encryption).to_raw_any()];
    }
    let room = link.client.create_room(request).await.map_err(|error| Trouble::of(&error))?;
    tracing::info!(network = link.network, %user, room = %room.room_id(), "made a direct room");
    Ok(room)
}

/// The room, with the person invited again if they had left it.
async fn invited(room: Room, user: &OwnedUserId) -> Result<Room, Trouble> {
    let member = room.get_member_no_sync(user).await.map_err(|error| Trouble::of(&error))?;
    if member.is_some_and(|member| *member.membership() == MembershipState::Leave) {
        room.invite_user_by_id(user).await.map_err(|error| Trouble::of(&error))?;
    }
    Ok(room)
}
