//! Dice as values: what a player writes (`4d6kh3+2`), what is thrown for it, and what it comes to.
//!
//! ```
//! use dice::{Notation, Scripted};
//!
//! let notation: Notation = "4d6kh3 + 2".parse().expect("well-formed");
//! let mut dice = Scripted::new([(6, 5), (6, 1), (6, 4), (6, 4)]);
//! let rolls = notation.roll(&mut dice).expect("within the limits");
//! assert_eq!(rolls[0].total, 15);
//! assert_eq!(rolls[0].to_string(), "4d6kh3 [5 (1) 4 4] + 2");
//! ```
//!
//! Where dice come from is a [`Dice`]: the [`fair`] stream of a message, or a [`Scripted`] list in tests.
//! This crate knows no game, no chat and no storage, and does no input or output.

pub mod fair;

mod expression;
mod notation;
mod roll;
mod source;

pub use expression::{Comparison, Condition, DiceTerm, End, Expression, Faces, Modifier, Operator};
pub use notation::{MAX_DEPTH, MAX_DICE, MAX_TEXT, Notation, NotationError};
pub use roll::{Fate, Piece, Roll, RollError, ShownDie, Throw};
pub use source::{Budget, Dice, DiceError, Die, MAX_DRAWS, Scripted};
