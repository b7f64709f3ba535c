//! `astragal backup`, `astragal restore`, and the daily backup.

use crate::backups::{self, EXTENSION, UNFINISHED};
use crate::fresh::{self, Part, must_be_free};
use crate::out::{out, say};
use crate::packed::{Form, Packing};
use crate::place::Home;
use crate::request::Request;
use crate::room::{self, Leaving};
use crate::store::{Kept, Playing};
use crate::{ask, check, hook, lines, place, progress, store};
use anyhow::{Context, bail, ensure};
use bot::Bot;
use chat::{Clock, SystemClock};
use journal::backup::{BackupError, Steady, has_way_back, position, read, write, write_for};
use journal::keys::{RESTORED_KEY, SCHEMA};
use journal::schema::check_records;
use journal::store::{Batch, Store};
use std::fs::{self, File};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use store_sled::{ClaimError, DataDir};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

/// How often the date is checked.
const HOUR: Duration = Duration::from_secs(3600);
/// The name of standard output on the command line.
const STANDARD_OUTPUT: &str = "-";

/// Writes a backup to a new file: of a running bot through its socket, otherwise of its store. With a `schema`, the
/// backup is for a program whose newest schema is this one.
pub fn backup(home: &Home, file: &Path, schema: Option<u32>) -> anyhow::Result<()> {
    schema.map_or(Ok(()), has_way_back)?;
    if file == Path::new(STANDARD_OUTPUT) {
        ensure!(schema.is_none(), "a backup for an older astragal needs a file: name one instead of -");
        place::must_hold_data(home)?;
        return send(home, Form::Plain, &mut out());
    }
    must_be_free(file)?;
    let form = Form::of(file);
    let readable = schema.is_none() || form == Form::Plain;
    ensure!(readable, "an older astragal reads no compressed backup: name a file that does not end in .gz");
    place::must_hold_data(home)?;
    let part = Part::of(file);
    let made = part.create_as_typed()?;
    let mut kept = Leaving::new(Steady::new(made.try_clone()?), made);
    send(home, form, &mut kept)?;
    kept.into_inner().finish().with_context(|| format!("{} cannot be written", file.display()))?;
    if let Some(schema) = schema {
        for_older(&part, schema)?;
    }
    let records = verify(part.path())?;
    part.place()?;
    say(&format!("{records} records written to {}", file.display()))
}

/// Writes a backup to `out`.
fn send(home: &Home, form: Form, out: &mut impl Write) -> anyhow::Result<()> {
    match DataDir::claim(&home.data) {
        Ok(data) => {
            backups::remove_unfinished(&home.data, &home.backups);
            check::check_in_child(&data, home)?;
            let mut packing = Packing::new(progress::of_unknown("writing").wrap_write(out), form);
            write(&*store::of_stopped(&data, &home.kept)?, SystemClock.now(), &mut packing)
                .context("the backup cannot be written")?;
            Ok(packing.finish().context("the backup cannot be written")?.flush()?)
        }
        Err(ClaimError::Held(_)) => {
            let mut out = progress::of_unknown("writing").wrap_write(out);
            ask::fetch(&home.data, &Request::Backup, form, &mut out)
        }
        Err(error) => Err(error.into()),
    }
}

/// Rewrites a backup for a program whose newest schema is this one.
fn for_older(whole: &Part<'_>, schema: u32) -> anyhow::Result<()> {
    let older = Part::of(whole.path());
    let mut input = lines::open_watched(whole.path(), lines::OF_A_BACKUP, "rewriting")?;
    let made = older.create_as_typed()?;
    write_out(made, older.path(), Form::Plain, |out| write_for(schema, SystemClock.now(), &mut input, out))?;
    older.place()
}

/// Fills an empty data directory from a backup, after verifying it.
pub fn restore(home: &Home, file: &Path) -> anyhow::Result<()> {
    let records = verify(file)?;
    let data = DataDir::claim(&home.data)?;
    let database = match &home.kept {
        Kept::Here(database) => *database,
        Kept::There(remote) => {
            store::is_in_one_place(&data)?;
            remote.fill(&data, |store| {
                let mut input = lines::open_watched(file, lines::OF_A_BACKUP, "restoring")?;
                fill(store, file, &mut input)
            })?;
            return say(&format!("{records} records restored to {remote}"));
        }
    };
    if data.store().exists() {
        bail!(
            "{} holds data already and was left as it is: name an empty directory with --data DIR",
            home.data.display()
        );
    }
    let part = data.file(UNFINISHED);
    if part.exists() {
        fs::remove_dir_all(&part).context("what an interrupted restore left cannot be removed")?;
    }
    let filled = lines::open_watched(file, lines::OF_A_BACKUP, "restoring")
        .and_then(|mut input| fill(&*store::make(&part, database)?, file, &mut input));
    if let Err(error) = filled {
        // Leave nothing behind that looks like a restore.
        let _ = fs::remove_dir_all(&part);
        return Err(error);
    }
    put_in_place(&data, &part)?;
    say(&format!("{records} records restored to {}", home.data.display()))
}

/// Moves a filled store into place.
pub fn put_in_place(data: &DataDir, made: &Path) -> anyhow::Result<()> {
    fs::rename(made, data.store()).context("the restored data cannot be put in place")?;
    File::open(data.file(".")).and_then(|directory| directory.sync_all()).context("the disk does not keep it")
}

/// Fills an empty store with the records of the backup `file`, which are read from `input`, if a bot can start with them.
pub fn fill(store: &dyn Store, file: &Path, input: &mut dyn BufRead) -> anyhow::Result<()> {
    journal::backup::restore(input, store)?;
    let mut mark = Batch::default();
    mark.put(RESTORED_KEY, serde_json::to_vec(&SystemClock.now())?);
    store.commit(&mark)?;
    check_records(store).with_context(|| format!("no bot can start with {}, and nothing was restored", file.display()))
}

/// Writes a backup a day while the bot runs. What the log kept since the previous one is then removed, and the command
/// that `after` returns gets the backup. If the command fails, it is tried again in an hour, and at the next start. `tell` gets
/// what is wrong now, each time.
pub async fn daily(
    directory: PathBuf,
    bot: Arc<Bot>,
    store: Arc<Playing>,
    after: impl Fn() -> Vec<String>,
    tell: impl Fn(Option<String>),
) {
    loop {
        let mut trouble = None;
        let today = backups::day_of(SystemClock.now());
        let there = match backups::has(&directory, &today) {
            true => Ok(()),
            false => of_today(&directory, &today, &bot, &store).await,
        };
        match there {
            Ok(()) => tracing::debug!("the daily backup is there"),
            Err(error) => trouble = Some(format!("the daily backup was not written: {error:#}")),
        }
        let command = after();
        if let Some(file) = backups::waiting(&directory).filter(|_| !command.is_empty()) {
            let copied = hook::run(command, file.clone()).await;
            let copied = copied.and_then(|()| backups::note_copied(&directory, &file));
            trouble = copied.err().map(|error| format!("the command after the backup failed: {error:#}")).or(trouble);
        }
        tell(trouble.clone());
        if let Some(trouble) = trouble {
            tracing::error!("{trouble}");
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
    // Not compressed: an older version reads it.
    let file = directory.join(format!("before-schema-{SCHEMA}.{EXTENSION}"));
    let part = Part::of(&file);
    let made = fs::create_dir_all(directory).map_err(Into::into).and_then(|()| fresh::replace(part.path()));
    let written = made.and_then(|made| write_file(store, made, part.path(), Form::Plain)).and_then(|()| part.place());
    written.context("the data is of an older version and stays so, since no backup of it can be written")?;
    let file = file.display();
    tracing::warn!(%file, "the data is of schema {found}; this is the backup from before it becomes {SCHEMA}");
    Ok(())
}

/// Writes a backup of a running bot under this name. Returns its path.
pub async fn keep(directory: &Path, name: &str, bot: &Bot) -> anyhow::Result<PathBuf> {
    let file = directory.join(backups::name_of(name));
    fs::create_dir_all(directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let before = backups::newest(directory).and_then(|newest| fs::metadata(newest).ok());
    room::ask(directory, before.map_or(0, |before| before.len()))?;
    let part = Part::of(&file);
    of_running(bot, part.path().to_owned()).await?;
    part.place()?;
    Ok(file)
}

/// Writes a backup of a running bot to `file`.
pub async fn of_running(bot: &Bot, file: PathBuf) -> anyhow::Result<()> {
    let made = fresh::replace(&file)?;
    between_commits(bot, move |store| write_file(store, made, &file, Form::Packed)).await
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

fn write_file(store: &dyn Store, made: File, file: &Path, form: Form) -> anyhow::Result<()> {
    write_out(made, file, form, |out| write(store, SystemClock.now(), out))
}

/// Writes to the new file `made`, whose path is `file`.
fn write_out(
    made: File,
    file: &Path,
    form: Form,
    write: impl FnOnce(&mut dyn Write) -> Result<u64, BackupError>,
) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written", file.display());
    let steady = Steady::new(made.try_clone().with_context(failed)?);
    let mut out = Packing::new(Leaving::new(steady, made), form);
    write(&mut out).with_context(failed)?;
    out.finish().and_then(|leaving| leaving.into_inner().finish()).with_context(failed)
}

/// Reads a backup just to check that it is complete. Returns its number of records.
fn verify(file: &Path) -> anyhow::Result<u64> {
    let records = read(&mut lines::open_watched(file, lines::OF_A_BACKUP, "verifying")?, |_| Ok(()));
    records.with_context(|| format!("{} cannot be used as a backup", file.display()))
}
