//! When the orders of the tables are due. Time comes in here like news from a network: what is due is a job for its
//! table's queue, and its record on the disk goes with the command that is then played.

use super::Running;
use super::queue::Job;
use chat::Transport;
use jiff::{SignedDuration, Timestamp};
use journal::documents::{DueDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// How long after a network is ready nothing is carried out there yet, so that what was said in the meantime comes
/// first if it was said first.
const SETTLING: Duration = Duration::from_secs(5);
/// The longest sleep: somebody may have set the system's clock.
const LONGEST: Duration = Duration::from_secs(600);
/// The longest step of sleeping until a time, rounded up to this.
const STEP: Duration = Duration::from_millis(1);

/// When something is due, at which table, and on which network it is carried out.
type Entry = (Timestamp, TableId, String);

/// All that is due some time.
#[derive(Default)]
pub(super) struct Agenda {
    entries: Mutex<BTreeSet<Entry>>,
    /// Networks that are ready.
    ready: Mutex<BTreeSet<String>>,
    changed: Notify,
}

impl Agenda {
    /// Adds what these writes make due, and returns true if there was anything.
    pub fn note(&self, batch: &Batch) -> bool {
        let puts = batch.iter().filter_map(|(key, value)| Some((key, value.as_deref()?)));
        let due: Vec<Entry> = puts.filter_map(|(key, value)| entry(key, value).ok().flatten()).collect();
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

    /// The tables at which something is due now, on networks that are ready.
    fn due(&self, now: Timestamp) -> BTreeSet<TableId> {
        let ready = self.ready.lock().expect("nothing panics holding it");
        let entries = self.entries.lock().expect("nothing panics holding it");
        let due = entries.iter().take_while(|(at, ..)| *at <= now);
        due.filter(|(.., network)| ready.contains(network)).map(|(_, table, _)| table.clone()).collect()
    }

    /// The next time at which something is due on a network that is ready.
    fn next(&self) -> Option<Timestamp> {
        let ready = self.ready.lock().expect("nothing panics holding it");
        let entries = self.entries.lock().expect("nothing panics holding it");
        entries.iter().find(|(.., network)| ready.contains(network)).map(|(at, ..)| *at)
    }
}

/// The entry for a record, if it is that of an order.
fn entry(key: &str, value: &[u8]) -> Result<Option<Entry>, StoreError> {
    let Some((table, _)) = keys::order_of_due(key) else { return Ok(None) };
    let due: DueDoc = from_json(key, value)?;
    Ok(Some((due.at, table, due.room.network)))
}

impl Running {
    /// Reads what earlier runs left for later.
    pub(super) fn read_agenda(&self) -> Result<(), StoreError> {
        for record in self.host().committer().stored(keys::DUE) {
            let (key, value) = record?;
            match entry(&key, &value) {
                Ok(entry) => self.agenda.entries.lock().expect("nothing panics holding it").extend(entry),
                Err(error) => tracing::error!(%error, "an order cannot be read, and is passed over"),
            }
        }
        Ok(())
    }

    /// Lets the tables carry out what is due, for ever.
    pub(super) async fn keep_time(self: Arc<Self>, transports: Vec<Arc<dyn Transport>>) {
        let readying = transports.into_iter().map(|transport| self.clone().await_ready(transport));
        tokio::join!(futures_util::future::join_all(readying), self.carry_out_in_time());
    }

    async fn await_ready(self: Arc<Self>, transport: Arc<dyn Transport>) {
        transport.ready().await;
        self.bot.pace.sleep(SETTLING).await;
        self.agenda.ready.lock().expect("nothing panics holding it").insert(transport.network().to_owned());
        self.agenda.changed.notify_one();
    }

    async fn carry_out_in_time(self: &Arc<Self>) {
        loop {
            let now = self.host().now();
            for table in self.agenda.due(now) {
                self.agenda.taken_up(&table, now);
                if let Err(error) = self.clone().give(table.clone(), Job::Due(now)) {
                    tracing::error!(%table, %error, "what is due is carried out after the next start");
                }
            }
            let wait = self.agenda.next().map(|at| at.duration_since(now).max(SignedDuration::ZERO));
            let wait = wait.map(|wait| (wait.unsigned_abs() + STEP).min(LONGEST));
            tokio::select! {
                biased;
                () = self.agenda.changed.notified() => {}
                () = async {
                    match wait {
                        Some(wait) => self.bot.pace.sleep(wait).await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }
}
