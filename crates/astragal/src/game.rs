//! `astragal game`: begins the file of a game, checks one, and shows what it comes to.

mod shown;

use crate::fresh::{self, Part};
use crate::game_files::{read, with_the_program};
use crate::out::out;
use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use declared::Game;
use plugin_api::{CommandSpec, Kind, Plugin};
use plugin_testkit::Compare;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::Plugins;

/// What is done with the file of a game.
#[derive(Debug, Subcommand)]
pub enum FileTask {
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
    /// Print the chances of a line, or of the example of each command that rolls
    Odds {
        /// The file
        file: PathBuf,
        /// A line as people type it
        #[arg(trailing_var_arg = true)]
        line: Vec<String>,
    },
    /// Print the page of a game in Markdown: its commands, its numbers and its first scene
    Page {
        /// The file
        file: PathBuf,
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
pub fn game(task: FileTask, named: impl Fn(PathBuf) -> PathBuf) -> anyhow::Result<()> {
    match task {
        FileTask::New { file } => begin(&named(file)),
        FileTask::Show { game } => show(game.as_deref()),
        FileTask::Odds { file, line } => {
            let (file, line) = (named(file), line.join(" "));
            let game = read_own(&file)?;
            shown::odds(&file, &game, beside_the_program(&game), Some(line.as_str()).filter(|line| !line.is_empty()))
        }
        FileTask::Page { file } => shown::page(&read(&named(file))?),
        FileTask::Check { files } => {
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
    writeln!(
        out(),
        "{} is written: astragal game play plays it, and astragal game check says what is wrong in it",
        file.display()
    )?;
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

/// Reads a game that is no other's.
///
/// # Errors
/// It cannot be read, something is wrong in it, or another is called so.
pub fn read_own(file: &Path) -> anyhow::Result<Arc<Game>> {
    let game = Arc::new(read(file)?);
    must_be_another(&game.manifest.id).with_context(|| file.display().to_string())?;
    Ok(game)
}

/// A game, and what it is played beside.
fn beside_the_program(game: &Arc<Game>) -> Vec<Box<dyn Plugin>> {
    let others = with_the_program(Some(&game.manifest.id)).into_iter();
    others.chain([declared::plugin(game.clone())]).collect()
}

/// The names of numbers that begin like a command of the game, of a tool or of every table, which comes first, and that command.
/// A word that is only short for a tool's command gives way to the number.
fn hidden_values(game: &Game, all: &Plugins) -> Vec<(String, String)> {
    let names = game.manifest.values.iter().flat_map(|value| std::iter::once(&value.name).chain(&value.also));
    let command = |name: &String| {
        let tools = all.built_in().filter(|manifest| manifest.kind == Kind::Tool);
        let tools = tools.flat_map(|manifest| &manifest.commands).filter(|spec| !spec.aliases.contains(name));
        let mut specs = all.house().iter().chain(tools).chain(&game.manifest.commands);
        specs.find(|spec: &&CommandSpec| spec.begins(name)).map(|spec| spec.name.clone())
    };
    names.filter_map(|name| Some((name.clone(), command(name)?))).collect()
}

/// Reads a game and plays its scenes.
fn check(file: &Path) -> anyhow::Result<()> {
    let game = read_own(file)?;
    let name = file.display().to_string();
    let all = house::with_plugins(beside_the_program(&game)).with_context(|| name.clone())?;
    let mut lines = 0;
    let differences: Vec<String> = game
        .scenes
        .iter()
        .filter_map(|scene| {
            // The lines of the file before a scene are empty, so that a difference is told with its line.
            let text = format!("{}{}", "\n".repeat(scene.line), scene.text);
            plugin_testkit::play(&name, &text, beside_the_program(&game), Compare::Answers, |_| lines += 1).err()
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
    for (value, command) in hidden_values(&game, &all) {
        writeln!(out(), "note: !{value} is the command {command}, so people change it with !set {value} ...")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tool_hides_a_number_of_a_game_that_comes_with_the_program() {
        let all = house::with_plugins(games::all()).expect("they are played together");
        for game in games::files() {
            let hidden = hidden_values(&game, &all).into_iter().map(|(name, _)| name);
            // A game's own command of the name is what its players know, and other names are there to be set.
            let proper = |name: &String| game.manifest.values.iter().any(|value| value.name == *name);
            let hidden: Vec<String> =
                hidden.filter(|name| proper(name) && game.manifest.begun(name).is_none()).collect();
            assert!(hidden.is_empty(), "{}: {hidden:?}", game.manifest.id);
        }
    }
}
