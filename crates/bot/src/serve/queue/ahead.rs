//! What is said in a room is played in its order, also while the room changes tables: what was said after that goes
//! through the queue of the table it left, behind what was said before, and from there to its own.

use super::super::{Busy, Running};
use super::{Job, Worker};
use chat::{Event, RoomId};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::oneshot;

/// An event that waits to be played.
pub(in crate::serve) struct Queued {
    pub event: Box<Event>,
    /// The key of its record among the waiting events, if any.
    pub waiting: Option<String>,
    pub busy: Busy,
    /// Whom to tell when it is done.
    pub done: Option<oneshot::Sender<()>>,
    /// The table where it is played, if it only keeps its place in this queue.
    elsewhere: Option<TableId>,
    counted: Option<Counted>,
}

impl Queued {
    pub fn new(event: Event, waiting: Option<String>, busy: Busy) -> Self {
        Queued { event: Box::new(event), waiting, busy, done: None, elsewhere: None, counted: None }
    }
}

/// How many events of each room are queued, and at which table.
#[derive(Default)]
pub(in crate::serve) struct Ahead(Mutex<BTreeMap<RoomId, (TableId, usize)>>);

impl Ahead {
    /// Counts an event of a room. Returns the table whose queue it goes to.
    fn count(&self, room: &RoomId, table: &TableId) -> TableId {
        let mut rooms = self.0.lock().expect("nothing panics holding it");
        let (queue, count) = rooms.entry(room.clone()).or_insert_with(|| (table.clone(), 0));
        *count += 1;
        queue.clone()
    }

    fn count_down(&self, room: &RoomId) {
        let mut rooms = self.0.lock().expect("nothing panics holding it");
        if let Some((_, count)) = rooms.get_mut(room) {
            *count -= 1;
            if *count == 0 {
                rooms.remove(room);
            }
        }
    }
}

/// Counts as a queued event of a room until it is dropped.
struct Counted {
    running: Arc<Running>,
    room: RoomId,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.running.ahead.count_down(&self.room);
    }
}

impl Running {
    /// Queues an event for its table, behind those of its room.
    pub(in crate::serve) fn queue(self: Arc<Self>, id: TableId, mut queued: Queued) -> Result<(), StoreError> {
        let room = queued.event.room().clone();
        let queue = self.ahead.count(&room, &id);
        queued.elsewhere = Some(id).filter(|id| *id != queue);
        queued.counted = Some(Counted { running: self.clone(), room });
        self.give(queue, Job::Event(queued))
    }
}

impl Worker {
    /// The event, if it is played here; otherwise it is passed on to the table where it is played.
    pub(super) fn not_passed_on(&mut self, mut queued: Queued) -> Option<Queued> {
        let Some(table) = queued.elsewhere.take().or_else(|| self.where_its_room_went(&queued.event)) else {
            return Some(queued);
        };
        if *self.running.closing.borrow() {
            // Its table may be closed already. If its network will not send it again, it is played here.
            self.leaving |= queued.waiting.is_some();
            return Some(queued);
        }
        // Whatever is said next in the room comes behind it.
        let counted = queued.counted.take();
        if let Err(error) = self.running.clone().give(table, Job::Event(queued)) {
            tracing::error!(table = %self.id, %error, "what was said in a room that left is not played");
        }
        drop(counted);
        None
    }

    /// The table of an event's room, if the room left this one.
    fn where_its_room_went(&mut self, event: &Event) -> Option<TableId> {
        let room = self.left.get(event.room())?.clone();
        let table = self.running.host().table_of(&room).ok()?;
        if table == self.id {
            self.left.remove(&room);
            return None;
        }
        Some(table)
    }
}

/// The rooms that leave the table with these writes.
pub(super) fn rooms_that_leave(id: &TableId, batch: &Batch) -> Vec<RoomId> {
    let removed = batch.iter().filter(|(_, value)| value.is_none());
    removed.filter_map(|(key, _)| keys::seated_room(id, key)).collect()
}
