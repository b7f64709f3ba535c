//! How much one player and one table may ask for, and the breaker for loops between bots. Times are when messages were
//! sent.

use crate::budget::MOST_ROOMS;
use crate::quota::{DAILY_BYTES, Exports, PLAYER_EXPORTS, TABLE_EXPORTS, Used};
use chat::{PlayerId, RoomId};
use jiff::{SignedDuration, Timestamp};
use plugin_api::Refusal;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

/// Limits on what is answered; the example config explains each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Commands of one player within the window.
    pub per_player: usize,
    /// Commands in one room of a table within the window.
    pub per_table: usize,
    /// Answers with the same text to one player within the window.
    pub same_answers: usize,
    /// The window.
    pub window: SignedDuration,
    /// How long a player in a loop is ignored.
    pub silence: SignedDuration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            per_player: 10,
            per_table: 30,
            same_answers: 6,
            window: SignedDuration::from_secs(10),
            silence: SignedDuration::from_secs(60),
        }
    }
}

/// Whether a command is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It is played.
    Fine,
    /// It is refused, with a warning.
    Warn,
    /// It is refused, with a warning, because many answers wait to be said.
    Wait,
    /// It is ignored.
    Silent,
}

/// The window in which exports are counted, and the one in which entries are.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Players, and texts, remembered before the old ones are dropped.
const MANY: usize = 256;

/// Recent activity at a table.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Each room of the table has its own measure: what one does silences no other.
    rooms: BTreeMap<RoomId, Beat>,
    /// Exports within the hour; never more than the table's limit.
    exports: Vec<(Timestamp, PlayerId)>,
}

/// Recent activity of people, at all tables together: whoever plays at several has no more than one share.
#[derive(Debug, Default)]
pub struct Paces(Mutex<BTreeMap<PlayerId, PlayerPulse>>);

#[derive(Debug, Default)]
struct PlayerPulse {
    commands: Beat,
    renames: Beat,
    entries: Kept,
    /// False if they had so many names lately that what they hold was left with an earlier one.
    is_followed: bool,
    /// When each text was answered.
    answers: BTreeMap<String, Beat>,
    /// Twice the number of texts left when the old ones were last dropped.
    many: usize,
    silent_until: Option<Timestamp>,
    /// True once they were told to wait until their answers are said.
    waits: bool,
}

/// What somebody's entries take, within a day from the first.
#[derive(Debug, Default)]
struct Kept {
    since: Option<Timestamp>,
    bytes: usize,
}

impl Kept {
    /// When their day is over, if there is anything in it.
    fn until(&self, now: Timestamp) -> Option<Timestamp> {
        self.since.filter(|since| now.duration_since(*since).abs() < DAY).and_then(|since| since.checked_add(DAY).ok())
    }
}

#[derive(Debug, Default)]
struct Beat {
    times: VecDeque<Timestamp>,
    warned: bool,
}

impl Beat {
    /// Drops times outside the window, and if there are more than `most`, also those out of order.
    fn forget(&mut self, now: Timestamp, limits: &Limits, most: usize) {
        // A time far ahead comes from a wrong clock, and must not count for ever.
        let counts = |time: &Timestamp| now.duration_since(*time).abs() < limits.window;
        while self.times.front().is_some_and(|time| !counts(time)) {
            self.times.pop_front();
        }
        if self.times.len() >= most {
            self.times.retain(counts);
        }
    }

    fn count(&mut self, now: Timestamp, limits: &Limits, most: usize) -> Pace {
        self.forget(now, limits, most);
        if self.times.len() < most {
            self.times.push_back(now);
            self.warned = false;
            Pace::Fine
        } else if !self.warned {
            self.warned = true;
            Pace::Warn
        } else {
            Pace::Silent
        }
    }
}

impl PlayerPulse {
    fn is_silent(&self, now: Timestamp, limits: &Limits) -> bool {
        self.silent_until.is_some_and(|until| now < until && until.duration_since(now) <= limits.silence)
    }
}

impl Paces {
    /// Counts a command of `player` sent at `now`. So many answers to them wait to be said in its room; of a network that
    /// says less than its players ask for, nobody gets more than the limit of one window.
    pub fn command(&self, player: &PlayerId, now: Timestamp, (waiting, limits): (usize, &Limits)) -> Pace {
        let mut players = self.players();
        if players.len() > MANY {
            // Dropped if they were quiet for long, so that memory does not grow.
            let recent = |beat: &Beat| beat.times.back().is_some_and(|time| now.duration_since(*time) < limits.window);
            players.retain(|_, own| {
                let many = own.entries.bytes >= DAILY_BYTES / 2 && own.entries.until(now).is_some();
                many || recent(&own.commands) || recent(&own.renames) || own.is_silent(now, limits)
            });
        }
        let own = players.entry(player.clone()).or_default();
        if own.is_silent(now, limits) {
            return Pace::Silent;
        }
        if waiting >= limits.per_player {
            return if std::mem::replace(&mut own.waits, true) { Pace::Silent } else { Pace::Wait };
        }
        own.waits = false;
        own.commands.count(now, limits, limits.per_player)
    }

    /// Counts that `from` is called `to` from now on, which every room where they are hears. What was counted goes on, so
    /// nobody is limited less under another nick. Returns true if what they hold shall follow them: each time that makes an
    /// entry, and they need type nothing for it.
    pub fn renamed(&self, from: &PlayerId, to: &PlayerId, now: Timestamp, limits: &Limits) -> bool {
        let mut players = self.players();
        let before = players.remove(from);
        match players.get(to) {
            Some(heard_of) if before.is_none() => return heard_of.is_followed,
            _ => {}
        }
        let mut own = before.unwrap_or_default();
        own.is_followed = own.renames.count(now, limits, limits.per_player) == Pace::Fine;
        players.entry(to.clone()).insert_entry(own).get().is_followed
    }

    /// Counts one more command that the same line is played as, or that was given earlier. It is never refused: the group
    /// was begun.
    pub fn also_command(&self, player: &PlayerId, now: Timestamp) {
        self.players().entry(player.clone()).or_default().commands.times.push_back(now);
    }

    /// Counts what an entry of `player` takes.
    pub fn keeps(&self, player: &PlayerId, now: Timestamp, bytes: usize) {
        let mut players = self.players();
        let kept = &mut players.entry(player.clone()).or_default().entries;
        if kept.until(now).is_none() {
            *kept = Kept { since: Some(now), bytes: 0 };
        }
        kept.bytes = kept.bytes.saturating_add(bytes);
    }

    /// When `player` may add to a journal again, if they have filled their share of this day.
    pub fn is_full_until(&self, player: &PlayerId, now: Timestamp) -> Option<Timestamp> {
        let players = self.players();
        let kept = &players.get(player)?.entries;
        kept.until(now).filter(|_| kept.bytes >= DAILY_BYTES)
    }

    /// When another command of `player` may be played, if that is not yet.
    pub fn wait(&self, player: &PlayerId, now: Timestamp, limits: &Limits) -> Option<Timestamp> {
        let mut players = self.players();
        let commands = &mut players.get_mut(player)?.commands;
        commands.forget(now, limits, limits.per_player);
        let over = commands.times.len().checked_sub(limits.per_player)?;
        let last = commands.times.get(over)?;
        Some(last.saturating_add(limits.window).unwrap_or(now).max(now))
    }

    /// Counts an answer to `player`. Returns true if they may get it.
    pub fn answer(&self, player: &PlayerId, text: &str, now: Timestamp, limits: &Limits) -> bool {
        let mut players = self.players();
        let own = players.entry(player.clone()).or_default();
        if own.answers.len() > own.many.max(MANY) {
            let counts = |beat: &Beat| beat.times.back().is_some_and(|last| now.duration_since(*last) < limits.window);
            own.answers.retain(|_, beat| counts(beat));
            // Checked again only at twice the size, so as not to do it for every answer.
            own.many = own.answers.len() * 2;
        }
        if own.answers.entry(text.to_owned()).or_default().count(now, limits, limits.same_answers) != Pace::Fine {
            own.silent_until = Some(now.saturating_add(limits.silence).unwrap_or(now));
            return false;
        }
        true
    }

    fn players(&self) -> MutexGuard<'_, BTreeMap<PlayerId, PlayerPulse>> {
        self.0.lock().expect("nothing panics holding it")
    }
}

impl Pulse {
    /// Counts a command sent in a room at `now`.
    pub fn command(&mut self, room: &RoomId, now: Timestamp, limits: &Limits) -> Pace {
        self.forget(now, limits);
        self.in_room(room).count(now, limits, limits.per_table)
    }

    /// Counts one more command that the same line is played as. It is never refused: the group was begun.
    pub fn also_command(&mut self, room: &RoomId, now: Timestamp) {
        self.in_room(room).times.push_back(now);
    }

    fn in_room(&mut self, room: &RoomId) -> &mut Beat {
        self.rooms.entry(room.clone()).or_default()
    }

    /// Counts an export that `player` asks for at `now`. Returns the counts within the hour.
    ///
    /// # Errors
    /// The player or the table has none left.
    pub fn export(&mut self, player: &PlayerId, now: Timestamp) -> Result<Exports, Refusal> {
        let recent = |(time, _): &(Timestamp, PlayerId)| now.duration_since(*time).abs() < HOUR;
        self.exports.retain(recent);
        let own: Vec<_> = self.exports.iter().filter(|(_, each)| each == player).collect();
        let own = (own.len(), own.first().map(|(time, _)| *time), PLAYER_EXPORTS, "you have had your");
        let all =
            (self.exports.len(), self.exports.first().map(|(time, _)| *time), TABLE_EXPORTS, "this table has had its");
        for (used, first, most, had) in [own, all] {
            if let Some(first) = first.filter(|_| used >= most) {
                let minutes = ((HOUR - now.duration_since(first)).as_secs() / 60 + 1).clamp(1, 60);
                let what = format!("{had} {most} exports for this hour; the next one is possible in {minutes} min");
                return Err(Refusal::new(what).example("history 30"));
            }
        }
        self.exports.push((now, player.clone()));
        let used = |(used, _, most, _): (usize, _, usize, _)| Used { used: used + 1, most };
        Ok(Exports { own: used(own), table: used(all) })
    }

    /// Drops rooms that were quiet for long, so that memory does not grow.
    fn forget(&mut self, now: Timestamp, limits: &Limits) {
        if self.rooms.len() > MOST_ROOMS {
            let recent = |time: &Timestamp| now.duration_since(*time) < limits.window;
            self.rooms.retain(|_, beat| beat.times.back().is_some_and(recent));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn hall() -> RoomId {
        RoomId::new("n", "hall")
    }

    fn player(n: usize) -> PlayerId {
        PlayerId::new("n", n.to_string())
    }

    fn commands(paces: &Paces, n: usize, second: i64) -> Pace {
        let limits = Limits::default();
        paces.command(&player(n), at(second), (0, &limits))
    }

    #[test]
    fn another_nick_is_the_same_person_and_is_followed_as_often_as_commands_are_played() {
        let (paces, limits) = (Paces::default(), Limits::default());
        let renamed = |from, to, second| paces.renamed(&player(from), &player(to), at(second), &limits);
        assert_eq!((0..10).map(|_| commands(&paces, 0, 0)).collect::<Vec<_>>(), [Pace::Fine; 10]);
        assert!(renamed(0, 1, 0));
        assert!(renamed(0, 1, 0), "the next room hears of it too");
        assert_eq!(commands(&paces, 1, 0), Pace::Warn);
        assert!((1..10).all(|n| renamed(n, n + 1, 0)));
        assert!(!renamed(10, 11, 0) && !renamed(10, 11, 0));
        assert!(renamed(11, 12, 10));
    }

    #[test]
    fn nobody_fills_journals_without_end_and_the_next_day_begins_anew() {
        let paces = Paces::default();
        let full = |n, second| paces.is_full_until(&player(n), at(second));
        for second in 0..10 {
            assert_eq!(full(1, second), None);
            paces.keeps(&player(1), at(second), DAILY_BYTES / 10);
        }
        assert_eq!((full(1, 10), full(2, 10)), (Some(at(86_400)), None));
        assert_eq!(full(1, 86_400), None);
        paces.keeps(&player(1), at(86_400), 1);
        assert_eq!(full(1, 86_401), None);
    }

    #[test]
    fn over_the_limit_there_is_one_warning_and_then_silence_until_the_window_has_passed() {
        let all = Paces::default();
        let paces = |second, n| (0..n).map(|_| commands(&all, 1, second)).collect::<Vec<_>>();
        assert_eq!(paces(0, 10), [Pace::Fine; 10]);
        assert_eq!(paces(9, 3), [Pace::Warn, Pace::Silent, Pace::Silent]);
        assert_eq!(paces(10, 1), [Pace::Fine]);
    }

    #[test]
    fn who_has_many_answers_waiting_is_told_once_and_goes_on_when_they_are_said() {
        let (all, limits) = (Paces::default(), Limits::default());
        let mut pace = |waiting| all.command(&player(1), at(0), (waiting, &limits));
        assert_eq!([9, 10, 11, 10, 9].map(&mut pace), [Pace::Fine, Pace::Wait, Pace::Silent, Pace::Silent, Pace::Fine]);
    }

    #[test]
    fn a_room_has_a_limit_of_its_own() {
        let (mut pulse, limits) = (Pulse::default(), Limits::default());
        let paces: Vec<_> = (0..32).map(|_| pulse.command(&hall(), at(0), &limits)).collect();
        assert_eq!(paces[29..], [Pace::Fine, Pace::Warn, Pace::Silent]);
        let den = RoomId::new("n", "den");
        assert_eq!(pulse.command(&den, at(0), &limits), Pace::Fine, "another room of the table");
    }

    #[test]
    fn a_clock_that_is_ahead_mutes_nobody() {
        let (all, mut pulse, limits) = (Paces::default(), Pulse::default(), Limits::default());
        let ahead: Vec<_> = (0..30).map(|n| commands(&all, n, 4_000_000_000)).collect();
        assert_eq!(ahead, [Pace::Fine; 30]);
        let ahead: Vec<_> = (0..30).map(|_| pulse.command(&hall(), at(4_000_000_000), &limits)).collect();
        assert_eq!(ahead, [Pace::Fine; 30]);
        assert_eq!(commands(&all, 1, 0), Pace::Fine);
        assert_eq!(pulse.command(&hall(), at(0), &limits), Pace::Fine);
    }

    #[test]
    fn who_is_over_the_limit_may_go_on_when_the_first_command_is_a_window_ago() {
        let (all, limits) = (Paces::default(), Limits::default());
        assert_eq!(all.wait(&player(1), at(0), &limits), None);
        (0..10).for_each(|second| assert_eq!(commands(&all, 1, second), Pace::Fine));
        assert_eq!(all.wait(&player(1), at(9), &limits), Some(at(10)));
        (0..3).for_each(|_| all.also_command(&player(1), at(9)));
        assert_eq!(all.wait(&player(1), at(9), &limits), Some(at(13)));
        assert_eq!(all.wait(&player(1), at(13), &limits), None);
    }

    #[test]
    fn exports_are_counted_within_the_hour_for_a_player_and_for_the_table() {
        let mut pulse = Pulse::default();
        let told: Vec<_> = (0..6).map(|n| pulse.export(&player(1), at(60 * n)).unwrap().told()).collect();
        assert_eq!(told[..4], [const { None }; 4]);
        assert_eq!(told[4].as_deref(), Some(" You have 1 of 6 exports left for this hour."));
        assert_eq!(told[5].as_deref(), Some(" That was the last of your 6 exports for this hour."));
        let refused = |pulse: &mut Pulse, n, second| pulse.export(&player(n), at(second)).unwrap_err().what;
        assert!(refused(&mut pulse, 1, 600).ends_with("possible in 51 min"), "{}", refused(&mut pulse, 1, 600));
        let told: Vec<_> = (2..16).map(|n| pulse.export(&player(n), at(600)).unwrap().told()).collect();
        assert_eq!(told[8], None);
        assert_eq!(told[9].as_deref(), Some(" This table has 4 of 20 exports left for this hour."));
        assert!(refused(&mut pulse, 99, 700).starts_with("this table has had its 20 exports"));
        assert!(pulse.export(&player(1), at(3_600)).is_ok(), "the first one is an hour ago");
    }

    #[test]
    fn a_loop_is_broken_for_a_minute() {
        let (all, limits) = (Paces::default(), Limits::default());
        let answered: Vec<_> = (0..7).map(|_| all.answer(&player(1), "pong", at(0), &limits)).collect();
        assert_eq!(answered, [true, true, true, true, true, true, false]);
        assert_eq!(commands(&all, 1, 59), Pace::Silent);
        assert_eq!(commands(&all, 2, 59), Pace::Fine);
        assert_eq!(commands(&all, 1, 60), Pace::Fine);
        assert!(all.answer(&player(1), "other", at(60), &limits));
    }
}
