//! What a line means: one for several is played for all of them or for nobody, a refused one when its sender says so,
//! and an unknown word is another bot's unless there is none.

use super::Oracle;
use super::journal_of::{Known, has_word};
use crate::net::Net;
use crate::players::AGREES;
use chat::{Event, RoomId};
use journal::line_and_place;
use std::collections::BTreeSet;

/// A word that is no command, nor nearly one.
const UNKNOWN: &str = "!nosuchword";

/// The answer of a command that has no effect, though its dice are in the journal.
const NOTHING: &str = "no effect";

impl Oracle {
    /// Checks that a line for several made as many entries as it must, or none that has an effect.
    pub(super) fn for_several(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        for line in entries.chunk_by(|before, known| known.entry.continues(&before.entry)) {
            let (first, place) = (&line[0], line_and_place(line[0].entry.key.ordinal).1);
            let number = first.entry.number;
            if place > 1 {
                self.wrong(format!("#{number} of {room} is entry {place} of its line, and the others are not there"));
            }
            let Some(times) = self.times_of(net, room, first) else { continue };
            let nothing = |known: &Known| known.answer.as_ref().is_none_or(|answer| answer.contains(NOTHING));
            if line.len() != times && !line.iter().all(nothing) {
                let played = line.len();
                self.wrong(format!("#{number} of {room} is for {times} and was played for {played} of them"));
            }
        }
    }

    /// How many entries the line must have made that this entry is from, if that is known.
    fn times_of(&self, net: &Net, room: &RoomId, known: &Known) -> Option<usize> {
        let text = known.text.as_ref()?;
        if known.entry.key.network != net.name {
            return None;
        }
        let here = self.said.iter().filter(|((name, _), _)| *name == net.name);
        let mut sayings = here.filter(|(name, _)| !self.touched.contains(name)).map(|(_, saying)| saying);
        let saying = sayings.find(|saying| saying.wants.token.as_ref().is_some_and(|token| has_word(text, token)))?;
        // The correction of a refused one may be for fewer.
        saying.wants.times.filter(|_| !agreed(net, room, &saying.id))
    }

    /// Checks that a refused line is played only for its sender, and only if they said so afterwards.
    pub(super) fn mistyped(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        let timeline = net.timeline();
        for event in &timeline {
            let Event::Said(message) = event else { continue };
            let name = (net.name.clone(), message.id.clone());
            let saying = self.said.get(&name).filter(|saying| saying.wants.mistyped && message.room == *room);
            let Some(token) = saying.and_then(|saying| saying.wants.token.clone()) else { continue };
            let (id, player) = (&message.id, &message.speaker.player);
            let played = |known: &&Known| known.text.as_ref().is_some_and(|text| has_word(text, &token));
            let agreed = agreed(net, room, id);
            for known in entries.iter().filter(played) {
                let number = known.entry.number;
                // A referee may have amended it.
                if known.entry.player != *player && known.entry.replaces.is_none() {
                    self.wrong(format!("#{number} of {room} is {}'s, by a line of {player}'s", known.entry.player));
                }
                if !agreed && !self.touched.contains(&name) {
                    self.wrong(format!("{id} was refused and is #{number} of {room} though nobody said so"));
                }
            }
        }
    }

    /// Checks that a word that nobody knows is answered only where the bot was told that there is no other.
    pub(super) fn unknown_words(&mut self, net: &Net, room: &RoomId, entries: &[Known]) {
        let says_alone = |known: &Known| known.text.as_ref().is_none_or(|text| text.contains("alone"));
        let alone = entries.iter().any(|known| known.entry.command == "room" && says_alone(known));
        let asked = |event: &Event| match event {
            Event::Said(message) if message.room == *room && message.body == UNKNOWN => Some(message.id.clone()),
            _ => None,
        };
        let asked: BTreeSet<String> = net.timeline().iter().filter_map(asked).collect();
        for id in asked.into_iter().filter(|_| !alone) {
            let touched = self.touched.contains(&(net.name.clone(), id.clone()));
            if !touched && self.answered(net, room, &id) {
                self.wrong(format!("{id} is a word for another bot, and it was answered in {room}"));
            }
        }
    }

    /// True if a message got an answer other than an apology.
    fn answered(&self, net: &Net, room: &RoomId, id: &str) -> bool {
        let front = format!("{room}/{id}/");
        let own = |key: &str| key.starts_with(&front) && !key.contains(super::SORRY);
        self.posts.range((net.name.clone(), front.clone())..).next().is_some_and(|((_, key), _)| own(key))
    }
}

/// True if the sender of a message agreed to a correction after it.
pub(super) fn agreed(net: &Net, room: &RoomId, id: &str) -> bool {
    let timeline = net.timeline();
    let mut said = timeline.iter().filter_map(Event::message).skip_while(|message| message.id != id);
    let Some(first) = said.next() else { return false };
    said.any(|said| said.body == AGREES && said.speaker.player == first.speaker.player && said.room == *room)
}
