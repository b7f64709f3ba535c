//! The existing daily backups: which one is the newest, and which one is deleted. Does not know how to write one.

use anyhow::Context;
use chat::{Clock, SystemClock};
use jiff::Timestamp;
use std::fs;
use std::path::{Path, PathBuf};

/// The directory of the daily backups, in the data directory.
pub const DIRECTORY: &str = "backups";
/// The store of an unfinished restore, in the data directory.
pub const UNFINISHED: &str = "store.part";
/// The place for the damaged store during a rebuild, in the data directory.
pub const DAMAGED: &str = "store.damaged";
/// The extension of backup files.
pub const EXTENSION: &str = "jsonl";
/// The format of the day in their names.
pub const DAY: &str = "%Y-%m-%d";

/// Deletes the oldest daily backup if there are more than `keep` up to this day, and logs that. A backup with a later
/// date was written by a wrong clock, or is right while this day is wrong: it stays, and no other is deleted because of
/// it.
///
/// # Errors
/// It cannot be deleted.
pub fn delete_old(directory: &Path, keep: usize, day: Timestamp) -> anyhow::Result<()> {
    let today = day.strftime(DAY).to_string();
    let mut past = backups(directory);
    past.retain(|file| file.file_stem().is_some_and(|name| name <= today.as_str()));
    let Some(oldest) = past.first().filter(|_| keep > 0 && past.len() > keep) else { return Ok(()) };
    tracing::info!(file = %oldest.display(), keep, "the oldest daily backup is deleted");
    fs::remove_file(oldest).with_context(|| format!("{} cannot be deleted", oldest.display()))
}

/// The newest daily backup by date, ignoring dates in the future.
pub fn newest(directory: &Path) -> Option<PathBuf> {
    let today = SystemClock.now().strftime(DAY).to_string();
    let all = backups(directory);
    let past = all.iter().rfind(|file| file.file_stem().is_some_and(|name| name <= today.as_str()));
    past.or(all.last()).cloned()
}

/// The daily backups, oldest first.
fn backups(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    // Others may put files there: a daily backup is named after its day.
    let daily = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        path.extension().is_some_and(|ends| ends == EXTENSION)
            && name.parse::<jiff::civil::Date>().is_ok_and(|day| day.to_string() == name)
    };
    let mut paths: Vec<_> = paths.filter(daily).collect();
    paths.sort();
    paths
}
