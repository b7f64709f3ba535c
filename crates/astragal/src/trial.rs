//! `astragal game play`: a game's file in this terminal, at a table that goes away with it.

use crate::fresh::Part;
use crate::game::read_own;
use crate::log::Log;
use crate::out::out;
use crate::place::Place;
use crate::run;
use anyhow::Context;
use plugin_api::Manifest;
use std::fs;
use std::io::Write;
use std::path::Path;

/// What the room has besides the game.
const BESIDE: [&str; 4] = ["roll", "turns", "cards", "oracle"];

/// Runs the bot in this terminal with the game enabled. Nothing of it is kept.
///
/// # Errors
/// Something is wrong in the file, or the bot cannot run.
pub fn play(file: &Path, place: &Place, log: Log) -> anyhow::Result<()> {
    let game = read_own(file)?;
    let Manifest { id, title, .. } = &game.manifest;
    let home = tempfile::Builder::new().prefix("astragal-").tempdir().context("there is no room for the table")?;
    let (games, config) = (home.path().join("games"), home.path().join("astragal.toml"));
    fs::create_dir(&games).with_context(|| format!("{} cannot be made", games.display()))?;
    write(&games.join(format!("{id}.game")), &game.text)?;
    let plugins: Vec<&str> = BESIDE.into_iter().chain([id.as_str()]).collect();
    let rooms = toml::Table::from_iter([("plugins".to_owned(), plugins.into())]);
    let games = games.display().to_string();
    let written = toml::Table::from_iter([("games".to_owned(), games.into()), ("rooms".to_owned(), rooms.into())]);
    write(&config, &written.to_string())?;
    writeln!(out(), "{title}: !help {id} shows what there is to type. Nothing that is played here is kept.")?;
    let data = Some(home.path().join("data"));
    run::run(Place { named: Some(config.clone()), file: Some(config), data, ..place.clone() }, log)
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let part = Part::of(file);
    part.create_as_typed()?
        .write_all(text.as_bytes())
        .with_context(|| format!("{} cannot be written", file.display()))?;
    part.place()
}
