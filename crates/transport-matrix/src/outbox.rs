//! Says posts: one after the other in each room, rooms side by side, each taking as long as it needs.

use crate::direct;
use crate::format::{self, Charts, Relation};
use crate::link::{Link, Step};
use crate::listen::is_private;
use crate::related::{find, relation};
use crate::trouble::{Backoff, Trouble};
use crate::{media, pins, standing, taps};
use chat::{Block, Delivery, Earlier, Event, PlayerId, Post, Recipient, Saying, SendError, Sent, Span, What};
use matrix_sdk::Room;
use matrix_sdk::ruma::EventEncryptionAlgorithm::MegolmV1AesSha2;
use matrix_sdk::ruma::{EventId, OwnedEventId, OwnedTransactionId, UserId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

/// How long a homeserver certainly remembers a transaction id; Synapse keeps it for 24 hours.
const TRANSACTIONS: Duration = Duration::from_secs(20 * 3_600);
/// The queue of a room idle for this long ends.
const IDLE: Duration = Duration::from_secs(60);

/// A post, and who waits for its outcome.
type Order = (Box<Post>, oneshot::Sender<Result<Sent, SendError>>);

/// The queues of all rooms.
pub(crate) struct Outbox {
    queues: Arc<Mutex<BTreeMap<String, mpsc::UnboundedSender<Order>>>>,
    link: watch::Receiver<Option<Arc<Link>>>,
    closing: watch::Sender<bool>,
}

impl Outbox {
    /// Says posts over the link, once there is one.
    pub fn new(link: watch::Receiver<Option<Arc<Link>>>) -> Self {
        Outbox { queues: Arc::default(), link, closing: watch::Sender::new(false) }
    }

    /// Queues a post for its room.
    pub fn say(&self, post: Post) -> Saying {
        let queue = match &post.to {
            // No answer waits for a board.
            Recipient::Room if post.board => format!("{} board", post.room.id),
            // Nor do they wait for what is done in other rooms.
            Recipient::Room if post.mirrored => format!("{} mirrored", post.room.id),
            Recipient::Room => post.room.id.clone(),
            Recipient::Player(player) => player.id.clone(),
        };
        let (said, saying) = oneshot::channel();
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let order = (Box::new(post), said);
        let sender = queues.entry(queue.clone()).or_insert_with(|| self.begin(queue.clone()));
        // A queue ends only under the lock held here. If it does not take this order, it has panicked, and a new one
        // starts.
        if let Err(mpsc::error::SendError(order)) = sender.send(order) {
            tracing::error!(room = queue, "saying a post ended by a mistake in this program");
            *sender = self.begin(queue);
            let _ = sender.send(order);
        }
        Box::pin(async { saying.await.unwrap_or(Err(SendError::Unsaid)) })
    }

    /// From now on nothing is waited for.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    fn begin(&self, name: String) -> mpsc::UnboundedSender<Order> {
        let (sender, mut orders) = mpsc::unbounded_channel::<Order>();
        let (queues, link, closing) = (self.queues.clone(), self.link.clone(), self.closing.subscribe());
        tokio::spawn(async move {
            let mut sayer = Sayer { link, closing };
            loop {
                match tokio::time::timeout(IDLE, orders.recv()).await {
                    Ok(Some((post, said))) => {
                        // The receiver may have stopped waiting.
                        let _ = said.send(sayer.say(*post).await);
                    }
                    Ok(None) => return,
                    Err(_) => {
                        let mut queues = queues.lock().unwrap_or_else(PoisonError::into_inner);
                        if orders.is_empty() {
                            queues.remove(&name);
                            return;
                        }
                    }
                }
            }
        });
        sender
    }
}

/// Says the posts of one room.
struct Sayer {
    link: watch::Receiver<Option<Arc<Link>>>,
    closing: watch::Receiver<bool>,
}

impl Sayer {
    /// Says a post, retrying as often as needed.
    async fn say(&mut self, mut post: Post) -> Result<Sent, SendError> {
        let Some(mut link) = self.linked().await else { return Err(SendError::Unsaid) };
        let mut backoff = Backoff::new(link.settings.retries(), link.randomness.clone());
        let begun = Instant::now();
        let live = post.answers.as_deref().and_then(|event| link.trail.of(event)).is_some_and(|step| step.live);
        loop {
            // While the homeserver remembers the transaction, repeating it has no effect.
            let known = live && begun.elapsed() <= TRANSACTIONS;
            let before = if known { SaidBefore::No } else { SaidBefore::Perhaps };
            post.forget_erased();
            if !post.permit.is_given() {
                return Err(SendError::Unsaid);
            }
            let (wait, why) = match try_to_say(&link, &post, before).await {
                Ok(id) => {
                    if let Some(said) = id.as_ref().filter(|_| post.board && post.what == What::Say) {
                        pins::add(&link, &post.room.id, said).await;
                    }
                    return Ok(Sent { id: id.map(|id| id.to_string()) });
                }
                Err(Trouble::Refused(why)) => return self.say_otherwise(&link, &post, why).await,
                Err(Trouble::Passing { wait, why }) => (backoff.wait(wait), why),
                // The listener logs in again, or ends the bot.
                Err(Trouble::LoggedOut { .. }) => (backoff.wait(None), "logged out".to_owned()),
            };
            let in_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            tracing::info!(network = link.network, room = post.room.id, why, in_ms, "an answer waits");
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                _ = self.closing.wait_for(|closing| *closing) => return Err(SendError::Unsaid),
            }
            match self.linked().await {
                Some(now) => link = now,
                None => return Err(SendError::Unsaid),
            }
        }
    }

    /// Says a refused post in another way: an answer that cannot be said in a room goes to the asker privately, and
    /// somebody who cannot be told privately gets a hint in the room.
    async fn say_otherwise(&mut self, link: &Link, post: &Post, why: String) -> Result<Sent, SendError> {
        let never = Err(SendError::Never(why.clone()));
        if post.is_about().is_some() {
            return never;
        }
        match &post.to {
            Recipient::Room => {
                let asked = post.answers.as_deref().and_then(|event| link.trail.of(event)).and_then(|step| step.sender);
                let Some(asked) = asked else { return never };
                tracing::warn!(
                    network = link.network,
                    room = post.room.id,
                    why,
                    "an answer is said to whoever asked, alone"
                );
                let player = PlayerId::new(&link.network, asked);
                let key = format!("{}/alone", post.key);
                let alone = Post { key, to: Recipient::Player(player), answers: None, addressee: None, ..post.clone() };
                Box::pin(self.say(alone)).await
            }
            Recipient::Player(player) if post.room.network == link.network => {
                if link.lately.may_tell(player, &post.room, link.clock.now()) {
                    tracing::warn!(network = link.network, %player, why, "somebody cannot be told something alone");
                    let told = Box::pin(self.say(unreached(link, post, player).await)).await;
                    drop(told);
                }
                never
            }
            Recipient::Player(_) => never,
        }
    }

    /// The link, once there is one; `None` if the bot ends before.
    async fn linked(&mut self) -> Option<Arc<Link>> {
        tokio::select! {
            biased;
            link = self.link.wait_for(Option::is_some) => link.ok()?.clone(),
            _ = self.closing.wait_for(|closing| *closing) => None,
        }
    }
}

/// Whether a post may have been said already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SaidBefore {
    No,
    Perhaps,
}

/// Tries to say a post; if it may have been said before, only after checking that it was not. A withdrawal has no id.
async fn try_to_say(link: &Link, post: &Post, before: SaidBefore) -> Result<Option<OwnedEventId>, Trouble> {
    let room = match &post.to {
        Recipient::Room => said_in(link, post).await?,
        Recipient::Player(player) if post.withdraws().is_some() => direct::noted(link, &player.id)?,
        Recipient::Player(player) => direct::room(link, &player.id).await?,
    };
    let answers = match &post.to {
        Recipient::Room => post.answers.as_deref(),
        Recipient::Player(_) => None,
    };
    let mut relation = relation(link, &room, answers).await?;
    relation.out_of = name_of(link, post, &room);
    if let What::Withdraw(earlier) = &post.what {
        if let Some(id) = earlier.id.as_ref().filter(|_| post.board) {
            pins::take_away(link, &room, id).await;
        }
        return withdraw(link, &room, &relation, earlier, &post.key).await.map(|()| None);
    }
    if before == SaidBefore::Perhaps
        && let Some(said) = find(link, &room, &relation, &post.key).await?
    {
        return Ok(Some(said));
    }
    if let What::Correct(earlier) = &post.what {
        relation.replaces = match &earlier.id {
            Some(id) => Some(id.clone()),
            None => find(link, &room, &relation, &earlier.key).await?.map(|id| id.to_string()),
        };
    }
    let (fits, rest) = format::fitting(post, &relation);
    if !rest.is_empty() {
        let rest = Event::Rest { room: post.room.clone(), to: post.to.clone(), blocks: rest };
        let wrong = |error: chat::DeskError| Trouble::Passing { wait: None, why: error.to_string() };
        link.accept(Delivery::from(rest)).await.map_err(wrong)?;
    }
    let said = match say_related(link, &room, &fits, &relation, &format::name(&post.key)).await {
        Err(Trouble::Refused(why)) if relation.is_to_something() => {
            tracing::warn!(network = link.network, room = %room.room_id(), why, "an answer is said apart from its command");
            let alone = Relation { out_of: relation.out_of, ..Relation::default() };
            if before == SaidBefore::Perhaps
                && let Some(said) = find(link, &room, &alone, &post.key).await?
            {
                return Ok(Some(said));
            }
            say_related(link, &room, &fits, &alone, &format!("{}-alone", format::name(&post.key))).await?
        }
        said => said?,
    };
    if relation.replaces.is_none() {
        taps::set(link, &room, &fits, &said);
    }
    Ok(Some(said))
}

/// The room for a post to everybody. A post for only one of them is not said if others have joined since.
async fn said_in(link: &Link, post: &Post) -> Result<Room, Trouble> {
    let room = room_of(link, &post.room.id)?;
    match &post.only_for {
        Some(player) if post.withdraws().is_none() && !is_private(link, &room, player).await => {
            Err(Trouble::Refused("it is no private chat any more".to_owned()))
        }
        _ => Ok(room),
    }
}

/// Says a post with this relation, under a transaction id.
async fn say_related(
    link: &Link,
    room: &Room,
    post: &Post,
    relation: &Relation,
    transaction: &str,
) -> Result<OwnedEventId, Trouble> {
    let whole = whole(link, room, post, relation, transaction).await?;
    let said = send(room, &whole, transaction).await?;
    if relation.replaces.is_none() {
        let step = Step { thread: relation.thread.clone(), ..Step::default() };
        link.trail.remember(said.as_str(), step);
    }
    Ok(said)
}

/// A post that tells somebody in a room that there is something for them which cannot be said there.
async fn unreached(link: &Link, post: &Post, player: &PlayerId) -> Post {
    let me = link.client.user_id().map(ToString::to_string).unwrap_or_default();
    let words = format!(
        "I have something for you alone, but I cannot open a private chat with you. Please allow invitations from {me}, \
         then ask me again."
    );
    let key = format!("{}/unreached", post.key);
    let blocks = vec![Block::Line(vec![Span::Text(words)])];
    let addressee = match (room_of(link, &post.room.id), UserId::parse(&player.id)) {
        (Ok(room), Ok(user)) => Some(standing::name(&room, &user).await),
        _ => None,
    };
    Post { addressee, calls: BTreeSet::from([player.clone()]), ..Post::new(key, post.room.clone(), blocks) }
}

/// Redacts one of our posts, if it was said. Doing it twice does no harm.
async fn withdraw(link: &Link, room: &Room, relation: &Relation, earlier: &Earlier, key: &str) -> Result<(), Trouble> {
    let known = earlier.id.as_ref().and_then(|id| EventId::parse(id.as_str()).ok());
    let said = match known {
        Some(id) => Some(id),
        None => find(link, room, relation, &earlier.key).await?,
    };
    let Some(said) = said else { return Ok(()) };
    let transaction = OwnedTransactionId::from(format::name(key));
    let redacted = room.redact(&said, None, Some(transaction)).await;
    redacted.map(drop).map_err(|error| Trouble::of_http(&error))
}

/// The content of a post's event, after uploading its attachments. A chart is a picture, or else a list.
async fn whole(
    link: &Link,
    room: &Room,
    post: &Post,
    relation: &Relation,
    name: &str,
) -> Result<serde_json::Value, Trouble> {
    // An edit shows only text: not all clients can exchange a picture.
    if relation.replaces.is_some() {
        return Ok(format::content(post, relation, Charts::Listed));
    }
    let pictures = media::pictures(post, link.settings.pictures);
    if !pictures.is_empty() {
        let mut content = format::content(post, relation, Charts::Pictured);
        match media::attach(link, room, post, &pictures, name, &mut content).await {
            Err(Trouble::Passing { why, .. } | Trouble::Refused(why)) => {
                tracing::warn!(why, "a picture cannot be shown: it is said in words");
            }
            done => return done,
        }
    }
    media::attach(link, room, post, &[], name, &mut format::content(post, relation, Charts::Listed)).await
}

/// Sends a message under a transaction id; sending it twice makes one event.
pub(crate) async fn send(room: &Room, content: &serde_json::Value, name: &str) -> Result<OwnedEventId, Trouble> {
    // An unknown encryption will never work, so there is nothing to wait for.
    if room.encryption_settings().and_then(|set| set.algorithm).is_some_and(|how| how != MegolmV1AesSha2) {
        return Err(Trouble::Refused("the room is encrypted in a way that nobody knows".to_owned()));
    }
    let transaction = OwnedTransactionId::from(name);
    let sent = room.send_raw("m.room.message", content.clone()).with_transaction_id(&transaction).await;
    match sent {
        Ok(sent) => Ok(sent.response.event_id),
        Err(error) => Err(Trouble::of(&error)),
    }
}

/// A room that the bot is in.
pub(crate) fn room_of(link: &Link, id: &str) -> Result<Room, Trouble> {
    let room = matrix_sdk::ruma::RoomId::parse(id).ok().and_then(|id| link.client.get_room(&id));
    match room {
        Some(room) if room.state() == matrix_sdk::RoomState::Joined => Ok(room),
        _ => Err(Trouble::Refused("the bot is not in the room".to_owned())),
    }
}

/// The name of the room that a post concerns, if it is said in another.
fn name_of(link: &Link, post: &Post, said_in: &Room) -> Option<String> {
    let id = matrix_sdk::ruma::RoomId::parse(&post.room.id).ok().filter(|id| id != said_in.room_id())?;
    let room = link.client.get_room(&id)?;
    let alias = || room.canonical_alias().map(|alias| alias.to_string());
    room.name().or_else(alias).map(|name| standing::shown(&name))
}
