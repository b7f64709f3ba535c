//! Scenes: a common one of the table, and those of rooms that play apart while the party is split.

use super::TableDoc;
use chat::RoomId;
use serde::{Deserialize, Serialize};

/// The common scene and when it began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// Its title.
    pub title: String,
    /// The entry that began it.
    pub since: u64,
}

/// The scene of a room that plays apart from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Apart {
    /// The entry with which the room began to play apart. It stands for this part of the party everywhere else.
    pub from: u64,
    /// The entry that began the scene, whose words are its title.
    pub since: u64,
}

impl TableDoc {
    /// The entry with which a room began to play apart; `None` if it plays the common scene.
    pub fn apart(&self, room: &RoomId) -> Option<u64> {
        self.apart.get(room).map(|apart| apart.from)
    }

    /// Lets what the table keeps for room `from`, its scene apart and its board, belong to `to`. Returns true if there was
    /// anything.
    pub fn move_room(&mut self, from: &RoomId, to: &RoomId) -> bool {
        let apart = self.apart.remove(from);
        let mut anything = apart.is_some();
        self.apart.extend(apart.map(|apart| (to.clone(), apart)));
        for order in self.orders.values_mut().filter(|order| order.room.as_ref() == Some(from)) {
            order.room = Some(to.clone());
            anything = true;
        }
        anything
    }

    /// In which scene that is now which began in the one of this entry: once its players are back with the others, it
    /// belongs to the common scene.
    pub fn still_apart(&self, apart: Option<u64>) -> Option<u64> {
        apart.filter(|from| self.apart.values().any(|apart| apart.from == *from))
    }

    /// The entry with which the scene began of those who began to play apart with entry `apart`, or the common one. If there
    /// is none, the entry that ended the last one, or 0.
    pub fn scene_since(&self, apart: Option<u64>) -> u64 {
        match apart {
            None => self.scene.as_ref().map(|scene| scene.since).or(self.scene_over).unwrap_or_default(),
            // A scene that is over lets everything lapse that lasts for a scene.
            Some(from) => {
                let mut all = self.apart.values();
                all.find(|apart| apart.from == from).map_or(u64::MAX, |apart| apart.since)
            }
        }
    }
}
