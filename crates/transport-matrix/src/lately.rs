//! How often something was done about direct rooms lately.

use chat::{PlayerId, RoomId};
use jiff::{SignedDuration, Timestamp};
use matrix_sdk::ruma::{OwnedUserId, UserId};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Direct rooms that are made for one person in a day.
const MOST_MADE: usize = 10;

/// What was done about direct rooms lately.
#[derive(Default)]
pub(crate) struct Lately {
    made: Mutex<BTreeMap<OwnedUserId, Vec<Timestamp>>>,
    told: Mutex<BTreeMap<(PlayerId, RoomId), Timestamp>>,
}

impl Lately {
    /// Counts one more room for somebody; whether that is still within bounds. Who leaves each room that they are told
    /// something in gets no new one without end.
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

    /// Whether somebody may be told in a room now that they cannot be told something alone: once in an hour.
    pub fn may_tell(&self, player: &PlayerId, room: &RoomId, now: Timestamp) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|_, at| now.duration_since(*at) < SignedDuration::from_hours(1));
        told.insert((player.clone(), room.clone()), now).is_none()
    }
}
