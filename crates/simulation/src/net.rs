//! A network as its people see it: what they said, in order, and what the bot said. It outlives the bot.
//!
//! It does everything its [`Kind`] allows, however unkind. It redelivers or loses what was not accepted. It shows a
//! post without confirming it before the bot dies. It refuses some posts.

mod link;

pub use link::Link;

use crate::log::Log;
use crate::luck::Luck;
use chat::{
    Desk, Edits, Event, Guarantees, PlayerId, Post, Recipient, Repeated, RoomId, SendError, Sent, Unaccepted, What,
};
use link::Answer;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;

/// The prefix of private rooms, followed by the player's name.
pub const PRIVATE: &str = "~";

/// What can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Like Matrix: everything is redelivered until accepted, posts appear once, messages can be edited.
    Matrix,
    /// Like IRC: what is said while nobody listens is lost, and a post said twice appears twice.
    Irc,
    /// Like IRC with a history: the last messages are repeated after each connection, under their ids.
    History,
    /// The rest of what the trait allows: everything is redelivered, and a post said twice appears twice.
    Doubtful,
}

impl Kind {
    /// The guarantees given to the core.
    pub fn guarantees(self) -> Guarantees {
        let (unaccepted, repeated, edits) = match self {
            Kind::Matrix => (Unaccepted::ComeAgain, Repeated::Once, Edits::Shown),
            Kind::Irc | Kind::History => (Unaccepted::Lost, Repeated::Twice, Edits::None),
            Kind::Doubtful => (Unaccepted::ComeAgain, Repeated::Twice, Edits::Shown),
        };
        Guarantees { unaccepted, repeated, edits }
    }

    /// True if a message may be heard again under its id.
    pub fn comes_again(self) -> bool {
        self != Kind::Irc
    }

    /// True if everything said is accepted in the end.
    pub fn loses_nothing(self) -> bool {
        self.guarantees().unaccepted == Unaccepted::ComeAgain
    }
}

/// A post as people saw it.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The post.
    pub post: Post,
    /// Its text, without the text in front.
    pub text: String,
    /// True if it was there already and was not shown again.
    pub repeated: bool,
}

impl Wire {
    /// The id of its only reader; `None` means everybody.
    pub fn reader(&self) -> Option<&str> {
        match &self.post.to {
            Recipient::Player(player) => Some(&player.id),
            Recipient::Room => self.post.room.id.strip_prefix(PRIVATE),
        }
    }
}

/// A network.
pub struct Net {
    /// Its name.
    pub name: String,
    /// What can be relied on.
    pub kind: Kind,
    /// The people in each room.
    members: BTreeMap<RoomId, Vec<(PlayerId, String)>>,
    log: Log,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    timeline: Vec<Event>,
    /// The number of events that were delivered at least once, or lost.
    known: usize,
    /// The place where the bot's connection reads next.
    at: usize,
    /// Messages before this place were said during the bot's absence.
    away: usize,
    listening: Listening,
    accepted: BTreeSet<usize>,
    /// The machine whose bot connected last.
    machine: usize,
    sending: BTreeMap<Lane, VecDeque<Sending>>,
    /// The keys of the posts that appeared, with the ids they got.
    there: BTreeMap<String, Sent>,
    wires: Vec<Wire>,
    refused: BTreeSet<String>,
    desk: Option<Arc<dyn Desk>>,
}

/// A machine and a room: what is sent from one to the other keeps its order.
pub type Lane = (usize, RoomId);

/// The state of the bot's connection.
#[derive(Default)]
enum Listening {
    /// There is none, or it is handing over a delivery.
    #[default]
    No,
    /// It waits for something to hand over.
    Waits(Waker),
    /// It may hand over this part of the timeline.
    May(usize, usize),
}

impl Inner {
    /// Takes out what is under way from a machine.
    fn taken(&mut self, machine: usize) -> Vec<VecDeque<Sending>> {
        let its: Vec<Lane> = self.sending.keys().filter(|lane| lane.0 == machine).cloned().collect();
        its.iter().filter_map(|lane| self.sending.remove(lane)).collect()
    }

    /// The bot on this machine does not listen any more. Without redelivery nobody hears what is said from now on, if no
    /// other listens.
    fn disconnect(&mut self, machine: usize) {
        if self.machine == machine {
            (self.listening, self.desk, self.away) = (Listening::No, None, self.timeline.len());
        }
    }
}

struct Sending {
    post: Post,
    /// The network's outcome so far.
    said: Option<Result<Sent, SendError>>,
    answer: Arc<Mutex<Answer>>,
}

impl Net {
    /// A network where nothing was said yet.
    pub fn new(name: &str, kind: Kind, members: BTreeMap<RoomId, Vec<(PlayerId, String)>>, log: Log) -> Arc<Self> {
        Arc::new(Net { name: name.to_owned(), kind, members, log, inner: Mutex::default() })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics holding it")
    }

    /// Something happens. Events in other rooms that the bot has not heard yet may be placed after it, as the network
    /// likes.
    pub fn happen(&self, event: Event, luck: &mut Luck) {
        let mut inner = self.inner();
        let mut place = inner.timeline.len();
        while place > inner.known && inner.timeline[place - 1].room() != event.room() && luck.percent(30) {
            place -= 1;
        }
        inner.timeline.insert(place, event);
    }

    /// Its rooms, private chats aside.
    pub fn rooms(&self) -> impl Iterator<Item = &RoomId> {
        self.members.keys()
    }

    /// Everything that happened, in delivery order.
    pub fn timeline(&self) -> Vec<Event> {
        self.inner().timeline.clone()
    }

    /// True if the event at this place was accepted.
    pub fn was_accepted(&self, place: usize) -> bool {
        self.inner().accepted.contains(&place)
    }

    /// True if something can be delivered now.
    pub fn can_deliver(&self) -> bool {
        let inner = self.inner();
        matches!(inner.listening, Listening::Waits(_)) && inner.at < inner.timeline.len()
    }

    /// Delivers the next events, and sometimes the last ones again.
    pub fn deliver(&self, luck: &mut Luck) {
        let mut inner = self.inner();
        let to = (inner.at + 1 + luck.below(3)).min(inner.timeline.len());
        let again = if self.kind.loses_nothing() && luck.percent(20) { 1 + luck.below(3) } else { 0 };
        let from = inner.at.saturating_sub(again);
        if from == to {
            return;
        }
        inner.known = inner.known.max(to);
        if let Listening::Waits(waker) = std::mem::replace(&mut inner.listening, Listening::May(from, to)) {
            drop(inner);
            waker.wake();
        }
    }

    /// Where posts are under way.
    pub fn busy_lanes(&self) -> Vec<Lane> {
        self.inner().sending.keys().cloned().collect()
    }

    /// Takes the next step for the first post under way there: first the post appears, then it is confirmed. `refuse` percent
    /// are refused for good, and what may no longer be said is not.
    pub fn go_on(&self, lane: &Lane, luck: &mut Luck, refuse: u32) {
        let mut inner = self.inner();
        let Some(first) = inner.sending.get_mut(lane).and_then(VecDeque::front_mut) else { return };
        if first.said.is_none() {
            let post = first.post.clone();
            let said = if !post.permit.is_given() {
                Err(SendError::Unsaid)
            } else if luck.percent(refuse) {
                self.log.note(format!("{} refuses {}", self.name, post.key));
                inner.refused.insert(post.key);
                Err(SendError::Never("refused".to_owned()))
            } else {
                Ok(self.say(&mut inner, post))
            };
            let first = inner.sending.get_mut(lane).and_then(VecDeque::front_mut).expect("it is still there");
            first.said = Some(said);
            return;
        }
        let queue = inner.sending.get_mut(lane).expect("it has a first post");
        let sending = queue.pop_front().expect("it has a first post");
        if queue.is_empty() {
            inner.sending.remove(lane);
        }
        drop(inner);
        link::answer(&sending.answer, sending.said.expect("that was asked"));
    }

    /// The bot on this machine dies. Its posts under way may still appear, the first ones of each room.
    pub fn cut(&self, machine: usize, luck: &mut Luck) {
        let mut inner = self.inner();
        for queue in inner.taken(machine) {
            for sending in queue {
                if sending.said.is_none() {
                    if luck.percent(60) || !sending.post.permit.is_given() {
                        break;
                    }
                    self.say(&mut inner, sending.post);
                }
            }
        }
        inner.disconnect(machine);
    }

    /// What people saw since the last call.
    pub fn new_wires(&self) -> Vec<Wire> {
        std::mem::take(&mut self.inner().wires)
    }

    /// True if the network refused a post about this message.
    pub fn refused_of(&self, front: &str) -> bool {
        self.inner().refused.range(front.to_owned()..).next().is_some_and(|key| key.starts_with(front))
    }

    /// The core, as the connection sees it.
    pub fn desk(&self) -> Option<Arc<dyn Desk>> {
        self.inner().desk.clone()
    }

    /// Makes a post appear.
    fn say(&self, inner: &mut Inner, post: Post) -> Sent {
        let text = post.blocks.iter().map(chat::Block::plain).collect::<Vec<_>>().join("\n");
        let known = inner.there.get(&post.key).filter(|_| self.kind.guarantees().repeated == Repeated::Once).cloned();
        let mark = if post.again { " (again)" } else { "" };
        let once_more = if known.is_some() { " once more, unseen" } else { "" };
        self.log.note(format!("{} says{mark}{once_more} {} to {:?}: {text:?}", self.name, post.key, post.to));
        let repeated = known.is_some();
        let sent = known.unwrap_or_else(|| self.sent(inner, &post));
        inner.there.insert(post.key.clone(), sent.clone());
        inner.wires.push(Wire { post, text, repeated });
        sent
    }

    fn sent(&self, inner: &Inner, post: &Post) -> Sent {
        let id = match (&post.what, self.kind.guarantees().edits) {
            (_, Edits::None) => None,
            (What::Correct(earlier) | What::Withdraw(earlier), _) if earlier.id.is_some() => earlier.id.clone(),
            _ => Some(format!("post-{}", inner.there.len())),
        };
        Sent { id }
    }
}
