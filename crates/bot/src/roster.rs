//! Who is present in which room, as the transports report it. Kept in memory only: networks tell it anew.

use chat::{PlayerId, RoomId, Trust};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The people of a room by id, with the names they show.
pub(crate) type Present = BTreeMap<PlayerId, String>;

/// Who is present in which room.
#[derive(Debug, Default)]
pub(crate) struct Roster(Mutex<BTreeMap<RoomId, Room>>);

#[derive(Debug, Default)]
struct Room {
    /// What people call it.
    names: Vec<String>,
    present: Arc<Present>,
    /// Known by a nick alone.
    unsure: BTreeSet<PlayerId>,
    /// Gave a command since they came.
    met: BTreeSet<PlayerId>,
}

impl Roster {
    /// Somebody is in the room, under this name.
    pub fn enter(&self, room: &RoomId, player: &PlayerId, name: &str, trust: Trust) {
        let mut rooms = self.rooms();
        let room = rooms.entry(room.clone()).or_default();
        if room.present.get(player).is_none_or(|known| known != name) {
            Arc::make_mut(&mut room.present).insert(player.clone(), name.to_owned());
        }
        match trust {
            Trust::Account => room.unsure.remove(player),
            Trust::NickOnly => room.unsure.insert(player.clone()),
        };
    }

    /// The room is called so.
    pub fn call(&self, room: &RoomId, names: &[String]) {
        self.rooms().entry(room.clone()).or_default().names = names.to_vec();
    }

    /// What people call the room.
    pub fn names_of(&self, room: &RoomId) -> Vec<String> {
        self.rooms().get(room).map(|room| room.names.clone()).unwrap_or_default()
    }

    /// Somebody left the room.
    pub fn leave(&self, room: &RoomId, player: &PlayerId) {
        if let Some(room) = self.rooms().get_mut(room) {
            Arc::make_mut(&mut room.present).remove(player);
            // Whether the network vouches for them is remembered: nobody is named referee by a nick behind its back.
            room.met.remove(player);
        }
    }

    /// Somebody in the room gives a command; whether it is the first since they came.
    pub fn meet(&self, room: &RoomId, player: &PlayerId) -> bool {
        self.rooms().entry(room.clone()).or_default().met.insert(player.clone())
    }

    /// The rooms that somebody is in.
    pub fn rooms_of(&self, player: &PlayerId) -> Vec<RoomId> {
        self.rooms().iter().filter(|(_, room)| room.present.contains_key(player)).map(|(id, _)| id.clone()).collect()
    }

    /// Who is in the room.
    pub fn present(&self, room: &RoomId) -> Arc<Present> {
        self.rooms().get(room).map(|room| room.present.clone()).unwrap_or_default()
    }

    /// Whether the network vouches for somebody who is in the room.
    pub fn vouches_for(&self, room: &RoomId, player: &PlayerId) -> bool {
        self.rooms().get(room).is_none_or(|room| !room.unsure.contains(player))
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomId, Room>> {
        self.0.lock().expect("nothing panics holding it")
    }
}
