//! Carrying out the orders of a table when they are due, as if their players gave the commands now.

use super::{Busy, Worker, durable};
use chat::Event;
use jiff::Timestamp;
use journal::documents::DueDoc;
use journal::keys;
use journal::store::{Batch, StoreError};
use table::Table;

/// An order that is due, by its entry.
type Due = (u64, DueDoc);

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

    /// Carries out what waited for something that has just begun.
    pub(super) async fn carry_out_begun(&mut self) {
        if std::mem::take(&mut self.begun) {
            let now = self.running.host().now();
            self.carry_out(now, |(number, due)| due.cause != *number).await;
        }
    }

    /// Carries out the orders among these that are due by this time, in the order of their times.
    pub(super) async fn carry_out(&mut self, by: Timestamp, among: impl Fn(&Due) -> bool) {
        let due = match table::due(self.running.host(), &self.id, by) {
            Ok(due) => due,
            Err(error) => return tracing::error!(table = %self.id, %error, "what is due cannot be read"),
        };
        for (number, due) in due.into_iter().filter(among) {
            let key = keys::due(&self.id, number);
            match self.ordered(number, &due).await {
                Ok(Some(event)) => {
                    let Some(side) = self.running.networks.get(&event.room().network) else { continue };
                    let busy = Busy::new(&side.work);
                    self.play_at_last(&event, Some(key), &busy).await;
                }
                Ok(None) => {
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
    async fn ordered(&mut self, number: u64, due: &DueDoc) -> Result<Option<Event>, StoreError> {
        self.confirm_durable().await;
        let host = self.running.bot.host();
        let mut table = match self.table.take() {
            Some(table) => table,
            None => Table::open(host, self.id.clone())?,
        };
        let ordered = table.ordered(host, (number, due), host.now());
        self.table = Some(table);
        ordered
    }
}
