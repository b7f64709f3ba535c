//! Which rooms the bot is in: those it is told to be in, those it is invited to by whom it follows, and what rooms become
//! when they are upgraded.

use crate::link::Link;
use crate::standing;
use crate::trouble::{Backoff, Trouble};
use chat::{Delivery, Event, RoomStatus};
use matrix_sdk::ruma::events::room::tombstone::RoomTombstoneEventContent;
use matrix_sdk::ruma::{OwnedRoomId, OwnedRoomOrAliasId, OwnedServerName, RoomOrAliasId};
use matrix_sdk::{Room, RoomState};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A room is tried so often that does not let the bot in.
const ATTEMPTS: usize = 5;
const MINUTE: Duration = Duration::from_secs(60);

/// Comes into rooms, a few in a minute.
pub(crate) struct Rooms {
    link: Arc<Link>,
    wanted: mpsc::UnboundedSender<OwnedRoomOrAliasId>,
    /// Rooms of which the upgrade is being followed.
    following: BTreeSet<OwnedRoomId>,
}

impl Rooms {
    pub fn new(link: Arc<Link>) -> Self {
        let (wanted, rooms) = mpsc::unbounded_channel();
        tokio::spawn(join_all(link.clone(), rooms));
        Rooms { link, wanted, following: BTreeSet::new() }
    }

    /// What was left to do when the bot last stopped, and what the settings want.
    pub async fn begin(&mut self) {
        for room in &self.link.settings.rooms {
            if let Ok(room) = RoomOrAliasId::parse(room) {
                self.want(room);
            }
        }
        let invited: Vec<_> = self.link.client.invited_rooms().iter().map(|room| room.room_id().to_owned()).collect();
        self.invited(invited.iter());
        for room in self.link.client.joined_rooms() {
            if room.is_tombstoned() {
                self.upgraded(&room);
            }
        }
    }

    /// Somebody invites the bot.
    pub fn invited<'a>(&self, rooms: impl Iterator<Item = &'a OwnedRoomId>) {
        for id in rooms {
            let (link, wanted, id) = (self.link.clone(), self.wanted.clone(), id.clone());
            tokio::spawn(async move {
                let Some(room) = link.client.get_room(&id) else { return };
                let inviter = room.invite_details().await.ok().and_then(|invite| invite.inviter);
                let inviter = inviter.map(|inviter| inviter.user_id().to_owned());
                match inviter {
                    // Its joiner is gone only with the login.
                    Some(inviter) if link.settings.follows(&inviter) => drop(wanted.send(id.into())),
                    inviter => {
                        let inviter = inviter.map_or_else(|| "nobody".to_owned(), |inviter| inviter.to_string());
                        let network = link.network.as_str();
                        let meant = format!("[matrix.{network}] invites = [\"{inviter}\"]");
                        tracing::warn!(
                            network,
                            room = %id,
                            inviter,
                            meant,
                            "an invitation is not followed: in the configuration this would allow it"
                        );
                    }
                }
            });
        }
    }

    /// A room was replaced by another: the bot goes there, and takes along what the table holds.
    pub fn upgraded(&mut self, room: &Room) {
        let id = room.room_id().to_owned();
        if self.following.insert(id.clone()) && self.link.note(&moved_note(&id)).is_none() {
            tokio::spawn(follow(self.link.clone(), room.clone()));
        }
    }

    fn want(&self, room: OwnedRoomOrAliasId) {
        // Its joiner is gone only with the login.
        let _ = self.wanted.send(room);
    }
}

fn moved_note(room: &OwnedRoomId) -> String {
    format!("moved/{room}")
}

/// Comes into one room after the other, no more of them in a minute than the settings allow.
async fn join_all(link: Arc<Link>, mut rooms: mpsc::UnboundedReceiver<OwnedRoomOrAliasId>) {
    let mut joined: Vec<Instant> = Vec::new();
    while let Some(room) = rooms.recv().await {
        joined.retain(|at| at.elapsed() < MINUTE);
        if joined.len() >= link.settings.joins_per_minute as usize
            && let Some(first) = joined.first()
        {
            tokio::time::sleep(MINUTE.saturating_sub(first.elapsed())).await;
        }
        if join(&link, &room, &[]).await.is_some_and(|joined| joined == Joined::Now) {
            joined.push(Instant::now());
        }
    }
}

/// Comes into a room at an operator's word; its id.
pub(crate) async fn come(link: &Link, room: &str) -> Result<String, String> {
    let room =
        RoomOrAliasId::parse(room).map_err(|_| format!("{room:?} is no room: one is \"#tavern:example.org\""))?;
    let joined = link.client.join_room_by_id_or_alias(&room, &[]).await;
    joined.map(|joined| joined.room_id().to_string()).map_err(|error| Trouble::of(&error).why())
}

/// Leaves a room at an operator's word.
pub(crate) async fn go(link: &Link, room: &str) -> Result<(), String> {
    let named = |known: &Room| known.room_id() == room || known.canonical_alias().is_some_and(|alias| alias == room);
    let known = link.client.joined_rooms().into_iter().find(named);
    let known = known.ok_or_else(|| format!("the bot is not in {room}"))?;
    known.leave().await.map_err(|error| Trouble::of(&error).why())
}

/// The rooms the bot is in.
pub(crate) fn all(link: &Link) -> Vec<RoomStatus> {
    let told = |room: Room| {
        let alias = room.canonical_alias().map(|alias| alias.to_string());
        let wanted = [Some(room.room_id().to_string()), alias.clone()];
        RoomStatus {
            id: room.room_id().to_string(),
            others: room.joined_members_count().saturating_sub(1),
            configured: wanted.iter().flatten().any(|name| link.settings.rooms.contains(name)),
            name: room.name().or(alias),
        }
    };
    link.client.joined_rooms().into_iter().map(told).collect()
}

/// How it came about that the bot is in a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joined {
    Now,
    Before,
}

/// Comes into a room. A few attempts, since invitations overtake what makes them valid.
async fn join(link: &Link, room: &RoomOrAliasId, via: &[OwnedServerName]) -> Option<Joined> {
    let known = match <&matrix_sdk::ruma::RoomId>::try_from(room) {
        Ok(id) => link.client.get_room(id),
        Err(_) => {
            let alias = |known: &Room| known.canonical_alias().is_some_and(|alias| alias.as_str() == room.as_str());
            link.client.joined_rooms().into_iter().find(alias)
        }
    };
    if known.is_some_and(|known| known.state() == RoomState::Joined) {
        return Some(Joined::Before);
    }
    let mut backoff = Backoff::new(link.settings.retries(), link.randomness.clone());
    let mut attempts = 0;
    loop {
        let (wait, why) = match link.client.join_room_by_id_or_alias(room, via).await {
            Ok(joined) => {
                tracing::info!(network = link.network, room = %joined.room_id(), "joined");
                return Some(Joined::Now);
            }
            Err(error) => match Trouble::of(&error) {
                Trouble::Passing { wait, why } => (backoff.wait(wait), why),
                Trouble::LoggedOut { .. } => return None,
                Trouble::Refused(why) => {
                    attempts += 1;
                    if attempts >= ATTEMPTS {
                        tracing::error!(network = link.network, %room, why, "the bot is not let in");
                        return None;
                    }
                    (backoff.wait(None), why)
                }
            },
        };
        tracing::warn!(network = link.network, %room, why, "not joined yet");
        tokio::time::sleep(wait).await;
    }
}

/// Goes from an upgraded room to the one that replaces it, if whoever said so may and the new one agrees.
async fn follow(link: Arc<Link>, room: Room) {
    let old = room.room_id().to_owned();
    let Some((replacement, sender)) = tombstone(&room).await else { return };
    if !standing::is_admin(&link.settings, &room, &sender).await {
        tracing::warn!(network = link.network, room = %old, %sender, "an upgrade by somebody without power is not followed");
        return;
    }
    let via: Vec<OwnedServerName> = vec![sender.server_name().to_owned()];
    if join(&link, (&*replacement).into(), &via).await.is_none() {
        return;
    }
    // Usually the bot came there after this, and it was seen to then.
    let Some(new) = link.client.get_room(&replacement) else { return };
    let Some((moved, note)) = replaced(&link, &new).await else { return };
    if link.note(&note.0).is_some() {
        return;
    }
    let delivery = Delivery { events: vec![moved], notes: [note].into() };
    match link.accept(delivery).await {
        Ok(()) => tracing::info!(network = link.network, room = %old, %replacement, "followed a room's upgrade"),
        Err(error) => tracing::error!(network = link.network, room = %old, %error, "an upgrade is followed later"),
    }
}

/// That a room replaces another one in which the bot is, and what is to be noted of it: if both say so, and whoever closed
/// the old one may.
pub(crate) async fn replaced(link: &Link, room: &Room) -> Option<(Event, (String, Option<String>))> {
    let old = room.create_content()?.predecessor?.room_id;
    let closed = link.client.get_room(&old)?;
    let (replacement, sender) = tombstone(&closed).await?;
    if replacement != room.room_id() || !standing::is_admin(&link.settings, &closed, &sender).await {
        return None;
    }
    let moved = Event::Moved { from: link.room_id(&old), to: link.room_id(room.room_id()) };
    Some((moved, (moved_note(&old), Some(replacement.to_string()))))
}

/// Which room replaces this one, and who said so.
async fn tombstone(room: &Room) -> Option<(OwnedRoomId, matrix_sdk::ruma::OwnedUserId)> {
    let event = room.get_state_event_static::<RoomTombstoneEventContent>().await.ok()??;
    let matrix_sdk::deserialized_responses::RawSyncOrStrippedState::Sync(raw) = event else { return None };
    let event = raw.deserialize().ok()?;
    let event = event.as_original()?;
    Some((event.content.replacement_room.clone(), event.sender.clone()))
}
