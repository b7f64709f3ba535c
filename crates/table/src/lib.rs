//! Tables: what is played together.
//!
//! A message's command lines ([`host::route`]) are read at the room's [`Table`], by the table's own commands ([`own`], the crate
//! `house`) or by a plugin. A line's changes and dice become an entry of the [`journal`], and an answer. [`Host`] is the
//! state shared by all tables of a bot. [`Sitting`] plays messages one after the other without a running bot.
//!
//! This crate knows no network, no task and no disk: it returns what to write and what to say.

pub mod own;

mod against;
mod attempt;
mod boards;
mod by_dice;
mod completion;
mod draft;
mod grouped;
mod line;
mod nudges;
mod odds;
mod orders;
mod saved;
mod sheet;
mod shortcuts;
mod sitting;
mod table;
mod told;

pub use completion::{Completions, completions};
pub use host::inline::Inline;
pub use host::outcome::{Heard, Outcome, OutcomeKind};
pub use host::outgoing::{Outgoing, Quotes};
pub use host::patience::Waiting;
pub use host::plugins::{Plugins, PluginsError};
pub use host::room::{ALONE, RoomRule, RoomSetting, WELCOME};
pub use host::{DiceBox, FairBox, Host, Settings, budget, limits, route, words};
pub use orders::{Ordered, due, stands_for};
pub use sitting::Sitting;
pub use table::Table;
pub use told::Told;
