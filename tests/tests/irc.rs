//! The bot on IRC: real servers, a scripted one for what those do not do, and play through them.

#[path = "irc/conformance.rs"]
mod conformance;
#[path = "irc/endurance.rs"]
mod endurance;
#[path = "irc/login.rs"]
mod login;
#[path = "irc/people.rs"]
mod people;
#[path = "irc/speech.rs"]
mod speech;
#[path = "irc/stage.rs"]
mod stage;
