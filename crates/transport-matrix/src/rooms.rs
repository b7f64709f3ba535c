//! The rooms the bot is in: those it was told to join, those it was invited to by people whose invitations it follows,
//! and the replacements of upgraded rooms.

use crate::joining::{self, Caller, Joiner, Wanted};
use crate::link::Link;
use crate::trouble::Trouble;
use crate::{direct, standing};
use chat::{Delivery, Event, RoomStatus};
use matrix_sdk::ruma::api::client::state::get_state_event_for_key::v3::Request;
use matrix_sdk::ruma::events::StateEventType;
use matrix_sdk::ruma::events::room::tombstone::RoomTombstoneEventContent;
use matrix_sdk::ruma::{OwnedRoomId, OwnedUserId, RoomId, RoomOrAliasId, UserId};
use matrix_sdk::{Room, RoomMemberships, RoomState};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// The most people remembered as not followed.
const REMEMBERED: usize = 1_000;

/// Makes sure that the bot is in the rooms where it should be.
pub(crate) struct Rooms(Arc<Seeing>);

struct Seeing {
    link: Arc<Link>,
    joiner: Joiner,
    /// Inviters who were not followed; each is reported once.
    passed_over: Mutex<BTreeSet<OwnedUserId>>,
    /// Upgrades are followed one after the other.
    following: tokio::sync::Mutex<()>,
}

impl Rooms {
    pub fn new(link: Arc<Link>) -> Self {
        let joiner = Joiner::new(link.clone());
        Rooms(Arc::new(Seeing {
            link,
            joiner,
            passed_over: Mutex::default(),
            following: tokio::sync::Mutex::default(),
        }))
    }

    /// Finishes what was left when the bot last stopped, and joins the rooms in the settings.
    pub async fn begin(&self) {
        let link = &self.0.link;
        for room in &link.settings.rooms {
            if let Ok(room) = RoomOrAliasId::parse(room) {
                self.0.joiner.want(Wanted { room, caller: Caller::Operator, via: Vec::new() });
            }
        }
        let invited: Vec<_> = link.client.invited_rooms().iter().map(|room| room.room_id().to_owned()).collect();
        self.invited(invited.iter());
        for room in link.client.joined_rooms() {
            if room.is_tombstoned() {
                self.upgraded(&room);
            }
        }
    }

    /// Somebody invited the bot.
    pub fn invited<'a>(&self, rooms: impl Iterator<Item = &'a OwnedRoomId>) {
        let (seeing, rooms) = (self.0.clone(), rooms.cloned().collect::<Vec<_>>());
        if !rooms.is_empty() {
            tokio::spawn(async move {
                for room in rooms {
                    seeing.invited(&room).await;
                }
            });
        }
    }

    /// A room was replaced by another: the bot goes there, and its table moves along.
    pub fn upgraded(&self, room: &Room) {
        if self.0.link.note(&moved_note(room.room_id())).is_none() {
            let (seeing, room) = (self.0.clone(), room.clone());
            tokio::spawn(async move { seeing.follow(&room).await });
        }
    }
}

impl Seeing {
    async fn invited(&self, id: &RoomId) {
        let link = &self.link;
        let Some(room) = link.client.get_room(id) else { return };
        let inviter = room.invite_details().await.ok().and_then(|invite| invite.inviter);
        let Some(inviter) = inviter.map(|inviter| inviter.user_id().to_owned()) else { return };
        // Whoever invites it there: the operator wants it in these rooms.
        if is_configured(link, &room) {
            let room = id.to_owned().into();
            return self.joiner.want(Wanted { room, caller: Caller::Operator, via: Vec::new() });
        }
        let follows = link.settings.follows(&inviter);
        let wanted = Wanted { room: id.to_owned().into(), caller: Caller::User(inviter.clone()), via: Vec::new() };
        // If an admin of our room replaced it, anyone may invite the bot into the replacement, and it is not one more.
        if replaced(link, &room).await.is_some() || follows && !joining::declines(link, &wanted) {
            self.joiner.want(wanted);
        } else if !follows {
            self.pass_over(id, &inviter);
        }
    }

    /// Reports once per inviter how to make the bot follow them.
    fn pass_over(&self, room: &RoomId, inviter: &UserId) {
        let network = self.link.network.as_str();
        joining::count(&self.link, "not followed");
        let mut passed_over = self.passed_over.lock().unwrap_or_else(PoisonError::into_inner);
        if passed_over.len() < REMEMBERED && passed_over.insert(inviter.to_owned()) {
            let meant = format!("[matrix.{network}] invites = [\"{inviter}\"]");
            tracing::warn!(
                network,
                %room,
                %inviter,
                meant,
                "an invitation is not followed: in the configuration this would allow it"
            );
        }
    }

    /// Goes from an upgraded room to its replacement, if the person who named it was allowed to and the new room
    /// agrees.
    async fn follow(&self, room: &Room) {
        let (link, old) = (&self.link, room.room_id());
        let _one = self.following.lock().await;
        let Some((replacement, sender)) = tombstone(room).await else { return };
        if direct::is_own(link, room) {
            tracing::warn!(network = link.network, room = %old, %sender, "a direct room leads nowhere");
            return;
        }
        if !standing::is_admin(&link.settings, room, &sender).await {
            tracing::warn!(network = link.network, room = %old, %sender, "an upgrade by somebody without power is not followed");
            return;
        }
        let new = link.client.get_room(&replacement).filter(|new| new.state() == RoomState::Joined);
        let Some(new) = new else { return self.go(old, replacement, sender).await };
        // Usually the bot joins the new room after this event, and the join handles the rest.
        let Some((moved, note)) = replaced(link, &new).await else { return };
        if link.note(&note.0).is_some() {
            return;
        }
        let delivery = Delivery { events: vec![moved], notes: [note].into() };
        match link.accept(delivery).await {
            Ok(()) => tracing::info!(network = link.network, room = %old, %replacement, "followed a room's upgrade"),
            Err(error) => tracing::error!(network = link.network, room = %old, %error, "an upgrade is followed later"),
        }
    }

    /// Joins a room that replaces another, after looking at it. If it cannot be looked at, only people who may invite
    /// the bot are followed.
    async fn go(&self, old: &RoomId, new: OwnedRoomId, sender: OwnedUserId) {
        let via = vec![sender.server_name().to_owned()];
        let follows = match predecessor(&self.link, &new).await {
            Some(named) => named.as_deref() == Some(old.as_str()),
            None => self.link.settings.follows(&sender),
        };
        if follows {
            self.joiner.want(Wanted { room: new.into(), caller: Caller::User(sender), via });
        } else {
            self.pass_over(&new, &sender);
        }
    }
}

/// The room that this one says it replaces, if any; the outer `None` means that the bot cannot see that from outside.
async fn predecessor(link: &Link, room: &RoomId) -> Option<Option<String>> {
    if let Some(create) = link.client.get_room(room).and_then(|room| room.create_content()) {
        return Some(create.predecessor.map(|old| old.room_id.to_string()));
    }
    let request = Request::new(room.to_owned(), StateEventType::RoomCreate, String::new());
    let content = link.client.send(request).await.ok()?.into_content();
    let content: Value = content.deserialize_as_unchecked().ok()?;
    Some(content["predecessor"]["room_id"].as_str().map(str::to_owned))
}

fn moved_note(room: &RoomId) -> String {
    format!("moved/{room}")
}

/// Joins a room on an operator's request. Returns its id.
pub(crate) async fn come(link: &Link, room: &str) -> Result<String, String> {
    let room =
        RoomOrAliasId::parse(room).map_err(|_| format!("{room:?} is no room: one is \"#tavern:example.org\""))?;
    let joined = link.client.join_room_by_id_or_alias(&room, &[]).await;
    joined.map(|joined| joined.room_id().to_string()).map_err(|error| Trouble::of(&error).why())
}

/// Leaves a room on an operator's request.
pub(crate) async fn go(link: &Link, room: &str) -> Result<(), String> {
    let named = |known: &Room| known.room_id() == room || known.canonical_alias().is_some_and(|alias| alias == room);
    let known = link.client.joined_rooms().into_iter().find(named);
    let known = known.ok_or_else(|| format!("the bot is not in {room}"))?;
    known.leave().await.map_err(|error| Trouble::of(&error).why())
}

/// The rooms the bot is in.
pub(crate) async fn all(link: &Link) -> Vec<RoomStatus> {
    let mut all = Vec::new();
    let mut answers = true;
    for room in link.client.joined_rooms() {
        // A room without a summary looks empty, so only the members themselves say that it is.
        let others = match room.joined_members_count() {
            0 | 1 if answers => {
                let people = standing::people(&room, RoomMemberships::JOIN).await;
                answers = people.is_some();
                people.map_or(1, |people| people.saturating_sub(1) as u64)
            }
            // As long as it is not known that nobody is there, somebody is.
            summed => summed.saturating_sub(1).max(1),
        };
        let alias = room.canonical_alias().map(|alias| alias.to_string());
        all.push(RoomStatus {
            mute: None,
            id: room.room_id().to_string(),
            others,
            configured: is_configured(link, &room),
            name: room.name().or(alias),
        });
    }
    all
}

/// True if the configuration names the room, by its id or an alias.
fn is_configured(link: &Link, room: &Room) -> bool {
    let mut aliases = room.canonical_alias().into_iter().chain(room.alt_aliases());
    let named = |name: &str| link.settings.rooms.contains(name);
    named(room.room_id().as_str()) || aliases.any(|alias| named(alias.as_str()))
}

/// The event that a room replaces another one where the bot is, and the note to store with it: if both rooms say so,
/// and whoever closed the old one was allowed to.
pub(crate) async fn replaced(link: &Link, room: &Room) -> Option<(Event, (String, Option<String>))> {
    let old = room.create_content()?.predecessor?.room_id;
    let closed = link.client.get_room(&old).filter(|closed| !direct::is_own(link, closed))?;
    let (replacement, sender) = tombstone(&closed).await?;
    // A table that moved elsewhere does not move here too, whatever is said in the old room since.
    if link.note(&moved_note(&old)).is_some_and(|to| to != replacement.as_str()) {
        return None;
    }
    if replacement != room.room_id() || !standing::is_admin(&link.settings, &closed, &sender).await {
        return None;
    }
    let moved = Event::Moved { from: link.room_id(&old), to: link.room_id(room.room_id()) };
    Some((moved, (moved_note(&old), Some(replacement.to_string()))))
}

/// The room that replaces this one, and who said so.
async fn tombstone(room: &Room) -> Option<(OwnedRoomId, OwnedUserId)> {
    let event = room.get_state_event_static::<RoomTombstoneEventContent>().await.ok()??;
    let matrix_sdk::deserialized_responses::RawSyncOrStrippedState::Sync(raw) = event else { return None };
    let event = raw.deserialize().ok()?;
    let event = event.as_original()?;
    Some((event.content.replacement_room.clone(), event.sender.clone()))
}
