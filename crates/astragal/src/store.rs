//! The store of a data directory: a database with a log in front of it.

use crate::{backup, backups};
use journal::Entropy;
use journal::keys::SCHEMA;
use journal::schema::{prepare, schema_of};
use journal::store::{Store, StoreError};
use std::path::Path;
use std::sync::Arc;
use store_log::{Directory, Identity, Keep, Logged};
use store_sled::{DataDir, SledStore};

/// Where the log is, in the database's directory: the two go together.
const LOG: &str = "log";

/// A store that is played on, with the log in front of whichever database it is.
pub type Playing = Logged<Arc<dyn Store>>;

/// Opens a data directory's store, to be played on. Data of an older version is brought up to this one first, with a backup
/// from before.
///
/// # Errors
/// It cannot be opened; or it is a newer version's, or its backup cannot be written, and then it was left as it is.
pub fn open(data: &DataDir) -> anyhow::Result<Arc<Playing>> {
    let database = SledStore::open(&data.store())?;
    backup::before_migration(&database, &data.file(backups::DIRECTORY))?;
    // Before anything stands in the log alone: an older program, which would not look there, refuses to start from now on.
    prepare(&database)?;
    Ok(Arc::new(logged(Arc::new(database), &data.store())?))
}

/// Opens the store in this directory as it is, to be read.
///
/// # Errors
/// It cannot be opened.
pub fn look(path: &Path) -> Result<Arc<dyn Store>, StoreError> {
    let database = SledStore::open(path)?;
    match schema_of(&database)? {
        // What an older version wrote has no log.
        Some(older) if older < SCHEMA => Ok(Arc::new(database)),
        _ => Ok(Arc::new(logged(Arc::new(database), path)?)),
    }
}

/// Makes an empty store in this directory, to be filled. It gets its log when it is opened.
///
/// # Errors
/// It cannot be made.
pub fn make(path: &Path) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(SledStore::open(path)?))
}

fn logged(database: Arc<dyn Store>, path: &Path) -> Result<Playing, StoreError> {
    let directory = Directory::open(&path.join(LOG));
    let directory = directory.map_err(|error| StoreError::Unavailable(format!("the log cannot be opened: {error}")))?;
    Ok(Logged::open(Arc::new(directory), database, Keep::Nothing, identity)?.in_background())
}

fn identity() -> Identity {
    let secret = Entropy::from_system().secret();
    std::array::from_fn(|place| secret[place])
}
