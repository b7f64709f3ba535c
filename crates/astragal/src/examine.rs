//! `astragal check`: reads everything stored, and checks that every journal leads to what is stored.

use crate::{check, out::say, place, store};
use anyhow::{Context, bail};
use journal::moving::tables;
use journal::schema::check_records;
use journal::store::Store;
use std::path::Path;
use store_sled::{ClaimError, DataDir};

/// Reports whether the store of a stopped bot is intact.
pub fn examine(path: &Path) -> anyhow::Result<()> {
    let data = of_stopped(path)?;
    check::check_in_child(&data)?;
    for line in journals(&*store::look(&data.store())?)? {
        say(&line)?;
    }
    say("everything stored is intact")
}

/// The data directory of a bot that is not running.
pub fn of_stopped(path: &Path) -> anyhow::Result<DataDir> {
    place::must_hold_data(path)?;
    let data = match DataDir::claim(path) {
        Err(ClaimError::Held(_)) => bail!("a bot is running on {}: stop it first", path.display()),
        data => data?,
    };
    check::nothing_was_interrupted(&data)?;
    Ok(data)
}

/// Reports on each table's journal.
///
/// # Errors
/// A record cannot be read, or a journal does not lead to what is stored.
pub fn journals(store: &dyn Store) -> anyhow::Result<Vec<String>> {
    check_records(store)?;
    let mut said = Vec::new();
    for table in tables(store)? {
        let audit = journal::audit(store, &table).with_context(|| format!("the journal of {table} is damaged"))?;
        let entries = match audit.entries {
            0 => {
                said.push(format!("{table}: no entries yet"));
                continue;
            }
            1 => "1 entry".to_owned(),
            several => format!("{several} entries"),
        };
        said.push(format!("{table}: {entries} up to #{}, chain head {}…", audit.last, &audit.head[..16]));
    }
    Ok(said)
}
