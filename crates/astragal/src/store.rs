//! The store of a data directory: a database with a log in front of it.

use crate::config::Config;
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

/// A store in use, with the log in front of either database.
pub type Playing = Logged<Arc<dyn Store>>;

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
pub fn open(data: &DataDir, config: &Config) -> anyhow::Result<Arc<Playing>> {
    let (path, wanted) = (data.store(), config.store.database);
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
    Ok(Arc::new(logged(database, &path, keep)?))
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

fn logged(database: Arc<dyn Store>, path: &Path, keep: Keep) -> Result<Playing, StoreError> {
    Ok(Logged::open(Arc::new(log_of(path)?), database, keep, identity)?.in_background())
}

fn identity() -> Identity {
    let secret = Entropy::from_system().secret();
    std::array::from_fn(|place| secret[place])
}
