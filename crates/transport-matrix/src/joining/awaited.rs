//! The rooms that do not let the bot in, for the operator who asks.

use chat::AwaitedRoom;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most rooms remembered that the configuration does not name: strangers can invite the bot into any number.
const MOST: usize = 50;

/// These rooms by id or alias.
#[derive(Default)]
pub(crate) struct Awaited(Mutex<BTreeMap<String, AwaitedRoom>>);

impl Awaited {
    /// The bot was not let in.
    pub fn note(&self, room: AwaitedRoom) {
        let mut rooms = self.rooms();
        let others = rooms.values().filter(|room| !room.configured).count();
        if !room.configured && others >= MOST && !rooms.contains_key(&room.id) {
            // A room that was given up says less than one that is tried again.
            let least = rooms.values().filter(|room| !room.configured).min_by_key(|room| room.again.is_some());
            if let Some(least) = least.map(|room| room.id.clone()) {
                rooms.remove(&least);
            }
        }
        rooms.insert(room.id.clone(), room);
    }

    /// The bot is in the room.
    pub fn forget(&self, room: &str) {
        self.rooms().remove(room);
    }

    /// All of them.
    pub fn all(&self) -> Vec<AwaitedRoom> {
        self.rooms().values().cloned().collect()
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<String, AwaitedRoom>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn strangers_cannot_push_out_the_rooms_of_the_configuration() {
        let awaited = Awaited::default();
        let again = Some(Timestamp::UNIX_EPOCH);
        awaited.note(AwaitedRoom { id: "#own:a.org".to_owned(), configured: true, again, ..AwaitedRoom::default() });
        awaited.note(AwaitedRoom { id: "!tried:a.org".to_owned(), again, ..AwaitedRoom::default() });
        for number in 0..MOST + 20 {
            awaited.note(AwaitedRoom { id: format!("!{number}:a.org"), ..AwaitedRoom::default() });
        }
        let all = awaited.all();
        assert_eq!(all.len(), MOST + 1);
        for kept in ["#own:a.org", "!tried:a.org"] {
            assert!(all.iter().any(|room| room.id == kept), "{kept}");
        }
        awaited.forget("#own:a.org");
        assert!(awaited.all().iter().all(|room| !room.configured));
    }
}
