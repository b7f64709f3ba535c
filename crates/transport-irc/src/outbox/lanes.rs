//! Whose turn it is: channels and people take turns, line by line. All strangers together have the turns of one, and so
//! has what the server is asked about people: however many they are, a channel waits for one line of theirs at the most.

use super::Job;
use crate::pace::Bucket;
use irc_proto::Command;
use std::collections::{BTreeMap, VecDeque};
use tokio::time::Instant;

/// What may wait to be asked or told aside; more than that is left out.
const MOST_ASIDE: usize = 32;

/// Who is at the end of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A channel, or somebody in one of ours.
    Known,
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
    turn: u64,
    /// Who is there, once it was looked.
    side: Option<Side>,
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

/// The lanes, and whose turn it is.
pub(super) struct Lanes {
    lanes: BTreeMap<String, Lane>,
    /// The turn of the line that was written last.
    turn: u64,
    porch: Porch,
}

/// Where strangers stand.
struct Porch {
    /// Its turn among the lanes.
    turn: u64,
    /// The turn of the last one of them, among themselves.
    inner: u64,
    asides: VecDeque<Aside>,
    aside_turn: u64,
    /// How fast asides go, whoever else is silent.
    pace: Bucket,
}

impl Lanes {
    /// None; commands aside go at this pace.
    pub fn new(pace: Bucket) -> Self {
        let porch = Porch { turn: 0, inner: 0, asides: VecDeque::new(), aside_turn: 0, pace };
        Lanes { lanes: BTreeMap::new(), turn: 0, porch }
    }

    /// The lane of this name.
    pub fn lane(&mut self, name: &str) -> &mut Lane {
        let (turn, inner) = (self.turn, self.porch.inner);
        // What was said there before the others' last turn makes no difference any more.
        self.lanes.retain(|each, lane| {
            let last = if lane.side == Some(Side::Stranger) { inner } else { turn };
            each == name || !lane.jobs.is_empty() || lane.turn > last
        });
        let lane = self.lanes.entry(name.to_owned()).or_default();
        if lane.jobs.is_empty() {
            // Whoever it was may have come or gone meanwhile.
            (lane.turn, lane.side) = (lane.turn.max(turn), None);
        }
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

    /// Takes a command aside.
    pub fn put_aside(&mut self, aside: Aside) -> bool {
        let room = self.porch.asides.len() < MOST_ASIDE;
        if room {
            if self.porch.asides.is_empty() {
                self.porch.aside_turn = self.porch.aside_turn.max(self.porch.inner);
            }
            self.porch.asides.push_back(aside);
        }
        room
    }

    /// Nothing is left to be asked: the link is gone.
    pub fn drop_asides(&mut self, now: Instant) {
        self.porch.asides.clear();
        self.porch.pace.refill(now);
        // Who was a stranger may be in a channel by now.
        self.lanes.values_mut().for_each(|lane| lane.side = None);
    }

    /// Looks anew who can be reached, and who newly come lanes lead to.
    pub fn look(&mut self, side: impl Fn(&Job) -> Side) {
        for lane in self.lanes.values_mut() {
            lane.outside = false;
            if let (None, Some(first)) = (lane.side, lane.jobs.front()) {
                let found = side(first);
                lane.side = Some(found);
                if found == Side::Stranger {
                    lane.turn = self.porch.inner;
                    self.porch.turn = self.porch.turn.max(self.turn);
                }
            }
        }
        if !self.porch.asides.is_empty() {
            self.porch.turn = self.porch.turn.max(self.turn);
        }
    }

    /// What is next: of the same turn what is known goes first.
    pub fn next(&self, now: Instant) -> Option<Next> {
        let ready = self.lanes.iter().filter(|(_, lane)| !lane.jobs.is_empty() && !lane.outside);
        let key = |lane: &Lane| match lane.side {
            Some(Side::Stranger) => (self.porch.turn, Side::Stranger as u8, lane.turn, lane.jobs.len()),
            _ => (lane.turn, Side::Known as u8, lane.turn, lane.jobs.len()),
        };
        let said = ready.map(|(name, lane)| (key(lane), name)).min();
        let aside = (!self.porch.asides.is_empty() && self.porch.pace.is_free(now))
            .then(|| (self.porch.turn, Side::Stranger as u8, self.porch.aside_turn, 0));
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
        (!self.porch.asides.is_empty()).then(|| self.porch.pace.free_at())
    }

    /// The next command aside; that was its turn.
    pub fn aside(&mut self, now: Instant) -> Option<Aside> {
        let aside = self.porch.asides.pop_front()?;
        self.porch.pace.take(now);
        self.turn = self.porch.turn;
        self.porch.turn += 1;
        self.porch.inner = self.porch.aside_turn;
        self.porch.aside_turn += 1;
        Some(aside)
    }

    /// A line of this lane was written.
    pub fn said(&mut self, name: &str) {
        let lane = self.lanes.get_mut(name).expect("it was just found");
        if lane.side == Some(Side::Stranger) {
            self.turn = self.porch.turn;
            self.porch.turn += 1;
            self.porch.inner = lane.turn;
        } else {
            self.turn = lane.turn;
        }
        lane.turn += 1;
    }
}
