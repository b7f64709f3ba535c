//! Runs what was typed: the only module that knows the command line and everything it can do.

use crate::check_config::Reach;
use crate::cli::{Cli, GameTask, Options, Task};
use crate::config::Misconfigured;
use crate::examples::with_examples;
use crate::export::{Consent, Stopped};
use crate::log::Log;
use crate::networks::{AnyKind, Kinds};
use crate::out::{Printed, complain, was_closed};
use crate::place::Place;
use crate::read::Asked;
use crate::request::Journal;
use crate::{
    ask, backup, check, check_config, doctor, examine, export, full, game, init, owner, pages, play, read, rebuild,
    run, tables, trial,
};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit status if the configuration is wrong (EX_CONFIG): starting again does not help, and the service manager knows
/// that.
const MISCONFIGURED: u8 = 78;

/// Runs the command line, in a program that knows these kinds of networks.
pub fn obey(kinds: Kinds) -> ExitCode {
    let words = declared(&kinds).get_matches();
    let Options { data, config, log_format } = Options::from_arg_matches(&words).unwrap_or_else(|error| error.exit());
    let log = Log::begin(log_format, &kinds);
    let place = Place::of(config, data, kinds);
    let done = match words.subcommand() {
        None => run::run(place.clone(), log).map(|()| ExitCode::SUCCESS),
        Some((name, behind)) => match of_a_kind(name, &place.kinds) {
            Some(kind) => with_networks(kind, behind, &place).map(|()| ExitCode::SUCCESS),
            None => did(Task::from_arg_matches(&words).unwrap_or_else(|error| error.exit()), behind, (&place, log)),
        },
    };
    match done {
        Ok(status) => status,
        Err(error) if was_closed(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let status = match error.downcast_ref::<Misconfigured>() {
                Some(_) => ExitCode::from(MISCONFIGURED),
                None => ExitCode::FAILURE,
            };
            let said = format!("{error:#}");
            match advice(&said, &place) {
                Some(advice) => complain(&anyhow::anyhow!("{said}; {advice}")),
                None => complain(&error),
            }
            status
        }
    }
}

/// What the operator can do about an error, if it does not say so itself.
fn advice(said: &str, place: &Place) -> Option<String> {
    let full = full::advice(said).filter(|_| !said.contains("make room")).map(str::to_owned);
    let data = || owner::as_typed(|| place.data_dir()).ok();
    full.or_else(|| owner::advice(said, &data()?).filter(|_| !said.contains("sudo")))
}

/// A file as it was named on the command line. Call it when the process acts as whom it should.
fn named(file: PathBuf) -> PathBuf {
    if file.as_os_str() == "-" { file } else { owner::typed(&file) }
}

/// The command line, including the parts for each kind of network.
pub fn declared(kinds: &Kinds) -> Command {
    let with_flags = |command: Command| match command.get_name() {
        "init" => kinds.iter().fold(command, |init, kind| kind.flags(init)),
        _ => command,
    };
    let line = Cli::command().mut_subcommands(with_flags);
    with_examples(line.subcommands(kinds.iter().filter_map(|kind| kind.command())))
}

/// The kind of network that a command belongs to, if it belongs to just one.
fn of_a_kind(name: &str, kinds: &Kinds) -> Option<&'static dyn AnyKind> {
    let has_it = |kind: &&&dyn AnyKind| kind.command().is_some_and(|own| own.get_name() == name);
    kinds.iter().find(has_it).copied()
}

fn with_networks(kind: &dyn AnyKind, words: &ArgMatches, place: &Place) -> anyhow::Result<()> {
    let config = place.config()?;
    kind.run(words, &config.networks, &place.home_of(&config)?.data)
}

/// Runs one of the commands. `words` are the arguments after its name.
fn did(task: Task, words: &ArgMatches, (place, log): (&Place, Log)) -> anyhow::Result<ExitCode> {
    match task {
        Task::Play { json, files } => return Ok(play::play(&files, Printed::of(json))),
        Task::Read { games, after, line } => {
            read::read(&Asked { line: line.join(" "), games, after: after.map(named) })
        }
        Task::Game(GameTask::Of(task)) => game::game(task, named),
        Task::Game(GameTask::Play { file }) => trial::play(&named(file), place, log),
        Task::CheckStore { store } => return Ok(check::check_here(&store)),
        Task::Doctor => return doctor::doctor(place),
        Task::Ctl { order, json } => ask::ctl(&place.data_dir()?, &order, Printed::here(json)),
        Task::Backup { file, schema } => {
            let home = place.home()?;
            backup::backup(&home, &named(file), schema)
        }
        Task::Restore { file } => {
            let home = place.home()?;
            backup::restore(&home, &named(file))
        }
        Task::Export { room, file, text, story, all } => {
            let page = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"));
            let kind = match (text, story, all) {
                (true, _, _) => Journal::Text,
                (_, true, _) if page => Journal::Page,
                (_, true, _) => Journal::Story,
                (_, _, true) => Journal::Move,
                (false, false, false) => Journal::Proof,
            };
            let home = place.home()?;
            export::export(&home, &room, &named(file), kind)
        }
        Task::Verify { files, head } => export::verify(&files, head.as_deref()),
        Task::Tables => tables::tables(&place.home()?),
        Task::Check { rebuild: false } => examine::examine(&place.home()?),
        Task::Check { rebuild: true } => rebuild::rebuild(&place.home()?),
        Task::Seat { room, table, yes } => stopped(place, |here| export::seat(here, &room, &table, consent(yes))),
        Task::Import { file, room, yes } => {
            stopped(place, |here| export::import(here, &named(file), &room, consent(yes)))
        }
        Task::Init(first) => init::init(place, first, words),
        Task::Config(task) => check_config::show(place, &task),
        Task::CheckConfig { online } => {
            check_config::check(place, if online { Reach::Networks } else { Reach::Itself })
        }
        Task::Completions { shell } => pages::completions(declared(&place.kinds), shell),
        Task::Man { command, all } => pages::man(declared(&place.kinds), &command, all.as_deref()),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Runs something that needs the bot to be stopped.
fn stopped(place: &Place, work: impl FnOnce(&Stopped<'_>) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let config = place.config()?;
    work(&Stopped { config: &config, home: &place.home_of(&config)? })
}

fn consent(yes: bool) -> Consent {
    if yes { Consent::Given } else { Consent::Asked }
}

#[cfg(all(test, feature = "irc-network", feature = "matrix"))]
mod tests {
    use super::*;
    use crate::networks::{KINDS, known};

    #[test]
    fn every_command_that_a_guide_shows_is_one() {
        let pages = [
            include_str!("../../../README.md"),
            include_str!("../../../docs/introduction.md"),
            include_str!("../../../docs/networks.md"),
            include_str!("../../../docs/operators.md"),
        ];
        let blocks =
            pages.iter().flat_map(|page| page.split("```sh\n").skip(1)).filter_map(|rest| rest.split("```").next());
        let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("astragal"));
        let mut seen = 0;
        for line in lines {
            // A shell line may go on with a comment or another program.
            let typed = line.split(" # ").next().unwrap_or_default().split(" | ").next().unwrap_or_default();
            let words = typed.split_whitespace().map(|word| word.trim_matches('\''));
            if let Err(error) = declared(&known(KINDS)).try_get_matches_from(words) {
                // `--help` is not a failure; it shows what there is.
                assert!(!error.use_stderr(), "{line}: {error}");
            }
            seen += 1;
        }
        assert!(seen > 25, "{seen} lines");
    }
}
