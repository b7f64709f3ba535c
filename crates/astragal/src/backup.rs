//! `astragal backup`, `astragal restore`, and the daily backup.

use crate::cli::{Cli, must_be_free};
use crate::fresh::{self, part_of};
use crate::out::say;
use crate::{check, control, lines};
use anyhow::{Context, bail};
use bot::Bot;
use chat::{Clock, SystemClock};
use jiff::Timestamp;
use journal::backup::{read, write};
use journal::keys::{RESTORED_KEY, SCHEMA};
use journal::schema::check_records;
use journal::store::{Batch, Store};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store_sled::{ClaimError, DataDir, SledStore};
use tokio::sync::oneshot;

/// Where the daily backups are, in the data directory.
pub const DIRECTORY: &str = "backups";
/// The store of a restore that is not finished, in the data directory.
pub const UNFINISHED: &str = "store.part";
/// What files of a backup end in.
const EXTENSION: &str = "jsonl";
/// How the days are written that they are called by.
const DAY: &str = "%Y-%m-%d";
/// How often the date is looked at.
const HOUR: Duration = Duration::from_secs(3600);

/// Writes a backup to a new file: of a running bot through its socket, else of its store.
pub fn backup(cli: &Cli, file: &Path) -> anyhow::Result<()> {
    must_be_free(file)?;
    let path = cli.data_dir(&cli.config()?)?;
    anyhow::ensure!(path.join("store").exists(), "there is nothing in {} to back up", path.display());
    let part = part_of(file);
    match DataDir::claim(&path) {
        Ok(data) => {
            check::check_in_child(&data)?;
            let store = SledStore::open(&data.store())?;
            write_file(&store, &part)?;
        }
        Err(ClaimError::Held(_)) => control::fetch(&path.join(control::SOCKET), &control::Request::Backup, &part)?,
        Err(error) => return Err(error.into()),
    }
    let records = verify(&part)?;
    fs::rename(&part, file).with_context(|| format!("{} cannot be written", file.display()))?;
    say(&format!("{records} records written to {}", file.display()))
}

/// Fills an empty data directory from a backup that was verified first.
pub fn restore(cli: &Cli, file: &Path) -> anyhow::Result<()> {
    let path = cli.data_dir(&cli.config()?)?;
    let records = verify(file)?;
    let data = DataDir::claim(&path)?;
    if data.store().exists() {
        bail!("{} holds data already and was left as it is: name an empty directory with --data DIR", path.display());
    }
    let part = data.file(UNFINISHED);
    if part.exists() {
        fs::remove_dir_all(&part).context("what an interrupted restore left cannot be removed")?;
    }
    if let Err(error) = fill(&part, file) {
        // Nothing is left behind that looks like a restore.
        let _ = fs::remove_dir_all(&part);
        return Err(error);
    }
    fs::rename(&part, data.store()).context("the restored data cannot be put in place")?;
    File::open(&path).and_then(|directory| directory.sync_all()).context("the disk does not keep it")?;
    say(&format!("{records} records restored to {}", path.display()))
}

/// Makes a store of a backup's records, if a bot can start with them.
fn fill(part: &Path, file: &Path) -> anyhow::Result<()> {
    let store = SledStore::open(part)?;
    read(&mut lines::open(file, lines::OF_A_BACKUP)?, |batch| store.commit(&batch))?;
    let mut mark = Batch::default();
    mark.put(RESTORED_KEY, serde_json::to_vec(&SystemClock.now())?);
    store.commit(&mark)?;
    check_records(&store).with_context(|| format!("no bot can start with {}, and nothing was restored", file.display()))
}

/// Writes a backup a day as long as the bot runs.
pub async fn daily(directory: PathBuf, bot: Arc<Bot>) {
    loop {
        let today = SystemClock.now().strftime(DAY).to_string();
        let there = directory.join(format!("{today}.{EXTENSION}")).exists();
        if !there && let Err(error) = keep(&directory, &today, &bot).await {
            tracing::error!(error = format!("{error:#}"), "the daily backup was not written");
        }
        tokio::time::sleep(HOUR).await;
    }
}

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

/// Writes a backup of what an older version stored, before this one brings it up to its own schema.
///
/// # Errors
/// It cannot be written, and then nothing is changed.
pub fn before_migration(store: &dyn Store, directory: &Path) -> anyhow::Result<()> {
    let Some(found) = journal::schema::schema_of(store)?.filter(|found| *found < SCHEMA) else { return Ok(()) };
    let file = directory.join(format!("before-schema-{SCHEMA}.{EXTENSION}"));
    let written = fs::create_dir_all(directory).map_err(Into::into).and_then(|()| write_file(store, &part_of(&file)));
    written.context("the data is of an older version and stays so, since no backup of it can be written")?;
    fs::rename(part_of(&file), &file)?;
    let file = file.display();
    tracing::warn!(%file, "the data is of schema {found}; this is the backup from before it becomes {SCHEMA}");
    Ok(())
}

/// Writes a backup of a running bot under this name; its file.
pub async fn keep(directory: &Path, name: &str, bot: &Bot) -> anyhow::Result<PathBuf> {
    let file = directory.join(format!("{name}.{EXTENSION}"));
    fs::create_dir_all(directory)?;
    let part = part_of(&file);
    of_running(bot, part.clone()).await?;
    fs::rename(&part, &file)?;
    Ok(file)
}

/// Writes a backup of a running bot to `file`.
pub async fn of_running(bot: &Bot, file: PathBuf) -> anyhow::Result<()> {
    between_commits(bot, move |store| write_file(store, &file)).await
}

/// Does something with the store of a running bot as it is between two of its commits, which go on meanwhile.
pub async fn between_commits<T: Send + 'static>(
    bot: &Bot,
    work: impl FnOnce(&dyn Store) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let (done, written) = oneshot::channel();
    bot.host().committer().snapshot(move |store| {
        // Whoever asked may have gone.
        let _ = done.send(work(store));
    });
    written.await.context("the bot is stopping")?
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

fn write_file(store: &dyn Store, file: &Path) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", file.display());
    let mut out = BufWriter::new(fresh::replace(file)?);
    write(store, SystemClock.now(), &mut out).with_context(failed)?;
    out.into_inner().map_err(|error| error.into_error()).and_then(|file| file.sync_all()).with_context(failed)
}

/// Reads a backup for nothing but its being whole; how many records it has.
fn verify(file: &Path) -> anyhow::Result<u64> {
    let records = read(&mut lines::open(file, lines::OF_A_BACKUP)?, |_| Ok(()));
    records.with_context(|| format!("{} is no usable backup", file.display()))
}
