//! The daily backups that are there: which is the newest, which goes. Writing one is not known here.

use anyhow::Context;
use chat::{Clock, SystemClock};
use jiff::Timestamp;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the daily backups are, in the data directory.
pub const DIRECTORY: &str = "backups";
/// The store of a restore that is not finished, in the data directory.
pub const UNFINISHED: &str = "store.part";
/// Where a rebuild puts the damaged store, in the data directory.
pub const DAMAGED: &str = "store.damaged";
/// What files of a backup end in.
pub const EXTENSION: &str = "jsonl";
/// How the days are written that they are called by.
pub const DAY: &str = "%Y-%m-%d";

/// Deletes the oldest daily backup if there are more than `keep` up to this day, and says so. One that is dated later was
/// written by a clock that was wrong, or is right while this day is wrong: it stays, and no other is deleted for it.
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

/// The newest of the daily backups: by its date, unless that is still to come.
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
    // Others may put files there: a daily backup is called by its day.
    let daily = |path: &PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        path.extension().is_some_and(|ends| ends == EXTENSION)
            && name.parse::<jiff::civil::Date>().is_ok_and(|day| day.to_string() == name)
    };
    let mut paths: Vec<_> = paths.filter(daily).collect();
    paths.sort();
    paths
}
