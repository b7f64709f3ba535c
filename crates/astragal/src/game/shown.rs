//! What a game comes to: the odds of its commands, and its page.

use crate::out::out;
use anyhow::{Context, bail};
use declared::Game;
use plugin_api::{CommandSpec, Effect, FollowUp, Plugin};
use plugin_testkit::{Compare, LineReport, page_of_file, play};
use std::io::Write;
use std::path::Path;

/// Prints the odds of one line, or of the example of each command that rolls and follows nothing, on a sheet of which nothing was set.
///
/// # Errors
/// A line has no odds.
pub fn odds(file: &Path, game: &Game, plugins: Vec<Box<dyn Plugin>>, line: Option<&str>) -> anyhow::Result<()> {
    let begins = |spec: &&CommandSpec| spec.effect == Effect::Rolls && spec.follow_up == FollowUp::No;
    let rolls = game.manifest.commands.iter().zip(&game.commands).filter(|(_, how)| how.follows.is_empty());
    let examples = rolls.map(|(spec, _)| spec).filter(begins).filter_map(|spec| spec.examples.first());
    let plain = |line: &str| line.split('#').next().unwrap_or_default().trim().to_owned();
    let lines: Vec<String> = match line {
        Some(line) => vec![plain(line)],
        None => examples.map(|example| plain(example)).collect(),
    };
    let scene: String = lines.iter().map(|line| format!("Ann> odds {line}\n")).collect();
    let scene = format!("@plugins {} roll\n{scene}", game.manifest.id);
    let mut all: Vec<LineReport> = Vec::new();
    play(&file.display().to_string(), &scene, plugins, Compare::DiceAlone, |said| all.push(said))?;
    for (line, said) in lines.iter().zip(&all) {
        match (said.ok, all.len()) {
            (false, 1) => bail!("{}", said.reply),
            (false, _) => writeln!(out(), "{line}: {}", said.reply.lines().next().unwrap_or_default())?,
            (true, _) => writeln!(out(), "{}", said.reply)?,
        }
    }
    Ok(())
}

/// Prints the page of a game, with its first scene.
///
/// # Errors
/// It has no scene.
pub fn page(game: &Game) -> anyhow::Result<()> {
    let scene = game.scenes.first().context("a page shows a scene, and the game has none yet")?;
    out().write_all(page_of_file(&game.manifest, &scene.text).as_bytes())?;
    Ok(())
}
