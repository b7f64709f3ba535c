//! `astragal check --rebuild`: rebuilds a damaged store from the newest daily backup and the log of later commits.

use crate::backups::{self, DAMAGED, UNFINISHED};
use crate::examine::{claimed, journals, of_stopped};
use crate::out::say;
use crate::place::Home;
use crate::store::{Database, Kept};
use crate::{backup, lines, store};
use anyhow::{Context, bail, ensure};
use journal::backup::position;
use journal::store::{Batch, Position, Store};
use std::fs;
use std::path::Path;
use store_log::Replayed;
use store_sled::DataDir;

/// Commits written to the new store at once.
const AT_ONCE: usize = 1_000;

/// Rebuilds the store of a stopped bot, and sets the damaged one aside.
pub fn rebuild(home: &Home) -> anyhow::Result<()> {
    let Kept::Here(database) = home.kept else {
        bail!("PostgreSQL keeps the store and rebuilds itself: if it lost it, run astragal restore FILE")
    };
    let newest = || backups::newest(&home.backups).context("there is no daily backup to start from");
    let is_there = |name: &str| home.data.join(name).exists();
    if home.data.is_dir() && !["store", UNFINISHED, DAMAGED].into_iter().any(is_there) && newest().is_ok() {
        let from = backups::newest_written(&home.backups).context("there is no backup to start from")?;
        return from_a_backup_alone(&claimed(home)?, database, &from);
    }
    let data = of_stopped(home)?;
    let aside = data.file(DAMAGED);
    ensure!(!aside.exists(), "{} is there already: move it away first", aside.display());
    let from = newest()?;
    let at = position(&mut lines::open(&from, lines::OF_A_BACKUP)?)?.with_context(|| {
        format!("no log goes on with {0}: restore it (astragal restore {0} --data DIR)", from.display())
    })?;
    let made = data.file(UNFINISHED);
    if made.exists() {
        fs::remove_dir_all(&made).context("what was left unfinished cannot be removed")?;
    }
    let replayed = make(&data, &made, &from, &at).inspect_err(|_| {
        // Leave nothing behind that looks like a store.
        let _ = fs::remove_dir_all(&made);
    })?;
    fs::rename(data.store(), &aside).context("the damaged store cannot be put aside")?;
    backup::put_in_place(&data, &made)?;
    tell(&from, &at, &replayed)?;
    say(&format!("the damaged store is now {}: delete it once you are sure", aside.display()))
}

/// Makes a store where there is none any longer, and with it no log.
fn from_a_backup_alone(data: &DataDir, database: Database, from: &Path) -> anyhow::Result<()> {
    let made = data.file(UNFINISHED);
    let input = lines::open(from, lines::OF_A_BACKUP);
    let filled = input.and_then(|mut input| backup::fill(&*store::make(&made, database)?, from, &mut input));
    let told = filled.and_then(|()| journals(&*store::look(&made)?)).inspect_err(|_| {
        // Leave nothing behind that looks like a store.
        let _ = fs::remove_dir_all(&made);
    })?;
    backup::put_in_place(data, &made)?;
    told.iter().try_for_each(|line| say(line))?;
    say(&format!("there was no store, and it was made from {}: what was played after that is lost", from.display()))
}

/// Fills a new store.
fn make(data: &DataDir, made: &Path, from: &Path, at: &Position) -> anyhow::Result<Replayed> {
    let database = Database::of(&data.store());
    backup::fill(&*store::make(made, database)?, from, &mut lines::open(from, lines::OF_A_BACKUP)?)?;
    let new = store::make(made, database)?;
    let (mut together, mut waiting) = (Batch::default(), 0);
    let replayed = store::replay(&data.store(), at, |batch| {
        together.append(batch);
        waiting += 1;
        match waiting % AT_ONCE {
            0 => new.commit(&std::mem::take(&mut together)),
            _ => Ok(()),
        }
    })?;
    new.commit(&together)?;
    for line in journals(&*new)? {
        say(&line)?;
    }
    Ok(replayed)
}

fn tell(from: &Path, at: &Position, replayed: &Replayed) -> anyhow::Result<()> {
    let since = replayed.last - at.number;
    let commits = if since == 1 { "commit" } else { "commits" };
    say(&format!("rebuilt from {} and the {since} {commits} logged since", from.display()))?;
    match &replayed.damage {
        Some(damage) => say(&format!("whatever came after that is lost: {damage}")),
        None => Ok(()),
    }
}
