//! Plays session files through the core: for the tests of games, and for `astragal play`.
//!
//! A session reads like play, with scripted dice and the bot's expected answers:
//!
//! ```text
//! @plugins roll mvk
//! @referee Gus
//! Ann> act d8 d10 vs 17 [d20=15 d8=5 d10=10]
//! bot< SUCCESS 25 vs 17...
//! ```
//!
//! [`session`] describes the format; [`play`] plays one; a
//! [`Rehearsal`] tries many lines after one; a plugin's tests call [`test_plugin`]. Code that plays
//! sessions elsewhere, such as the tests of transports, uses [`session::parse`], [`SessionDice`] and [`set_up`].

pub mod cases;
pub mod session;
pub mod simulate;

mod dice_box;
mod play;
mod plugin_tests;
mod readme;
mod written;

pub use dice_box::SessionDice;
pub use play::{Compare, Difference, LineReport, Rehearsal, play, set_up};
pub use plugin_tests::test_plugin;
pub use readme::{page_of_file, readme, reference};
pub use written::{Names, written};
