//! `astragal check-config`: whether the configuration is right, and with `--online` whether it gets the bot in; `astragal
//! config`: what it says.

use crate::cli::ConfigTask;
use crate::config::{self, Secrets};
use crate::out::out;
use crate::place::Place;
use anyhow::{Context, ensure};
use std::io::Write;

/// Shows what is set, or the schema of what can be.
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

/// How far a configuration is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// What it says.
    Itself,
    /// Whether each network lets the bot in, too.
    Networks,
}

/// Reads the configuration, and if asked logs in to each network and leaves again.
///
/// # Errors
/// Says in plain words what is wrong.
pub fn check(place: &Place, reach: Reach) -> anyhow::Result<()> {
    let config = place.config()?;
    let mut out = out();
    match &place.file {
        Some(file) => writeln!(out, "{} is right", file.display())?,
        None => writeln!(out, "there is no configuration file: the bot plays in the terminal")?,
    }
    for exposed in place.exposed_secrets()? {
        writeln!(out, "{exposed}")?;
    }
    if reach == Reach::Itself || config.networks.is_empty() {
        return Ok(());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("no threads to be had")?;
    let data = place.data_of(&config)?;
    // A closed standard output hears nothing.
    let mut say = |line: String| drop(writeln!(out, "{line}"));
    ensure!(runtime.block_on(config.networks.try_all(&data, &mut say)), "not every network let the bot in");
    Ok(())
}
