//! The bot: configuration, command line, wiring. Everything it does is done by the other crates.

mod backup;
mod calendar;
mod check;
mod check_config;
mod cli;
mod config;
mod control;
mod door;
mod export;
mod fresh;
mod housekeeping;
mod init;
mod lines;
mod log;
mod networks;
mod operator;
mod out;
mod play;
mod plugins;
mod reload;
mod run;
mod service;
mod watch;

use clap::Parser;
use cli::{Cli, Task};
use std::process::ExitCode;

fn main() -> ExitCode {
    // What the bot keeps is for its owner's eyes only, whatever file sled makes next.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    door::raise_descriptors();
    let cli = Cli::parse();
    let log = log::Log::begin(cli.log_format);
    let done = match &cli.task {
        None => run::run(&cli, log),
        Some(Task::Ctl { order, json }) => control::ctl(&cli, order, *json),
        Some(Task::Play { json, files }) => return play::play(files, *json),
        Some(Task::Backup { file }) => backup::backup(&cli, file),
        Some(Task::Restore { file }) => backup::restore(&cli, file),
        Some(Task::Export { room, file, text, all }) => export::export(&cli, room, file, export::Kind::of(*text, *all)),
        Some(Task::Verify { file, head }) => export::verify(file, head.as_deref()),
        Some(Task::Seat { room, table, yes }) => export::seat(&cli, room, table, *yes),
        Some(Task::Tables) => export::tables(&cli),
        Some(Task::Import { file, room, yes }) => export::import(&cli, file, room, *yes),
        Some(Task::Init(first)) => init::init(&cli, first),
        Some(Task::Config(task)) => check_config::show(&cli, task),
        Some(Task::Completions { shell }) => cli::completions(*shell),
        Some(Task::Man) => cli::man(),
        Some(Task::CheckConfig { online }) => check_config::check(&cli, *online),
        #[cfg(feature = "matrix")]
        Some(Task::Matrix(task)) => networks::devices::run(&cli, task),
        Some(Task::CheckStore { store }) => return check::check_here(store),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if out::was_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}
