//! Whose turn it is. Channels take turns, line by line. All people together have the turns of one channel and take
//! turns among themselves; so have all strangers, together with what the server is asked about people. However many
//! they are, a channel waits for at most one line of each kind.

use super::Job;
use crate::pace::Bucket;
use irc_proto::Command;
use std::collections::{BTreeMap, VecDeque};
use tokio::time::Instant;

/// The most asides that may wait; any more are dropped.
const MOST_ASIDE: usize = 32;

/// Who is at the end of a lane. On equal turns, the one listed first goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// A channel.
    #[default]
    Channel,
    /// Somebody in one of the bot's channels.
    Person,
    /// Somebody who shares no channel with the bot.
    Stranger,
}

/// What is to be said in a room or to a person. A lane with much to say takes its turns one after another; a lane with
/// little to say gets in between.
#[derive(Default)]
pub(super) struct Lane {
    pub jobs: VecDeque<Job>,
    /// True if the bot is not in the channel yet.
    pub outside: bool,
    /// Its turn among the lanes of its side.
    turn: u64,
    /// Who is there, once that has been looked up.
    side: Option<Side>,
    /// True if it was empty before, so who is there may have changed.
    fresh: bool,
    /// How many answers were begun, and which of them was each player's last.
    begun: u64,
    last: BTreeMap<String, u64>,
}

impl Lane {
    /// Puts first what is next, unless something is begun: players take turns, and what is mirrored from other rooms comes
    /// last. Returns how many answers to the same player wait, with this one.
    pub fn choose(&mut self) -> usize {
        let rank = |(place, job): &(usize, &Job)| {
            // What may have been said before the link was lost is repeated before anything new is said.
            let last = if job.post.again { 0 } else { self.last.get(job.speaker()).copied().unwrap_or_default() };
            (!job.post.again, job.post.mirrored, last, *place)
        };
        let waits = self.jobs.front().is_some_and(|first| first.begun.is_none());
        let next = self.jobs.iter().enumerate().min_by_key(rank).filter(|_| waits).map(|(place, _)| place);
        if let Some(job) = next.filter(|place| *place > 0).and_then(|place| self.jobs.remove(place)) {
            self.jobs.push_front(job);
        }
        let Some(first) = self.jobs.front() else { return 0 };
        self.jobs.iter().filter(|job| job.speaker() == first.speaker()).count()
    }

    /// Notes that the first answer was begun.
    pub fn served(&mut self) {
        if let Some(first) = self.jobs.front() {
            self.begun += 1;
            self.last.insert(first.speaker().to_owned(), self.begun);
        }
    }
}

/// A question or message to the server on somebody's behalf, other than an answer of the bot.
pub struct Aside {
    /// The command to send.
    pub command: Command,
    /// The person it asks about.
    pub of: Option<String>,
}

/// What to send next.
pub(super) enum Next {
    /// A line of this lane.
    Say(String),
    /// An aside.
    Aside,
}

/// The turns of people who share the turns of one channel.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Its turn among the channels.
    turn: u64,
    /// The last turn taken within the group.
    inner: u64,
    /// True if one of them has something to say.
    busy: bool,
}

/// The lanes, and whose turn it is.
pub(super) struct Lanes {
    lanes: BTreeMap<String, Lane>,
    /// The turn of the last line written.
    turn: u64,
    people: Group,
    strangers: Group,
    asides: VecDeque<Aside>,
    /// The turn of asides among the strangers.
    aside_turn: u64,
    /// The pace of asides, even if nobody else speaks.
    pace: Bucket,
}

impl Lanes {
    /// No lanes; asides go at this pace.
    pub fn new(pace: Bucket) -> Self {
        let (people, strangers) = Default::default();
        Lanes { lanes: BTreeMap::new(), turn: 0, people, strangers, asides: VecDeque::new(), aside_turn: 0, pace }
    }

    /// The last turn taken on each side.
    fn last(&self) -> [u64; 3] {
        [self.turn, self.people.inner, self.strangers.inner]
    }

    /// The turn among all lanes of a lane with this side and turn.
    fn among_all(&self, side: Side, turn: u64) -> u64 {
        match side {
            Side::Channel => turn,
            Side::Person => self.people.turn,
            Side::Stranger => self.strangers.turn,
        }
    }

    /// Returns the lane of this name, and creates it if needed.
    pub fn lane(&mut self, name: &str) -> &mut Lane {
        let last = self.last();
        // Lanes whose last line is older than the last turn of their side no longer matter.
        self.lanes.retain(|each, lane| {
            let last = last[lane.side.unwrap_or_default() as usize];
            each == name || !lane.jobs.is_empty() || lane.turn > last
        });
        let lane = self.lanes.entry(name.to_owned()).or_default();
        if lane.jobs.is_empty() {
            lane.fresh = true;
            lane.last.clear();
        }
        lane
    }

    /// Returns the lane of this name, which has something to say.
    pub fn busy(&mut self, name: &str) -> &mut Lane {
        self.lanes.get_mut(name).expect("it was just found")
    }

    /// All lanes.
    pub fn each(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.lanes.values_mut()
    }

    /// Removes and returns everything that waits.
    pub fn take_all(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.lanes).into_values().flat_map(|lane| lane.jobs).collect()
    }

    /// Takes an aside. Returns true if there is room for it.
    pub fn put_aside(&mut self, aside: Aside) -> bool {
        let room = self.asides.len() < MOST_ASIDE;
        if room {
            if self.asides.is_empty() {
                self.aside_turn = self.aside_turn.max(self.strangers.inner);
            }
            self.asides.push_back(aside);
        }
        room
    }

    /// Drops all asides, because the link is gone.
    pub fn drop_asides(&mut self, now: Instant) {
        self.asides.clear();
        self.pace.refill(now);
        self.lanes.values_mut().for_each(|lane| lane.fresh = true);
    }

    /// Checks again who can be reached, and who is at the end of lanes that have something to say again.
    pub fn look(&mut self, side: impl Fn(&Job) -> Side) {
        let last = self.last();
        for lane in self.lanes.values_mut() {
            let waited = std::mem::take(&mut lane.outside);
            let Some(first) = lane.jobs.front().filter(|_| lane.fresh || waited) else { continue };
            let found = side(first);
            let turn = if lane.side == Some(found) { lane.turn } else { 0 };
            (lane.turn, lane.side, lane.fresh) = (turn.max(last[found as usize]), Some(found), false);
        }
        let busy = |side| self.lanes.values().any(|lane| lane.side == Some(side) && !lane.jobs.is_empty());
        let (people, strangers) = (busy(Side::Person), busy(Side::Stranger) || !self.asides.is_empty());
        for (group, busy) in [(&mut self.people, people), (&mut self.strangers, strangers)] {
            // A silent group does not catch up.
            if busy && !group.busy {
                group.turn = group.turn.max(self.turn);
            }
            group.busy = busy;
        }
    }

    /// What to send next; on equal turns a channel goes first.
    pub fn next(&self, now: Instant) -> Option<Next> {
        let ready = self.lanes.iter().filter(|(_, lane)| !lane.jobs.is_empty() && !lane.outside);
        let key = |lane: &Lane| {
            let side = lane.side.unwrap_or_default();
            (self.among_all(side, lane.turn), side, lane.turn, lane.jobs.len())
        };
        let said = ready.map(|(name, lane)| (key(lane), name)).min();
        let aside = (!self.asides.is_empty() && self.pace.is_free(now)).then_some((
            self.strangers.turn,
            Side::Stranger,
            self.aside_turn,
            0,
        ));
        match (said, aside) {
            (Some((said, name)), Some(aside)) if said < aside => Some(Next::Say(name.clone())),
            (_, Some(_)) => Some(Next::Aside),
            (Some((_, name)), None) => Some(Next::Say(name.clone())),
            (None, None) => None,
        }
    }

    /// True if a lane has something to say that can be said.
    pub fn has_to_say(&self) -> bool {
        self.lanes.values().any(|lane| !lane.jobs.is_empty() && !lane.outside)
    }

    /// When an aside may go, if one waits.
    pub fn aside_at(&self) -> Option<Instant> {
        (!self.asides.is_empty()).then(|| self.pace.free_at())
    }

    /// Takes the next aside and counts its turn.
    pub fn aside(&mut self, now: Instant) -> Option<Aside> {
        let aside = self.asides.pop_front()?;
        self.pace.take(now);
        self.turn = self.turn.max(self.strangers.turn);
        (self.strangers.turn, self.strangers.inner) = (self.strangers.turn + 1, self.aside_turn);
        self.aside_turn += 1;
        Some(aside)
    }

    /// Notes that a line of this lane was written.
    pub fn said(&mut self, name: &str) {
        let lane = self.lanes.get_mut(name).expect("it was just found");
        let turn = lane.turn;
        lane.turn += 1;
        let group = match lane.side.unwrap_or_default() {
            Side::Channel => {
                self.turn = self.turn.max(turn);
                return;
            }
            Side::Person => &mut self.people,
            Side::Stranger => &mut self.strangers,
        };
        self.turn = self.turn.max(group.turn);
        (group.turn, group.inner) = (group.turn + 1, turn);
    }
}
