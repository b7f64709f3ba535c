//! `astragal backup`, `astragal restore`, and the daily backup.

use crate::backups::{DAY, EXTENSION, UNFINISHED};
use crate::fresh::{self, must_be_free, part_of};
use crate::out::say;
use crate::request::Request;
use crate::store::{Database, Playing};
use crate::{ask, check, lines, place, store};
use anyhow::{Context, bail};
use bot::Bot;
use chat::{Clock, SystemClock};
use journal::backup::{BackupError, Steady, has_way_back, position, read, write, write_for};
use journal::keys::{RESTORED_KEY, SCHEMA};
use journal::schema::check_records;
use journal::store::{Batch, Store};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store_sled::{ClaimError, DataDir};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// How often the date is checked.
const HOUR: Duration = Duration::from_secs(3600);

/// Writes a backup to a new file: of a running bot through its socket, otherwise of its store. With a `schema`, the
/// backup is for a program whose newest schema is this one.
pub fn backup(path: &Path, file: &Path, schema: Option<u32>) -> anyhow::Result<()> {
    must_be_free(file)?;
    schema.map_or(Ok(()), has_way_back)?;
    place::must_hold_data(path)?;
    let part = part_of(file);
    match DataDir::claim(path) {
        Ok(data) => {
            check::check_in_child(&data)?;
            write_file(&*store::look(&data.store())?, &part)?;
        }
        Err(ClaimError::Held(_)) => ask::fetch(path, &Request::Backup, &part)?,
        Err(error) => return Err(error.into()),
    }
    if let Some(schema) = schema {
        for_older(&part, schema)?;
    }
    let records = verify(&part)?;
    fs::rename(&part, file).with_context(|| format!("{} cannot be written", file.display()))?;
    say(&format!("{records} records written to {}", file.display()))
}

/// Rewrites a backup for a program whose newest schema is this one.
fn for_older(file: &Path, schema: u32) -> anyhow::Result<()> {
    let older = part_of(file);
    let mut whole = lines::open(file, lines::OF_A_BACKUP)?;
    write_out(&older, |out| write_for(schema, SystemClock.now(), &mut whole, out))?;
    fs::rename(&older, file).with_context(|| format!("{} cannot be written", file.display()))
}

/// Fills an empty data directory from a backup, after verifying it.
pub fn restore(path: &Path, file: &Path, database: Database) -> anyhow::Result<()> {
    let records = verify(file)?;
    let data = DataDir::claim(path)?;
    if data.store().exists() {
        bail!("{} holds data already and was left as it is: name an empty directory with --data DIR", path.display());
    }
    let part = data.file(UNFINISHED);
    if part.exists() {
        fs::remove_dir_all(&part).context("what an interrupted restore left cannot be removed")?;
    }
    if let Err(error) = fill(&part, file, database) {
        // Leave nothing behind that looks like a restore.
        let _ = fs::remove_dir_all(&part);
        return Err(error);
    }
    put_in_place(&data, &part)?;
    say(&format!("{records} records restored to {}", path.display()))
}

/// Moves a filled store into place.
pub fn put_in_place(data: &DataDir, made: &Path) -> anyhow::Result<()> {
    fs::rename(made, data.store()).context("the restored data cannot be put in place")?;
    File::open(data.file(".")).and_then(|directory| directory.sync_all()).context("the disk does not keep it")
}

/// Makes a store from a backup's records, if a bot can start with them.
pub fn fill(part: &Path, file: &Path, database: Database) -> anyhow::Result<()> {
    let store = store::make(part, database)?;
    journal::backup::restore(&mut lines::open(file, lines::OF_A_BACKUP)?, &*store)?;
    let mut mark = Batch::default();
    mark.put(RESTORED_KEY, serde_json::to_vec(&SystemClock.now())?);
    store.commit(&mark)?;
    check_records(&store).with_context(|| format!("no bot can start with {}, and nothing was restored", file.display()))
}

/// Writes a backup a day while the bot runs. What the log kept since the previous one is then removed.
pub async fn daily(directory: PathBuf, bot: Arc<Bot>, store: Arc<Playing>) {
    loop {
        let today = SystemClock.now().strftime(DAY).to_string();
        let written = match directory.join(format!("{today}.{EXTENSION}")).exists() {
            true => Ok(()),
            false => of_today(&directory, &today, &bot, &store).await,
        };
        match written {
            Ok(()) => tracing::debug!("the daily backup is there"),
            Err(error) => tracing::error!(error = format!("{error:#}"), "the daily backup was not written"),
        }
        tokio::time::sleep(HOUR).await;
    }
}

/// Writes today's backup. Then the log can drop what the backup has.
async fn of_today(directory: &Path, today: &str, bot: &Bot, store: &Arc<Playing>) -> anyhow::Result<()> {
    let log = store.clone();
    if let Err(error) = spawn_blocking(move || log.turn_over()).await? {
        // A database in trouble needs its backup all the more.
        tracing::warn!(%error, "the log keeps more than it needs until tomorrow");
    }
    let file = keep(directory, today, bot).await?;
    release(store, &file)
}

/// Removes what a backup has from the log.
fn release(store: &Playing, file: &Path) -> anyhow::Result<()> {
    let position = position(&mut lines::open(file, lines::OF_A_BACKUP)?)?;
    Ok(position.map_or(Ok(()), |position| store.release(position.number))?)
}

/// Backs up data stored by an older version, before this version upgrades it.
///
/// # Errors
/// The backup cannot be written; then nothing is changed.
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

/// Writes a backup of a running bot under this name. Returns its path.
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

/// Works on the store of a running bot as it is between two commits, while further commits go on.
pub async fn between_commits<T: Send + 'static>(
    bot: &Bot,
    work: impl FnOnce(&dyn Store) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let (done, written) = oneshot::channel();
    bot.host().committer().snapshot(move |store| {
        // The receiver may be gone.
        let _ = done.send(work(store));
    });
    written.await.context("the bot is stopping")?
}

fn write_file(store: &dyn Store, file: &Path) -> anyhow::Result<()> {
    write_out(file, |out| write(store, SystemClock.now(), out))
}

fn write_out(file: &Path, write: impl FnOnce(&mut dyn Write) -> Result<u64, BackupError>) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", file.display());
    let mut out = Steady::new(fresh::replace(file)?);
    write(&mut out).with_context(failed)?;
    out.finish().with_context(failed)
}

/// Reads a backup just to check that it is complete. Returns its number of records.
fn verify(file: &Path) -> anyhow::Result<u64> {
    let records = read(&mut lines::open(file, lines::OF_A_BACKUP)?, |_| Ok(()));
    records.with_context(|| format!("{} cannot be used as a backup", file.display()))
}
