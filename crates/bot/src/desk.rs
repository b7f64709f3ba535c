//! Accepts what a network delivers and hands it to the queue of its table.

use crate::pace::Step;
use crate::serve::Running;
use async_trait::async_trait;
use chat::{Delivery, Desk, DeskError, Event, Message, RoomId, Speaker, Standing, Unaccepted};
use journal::documents::{Head, InboxRow, RoomDoc, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Condition, StoreError};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The core as one network sees it.
pub(crate) struct NetworkDesk {
    pub running: Arc<Running>,
    pub network: String,
    pub unaccepted: Unaccepted,
    /// Events that a write in doubt may have accepted.
    pub doubted: Mutex<Vec<Accepted>>,
}

/// An accepted event, the table it is played at, and the key of its row among the waiting events.
pub(crate) type Accepted = (Event, TableId, Option<String>);

impl NetworkDesk {
    /// Accepts a delivery. Returns its events with the tables where they are played.
    async fn take(&self, delivery: Delivery) -> Result<Vec<Accepted>, StoreError> {
        let bot = &self.running.bot;
        let heard = delivery.events.into_iter().filter(|event| !bot.host().passes_over(event));
        let directed = self.directed(heard.collect())?.into_iter();
        let seated = directed.map(|event| self.replaces_nothing_played(event));
        let events = self.placed(seated.collect::<Result<_, _>>()?)?;
        if self.unaccepted == Unaccepted::ComeAgain {
            return self.accept_durably(events, delivery.notes).await;
        }
        let mut batch = Batch::default();
        self.note_all(&mut batch, delivery.notes);
        self.note_company(events.iter().map(|(event, _)| event), &mut batch)?;
        for (event, _) in &events {
            if let Event::Moved { from, to } = event {
                self.seat(from, to, &mut batch)?;
            }
        }
        self.commit(batch).await?;
        Ok(events.into_iter().map(|(event, table)| (event, table, None)).collect())
    }

    /// For a network that redelivers: writes rows for the new events and the notes, in one transaction.
    async fn accept_durably(
        &self,
        events: Vec<(Event, TableId)>,
        notes: BTreeMap<String, Option<String>>,
    ) -> Result<Vec<Accepted>, StoreError> {
        let host = self.running.host();
        let committer = host.committer();
        let mut batch = Batch::default();
        let mut fresh = Vec::new();
        let mut rows = BTreeSet::new();
        for (event, table) in events {
            match &event {
                Event::Said(message) | Event::Edited { message, .. } | Event::Redacted { message, .. } => {
                    let row = keys::inbox(message.said_in(), &message.id);
                    if !rows.insert(row.clone()) || committer.read(&row)?.is_some() {
                        continue;
                    }
                    batch.put(row, to_json(&InboxRow::Waiting));
                }
                Event::Moved { from, to } => self.seat(from, to, &mut batch)?,
                _ => {
                    fresh.push((event, table, None));
                    continue;
                }
            }
            let waiting = keys::waiting(&self.network, self.running.host().next_number());
            batch.put(waiting.clone(), to_json(&event));
            fresh.push((event, table, Some(waiting)));
        }
        self.note_all(&mut batch, notes);
        self.note_company(fresh.iter().map(|(event, ..)| event), &mut batch)?;
        let written = self.commit(batch).await;
        if let Err(StoreError::InDoubt(_)) = &written {
            self.doubted().extend(fresh.iter().filter(|(.., waiting)| waiting.is_some()).cloned());
        }
        written.map(|()| fresh)
    }

    /// Queues the events that a write in doubt did accept. They will be redelivered, but skipped because their rows
    /// exist, and nothing said later may overtake them.
    fn settle_doubts(&self) -> Result<(), StoreError> {
        let host = self.running.host();
        let committer = host.committer();
        let mut accepted = Vec::new();
        for (event, table, waiting) in self.doubted().iter() {
            if waiting.as_ref().map(|key| committer.read(key)).transpose()?.flatten().is_some() {
                accepted.push((event.clone(), table.clone(), waiting.clone()));
            }
        }
        self.doubted().clear();
        accepted.into_iter().try_for_each(|accepted| self.hand_on(accepted))
    }

    fn doubted(&self) -> MutexGuard<'_, Vec<Accepted>> {
        self.doubted.lock().expect("nothing panics holding it")
    }

    /// Sends an accepted event to the place where it is played.
    fn hand_on(&self, (event, table, waiting): Accepted) -> Result<(), StoreError> {
        if self.running.obeys(&event, &waiting)?.is_some() {
            return Ok(());
        }
        self.running.clone().enqueue(table, event, waiting)
    }

    /// Seats a room at the table of the room it replaces, and seats the old room at a new table. This happens at once,
    /// so whatever is said next in either room is played at the right table. People still in the old room no longer
    /// have a say at its former table.
    fn seat(&self, from: &RoomId, to: &RoomId, batch: &mut Batch) -> Result<(), StoreError> {
        let host = self.running.host();
        let head = keys::head(&host.table_of(to)?);
        // The tables of both rooms may write meanwhile: nothing of that is lost, and what is played first counts.
        for key in [keys::room(from), keys::room(to), head.clone()] {
            let found = host.committer().read(&key)?;
            batch.rely_on(Condition::Value(key, found));
        }
        if host.read_doc::<Head>(&head)?.is_some_and(|head| head.number > 0) {
            return Err(StoreError::Overtaken);
        }
        let moved = RoomDoc { touched: Default::default(), ..host.room_doc(from)? };
        let left = RoomDoc { table: TableId::left_behind(from), guest: false, ..moved.clone() };
        batch.put(keys::room(from), to_json(&left));
        batch.put(keys::seated(&left.table, from), to_json(&true));
        batch.delete(keys::seated(&moved.table, from));
        batch.put(keys::seated(&moved.table, to), to_json(&true));
        batch.put(keys::room(to), to_json(&moved));
        batch.put(keys::greeted(to), to_json(&true));
        Ok(())
    }

    /// Directs the events to the rooms they are played in. A message redacted in the same delivery has no row yet, so
    /// its redaction is played after it, in the same place.
    fn directed(&self, events: Vec<Event>) -> Result<Vec<Event>, StoreError> {
        let mut directed: Vec<Event> = Vec::new();
        for event in events {
            let Event::Redacted { message, of } = &event else {
                directed.extend(self.running.host().directed(event)?);
                continue;
            };
            // One that comes again with its redaction went where it was directed when it came first.
            let comes_again = self.running.host().read_doc::<InboxRow>(&keys::inbox(&message.room, of))?.is_some();
            let mut before = directed.iter().filter_map(Event::message).filter(|_| !comes_again);
            match before.find(|said| said.id == *of && *said.said_in() == message.room).map(|said| said.room.clone()) {
                Some(room) if room == message.room => directed.push(event),
                Some(room) => {
                    let aside = Some(message.room.clone());
                    let speaker = Speaker { standing: Standing::Member, ..message.speaker.clone() };
                    let message = Message { room, aside, private: false, speaker, ..message.clone() };
                    directed.push(Event::Redacted { message, of: of.clone() });
                }
                None => directed.extend(self.running.host().directed(event)?),
            }
        }
        Ok(directed)
    }

    /// Lets a room replace another, unless something was already played in it: then the people there keep their own
    /// table, and the bot merely arrives.
    fn replaces_nothing_played(&self, event: Event) -> Result<Event, StoreError> {
        let Event::Moved { to, .. } = &event else { return Ok(event) };
        let bot = &self.running.bot;
        let head: Option<Head> = bot.host().read_doc(&keys::head(&bot.host().table_of(to)?))?;
        if head.is_none_or(|head| head.number == 0) {
            return Ok(event);
        }
        tracing::warn!(room = %to, "a room that is to go on for another one has a table of its own, and keeps it");
        Ok(Event::Arrived { room: to.clone() })
    }

    /// Finds the table for each event. What was said before a room was replaced is played at the table it had then.
    fn placed(&self, events: Vec<Event>) -> Result<Vec<(Event, TableId)>, StoreError> {
        let mut seated: BTreeMap<RoomId, TableId> = BTreeMap::new();
        let mut placed = Vec::new();
        for event in events {
            let known = seated.get(event.room()).cloned();
            let table = known.map_or_else(|| self.running.host().table_of(event.room()), Ok)?;
            if let Event::Moved { from, to } = &event {
                seated.insert(to.clone(), table.clone());
                seated.insert(from.clone(), TableId::left_behind(from));
            }
            placed.push((event, table));
        }
        Ok(placed)
    }

    fn note_all(&self, batch: &mut Batch, notes: BTreeMap<String, Option<String>>) {
        for (name, note) in notes {
            let key = keys::note(&self.network, &name);
            match note {
                Some(note) => batch.put(key, to_json(&note)),
                None => batch.delete(key),
            }
        }
    }

    /// Where somebody speaks the bot is not alone, whatever the network's list of members says.
    fn note_company<'a>(&self, events: impl Iterator<Item = &'a Event>, batch: &mut Batch) -> Result<(), StoreError> {
        let spoken = events.filter_map(|event| match event {
            Event::Said(message) => Some(message.said_in()),
            _ => None,
        });
        for room in spoken.collect::<BTreeSet<_>>() {
            let key = keys::alone(room);
            if self.running.host().committer().read(&key)?.is_some() {
                batch.delete(key);
            }
        }
        Ok(())
    }

    async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return Ok(());
        }
        let stopped = || StoreError::Unavailable("the bot is stopping".to_owned());
        self.running.host().committer().submit(None, batch).await.map_err(|_| stopped())?
    }
}

#[async_trait]
impl Desk for NetworkDesk {
    async fn accept(&self, mut delivery: Delivery) -> Result<(), DeskError> {
        let bot = &self.running.bot;
        bot.at(Step::Delivered).await;
        self.settle_doubts().map_err(failed)?;
        // Stamped before anything is durable, so a message played again later still counts as heard at this time.
        let now = Some(bot.host().now());
        delivery.events.iter_mut().filter_map(Event::message_mut).for_each(|message| message.heard = now);
        // Only what seats a room relies on anything.
        let seats = delivery.events.iter().any(|event| matches!(event, Event::Moved { .. }));
        let again = seats.then(|| delivery.clone());
        let mut taken = self.take(delivery).await;
        while let (Err(StoreError::Overtaken), Some(delivery)) = (&taken, &again) {
            taken = self.take(delivery.clone()).await;
        }
        let fresh = taken.map_err(failed)?;
        bot.at(Step::Accepted).await;
        fresh.into_iter().try_for_each(|accepted| self.hand_on(accepted)).map_err(failed)
    }

    async fn settle(&self) {
        self.running.settle(&self.network).await;
    }

    fn note(&self, key: &str) -> Result<Option<String>, DeskError> {
        let key = keys::note(&self.network, key);
        let stored = self.running.host().committer().read(&key).map_err(failed)?;
        stored.map(|bytes| journal::documents::from_json(&key, &bytes)).transpose().map_err(failed)
    }
}

fn failed(error: StoreError) -> DeskError {
    DeskError(error.to_string())
}
