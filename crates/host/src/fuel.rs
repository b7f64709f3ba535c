//! The work that one message may cost: what its lines do, and what is guessed at and tried out where one is refused. It is
//! counted in steps before it is done, so that the same message costs the same everywhere.

use crate::budget::{A_READING, MOST_STEPS, OF_ALL_OFFERS};
use journal::documents::{RoomDoc, TableDoc};
use plugin_api::{CharacterId, Refusal};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use understand::guess::Vocabulary;

/// The documents and the character that words were collected for. Holding the documents keeps their addresses unique.
type Of = (Arc<RoomDoc>, Arc<TableDoc>, CharacterId);

/// What is left of the work that a message may cost. All lines of a message share one.
#[derive(Debug)]
pub struct Fuel {
    left: Cell<usize>,
    /// The rolls that may still be played for the chances of offers.
    of_offers: Cell<usize>,
    /// The words that its lines are compared with, built when one is first guessed at.
    vocabulary: RefCell<Option<(Of, Rc<Vocabulary>)>>,
}

impl Fuel {
    /// That of a new message.
    pub fn of_a_message() -> Rc<Self> {
        Rc::new(Fuel {
            left: Cell::new(MOST_STEPS),
            of_offers: Cell::new(OF_ALL_OFFERS),
            vocabulary: RefCell::default(),
        })
    }

    /// Takes so many steps. Returns false if fewer are left; then nothing is left, so that what comes later is not tried
    /// in place of what would have come first.
    pub fn takes(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or_default());
        left.is_some()
    }

    /// Takes what it costs to read a line as one command.
    pub fn reads(&self, line: &str) -> bool {
        self.takes(A_READING + 2 * line.len())
    }

    /// The words that say something to this character with these documents.
    pub fn vocabulary(&self, of: Of, build: impl FnOnce() -> Vocabulary) -> Rc<Vocabulary> {
        let is_same = |((room, table, actor), _): &&(Of, Rc<Vocabulary>)| {
            Arc::ptr_eq(room, &of.0) && Arc::ptr_eq(table, &of.1) && *actor == of.2
        };
        if let Some((_, same)) = self.vocabulary.borrow().as_ref().filter(is_same) {
            return same.clone();
        }
        let built = Rc::new(build());
        self.vocabulary.replace(Some((of, built.clone())));
        built
    }

    /// Takes so many rolls for the chance of an offer before they are played. Returns false if fewer are left; then the
    /// offer is made without its chance.
    pub fn tries_an_offer(&self, rolls: usize) -> bool {
        let left = self.of_offers.get().checked_sub(rolls);
        self.of_offers.set(left.unwrap_or(self.of_offers.get()));
        left.is_some()
    }

    /// Gives back those that it did not take.
    pub fn spares(&self, rolls: usize) {
        self.of_offers.set(self.of_offers.get() + rolls);
    }

    /// The steps that are left.
    pub fn left(&self) -> usize {
        self.left.get()
    }

    /// True if nothing is left.
    pub fn is_out(&self) -> bool {
        self.left.get() == 0
    }
}

/// The refusal of what one message may not cost.
pub fn too_much() -> Refusal {
    Refusal::new("that is too much work for one message: send me less at once").example("roll 3d6")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_leaves_nothing_for_what_comes_later() {
        let fuel = Fuel::of_a_message();
        assert!(fuel.takes(MOST_STEPS - 1) && !fuel.is_out());
        assert!(!fuel.takes(2) && fuel.is_out());
        assert!(!fuel.takes(1) && fuel.takes(0));
    }

    #[test]
    fn the_chances_of_offers_have_a_share_of_their_own_that_all_lines_of_a_message_spend() {
        let fuel = Fuel::of_a_message();
        assert!(fuel.tries_an_offer(OF_ALL_OFFERS - 10) && !fuel.tries_an_offer(11));
        assert!(fuel.tries_an_offer(10) && !fuel.tries_an_offer(1), "what was refused took nothing");
        fuel.spares(5);
        assert!(fuel.tries_an_offer(5) && !fuel.tries_an_offer(1));
        assert_eq!(fuel.left(), MOST_STEPS, "no line is refused because of them");
    }
}
