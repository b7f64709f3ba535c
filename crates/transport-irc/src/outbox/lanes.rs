//! Whose turn it is: channels take turns, line by line. All people together have the turns of one channel, among whom each
//! has a turn; so have all strangers, with what the server is asked about people. However many they are, a channel waits for
//! one line of each kind at the most.

use super::Job;
use crate::pace::Bucket;
use irc_proto::Command;
use std::collections::{BTreeMap, VecDeque};
use tokio::time::Instant;

/// What may wait to be asked or told aside; more than that is left out.
const MOST_ASIDE: usize = 32;

/// Who is at the end of a lane. Of the same turn, the first goes first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// A channel.
    #[default]
    Channel,
    /// Somebody in one of ours.
    Person,
    /// Somebody whom the bot shares no channel with.
    Stranger,
}

/// What is to be said in a room, or to somebody. A lane with much to say takes its turns one after another; one that
/// comes with little goes in between.
#[derive(Default)]
pub(super) struct Lane {
    pub jobs: VecDeque<Job>,
    /// The bot is not in the channel yet.
    pub outside: bool,
    /// Among those of its side.
    turn: u64,
    /// Who is there, once it was looked.
    side: Option<Side>,
    /// It had nothing to say before, and whoever is there may have come or gone.
    fresh: bool,
}

/// What the server is asked or told on behalf of somebody, besides answers.
pub struct Aside {
    /// It.
    pub command: Command,
    /// Of whom it asks.
    pub of: Option<String>,
}

/// What is next.
pub(super) enum Next {
    /// A line of this lane.
    Say(String),
    /// A command aside.
    Aside,
}

/// The turns of those who have one together.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Its turn among the channels.
    turn: u64,
    /// The turn of the last one of them, among themselves.
    inner: u64,
    /// One of them has something to say.
    busy: bool,
}

/// The lanes, and whose turn it is.
pub(super) struct Lanes {
    lanes: BTreeMap<String, Lane>,
    /// The turn of the line that was written last.
    turn: u64,
    people: Group,
    strangers: Group,
    asides: VecDeque<Aside>,
    /// The turn of asides among strangers.
    aside_turn: u64,
    /// How fast asides go, whoever else is silent.
    pace: Bucket,
}

impl Lanes {
    /// None; commands aside go at this pace.
    pub fn new(pace: Bucket) -> Self {
        let (people, strangers) = Default::default();
        Lanes { lanes: BTreeMap::new(), turn: 0, people, strangers, asides: VecDeque::new(), aside_turn: 0, pace }
    }

    /// The last turn among those of each side.
    fn last(&self) -> [u64; 3] {
        [self.turn, self.people.inner, self.strangers.inner]
    }

    /// The turn of a lane of this side and turn among all.
    fn among_all(&self, side: Side, turn: u64) -> u64 {
        match side {
            Side::Channel => turn,
            Side::Person => self.people.turn,
            Side::Stranger => self.strangers.turn,
        }
    }

    /// The lane of this name.
    pub fn lane(&mut self, name: &str) -> &mut Lane {
        let last = self.last();
        // What was said there before the others' last turn makes no difference any more.
        self.lanes.retain(|each, lane| {
            let last = last[lane.side.unwrap_or_default() as usize];
            each == name || !lane.jobs.is_empty() || lane.turn > last
        });
        let lane = self.lanes.entry(name.to_owned()).or_default();
        lane.fresh |= lane.jobs.is_empty();
        lane
    }

    /// The lane of this name, which has something to say.
    pub fn busy(&mut self, name: &str) -> &mut Lane {
        self.lanes.get_mut(name).expect("it was just found")
    }

    /// All of them.
    pub fn each(&mut self) -> impl Iterator<Item = &mut Lane> {
        self.lanes.values_mut()
    }

    /// Everything that waits.
    pub fn take_all(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.lanes).into_values().flat_map(|lane| lane.jobs).collect()
    }

    /// Takes a command aside; whether there is room for it.
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

    /// Nothing is left to be asked: the link is gone.
    pub fn drop_asides(&mut self, now: Instant) {
        self.asides.clear();
        self.pace.refill(now);
        self.lanes.values_mut().for_each(|lane| lane.fresh = true);
    }

    /// Looks anew who can be reached, and who is at the end of lanes that have something to say again.
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
            // Who was silent does not catch up.
            if busy && !group.busy {
                group.turn = group.turn.max(self.turn);
            }
            group.busy = busy;
        }
    }

    /// What is next: of the same turn a channel goes first.
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

    /// Whether a lane has something to say that can be said.
    pub fn has_to_say(&self) -> bool {
        self.lanes.values().any(|lane| !lane.jobs.is_empty() && !lane.outside)
    }

    /// When a command aside may go, if one waits.
    pub fn aside_at(&self) -> Option<Instant> {
        (!self.asides.is_empty()).then(|| self.pace.free_at())
    }

    /// The next command aside; that was its turn.
    pub fn aside(&mut self, now: Instant) -> Option<Aside> {
        let aside = self.asides.pop_front()?;
        self.pace.take(now);
        self.turn = self.turn.max(self.strangers.turn);
        (self.strangers.turn, self.strangers.inner) = (self.strangers.turn + 1, self.aside_turn);
        self.aside_turn += 1;
        Some(aside)
    }

    /// A line of this lane was written.
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
