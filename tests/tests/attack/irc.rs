//! A stranger on IRC harms only themselves, and nobody between the bot and its server learns its password.

mod backlog;
mod downgrade;
mod logs;
mod names;
mod servers;
mod strangers;
