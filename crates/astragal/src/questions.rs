//! Questions to the user at the terminal.

use crate::out::out;
use anyhow::ensure;
use std::io::{BufRead, Write, stdin};

/// Reads an answer; `None` if it is empty.
///
/// # Errors
/// Nobody answers any more.
pub fn line(question: &str) -> anyhow::Result<Option<String>> {
    let mut out = out();
    write!(out, "{question}")?;
    out.flush()?;
    let mut line = String::new();
    ensure!(stdin().lock().read_line(&mut line)? > 0, "the answers ended");
    let line = line.trim();
    Ok((!line.is_empty()).then(|| line.to_owned()))
}

/// Reads an answer without showing it.
///
/// # Errors
/// Nobody answers any more.
pub fn secret(question: &str) -> anyhow::Result<Option<String>> {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let before = tcgetattr(stdin())?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Flush, &hidden)?;
    let answer = line(question);
    tcsetattr(stdin(), OptionalActions::Flush, &before)?;
    writeln!(out())?;
    answer
}
