//! How many posts wait to be said in a room, because of whom; how many wrong words were tried there; and who was called
//! lately by whom. Only in memory.

use chat::{PlayerId, Post, RoomId};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Wrong words that may be tried in a room within the hour.
const MOST_GUESSES: usize = 5;
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Rooms whose guesses are remembered.
const MANY: usize = 1_000;

/// What waits to be said in each room.
#[derive(Debug, Default)]
pub struct Backlog {
    rooms: Arc<Mutex<BTreeMap<RoomId, Queue>>>,
    /// When it was last said that a room is not shown everything.
    warned: Mutex<BTreeMap<RoomId, Timestamp>>,
}

/// What waits in a room.
#[derive(Debug, Default)]
struct Queue {
    posts: usize,
    /// Of those, what is mirrored from other rooms.
    mirrored: usize,
    /// The others, by the player whose messages they follow from.
    by: BTreeMap<PlayerId, usize>,
}

/// A post that waits to be said.
#[derive(Debug)]
pub struct Waiting {
    room: RoomId,
    by: Option<PlayerId>,
    mirrored: bool,
    all: Arc<Mutex<BTreeMap<RoomId, Queue>>>,
}

impl Backlog {
    /// Counts a post, until the result is dropped.
    pub fn with(&self, post: &Post) -> Waiting {
        let Post { room, by, mirrored, .. } = post;
        let by = by.clone().filter(|_| !mirrored);
        let mut all = lock(&self.rooms);
        let queue = all.entry(room.clone()).or_default();
        queue.posts += 1;
        queue.mirrored += usize::from(*mirrored);
        if let Some(by) = &by {
            *queue.by.entry(by.clone()).or_default() += 1;
        }
        Waiting { room: room.clone(), by, mirrored: *mirrored, all: self.rooms.clone() }
    }

    /// The number of posts that wait in a room.
    pub fn of(&self, room: &RoomId) -> usize {
        lock(&self.rooms).get(room).map_or(0, |queue| queue.posts)
    }

    /// The number of those that are mirrored from other rooms.
    pub fn mirrored(&self, room: &RoomId) -> usize {
        lock(&self.rooms).get(room).map_or(0, |queue| queue.mirrored)
    }

    /// The number of answers to a player's messages among them.
    pub fn to(&self, room: &RoomId, player: &PlayerId) -> usize {
        lock(&self.rooms).get(room).and_then(|queue| queue.by.get(player)).copied().unwrap_or_default()
    }

    /// True once an hour for each room.
    pub fn may_warn(&self, room: &RoomId, now: Timestamp) -> bool {
        let mut warned = lock(&self.warned);
        let recent = |time: &Timestamp| now.duration_since(*time).abs() < HOUR;
        if warned.get(room).is_some_and(recent) {
            return false;
        }
        warned.retain(|_, time| recent(time));
        warned.insert(room.clone(), now);
        true
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut all = lock(&self.all);
        let Some(queue) = all.get_mut(&self.room) else { return };
        queue.posts = queue.posts.saturating_sub(1);
        queue.mirrored = queue.mirrored.saturating_sub(usize::from(self.mirrored));
        if let Some(by) = &self.by {
            match queue.by.get_mut(by) {
                Some(count) if *count > 1 => *count -= 1,
                _ => drop(queue.by.remove(by)),
            }
        }
        if queue.posts == 0 {
            all.remove(&self.room);
        }
    }
}

/// What happened lately, of what may not happen again at once: what it is, and to whom or where.
#[derive(Debug, Default)]
pub struct Lately(Mutex<BTreeMap<(String, String), Timestamp>>);

impl Lately {
    /// True if it did not happen within so many hours before, and not too much else did. If so, it is noted.
    pub fn may_happen(&self, what: (String, String), hours: i32, now: Timestamp) -> bool {
        let mut all = lock(&self.0);
        all.retain(|_, time| now.duration_since(*time).abs() < HOUR * hours);
        if all.len() >= MANY || all.contains_key(&what) {
            return false;
        }
        all.insert(what, now);
        true
    }
}

/// Wrong words that were tried lately, by room.
#[derive(Debug, Default)]
pub struct Guesses(Mutex<BTreeMap<RoomId, Vec<Timestamp>>>);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_counted_by_player_and_apart_from_what_is_mirrored() {
        let (backlog, hall) = (Backlog::default(), RoomId::new("n", "hall"));
        let (mia, gus) = (PlayerId::new("n", "mia"), PlayerId::new("n", "gus"));
        let post =
            |by: &PlayerId, mirrored| Post { by: Some(by.clone()), mirrored, ..Post::new("", hall.clone(), vec![]) };
        let waiting =
            [post(&mia, false), post(&mia, false), post(&gus, false), post(&mia, true)].map(|post| backlog.with(&post));
        let counts = || (backlog.of(&hall), backlog.mirrored(&hall), backlog.to(&hall, &mia), backlog.to(&hall, &gus));
        assert_eq!(counts(), (4, 1, 2, 1));
        drop(waiting);
        assert_eq!(counts(), (0, 0, 0, 0));
        assert!(lock(&backlog.rooms).is_empty());
    }

    #[test]
    fn a_room_is_warned_of_once_an_hour() {
        let (backlog, hall) = (Backlog::default(), RoomId::new("n", "hall"));
        let at = |second| Timestamp::from_second(second).unwrap();
        let warned = [0, 1, 3_599, 3_600, 3_601].map(|second| backlog.may_warn(&hall, at(second)));
        assert_eq!(warned, [true, false, false, true, false]);
    }
}
