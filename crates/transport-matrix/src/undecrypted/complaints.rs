//! Limits how often the bot says that it cannot read something. It is a courtesy, and nobody can turn it into a flood.

use jiff::{SignedDuration, Timestamp};
use std::collections::VecDeque;

/// A sender in a room is told once in this time.
const SENDER: SignedDuration = SignedDuration::from_hours(24);
/// The period of the limits for a room and for all rooms.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// How often in that period, in one room and in all rooms.
const IN_ROOM: usize = 2;
const IN_ALL: usize = 20;

/// The complaints of the last day.
#[derive(Default)]
pub(super) struct Complaints(VecDeque<(Timestamp, String, String)>);

impl Complaints {
    /// True if this sender may be told now in this room; if so, it is counted.
    pub fn may(&mut self, now: Timestamp, room: &str, sender: &str) -> bool {
        self.0.retain(|(at, ..)| now.duration_since(*at) < SENDER);
        let lately = || self.0.iter().filter(|(at, ..)| now.duration_since(*at) < HOUR);
        let told = self.0.iter().any(|(_, told_in, told)| told_in == room && told == sender);
        let here = lately().filter(|(_, told_in, _)| told_in == room).count();
        let may = !told && here < IN_ROOM && lately().count() < IN_ALL;
        if may {
            self.0.push_back((now, room.to_owned(), sender.to_owned()));
        }
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_few_for_a_sender_a_room_and_in_all() {
        let (mut complaints, now) = (Complaints::default(), Timestamp::UNIX_EPOCH);
        assert!(complaints.may(now, "tavern", "ann"));
        assert!(!complaints.may(now, "tavern", "ann"));
        assert!(complaints.may(now, "tavern", "bob"));
        assert!(!complaints.may(now, "tavern", "cal"));
        let elsewhere = (0..100).filter(|room| complaints.may(now, &format!("own{room}"), "mallory")).count();
        assert_eq!(elsewhere, IN_ALL - IN_ROOM);
        let later = now + SignedDuration::from_hours(2);
        assert!(complaints.may(later, "tavern", "cal"));
        assert!(!complaints.may(later, "tavern", "ann"));
        assert!(complaints.may(now + SignedDuration::from_hours(25), "tavern", "ann"));
    }
}
