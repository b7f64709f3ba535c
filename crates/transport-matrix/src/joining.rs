//! Joining rooms. People the operator named go first, and everybody gets a turn. A room that refuses the bot, or does
//! not answer, costs only those who want the bot there: it is tried a few times and then declined, until somebody invites
//! the bot again. Rooms of the configuration are never given up: where the bot needs an invitation it asks for one, if
//! the room lets it, and waits.

mod awaited;
mod queue;

use crate::link::Link;
use crate::trouble::Trouble;
pub(crate) use awaited::Awaited;
use chat::AwaitedRoom;
use jiff::SignedDuration;
use matrix_sdk::ruma::api::client::membership::leave_room;
use matrix_sdk::ruma::api::error::ErrorKind;
use matrix_sdk::ruma::{RoomId, RoomOrAliasId};
use matrix_sdk::{Room, RoomState};
use queue::{Again, Queue, Rank, Why};
pub(crate) use queue::{Caller, Wanted};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long joining or leaving a room may take.
const PATIENCE: Duration = Duration::from_secs(30);
const MINUTE: Duration = Duration::from_secs(60);
/// The metric of outcomes of invitations.
const COUNT: &str = "astragal_invitations_total";

/// The outcome of one attempt.
enum Tried {
    /// The bot is in the room now.
    Joined,
    /// The bot was in the room already.
    Before,
    /// The bot is not in the room.
    Not(Why, String),
}

/// Takes rooms that the bot should join, as long as the login lasts.
#[derive(Clone)]
pub(crate) struct Joiner(mpsc::UnboundedSender<Wanted>);

impl Joiner {
    /// Starts joining.
    pub fn new(link: Arc<Link>) -> Self {
        let (sender, wanted) = mpsc::unbounded_channel();
        tokio::spawn(join_all(link, wanted));
        Joiner(sender)
    }

    /// Asks for the bot to be in this room.
    pub fn want(&self, room: Wanted) {
        // Its task ends only with the login.
        let _ = self.0.send(room);
    }
}

/// How many rooms of one kind the bot joined within a minute. Rooms for people the operator named have a limit of their
/// own, so no stranger can use it up.
#[derive(Default)]
struct Pace {
    joined: Vec<Instant>,
    underway: usize,
}

impl Pace {
    /// When the next room may be tried; `None` while that depends on attempts in progress.
    fn free_at(&self, now: Instant, most: usize) -> Option<Instant> {
        let lately: Vec<_> = self.joined.iter().filter(|at| now.duration_since(**at) < MINUTE).collect();
        if lately.len() + self.underway < most { Some(now) } else { lately.first().map(|first| **first + MINUTE) }
    }

    fn end(&mut self, tried: &Tried) {
        self.underway -= 1;
        self.joined.retain(|at| at.elapsed() < MINUTE);
        if matches!(tried, Tried::Joined) {
            self.joined.push(Instant::now());
        }
    }
}

async fn join_all(link: Arc<Link>, mut calls: mpsc::UnboundedReceiver<Wanted>) {
    let mut queue = Queue::new(link.settings.retries());
    let mut attempts = JoinSet::new();
    let mut paces = BTreeMap::from([(Rank::Named, Pace::default()), (Rank::Stranger, Pace::default())]);
    let most = link.settings.joins_per_minute as usize;
    loop {
        let now = Instant::now();
        loop {
            let next = queue.next(now, &|rank| paces[&rank].free_at(now, most) == Some(now));
            let Some((wanted, rank)) = next else { break };
            paces.get_mut(&rank).expect("both are there").underway += 1;
            let link = link.clone();
            attempts.spawn(async move {
                let tried = attempt(&link, &wanted).await;
                (wanted, rank, tried)
            });
        }
        let due = queue.due(now, &|rank| paces[&rank].free_at(now, most));
        let due = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            call = calls.recv() => match call {
                Some(call) => take(&link, &mut queue, call),
                None => return,
            },
            Some(Ok((wanted, rank, tried))) = attempts.join_next() => {
                paces.get_mut(&rank).expect("both are there").end(&tried);
                finish(&link, &mut queue, wanted, tried);
            }
            () = due => {}
        }
    }
}

/// Declines an invitation, and says why, if the bot is in as many rooms as it may be and the operator did not name whoever
/// sent it. Returns whether it does.
pub(crate) fn declines(link: &Arc<Link>, wanted: &Wanted) -> bool {
    let settings = &link.settings;
    let named = Rank::of(wanted.caller.place(settings)) == Rank::Named;
    let full = !named && settings.full.is_some_and(|most| link.client.joined_rooms().len() >= most as usize);
    if full {
        decline(link, wanted, "the bot is in as many rooms as the configuration allows", Some(&settings.full_says));
    }
    full
}

/// Queues a room, unless its caller has too many waiting.
fn take(link: &Arc<Link>, queue: &mut Queue, call: Wanted) {
    if known(link, &call.room) == Some(RoomState::Joined) {
        return;
    }
    let place = call.caller.place(&link.settings);
    if let Err(call) = queue.add(call, place) {
        decline(link, &call, "whoever invites the bot has too many invitations waiting", None);
    }
}

fn finish(link: &Arc<Link>, queue: &mut Queue, wanted: Wanted, tried: Tried) {
    let (network, room, caller) = (link.network.as_str(), wanted.room.clone(), wanted.caller.to_string());
    match tried {
        Tried::Before => {
            queue.done(&wanted);
            link.awaited.forget(room.as_str());
        }
        Tried::Joined => {
            queue.done(&wanted);
            link.awaited.forget(room.as_str());
            count(link, "followed");
            tracing::info!(network, %room, caller, "joined");
        }
        Tried::Not(why, told) => {
            let again = queue.again(wanted.clone(), Instant::now(), why);
            link.awaited.note(awaited_room(link, &wanted, again, (why, &told)));
            match again {
                Again::Soon(_) => tracing::warn!(network, %room, caller, why = told, "not joined yet"),
                Again::Seldom => tell_waiting(link, &room, why, &told),
                Again::SeldomAsBefore => {}
                Again::Never => decline(link, &wanted, &told, None),
            }
        }
    }
}

/// The rooms that the bot should be in and is not.
pub(crate) fn awaited(link: &Link) -> Vec<AwaitedRoom> {
    let mut rooms = link.awaited.all();
    // A room may have been entered under its other name.
    rooms.retain(|room| RoomOrAliasId::parse(&room.id).is_ok_and(|id| known(link, &id) != Some(RoomState::Joined)));
    rooms
}

/// A room that did not let the bot in, as the operator sees it.
fn awaited_room(link: &Link, wanted: &Wanted, again: Again, (why, told): (Why, &str)) -> AwaitedRoom {
    let wait = match again {
        Again::Soon(wait) => Some(wait),
        Again::Seldom | Again::SeldomAsBefore => Some(queue::SELDOM),
        Again::Never => None,
    };
    let at = |wait: Duration| link.clock.now().checked_add(SignedDuration::try_from(wait).ok()?).ok();
    let why = match (why, wait) {
        (Why::Knocked, _) => "the bot knocked, and waits until somebody there lets it in".to_owned(),
        (Why::Uninvited, _) => {
            let me = link.client.user_id().map(ToString::to_string).unwrap_or_default();
            format!("the bot is not invited: invite {me}")
        }
        (_, None) => format!("given up, until somebody invites the bot again: {told}"),
        (_, Some(_)) => told.to_owned(),
    };
    let configured = wanted.caller == Caller::Operator;
    AwaitedRoom { id: wanted.room.to_string(), configured, why, again: wait.and_then(at) }
}

/// Says that the bot waits until it is let into a room of the configuration.
fn tell_waiting(link: &Link, room: &RoomOrAliasId, why: Why, told: &str) {
    let (network, me) = (link.network.as_str(), link.client.user_id().map(ToString::to_string).unwrap_or_default());
    match why {
        Why::Knocked => {
            tracing::warn!(network, %room, "the bot knocked, and comes when somebody there lets it in");
        }
        Why::Uninvited => {
            tracing::warn!(network, %room, "the bot is not invited there: invite {me}, and it comes");
        }
        _ => tracing::error!(
            network,
            %room,
            why = told,
            "the bot is not let in: it tries again every {} minutes, and when it is invited",
            queue::SELDOM.as_secs() / 60
        ),
    }
}

/// Gives up a room. An invitation into it is declined, so it does not return at the next start; whoever sent it may be told
/// why.
fn decline(link: &Arc<Link>, wanted: &Wanted, why: &str, says: Option<&str>) {
    let (network, room, caller) = (link.network.as_str(), wanted.room.clone(), wanted.caller.to_string());
    match wanted.caller {
        Caller::Operator => tracing::error!(network, %room, why, "the bot is not let in"),
        Caller::User(_) => tracing::warn!(network, %room, caller, why, "an invitation is declined"),
    }
    count(link, "declined");
    let invited = <&RoomId>::try_from(&*room).ok().and_then(|id| link.client.get_room(id));
    if let Some(room) = invited.filter(|room| room.state() == RoomState::Invited) {
        let (network, says) = (link.network.clone(), says.map(str::to_owned));
        tokio::spawn(async move {
            match tokio::time::timeout(PATIENCE, leave(&room, says)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::info!(network, room = %room.room_id(), %error, "it is not declined"),
                Err(_) => tracing::info!(network, room = %room.room_id(), "it is not declined in time"),
            }
        });
    }
}

/// Leaves a room, and says why there if there is something to say.
async fn leave(room: &Room, says: Option<String>) -> matrix_sdk::Result<()> {
    let Some(says) = says else { return room.leave().await };
    let mut request = leave_room::v3::Request::new(room.room_id().to_owned());
    request.reason = Some(says);
    Ok(room.client().send(request).await.map(drop)?)
}

/// Counts the outcome of an invitation.
pub(crate) fn count(link: &Link, outcome: &'static str) {
    metrics::counter!(COUNT, "network" => link.network.clone(), "outcome" => outcome).increment(1);
}

/// The bot's membership in a room, if known.
fn known(link: &Link, room: &RoomOrAliasId) -> Option<RoomState> {
    let known = match <&RoomId>::try_from(room) {
        Ok(id) => link.client.get_room(id),
        Err(_) => {
            let alias = |known: &Room| known.canonical_alias().is_some_and(|alias| alias.as_str() == room.as_str());
            link.client.joined_rooms().into_iter().find(alias)
        }
    };
    known.map(|known| known.state())
}

/// Tries once to join a room.
async fn attempt(link: &Link, wanted: &Wanted) -> Tried {
    if known(link, &wanted.room) == Some(RoomState::Joined) {
        return Tried::Before;
    }
    let joining = link.client.join_room_by_id_or_alias(&wanted.room, &wanted.via);
    let trouble = match tokio::time::timeout(PATIENCE, joining).await {
        Ok(Ok(_)) => return Tried::Joined,
        Ok(Err(error)) if wanted.caller == Caller::Operator && is_forbidden(&error) => {
            return uninvited(link, wanted, Trouble::of(&error).why()).await;
        }
        Ok(Err(error)) => Trouble::of(&error),
        Err(_) => Trouble::Passing { wait: None, why: format!("no answer in {} seconds", PATIENCE.as_secs()) },
    };
    match trouble {
        Trouble::Passing { wait: Some(wait), why } => Tried::Not(Why::Limited(wait), why),
        Trouble::Passing { wait: None, why } if !link.is_up().await => Tried::Not(Why::Down, why),
        trouble => Tried::Not(Why::Refused, trouble.why()),
    }
}

fn is_forbidden(error: &matrix_sdk::Error) -> bool {
    matches!(error.client_api_error_kind(), Some(ErrorKind::Forbidden))
}

/// Knocks at a room that lets in only whom somebody lets in, if it can be knocked at.
async fn uninvited(link: &Link, wanted: &Wanted, why: String) -> Tried {
    if link.knocked.contains(wanted.room.as_str()) {
        return Tried::Not(Why::Knocked, why);
    }
    let knocking = link.client.knock(wanted.room.clone(), None, wanted.via.clone());
    match tokio::time::timeout(PATIENCE, knocking).await {
        Ok(Ok(_)) => {
            link.knocked.insert(wanted.room.as_str());
            Tried::Not(Why::Knocked, why)
        }
        _ => Tried::Not(Why::Uninvited, why),
    }
}
