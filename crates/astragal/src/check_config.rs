//! `astragal check-config`: checks the configuration, and with `--online` also whether the bot can log in; `astragal
//! config`: shows it.

use crate::cli::ConfigTask;
use crate::config::{self, Secrets};
use crate::game_files;
use crate::look::try_pages;
use crate::out::out;
use crate::place::Place;
use crate::store::Kept;
use anyhow::{Context, ensure};
use std::io::Write;
use std::time::Duration;

/// How long a network may take to let the bot in. A server that cannot look up the bot's user name may take ten seconds.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Shows the settings, or their schema.
///
/// # Errors
/// The file cannot be read, or standard output is closed.
pub fn show(place: &Place, task: &ConfigTask) -> anyhow::Result<()> {
    let text = match task {
        ConfigTask::Show { secrets } => {
            let secrets = if *secrets { Secrets::Shown } else { Secrets::Hidden };
            place.written()?.shown(secrets)?
        }
        ConfigTask::Schema => serde_json::to_string_pretty(&config::schema(&place.kinds))? + "\n",
    };
    Ok(out().write_all(text.as_bytes())?)
}

/// How far to check a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only the configuration itself.
    Itself,
    /// Also whether the bot can log in to each network.
    Networks,
}

/// Reads the configuration, and if asked, logs in to each network and leaves again.
///
/// # Errors
/// What is wrong, in plain words.
pub fn check(place: &Place, reach: Reach) -> anyhow::Result<()> {
    let config = place.config()?;
    let games = config.games.as_deref().map(game_files::files_in).transpose()?.unwrap_or_default();
    let wrong: Vec<String> =
        games.iter().filter_map(|file| game_files::read(file).err()).map(|error| format!("{error:#}")).collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut out = out();
    match &place.file {
        Some(file) => writeln!(out, "{}: no mistakes", file.display())?,
        None if config.networks.is_empty() => {
            writeln!(out, "there is no configuration file: the bot plays in the terminal")?;
        }
        None => writeln!(
            out,
            "there is no configuration file: the environment has no mistakes, and names {}",
            config.networks.titles()
        )?,
    }
    for exposed in place.exposed_secrets()? {
        writeln!(out, "{exposed}")?;
    }
    for doubt in config.networks.doubts() {
        writeln!(out, "warning: {doubt}")?;
    }
    if reach == Reach::Itself {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start threads")?;
    let data = place.data_of(&config)?;
    // If standard output is closed, nobody reads it.
    let mut say = |line: String| drop(writeln!(out, "{line}"));
    let let_in = runtime.block_on(config.networks.try_all(&data, PATIENCE, &mut say));
    let stored = match config.store.kept() {
        Kept::Here(_) => None,
        Kept::There(remote) => Some(remote.try_out()),
    };
    let is_kept = stored.as_ref().is_none_or(Result::is_ok);
    stored.into_iter().for_each(|stored| say(format!("store: {}", stored.unwrap_or_else(|why| why))));
    let found = runtime.block_on(try_pages(&config));
    let is_found = found.as_ref().is_none_or(Result::is_ok);
    found.into_iter().for_each(|found| say(format!("page: {}", found.unwrap_or_else(|why| why))));
    ensure!(is_kept, "the database cannot be used");
    ensure!(let_in, "not every network let the bot in");
    ensure!(is_found, "people do not find the pages of tables");
    Ok(())
}
