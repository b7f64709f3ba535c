//! What kind of command a command is, as data: what it does when it is typed alone, and what else is special about it.

use serde::{Deserialize, Serialize};

/// What a command does when it is typed alone. Each command declares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// It changes nothing: typed alone, it tells how things are, also if it changes them with more words behind it.
    Shows,
    /// It changes something, or asks for what is missing.
    #[default]
    Changes,
    /// It throws dice, or leaves something else to chance.
    Rolls,
}

/// What else is special about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trait {
    /// People without a seat at the table may use it.
    Guests,
    /// It is about what was just said, so it cannot be left for later.
    Now,
    /// It concerns the room itself, or what somebody typed there, and not what is played at the table.
    Room,
    /// It is a part of the play, so the table's other rooms see it.
    Play,
    /// It decides which table a room belongs to, so an undo does not take it back.
    Seats,
    /// It cannot be taken back, so it is only suggested for what is nearly its name.
    Erases,
    /// A corrected line of it may be tried before it is suggested: it counts no wrong guesses of a secret word, and does nothing
    /// outside of the table.
    Tried,
    /// Whether it is refused depends on what only its player may know, such as a hand of cards: a word that was not typed is never
    /// tried in it, or what is suggested would tell.
    Private,
    /// People add a remark to it: `undo sorry, wrong dice`.
    Commented,
    /// Its words are dice or another command, in which names of values stand for the values.
    Values,
    /// It reads or changes numbers of the actor's sheet, so it is for those alone who may know that.
    Sheet,
    /// It shows and changes a number that the game keeps itself, so nobody sets a value with its name.
    Keeps,
    /// A game may define the same word. In rooms where that game is enabled, its command wins.
    Yields,
    /// It was a game's command once, and old entries name that game.
    OnceOfGames,
}
