//! Who is present in which room, as reported by the transports. Only in memory, because networks report it again.

use chat::{PlayerId, RoomId, Trust};
use journal::keys::TableId;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

/// The people of a room by id, with the names they show.
pub type Present = BTreeMap<PlayerId, String>;

/// Who is present in which room.
#[derive(Debug, Default)]
pub struct Roster(Mutex<BTreeMap<RoomId, Room>>);

#[derive(Debug, Default)]
struct Room {
    /// The names people use for it.
    names: Vec<String>,
    present: Arc<Present>,
    /// The people whom the network vouches for.
    sure: BTreeSet<PlayerId>,
    /// Where they connected from when they last spoke, if the network shows that.
    addresses: BTreeMap<PlayerId, String>,
    /// People who gave a command since they came.
    met: BTreeMap<PlayerId, Met>,
    /// People who were ignored since they came, perhaps under an earlier id: the patterns that matched them.
    ignored: BTreeMap<PlayerId, BTreeSet<String>>,
    /// True if an answer there was cut, and nobody has left since.
    cut: bool,
}

/// The table's state when somebody gave their first command since they came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The table. If the room moves to another, they are met there again.
    pub table: TableId,
    /// Its last entry: everything after it was done by the person who is here now.
    pub since: u64,
    /// What existed under their id before them.
    pub found: Found,
}

/// What somebody finds under their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Nothing: everything it has now is theirs.
    Nothing,
    /// A seat, which may be another person's.
    Seat,
}

impl Roster {
    /// The bot joins or leaves the room, so its knowledge of who is there is outdated.
    pub fn forget(&self, room: &RoomId) {
        if let Some(room) = self.rooms().get_mut(room) {
            *room = Room { names: std::mem::take(&mut room.names), ..Room::default() };
        }
    }

    /// Somebody is in the room, under this name.
    pub fn enter(&self, room: &RoomId, player: &PlayerId, name: &str, trust: Trust) {
        let mut rooms = self.rooms();
        let room = rooms.entry(room.clone()).or_default();
        if !room.present.contains_key(player) {
            // Whoever arrives counts as a new person, even if nobody saw the last one leave.
            room.met.remove(player);
        }
        if room.present.get(player).is_none_or(|known| known != name) {
            Arc::make_mut(&mut room.present).insert(player.clone(), name.to_owned());
        }
        match trust {
            Trust::Account => room.sure.insert(player.clone()),
            Trust::NickOnly => room.sure.remove(player),
        };
    }

    /// Sets the room's names.
    pub fn call(&self, room: &RoomId, names: &[String]) {
        self.rooms().entry(room.clone()).or_default().names = names.to_vec();
    }

    /// The names people use for the room.
    pub fn names_of(&self, room: &RoomId) -> Vec<String> {
        self.rooms().get(room).map(|room| room.names.clone()).unwrap_or_default()
    }

    /// Somebody left the room.
    pub fn leave(&self, room: &RoomId, player: &PlayerId) {
        if let Some(room) = self.rooms().get_mut(room) {
            Arc::make_mut(&mut room.present).remove(player);
            room.sure.remove(player);
            room.met.remove(player);
            room.addresses.remove(player);
            room.ignored.remove(player);
            room.cut = false;
        }
    }

    /// Somebody in the room spoke from this address.
    pub fn spoke_from(&self, room: &RoomId, player: &PlayerId, address: &str) {
        let mut rooms = self.rooms();
        let room = rooms.get_mut(room).filter(|room| !address.is_empty() && room.present.contains_key(player));
        if let Some(room) = room {
            room.addresses.insert(player.clone(), address.to_owned());
        }
    }

    /// Where somebody connected from when they last spoke in a room where they are now.
    pub fn address_of(&self, player: &PlayerId) -> Option<String> {
        self.rooms().values().find_map(|room| room.addresses.get(player).cloned())
    }

    /// Somebody in the room was found to be ignored by these patterns.
    pub fn ignore(&self, room: &RoomId, player: &PlayerId, patterns: impl IntoIterator<Item = String>) {
        let mut rooms = self.rooms();
        if let Some(room) = rooms.get_mut(room).filter(|room| room.present.contains_key(player)) {
            room.ignored.entry(player.clone()).or_default().extend(patterns);
        }
    }

    /// The patterns that somebody was ignored by since they came to the room.
    pub fn ignored_in(&self, room: &RoomId, player: &PlayerId) -> BTreeSet<String> {
        self.rooms().get(room).and_then(|room| room.ignored.get(player).cloned()).unwrap_or_default()
    }

    /// The patterns that somebody was ignored by since they came, in any room.
    pub fn ignored_anywhere(&self, player: &PlayerId) -> BTreeSet<String> {
        self.rooms().values().filter_map(|room| room.ignored.get(player)).flatten().cloned().collect()
    }

    /// An answer in the room was cut, and its rest is kept.
    pub fn cut(&self, room: &RoomId) {
        self.rooms().entry(room.clone()).or_default().cut = true;
    }

    /// True if whoever was there when the last answer in the room was cut has been there ever since, as far as is known.
    pub fn heard_the_cut(&self, room: &RoomId) -> bool {
        self.rooms().get(room).is_some_and(|room| room.cut)
    }

    /// Somebody in the room gives a command. Returns true if it is the first since they came; then what they found is
    /// recorded.
    pub fn meet(&self, room: &RoomId, player: &PlayerId, found: Met) -> bool {
        let mut rooms = self.rooms();
        let met = &mut rooms.entry(room.clone()).or_default().met;
        let new = met.get(player).is_none_or(|known| known.table != found.table);
        if new {
            met.insert(player.clone(), found);
        }
        new
    }

    /// What somebody found who has given a command since they came.
    pub fn met(&self, room: &RoomId, player: &PlayerId) -> Option<Met> {
        self.rooms().get(room).and_then(|room| room.met.get(player).cloned())
    }

    /// The entry up to which entries under somebody's id may be another's: anybody may have had a bare nick before.
    pub fn since(&self, room: &RoomId, player: &PlayerId, trust: Trust) -> u64 {
        match trust {
            Trust::Account => 0,
            Trust::NickOnly => self.met(room, player).map_or(u64::MAX, |met| met.since),
        }
    }

    /// The rooms that somebody is in.
    pub fn rooms_of(&self, player: &PlayerId) -> Vec<RoomId> {
        self.rooms().iter().filter(|(_, room)| room.present.contains_key(player)).map(|(id, _)| id.clone()).collect()
    }

    /// The people in the room.
    pub fn present(&self, room: &RoomId) -> Arc<Present> {
        self.rooms().get(room).map(|room| room.present.clone()).unwrap_or_default()
    }

    /// True if somebody is in the room and the network vouches for them.
    pub fn vouches_for(&self, room: &RoomId, player: &PlayerId) -> bool {
        self.rooms().get(room).is_some_and(|room| room.sure.contains(player))
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<RoomId, Room>> {
        self.0.lock().expect("nothing panics holding it")
    }
}
