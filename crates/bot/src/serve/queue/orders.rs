//! Carrying out the orders of a table when they are due, as if their players gave the commands now.

use super::{Busy, Job, Running, Worker, durable};
use crate::serve::agenda;
use chat::{Event, Transport};
use jiff::{SignedDuration, Timestamp};
use journal::documents::{DueDoc, to_json};
use journal::keys;
use journal::store::{Batch, StoreError};
use std::sync::Arc;
use std::time::Duration;
use table::{Ordered, Table};

/// An order that is due, by its entry.
type Due = (u64, DueDoc);

/// How long after a network is ready nothing is carried out there yet, so that what was said in the meantime comes
/// first if it was said first.
const SETTLING: Duration = Duration::from_secs(5);
/// The longest sleep: somebody may have set the system's clock.
const LONGEST: Duration = Duration::from_secs(600);
/// Added to a sleep, which must not end a moment too early.
const STEP: Duration = Duration::from_millis(1);

impl Running {
    /// Lets the tables carry out what is due, for ever.
    pub(in crate::serve) async fn keep_time(self: Arc<Self>, transports: Vec<Arc<dyn Transport>>) {
        let readying = transports.into_iter().map(|transport| self.clone().await_ready(transport));
        tokio::join!(futures::future::join_all(readying), self.carry_out_in_time());
    }

    /// Lets orders be carried out on a network once it is ready.
    pub(in crate::serve) async fn await_ready(self: Arc<Self>, transport: Arc<dyn Transport>) {
        transport.ready().await;
        self.bot.pace.sleep(SETTLING).await;
        self.agenda.is_ready(transport.network());
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
                () = self.agenda.changed() => {}
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

impl Worker {
    /// Carries out what was due when a message was sent, before it is played.
    pub(super) async fn carry_out_before(&mut self, event: &Event) {
        if let Event::Said(message) = event
            && self.running.agenda.is_due(&self.id, message.sent)
        {
            let by = message.sent.min(message.heard_at());
            self.running.agenda.taken_up(&self.id, by);
            self.carry_out(by, |_| true).await;
        }
    }

    /// Carries out what waited for its player to be heard, after somebody spoke or came.
    pub(super) async fn carry_out_waiting(&mut self, event: &Event) {
        let comes =
            matches!(event, Event::Said(_) | Event::Present { .. } | Event::Renamed { .. } | Event::Arrived { .. });
        if comes && self.running.agenda.takes_up_waiting(&self.id) {
            self.carry_out(self.running.host().now(), |_| true).await;
        }
    }

    /// Carries out what waited for something that has just begun.
    pub(super) async fn carry_out_begun(&mut self) {
        // An order for a time may begin something that another order waits for, and no further.
        while std::mem::take(&mut self.begun) {
            let now = self.running.host().now();
            self.carry_out(now, |(number, due)| due.cause != *number).await;
        }
    }

    /// Carries out the orders among these that are due by this time, in the order of their times.
    pub(super) async fn carry_out(&mut self, by: Timestamp, among: impl Fn(&Due) -> bool) {
        let due = match table::due(&self.running.host(), &self.id, by) {
            Ok(due) => due,
            Err(error) => return tracing::error!(table = %self.id, %error, "what is due cannot be read"),
        };
        for (number, due) in due.into_iter().filter(among) {
            let key = keys::due(&self.id, number);
            match self.ordered(number, &due).await {
                Ok(Ordered::Now(event)) => {
                    let Some(side) = self.running.side(&event.room().network) else { continue };
                    let busy = Busy::new(&side.work);
                    self.play_at_last(&event, Some(key), &busy).await;
                }
                Ok(Ordered::Later) => self.running.agenda.waits(&self.id),
                Ok(Ordered::After(at)) => {
                    let mut batch = Batch::default();
                    batch.put(key, to_json(&DueDoc { at, ..due }));
                    self.running.agenda.add(agenda::made_due(&batch));
                    // If this fails, it is found again with what is due next.
                    let _ = durable(self.running.host().committer().submit(None, batch)).await;
                }
                Ok(Ordered::Never) => {
                    let mut batch = Batch::default();
                    batch.delete(key);
                    // If this fails, it is found again, and is still nothing to do.
                    let _ = durable(self.running.host().committer().submit(None, batch)).await;
                }
                Err(error) => tracing::error!(table = %self.id, %error, "an order waits for the next start"),
            }
        }
    }

    /// The command of an order, if there is still something to do.
    async fn ordered(&mut self, number: u64, due: &DueDoc) -> Result<Ordered, StoreError> {
        self.confirm_durable().await;
        let host = self.running.bot.host();
        let mut table = match self.table.take() {
            Some(table) => table,
            None => Table::open(&host, self.id.clone())?,
        };
        let ordered = table.ordered(&host, (number, due), host.now());
        self.table = Some(table);
        ordered
    }
}
