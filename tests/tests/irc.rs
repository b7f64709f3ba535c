//! The bot on IRC: play through real servers, and a scripted one for what those never do.

#[path = "irc/answers.rs"]
mod answers;
#[path = "irc/conformance.rs"]
mod conformance;
#[path = "irc/endurance.rs"]
mod endurance;
#[path = "irc/evening.rs"]
mod evening;
#[path = "irc/hostile.rs"]
mod hostile;
#[path = "irc/login.rs"]
mod login;
#[path = "irc/past.rs"]
mod past;
#[path = "irc/people.rs"]
mod people;
#[path = "irc/proof.rs"]
mod proof;
#[path = "irc/renamed.rs"]
mod renamed;
#[path = "irc/sasl.rs"]
mod sasl;
#[path = "irc/scripted.rs"]
mod scripted;
#[path = "irc/sessions.rs"]
mod sessions;
#[path = "irc/speech.rs"]
mod speech;

use tests::irc::{played, stage};
