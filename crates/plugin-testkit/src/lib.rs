//! Plays session files through the core: the tests of games, and `astragal play`.
//!
//! A session reads like play, with the dice scripted and the bot's answers asserted:
//!
//! ```text
//! @plugins roll mvk
//! @referee Gus
//! Ann> act d8 d10 vs 17 [d20=15 d8=5 d10=10]
//! bot< SUCCESS 25 vs 17...
//! ```
//!
//! [`session`] describes the format; [`play`] plays one; a plugin's tests call [`test_plugin`]. What plays sessions
//! elsewhere, as the tests of transports do, takes [`session::parse`], [`SessionDice`] and [`set_up`].

pub mod cases;
pub mod session;
pub mod simulate;

mod dice_box;
mod play;
mod plugin_tests;
mod readme;
mod written;

pub use dice_box::SessionDice;
pub use play::{Compare, Difference, LineReport, play, set_up};
pub use plugin_tests::test_plugin;
pub use readme::{readme, reference};
pub use written::{Names, written};
