//! The day that decides what is old. A clock that is wrong once must destroy nothing. So erasing, leaving and deleting
//! by age depend on three clocks: this machine's, the time that the bot has run, and the last value of both, which is
//! stored on the disk.
//!
//! While they agree, the day follows the clock. When they do not, the clock is doubted until the bot has run by it for
//! a day. Then the day follows, one day at each look, so that never more than a day's worth is destroyed at once.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// How far the clocks may differ: bots are stopped overnight, and machines sleep.
const DAY: SignedDuration = SignedDuration::from_hours(24);
const SECONDS: &str = "seconds are added to any time";

/// The stored state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calendar {
    /// The time believed to have come.
    day: Timestamp,
    /// The last value of the clock.
    clock: Timestamp,
    /// How much longer the bot must run before the clock is believed again.
    doubt: SignedDuration,
}

/// A jump of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// The expected time.
    pub from: Timestamp,
    /// The clock's time.
    pub to: Timestamp,
}

impl Calendar {
    /// A calendar that believes in this time.
    pub fn at(time: Timestamp) -> Self {
        Calendar { day: time, clock: time, doubt: SignedDuration::ZERO }
    }

    /// Looks at the clock, when the bot has run for this long since the last look.
    pub fn look(&mut self, clock: Timestamp, ran: SignedDuration) -> Option<Jump> {
        let from = self.clock.saturating_add(ran).expect(SECONDS);
        let jumped = clock.duration_since(from).abs() > DAY;
        self.doubt = if jumped { DAY } else { self.doubt.saturating_sub(ran).max(SignedDuration::ZERO) };
        self.clock = clock;
        if self.doubt.is_zero() {
            let next = self.day.saturating_add(DAY).expect(SECONDS);
            // It never goes back: what was old stays old.
            self.day = self.day.max(next.min(clock));
        }
        jumped.then_some(Jump { from, to: clock })
    }

    /// The time that decides what is old; `None` while the clock is doubted.
    pub fn day(&self) -> Option<Timestamp> {
        self.doubt.is_zero().then(|| self.day.min(self.clock))
    }

    /// How many days it is behind the clock, rounded up.
    pub fn behind(&self) -> u32 {
        let behind = self.clock.duration_since(self.day).max(SignedDuration::ZERO).as_secs();
        u32::try_from((behind + DAY.as_secs() - 1) / DAY.as_secs()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: SignedDuration = SignedDuration::from_hours(1);
    const START: Timestamp = Timestamp::constant(1_767_225_600, 0);

    fn days(number: i64) -> SignedDuration {
        DAY * i32::try_from(number).unwrap()
    }

    #[test]
    fn a_clock_that_goes_as_it_should_is_followed() {
        let mut calendar = Calendar::at(START);
        // A night without the bot, an hour of running, a machine that slept.
        for (later, ran) in [(10, 0), (11, 1), (33, 2)] {
            let now = START + HOUR * later;
            assert_eq!(calendar.look(now, HOUR * ran), None);
            assert_eq!((calendar.day(), calendar.behind()), (Some(now), 0));
        }
    }

    #[test]
    fn after_a_jump_nothing_is_old_for_a_day_and_then_a_days_worth_at_each_look() {
        let mut calendar = Calendar::at(START);
        let mut now = START + days(3_650);
        assert_eq!(calendar.look(now, SignedDuration::ZERO), Some(Jump { from: START, to: now }));
        for _ in 0..23 {
            now += HOUR;
            assert_eq!(calendar.look(now, HOUR), None);
            assert_eq!(calendar.day(), None);
        }
        for look in 1..=10 {
            now += HOUR;
            assert_eq!(calendar.look(now, HOUR), None);
            assert_eq!(calendar.day(), Some(START + days(look)));
            assert!(calendar.behind() > 3_600);
        }
    }

    #[test]
    fn many_starts_by_a_wrong_clock_are_no_day_of_running() {
        let mut calendar = Calendar::at(START);
        let wrong = START + days(3_650);
        assert!(calendar.look(wrong, SignedDuration::ZERO).is_some());
        for start in 0..5_000 {
            assert_eq!(calendar.look(wrong + SignedDuration::from_secs(start), SignedDuration::ZERO), None);
        }
        assert_eq!(calendar.day(), None);
        // When the clock is right again, it continues where it was, after a day of running.
        let right = START + HOUR;
        assert!(calendar.look(right, SignedDuration::ZERO).is_some());
        for hour in 1..=24 {
            assert_eq!(calendar.look(right + HOUR * hour, HOUR), None);
        }
        assert_eq!(calendar.day(), Some(START + days(1)));
    }

    #[test]
    fn a_clock_before_its_time_makes_nothing_old() {
        let mut calendar = Calendar::at(START);
        assert!(calendar.look(Timestamp::UNIX_EPOCH, HOUR).is_some());
        assert_eq!(calendar.day(), None);
        for hour in 1..=24 {
            assert_eq!(calendar.look(Timestamp::UNIX_EPOCH + HOUR * hour, HOUR), None);
        }
        assert_eq!((calendar.day(), calendar.behind()), (Some(Timestamp::UNIX_EPOCH + days(1)), 0));
    }
}
