//! Dice as values: a player's notation (`4d6kh3+2`), the dice rolled for it, and the result.
//!
//! ```
//! use dice::{Notation, Scripted};
//!
//! let notation: Notation = "4d6kh3 + 2".parse().expect("well-formed");
//! let mut dice = Scripted::new([(6, 5), (6, 1), (6, 4), (6, 4)]);
//! let rolls = notation.roll(&mut dice).expect("within the limits");
//! let roll = &rolls[0].rolls[0];
//! assert_eq!(roll.total(), 15);
//! assert_eq!(roll.to_string(), "4d6kh3 [5 (1) 4 4] + 2");
//! ```
//!
//! Dice come from a [`Dice`]: the [`fair`] stream of a message, or a [`Scripted`] list in tests. This crate knows no
//! game, no chat and no storage, and does no input or output.

pub mod fair;

mod dialect;
mod digits;
mod every;
mod expression;
mod limits;
mod luck;
mod notation;
mod number;
mod odds;
mod parser;
mod roll;
mod source;
mod spoken;
mod symbols;
mod thumbs;

pub use dialect::{Dialect, twice};
pub use digits::{as_before, has_digits};
pub use every::Every;
pub use expression::{
    Choice, Comparison, Condition, Count, Counting, End, Explosion, Expression, Face, FaceList, Faces, Function, Mark,
    Modifier, Operator, Pool, Source,
};
pub use limits::{
    Fuel, LUCK, MAX_DEPTH, MAX_DICE, MAX_DRAWS, MAX_FACES_OF_ODDS, MAX_LUCKY, MAX_REPEATS, MAX_ROLLS, MAX_TEXT, ODDS,
    Spent,
};
pub use luck::Luck;
pub use notation::{Notation, NotationError, Repeated, Together};
pub use number::Number;
pub use odds::{Certainty, Odds, OddsError};
pub use roll::{Fate, OfPool, Piece, Roll, RollError, Rolls, Shown, ShownDie, Tally, Throw, Verdict};
pub use source::{Budget, Dice, DiceError, Die, Scripted};
pub use symbols::Cancel;
pub use thumbs::number_word;
