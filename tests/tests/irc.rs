//! The bot on IRC: play through real servers, and a scripted one for what those never do.

mod answers;
mod conformance;
pub(crate) mod endurance;
mod evening;
mod hostile;
mod login;
mod muted;
mod past;
mod people;
mod proof;
mod reach;
mod renamed;
mod sasl;
mod scripted;
mod services;
mod sessions;
mod shunned;
mod speech;

use tests::irc::{played, stage};
