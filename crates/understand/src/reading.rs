//! The first word of a line, and calls into a plugin, which may panic.

use plugin_api::{CommandSpec, ENDS, Plugin, Words};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result, or `None` if it panics.
pub fn safely<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// True if the words read as a command of the plugin. A plugin that panics over them does not read them.
pub fn reads(plugin: &dyn Plugin, command: &CommandSpec, words: &mut Words) -> bool {
    safely(|| plugin.reads(&command.name, words)).unwrap_or_default()
}

/// The first word of a line, in lower case and without punctuation after it, and where it is; `undo#5` is two words.
pub fn first_word(typed: &str) -> (String, Range<usize>) {
    let end = typed.find(|c: char| c.is_whitespace() || c == '#').unwrap_or(typed.len());
    let word = typed[..end].trim_end_matches(ENDS);
    (word.to_lowercase(), 0..end)
}
