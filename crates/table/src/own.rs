//! What the table's own commands see of it, which is more than any game does. They are in a crate of their own.

pub use crate::boards::AT_MOST;
pub use crate::line::opened;
pub use crate::nudges::due_at;
pub use crate::odds::{cancelled, compared, spread, words_of};
pub use crate::orders::{AT, DEADLINE, REMIND, line_of, moment};
pub use crate::sheet::all_values;
pub use host::accounts::{Linked, Reached};
pub use host::looking::{Looking, Onlooker};
pub use host::names::{For, Naming, held, named_first};
pub use host::notation::{dice_of_no_table, guessed, reads_as_dice};
pub use host::outcome::OnBoard;
pub use host::people::{People, as_name, looks_like_an_id, with_id};
pub use host::quota::{Exports, Quotas, Used};
pub use host::redirect::YES;
pub use host::rights::{Act, REFEREE, WHO_UNDOES, is_for_its_player};
pub use host::room::{Answered, DIALECT, MIRROR};
pub use host::scenes::{SCENE, Split, after_apart, seen_from, title_in};
pub use host::turn::{HouseTurn, OwnCommands};
pub use host::undo::may_take_back;
pub use host::unplayed::Unplayed;

/// Times as people type and read them.
pub mod times {
    pub use host::times::{NoTime, TIMEZONE, Typed, behind, read, roughly, shown, until, until_there, zone, zone_of};
}
