//! Plays events one after the other, without networks and tasks: for tests, session files and tools.

use crate::orders::{self, Ordered};
use crate::table::Table;
use chat::{Edits, Event, Guarantees, Message, Repeated, Unaccepted};
use host::Host;
use host::outcome::Heard;
use host::outgoing::Outgoing;
use jiff::Timestamp;
use journal::documents::{DueDoc, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Messages may come again, and be edited.
const NETWORK: Guarantees =
    Guarantees { unaccepted: Unaccepted::ComeAgain, repeated: Repeated::Once, edits: Edits::Shown };

/// A bot that plays one event at a time, each durable before the next.
pub struct Sitting {
    host: Arc<Host>,
    tables: BTreeMap<TableId, Table>,
}

impl Sitting {
    /// A sitting where nobody has said anything yet.
    pub fn new(host: Arc<Host>) -> Self {
        Sitting { host, tables: BTreeMap::new() }
    }

    /// Goes on with other settings or plugins of the same bot.
    pub fn go_on_with(&mut self, host: Arc<Host>) {
        self.host = host;
    }

    /// Plays an event; its posts count as said. Not for async code.
    ///
    /// # Errors
    /// The store failed; nothing happened.
    pub fn play(&mut self, event: &Event) -> Result<Heard, StoreError> {
        let Some(event) = self.host.directed(event.clone())? else { return Ok(Heard::default()) };
        let id = self.host.table_for(&event)?;
        let heard = self.play_in_turn(&id, &event);
        if heard.is_err() {
            self.tables.remove(&id);
        }
        heard
    }

    /// Plays an event after what was due before it, and before what begins with it.
    fn play_in_turn(&mut self, id: &TableId, event: &Event) -> Result<Heard, StoreError> {
        let now = event.message().map(Message::heard_at);
        let mut before = Vec::new();
        if let Some(message) = event.message() {
            self.carry_out(id, (message.sent, message.heard_at()), |_, _| true, &mut before)?;
        }
        let mut heard = self.try_play(id, event, None)?;
        if let Some(now) = now {
            let begun = |number: u64, due: &DueDoc| due.cause != number;
            while self.carry_out(id, (now, now), begun, &mut heard.posts)? {}
        }
        heard.posts.splice(0..0, before);
        Ok(heard)
    }

    /// Carries out the orders among these that are due by a time, now. Returns true if there were any.
    fn carry_out(
        &mut self,
        id: &TableId,
        (by, now): (Timestamp, Timestamp),
        among: impl Fn(u64, &DueDoc) -> bool,
        posts: &mut Vec<Outgoing>,
    ) -> Result<bool, StoreError> {
        let mut any = false;
        for (number, due) in orders::due(&self.host, id, by)? {
            if !among(number, &due) {
                continue;
            }
            let (mut table, key) = (self.table(id)?, keys::due(id, number));
            let ordered = table.ordered(&self.host, (number, &due), now)?;
            self.tables.insert(id.clone(), table);
            any |= !matches!(ordered, Ordered::Later | Ordered::After(_));
            match ordered {
                Ordered::Now(event) => posts.extend(self.try_play(id, &event, Some(key))?.posts),
                Ordered::Later => {}
                Ordered::After(at) => {
                    let mut batch = Batch::default();
                    batch.put(key, to_json(&DueDoc { at, ..due }));
                    self.host.committer().commit(None, batch)?;
                }
                Ordered::Never => {
                    let mut batch = Batch::default();
                    batch.delete(key);
                    self.host.committer().commit(None, batch)?;
                }
            }
        }
        Ok(any)
    }

    /// The table, open.
    fn table(&mut self, id: &TableId) -> Result<Table, StoreError> {
        self.tables.remove(id).map_or_else(|| Table::open(&self.host, id.clone()), Ok)
    }

    /// Unloads all tables in order, so that only the store knows what they hold. Not for async code.
    ///
    /// # Errors
    /// The store failed.
    pub fn put_away(&mut self) -> Result<(), StoreError> {
        for table in std::mem::take(&mut self.tables).into_values() {
            if let Some(batch) = table.close() {
                self.host.committer().commit(Some(table.lane()), batch)?;
            }
        }
        self.host.committer().forget();
        Ok(())
    }

    /// Plays an event, for which the record with the key `waiting` stands.
    fn try_play(&mut self, id: &TableId, event: &Event, waiting: Option<String>) -> Result<Heard, StoreError> {
        let mut table = self.table(id)?;
        let host = &*table.plays_with(&self.host)?;
        let event = &*host.agreed(event)?;
        let lines = table.lines(host, event)?;
        if let Some(batch) = table.lay(host, event, &lines, NETWORK) {
            host.committer().commit(Some(table.lane()), batch)?;
        }
        let heard = table.hear(host, event, &lines, NETWORK)?;
        let mut said = Batch::default();
        heard.posts.iter().for_each(|outgoing| said.delete(outgoing.key.clone()));
        let left = |key: &String| matches!(heard.batch.get(key), Some(Some(_)));
        waiting.into_iter().filter(|key| !left(key)).for_each(|key| said.delete(key));
        let mut batch = heard.batch.clone();
        batch.append(said);
        host.committer().commit(Some(table.lane()), batch)?;
        table.confirm(heard.reserved);
        self.tables.insert(id.clone(), table);
        Ok(heard)
    }
}
