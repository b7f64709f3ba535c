//! Rooms that share a table, and people with two accounts: which words they were given, who may be one player with whom,
//! and that each roll is shown once in the other rooms.

use super::journal_of::{Known, table_of};
use super::{Oracle, is_first};
use crate::net::{Net, Wire};
use crate::players::{LATEST, WORD};
use crate::script::{Saying, room_at};
use chat::{PlayerId, Recipient, Repeated, RoomId};
use journal::keys::TableId;
use journal::store::Memory;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The text before a word that somebody is given.
const GIVEN: [&str; 3] = ["me link ", "!link ", "!import "];

/// The length of such a word.
const LETTERS: usize = 12;

/// What is answered to whoever used a word.
const DONE: [&str; 4] =
    ["This room now plays at", "this room goes on with", "Now go back to the chat where you are", "are one player now"];

/// The most rooms that share a table.
const MOST_ROOMS: usize = 8;

/// What is rolled elsewhere is not shown in a room where so many posts of that kind still wait.
const MOST_WAITING: usize = 5;

/// A word, what it is for, and who got it.
pub(super) struct Given {
    front: &'static str,
    word: String,
    to: PlayerId,
}

/// What is known about words and accounts.
#[derive(Default)]
pub(super) struct Shared {
    given: Vec<Given>,
    /// Who typed which word.
    typed: Vec<(PlayerId, String)>,
    /// True if somebody tried to take a room away, or changed what it is for.
    pub moved: bool,
}

/// True if a post shows what was done in another room, and not only that it was edited.
fn shows_a_roll(text: &str) -> bool {
    text.starts_with('[') && !text.ends_with(": (edited)")
}

impl Oracle {
    /// The line with the last word that was given to somebody else, and the number of the last entry that its room was
    /// shown, if it has a place for them.
    pub fn filled_in(&mut self, net: &str, saying: &Saying) -> Saying {
        let mut saying = saying.clone();
        if saying.text.contains(LATEST) {
            let latest = saying.room.and_then(|room| self.last_number(&RoomId::new(net, room_at(room))));
            saying.text = saying.text.replace(LATEST, &latest.unwrap_or(1).to_string());
        }
        let me = PlayerId::new(net, crate::script::PEOPLE[saying.who].0);
        let front =
            GIVEN.iter().find(|front| saying.text.trim_start_matches('!').starts_with(front.trim_start_matches('!')));
        if let (Some(front), Some((_, rest))) = (front, saying.text.split_once(WORD)) {
            let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let fits = |given: &&Given| given.front == *front && (*front != GIVEN[0] || given.to != me);
            let earlier = number.parse().unwrap_or_default();
            if let Some(Given { word, .. }) = self.shared.given.iter().rev().filter(fits).nth(earlier) {
                saying.text = saying.text.replace(&format!("{WORD}{number}"), word);
                self.shared.typed.push((me, word.clone()));
            }
        }
        let moves = ["!unlink", "!import", "!room part", "!mirror off"];
        self.shared.moved |= moves.iter().any(|front| saying.text.contains(front));
        saying
    }

    /// Notes the words in a post.
    pub(super) fn gives_words(&mut self, net: &str, wire: &Wire) {
        let Some(reader) = wire.reader() else { return };
        for front in GIVEN {
            let Some((_, rest)) = wire.text.rsplit_once(front) else { continue };
            let word: String = rest.chars().take_while(char::is_ascii_lowercase).collect();
            if word.len() == LETTERS {
                self.shared.given.push(Given { front, word, to: PlayerId::new(net, reader) });
            }
        }
    }

    /// True if two accounts may have been one player's: each typed a word that the other one was given.
    pub(super) fn same(&self, one: &PlayerId, other: &PlayerId) -> bool {
        let typed = |by: &PlayerId, of: &PlayerId| {
            let mut given = self.shared.given.iter().filter(|given| given.front == GIVEN[0] && given.to == *of);
            given.any(|given| self.shared.typed.iter().any(|(typist, word)| typist == by && *word == given.word))
        };
        one == other || (typed(one, other) && typed(other, one))
    }

    /// Checks that what was rolled in one room of a table is shown in the others, where that is certain.
    pub(super) fn mirrored(&mut self, nets: &[Arc<Net>], entries: &[Known]) {
        if !self.linked || self.limited || self.shared.moved {
            return;
        }
        let mut here: BTreeSet<RoomId> = BTreeSet::new();
        let (mut on, mut wrong) = (false, Vec::new());
        // Where what was played since the first `!mirror` was played: each may wait to be shown elsewhere.
        let (mut begun, mut played) = (false, Vec::new());
        let mirror =
            |number: u64| entries.iter().any(|known| known.entry.number == number && known.entry.command == "mirror");
        let undone = entries.iter().filter_map(|known| known.entry.undoes).any(mirror);
        for Known { entry, text, dice, .. } in entries {
            let (number, id) = (entry.number, &entry.key.id);
            let room = RoomId::new(&entry.key.network, &entry.key.room);
            let from = nets.iter().find(|net| net.rooms().any(|other| *other == room));
            let Some(from) = from else { continue };
            on |= entry.command == "mirror" && text.as_ref().is_some_and(|text| text.ends_with("on"));
            // What is played again is a correction, and what was taken back is withdrawn.
            let plain = entry.replaces.is_none() && !self.touched.contains(&(from.name.clone(), id.clone()));
            // Where no message may come again, an entry's key does not tell its message; nor does that of a line that
            // somebody agreed to.
            let said = self.said.get(&(from.name.clone(), id.clone()));
            let known = said.is_some_and(|saying| saying.wants.answer);
            if on && !undone && plain && !entry.secret && !dice.is_empty() && known {
                let few = |other: &RoomId| played.iter().filter(|place| *place != other).count() < MOST_WAITING;
                let shows = |other: &&RoomId| **other != room && few(other) && self.surely_shows(nets, other);
                let others = here.iter().filter(shows);
                let missing = others.filter(|other| {
                    let key = format!("{room}/{id}/{other}");
                    let refused = nets.iter().any(|net| net.refused_of(&key));
                    !refused && !self.posts.contains_key(&(other.network.clone(), key))
                });
                wrong.extend(missing.map(|other| format!("#{number} was rolled in {room} and never shown in {other}")));
            }
            here.insert(room.clone());
            if begun {
                played.push(room);
            }
            begun |= entry.command == "mirror";
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }

    /// Checks that each word was used once, that no more rooms share a table than may, and that no two swapped theirs.
    pub(super) fn lie_between(&mut self, nets: &[Arc<Net>], store: &Memory) {
        let mut used: BTreeMap<&str, BTreeSet<(&String, &String)>> = BTreeMap::new();
        for (net, wire) in self.shown.iter().filter(|(_, wire)| is_first(wire)) {
            let Some(id) = wire.post.answers.as_ref().filter(|_| DONE.iter().any(|done| wire.text.contains(done)))
            else {
                continue;
            };
            let saying = self.said.get(&(net.clone(), id.clone()));
            let words = saying.into_iter().flat_map(|saying| saying.text.split_whitespace());
            for word in words.filter(|word| self.shared.given.iter().any(|given| given.word == *word)) {
                used.entry(word).or_default().insert((net, id));
            }
        }
        let mut wrong: Vec<String> = Vec::new();
        let twice = used.into_values().filter(|by| by.len() > 1);
        wrong.extend(twice.map(|by| format!("one word was used more than once, by {by:?}")));
        let mut sitting: BTreeMap<TableId, BTreeSet<RoomId>> = BTreeMap::new();
        for room in nets.iter().flat_map(|net| net.rooms()) {
            sitting.entry(table_of(store, room)).or_default().insert(room.clone());
        }
        let full = sitting.iter().filter(|(_, rooms)| rooms.len() > MOST_ROOMS);
        wrong.extend(full.map(|(table, rooms)| format!("{} rooms play at {table}", rooms.len())));
        // Where a room was taken away, another may have come to its table meanwhile.
        for room in nets.iter().flat_map(|net| net.rooms()).filter(|_| !self.shared.moved) {
            let host = table_of(store, room).first_room();
            if host != *room && table_of(store, &host) == TableId::of(room) {
                wrong.push(format!("{room} and {host} swapped their tables"));
            }
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }

    /// True if everything that is to be said in a room is said there in the end.
    fn surely_shows(&self, nets: &[Arc<Net>], room: &RoomId) -> bool {
        let once = |net: &Arc<Net>| net.kind.guarantees().repeated == Repeated::Once || self.ends < 2;
        nets.iter().any(|net| net.name == room.network && once(net))
    }

    /// Checks that nothing is shown in another room that was not played in the open.
    pub(super) fn shows_only_open(&mut self, nets: &[Arc<Net>], entries: &[Known]) {
        let of = |known: &Known| {
            let key = &known.entry.key;
            (key.network.clone(), key.room.clone(), key.id.clone())
        };
        // An earlier version may have been for everybody.
        let open: BTreeSet<_> = entries.iter().filter(|known| !known.entry.secret).map(of).collect();
        let secret: BTreeSet<_> = entries.iter().map(of).filter(|key| !open.contains(key)).collect();
        let rooms: Vec<RoomId> = nets.iter().flat_map(|net| net.rooms().cloned()).collect();
        let mut wrong = Vec::new();
        for (_, wire) in self.shown.iter().filter(|(_, wire)| is_first(wire) && shows_a_roll(&wire.text)) {
            for (network, room, id) in &secret {
                let key = format!("{network}/{room}/{id}/");
                let other = rooms.iter().any(|other| format!("{key}{other}") == wire.post.key);
                if other && wire.post.to == Recipient::Room {
                    wrong.push(format!("what {id} did in secret is shown in {}", wire.post.room));
                }
            }
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }
}
