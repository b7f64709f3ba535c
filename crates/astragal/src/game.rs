//! `astragal game`: begins the file of a game, and checks one.

use crate::fresh::{self, Part};
use crate::game_files::{read, with_the_program};
use crate::out::out;
use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use declared::Game;
use plugin_testkit::Compare;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is done with the file of a game.
#[derive(Debug, Subcommand)]
pub enum GameTask {
    /// Write the file of a small game that plays, to begin with
    New {
        /// The file, named after the game, such as harbour.game
        file: PathBuf,
    },
    /// Print the file of a game that comes with the program, to make another of it
    Show {
        /// The game; without one, all are listed
        game: Option<String>,
    },
    /// Check files of games: report every mistake at once, and play their scenes
    Check {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
}

/// Does it.
///
/// # Errors
/// A file cannot be written or read, or something is wrong in it.
pub fn game(task: GameTask, named: impl Fn(PathBuf) -> PathBuf) -> anyhow::Result<()> {
    match task {
        GameTask::New { file } => begin(&named(file)),
        GameTask::Show { game } => show(game.as_deref()),
        GameTask::Check { files } => {
            let wrong: Vec<String> = files
                .into_iter()
                .map(&named)
                .filter_map(|file| check(&file).err())
                .map(|error| format!("{error:#}"))
                .collect();
            ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
            Ok(())
        }
    }
}

/// Prints the file of a game, or which there are.
fn show(id: Option<&str>) -> anyhow::Result<()> {
    let files = games::files();
    let listed = |game: &Arc<Game>| format!("{}: {}\n", game.manifest.id, game.manifest.title);
    let said = match id {
        None => files.iter().map(listed).collect(),
        Some(id) => {
            let found = files.iter().find(|game| game.manifest.id == id.to_lowercase());
            let known = || files.iter().map(|game| game.manifest.id.as_str()).collect::<Vec<_>>().join(", ");
            found.with_context(|| format!("there is no file of a game {id}: there are {}", known()))?.text.clone()
        }
    };
    out().write_all(said.as_bytes())?;
    Ok(())
}

/// A game of one command.
const BEGUN: &str = include_str!("game/begun.game");

fn begin(file: &Path) -> anyhow::Result<()> {
    let id = file.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let title = id.chars().take(1).flat_map(char::to_uppercase).chain(id.chars().skip(1)).collect::<String>();
    let text = BEGUN.replace("MYGAME", &id).replace("MYTITLE", &title);
    if let Err(mistakes) = games::read(&text) {
        bail!("a game cannot be called {id}:\n{mistakes}");
    }
    must_be_another(&id)?;
    fresh::must_be_free(file)?;
    let part = Part::of(file);
    part.create_as_typed()?
        .write_all(text.as_bytes())
        .with_context(|| format!("{} cannot be written", file.display()))?;
    part.place()?;
    writeln!(out(), "{} is written: play it with astragal game check, then make it yours", file.display())?;
    Ok(())
}

/// Refuses the name of a game or tool that comes with the program.
fn must_be_another(id: &str) -> anyhow::Result<()> {
    ensure!(
        !games::ids().iter().any(|known| known == id),
        "there is a game or tool called {id} already: call yours something else"
    );
    Ok(())
}

/// Reads a game and plays its scenes.
fn check(file: &Path) -> anyhow::Result<()> {
    let game = Arc::new(read(file)?);
    let name = file.display().to_string();
    must_be_another(&game.manifest.id).with_context(|| name.clone())?;
    let others = || with_the_program(Some(&game.manifest.id)).into_iter();
    let plugins = || -> Vec<_> { others().chain([declared::plugin(game.clone())]).collect() };
    house::with_plugins(plugins()).with_context(|| name.clone())?;
    let mut lines = 0;
    let differences: Vec<String> = game
        .scenes
        .iter()
        .filter_map(|scene| {
            // The lines of the file before a scene are empty, so that a difference is told with its line.
            let text = format!("{}{}", "\n".repeat(scene.line), scene.text);
            plugin_testkit::play(&name, &text, plugins(), Compare::Answers, |_| lines += 1).err()
        })
        .map(|difference| difference.to_string())
        .collect();
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    let commands = game.manifest.commands.len();
    let commands = if commands == 1 { "1 command".to_owned() } else { format!("{commands} commands") };
    let played = if game.scenes.is_empty() {
        "it has no [scene] yet".to_owned()
    } else {
        format!("{lines} lines of its scenes play as written")
    };
    writeln!(out(), "{name}: {}, {commands}; {played}", game.manifest.title)?;
    Ok(())
}
