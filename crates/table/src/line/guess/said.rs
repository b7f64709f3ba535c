//! Who said a line that is searched for what it may have been meant as, and what its command is.

use super::bare;
use crate::attempt::Attempt;
use crate::host::Host;
use plugin_api::{Cast, CommandSpec, Kind, Plugin};

/// Who said a line, and at which table.
pub(super) struct Said<'a> {
    pub host: &'a Host,
    pub attempt: &'a Attempt<'a>,
    pub cast: &'a Cast,
    /// The line as it was typed.
    pub typed: &'a str,
    /// The name of a player's own character.
    pub own: Option<&'a str>,
}

impl Said<'_> {
    /// The commands of plugins that a word is.
    pub fn knowing(&self, word: &str) -> Vec<(&dyn Plugin, &CommandSpec)> {
        self.host.plugins.knowing(&bare(word).to_lowercase(), &self.attempt.room)
    }

    /// Whether a command of a plugin knows this word.
    pub fn says(&self, command: &str, word: &str) -> bool {
        self.knowing(command).iter().any(|(_, spec)| spec.words().any(|known| known == word))
    }

    pub fn is_of_a_tool(&self, line: &str) -> bool {
        let command = line.split_whitespace().next().unwrap_or_default();
        self.knowing(command).iter().any(|(plugin, _)| plugin.manifest().kind == Kind::Tool)
    }

    pub fn is_notation(&self, line: &str) -> bool {
        let command = line.split_whitespace().next().unwrap_or_default();
        self.knowing(command).iter().any(|(_, spec)| spec.notation)
    }
}
