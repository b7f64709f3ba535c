//! What must hold whatever happens: checked against what people saw, and what is on the disk at the end.

mod journal_of;
mod keys_of;
mod meant_of;
mod promised;
mod rights_of;
mod secrecy;
mod shared;
mod versions_of;

use crate::log::Log;
use crate::net::{Net, PRIVATE, Wire};
use crate::script::{On, PEOPLE, Saying, Script};
use chat::{Event, GONE, PlayerId, Repeated, RoomId, What};
use dice::Die;
use dice::fair::MessageKey;
use jiff::Timestamp;
use journal::documents::{TableDoc, When};
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store};
use journal_of::{Around, entries_of, number_in, table_of};
use shared::Shared;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Marks the keys of apologies, which are said instead of an answer and not stored first.
const SORRY: &str = "/sorry/";

/// The journals of this many rooms are compared with everything that people saw.
const LOOKED_AT: usize = 100;

/// What players are told when a command had no effect.
const NOTHING_CHANGED: &str = "nothing changed. Try again later";

/// The records that are removed once they are old.
pub const TEMPORARY: [&str; 3] = [keys::INBOX, keys::RESTS, keys::MENDED];

/// At most this many of them are kept at a time, a little more than what a year's fourteen days leave,
const MOST_RECORDS: usize = 2_200;
/// and at most this many tasks sleep: one for each table in memory, and few others.
const MOST_ASLEEP: usize = 40;

/// What is known about a run.
pub struct Oracle {
    log: Log,
    /// What people said, by network and id.
    said: BTreeMap<(String, String), Saying>,
    /// Messages edited or taken back, by network and id.
    touched: BTreeSet<(String, String)>,
    /// Posts by network and key.
    posts: BTreeMap<(String, String), Seen>,
    /// Everything that was shown.
    shown: Vec<(String, Wire)>,
    /// True if a write failed since the bot was started, perhaps one that marks something as said.
    pub marks_failed: bool,
    /// How often the bot ended,
    pub ends: u32,
    /// and how often it was a message that it does not survive.
    pub deaths: u32,
    /// The latest time that the wall clock ever showed, and whether it was set back since.
    latest: Timestamp,
    set_back: bool,
    /// True if there are limits, so not everything is answered.
    limited: bool,
    /// True if rooms may share a table.
    linked: bool,
    /// True if nothing is said that is not kept, not even a roll.
    durable: bool,
    shared: Shared,
    wrong: Option<String>,
}

/// What people saw of a post.
struct Seen {
    text: String,
    unmarked: u32,
    marked: u32,
}

impl Oracle {
    /// The oracle of a run that has not begun.
    pub fn new(log: Log, script: &Script) -> Self {
        Oracle {
            log,
            said: BTreeMap::new(),
            touched: BTreeSet::new(),
            posts: BTreeMap::new(),
            shown: Vec::new(),
            marks_failed: false,
            ends: 0,
            deaths: 0,
            latest: Timestamp::default(),
            set_back: false,
            limited: script.limited,
            linked: script.linked,
            durable: script.on == On::Shared,
            shared: Shared::default(),
            wrong: None,
        }
    }

    /// Notes that something was said.
    pub fn said(&mut self, net: &str, saying: &Saying) {
        self.said.insert((net.to_owned(), saying.id.clone()), saying.clone());
    }

    /// Notes that a message was edited or taken back.
    pub fn touched(&mut self, net: &str, id: &str) {
        self.touched.insert((net.to_owned(), id.to_owned()));
    }

    /// Notes that the wall clock showed this time.
    pub fn tells_time(&mut self, now: Timestamp) {
        self.set_back |= now < self.latest;
        self.latest = self.latest.max(now);
    }

    /// Notes that something is wrong; the first one counts.
    pub fn wrong(&mut self, what: impl Into<String>) {
        let what = what.into();
        self.log.note(format!("WRONG: {what}"));
        self.wrong.get_or_insert(what);
    }

    /// The first thing that was wrong.
    pub fn verdict(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// Notes what people saw.
    pub fn saw(&mut self, net: &Net, wire: Wire) {
        let key = wire.post.key.clone();
        let seen = self.posts.entry((net.name.clone(), key.clone()));
        let seen = seen.or_insert_with(|| Seen { text: wire.text.clone(), unmarked: 0, marked: 0 });
        let is_late = !wire.repeated && !wire.post.again && seen.marked > 0;
        if !wire.repeated {
            *if wire.post.again { &mut seen.marked } else { &mut seen.unmarked } += 1;
        }
        // Words that were erased since are not said again.
        let other = seen.text != wire.text && wire.text != GONE;
        let (unmarked, marked) = (seen.unmarked, seen.marked);
        let sorry = key.contains(SORRY);
        if wire.repeated && other {
            self.wrong(format!("nobody sees the second text of the post {key}: {:?}", wire.text));
        } else if other {
            self.wrong(format!("the post {key} says something else than before: {:?}", wire.text));
        }
        // A withdrawal says nothing.
        let says = !matches!(wire.post.what, What::Withdraw(_));
        if says && !sorry && (unmarked > 1 || marked > 1) {
            self.wrong(format!("the post {key} was said {unmarked} times unmarked and {marked} times marked"));
        }
        if is_late {
            self.wrong(format!("the post {key} is said as if it were new after it was said again"));
        }
        if net.kind.guarantees().repeated == Repeated::Once && wire.post.again {
            self.wrong(format!("the post {key} is marked where it cannot be there twice"));
        }
        self.gives_words(&net.name, &wire);
        self.shown.push((net.name.clone(), wire));
    }

    /// Checks that a bot that runs for long keeps no more temporary records, and no more tables in memory, than it needs.
    pub fn bounded(&mut self, records: usize, asleep: usize) {
        if records > MOST_RECORDS || asleep > MOST_ASLEEP {
            self.wrong(format!("{records} temporary records are kept, and {asleep} tasks wait for some time to come"));
        }
    }

    /// Checks that no temporary record is left once all of them are old.
    pub fn grown_old(&mut self, contents: &BTreeMap<String, Vec<u8>>) {
        if let Some(key) = contents.keys().find(|key| TEMPORARY.iter().any(|prefix| key.starts_with(prefix))) {
            self.wrong(format!("{key} is kept for ever"));
        }
    }

    /// Everything is at rest: checks the disk, the answers, and the dice that `fell` since the bot began.
    pub fn at_rest(
        &mut self,
        nets: &[Arc<Net>],
        contents: BTreeMap<String, Vec<u8>>,
        fell: &BTreeMap<MessageKey, Vec<Die>>,
    ) {
        let left = [
            (keys::WAITING, "accepted and not played"),
            (keys::OUTBOX, "to be said"),
            (keys::DUE, "due and not carried out"),
        ];
        let store = store_of(contents.clone());
        let rooms = nets.iter().flat_map(|net| rooms_of(net));
        let played_at: BTreeSet<_> = rooms.map(|room| (table_of(&store, &room), room.network)).collect();
        let waits = |key: &str| waits(&store, &played_at, key);
        // What was asked for while the clock was ahead is due once it really is that late.
        let set_back = self.set_back;
        for (prefix, what) in left.into_iter().filter(|(prefix, _)| *prefix != keys::DUE || !set_back) {
            // That a post was said, or that an event had no effect, is noted once. If that write fails, it is done
            // again after the next start.
            if self.marks_failed {
                continue;
            }
            let mut found = contents.range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix));
            if let Some((key, _)) = found.find(|(key, _)| !waits(key)) {
                self.wrong(format!("{key} is still {what} when everything is at rest"));
            }
        }
        // Where rooms share tables, what was said in one may be in the journal of any.
        let everywhere = match self.linked {
            true => nets.iter().flat_map(|net| rooms_of(net)).flat_map(|room| entries_of(&room, &store)).collect(),
            false => Vec::new(),
        };
        self.shows_only_open(nets, &everywhere);
        if self.linked {
            self.lie_between(nets, &store);
        }
        for net in nets {
            for room in rooms_of(net) {
                let around = Around { nets, net, room: &room, everywhere: &everywhere };
                self.journals(&around, &store, fell);
            }
            if !self.limited {
                self.answers(net);
            }
        }
    }

    /// Checks that everything that must be answered was.
    fn answers(&mut self, net: &Net) {
        let mut silent = Vec::new();
        for (place, event) in net.timeline().iter().enumerate() {
            let Event::Said(message) = event else { continue };
            let name = (net.name.clone(), message.id.clone());
            let wants = self.said.get(&name).is_some_and(|saying| saying.wants.answer);
            let heard = net.kind.loses_nothing() || (self.ends == 0 && net.was_accepted(place));
            // A post that may have been repeated already is not said a third time; a second end may lose it.
            let known = net.kind.guarantees().repeated == Repeated::Once || self.ends < 2;
            if !wants || !heard || !known || self.touched.contains(&name) {
                continue;
            }
            let front = format!("{}/{}/", message.said_in(), message.id);
            let posts = self.posts.range((net.name.clone(), front.clone())..).next();
            if !posts.is_some_and(|((_, key), _)| key.starts_with(&front)) && !net.refused_of(&front) {
                silent.push(message.id.clone());
            }
        }
        if !silent.is_empty() {
            self.wrong(format!("{}: never answered: {}", net.name, silent.join(" ")));
        }
    }

    /// The number of the last entry that a room was shown.
    pub(super) fn last_number(&self, room: &RoomId) -> Option<u64> {
        let its = self.shown.iter().rev().filter(|(name, wire)| *name == room.network && wire.post.room == *room);
        its.filter_map(|(_, wire)| number_in(wire.text.lines().next()?)).next()
    }

    /// What was said about a message: whether it had no effect, and whether it was skipped because it seemed to kill
    /// the bot.
    fn told(&self, net: &str, room: &RoomId, id: &str) -> (bool, bool) {
        let key = format!("{room}/{id}{SORRY}");
        let mut told = (false, false);
        for (_, wire) in self.shown.iter().filter(|(name, wire)| name == net && wire.post.key.starts_with(&key)) {
            told.0 |= wire.text.contains(NOTHING_CHANGED);
            told.1 |= wire.text.contains("crashed me twice");
        }
        told
    }

    /// The texts that answered a message, in key order.
    pub fn answers_to(&self, net: &str, room: &RoomId, id: &str) -> Vec<String> {
        let front = format!("{room}/{id}/");
        let posts = self.posts.range((net.to_owned(), front.clone())..);
        let posts = posts.take_while(|((name, key), _)| name == net && key.starts_with(&front));
        posts.map(|(_, seen)| seen.text.clone()).collect()
    }
}

/// True if a record of what is due waits: until a room plays at its table again, from a network of whoever must be heard
/// there. Everybody is in all rooms of their network.
fn waits(store: &Memory, played_at: &BTreeSet<(TableId, String)>, key: &str) -> bool {
    let Some((table, number)) = keys::order_of_due(key) else { return false };
    let asked = asked_by(store, &table, number);
    let heard = |network: &String| asked.as_ref().is_none_or(|player| player.network == *network);
    !played_at.iter().any(|(at, network)| *at == table && heard(network))
}

/// Who must be heard when an order is carried out, if it is not the table's own.
fn asked_by(store: &Memory, table: &TableId, number: u64) -> Option<PlayerId> {
    let doc = store.read(&keys::doc(table)).expect("memory does not fail")?;
    let mut doc: TableDoc = serde_json::from_slice(&doc).ok()?;
    let order = doc.orders.remove(&number)?;
    Some(order.player).filter(|_| !matches!(order.when, When::Waited(_) | When::Shown))
}

/// True if it was shown first, not as a correction.
fn is_first(wire: &Wire) -> bool {
    matches!(wire.post.what, What::Say)
}

/// The rooms of a network, private chats included; of very many, some from all over.
fn rooms_of(net: &Net) -> Vec<RoomId> {
    let aside = PEOPLE.iter().map(|(id, _)| RoomId::new(&net.name, format!("{PRIVATE}{id}")));
    let step = net.rooms().count().div_ceil(LOOKED_AT).max(1);
    net.rooms().step_by(step).cloned().chain(aside).collect()
}

fn store_of(contents: BTreeMap<String, Vec<u8>>) -> Memory {
    let (store, mut batch) = (Memory::default(), Batch::default());
    contents.into_iter().for_each(|(key, value)| batch.put(key, value));
    store.commit(&batch).expect("memory does not fail");
    store
}
