//! What an earlier run left: posts not said, and accepted events not played.
//!
//! After an orderly end, all these events go to their tables at once. After any other end, one of them may be what
//! ended the bot. So they are played one at a time, each noted on the disk first. An event that was playing alone at
//! two such ends is answered and skipped.

use super::queue::Queued;
use super::send::forgetting;
use super::{Busy, Running};
use crate::bot::Bot;
use chat::{Block, Event, Message, Post, RoomId, Span, Transport};
use journal::Ahead;
use journal::digest;
use journal::documents::{Head, InboxRow, from_json, to_json};
use journal::keys::{self, SORRY, TableId};
use journal::store::{Batch, StoreError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Heard, Outgoing, Quotes};
use tokio::sync::oneshot;

/// The bot may end this many times while the same event plays alone.
const MOST_ENDS: u32 = 2;

/// An event that is being played alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Suspect {
    /// The key of its record among the waiting events.
    waiting: String,
    /// How many times it was played alone.
    times: u32,
}

/// How an earlier run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// In order, or there was none.
    Orderly,
    /// In any other way.
    Sudden,
}

/// Notes that a run begins and returns how the previous one ended.
pub(super) async fn begin(bot: &Bot) -> Result<End, StoreError> {
    let sudden = bot.host().committer().read(keys::RUNNING_KEY)?.is_some();
    let mut batch = Batch::default();
    batch.put(keys::RUNNING_KEY, to_json(&true));
    if let Err(error) = commit(bot, batch).await {
        tracing::warn!(%error, "it cannot be noted that the bot runs; it goes on all the same");
    }
    Ok(if sudden { End::Sudden } else { End::Orderly })
}

/// The batch that notes an orderly end.
pub(super) fn ended() -> Batch {
    let mut batch = Batch::default();
    batch.delete(keys::RUNNING_KEY);
    batch
}

/// Posts of a network that an earlier run may not have said, in order. Of those that a crash kept from forgetting what was
/// erased, the words are forgotten now.
pub(super) async fn unsaid(bot: &Bot, transport: &dyn Transport) -> Result<Vec<Outgoing>, StoreError> {
    let posts = readable::<Outgoing>(bot, &keys::outbox_of(transport.network()))?;
    let mut posts: Vec<Outgoing> = posts.into_iter().map(|(_, outgoing)| outgoing).collect();
    let mut tables: BTreeMap<TableId, u64> = BTreeMap::new();
    for Quotes { table, before, .. } in posts.iter().filter_map(Outgoing::quotes) {
        let first = tables.entry(table).or_insert(before);
        *first = (*first).min(before);
    }
    let mut batch = Batch::default();
    for (table, before) in tables {
        let mut since = |by: u64, erased: &[u64]| {
            let forgets = |outgoing: &mut Outgoing| {
                outgoing.quotes().is_some_and(|quotes| quotes.before < by) && outgoing.forget(&table, erased)
            };
            batch.append(forgetting(posts.iter_mut(), forgets));
        };
        if let Err(error) = erased_since(bot, &table, before, &mut since) {
            tracing::error!(%table, %error, "answers that wait may hold words that were erased");
        }
    }
    if let Err(error) = commit(bot, batch).await {
        tracing::warn!(%error, "the store holds words of answers that wait, though they were erased");
    }
    Ok(posts)
}

/// Tells of each entry behind this one that erased words, with the entries whose words those were.
fn erased_since(bot: &Bot, table: &TableId, before: u64, tell: &mut dyn FnMut(u64, &[u64])) -> Result<(), StoreError> {
    let host = bot.host();
    let head: Option<Head> = host.read_doc(&keys::head(table))?;
    let (mut number, mut ahead) = (head.map_or(0, |head| head.number), Ahead::default());
    while number > before {
        if let Some(page) = ahead.page(table, number, |keys| host.committer().read_many(keys))? {
            tell(number, &page.entry.erases);
        }
        number -= 1;
    }
    Ok(())
}

/// Reads the records under `prefix`. An unreadable one is logged and left in place; it must not stop the others.
fn readable<T: DeserializeOwned>(bot: &Bot, prefix: &str) -> Result<Vec<(String, T)>, StoreError> {
    let mut found = Vec::new();
    for record in bot.host().committer().stored(prefix) {
        let (key, value) = record?;
        match from_json(&key, &value) {
            Ok(value) => found.push((key, value)),
            Err(error) => tracing::error!(%error, "left from an earlier run, and passed over"),
        }
    }
    Ok(found)
}

impl Running {
    /// Plays the events that were accepted but not played.
    pub(super) async fn play_left(self: &Arc<Self>, end: End) -> Result<(), StoreError> {
        for network in self.names() {
            self.play_left_of(&network, end).await?;
        }
        let mut batch = Batch::default();
        batch.delete(keys::SUSPECT_KEY);
        // If this fails, the old note does no harm: its event no longer waits.
        if end == End::Sudden
            && let Err(error) = commit(&self.bot, batch).await
        {
            tracing::warn!(%error, "it cannot be noted that all that waited was played");
        }
        Ok(())
    }

    async fn play_left_of(self: &Arc<Self>, network: &str, end: End) -> Result<(), StoreError> {
        let waiting = readable(&self.bot, &keys::waiting_of(network))?;
        let tables = tables_of(&self.bot, &waiting)?;
        for ((waiting, mut event), table) in waiting.into_iter().zip(tables) {
            if let Event::Said(message) | Event::Edited { message, .. } = &mut event {
                message.late = true;
            }
            match end {
                End::Sudden => self.play_alone(table, event, waiting).await?,
                End::Orderly if self.obeys(&event, &Some(waiting.clone()))?.is_some() => {}
                End::Orderly => self.clone().enqueue(table, event, Some(waiting))?,
            }
        }
        Ok(())
    }

    /// Plays an event while nothing else is playing, unless it ended the bot too often.
    async fn play_alone(self: &Arc<Self>, table: TableId, event: Event, waiting: String) -> Result<(), StoreError> {
        let suspect: Option<Suspect> = self.host().read_doc(keys::SUSPECT_KEY)?;
        let times = suspect.filter(|suspect| suspect.waiting == waiting).map_or(0, |suspect| suspect.times);
        if times >= MOST_ENDS {
            return self.pass_over(&event, waiting).await;
        }
        let mut batch = Batch::default();
        batch.put(keys::SUSPECT_KEY, to_json(&Suspect { waiting: waiting.clone(), times: times + 1 }));
        if commit(&self.bot, batch).await.is_err() {
            // Its table plays it as soon as the disk has room, and reports it then.
            return self.clone().enqueue(table, event, Some(waiting));
        }
        if let Some(obeyed) = self.obeys(&event, &Some(waiting.clone()))? {
            // If it panics, that is logged where it happens.
            let _ = obeyed.await;
        } else if let Some(side) = self.side(super::queue::said_on(&event)) {
            let (done, played) = oneshot::channel();
            let busy = Busy::new(&side.work);
            let mut queued = Queued::new(event, Some(waiting), busy);
            queued.done = Some(done);
            self.clone().queue(table, queued)?;
            // If the worker panicked, nothing was answered: the event waits for the next start.
            let _ = played.await;
        }
        Ok(())
    }

    /// Answers an event that is no longer played because the bot did not survive it.
    async fn pass_over(&self, event: &Event, waiting: String) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        batch.delete(waiting.clone());
        let id = digest(waiting.as_bytes())[..8].to_owned();
        let (Event::Said(message) | Event::Edited { message, .. } | Event::Redacted { message, .. }) = event else {
            tracing::error!(room = %event.room(), id, "the bot ended twice while it took note of an event: passed over");
            return commit(&self.bot, batch).await;
        };
        let (room, message_id) = (message.said_in(), &message.id);
        tracing::error!(%room, message_id, id, "the bot ended twice while it played a message: passed over");
        let row = keys::inbox(room, message_id);
        batch.put(row, to_json(&passed_over(message)));
        let text = format!("That crashed me twice, so I did not play it. Please give the operator error id {id}.");
        self.say_durably(batch, sorry(message, &text), self.host().next_number()).await
    }
}

/// Finds the table for each event. What was said before a room was replaced is played at the table it had then.
fn tables_of(bot: &Bot, waiting: &[(String, Event)]) -> Result<Vec<TableId>, StoreError> {
    let mut before: BTreeMap<&RoomId, TableId> = BTreeMap::new();
    let mut tables = Vec::new();
    for (_, event) in waiting.iter().rev() {
        let table_of = |room: &RoomId| before.get(room).cloned().map_or_else(|| bot.host().table_of(room), Ok);
        if let Event::Moved { from, to } = event {
            let table = table_of(to)?;
            before.insert(from, table);
        }
        let table = before.get(event.room()).cloned().map_or_else(|| bot.host().table_of(event.room()), Ok)?;
        tables.push(table);
    }
    tables.reverse();
    Ok(tables)
}

/// The result of an event that made the core panic: an answer, and a note that it was heard if it was durably
/// `accepted`.
pub(super) fn stumbled(bot: &Bot, event: &Event, accepted: bool) -> Heard {
    let mut heard = Heard::default();
    let (Event::Said(message) | Event::Edited { message, .. } | Event::Redacted { message, .. }) = event else {
        tracing::error!(room = %event.room(), "the bot panicked while it took note of an event; the table is as it was");
        return heard;
    };
    let (room, message_id) = (message.said_in(), &message.id);
    let row = keys::inbox(room, message_id);
    let id = digest(row.as_bytes())[..8].to_owned();
    tracing::error!(%room, message_id, id, "the bot panicked while it played a message; the table is as it was");
    if accepted {
        heard.batch.put(row, to_json(&passed_over(message)));
    }
    let post =
        sorry(message, &format!("Sorry, that hit a bug and nothing changed: please give the operator error id {id}."));
    heard.say(Outgoing::new(post, bot.host().next_number()));
    heard
}

/// The answer to a message that was not played. A different text is a different post, because a second text under the
/// same key would never be shown.
pub(super) fn sorry(message: &Message, text: &str) -> Post {
    let blocks = vec![Block::Line(vec![Span::Text(text.to_owned())])];
    let room = message.said_in().clone();
    Post {
        answers: Some(message.id.clone()),
        addressee: Some(message.speaker.name.clone()),
        refusal: true,
        ..Post::new(format!("{room}/{}/{SORRY}{}", message.id, &digest(text.as_bytes())[..8]), room, blocks)
    }
}

async fn commit(bot: &Bot, batch: Batch) -> Result<(), StoreError> {
    let stopped = |_| StoreError::Unavailable("the bot is stopping".to_owned());
    bot.host().committer().submit(None, batch).await.map_err(stopped)?
}

/// The stored outcome of a message that was not played; its sender may still correct it by an edit.
fn passed_over(message: &Message) -> InboxRow {
    InboxRow::Refused { lines: Vec::new(), by: Some(message.speaker.player.clone()) }
}
