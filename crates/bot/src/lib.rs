//! The core: what happens between a message and its answer.
//!
//! A message is accepted (`desk`), waits in the queue of its table, is split into command lines ([`route`]), and
//! each line is played (`table`): by the table's own commands (`house`) or by a plugin. What changed and what
//! was thrown goes to the [`journal`], all of a message in one batch, which the [`committer`] makes durable in the
//! [`store`]; then the answer is said.
//!
//! The core knows no network protocol and no game's rules, and does no input or output but through its store.

pub mod backup;
pub mod budget;
pub mod committer;
pub mod documents;
pub mod journal;
pub mod keys;
pub mod limits;
pub mod route;
pub mod store;

mod aside;
mod bot;
mod desk;
mod entropy;
mod house;
mod inline;
mod metric;
mod pattern;
mod people;
mod plugins;
mod quota;
mod rights;
mod room;
mod roster;
mod serve;
mod shortcuts;
mod sitting;
mod sound;
mod table;
mod tidy;
mod typography;

pub use bot::{Bot, DiceBox, FairBox, Settings, StartError, schema_of};
pub use entropy::Entropy;
pub use house::commands as table_commands;
pub use metric::describe_metrics;
pub use plugins::{Plugins, PluginsError};
pub use room::{RoomRule, RoomSetting};
pub use serve::operator::{Operator, WORD as OPERATOR_WORD};
pub use serve::{ServeError, serve, survive};
pub use sitting::Sitting;
pub use sound::check_records;
pub use table::{Heard, Manner, Outcome, OutcomeKind, Outgoing, Table};
pub use tidy::Sweep;
