//! Tells the homeserver, and nobody else, how far the bot has read.

use crate::link::Link;
use matrix_sdk::ruma::api::client::receipt::create_receipt::v3::ReceiptType;
use matrix_sdk::ruma::events::receipt::ReceiptThread;
use matrix_sdk::ruma::{OwnedEventId, OwnedRoomId};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// The shortest interval between receipts: answers come first.
const EVERY: Duration = Duration::from_secs(2);

/// Takes read events.
pub(crate) struct Receipts(mpsc::UnboundedSender<(OwnedRoomId, OwnedEventId)>);

impl Receipts {
    /// Sends receipts as long as this lives.
    pub fn new(link: Arc<Link>) -> Self {
        let (sender, mut read) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(first) = read.recv().await {
                tokio::time::sleep(EVERY).await;
                let mut newest: BTreeMap<OwnedRoomId, OwnedEventId> = BTreeMap::from([first]);
                while let Ok((room, event)) = read.try_recv() {
                    newest.insert(room, event);
                }
                for (room, event) in newest {
                    let Some(room) = link.client.get_room(&room) else { continue };
                    let receipt = room.send_single_receipt(ReceiptType::ReadPrivate, ReceiptThread::Unthreaded, event);
                    // The next one covers this one.
                    let _ = receipt.await;
                }
            }
        });
        Receipts(sender)
    }

    /// Marks everything in the room up to this event as read.
    pub fn read(&self, room: OwnedRoomId, event: OwnedEventId) {
        // Its task ends only with the program.
        let _ = self.0.send((room, event));
    }
}
