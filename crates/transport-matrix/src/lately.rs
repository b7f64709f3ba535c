//! Limits on direct rooms, by what was done lately.

use chat::{PlayerId, RoomId};
use jiff::{SignedDuration, Timestamp};
use matrix_sdk::ruma::{OwnedUserId, UserId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The most direct rooms made for one person in a day.
const MOST_MADE: usize = 10;

/// What was done lately.
#[derive(Default)]
pub(crate) struct Lately {
    made: Mutex<BTreeMap<OwnedUserId, Vec<Timestamp>>>,
    told: Mutex<BTreeMap<(PlayerId, RoomId), Timestamp>>,
}

impl Lately {
    /// Counts one more room for somebody. Returns true if that is within the limit. Someone who leaves every room they
    /// are told something in does not get new ones without end.
    pub fn count(&self, user: &UserId, now: Timestamp) -> bool {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|_, times| {
            times.retain(|time| now.duration_since(*time) < SignedDuration::from_hours(24));
            !times.is_empty()
        });
        let times = made.entry(user.to_owned()).or_default();
        if times.len() < MOST_MADE {
            times.push(now);
            return true;
        }
        false
    }

    /// True if somebody may be told in a room now that there is no way to tell them privately; at most once an hour.
    pub fn may_tell(&self, player: &PlayerId, room: &RoomId, now: Timestamp) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| now.duration_since(*at) < SignedDuration::from_hours(1));
        told.insert((player.clone(), room.clone()), now).is_none()
    }
}
