//! `astragal check --rebuild`: rebuilds a damaged store from the newest daily backup and the log of later commits.

use crate::backups::{self, DAMAGED, UNFINISHED};
use crate::examine::{journals, of_stopped};
use crate::out::say;
use crate::store::Database;
use crate::{backup, lines, store};
use anyhow::{Context, ensure};
use journal::backup::position;
use journal::store::{Batch, Position, Store};
use std::fs;
use std::path::Path;
use store_log::Replayed;
use store_sled::DataDir;

/// Commits written to the new store at once.
const AT_ONCE: usize = 1_000;

/// Rebuilds the store of a stopped bot, and sets the damaged one aside.
pub fn rebuild(path: &Path) -> anyhow::Result<()> {
    let data = of_stopped(path)?;
    let aside = data.file(DAMAGED);
    ensure!(!aside.exists(), "{} is there already: move it away first", aside.display());
    let from = backups::newest(&data.file(backups::DIRECTORY)).context("there is no daily backup to start from")?;
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

/// Fills a new store.
fn make(data: &DataDir, made: &Path, from: &Path, at: &Position) -> anyhow::Result<Replayed> {
    let database = Database::of(&data.store());
    backup::fill(made, from, database)?;
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
