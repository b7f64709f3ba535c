//! The existing daily backups: which one is the newest, which one is deleted, and what an interrupted one left. Does
//! not know how to write one.

use crate::fresh::{Part, part_of, replace};
use anyhow::Context;
use chat::{Clock, SystemClock};
use jiff::Timestamp;
use jiff::civil::Date;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The directory of the daily backups, in the data directory, unless the configuration names another.
pub const DIRECTORY: &str = "backups";
/// The store of an unfinished restore, in the data directory.
pub const UNFINISHED: &str = "store.part";
/// The place for the damaged store during a rebuild, in the data directory.
pub const DAMAGED: &str = "store.damaged";
/// The copy of a store that is being checked, in the data directory.
pub const CHECKED: &str = "store.check";
/// What the file of a backup that a bot hands out begins with, in the data directory.
pub const SPOOLED: &str = "backup-";
/// The extension of backup files, and of compressed ones.
pub const EXTENSION: &str = "jsonl";
pub const PACKED: &str = "jsonl.gz";
/// The file, in the directory of the backups, that names the last one for which the operator's command succeeded.
const COPIED: &str = "copied";
/// The format of the day in their names.
const DAY: &str = "%Y-%m-%d";

/// The day of this time, as the name of its backup has it.
pub fn day_of(time: Timestamp) -> String {
    time.strftime(DAY).to_string()
}

/// The file of the backup with this name: of a day, or one that an operator ordered.
pub fn name_of(name: &str) -> String {
    format!("{name}.{PACKED}")
}

/// Deletes the oldest daily backup if there are more than `keep` up to this day, and logs that. A backup with a later
/// date was written by a wrong clock, or is right while this day is wrong: it stays, and no other is deleted because of
/// it.
///
/// # Errors
/// It cannot be deleted.
pub fn delete_old(directory: &Path, keep: usize, day: Timestamp) -> anyhow::Result<()> {
    let mut past = backups(directory);
    past.retain(|(date, _)| *date <= day_of(day));
    let Some((_, oldest)) = past.first().filter(|_| keep > 0 && past.len() > keep) else { return Ok(()) };
    tracing::info!(file = %oldest.display(), keep, "the oldest daily backup is deleted");
    fs::remove_file(oldest).with_context(|| format!("{} cannot be deleted", oldest.display()))
}

/// The newest daily backup by date, ignoring dates in the future.
pub fn newest(directory: &Path) -> Option<PathBuf> {
    newest_of(directory).map(|(_, file)| file)
}

/// The same, with its date.
pub fn newest_of(directory: &Path) -> Option<(String, PathBuf)> {
    let today = day_of(SystemClock.now());
    let all = backups(directory);
    let past = all.iter().rfind(|(date, _)| *date <= today);
    past.or(all.last()).cloned()
}

/// The newest backup of all, also of those that an operator ordered on a day: of one day, the one that was written last.
pub fn newest_written(directory: &Path) -> Option<PathBuf> {
    let (day, daily) = newest_of(directory)?;
    let ordered = files(directory).into_iter().filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let on_that_day = name.strip_prefix(&day).is_some_and(|rest| rest.starts_with('T'));
        on_that_day && [EXTENSION, PACKED].iter().any(|ending| name.ends_with(&format!(".{ending}")))
    });
    let written = |path: &PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    ordered.chain([daily]).max_by_key(written)
}

/// The newest daily backup, if the operator's command has not succeeded for it yet, be it that the bot ended before.
pub fn waiting(directory: &Path) -> Option<PathBuf> {
    let copied = fs::read_to_string(directory.join(COPIED)).unwrap_or_default();
    newest(directory).filter(|file| file.file_name().is_some_and(|name| *name != *copied))
}

/// Notes that the operator's command succeeded for this backup.
///
/// # Errors
/// The note cannot be written.
pub fn note_copied(directory: &Path, file: &Path) -> anyhow::Result<()> {
    let (note, name) = (directory.join(COPIED), file.file_name().unwrap_or_default());
    let part = Part::of(&note);
    let written = replace(part.path()).and_then(|mut made| Ok(made.write_all(name.as_encoded_bytes())?));
    written.and_then(|()| part.place()).with_context(|| format!("{} cannot be written", note.display()))
}

/// True if the backup of this day is there.
pub fn has(directory: &Path, day: &str) -> bool {
    backups(directory).iter().any(|(date, _)| date == day)
}

/// Removes what interrupted backups and checks left in the data directory and in the directory of the backups. Only the
/// process that holds the data directory may do so.
pub fn remove_unfinished(data: &Path, directory: &Path) {
    let name = |path: &Path| path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
    let is_part = |path: &Path| path.extension().is_some_and(|ends| ends == "part");
    let spooled = files(data).into_iter().filter(|path| is_part(path) && name(path).starts_with(SPOOLED));
    let ours = |path: &PathBuf| {
        let endings = [EXTENSION, PACKED].map(|ending| format!(".{ending}"));
        endings.iter().any(|ending| name(path).ends_with(&name(&part_of(Path::new(ending)))))
    };
    for part in spooled.chain(files(directory).into_iter().filter(ours)) {
        match fs::remove_file(&part) {
            Ok(()) => tracing::info!(file = %part.display(), "what an interrupted backup left is removed"),
            Err(error) => tracing::warn!(file = %part.display(), %error, "what an interrupted backup left stays"),
        }
    }
    // It may not be there.
    let _ = fs::remove_dir_all(data.join(CHECKED));
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
}

/// The daily backups with their dates, oldest first.
fn backups(directory: &Path) -> Vec<(String, PathBuf)> {
    // Others may put files there: a daily backup is named after its day.
    let daily = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let (day, ending) = name.split_once('.')?;
        let is_day = day.parse::<Date>().is_ok_and(|date| date.to_string() == day);
        (is_day && [EXTENSION, PACKED].contains(&ending)).then(|| (day.to_owned(), path.clone()))
    };
    let mut found: Vec<_> = files(directory).into_iter().filter_map(daily).collect();
    found.sort();
    found
}
