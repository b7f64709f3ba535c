//! `astragal check`: reads everything stored, and checks that every journal leads to what is stored.

use crate::place::{self, Home};
use crate::{backups, check, out::say, progress, stop, store};
use anyhow::{Context, bail};
use journal::moving::tables;
use journal::schema::check_records;
use journal::store::Store;
use store_sled::{ClaimError, DataDir};

/// Reports whether the store of a stopped bot is intact.
pub fn examine(home: &Home) -> anyhow::Result<()> {
    let data = of_stopped(home)?;
    check::check_in_child(&data, home)?;
    for line in journals(&*store::of_stopped(&data, &home.kept)?)? {
        say(&line)?;
    }
    say("everything stored is intact")
}

/// The data directory of a bot that is not running, with data in it.
pub fn of_stopped(home: &Home) -> anyhow::Result<DataDir> {
    place::must_hold_data(home)?;
    let data = claimed(home)?;
    check::nothing_was_interrupted(&data)?;
    Ok(data)
}

/// The data directory of a bot that is not running, without what an interrupted backup left.
pub fn claimed(home: &Home) -> anyhow::Result<DataDir> {
    let data = match DataDir::claim(&home.data) {
        Err(ClaimError::Held(_)) => bail!(stop::first(&home.data)),
        data => data?,
    };
    tidied(home);
    Ok(data)
}

/// Removes what an interrupted backup left. The data directory must be claimed.
pub fn tidied(home: &Home) {
    backups::remove_unfinished(&home.data, &home.backups);
}

/// Reports on each table's journal.
///
/// # Errors
/// A record cannot be read, or a journal does not lead to what is stored.
pub fn journals(store: &dyn Store) -> anyhow::Result<Vec<String>> {
    check_records(store)?;
    let mut said = Vec::new();
    // It goes away at the end.
    let _watched = progress::of_unknown("checking journals");
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
