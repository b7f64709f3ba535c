//! Reads the whole store before it is used, in a child process. A damaged database may make sled panic or hang, and a
//! hang can only be ended from outside. The child reads a copy, because sled writes to what it opens.

use crate::out::complain;
use crate::place::Home;
use crate::store::Kept;
use crate::{backups, owner, progress, store};
use anyhow::{Context, bail, ensure};
use chat::{Clock, SystemClock};
use jiff::{SignedDuration, Timestamp};
use journal::store::{StoreError, scan_all};
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::Duration;
use store_log::KEPT;
use store_sled::DataDir;

const STEP: Duration = Duration::from_millis(2);
/// A small store is read in milliseconds; this limit is for a hang.
const SHORTEST_LIMIT: Duration = Duration::from_secs(30);
/// For larger stores, the fewest bytes per second expected.
const SLOWEST: u64 = 4 << 20;

/// The most bytes read at a start, which takes well under a second.
const MOST_AT_A_START: u64 = 64 << 20;

/// A clock behind by this little is not wrong.
const CLOCK: SignedDuration = SignedDuration::from_mins(5);

/// The exit status of a child that found no damage but could not read everything.
const UNREADABLE: u8 = 3;

/// The child's part: reads every record of a store.
pub fn check_here(store: &Path) -> ExitCode {
    let read = store::look(store).and_then(|store| scan_all(&*store, "").try_for_each(|record| record.map(drop)));
    match read {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let damaged = matches!(error, StoreError::Damaged { .. });
            complain(&error.into());
            if damaged { ExitCode::FAILURE } else { ExitCode::from(UNREADABLE) }
        }
    }
}

/// When a file in this directory was last written, by the clock of that time.
pub fn newest_file(directory: &Path) -> Option<Timestamp> {
    let written = |path: PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
    let files = files(directory).unwrap_or_default();
    files.into_iter().filter_map(written).max().and_then(|time| Timestamp::try_from(time).ok())
}

/// When the data was last written, by the clock of that time; warns if the clock now says it is earlier.
pub fn last_written(data: &DataDir) -> Option<Timestamp> {
    let newest = newest_file(&data.store());
    let now = SystemClock.now();
    if let Some(newest) = newest.filter(|newest| newest.duration_since(now) > CLOCK) {
        tracing::warn!(
            "the clock of this machine says {now:.0}, and the data was written at {newest:.0}: set it right, since \
             certificates and the times in journals go by it"
        );
    }
    newest
}

/// Checks a small store before a bot starts on it. A large one would delay the start: its records are read when needed,
/// each with its checksum, and all of them for each daily backup.
///
/// # Errors
/// As [`check_in_child`].
pub fn before_a_start(data: &DataDir, home: &Home) -> anyhow::Result<()> {
    if size(&data.store()) > MOST_AT_A_START {
        return Ok(());
    }
    check_in_child(data, home)
}

/// Has a child read the store in `data`, if there is one; one on a database server checks itself.
///
/// # Errors
/// It is damaged or lost, or a restore was interrupted; the error says what to do. Nothing was changed.
pub fn check_in_child(data: &DataDir, home: &Home) -> anyhow::Result<()> {
    let Home { backups, kept: Kept::Here(_), .. } = home else { return Ok(()) };
    if !data.store().exists() {
        nothing_was_interrupted(data)?;
        return nothing_was_lost(backups);
    }
    let copy = data.file(backups::CHECKED);
    remove(&copy)?;
    if let Err(error) = copy_files(&data.store(), &copy) {
        remove(&copy)?;
        if error.kind() == ErrorKind::PermissionDenied {
            bail!("{} cannot be read and was left as it is: {error}", data.store().display());
        }
        tracing::warn!(%error, "no room to check the store before it is used");
        return Ok(());
    }
    let checked = check_copy(data, &copy, backups);
    remove(&copy)?;
    checked
}

/// Refuses to go on without a store if there are backups: a new one would begin empty, and its backups would soon take
/// the place of these.
fn nothing_was_lost(backups: &Path) -> anyhow::Result<()> {
    let Some(newest) = backups::newest(backups) else { return Ok(()) };
    bail!(
        "there is no store, but there are backups: astragal check --rebuild makes it from {}; to begin with nothing, move {} \
         away",
        newest.display(),
        backups.display()
    )
}

/// Refuses to go on if a restore or a rebuild was interrupted, because the store would seem empty. A start would begin
/// an empty one, and nobody would notice until too late.
pub fn nothing_was_interrupted(data: &DataDir) -> anyhow::Result<()> {
    let (unfinished, damaged) = (data.file(backups::UNFINISHED), data.file(backups::DAMAGED));
    if data.store().exists() || !unfinished.exists() {
        return Ok(());
    }
    ensure!(
        !damaged.exists(),
        "a rebuild was interrupted here, and nothing is in place: rename {} to {}, and run astragal check --rebuild again",
        damaged.display(),
        data.store().display()
    );
    bail!(
        "a restore was interrupted here, and nothing is in place: run astragal restore FILE again, or remove {} to begin with \
         nothing",
        unfinished.display()
    )
}

fn check_copy(data: &DataDir, copy: &Path, backups: &Path) -> anyhow::Result<()> {
    let program = owner::program().context("the program does not find itself")?;
    let mut child = Command::new(program)
        .arg("check-store")
        .arg(copy)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("the store cannot be checked")?;
    let limit = SHORTEST_LIMIT + Duration::from_secs(size(copy) / SLOWEST);
    let watched = progress::of_unknown("checking the store");
    let status = wait(&mut child, limit)?;
    watched.finish_and_clear();
    if status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let mut says = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        // If the child's message cannot be read, it stays unknown.
        let _ = stderr.read_to_string(&mut says);
    }
    let why = match status {
        None => "reading it takes for ever".to_owned(),
        Some(_) => says.lines().last().unwrap_or("the check crashed").trim_start_matches("astragal: ").to_owned(),
    };
    let store = data.store();
    if status.and_then(|status| status.code()) == Some(i32::from(UNREADABLE)) {
        bail!(
            "{} cannot be read and was left as it is ({why}): make room or mend the disk, and start again",
            store.display()
        );
    }
    let then = match backups::newest(backups) {
        Some(backup) => format!("astragal restore {} --data DIR", backup.display()),
        None => "restore a backup (astragal restore FILE --data DIR)".to_owned(),
    };
    bail!(
        "the data in {} is damaged and was left as it is ({why}): astragal check --rebuild rebuilds it from the newest daily \
         backup and the log since; or into a new directory DIR, {then}, and start with it",
        store.display()
    )
}

/// Waits for a child to end; `None` if it had to be killed.
///
/// # Errors
/// The system lost it.
pub fn wait(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    for _ in 0..limit.as_millis() / STEP.as_millis() {
        if let Some(status) = child.try_wait().context("a child process got lost")? {
            return Ok(Some(status));
        }
        std::thread::sleep(STEP);
    }
    child.kill().context("a child process cannot be ended")?;
    child.wait().context("a child process got lost")?;
    Ok(None)
}

/// Copies the files of a directory, recursively, except those of the log that are only kept for a backup.
fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|ends| ends == "kept") {
            continue;
        }
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_files(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

fn remove(copy: &Path) -> anyhow::Result<()> {
    if copy.exists() {
        fs::remove_dir_all(copy).with_context(|| format!("{} cannot be removed", copy.display()))?;
    }
    Ok(())
}

/// The files of a directory, recursively.
fn files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        match path.is_dir() {
            true => files.extend(self::files(&path)?),
            false if path.to_string_lossy().ends_with(KEPT) => {}
            false => files.push(path),
        }
    }
    Ok(files)
}

/// The total size of the files of a directory, recursively, in bytes.
pub fn size(directory: &Path) -> u64 {
    let files = files(directory).unwrap_or_default();
    files.into_iter().filter_map(|path| fs::metadata(path).ok()).map(|file| file.len()).sum()
}
