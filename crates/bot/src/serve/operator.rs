//! The operator: commands from outside the rooms, commands from the owners' own rooms, and reports to them.

use super::send::ToSay;
use super::{Busy, Running};
use crate::bot::Bot;
use async_trait::async_trait;
use chat::{Block, Event, Message, PlayerId, Post, RoomId, Span, Speaker, Standing};
use jiff::Timestamp;
use journal::documents::{InboxRow, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::sync::Arc;
use std::time::Duration;
use table::{Outcome, Outgoing};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The word that begins an owner's command to the bot itself.
pub const WORD: &str = "ctl";
/// The operator's name in the journal, on each network.
const NAME: &str = "operator";

/// Carries out what owners ask of the bot itself in their own rooms.
#[async_trait]
pub trait Operator: Send + Sync {
    /// Obeys, and returns a report of the result. `prefix` begins commands there.
    ///
    /// # Errors
    /// The reason why it cannot.
    async fn obey(&self, words: &str, prefix: &str) -> Result<String, String>;
}

/// What to do with people whom the operator names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignoring {
    /// Stop answering them.
    Begin,
    /// Answer them again.
    End,
}

impl Bot {
    /// From now on `operator` carries out what owners ask.
    pub fn operated_by(&self, operator: Arc<dyn Operator>) {
        // If one is set already, it stays.
        let _ = self.operator.set(operator);
    }

    /// Plays a command at the table of a room with a room admin's rights, without showing the answer there. Returns the
    /// outcome of each line.
    ///
    /// # Errors
    /// The bot is not running, or the store cannot be written.
    pub async fn order(&self, room: &RoomId, typed: &str, sent: Timestamp) -> Result<Vec<Outcome>, StoreError> {
        self.order_at(self.host().table_of(room)?, room, typed, sent).await
    }

    /// The same for a table that need not have `room`: for tables that every room has left.
    ///
    /// # Errors
    /// As [`order`](Self::order).
    pub async fn order_at(
        &self,
        table: TableId,
        room: &RoomId,
        typed: &str,
        sent: Timestamp,
    ) -> Result<Vec<Outcome>, StoreError> {
        let player = PlayerId::new(&room.network, NAME);
        let speaker = Speaker { standing: Standing::Operator, ..Speaker::new(player, NAME) };
        let id = format!("order/{}", journal::hex(&self.host().with_entropy(|entropy| entropy.secret())[..8]));
        let message =
            Message { private: true, unlimited: true, ..Message::new(id, room.clone(), speaker, sent, typed) };
        let (done, played) = oneshot::channel();
        self.running()?.order(table, message, done)?;
        played.await.unwrap_or_else(|_| Err(stopping()))
    }

    /// Tells the operator something in each of the owners' rooms, and in the private chats in which owners give orders.
    pub async fn tell_operator(&self, text: &str) {
        let Ok(running) = self.running() else { return };
        let host = self.host();
        let settings = host.settings();
        let chat = |owner: &PlayerId| {
            let room: Option<RoomId> = host.read_doc(&keys::owners_chat(owner)).ok()?;
            Some((room?, Some(owner.clone())))
        };
        let rooms = settings.admin_rooms.iter().map(|room| (room.clone(), None));
        for (room, only_for) in rooms.chain(settings.owners.iter().filter_map(chat)) {
            let number = host.next_number();
            let line = Block::Line(vec![Span::Text(text.to_owned())]);
            let post = Post { only_for, ..Post::new(format!("{room}/told/{number}"), room.clone(), vec![line]) };
            if running.say_durably(Batch::default(), post, number).await.is_err() {
                // The failure itself is in the log already; a warning here would be told to the operator, and so on.
                tracing::debug!(%room, "the operator cannot be told");
            }
        }
    }

    /// Stops answering people who match `pattern`, or answers them again. Returns true if that changed anything.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn ignore(&self, pattern: &str, change: Ignoring) -> Result<bool, StoreError> {
        let mut patterns = self.host().ignored_by_word();
        let changed = match change {
            Ignoring::Begin => patterns.insert(pattern.to_owned()),
            Ignoring::End => patterns.remove(pattern),
        };
        if changed {
            let mut batch = Batch::default();
            batch.put(keys::IGNORED_KEY, to_json(&patterns));
            self.host().committer().submit(None, batch).await.map_err(|_| stopping())??;
            self.host().ignore_by_word(patterns);
        }
        Ok(changed)
    }

    /// The number of a network's posts not said yet, according to the disk.
    pub fn unsaid(&self, network: &str) -> usize {
        self.host().committer().stored(&keys::outbox_of(network)).count()
    }

    /// For how long the oldest message of a network has waited for its answer, or the oldest answer to be said there.
    pub fn waits(&self, network: &str) -> Duration {
        let side = self.running().ok().and_then(|running| running.side(network));
        side.map_or(Duration::ZERO, |side| side.work.oldest())
    }

    /// Records whether the bot is alone in a room: since `now`, unless an earlier time is recorded, or not alone for
    /// `None`. Returns the time since when.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub async fn alone_since(&self, room: &RoomId, now: Option<Timestamp>) -> Result<Option<Timestamp>, StoreError> {
        let key = keys::alone(room);
        let known: Option<Timestamp> = self.host().read_doc(&key)?;
        let mut batch = Batch::default();
        match (known, now) {
            (None, Some(now)) => batch.put(key, to_json(&now)),
            (Some(_), None) => batch.delete(key),
            (known, _) => return Ok(known),
        }
        self.host().committer().submit(None, batch).await.map_err(|_| stopping())??;
        Ok(now)
    }

    pub(super) fn running(&self) -> Result<Arc<Running>, StoreError> {
        self.running.lock().expect("nothing panics holding it").upgrade().ok_or_else(stopping)
    }
}

impl Running {
    /// If the event is an owner's command to the bot itself, obeys it and returns the running task. Its record among
    /// the waiting events is removed with the answer.
    pub(crate) fn obeys(
        self: &Arc<Self>,
        event: &Event,
        waiting: &Option<String>,
    ) -> Result<Option<JoinHandle<()>>, StoreError> {
        let (Event::Said(message), Some(operator)) = (event, self.bot.operator.get()) else { return Ok(None) };
        let Some(words) = self.host().asked_of_the_bot(message, WORD)? else { return Ok(None) };
        let Some(side) = self.side(&message.room.network) else { return Ok(None) };
        let busy = Busy::new(&side.work);
        let prefix = self.host().prefix_of(&message.room)?;
        let (running, operator, message, waiting) = (self.clone(), operator.clone(), message.clone(), waiting.clone());
        Ok(Some(tokio::spawn(async move {
            let obeyed = operator.obey(&words, &prefix).await;
            if let Err(error) = running.answer(&message, waiting, obeyed).await {
                tracing::error!(%error, "an owner was not answered");
            }
            drop(busy);
        })))
    }

    async fn answer(
        &self,
        message: &Message,
        waiting: Option<String>,
        obeyed: Result<String, String>,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        if let Some(waiting) = waiting {
            batch.delete(waiting);
            let row = keys::inbox(message.said_in(), &message.id);
            batch.put(row, to_json(&InboxRow::Refused { lines: Vec::new(), by: None }));
        }
        if message.private {
            batch.put(keys::owners_chat(&message.speaker.player), to_json(&message.room));
        }
        let refusal = obeyed.is_err();
        let (Ok(text) | Err(text)) = obeyed;
        let line = |line: &str| Block::Line(vec![Span::Text(line.to_owned())]);
        let post = Post {
            answers: Some(message.id.clone()),
            addressee: Some(message.speaker.name.clone()),
            refusal,
            more: format!("{}more", self.host().prefix_of(&message.room)?),
            ..Post::new(
                format!("{}/{}/ctl", message.room, message.id),
                message.room.clone(),
                text.lines().map(line).collect(),
            )
        };
        self.say_durably(batch, post, self.host().next_number()).await
    }

    /// Says a post after storing it.
    pub(super) async fn say_durably(&self, mut batch: Batch, post: Post, number: u64) -> Result<(), StoreError> {
        let Some(side) = self.side(&post.room.network) else { return Ok(()) };
        let outgoing = Outgoing::new(post, number);
        batch.put(outgoing.key.clone(), to_json(&outgoing));
        self.host().committer().submit(None, batch).await.map_err(|_| stopping())??;
        side.outgoing.send(ToSay::Post(Box::new(outgoing), Busy::new(&side.work))).map_err(|_| stopping())
    }
}

fn stopping() -> StoreError {
    StoreError::Unavailable("the bot is not running".to_owned())
}
