//! What a line takes from what people saved: values, variables and macros. Whoever puts that into a line must say for
//! which attempt: so it is played with nobody else's rights, and read by nobody who may not see what is in it.

use crate::attempt::Attempt;
use crate::told::is_a_deed;
use chat::PlayerId;
use host::Host;
use journal::documents::{Named, TableDoc};
use plugin_api::{CharacterId, Seen};
use std::collections::BTreeSet;

/// Whose words a line contains, and who may see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Saved {
    /// The authors, as far as known.
    by: BTreeSet<Option<PlayerId>>,
    /// What not everybody may see.
    hidden: Vec<(Taken, Seen)>,
}

/// Something saved that is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// A value of this name.
    Value(String),
    /// What is left of a counter of this name.
    Counter(String),
    Macro,
}

impl Saved {
    /// Adds words of this author, which these people may see.
    pub fn add(&mut self, taken: Taken, author: Option<PlayerId>, seen: Seen) {
        self.by.insert(author);
        self.hidden.extend((!seen.by_everybody()).then_some((taken, seen)));
    }

    /// Restricts an attempt to the rights of the authors, and its answer to those who may see the words.
    pub fn put_into(&self, host: &Host, attempt: &mut Attempt<'_>) {
        let doc = attempt.doc.clone();
        self.by.iter().for_each(|author| attempt.rights.with_words_of(&doc, author.as_ref()));
        let hidden = self.hidden.iter().filter(|(taken, _)| !is_a_deed(host, taken));
        attempt.narrow(hidden.fold(Seen::EVERYBODY, |all, (_, seen)| all.and_of(*seen)));
    }
}

/// What is saved for a character, its own first, then the table's; and who may see it.
pub(crate) fn saved_for(doc: &TableDoc, character: CharacterId) -> impl Iterator<Item = (&Named, Seen)> {
    let own = doc.shortcuts.own.get(&character).map(|named| (named, doc.seen_values_of(character)));
    own.into_iter().chain([(&doc.shortcuts.table, Seen::EVERYBODY)])
}
