//! Who said a line that is searched for what it may have been meant as, and what its command is.

use super::bare;
use crate::surroundings::Surroundings;
use plugin_api::{CommandSpec, Kind, Plugin};

/// A line, and what is around it.
pub(super) struct Said<'a> {
    pub here: &'a dyn Surroundings,
    /// As it was typed.
    pub typed: &'a str,
}

impl Said<'_> {
    /// The commands of plugins that a word is.
    pub fn knowing(&self, word: &str) -> Vec<(&dyn Plugin, &CommandSpec)> {
        self.here.knowing(&bare(word).to_lowercase())
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
