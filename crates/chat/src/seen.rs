//! Who may see a value. Whatever is computed from several values is seen by those who may see all of them.

use crate::{CharacterId, Readers};

/// Who may see a value that was read, and whatever is computed from it: a roll, its answer, facts, odds, a correction.
///
/// It is only ever narrowed on the way: see [`and_of`](Self::and_of).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Who reads it.
    pub readers: Readers,
    /// Whoever plays this character sees it too, since it is theirs.
    pub and: Option<CharacterId>,
}

impl Seen {
    /// Seen by everybody.
    pub const EVERYBODY: Seen = Seen { readers: Readers::Everybody, and: None };

    /// Seen by these readers alone.
    pub const fn by(readers: Readers) -> Self {
        Seen { readers, and: None }
    }

    /// Seen by the referees and by whoever plays this character.
    pub const fn of(who: CharacterId) -> Self {
        Seen { readers: Readers::Referees, and: Some(who) }
    }

    /// True if everybody sees it.
    pub fn by_everybody(self) -> bool {
        self.readers == Readers::Everybody
    }

    /// The character whose it is, if not everybody sees it.
    pub fn whose(self) -> Option<CharacterId> {
        self.and.filter(|_| !self.by_everybody())
    }

    /// True if all those `others` see it.
    pub fn shows_to(self, others: Seen) -> bool {
        let theirs = others.and.is_none() || others.and == self.and;
        self.by_everybody() || (self.readers <= others.readers && theirs)
    }

    /// Who may see what is made of both: only those who may see each.
    #[must_use]
    pub fn and_of(self, other: Seen) -> Seen {
        match (self.by_everybody(), other.by_everybody()) {
            (_, true) => self,
            (true, false) => other,
            (false, false) => {
                let and = self.and.filter(|_| self.and == other.and);
                Seen { readers: self.readers.max(other.readers), and }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_two_values_is_seen_by_those_who_may_see_both() {
        let [ann, bob] = [Seen::of(CharacterId(1)), Seen::of(CharacterId(2))];
        assert_eq!(Seen::EVERYBODY.and_of(ann), ann);
        assert_eq!(ann.and_of(Seen::EVERYBODY), ann);
        assert_eq!(ann.and_of(ann), ann);
        assert_eq!(ann.and_of(bob), Seen::by(Readers::Referees));
        assert_eq!(ann.and_of(Seen::by(Readers::Player)), Seen::by(Readers::Player));
        assert!(Seen::EVERYBODY.shows_to(bob) && ann.shows_to(ann) && ann.shows_to(Seen::by(Readers::Referees)));
        assert!(!ann.shows_to(bob) && !ann.shows_to(Seen::EVERYBODY));
        assert_eq!(ann.whose(), Some(CharacterId(1)));
        assert_eq!(Seen::EVERYBODY.whose(), None);
    }
}
