//! Which room is tried next: by the rank of whoever wants the bot there, then in turns.

use crate::Settings;
use matrix_sdk::ruma::{OwnedRoomOrAliasId, OwnedServerName, OwnedUserId};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;
use tokio::time::Instant;

/// How often to try a room that refuses the bot.
const ATTEMPTS: u32 = 5;
/// How often to try if the homeserver asks to wait.
const LIMITED: u32 = 20;
/// The most rooms waiting for one stranger, and for one person the operator named.
const WAITING: usize = 20;
const WAITING_NAMED: usize = 500;
/// The most rooms tried at once for strangers; there is no limit for those the operator named.
const AT_ONCE: usize = 4;
/// The most rooms remembered as given up. They are tried again when somebody invites the bot again.
const GIVEN_UP: usize = 1_000;
/// How often a stranger's invitations may open a room again that was given up, in this time.
const BEGINNINGS: usize = 2;
const LATELY: Duration = Duration::from_secs(3600);
/// How long a room of the configuration waits that does not let the bot in.
pub(super) const SELDOM: Duration = Duration::from_secs(600);

/// Who wants the bot in a room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Caller {
    /// The configuration.
    Operator,
    /// The person who invited it, or upgraded a room.
    User(OwnedUserId),
}

impl Caller {
    /// How early their rooms are tried, 0 first: the operator's own, then those of people on the list (owners are on
    /// it), then of people from servers on the list, then everybody's.
    pub fn place(&self, settings: &Settings) -> u8 {
        let named = |name: &str| settings.invites.contains(name);
        match self {
            Caller::Operator => 0,
            Caller::User(user) if named(user.as_str()) => 1,
            Caller::User(user) if named(user.server_name().as_str()) => 2,
            Caller::User(_) => 3,
        }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caller::Operator => write!(f, "the configuration"),
            Caller::User(user) => write!(f, "{user}"),
        }
    }
}

/// Whether the operator named the person who wants the bot there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Named,
    Stranger,
}

impl Rank {
    /// The rank of a [place](Caller::place).
    pub fn of(place: u8) -> Self {
        if place <= 1 { Rank::Named } else { Rank::Stranger }
    }
}

/// A room that the bot should be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub room: OwnedRoomOrAliasId,
    pub caller: Caller,
    /// Homeservers that know the room.
    pub via: Vec<OwnedServerName>,
}

/// Why a room must be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// It refuses the bot.
    Refused,
    /// The operator wants the bot there, and nobody invited it.
    Uninvited,
    /// The operator wants the bot there, and it knocked.
    Knocked,
    /// The homeserver asks to wait this long.
    Limited(Duration),
    /// The homeserver answers nothing; that is not the room's fault.
    Down,
}

/// When a room is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// After this long.
    Soon(Duration),
    /// From now on seldom, because it does not let the bot in; or when it is invited.
    Seldom,
    SeldomAsBefore,
    /// Only if somebody invites the bot again.
    Never,
}

/// A room waiting to be tried.
struct Waiting {
    wanted: Wanted,
    place: u8,
    due: Instant,
    order: u64,
}

/// How often a room was tried.
#[derive(Clone, Copy, Default)]
struct Tries {
    failed: u32,
    limited: u32,
}

/// The waiting rooms.
pub(super) struct Queue {
    waiting: Vec<Waiting>,
    underway: BTreeMap<OwnedRoomOrAliasId, (Caller, u8)>,
    tries: BTreeMap<OwnedRoomOrAliasId, Tries>,
    /// The number of turns that callers with waiting rooms have had.
    turns: BTreeMap<Caller, u64>,
    /// Rooms that were given up, and when somebody's invitation opened them again.
    given_up: BTreeMap<OwnedRoomOrAliasId, Vec<Instant>>,
    /// Rooms of the configuration that do not let the bot in.
    shut: BTreeSet<OwnedRoomOrAliasId>,
    retries: (Duration, Duration),
    order: u64,
}

impl Queue {
    /// An empty queue; `retries` are the first and the longest wait between attempts.
    pub fn new(retries: (Duration, Duration)) -> Self {
        Queue {
            waiting: Vec::new(),
            underway: BTreeMap::new(),
            tries: BTreeMap::new(),
            turns: BTreeMap::new(),
            given_up: BTreeMap::new(),
            shut: BTreeSet::new(),
            retries,
            order: 0,
        }
    }

    /// Adds a room. Returns it if its caller has too many waiting.
    pub fn add(&mut self, wanted: Wanted, place: u8) -> Result<(), Wanted> {
        let now = Instant::now();
        if let Some(waiting) = self.waiting.iter_mut().find(|waiting| waiting.wanted.room == wanted.room) {
            // A room that waits for an invitation has one now.
            waiting.due = if self.shut.contains(&wanted.room) { now } else { waiting.due };
            return Ok(());
        }
        if self.underway.contains_key(&wanted.room) || !self.may_begin(&wanted.room, place, now) {
            return Ok(());
        }
        let most = match place {
            0 => usize::MAX,
            1 => WAITING_NAMED,
            _ => WAITING,
        };
        if self.waiting.iter().filter(|waiting| waiting.wanted.caller == wanted.caller).count() >= most {
            return Err(wanted);
        }
        self.put(wanted, place, now);
        Ok(())
    }

    /// True unless the room was given up and invitations opened it again too often lately. People the operator named
    /// always may.
    fn may_begin(&mut self, room: &OwnedRoomOrAliasId, place: u8, now: Instant) -> bool {
        let Some(begun) = self.given_up.get_mut(room) else { return true };
        begun.retain(|begun| now.duration_since(*begun) < LATELY);
        let may = Rank::of(place) == Rank::Named || begun.len() < BEGINNINGS;
        if may {
            begun.push(now);
        }
        may
    }

    fn put(&mut self, wanted: Wanted, place: u8, due: Instant) {
        self.order += 1;
        self.waiting.push(Waiting { wanted, place, due, order: self.order });
    }

    /// The room to try now, among those whose `pace` allows it. Each stranger has one room tried at a time.
    pub fn next(&mut self, now: Instant, pace: &dyn Fn(Rank) -> bool) -> Option<(Wanted, Rank)> {
        let strangers = self.underway.values().filter(|(_, place)| Rank::of(*place) == Rank::Stranger).count();
        let may = |waiting: &&Waiting| {
            let busy = self.underway.values().any(|(caller, _)| *caller == waiting.wanted.caller);
            let rank = Rank::of(waiting.place);
            waiting.due <= now && pace(rank) && (rank == Rank::Named || (!busy && strangers < AT_ONCE))
        };
        let key = |waiting: &Waiting| {
            let turns = self.turns.get(&waiting.wanted.caller).copied().unwrap_or_default();
            (waiting.place, turns, waiting.order)
        };
        let order = self.waiting.iter().filter(may).min_by_key(|waiting| key(waiting))?.order;
        let at = self.waiting.iter().position(|waiting| waiting.order == order)?;
        let Waiting { wanted, place, .. } = self.waiting.remove(at);
        *self.turns.entry(wanted.caller.clone()).or_default() += 1;
        self.underway.insert(wanted.room.clone(), (wanted.caller.clone(), place));
        Some((wanted, Rank::of(place)))
    }

    /// When the next waiting room is due, by its own time and by its pace.
    pub fn due(&self, now: Instant, pace: &dyn Fn(Rank) -> Option<Instant>) -> Option<Instant> {
        let due = |waiting: &Waiting| pace(Rank::of(waiting.place)).map(|free| free.max(waiting.due));
        // Rooms due now are waiting for an attempt to end.
        self.waiting.iter().filter_map(due).filter(|due| *due > now).min()
    }

    /// Puts a room back for another try: after the time asked for, or after longer each time, unless it was tried often
    /// enough.
    pub fn again(&mut self, wanted: Wanted, now: Instant, why: Why) -> Again {
        let Some((caller, place)) = self.underway.remove(&wanted.room) else { return Again::SeldomAsBefore };
        let tries = self.tries.entry(wanted.room.clone()).or_default();
        match why {
            Why::Refused => tries.failed += 1,
            Why::Limited(_) if caller != Caller::Operator => tries.limited += 1,
            Why::Limited(_) | Why::Down => {}
            Why::Uninvited | Why::Knocked => tries.failed = ATTEMPTS,
        }
        let (failed, tried) = (tries.failed, tries.failed >= ATTEMPTS || tries.limited >= LIMITED);
        if tried && caller == Caller::Operator && !matches!(why, Why::Down | Why::Limited(_)) {
            let first = self.shut.insert(wanted.room.clone());
            self.put(wanted, place, now + SELDOM);
            return if first { Again::Seldom } else { Again::SeldomAsBefore };
        }
        if tried && caller != Caller::Operator {
            self.give_up(&wanted);
            return Again::Never;
        }
        let (first, most) = self.retries;
        let wait = match why {
            Why::Limited(asked) => asked,
            Why::Down => most,
            Why::Refused | Why::Uninvited | Why::Knocked => (first * 2_u32.saturating_pow(failed)).min(most),
        };
        self.put(wanted, place, now + wait);
        Again::Soon(wait)
    }

    /// Notes that the bot is in the room.
    pub fn done(&mut self, wanted: &Wanted) {
        self.forget(wanted);
        self.given_up.remove(&wanted.room);
        self.shut.remove(&wanted.room);
    }

    fn forget(&mut self, wanted: &Wanted) {
        self.underway.remove(&wanted.room);
        self.tries.remove(&wanted.room);
        self.tidy();
    }

    /// Stops trying the room.
    fn give_up(&mut self, wanted: &Wanted) {
        self.forget(wanted);
        if self.given_up.len() >= GIVEN_UP && !self.given_up.contains_key(&wanted.room) {
            self.given_up.pop_first();
        }
        self.given_up.entry(wanted.room.clone()).or_default();
    }

    /// Forgets the turns of callers without waiting rooms.
    fn tidy(&mut self) {
        let (waiting, underway) = (&self.waiting, &self.underway);
        self.turns.retain(|caller, _| {
            waiting.iter().any(|waiting| waiting.wanted.caller == *caller)
                || underway.values().any(|(underway, _)| underway == caller)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(caller: &str, room: u32) -> Wanted {
        let room = OwnedRoomOrAliasId::try_from(format!("!{caller}{room}:a.org")).unwrap();
        let caller = OwnedUserId::try_from(format!("@{caller}:a.org")).unwrap();
        Wanted { room, caller: Caller::User(caller), via: Vec::new() }
    }

    fn next(queue: &mut Queue, now: Instant) -> Option<Wanted> {
        queue.next(now, &|_| true).map(|(wanted, _)| wanted)
    }

    fn queue() -> Queue {
        Queue::new((Duration::from_secs(1), Duration::from_secs(8)))
    }

    #[test]
    fn whoever_was_named_goes_first_and_strangers_take_turns() {
        let mut queue = queue();
        for room in 0..3 {
            queue.add(wanted("mallory", room), 3).unwrap();
        }
        queue.add(wanted("bob", 0), 3).unwrap();
        queue.add(wanted("gus", 0), 1).unwrap();
        let mut order = Vec::new();
        while let Some(next) = next(&mut queue, Instant::now()) {
            order.push(next.room.to_string());
            queue.done(&next);
        }
        assert_eq!(order, ["!gus0:a.org", "!mallory0:a.org", "!bob0:a.org", "!mallory1:a.org", "!mallory2:a.org"]);
    }

    #[test]
    fn a_stranger_has_one_room_tried_at_a_time_and_few_waiting() {
        let mut queue = queue();
        let refused = (0..50).filter(|room| queue.add(wanted("mallory", *room), 3).is_err()).count();
        assert_eq!(refused, 50 - WAITING);
        assert!(next(&mut queue, Instant::now()).is_some());
        assert_eq!(next(&mut queue, Instant::now()), None);
        queue.add(wanted("gus", 0), 1).unwrap();
        assert_eq!(next(&mut queue, Instant::now()), Some(wanted("gus", 0)));
    }

    /// Tries a room until the queue no longer puts it back soon. Returns how it ended.
    fn refuse(queue: &mut Queue, now: &mut Instant) -> Again {
        loop {
            let tried = next(queue, *now).expect("it is due");
            let again = queue.again(tried, *now, Why::Refused);
            assert_eq!(next(queue, *now), None, "it waits, or is given up");
            *now += Duration::from_secs(8);
            if !matches!(again, Again::Soon(_)) {
                return again;
            }
        }
    }

    #[test]
    fn a_room_that_was_given_up_is_tried_anew_when_somebody_invites_again_but_not_for_ever() {
        let (mut queue, mut now) = (queue(), Instant::now() + Duration::from_secs(1));
        for _ in 0..=BEGINNINGS {
            queue.add(wanted("mallory", 0), 3).unwrap();
            assert_eq!(refuse(&mut queue, &mut now), Again::Never);
        }
        queue.add(wanted("mallory", 0), 3).unwrap();
        assert_eq!(next(&mut queue, now + Duration::from_secs(60)), None, "too often within an hour");
        for _ in 0..5 {
            queue.add(wanted("mallory", 0), 1).unwrap();
            assert_eq!(refuse(&mut queue, &mut now), Again::Never, "an owner always may");
        }
    }

    #[test]
    fn a_room_of_the_configuration_waits_for_an_invitation() {
        let (mut queue, now) = (queue(), Instant::now());
        let room = Wanted { caller: Caller::Operator, ..wanted("gus", 0) };
        queue.add(room.clone(), 0).unwrap();
        let tried = next(&mut queue, now + Duration::from_secs(1)).unwrap();
        assert_eq!(queue.again(tried, now, Why::Uninvited), Again::Seldom);
        assert_eq!(next(&mut queue, now + Duration::from_secs(60)), None);
        queue.add(room, 0).unwrap();
        let tried = next(&mut queue, now + Duration::from_secs(60)).unwrap();
        assert_eq!(queue.again(tried, now, Why::Uninvited), Again::SeldomAsBefore, "it is said once");
        assert!(next(&mut queue, now + SELDOM).is_some());
    }
}
