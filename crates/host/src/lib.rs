//! What a table is before a line is played at it: the rooms that sit there, the people and what each may do, what is stored of it,
//! and what its commands may cost. [`Host`] is the state that all tables of a bot share.
//!
//! This crate reads and plays no line. It knows no network, no task and no disk.

pub mod accounts;
pub mod amends;
pub mod budget;
pub mod casting;
pub mod done;
pub mod effects;
pub mod fuel;
pub mod hearing;
pub mod inline;
pub mod ledger;
pub mod limits;
pub mod links;
pub mod looking;
pub mod names;
pub mod notation;
pub mod outcome;
pub mod outgoing;
pub mod patience;
pub mod people;
pub mod plugins;
pub mod quota;
pub mod redirect;
pub mod rights;
pub mod room;
pub mod roster;
pub mod route;
pub mod scenes;
pub mod state;
pub mod times;
pub mod touched;
pub mod trials;
pub mod turn;
pub mod undo;
pub mod unplayed;
pub mod words;

mod shared;

pub use shared::{DiceBox, FairBox, Host, Settings};
