//! The store of a data directory: a database with a log in front of it.

use crate::config::Config;
use crate::remote::{Opened, Remote, Standing};
use crate::{backup, backups};
use anyhow::bail;
use journal::Entropy;
use journal::keys::SCHEMA;
use journal::schema::{prepare, schema_of};
use journal::store::{Batch, Position, Store, StoreError};
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use store_log::{Directory, Identity, Keep, Logged, Replayed};
use store_redb::RedbStore;
use store_sled::{DataDir, SledStore};

/// The directory of the log, in the database's directory: the two belong together.
const LOG: &str = "log";

/// A store in use.
pub struct Playing {
    /// The store itself.
    pub store: Arc<dyn Store>,
    /// The log in front of a database in the data directory.
    log: Option<Arc<Logged<Arc<dyn Store>>>>,
    /// Tells how a store on a server is.
    standing: Option<Box<dyn Fn() -> Standing + Send + Sync>>,
}

/// Where a store is.
#[derive(Clone, Debug)]
pub enum Kept {
    /// In the data directory; a new one in this database.
    Here(Database),
    /// On a database server.
    There(Remote),
}

/// How long to wait while another bot has the store.
#[derive(Clone, Copy)]
pub enum Wait<'a> {
    /// As long as it takes to see that it lives.
    Briefly,
    /// Until it leaves it. This is told who it is, once a second.
    ForAsLong(&'a dyn Fn(&str)),
}

/// A database that the log can stand in front of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Database {
    /// sled 0.34.
    #[default]
    Sled,
    /// redb 4.
    Redb,
}

impl Database {
    /// The database whose files are in this directory.
    fn there(path: &Path) -> Option<Self> {
        let has = |file: &str| path.join(file).exists();
        has("redb").then_some(Database::Redb).or_else(|| has("db").then_some(Database::Sled))
    }

    /// The database whose files are in this directory, or the default for a new one.
    pub fn of(path: &Path) -> Self {
        Database::there(path).unwrap_or_default()
    }

    fn open(self, path: &Path) -> Result<Arc<dyn Store>, StoreError> {
        Ok(match self {
            Database::Sled => Arc::new(SledStore::open(path)?),
            Database::Redb => Arc::new(RedbStore::open(path)?),
        })
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Database::Sled => "sled",
            Database::Redb => "redb",
        })
    }
}

/// Opens a data directory's store for use, as the configuration says. Data of an older version is upgraded first, after
/// a backup.
///
/// # Errors
/// It cannot be opened; or it is from a newer version, or in a different database, or its backup cannot be written, and
/// then it is left as it is.
pub fn open(data: &DataDir, config: &Config, wait: Wait<'_>) -> anyhow::Result<Playing> {
    let (path, kept) = (data.store(), config.store.kept());
    let wanted = match kept {
        Kept::Here(database) => database,
        Kept::There(remote) => {
            is_in_one_place(data)?;
            let Opened { store, standing } = remote.open(data, wait)?;
            backup::before_migration(&*store, &data.file(backups::DIRECTORY))?;
            prepare(&*store)?;
            return Ok(Playing { store, log: None, standing: Some(standing) });
        }
    };
    if let Some(there) = Database::there(&path).filter(|there| *there != wanted) {
        bail!(
            "the data is kept in {there}, but the configuration says store.database = \"{wanted}\": write \"{there}\" there; or, to \
             change over, run astragal backup FILE, and astragal restore FILE into an empty directory"
        );
    }
    let database = wanted.open(&path)?;
    backup::before_migration(&*database, &data.file(backups::DIRECTORY))?;
    // Before anything is only in the log: an older program, which would not look there, refuses to start from now on.
    prepare(&*database)?;
    // If there are no backups, nothing need be kept for them.
    let keep = if config.backups.keep > 0 { Keep::Aside } else { Keep::Nothing };
    let log = Arc::new(logged(database, &path, keep)?);
    Ok(Playing { store: log.clone(), log: Some(log), standing: None })
}

/// Opens the store of a stopped bot as it is, for reading.
///
/// # Errors
/// It cannot be opened, or another bot plays with it.
pub fn of_stopped(data: &DataDir, kept: &Kept) -> anyhow::Result<Arc<dyn Store>> {
    match kept {
        Kept::Here(_) => Ok(look(&data.store())?),
        Kept::There(remote) => {
            is_in_one_place(data)?;
            Ok(remote.open(data, Wait::Briefly)?.store)
        }
    }
}

/// Checks that a bot whose store is on a server has none in its data directory.
///
/// # Errors
/// It has.
pub fn is_in_one_place(data: &DataDir) -> anyhow::Result<()> {
    let Some(there) = Database::there(&data.store()) else { return Ok(()) };
    bail!(
        "the data is kept in {there}, but the configuration says store.postgres: take that line out and run astragal backup \
         FILE; then put it back, and run astragal restore FILE with another --data DIR"
    )
}

impl Playing {
    /// How a store on a server is, if this is one. It is asked.
    pub fn standing(&self) -> Option<Standing> {
        self.standing.as_ref().map(|standing| standing())
    }

    /// Lets the log begin a new file, so that a backup which begins now has the earlier ones.
    ///
    /// # Errors
    /// The disk failed.
    pub fn turn_over(&self) -> Result<(), StoreError> {
        self.log.as_ref().map_or(Ok(()), |log| log.turn_over())
    }

    /// Removes the commits up to this one from the log, which a backup has.
    ///
    /// # Errors
    /// The disk failed.
    pub fn release(&self, number: u64) -> Result<(), StoreError> {
        self.log.as_ref().map_or(Ok(()), |log| log.release(number))
    }

    /// Puts what is in the log into the database.
    ///
    /// # Errors
    /// The disk failed.
    pub fn apply(&self) -> Result<(), StoreError> {
        self.log.as_ref().map_or(Ok(()), |log| log.apply())
    }
}

/// Opens the store in this directory as it is, for reading.
///
/// # Errors
/// It cannot be opened.
pub fn look(path: &Path) -> Result<Arc<dyn Store>, StoreError> {
    let database = Database::of(path).open(path)?;
    match schema_of(&*database)? {
        // Data of an older version has no log.
        Some(older) if older < SCHEMA => Ok(database),
        _ => Ok(Arc::new(logged(database, path, Keep::Aside)?)),
    }
}

/// Creates an empty store in this directory, to be filled. It gets its log when it is opened.
///
/// # Errors
/// It cannot be created.
pub fn make(path: &Path, database: Database) -> Result<Arc<dyn Store>, StoreError> {
    database.open(path)
}

/// Hands every commit after `position` to `put`, from the log of the store in this directory.
///
/// # Errors
/// The log cannot be read, or is not the one of the position.
pub fn replay(
    path: &Path,
    position: &Position,
    put: impl FnMut(Batch) -> Result<(), StoreError>,
) -> Result<Replayed, StoreError> {
    store_log::replay(&log_of(path)?, position, put)
}

fn log_of(path: &Path) -> Result<Directory, StoreError> {
    let failed = |error| StoreError::Unavailable(format!("the log cannot be opened: {error}"));
    Directory::open(&path.join(LOG)).map_err(failed)
}

fn logged(database: Arc<dyn Store>, path: &Path, keep: Keep) -> Result<Logged<Arc<dyn Store>>, StoreError> {
    Ok(Logged::open(Arc::new(log_of(path)?), database, keep, identity)?.in_background())
}

fn identity() -> Identity {
    let secret = Entropy::from_system().secret();
    std::array::from_fn(|place| secret[place])
}
