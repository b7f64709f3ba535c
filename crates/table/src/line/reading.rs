//! What is said of a plugin that panicked, and of a line that does not read as its command.

use super::remarks::{Command, Here};
use dice::fair::MessageKey;
use host::words::Arguments;
use journal::digest;
use plugin_api::{CommandSpec, Refusal, Words};
use std::ops::Range;

/// What the player is told after a panic in a command of `whose`; the log has the same id.
pub(super) fn stumbled(whose: &str, spec: &CommandSpec, key: &MessageKey) -> Refusal {
    let id = &digest(&key.to_bytes())[..8];
    tracing::error!(whose, command = spec.name, id, "a command panicked; the table is as it was");
    Refusal::new(format!(
        "sorry, that hit a bug in {whose} and nothing changed: please give the operator error id {id}"
    ))
}

/// The most mistakes corrected in a line.
const MOST_MISTAKES: usize = 4;

/// A line that does not read as a command of a game.
pub(super) struct Misread<'a, 'h> {
    pub command: Command<'a>,
    pub here: Here<'a, 'h>,
    /// The line, with its comment.
    pub typed: &'a str,
}

impl Misread<'_, '_> {
    /// The refusal with all mistakes of the line corrected; without a correction, if the line would be refused still.
    pub fn wholly_corrected(&self, refusal: Refusal) -> Refusal {
        let whole = 0..self.typed.len();
        let mut line = applied(self.typed, &refusal);
        for _ in 0..MOST_MISTAKES {
            let Some(next) = &line else { break };
            match self.refused(next) {
                None => return refusal.mended(whole, line),
                Some(again) => line = applied(next, &again),
            }
        }
        refusal.mended(whole, None::<String>)
    }

    /// Why this line does not read as the command either.
    fn refused(&self, line: &str) -> Option<Refusal> {
        let typed = Arguments::of(line, self.command.spec.follow_up).typed;
        if !self.here.attempt.fuel.reads(&typed) {
            return Some(Refusal::default());
        }
        self.command.must_be_clear(line, &self.here).err()
    }
}

/// The line with the correction that the refusal knows.
pub(super) fn applied(line: &str, refusal: &Refusal) -> Option<String> {
    let right = refusal.mended.as_ref()?;
    let place = || refusal.at.clone().or_else(|| Words::new(line, 0).place_of(refusal.about.as_ref()?));
    corrected(line, right.at.clone().or_else(place)?, &right.by)
}

/// The typed line with `by` in place of these bytes.
pub(super) fn corrected(typed: &str, at: Range<usize>, by: &str) -> Option<String> {
    let (before, after) = (typed.get(..at.start)?, typed.get(at.end.min(typed.len())..)?);
    // Removing a word removes a space too.
    let after = if by.is_empty() { after.trim_start() } else { after };
    Some(format!("{before}{by}{after}").trim_end().to_owned())
}
