//! The program: configuration, command line, wiring. Everything else is done by the other crates, and what it knows of
//! a network is a [`Kind`].

mod ask;
mod backup;
mod backups;
mod beside;
mod calendar;
mod check;
mod check_config;
mod cli;
mod commands;
mod config;
mod control;
mod conversation;
mod descriptors;
mod doctor;
mod ending;
mod examine;
mod examples;
mod export;
mod fresh;
mod full;
mod game;
mod game_files;
mod hook;
mod housekeeping;
mod init;
mod lines;
mod log;
mod look;
mod networks;
mod operator;
mod order;
mod out;
mod owner;
mod packed;
mod pages;
mod place;
mod play;
mod progress;
pub mod questions;
mod read;
mod rebuild;
mod reload;
mod remote;
mod request;
mod room;
mod run;
mod service;
mod stand_down;
mod status;
mod stop;
pub mod store;
mod tables;
mod trial;
mod watch;

pub use networks::{
    Adopted, Answers, AnyKind, First, KINDS, Kind, Kinds, Names, Network, Networks, OwnCommand, Password, Run,
};

use std::process::ExitCode;

/// The program, with these kinds of networks.
pub fn main(kinds: &[&'static dyn AnyKind]) -> ExitCode {
    // The bot's files are for its owner's eyes only, whatever file sled creates next.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    descriptors::raise_descriptors();
    commands::obey(networks::known(kinds))
}
