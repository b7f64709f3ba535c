//! How many posts wait to be said in a room, and how many wrong words were tried there. Only in memory.

use chat::RoomId;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Wrong words that may be tried in a room within the hour.
const MOST_GUESSES: usize = 5;
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Rooms whose guesses are remembered.
const MANY: usize = 1_000;

/// How many posts wait to be said in each room.
#[derive(Debug, Default)]
pub(crate) struct Backlog(Arc<Mutex<BTreeMap<RoomId, usize>>>);

/// A post that waits to be said.
#[derive(Debug)]
pub struct Waiting {
    room: RoomId,
    all: Arc<Mutex<BTreeMap<RoomId, usize>>>,
}

impl Backlog {
    /// Counts a post, until the result is dropped.
    pub fn with(&self, room: &RoomId) -> Waiting {
        *lock(&self.0).entry(room.clone()).or_default() += 1;
        Waiting { room: room.clone(), all: self.0.clone() }
    }

    /// The number of posts that wait in a room.
    pub fn of(&self, room: &RoomId) -> usize {
        lock(&self.0).get(room).copied().unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut all = lock(&self.all);
        match all.get_mut(&self.room) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(all.remove(&self.room)),
        }
    }
}

/// Wrong words that were tried lately, by room.
#[derive(Debug, Default)]
pub(crate) struct Guesses(Mutex<BTreeMap<RoomId, Vec<Timestamp>>>);

impl Guesses {
    /// True if another word may be tried in a room.
    pub fn may_go_on(&self, room: &RoomId, now: Timestamp) -> bool {
        let mut all = lock(&self.0);
        let Some(times) = all.get_mut(room) else { return true };
        times.retain(|time| now.duration_since(*time).abs() < HOUR);
        times.len() < MOST_GUESSES
    }

    /// Notes that a wrong word was tried.
    pub fn was_wrong(&self, room: &RoomId, now: Timestamp) {
        let mut all = lock(&self.0);
        if all.len() >= MANY {
            all.retain(|_, times| times.iter().any(|time| now.duration_since(*time).abs() < HOUR));
        }
        if all.len() < MANY || all.contains_key(room) {
            all.entry(room.clone()).or_default().push(now);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics holding it")
}
