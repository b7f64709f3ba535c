//! The work that one message may cost: what its lines do, and what is guessed at and tried out where one is refused. It is
//! counted in steps before it is done, so that the same message costs the same everywhere.

use crate::budget::{A_READING, MOST_STEPS};
use crate::vocabulary::Vocabulary;
use plugin_api::Refusal;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// What is left of the work that a message may cost. All lines of a message share one.
#[derive(Debug)]
pub(crate) struct Fuel {
    left: Cell<usize>,
    /// The words that its lines are compared with, built when one is first guessed at.
    pub vocabulary: RefCell<Option<Rc<Vocabulary>>>,
}

impl Fuel {
    /// That of a new message.
    pub fn of_a_message() -> Rc<Self> {
        Rc::new(Fuel { left: Cell::new(MOST_STEPS), vocabulary: RefCell::default() })
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
        self.takes(A_READING + line.len())
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
pub(crate) fn too_much() -> Refusal {
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
}
