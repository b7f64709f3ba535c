//! `astragal doctor`: looks at what stops a bot in the long run, one line each, with what to do. It changes nothing,
//! and works whether the bot runs or not.

mod login;
mod looks;

use crate::ask;
use crate::config::Config;
use crate::out::say;
use crate::place::{Home, Place};
use serde_json::Value;
use std::fs::File;
use std::process::ExitCode;

/// What one look found.
#[derive(Debug, PartialEq, Eq)]
pub enum Finding {
    /// All is well.
    Well(String),
    /// Something is wrong, and what to do about it.
    Wrong(String, String),
}

use Finding::{Well, Wrong};

/// The bot that is looked at.
struct Patient<'a> {
    place: &'a Place,
    config: Config,
    home: Home,
    state: State,
}

/// Whether it runs.
enum State {
    /// It runs: its process, and its status.
    Running(u32, Value),
    /// It runs, and does not answer.
    Silent(String),
    /// It does not run.
    Stopped,
}

/// A look at one thing, and what to call it.
type Look = (&'static str, fn(&Patient<'_>) -> Vec<Finding>);

/// All of them, in the order in which they are told.
const LOOKS: &[Look] = &[
    ("bot", looks::state),
    ("database", looks::database),
    ("secrets", looks::secrets),
    ("clock", looks::clock),
    ("disk", looks::disk),
    ("files", looks::files),
    ("backup", looks::backup),
    ("keys", looks::keys),
    ("limits", looks::limits),
    ("login", login::login),
];

/// Looks at everything and tells it. The status is a failure if anything is wrong.
///
/// # Errors
/// Standard output is closed.
pub fn doctor(place: &Place) -> anyhow::Result<ExitCode> {
    let config = match place.config() {
        Ok(config) => config,
        Err(error) => {
            tell("configuration", &Wrong(format!("{error:#}"), "then run astragal doctor again".to_owned()))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    let shown = place.file.as_ref().map_or("there is none, so the bot plays in the terminal".to_owned(), |file| {
        format!("{} has no mistakes", file.display())
    });
    tell("configuration", &Well(shown))?;
    let home = place.home_of(&config)?;
    let state = state_of(&home);
    let patient = Patient { place, config, home, state };
    let mut healthy = true;
    for (about, look) in LOOKS {
        for finding in look(&patient) {
            healthy &= matches!(finding, Well(_));
            tell(about, &finding)?;
        }
    }
    Ok(if healthy { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn state_of(home: &Home) -> State {
    // Opened for reading, the lock is never created here.
    let held = File::open(home.data.join("lock")).is_ok_and(|lock| lock.try_lock_shared().is_err());
    if !held {
        return State::Stopped;
    }
    match ask::status(&home.data) {
        Ok((process, status)) => State::Running(process, status),
        Err(error) => State::Silent(format!("{error:#}")),
    }
}

fn tell(about: &str, finding: &Finding) -> anyhow::Result<()> {
    match finding {
        Well(what) => say(&format!("ok     {about}: {what}")),
        Wrong(what, cure) => say(&format!("WRONG  {about}: {what}; {cure}")),
    }
}
