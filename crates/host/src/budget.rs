//! Limits on the cost of one command. Before anything is read, played, stored or handed out in proportion to what
//! somebody typed, the limit here is checked. `dice` has the limits on dice and odds, and `limits` those on how much is
//! answered at all.

use plugin_api::Refusal;

pub use journal::MOST_LINES;

/// Most bytes of a command: as typed, and after expanding macros, variables and offers.
pub const MOST_TEXT: usize = 1_024;
/// Most bytes of a command that takes the lines after it, as typed. Nothing makes it longer than it was typed.
pub const MOST_BLOCK: usize = 8 << 10;
/// Most places of a line that are tried for a group, each of which is read several times.
pub const MOST_SLOTS: usize = 4;
/// Deepest nesting of variables in variables.
pub const DEEPEST: usize = 5;

/// Most characters at a table, not counting those of players who join.
pub const MOST_CHARACTERS: usize = 500;
/// Most rooms of a table: each shows what is rolled in all the others.
pub const MOST_ROOMS: usize = 8;
/// Most characters in a name.
pub const MOST_NAME: usize = 32;
/// Most bytes of a game's state at a table: 64 KiB, plus the record of who changed it.
pub const MOST_STATE: usize = 88 << 10;

/// Steps of work that one message may cost, of less than a microsecond.
pub const MOST_STEPS: usize = 500_000;
/// Steps of reading a line as a command, besides two for each of its bytes.
pub const A_READING: usize = 60;
/// Steps of rolling a die and keeping it for good.
pub const A_DIE: usize = 75;
/// Steps of playing a game's command with one of all possible rolls.
pub const AN_OUTCOME: usize = 10;
/// Steps of the odds of dice.
pub const ODDS_OF_DICE: usize = 25_000;

/// How many rolls to play for the chance of an offer, and the rarest to include.
pub const OF_AN_OFFER: Effort = Effort { throws: 600, rarest: 1e-4 };
/// How many rolls to play for all offers of one answer.
pub const OF_OFFERS: usize = 6_000;
/// How many rolls to play for the offers in all answers to one message.
pub const OF_ALL_OFFERS: usize = 12_000;
/// The effort for a player who asks for odds.
pub const ASKED_FOR: Effort = Effort { throws: 50_000, rarest: 1e-8 };
/// Rolls in an estimate of a game's command.
pub const SAMPLED: usize = 4_000;
/// Dice of a roll that cost as much as everything else in it.
pub const DICE_OF_A_THROW: usize = 50;
/// Bytes of a game's state that cost as much to play with as everything else in a roll.
pub const A_THROW: usize = 1_024;

/// How many of a player's entries to search for the last one that can be undone.
pub const MOST_UNDONE: usize = 200;
/// How many of a character's entries to search for the last roll.
pub const MOST_REROLLED: usize = 100;
/// Most entries of a player searched for one of a group, which `undo` and `redo` take as a whole.
pub const MOST_LOOKED_AT: usize = 30;

/// The effort for playing all possible rolls.
#[derive(Clone, Copy)]
pub struct Effort {
    /// Most rolls to play.
    pub throws: usize,
    /// Rarer ones are left out.
    pub rarest: f64,
}

impl Effort {
    /// Scales the effort for a game with a state of this many bytes, because each roll plays with all of it.
    pub fn with(self, bytes: usize) -> Self {
        Effort { throws: (self.throws / (1 + bytes / A_THROW)).max(1), ..self }
    }
}

/// Refuses a line that expansion has made too long.
pub fn fits(line: &str) -> Result<(), Refusal> {
    fits_within(MOST_TEXT, line)
}

/// The same for a line that may have so many bytes.
pub fn fits_within(most: usize, line: &str) -> Result<(), Refusal> {
    if line.len() <= most {
        return Ok(());
    }
    let what = format!("once its macros and values are filled in, that is longer than {MOST_TEXT} bytes");
    Err(Refusal::new(what).example("help macro"))
}
