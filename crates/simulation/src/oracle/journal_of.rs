//! What the journal of a table must satisfy: it verifies, it adds up to what is stored, and it contains what people
//! said once and in order.

use super::meant_of::agreed;
use super::{Oracle, SORRY, is_first};
use crate::dice::DEADLY;
use crate::harbour;
use crate::net::Net;
use crate::players::AGREES;
use chat::{Event, Message, Repeated, RoomId};
use dice::Die;
use dice::fair::MessageKey;
use journal::documents::{InboxRow, RoomDoc};
use journal::keys::{self, TableId};
use journal::store::{Memory, Store, scan_all};
use journal::{Change, Entry, Page};
use plugin_api::Role;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An entry to be checked.
pub(super) struct Known {
    pub entry: Entry,
    /// The typed line, unless erased.
    pub text: Option<String>,
    /// Its answer, unless erased.
    pub answer: Option<String>,
    pub dice: Vec<Die>,
    /// All its changes, and those that every reader of the entry can see.
    pub changes: Vec<Change>,
    pub shown: Vec<Change>,
    /// The role it needed.
    pub took: Role,
    /// The entry of the same player before it, as the entry itself says.
    pub last: Option<u64>,
    /// True if it was played again in other words.
    pub again: bool,
}

/// The surroundings of a journal.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub nets: &'a [Arc<Net>],
    pub net: &'a Net,
    pub room: &'a RoomId,
    /// All entries, if rooms share tables.
    pub everywhere: &'a [Known],
}

impl Around<'_> {
    /// Everything that was said in rooms that may be linked to the table's.
    pub fn timeline_of_all(&self) -> Vec<Event> {
        self.nets.iter().flat_map(|net| net.timeline()).collect()
    }

    /// True if everything said to the table is accepted in the end.
    fn loses_nothing(&self, linked: bool) -> bool {
        if linked { self.nets.iter().all(|net| net.kind.loses_nothing()) } else { self.net.kind.loses_nothing() }
    }
}

/// The tables of a room: its own, and those it began when it left that to others.
fn tables_of(room: &RoomId) -> [TableId; 3] {
    [TableId::of(room), TableId::left_behind(room), TableId::left_again(room, 2)]
}

/// The entries of all tables of a room.
pub(super) fn entries_of(room: &RoomId, store: &Memory) -> Vec<Known> {
    tables_of(room).iter().flat_map(|table| entries(store, table).unwrap_or_default()).collect()
}

impl Oracle {
    /// Checks the journals of a room.
    pub(super) fn journals(&mut self, around: &Around<'_>, store: &Memory, fell: &BTreeMap<MessageKey, Vec<Die>>) {
        let [own, others @ ..] = tables_of(around.room);
        self.journal(around, &own, store, fell);
        for table in others {
            if self.linked && store.read(&keys::head(&table)).is_ok_and(|head| head.is_some()) {
                self.journal(around, &table, store, fell);
            }
        }
    }

    /// Checks the journal of a table.
    fn journal(&mut self, around: &Around<'_>, table: &TableId, store: &Memory, fell: &BTreeMap<MessageKey, Vec<Die>>) {
        let Around { nets, net, room, everywhere } = *around;
        match journal::audit(store, table) {
            Err(error) => return self.wrong(format!("the journal of {room}: {error}")),
            Ok(audit) => self.adds_up(table, room, &audit.document, store),
        }
        let entries = match entries(store, table) {
            Ok(entries) => entries,
            Err(error) => return self.wrong(format!("the journal of {room} cannot be read: {error}")),
        };
        let all: &[Known] = if self.linked { everywhere } else { &entries };
        self.under_its_own_key(room, &entries);
        self.versions(room, &entries);
        self.once(net, room, all, store);
        self.for_several(net, room, &entries);
        self.mistyped(net, room, all);
        self.unknown_words(net, room, all);
        self.promised(around, table, &entries, store);
        if around.loses_nothing(self.linked) {
            self.taken_back(net, room, all, store);
            self.keys(around, &entries);
            self.dice(net, room, all, fell);
            self.in_order(net, room, &entries);
        }
        self.numbers(net, room, all);
        self.mirrored(nets, &entries);
        self.times(room, &entries);
        self.last_ones(room, &entries);
        let referees = self.rights(room, &entries);
        self.taken_back_by(room, &entries);
        self.erased_by(room, &entries);
        self.secrets_shown(room, &entries);
        self.secrets(room, &entries, &referees);
    }

    /// Checks that the changes of all entries lead to what is stored.
    fn adds_up(&mut self, table: &TableId, room: &RoomId, document: &Value, store: &Memory) {
        let games: Vec<String> = games::ids().into_iter().chain([harbour::ID.to_owned()]).collect();
        let mut places: Vec<_> =
            games.iter().map(|game| (keys::game(table, game), journal::pointer("/games", game))).collect();
        places.push((keys::doc(table), "/table".to_owned()));
        // The settings of a room that was at several tables are in several journals.
        if !self.linked {
            places.push((keys::room(room), journal::pointer("/rooms", &room.to_string())));
        }
        for (key, pointer) in places {
            let stored = store.read(&key).expect("memory does not fail");
            let mut stored: Option<Value> = stored.and_then(|bytes| serde_json::from_slice(&bytes).ok());
            // The record of who changed what last is for undo, and not a change itself.
            stored.as_mut().and_then(Value::as_object_mut).map(|fields| fields.remove("touched"));
            if document.pointer(&pointer) != stored.as_ref() {
                self.wrong(format!("{key} is not what the journal leads to"));
            }
        }
    }

    /// Checks that no two entries of a table have the same key, and so the same dice.
    fn under_its_own_key(&mut self, room: &RoomId, entries: &[Known]) {
        let mut keys = BTreeSet::new();
        for Known { entry, .. } in entries.iter().filter(|known| known.entry.replaces.is_none()) {
            if !keys.insert(entry.key.clone()) {
                self.wrong(format!("#{} of {room} has the key of another: {:?}", entry.number, entry.key));
            }
        }
    }

    /// Checks that no message is in the journal twice, and none is missing that must be there.
    fn once(&mut self, net: &Net, room: &RoomId, entries: &[Known], store: &Memory) {
        let firsts = || entries.iter().filter(|known| known.entry.replaces.is_none());
        for (place, event) in net.timeline().iter().enumerate() {
            let Event::Said(message) = event else { continue };
            let name = (net.name.clone(), message.id.clone());
            let Some(saying) = self.said.get(&name).filter(|_| message.said_in() == room).cloned() else { continue };
            let Some(token) = &saying.wants.token else { continue };
            let by_token = firsts()
                .filter(|known| known.text.as_ref().is_some_and(|text| has_word(text, token)) && !self.repeats(known))
                .count();
            // A value is also where it was measured against.
            let value = saying.text.starts_with("!set");
            if by_token > 1 && saying.wants.times.is_none() && !value {
                self.wrong(format!("{} is in the journal of {room} {by_token} times", message.id));
            }
            let (nothing, passed_over) = self.told(&net.name, room, &message.id);
            // Only what the bot was playing when it ended, more than once, is passed over.
            let survives = !message.id.starts_with(DEADLY) && saying.text != AGREES;
            if passed_over && survives && self.ends - self.deaths < 2 {
                self.wrong(format!("{} was passed over, and the bot did not end on it", message.id));
            }
            // The network may have refused the post that says so.
            let passed_over = passed_over || net.refused_of(&format!("{room}/{}{SORRY}", message.id));
            // And a post that may be there twice is not said a third time.
            let unsaid = message.id.starts_with(DEADLY) || is_passed_over(store, message);
            let unsaid = unsaid && net.kind.guarantees().repeated == Repeated::Twice;
            let passed_over = passed_over || (unsaid && self.ends >= 2);
            if nothing && by_token > 0 && !net.kind.comes_again() {
                self.wrong(format!("{}: it was said that nothing changed, and it did", message.id));
            }
            // Nobody plays where people only watch, and none knows when that was.
            let watched = self.linked && self.shared.moved;
            let must = net.kind.loses_nothing() && net.was_accepted(place) && saying.room.is_some() && !watched;
            let by_key =
                firsts().filter(|known| known.entry.key.id == message.id && known.entry.key.ordinal == 1).count();
            if must
                && saying.wants.answer
                && by_key != 1
                && !passed_over
                && !self.touched.contains(&name)
                && !self.limited
            {
                self.wrong(format!("{} was accepted and is in the journal of {room} {by_key} times", message.id));
            }
            let by_another = saying.wants.mistyped || saying.wants.times.is_some();
            if must && by_token == 1 && by_key == 0 && !by_another && !self.touched.contains(&name) {
                self.wrong(format!("the dice of {} go by another key than its id", message.id));
            }
        }
    }

    /// True if an entry says again what an earlier one says, as its sender asked.
    fn repeats(&self, known: &Known) -> bool {
        let key = &known.entry.key;
        let saying = self.said.get(&(key.network.clone(), key.id.clone()));
        saying.is_some_and(|saying| saying.text.trim_start_matches('!') == "reroll")
    }

    /// Checks that what its sender took back is erased.
    fn taken_back(&mut self, net: &Net, room: &RoomId, entries: &[Known], store: &Memory) {
        let timeline = net.timeline();
        for (place, event) in timeline.iter().enumerate() {
            let Event::Redacted { message, of } = event else { continue };
            let said = timeline[..place].iter().filter_map(Event::message).find(|said| said.id == *of);
            let own = said.is_some_and(|said| said.speaker.player == message.speaker.player && said.room == *room);
            // A message edited afterwards is sent again.
            let edited = |event: &Event| matches!(event, Event::Edited { original, .. } if original == of);
            let own = own && !timeline[place..].iter().any(edited);
            // A message that killed the bot twice is skipped, and the sender is told.
            let (_, passed_over) = self.told(&net.name, room, &message.id);
            let own = own && !passed_over;
            let said = self.said.get(&(net.name.clone(), of.clone()));
            // A value that was set stays, as every change does.
            let said = said.filter(|saying| !saying.text.starts_with("!set"));
            let token = said.and_then(|saying| saying.wants.token.clone());
            let tells = |text: &Option<String>| {
                text.as_ref().is_some_and(|text| token.as_ref().is_some_and(|token| has_word(text, token)))
            };
            let left = |known: &&Known| {
                let its = known.entry.key.id == *of && known.text.is_some() && !amended_since(entries, known, message);
                its || tells(&known.text) || tells(&known.answer)
            };
            if let Some(known) = entries.iter().find(left).filter(|_| own && !self.limited) {
                self.wrong(format!("{of} was taken back, and its words are in #{} of {room}", known.entry.number));
            }
            if own && !self.limited && knows_lines_of(store, room, of) {
                self.wrong(format!("{of} was taken back, and its lines are known by their digests"));
            }
            let Some(token) = token else { continue };
            if own
                && !self.limited
                && let Some(key) = kept_in(store, &token)
                // What could not be noted as played is noted, and gone, after the next start.
                && !(self.marks_failed && key.starts_with(keys::WAITING))
            {
                self.wrong(format!("{of} was taken back, and its words are in {key}"));
            }
        }
    }

    /// Checks that what was said in a room is played in order.
    fn in_order(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        let timeline = net.timeline();
        let places: BTreeMap<&str, usize> = (0..)
            .zip(&timeline)
            .filter_map(|(place, event)| event.message().map(|message| (message.id.as_str(), place)))
            .collect();
        let mut last = 0;
        for known in entries
            .iter()
            .filter(|known| (&known.entry.key.network, &known.entry.key.room) == (&room.network, &room.id))
        {
            let id = &known.entry.key.id;
            let Some(place) = places.get(id.as_str()) else { continue };
            let name = (net.name.clone(), id.clone());
            // What was refused is played once its sender agrees to the correction.
            let is_certain = self.said.get(&name).is_some_and(|saying| saying.wants.answer);
            // What is played again, as an edit or an amendment, comes later than it was said.
            let again = self.touched.contains(&name) || known.entry.replaces.is_some();
            if again || (!is_certain && agreed(net, room, id)) {
                continue;
            }
            if *place < last {
                self.wrong(format!("#{} of {room} was said before the entry in front of it", known.entry.number));
            }
            last = *place;
        }
    }

    /// Checks that the number shown in an answer is that of its entry and no other.
    fn numbers(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        let mut wrong = Vec::new();
        for (_, wire) in
            self.shown.iter().filter(|(name, wire)| *name == net.name && wire.post.room == *room && is_first(wire))
        {
            let Some(id) = &wire.post.answers else { continue };
            let Some(saying) = self.said.get(&(net.name.clone(), id.clone())) else { continue };
            let Some(token) = &saying.wants.token else { continue };
            let Some(number) = number_in(wire.text.lines().next().unwrap_or_default()) else { continue };
            // What was said for another room has its number there.
            let elsewhere = saying.is_for_another();
            if elsewhere || !has_word(&wire.text, token) {
                continue;
            }
            let fits = |known: &&Known| known.text.as_ref().is_none_or(|text| has_word(text, token));
            let mut numbered = entries.iter().filter(|known| known.entry.number == number);
            // Among the tables that a room may be at, another's number is no mistake.
            match numbered.clone().find(fits).or_else(|| numbered.next().filter(|_| !self.linked)) {
                Some(known) if known.text.as_ref().is_some_and(|text| !has_word(text, token)) => {
                    wrong.push(format!("{id} was answered as #{number} of {room}, which is another's"));
                }
                None if net.kind.loses_nothing() || self.durable => {
                    wrong.push(format!("{id} was answered as #{number} of {room}, which is not there"));
                }
                _ => {}
            }
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }
}

/// True if the bot noted that it did not play a message. If it refuses one, it notes its lines too.
fn is_passed_over(store: &Memory, message: &Message) -> bool {
    matches!(row(store, message.said_in(), &message.id), Some(InboxRow::Refused { lines, .. }) if lines.is_empty())
}

/// True if the digests of a message's lines are kept.
fn knows_lines_of(store: &Memory, room: &RoomId, id: &str) -> bool {
    let row = row(store, room, id);
    matches!(row, Some(InboxRow::Played { lines, .. } | InboxRow::Refused { lines, .. }) if !lines.is_empty())
}

/// The table where a room plays now.
pub(super) fn table_of(store: &Memory, room: &RoomId) -> TableId {
    let doc = store.read(&keys::room(room)).expect("memory does not fail");
    let doc: Option<RoomDoc> = doc.and_then(|doc| serde_json::from_slice(&doc).ok());
    doc.map_or_else(|| TableId::of(room), |doc| doc.table)
}

/// What is noted of a message.
fn row(store: &Memory, room: &RoomId, id: &str) -> Option<InboxRow> {
    let row = store.read(&keys::inbox(room, id)).expect("memory does not fail");
    serde_json::from_slice(&row?).ok()
}

/// True if an entry was amended after this message erased it, so its words are others.
fn amended_since(entries: &[Known], known: &Known, message: &Message) -> bool {
    let erased = |first: &u64| {
        let by_it = |other: &&Known| other.entry.key.id == message.id && other.entry.erases.contains(first);
        entries.iter().any(|other| by_it(&other) && other.entry.number < known.entry.number)
    };
    let mut first = known.entry.replaces;
    while let Some(number) = first.filter(|number| !erased(number)) {
        first = entries.iter().find(|other| other.entry.number == number).and_then(|other| other.entry.replaces);
    }
    first.is_some()
}

/// The key of a record that holds this word, besides posts that are still to be said, and entries, whose bytes may look
/// like anything.
fn kept_in(store: &Memory, word: &str) -> Option<String> {
    let holds = |value: &[u8]| value.windows(word.len()).any(|part| part == word.as_bytes());
    let looked_at = |key: &str| !key.starts_with(keys::OUTBOX) && !key.contains("/entry/");
    let mut all = store.dump().into_iter().filter(|(key, _)| looked_at(key));
    all.find(|(_, value)| holds(value)).map(|(key, _)| key)
}

/// The entries of a table.
fn entries(store: &Memory, table: &TableId) -> Result<Vec<Known>, String> {
    let prefix = keys::entries(table);
    let known = scan_all(store, &prefix).map(|record| {
        let (key, value) = record.map_err(|error| error.to_string())?;
        let page = Page::of_stored(&key, &value).map_err(|error| error.to_string())?;
        let shown = page.changes().all().cloned().collect();
        let changes = page.changes().with(page.withheld()).all().cloned().collect();
        let (text, answer, dice) = (page.text(), page.answer(), page.dice());
        let (took, last) = (page.link.before.took.unwrap_or(Role::Player), page.link.before.player);
        let again = page.link.fate.replaced_by.is_some();
        Ok(Known { entry: page.entry, text, answer, dice, changes, shown, took, last, again })
    });
    known.collect()
}

/// True if `word` occurs in `text` as a whole word.
pub(super) fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

/// The entry number shown in an answer: the last `#12` of a line.
pub(super) fn number_in(line: &str) -> Option<u64> {
    let (_, last) = line.rsplit_once('#')?;
    let digits: String = last.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}
