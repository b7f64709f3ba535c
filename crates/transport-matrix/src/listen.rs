//! Listens, one sync after the other. Events are handed to the core together with the place up to which they were
//! heard; only then the next sync is requested.

use crate::authors::{self, Note};
use crate::gap;
use crate::identity::{self, Identity};
use crate::link::{Link, Step};
use crate::profile;
use crate::receipts::Receipts;
use crate::related;
use crate::rooms::{self, Rooms};
use crate::said::{self, Names, Words, words};
use crate::session;
use crate::standing;
use crate::trouble::{Backoff, Trouble};
use crate::undecrypted::Undecrypted;
use chat::{Delivery, Event, Message, PlayerId, Speaker, Trust, cut};
use jiff::{SignedDuration, Timestamp};
use matrix_sdk::config::SyncSettings;
use matrix_sdk::deserialized_responses::TimelineEvent;
use matrix_sdk::ruma::api::client::filter::{FilterDefinition, LazyLoadOptions, RoomEventFilter};
use matrix_sdk::ruma::events::room::history_visibility::HistoryVisibility;
use matrix_sdk::ruma::events::room::join_rules::JoinRule;
use matrix_sdk::ruma::events::room::member::MembershipState;
use matrix_sdk::ruma::events::{AnySyncMessageLikeEvent, AnySyncStateEvent, AnySyncTimelineEvent, StateEventType};
use matrix_sdk::ruma::{OwnedUserId, UInt, UserId};
use matrix_sdk::sync::{JoinedRoomUpdate, State, SyncResponse};
use matrix_sdk::{Room, RoomMemberships};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The note with the place up to which everything was heard.
pub(crate) const CURSOR: &str = "cursor";
/// Events per room in one sync; the rest is fetched.
const TIMELINE: u32 = 100;
/// Characters of a room's name that are kept.
const LONGEST_NAME: usize = 255;
/// Events handed to the core at once.
const AT_ONCE: usize = 500;
/// A message younger than this does not count as late.
const LATE: SignedDuration = SignedDuration::from_secs(10);
/// The shortest time for a sync that brings nothing, whatever the homeserver does.
const NOTHING_TAKES: Duration = Duration::from_millis(500);

/// Why listening ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The homeserver wants the bot to log in again as the same device.
    SoftLogout,
    /// The device was removed, or its token revoked.
    Revoked,
}

/// Listens until the login ends. Calls `connected` once the homeserver has answered.
pub(crate) async fn listen(link: Arc<Link>, undecrypted: Arc<Undecrypted>, connected: &(dyn Fn() + Sync)) -> Ended {
    let mut told = false;
    let mut listener = Listener {
        rooms: Rooms::new(link.clone()),
        receipts: Receipts::new(link.clone()),
        link,
        undecrypted,
        introduced: BTreeSet::new(),
        catching_up: true,
        known: false,
        settled: false,
    };
    listener.known = listener.link.note(CURSOR).is_some();
    let mut backoff = Backoff::new(listener.link.settings.retries(), listener.link.randomness.clone());
    loop {
        let idle;
        let begun = Instant::now();
        // The first sync only asks for what is already there.
        let wait = if listener.catching_up { 0 } else { u64::from(listener.link.settings.sync_seconds) };
        let settings = SyncSettings::new().timeout(Duration::from_secs(wait)).filter(filter().into());
        match listener.link.client.sync_once(settings).await {
            Ok(response) => {
                listener.link.trail.hear(listener.link.clock.now());
                listener.link.health.well();
                listener.link.pass_on(&response);
                let nothing = response.rooms.is_empty() && response.to_device.is_empty();
                let first = listener.catching_up;
                match listener.hear(response).await {
                    Err(Trouble::LoggedOut { soft: true }) => return Ended::SoftLogout,
                    Err(Trouble::LoggedOut { soft: false }) => return listener.ended(&mut backoff).await,
                    // It was reported already, and will be again.
                    Ok(()) | Err(Trouble::Passing { .. } | Trouble::Refused(_)) => {}
                }
                if !std::mem::replace(&mut told, true) {
                    let network = listener.link.network.clone();
                    metrics::counter!("astragal_connections_total", "network" => network).increment(1);
                    tracing::info!(
                        network = listener.link.network,
                        user = listener.link.client.user_id().map(tracing::field::display),
                        rooms = listener.link.client.joined_rooms().len(),
                        "connected"
                    );
                    connected();
                }
                backoff.reset();
                // A homeserver that does not wait must not be asked endlessly.
                idle =
                    if nothing && !first && begun.elapsed() < NOTHING_TAKES { NOTHING_TAKES } else { Duration::ZERO };
            }
            Err(error) => match Trouble::of(&error) {
                Trouble::LoggedOut { soft: true } => return Ended::SoftLogout,
                Trouble::LoggedOut { soft: false } => return listener.ended(&mut backoff).await,
                Trouble::Passing { wait, why } => idle = listener.pause(&mut backoff, wait, &why),
                Trouble::Refused(why) => idle = listener.pause(&mut backoff, None, &why),
            },
        }
        if !idle.is_zero() {
            tokio::time::sleep(idle).await;
        }
    }
}

/// The filter of every sync: what one leaves out, such as a room's summary, a later one with another filter would not
/// bring.
pub(crate) fn filter() -> FilterDefinition {
    let mut filter = FilterDefinition::default();
    filter.presence.not_types = vec!["*".to_owned()];
    filter.room.ephemeral = RoomEventFilter::ignore_all();
    filter.room.timeline.limit = Some(UInt::from(TIMELINE));
    let lazy = LazyLoadOptions::Enabled { include_redundant_members: false };
    filter.room.timeline.lazy_load_options = lazy;
    filter.room.state.lazy_load_options = lazy;
    filter
}

/// The listener's state.
struct Listener {
    link: Arc<Link>,
    rooms: Rooms,
    receipts: Receipts,
    undecrypted: Arc<Undecrypted>,
    /// Rooms whose members the core knows.
    introduced: BTreeSet<String>,
    /// True while events may have been sent during the bot's absence.
    catching_up: bool,
    /// True once the account's identity was settled.
    settled: bool,
    /// True if the bot listened with this account before, so that a room that is new to it is really new.
    known: bool,
}

/// The origin of an event in the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The sync brought it.
    Sync,
    /// The sync left it out, and it was fetched.
    FilledIn,
}

impl Listener {
    fn pause(&mut self, backoff: &mut Backoff, asked: Option<Duration>, why: &str) -> Duration {
        let wait = backoff.wait(asked);
        self.catching_up = true;
        self.link.health.failed(why, self.link.clock.now(), wait);
        let again_in_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        tracing::warn!(network = self.link.network, reason = why, again_in_ms, "no answer from the homeserver");
        wait
    }

    /// Why a login that is no longer valid ended. A token that could not be renewed says nothing about the device, so
    /// the homeserver is asked.
    async fn ended(&mut self, backoff: &mut Backoff) -> Ended {
        loop {
            match session::device_remains(&self.link.client).await {
                Ok(true) => return Ended::SoftLogout,
                Ok(false) => return Ended::Revoked,
                Err(why) => tokio::time::sleep(self.pause(backoff, None, &why)).await,
            }
        }
    }

    /// Passes on what a sync brought, and where it ended.
    async fn hear(&mut self, response: SyncResponse) -> Result<(), Trouble> {
        let mut deliveries = vec![Delivery::default()];
        for (id, update) in response.rooms.joined {
            let Some(room) = self.link.client.get_room(&id) else { continue };
            self.hear_room(&room, update, &mut deliveries).await?;
        }
        for id in response.rooms.left.keys() {
            if self.introduced.remove(id.as_str()) {
                tracing::warn!(network = self.link.network, room = id.as_str(), "the bot is no longer in a room");
            }
            append(&mut deliveries, Some(Event::Left { room: self.link.room_id(id) }));
        }
        self.rooms.invited(response.rooms.invited.keys());
        if let Some(last) = deliveries.last_mut() {
            last.notes.insert(CURSOR.to_owned(), Some(response.next_batch));
        }
        for delivery in deliveries {
            self.deliver(delivery).await;
        }
        if self.catching_up {
            self.settle_identity().await;
            self.rooms.begin().await;
            self.introduce_all().await;
        }
        (self.catching_up, self.known) = (false, true);
        Ok(())
    }

    /// Adds the note of undecrypted events to the deliveries with the place up to which was heard.
    fn note_undecrypted(&self, deliveries: &mut [Delivery]) {
        if self.undecrypted.take_changed() {
            deliveries.last_mut().expect("there is one").notes.extend([self.undecrypted.note()]);
        }
    }

    /// Hands a delivery to the core, however long it takes: nothing else is heard before the core has it.
    async fn deliver(&self, delivery: Delivery) {
        let mut backoff = Backoff::new(self.link.settings.retries(), self.link.randomness.clone());
        while let Err(error) = self.link.accept(delivery.clone()).await {
            tracing::error!(network = self.link.network, %error, "what was said is not heard yet");
            tokio::time::sleep(backoff.wait(None)).await;
        }
    }

    async fn hear_room(
        &mut self,
        room: &Room,
        update: JoinedRoomUpdate,
        deliveries: &mut Vec<Delivery>,
    ) -> Result<(), Trouble> {
        let id = self.link.room_id(room.room_id());
        let last = self.link.note(&gap::last_note(room.room_id()));
        if let (State::Before(events) | State::After(events), true) = (&update.state, self.introduced.contains(&id.id))
        {
            for event in events.iter().filter_map(|event| event.deserialize().ok()) {
                append(deliveries, come_or_gone(&self.link, room, &event).await);
            }
        }
        let heard = gap::events(&self.link, room, update.timeline, last, self.known).await?;
        let own = room.creators().is_some_and(|creators| creators.iter().any(|creator| creator == self.own()));
        if heard.arrived && !own && !room.is_space() {
            match rooms::replaced(&self.link, room).await {
                // Before anything said there, and only once, because the room may sit elsewhere by now.
                Some((moved, note)) if self.link.note(&note.0).is_none() => {
                    append(deliveries, Some(moved));
                    deliveries.last_mut().expect("there is one").notes.extend([note]);
                }
                _ => append(deliveries, Some(Event::Arrived { room: id.clone() })),
            }
        }
        if heard.arrived {
            self.introduced.remove(&id.id);
        }
        let mut people = BTreeMap::new();
        let count = heard.events.len();
        let heard_last = heard.events.last().and_then(TimelineEvent::event_id);
        for (number, event) in heard.events.into_iter().enumerate() {
            let origin = if number < heard.filled { Origin::FilledIn } else { Origin::Sync };
            let event_id = event.event_id();
            let (events, note) = self.hear_event(room, event, origin, &mut people).await;
            deliveries.last_mut().expect("there is one").notes.extend(note);
            if events.is_some() && self.introduced.insert(id.id.clone()) {
                deliveries.last_mut().expect("there is one").events.extend(present(&self.link, room).await);
            }
            deliveries.last_mut().expect("there is one").events.extend(events);
            let full = deliveries.last().is_some_and(|delivery| delivery.events.len() >= AT_ONCE);
            if let (Some(event_id), true) = (event_id, full || number + 1 == count) {
                let note = (gap::last_note(room.room_id()), Some(event_id.to_string()));
                deliveries.last_mut().expect("there is one").notes.extend([note]);
                self.note_undecrypted(deliveries);
                if full {
                    deliveries.push(Delivery::default());
                }
            }
        }
        if let Some(last) = heard_last.clone() {
            self.receipts.read(room.room_id().to_owned(), last);
        }
        if let Some(missed) = heard.missed {
            let up_to = heard_last.map(|event| event.to_string()).unwrap_or_default();
            self.undecrypted.tell_missed(&id, &up_to, missed);
        }
        Ok(())
    }

    /// The core's event for an event of the timeline, and the note that remembers it.
    async fn hear_event(
        &mut self,
        room: &Room,
        event: TimelineEvent,
        origin: Origin,
        people: &mut BTreeMap<OwnedUserId, Speaker>,
    ) -> (Option<Event>, Option<Note>) {
        let Some(sender) = event.sender().filter(|sender| is_player(&self.link, sender)) else { return (None, None) };
        if event.kind.is_utd() {
            metrics::counter!("astragal_undecryptable_total", "network" => self.link.network.clone()).increment(1);
            self.undecrypted.add(room, &event);
            return (None, None);
        }
        let note = match authors::check(&self.link, room, &event).await {
            Ok(note) => note,
            Err(forged) => {
                self.undecrypted.tell_forged(room, &event, forged);
                return (None, None);
            }
        };
        (self.hear_readable(room, said::mended(event), &sender, (origin, people)).await, note)
    }

    /// The same for an event that is not encrypted any more.
    async fn hear_readable(
        &mut self,
        room: &Room,
        event: TimelineEvent,
        sender: &UserId,
        (origin, people): (Origin, &mut BTreeMap<OwnedUserId, Speaker>),
    ) -> Option<Event> {
        let missed = self.catching_up || origin == Origin::FilledIn;
        let reached = if missed { Reached::Afterwards } else { Reached::Live };
        match event.raw().deserialize().ok()? {
            AnySyncTimelineEvent::State(state) => {
                if matches!(state, AnySyncStateEvent::RoomTombstone(_)) {
                    self.rooms.upgraded(room);
                }
                // Changes in between do not matter: the current state was reported already.
                match origin {
                    Origin::FilledIn => None,
                    Origin::Sync => come_or_gone(&self.link, room, &state).await,
                }
            }
            AnySyncTimelineEvent::MessageLike(_) => {
                if !people.contains_key(sender) {
                    let speaker = standing::speaker(&self.link.network, &self.link.settings, room, sender).await;
                    people.insert(sender.to_owned(), speaker);
                }
                message(&self.link, room, &event, people[sender].clone(), reached).await
            }
        }
    }

    /// Makes sure that others trust the device enough to give it their keys.
    async fn settle_identity(&mut self) {
        if self.settled {
            return;
        }
        let network = &self.link.network;
        let identity = identity::settle(&self.link.settings, &self.link.home, &self.link.client).await;
        self.settled = identity.is_ok();
        if let Err(why) = profile::settle(&self.link).await {
            tracing::warn!(network, why, "the account's name and picture stay as they are");
        }
        match identity {
            Ok(Identity::Kept(_)) => {}
            Ok(Identity::Unkept) => tracing::warn!(
                network,
                "the bot has no recovery key for its account: `astragal matrix recovery new` makes one"
            ),
            Ok(Identity::Foreign) => tracing::warn!(
                network,
                "the account has an identity that did not sign this device, so that others may not give it their keys: \
                 `astragal matrix recovery restore` or `astragal matrix verify` mends that"
            ),
            Err(error) => tracing::warn!(network, %error, "the account's identity is looked after later"),
        }
    }

    /// Tells the core who is in those rooms where that is known without a request.
    async fn introduce_all(&mut self) {
        let mut delivery = Delivery::default();
        for room in self.link.client.joined_rooms() {
            if room.are_members_synced() && self.introduced.insert(room.room_id().to_string()) {
                delivery.events.extend(present(&self.link, &room).await);
            }
        }
        self.deliver(delivery).await;
    }

    fn own(&self) -> &UserId {
        self.link.client.user_id().expect("the bot is logged in")
    }
}

fn append(deliveries: &mut [Delivery], event: Option<Event>) {
    deliveries.last_mut().expect("there is one").events.extend(event);
}

/// How an event reached the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// As it was said.
    Live,
    /// While catching up on what was missed.
    Afterwards,
}

/// The message inside an event, if it has one.
pub(crate) async fn message(
    link: &Link,
    room: &Room,
    event: &TimelineEvent,
    speaker: Speaker,
    reached: Reached,
) -> Option<Event> {
    let live = reached == Reached::Live;
    let event_id = event.event_id()?.to_string();
    let now = link.clock.now();
    let sent = event.timestamp.and_then(|at| Timestamp::from_millisecond(i64::from(at.0)).ok()).unwrap_or(now);
    let message = Message {
        private: is_private(link, room, &speaker.player).await,
        absent: !is_joined(room, &speaker.player).await,
        late: !live && now.duration_since(sent) > LATE,
        unlimited: !live,
        ..Message::new(event_id.clone(), link.room_id(room.room_id()), speaker, sent, "")
    };
    if let Some(of) = redacted(event) {
        let before = link.trail.of(&of).unwrap_or_default();
        link.trail.remember(&event_id, Step { original: Some(of.clone()), shown: None, live, ..before });
        return Some(Event::Redacted { message, of });
    }
    if let Some((to, sign)) = sign(event) {
        // The reaction's sender is addressed by name, because the answer is attached to the message with the reaction.
        let before = link.trail.of(&to).unwrap_or_default();
        let sender = Some(message.speaker.player.id.clone());
        let step = Step { original: Some(to.clone()), shown: None, live, sender, ..before };
        link.trail.remember(&event_id, step);
        return Some(Event::Reacted { message, to, sign });
    }
    let words = typed(link, room, event).await?;
    let step = Step {
        thread: words.thread.clone(),
        original: words.replaces.clone(),
        shown: Some(message.speaker.name.clone()),
        live,
        sender: Some(message.speaker.player.id.clone()),
        claimed: event.encryption_info().is_some() && (words.thread.is_some() || words.replaces.is_some()),
    };
    link.trail.remember(&event_id, step);
    let message = Message { reply_to: words.reply_to, addressed: words.addressed, body: words.body, ..message };
    Some(match words.replaces {
        Some(original) => Event::Edited { message, original },
        None => Event::Said(message),
    })
}

/// The message that a redaction takes back; room versions differ in where it is named.
fn redacted(event: &TimelineEvent) -> Option<String> {
    let event: serde_json::Value = event.raw().deserialize_as_unchecked().ok()?;
    let of = event["content"]["redacts"].as_str().or_else(|| event["redacts"].as_str());
    of.filter(|_| event["type"] == "m.room.redaction").map(str::to_owned)
}

/// The message that a reaction belongs to, and the sign.
fn sign(event: &TimelineEvent) -> Option<(String, String)> {
    let event = event.raw().deserialize().ok()?;
    let AnySyncTimelineEvent::MessageLike(AnySyncMessageLikeEvent::Reaction(reaction)) = event else { return None };
    let relates = &reaction.as_original()?.content.relates_to;
    Some((relates.event_id.to_string(), relates.key.clone()))
}

/// The words of an event. It counts as an edit only if everybody can see that it is one.
async fn typed(link: &Link, room: &Room, event: &TimelineEvent) -> Option<Words> {
    let own = link.client.user_id()?;
    let display = standing::name(room, own).await;
    let names = Names { id: own, display: &display };
    let read = |event: &TimelineEvent| match event.raw().deserialize() {
        Ok(AnySyncTimelineEvent::MessageLike(typed)) => words(&typed, &names),
        _ => None,
    };
    let words = read(event)?;
    if let (Some(original), Some(_), Some(id)) = (&words.replaces, event.encryption_info(), event.event_id())
        && !related::is_edit(link, room, id.as_str(), original).await
    {
        return read(&said::unrelated(event.clone()));
    }
    Some(words)
}

/// True if only the bot and the speaker are in the room, one of them made it, nobody else may join or read it, and it
/// serves no other purpose. That it is marked as direct says nothing: anyone who invites the bot can do that.
pub(crate) async fn is_private(link: &Link, room: &Room, player: &PlayerId) -> bool {
    let of_both = |user: &OwnedUserId| Some(&**user) == link.client.user_id() || *user.as_str() == player.id;
    let own = room.creators().is_some_and(|creators| creators.iter().all(of_both));
    // A pending third-party invitation lets its recipient in without anybody's doing.
    let promised = room.get_state_events(StateEventType::RoomThirdPartyInvite).await;
    let promised = promised.map_or(true, |promised| !promised.is_empty());
    let named = room.name().is_some_and(|name| !name.is_empty()) || room.canonical_alias().is_some();
    let shut = room.join_rule().is_some_and(|rule| rule == JoinRule::Invite);
    let hidden = room.history_visibility_or_default() != HistoryVisibility::WorldReadable;
    let alone = own && !named && shut && hidden && !promised;
    alone && standing::people(room, RoomMemberships::ACTIVE).await.is_some_and(|people| people <= 2)
}

/// True if somebody is known to be in the room now; what they said may be from before they left.
async fn is_joined(room: &Room, player: &PlayerId) -> bool {
    let Ok(user) = UserId::parse(&player.id) else { return false };
    let member = room.get_member_no_sync(&user).await.ok().flatten();
    member.is_some_and(|member| *member.membership() == MembershipState::Join)
}

/// False for the bot itself and for people on its ignore list.
fn is_player(link: &Link, user: &UserId) -> bool {
    Some(user) != link.client.user_id() && !link.settings.ignores(user)
}

/// All players in the room.
async fn present(link: &Link, room: &Room) -> Vec<Event> {
    let members = match room.members(RoomMemberships::JOIN).await {
        Ok(members) => members,
        Err(error) => {
            tracing::warn!(network = link.network, room = %room.room_id(), %error, "who is there is not known");
            return Vec::new();
        }
    };
    let mut events = vec![called(link, room)];
    for member in members.iter().filter(|member| is_player(link, member.user_id())) {
        events.push(Event::Present {
            room: link.room_id(room.room_id()),
            player: PlayerId::new(&link.network, member.user_id().as_str()),
            name: standing::name(room, member.user_id()).await,
            trust: Trust::Account,
        });
    }
    events
}

/// The names of the room: its name, and its aliases with and without their server.
fn called(link: &Link, room: &Room) -> Event {
    let aliases: Vec<_> = room.canonical_alias().into_iter().chain(room.alt_aliases()).collect();
    let short = aliases.iter().map(|alias| alias.alias().to_owned());
    let names = room.name().into_iter().chain(short).chain(aliases.iter().map(ToString::to_string));
    // Nobody types a longer one.
    let names = names.map(|name| cut(&name, LONGEST_NAME).into_owned()).collect();
    Event::Called { room: link.room_id(room.room_id()), names }
}

/// Somebody joins or leaves, or the room's name changes.
async fn come_or_gone(link: &Link, room: &Room, event: &AnySyncStateEvent) -> Option<Event> {
    if matches!(event, AnySyncStateEvent::RoomName(_) | AnySyncStateEvent::RoomCanonicalAlias(_)) {
        return Some(called(link, room));
    }
    let AnySyncStateEvent::RoomMember(member) = event else { return None };
    if !is_player(link, member.state_key()) {
        return None;
    }
    let (id, player) = (link.room_id(room.room_id()), PlayerId::new(&link.network, member.state_key().as_str()));
    Some(match member.membership() {
        MembershipState::Join => {
            let name = standing::name(room, member.state_key()).await;
            Event::Present { room: id, player, name, trust: Trust::Account }
        }
        _ => Event::Gone { room: id, player },
    })
}
