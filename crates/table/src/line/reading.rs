//! Calls into a game that may panic, and whether words read as a command of it.

use plugin_api::{CommandSpec, Plugin, Words};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns the result, or `None` if it panics.
pub(super) fn safely<T>(run: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// True if the words read as a command of the plugin. A plugin that panics over them does not read them.
pub(super) fn reads(plugin: &dyn Plugin, command: &CommandSpec, words: &mut Words) -> bool {
    safely(|| plugin.reads(&command.name, words)).unwrap_or_default()
}
