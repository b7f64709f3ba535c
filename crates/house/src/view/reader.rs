//! Who looks.

use chat::PlayerId;

/// Who looks at a table. Nothing but this, and what the table's documents say of them, decides what they read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reader {
    /// Anyone: what everybody may read.
    Anyone,
    /// A player, alone: what they may read besides.
    Player(PlayerId),
    /// A referee, alone: what referees may read besides.
    Referee(PlayerId),
}

impl Reader {
    /// The account that looks, unless anyone does.
    pub fn player(&self) -> Option<&PlayerId> {
        match self {
            Reader::Anyone => None,
            Reader::Player(player) | Reader::Referee(player) => Some(player),
        }
    }
}
