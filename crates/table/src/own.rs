//! What the table's own commands see of it, which is more than any game does. They are in a crate of their own.

pub use crate::accounts::{Linked, Reached};
pub use crate::boards::AT_MOST;
pub use crate::line::{may_take_back, opened};
pub use crate::names::{For, Naming, held, named_first};
pub use crate::notation::{dice_of_no_table, guessed, reads_as_dice};
pub use crate::nudges::due_at;
pub use crate::odds::{compared, spread, words_of};
pub use crate::orders::{AT, DEADLINE, REMIND, line_of, moment};
pub use crate::outcome::OnBoard;
pub use crate::pattern::about;
pub use crate::people::{People, as_name, looks_like_an_id, with_id};
pub use crate::quota::{Exports, Quotas, Used};
pub use crate::redirect::YES;
pub use crate::rights::{Act, REFEREE, WHO_UNDOES, is_for_its_player};
pub use crate::room::{Answered, DIALECT, MIRROR};
pub use crate::scenes::{SCENE, Split, after_apart, seen_from, title_in};
pub use crate::sheet::{all_values, numbers, wrong_number};
pub use crate::turn::{HouseTurn, OwnCommands};
pub use crate::unplayed::Unplayed;

/// Times as people type and read them.
pub mod times {
    pub use crate::times::{NoTime, TIMEZONE, Typed, behind, read, roughly, shown, until, until_there, zone, zone_of};
}
