//! Nobody reads what is not theirs: the words and numbers of a secret roll appear in no post that others can read,
//! including files.

use super::Oracle;
use super::journal_of::{Known, has_word};
use super::rights_of::Referees;
use crate::net::Wire;
use crate::script::PEOPLE;
use chat::{PlayerId, RoomId};
use std::collections::BTreeSet;

impl Oracle {
    /// Checks the secret rolls at the table of `room`, which had these referees.
    pub(super) fn secrets(&mut self, room: &RoomId, entries: &[Known], referees: &BTreeSet<PlayerId>) {
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
            let net = &known.entry.key.network;
            let Some(saying) = self.said.get(&(net.clone(), self.id_of(net, known))) else { continue };
            // Without a referee there is nobody to keep values from.
            let set = saying.text.starts_with("!set");
            let open = |other: &Known| other.entry.key == known.entry.key && !other.entry.secret;
            if set && (!has_referees_from(number, entries) || entries.iter().any(open)) {
                continue;
            }
            let Some(token) = saying.wants.token.as_ref().filter(|_| saying.wants.secret) else { continue };
            let sender = PlayerId::new(net, PEOPLE[saying.who].0);
            let theirs = |name: &str, wire: &Wire| {
                let reader = wire.reader().map(|id| PlayerId::new(name, id));
                reader.is_some_and(|reader| self.same(&reader, &sender) || referees.contains(&reader))
            };
            let mut words = vec![token.clone()];
            let own = self.shown.iter().filter(|(name, wire)| name == net && wire.reader() == Some(&sender.id));
            let own = own.filter(|(_, wire)| wire.post.answers.as_ref() == Some(&saying.id) && !wire.post.refusal);
            words.extend(own.flat_map(|(_, wire)| long_numbers(&wire.text)));
            for (name, wire) in self.shown.iter().filter(|(name, wire)| !theirs(name, wire)) {
                let files = wire.post.files.iter().map(|file| file.text.as_str());
                let all: Vec<_> = std::iter::once(wire.text.as_str()).chain(files).collect();
                // The dice of a secret of their own may show the same number.
                let words = if self.answers_a_secret(name, wire) { &words[..1] } else { &words };
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

    /// True if a post tells one reader alone what they rolled in secret.
    fn answers_a_secret(&self, net: &str, wire: &Wire) -> bool {
        let saying = wire.post.answers.as_ref().and_then(|id| self.said.get(&(net.to_owned(), id.clone())));
        saying.is_some_and(|saying| saying.wants.secret && wire.reader() == Some(PEOPLE[saying.who].0))
    }

    /// The id of the message that made an entry.
    fn id_of(&self, net: &str, known: &Known) -> String {
        let by_token = |saying: &&crate::script::Saying| {
            let token = saying.wants.token.as_ref();
            token.is_some_and(|token| known.text.as_ref().is_some_and(|text| has_word(text, token)))
        };
        let mut here = self.said.iter().filter(|((name, _), _)| name == net).map(|(_, saying)| saying);
        here.find(by_token).map_or_else(|| known.entry.key.id.clone(), |saying| saying.id.clone())
    }
}

/// True if a table always has a referee from this entry on.
fn has_referees_from(number: u64, entries: &[Known]) -> bool {
    let mut referees = Referees::default();
    let mut always = true;
    for known in entries {
        referees.hear(known);
        always &= known.entry.number < number || !referees.are_none();
    }
    always
}

/// Numbers that reveal a roll: those of six or more digits.
fn long_numbers(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let long = parts.filter(|part| part.len() >= 6 && part.bytes().all(|byte| byte.is_ascii_digit()));
    // The size of the dice and the modifiers are in the typed line.
    long.filter(|part| !["900000", "100000", "100001", "100002"].contains(part)).map(str::to_owned).collect()
}
