//! Posts on their way to a network, and whose words they hold.

use crate::outcome::{Outcome, OutcomeKind};
use chat::Post;
use journal::keys::{self, TableId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A post to be said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outgoing {
    /// Its key in the store until it was said.
    pub key: String,
    /// The post.
    pub post: Post,
    /// The roll it shows; a reply to it follows up on that.
    pub roll: Option<(TableId, u64)>,
    /// The command to put before a number with which somebody reacts to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
    /// Whose words it holds, if that is more than the entry of [`roll`](Self::roll) says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    quotes: Option<Quotes>,
}

impl Outgoing {
    /// A post under a key of its own in the outbox of its network, which shows no roll and says nothing of any entry.
    pub fn new(post: Post, number: u64) -> Self {
        Outgoing { key: keys::outbox(&post.room.network, number), ..Outgoing::unstored(post) }
    }

    /// The same, holding these words.
    #[must_use]
    pub fn quoting(mut self, quotes: Quotes) -> Self {
        self.quotes = (self.quotes().as_ref() != Some(&quotes)).then_some(quotes);
        self
    }

    /// Whose words it holds: those of the entry that it shows, if nothing else is known.
    pub fn quotes(&self) -> Option<Quotes> {
        let of_roll = |(table, number): &(TableId, u64)| Quotes {
            table: table.clone(),
            before: number.saturating_sub(1),
            entries: Some(BTreeSet::from([*number])),
        };
        self.quotes.clone().or_else(|| self.roll.as_ref().map(of_roll))
    }

    /// Forgets the words of these entries of a table if it may hold them, with all copies of its post. Returns true if it
    /// did.
    pub fn forget(&mut self, table: &TableId, erased: &[u64]) -> bool {
        let held = self.quotes().is_some_and(|quotes| quotes.table == *table && quotes.any_of(erased));
        if held {
            self.post.erased.set();
            self.post.forget_erased();
        }
        held
    }

    /// A post that is said at once or not at all.
    pub fn unstored(post: Post) -> Self {
        Outgoing { key: String::new(), post, roll: None, numbers: None, quotes: None }
    }
}

/// Whose words a post holds, so that it can forget them if they are erased before it is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quotes {
    /// The table.
    pub table: TableId,
    /// The table's newest entry before the message that it answers.
    pub before: u64,
    /// The entries whose words it may hold; `None` if that may be any, as in a list or a story.
    pub entries: Option<BTreeSet<u64>>,
}

impl Quotes {
    /// What is quoted of a table, whose newest entry is `head`, by whoever shows these outcomes.
    pub fn of<'a>(table: &TableId, head: u64, outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut quotes = Quotes { table: table.clone(), before: head, entries: Some(BTreeSet::new()) };
        outcomes.into_iter().for_each(|outcome| quotes.add(outcome));
        quotes
    }

    fn add(&mut self, outcome: &Outcome) {
        let Some(entry) = outcome.entry else {
            self.entries.take_if(|_| outcome.kind == OutcomeKind::Played);
            return;
        };
        self.before = self.before.min(entry - 1);
        if let Some(entries) = &mut self.entries {
            entries.extend([entry].into_iter().chain(outcome.follows).chain(outcome.undoes));
            entries.extend(&outcome.revealed);
        }
    }

    /// True if it may hold the words of one of these entries of its table.
    pub fn any_of(&self, erased: &[u64]) -> bool {
        match &self.entries {
            Some(entries) => erased.iter().any(|entry| entries.contains(entry)),
            None => !erased.is_empty(),
        }
    }
}
