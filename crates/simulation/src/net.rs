//! A network, as the people on it see it: what they said in its order, and what the bot said. It outlives the bot.
//!
//! It does what its [`Kind`] allows and nothing kinder: it delivers again what was not accepted, or loses it; it has a post
//! and does not say so before the bot dies; it refuses some.

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

/// In front of the names of rooms in which the bot is alone with the player whose name follows.
pub const PRIVATE: &str = "~";

/// What can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As Matrix: everything comes again until it is accepted, a post is there once, messages can be edited.
    Matrix,
    /// As IRC: what is said while nobody listens is lost, a post that is said twice is there twice.
    Irc,
    /// As IRC with a history: the last messages come again after each connecting, under their ids.
    History,
    /// The rest of what the trait allows: everything comes again, and a post that is said twice is there twice.
    Doubtful,
}

impl Kind {
    /// As the core is told.
    pub fn guarantees(self) -> Guarantees {
        let (unaccepted, repeated, edits) = match self {
            Kind::Matrix => (Unaccepted::ComeAgain, Repeated::Once, Edits::Shown),
            Kind::Irc | Kind::History => (Unaccepted::Lost, Repeated::Twice, Edits::None),
            Kind::Doubtful => (Unaccepted::ComeAgain, Repeated::Twice, Edits::Shown),
        };
        Guarantees { unaccepted, repeated, edits }
    }

    /// Whether a message may be heard once more under its id.
    pub fn comes_again(self) -> bool {
        self != Kind::Irc
    }

    /// Whether everything that is said is accepted in the end.
    pub fn loses_nothing(self) -> bool {
        self.guarantees().unaccepted == Unaccepted::ComeAgain
    }
}

/// What people saw of a post.
#[derive(Clone, Debug)]
pub struct Wire {
    /// The post.
    pub post: Post,
    /// It as text, without what stands in front of it.
    pub text: String,
    /// It is there already, and was not shown a second time.
    pub repeated: bool,
}

impl Wire {
    /// Who alone reads it, by id; nobody stands for everybody.
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
    /// Who is in each room.
    members: BTreeMap<RoomId, Vec<(PlayerId, String)>>,
    log: Log,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    timeline: Vec<Event>,
    /// What was delivered at least once, or lost.
    known: usize,
    /// Where the bot's connection reads next.
    at: usize,
    /// Messages before this place were said while the bot was away.
    away: usize,
    listening: Listening,
    accepted: BTreeSet<usize>,
    sending: BTreeMap<RoomId, VecDeque<Sending>>,
    /// The keys of what is there, with the ids that it got.
    there: BTreeMap<String, Sent>,
    wires: Vec<Wire>,
    refused: BTreeSet<String>,
    desk: Option<Arc<dyn Desk>>,
}

/// What the bot's connection does.
#[derive(Default)]
enum Listening {
    /// There is none, or it hands over a delivery.
    #[default]
    No,
    /// It waits for something to hand over.
    Waits(Waker),
    /// It may hand over this part of the timeline.
    May(usize, usize),
}

struct Sending {
    post: Post,
    /// What the network has made of it already.
    said: Option<Result<Sent, SendError>>,
    answer: Arc<Mutex<Answer>>,
}

impl Net {
    /// A network on which nothing was said yet.
    pub fn new(name: &str, kind: Kind, members: BTreeMap<RoomId, Vec<(PlayerId, String)>>, log: Log) -> Arc<Self> {
        Arc::new(Net { name: name.to_owned(), kind, members, log, inner: Mutex::default() })
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics holding it")
    }

    /// Something happens. What the bot has not heard yet in other rooms may come behind it, as the network likes.
    pub fn happen(&self, event: Event, luck: &mut Luck) {
        let mut inner = self.inner();
        let mut place = inner.timeline.len();
        while place > inner.known && inner.timeline[place - 1].room() != event.room() && luck.percent(30) {
            place -= 1;
        }
        inner.timeline.insert(place, event);
    }

    /// Everything that happened, in the order in which it is delivered.
    pub fn timeline(&self) -> Vec<Event> {
        self.inner().timeline.clone()
    }

    /// Whether what happened there was accepted.
    pub fn was_accepted(&self, place: usize) -> bool {
        self.inner().accepted.contains(&place)
    }

    /// Whether something is there that can be delivered now.
    pub fn can_deliver(&self) -> bool {
        let inner = self.inner();
        matches!(inner.listening, Listening::Waits(_)) && inner.at < inner.timeline.len()
    }

    /// Delivers the next events; sometimes also the last ones once more.
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

    /// The rooms in which posts are on their way.
    pub fn busy_rooms(&self) -> Vec<RoomId> {
        self.inner().sending.keys().cloned().collect()
    }

    /// The network does the next thing about the first post that is on its way in `room`: it has it, and then it says so.
    /// Some are refused for good, if `refuse` is so many in a hundred.
    pub fn go_on(&self, room: &RoomId, luck: &mut Luck, refuse: u32) {
        let mut inner = self.inner();
        let Some(first) = inner.sending.get_mut(room).and_then(VecDeque::front_mut) else { return };
        if first.said.is_none() {
            let post = first.post.clone();
            let said = if luck.percent(refuse) {
                self.log.note(format!("{} refuses {}", self.name, post.key));
                inner.refused.insert(post.key);
                Err(SendError::Never("refused".to_owned()))
            } else {
                Ok(self.say(&mut inner, post))
            };
            let first = inner.sending.get_mut(room).and_then(VecDeque::front_mut).expect("it is still there");
            first.said = Some(said);
            return;
        }
        let queue = inner.sending.get_mut(room).expect("it has a first post");
        let sending = queue.pop_front().expect("it has a first post");
        if queue.is_empty() {
            inner.sending.remove(room);
        }
        drop(inner);
        link::answer(&sending.answer, sending.said.expect("that was asked"));
    }

    /// The bot dies: posts on their way may still come to be there, the first ones of each room.
    pub fn cut(&self, luck: &mut Luck) {
        let mut inner = self.inner();
        inner.listening = Listening::No;
        inner.desk = None;
        for (_, queue) in std::mem::take(&mut inner.sending) {
            for sending in queue {
                if sending.said.is_none() {
                    if luck.percent(60) {
                        break;
                    }
                    self.say(&mut inner, sending.post);
                }
            }
        }
        // Without redelivery nobody hears what is said from now on.
        inner.away = inner.timeline.len();
    }

    /// What people saw since this was asked last.
    pub fn new_wires(&self) -> Vec<Wire> {
        std::mem::take(&mut self.inner().wires)
    }

    /// Whether a post of this message was refused by the network.
    pub fn refused_of(&self, front: &str) -> bool {
        self.inner().refused.range(front.to_owned()..).next().is_some_and(|key| key.starts_with(front))
    }

    /// The core, as the connection has it.
    pub fn desk(&self) -> Option<Arc<dyn Desk>> {
        self.inner().desk.clone()
    }

    /// A post comes to be there.
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
