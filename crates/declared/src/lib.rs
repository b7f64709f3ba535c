//! Games that are a file of text. A game master writes it; nothing is compiled. [`read`] makes a [`Game`] of the text or says
//! everything that is wrong in it, and [`plugin`] makes of the game what the core plays, like any other.

mod chances;
mod die;
mod evaluate;
mod expression;
mod game;
mod kept;
pub mod language;
mod lines;
mod mistake;
mod play;
mod plugin;
mod read;
mod template;
mod thrown;

pub use game::{Game, Scene};
pub use kept::Files;
pub use mistake::{Mistake, Mistakes};
pub use plugin::plugin;
pub use read::{read, read_beside, wrong_heading};
