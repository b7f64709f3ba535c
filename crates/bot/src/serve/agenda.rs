//! When the orders of the tables are due: what their records on the disk say, in memory.

use jiff::Timestamp;
use journal::documents::{DueDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::collections::BTreeSet;
use std::sync::Mutex;
use tokio::sync::Notify;

/// When something is due, at which table, and on which network it is carried out.
type Entry = (Timestamp, TableId, String);

/// All that is due some time.
#[derive(Default)]
pub struct Agenda {
    entries: Mutex<BTreeSet<Entry>>,
    /// Tables with orders that are due and whose players are not heard.
    waiting: Mutex<BTreeSet<TableId>>,
    /// Networks that are ready.
    ready: Mutex<BTreeSet<String>>,
    changed: Notify,
}

impl Agenda {
    /// Adds what is due, and returns true if it is anything.
    pub fn add(&self, due: Vec<Entry>) -> bool {
        let any = !due.is_empty();
        if any {
            self.entries.lock().expect("nothing panics holding it").extend(due);
            self.changed.notify_one();
        }
        any
    }

    /// True if something of the table is due at this time.
    pub fn is_due(&self, table: &TableId, now: Timestamp) -> bool {
        let entries = self.entries.lock().expect("nothing panics holding it");
        entries.iter().take_while(|(at, ..)| *at <= now).any(|(_, other, _)| other == table)
    }

    /// Notes that what was due at a table by this time was taken up.
    pub fn taken_up(&self, table: &TableId, now: Timestamp) {
        let mut entries = self.entries.lock().expect("nothing panics holding it");
        entries.retain(|(at, other, _)| *at > now || other != table);
    }

    /// Notes that an order of a table waits until its player is heard.
    pub fn waits(&self, table: &TableId) {
        self.waiting.lock().expect("nothing panics holding it").insert(table.clone());
    }

    /// True if orders of a table wait so; whoever asks looks at them.
    pub fn takes_up_waiting(&self, table: &TableId) -> bool {
        self.waiting.lock().expect("nothing panics holding it").remove(table)
    }

    /// Reads what earlier runs left for later.
    pub fn read(&self, stored: impl Iterator<Item = Result<(String, Vec<u8>), StoreError>>) -> Result<(), StoreError> {
        for record in stored {
            let (key, value) = record?;
            match entry(&key, &value) {
                Ok(entry) => self.entries.lock().expect("nothing panics holding it").extend(entry),
                Err(error) => tracing::error!(%error, "an order cannot be read, and is passed over"),
            }
        }
        Ok(())
    }

    /// Notes that orders can be carried out on a network.
    pub fn is_ready(&self, network: &str) {
        self.ready.lock().expect("nothing panics holding it").insert(network.to_owned());
        self.changed.notify_one();
    }

    /// Notes that a network is gone: its orders wait.
    pub fn is_gone(&self, network: &str) {
        self.ready.lock().expect("nothing panics holding it").remove(network);
    }

    /// Returns once something was added, or a network is ready.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// The tables at which something is due now, on networks that are ready.
    pub fn due(&self, now: Timestamp) -> BTreeSet<TableId> {
        let ready = self.ready.lock().expect("nothing panics holding it");
        let entries = self.entries.lock().expect("nothing panics holding it");
        let due = entries.iter().take_while(|(at, ..)| *at <= now);
        due.filter(|(.., network)| ready.contains(network)).map(|(_, table, _)| table.clone()).collect()
    }

    /// The next time at which something is due on a network that is ready.
    pub fn next(&self) -> Option<Timestamp> {
        let ready = self.ready.lock().expect("nothing panics holding it");
        let entries = self.entries.lock().expect("nothing panics holding it");
        entries.iter().find(|(.., network)| ready.contains(network)).map(|(at, ..)| *at)
    }
}

/// What these writes make due.
pub fn made_due(batch: &Batch) -> Vec<Entry> {
    let puts = batch.iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
    puts.filter_map(|(key, value)| entry(key, value).ok().flatten()).collect()
}

/// The entry for a record, if it is that of an order.
fn entry(key: &str, value: &[u8]) -> Result<Option<Entry>, StoreError> {
    let Some((table, _)) = keys::order_of_due(key) else { return Ok(None) };
    let due: DueDoc = from_json(key, value)?;
    Ok(Some((due.at, table, due.room.network)))
}
