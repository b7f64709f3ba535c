//! Nobody reads what is not theirs: the words and numbers of a secret roll appear in no post that others can read,
//! including files.

use super::Oracle;
use super::journal_of::{Known, has_word};
use crate::net::{Net, Wire};
use crate::script::PEOPLE;
use chat::{PlayerId, RoomId};
use std::collections::BTreeSet;

impl Oracle {
    /// Checks the secret rolls at the table of `room`, which had these referees.
    pub(super) fn secrets(&mut self, net: &Net, room: &RoomId, entries: &[Known], referees: &BTreeSet<PlayerId>) {
        let mut wrong = Vec::new();
        for known in entries.iter().filter(|known| known.entry.secret) {
            let number = known.entry.number;
            // An earlier version of the same message shows the same dice.
            let version = |shown: &u64| {
                let shown = entries.iter().find(|other| other.entry.number == *shown);
                shown.is_some_and(|shown| shown.entry.key == known.entry.key)
            };
            let shown = |other: &&Known| other.entry.reveals.iter().any(version) || !other.entry.publishes.is_empty();
            // Once shown, it may be repeated, and every later answer may have been given after that.
            if entries.iter().any(|other| shown(&other)) {
                continue;
            }
            let Some(saying) = self.said.get(&(net.name.clone(), self.id_of(net, known))) else { continue };
            let Some(token) = saying.wants.token.as_ref().filter(|_| saying.wants.secret) else { continue };
            let sender = PEOPLE[saying.who].0;
            let theirs = |wire: &Wire| {
                let reader = wire.reader();
                reader == Some(sender) || reader.is_some_and(|id| referees.iter().any(|player| player.id == id))
            };
            let mut words = vec![token.clone()];
            let own = self.shown.iter().filter(|(name, wire)| *name == net.name && wire.reader() == Some(sender));
            let own = own.filter(|(_, wire)| wire.post.answers.as_ref() == Some(&saying.id) && !wire.post.refusal);
            words.extend(own.flat_map(|(_, wire)| long_numbers(&wire.text)));
            for (_, wire) in self.shown.iter().filter(|(name, wire)| *name == net.name && !theirs(wire)) {
                let files = wire.post.files.iter().map(|file| file.text.as_str());
                let all: Vec<_> = std::iter::once(wire.text.as_str()).chain(files).collect();
                if let Some(word) = words.iter().find(|word| all.iter().any(|text| has_word(text, word))) {
                    wrong.push(format!(
                        "{:?} reads {word} of the secret #{number} of {room} in {}",
                        wire.reader(),
                        wire.post.key
                    ));
                }
            }
        }
        wrong.into_iter().for_each(|what| self.wrong(what));
    }

    /// The id of the message that made an entry.
    fn id_of(&self, net: &Net, known: &Known) -> String {
        let by_token = |saying: &&crate::script::Saying| {
            let token = saying.wants.token.as_ref();
            token.is_some_and(|token| known.text.as_ref().is_some_and(|text| has_word(text, token)))
        };
        let mut here = self.said.iter().filter(|((name, _), _)| *name == net.name).map(|(_, saying)| saying);
        here.find(by_token).map_or_else(|| known.entry.key.id.clone(), |saying| saying.id.clone())
    }
}

/// Numbers that reveal a roll: those of six or more digits.
fn long_numbers(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let long = parts.filter(|part| part.len() >= 6 && part.bytes().all(|byte| byte.is_ascii_digit()));
    // The size of the dice and the modifiers are in the typed line.
    long.filter(|part| !["900000", "100000", "100001", "100002"].contains(part)).map(str::to_owned).collect()
}
