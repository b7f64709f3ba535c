//! How much is queued of each room, and where. What is said in a room is played in its order, also while the room changes
//! tables: what was said after that goes through the queue of the table it left, behind what was said before, and from
//! there to its own.

use chat::RoomId;
use journal::keys::{self, TableId};
use journal::store::Batch;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How many events of each room are queued, and at which table.
#[derive(Clone, Default)]
pub(crate) struct Ahead(Arc<Mutex<BTreeMap<RoomId, (TableId, usize)>>>);

/// Counts as a queued event of a room until it is dropped.
pub(super) struct Counted {
    ahead: Ahead,
    room: RoomId,
}

impl Ahead {
    /// Counts an event of a room. Returns the table whose queue it goes to.
    pub(super) fn count(&self, room: &RoomId, table: &TableId) -> (TableId, Counted) {
        let mut rooms = self.0.lock().expect("nothing panics holding it");
        let (queue, count) = rooms.entry(room.clone()).or_insert_with(|| (table.clone(), 0));
        *count += 1;
        (queue.clone(), Counted { ahead: self.clone(), room: room.clone() })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut rooms = self.ahead.0.lock().expect("nothing panics holding it");
        if let Some((_, count)) = rooms.get_mut(&self.room) {
            *count -= 1;
            if *count == 0 {
                rooms.remove(&self.room);
            }
        }
    }
}

/// The rooms that leave the table with these writes.
pub(super) fn rooms_that_leave(id: &TableId, batch: &Batch) -> Vec<RoomId> {
    let removed = batch.iter().filter(|(_, value)| value.is_none());
    removed.filter_map(|(key, _)| keys::seated_room(id, key)).collect()
}
