//! What comes of what was typed: the one place that knows the command line and all that it commands.

use crate::cli::{Cli, Task};
use crate::export::Stopped;
use crate::log::Log;
use crate::out::{complain, was_closed};
use crate::place::Place;
use crate::request::Journal;
use crate::{ask, backup, check, check_config, export, init, pages, play, run};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

/// Does what was typed.
pub fn obey() -> ExitCode {
    let cli = Cli::parse();
    let log = Log::begin(cli.log_format);
    let place = Place::of(cli.config, cli.data);
    let done = match cli.task {
        None => run::run(place, log).map(|()| ExitCode::SUCCESS),
        Some(task) => did(task, &place),
    };
    match done {
        Ok(status) => status,
        Err(error) if was_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Does one of the commands.
fn did(task: Task, place: &Place) -> anyhow::Result<ExitCode> {
    match task {
        Task::Play { json, files } => return Ok(play::play(&files, json)),
        Task::CheckStore { store } => return Ok(check::check_here(&store)),
        Task::Ctl { order, json } => ask::ctl(&place.data_dir()?, &order, json),
        Task::Backup { file } => backup::backup(&place.data_dir()?, &file),
        Task::Restore { file } => backup::restore(&place.data_dir()?, &file),
        Task::Export { room, file, text, all } => {
            export::export(&place.data_dir()?, &room, &file, Journal::of(text, all))
        }
        Task::Verify { file, head } => export::verify(&file, head.as_deref()),
        Task::Tables => export::tables(&place.data_dir()?),
        Task::Seat { room, table, yes } => stopped(place, |here| export::seat(here, &room, &table, yes)),
        Task::Import { file, room, yes } => stopped(place, |here| export::import(here, &file, &room, yes)),
        Task::Init(first) => init::init(place, &first),
        Task::Config(task) => check_config::show(place, &task),
        Task::CheckConfig { online } => check_config::check(place, online),
        Task::Completions { shell } => pages::completions(Cli::command(), shell),
        Task::Man => pages::man(Cli::command()),
        #[cfg(feature = "matrix")]
        Task::Matrix(task) => {
            let config = place.config()?;
            crate::networks::devices::run(&config, &place.data_of(&config)?, &task)
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Does something while the bot is stopped.
fn stopped(place: &Place, work: impl FnOnce(&Stopped<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let config = place.config()?;
    work(&Stopped { config: &config, data: &place.data_of(&config)? })
}
