//! Questions to the user at the terminal.

use crate::out::{out, say};
use anyhow::ensure;
use std::io::{BufRead, Write, stdin};

/// Whoever answers questions.
pub trait Asked {
    /// Their answer; `None` if it is empty.
    ///
    /// # Errors
    /// They answer no more.
    fn line(&mut self, question: &str) -> anyhow::Result<Option<String>>;

    /// Their answer, which is not shown as they type.
    ///
    /// # Errors
    /// They answer no more.
    fn secret(&mut self, question: &str) -> anyhow::Result<Option<String>>;

    /// Tells them something.
    ///
    /// # Errors
    /// They hear nothing more.
    fn tell(&mut self, line: &str) -> anyhow::Result<()>;
}

/// Asks until the answer is right; `wrong` says what is wrong with one.
///
/// # Errors
/// Nobody answers any more.
pub fn until_right(
    asked: &mut dyn Asked,
    question: &str,
    wrong: impl Fn(&str) -> Option<String>,
) -> anyhow::Result<Option<String>> {
    loop {
        let answer = asked.line(question)?;
        match answer.as_deref().and_then(&wrong) {
            Some(wrong) => asked.tell(&wrong)?,
            None => return Ok(answer),
        }
    }
}

/// The user at the terminal.
pub struct Terminal;

impl Asked for Terminal {
    fn line(&mut self, question: &str) -> anyhow::Result<Option<String>> {
        line(question)
    }

    fn secret(&mut self, question: &str) -> anyhow::Result<Option<String>> {
        secret(question)
    }

    fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        say(line)
    }
}

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

/// A user who has typed all answers in advance.
#[cfg(test)]
pub struct Typed {
    answers: std::vec::IntoIter<String>,
    /// What they were asked.
    pub questions: Vec<String>,
    /// What they were told.
    pub told: Vec<String>,
}

#[cfg(test)]
impl Typed {
    /// With these answers.
    pub fn of(answers: &[&str]) -> Self {
        let answers: Vec<_> = answers.iter().map(|answer| (*answer).to_owned()).collect();
        Typed { answers: answers.into_iter(), questions: Vec::new(), told: Vec::new() }
    }
}

#[cfg(test)]
impl Asked for Typed {
    fn line(&mut self, question: &str) -> anyhow::Result<Option<String>> {
        self.questions.push(question.to_owned());
        Ok(Some(self.answers.next().expect("every question has an answer")).filter(|answer| !answer.is_empty()))
    }

    fn secret(&mut self, question: &str) -> anyhow::Result<Option<String>> {
        self.line(question)
    }

    fn tell(&mut self, line: &str) -> anyhow::Result<()> {
        self.told.push(line.to_owned());
        Ok(())
    }
}
