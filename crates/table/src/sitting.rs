//! Plays events one after the other, without networks and tasks: for tests, session files and tools.

use crate::host::Host;
use crate::outcome::Heard;
use crate::table::Table;
use chat::{Edits, Event, Guarantees, Repeated, Unaccepted};
use journal::keys::TableId;
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

    /// Plays an event; its posts count as said. Not for async code.
    ///
    /// # Errors
    /// The store failed; nothing happened.
    pub fn play(&mut self, event: &Event) -> Result<Heard, StoreError> {
        let Some(event) = self.host.directed(event.clone())? else { return Ok(Heard::default()) };
        let id = self.host.table_of(event.room())?;
        let heard = self.try_play(&id, &event);
        if heard.is_err() {
            self.tables.remove(&id);
        }
        heard
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
        Ok(())
    }

    fn try_play(&mut self, id: &TableId, event: &Event) -> Result<Heard, StoreError> {
        let host = &*self.host;
        let mut table = match self.tables.remove(id) {
            Some(table) => table,
            None => Table::open(host, id.clone())?,
        };
        let event = &*host.agreed(event)?;
        let lines = table.lines(host, event)?;
        if let Some(batch) = table.lay(host, event, &lines, NETWORK) {
            host.committer().commit(Some(table.lane()), batch)?;
        }
        let heard = table.hear(host, event, &lines, NETWORK)?;
        let mut said = Batch::default();
        heard.posts.iter().for_each(|outgoing| said.delete(outgoing.key.clone()));
        let mut batch = heard.batch.clone();
        batch.append(said);
        host.committer().commit(Some(table.lane()), batch)?;
        table.confirm(heard.reserved);
        self.tables.insert(id.clone(), table);
        Ok(heard)
    }
}
