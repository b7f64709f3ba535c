//! A table as one reader sees it, as data. What somebody reads of it is decided here, from what `Looking` says that they
//! may; commands draw it as text, and a page as it likes.

mod choices;
mod entry;
mod kept;
mod links;
mod reader;
mod scene;
mod sheets;
mod told;
mod whole;
mod why;
mod window;

pub use crate::odds::Chances;
pub use choices::{Choice, Open};
pub use entry::{Entry, Fate, Says};
pub use kept::Kept;
pub use reader::Reader;
pub use scene::{Scene, Unsettled};
pub use sheets::{Sheet, Valued};
pub use told::{Tale, Told};
pub use whole::{Ask, Proof, View};
pub use why::{Why, Withheld};
pub use window::{Looks, Place, Window};

pub(crate) use choices::all;
pub(crate) use kept::{Handout, divided, handouts, notes};
pub(crate) use links::{Keys, is_at};
pub(crate) use sheets::{sheet, sheets};
pub(crate) use told::tales;
