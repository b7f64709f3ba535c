//! What one command may cost at the most: nothing is read, played, kept or handed out in proportion to what somebody typed
//! before the limit that stands here was asked. What dice and their odds may cost stands in `dice`, how much is answered at
//! all in `limits`.

use plugin_api::Refusal;

pub use journal::MOST_LINES;

/// Bytes of a command: as typed, and with all that macros, variables and offers make of it.
pub const MOST_TEXT: usize = 1_024;
/// How deep variables may stand in variables.
pub(crate) const DEEPEST: usize = 5;

/// Characters of a name that stands for something, of a variable's value, and of a macro's command.
pub(crate) const MOST_SHORTCUT: usize = 20;
pub(crate) const MOST_VALUE: usize = 100;
pub(crate) const MOST_MACRO: usize = 300;
/// Variables, and macros, that somebody may have.
pub(crate) const MOST_SHORTCUTS: usize = 50;
/// Characters of a table, unless players bring more by coming.
pub(crate) const MOST_CHARACTERS: usize = 500;
/// Letters of a name.
pub const MOST_NAME: usize = 32;
/// Bytes that a game may keep for a table: 64 KiB, and what is noted about who changed it.
pub(crate) const MOST_STATE: usize = 88 << 10;

/// Rolls of an estimate.
pub(crate) const ROLLS: u32 = 10_000;
/// Throws that are played to learn the chance of an offer, and the rarest of them; those for all offers of one answer; and
/// those to answer who asks for odds.
pub(crate) const OF_AN_OFFER: Effort = Effort { throws: 600, rarest: 1e-4 };
pub(crate) const OF_OFFERS: usize = 6_000;
pub(crate) const ASKED_FOR: Effort = Effort { throws: 50_000, rarest: 1e-8 };
/// Throws of an estimate of a game's command.
pub(crate) const SAMPLED: usize = 4_000;
/// Bytes of what a table holds of a game that are as dear to play with as all else of a throw.
pub(crate) const A_THROW: usize = 1_024;

/// Entries that an erasing command takes the words of, and bytes that those hold; the next one goes on.
pub(crate) const MOST_ERASED: usize = 2_000;
pub(crate) const MOST_ERASED_BYTES: usize = 4 << 20;
/// Entries, and bytes, that fit into a file for a chat.
pub(crate) const MOST_EXPORTED: u64 = 2_000;
pub(crate) const MOST_EXPORTED_BYTES: usize = 4 << 20;
/// Entries that a history lists, that a recap looks at, and that are looked at to say how lucky everybody was.
pub(crate) const MOST_HISTORY: i64 = 30;
pub(crate) const MOST_RECAPPED: usize = 150;
pub(crate) const MOST_CURSED: usize = 10_000;
/// Dice that are looked at for that.
pub(crate) const MOST_CURSED_DICE: usize = 50_000;
/// Entries of a player that are looked at in search of the last one that can be taken back, and of a character in search of
/// the last roll.
pub(crate) const MOST_UNDONE: usize = 200;
pub(crate) const MOST_REROLLED: usize = 100;

/// What is spent on playing all that could be thrown.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// Throws that are played at the most.
    pub throws: usize,
    /// What comes less often is left out.
    pub rarest: f64,
}

impl Effort {
    /// The same for a game of which a table holds so many bytes: each throw plays with all of them.
    pub fn with(self, bytes: usize) -> Self {
        Effort { throws: (self.throws / (1 + bytes / A_THROW)).max(1), ..self }
    }
}

/// Refuses a line that has become too long by what stands for something in it.
pub(crate) fn fits(line: &str) -> Result<(), Refusal> {
    if line.len() <= MOST_TEXT {
        return Ok(());
    }
    let what = format!("with all that stands for something in it, that is longer than {MOST_TEXT} bytes");
    Err(Refusal::new(what).example("help macro"))
}
