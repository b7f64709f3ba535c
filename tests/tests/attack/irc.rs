//! A stranger on IRC harms only themselves, and nobody between the bot and its server learns its password.

#[path = "irc/downgrade.rs"]
mod downgrade;
#[path = "irc/logs.rs"]
mod logs;
#[path = "irc/names.rs"]
mod names;
#[path = "irc/servers.rs"]
mod servers;
#[path = "irc/strangers.rs"]
mod strangers;
