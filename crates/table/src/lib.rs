//! Tables: what is played together.
//!
//! A message's command lines ([`route`]) are read at the room's [`Table`], by the table's own commands ([`own`], the crate
//! `house`) or by a plugin. A line's changes and dice become an entry of the [`journal`], and an answer. [`Host`] is the
//! state shared by all tables of a bot. [`Sitting`] plays messages one after the other without a running bot.
//!
//! This crate knows no network, no task and no disk: it returns what to write and what to say.

pub mod budget;
mod by_dice;
pub mod limits;
pub mod own;
pub mod route;
pub mod words;

mod accounts;
mod against;
mod amends;
mod attempt;
mod boards;
mod casting;
mod completion;
mod done;
mod draft;
mod effects;
mod fuel;
mod hearing;
mod host;
mod inline;
mod ledger;
mod line;
mod links;
mod names;
mod notation;
mod nudges;
mod odds;
mod orders;
mod outcome;
mod patience;
mod pattern;
mod people;
mod plugins;
mod quota;
mod redirect;
mod rights;
mod room;
mod roster;
mod saved;
mod scenes;
mod sheet;
mod shortcuts;
mod sitting;
mod state;
mod table;
mod times;
mod told;
mod trials;
mod turn;
mod typography;
mod unplayed;

pub use completion::{Completions, completions};
pub use host::{DiceBox, FairBox, Host, Settings};
pub use inline::Inline;
pub use orders::{Ordered, due, stands_for};
pub use outcome::{Heard, Outcome, OutcomeKind, Outgoing};
pub use patience::Waiting;
pub use plugins::{Plugins, PluginsError};
pub use room::{ALONE, RoomRule, RoomSetting, WELCOME};
pub use sitting::Sitting;
pub use table::Table;
pub use told::Told;
