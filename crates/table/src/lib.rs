//! What is played together.
//!
//! A message's command lines ([`route`]) are read at the room's [`Table`]: by the table's own commands (`house`) or by a
//! plugin. What a line changed and threw becomes an entry of the [`journal`], and an answer. [`Host`] is what all tables
//! of a bot share, [`Sitting`] plays messages one after the other without a running host.
//!
//! This crate knows no network, no task and no disk: it hands back what is to be written and what is to be said.

pub mod budget;
pub mod limits;
pub mod route;

mod handed;
mod hearing;
mod host;
mod house;
mod inline;
mod pattern;
mod people;
mod plugins;
mod quota;
mod redirect;
mod rights;
mod room;
mod roster;
mod shortcuts;
mod sitting;
mod table;
mod typography;

pub use handed::make_again;
pub use host::{DiceBox, FairBox, Host, Settings};
pub use house::commands as table_commands;
pub use plugins::{Plugins, PluginsError};
pub use room::{RoomRule, RoomSetting};
pub use sitting::Sitting;
pub use table::{Heard, Manner, Outcome, OutcomeKind, Outgoing, Table};
