//! The version of the stored data, and whether a bot can start on it.

use crate::documents::{Head, RoomDoc, TableDoc, from_json};
use crate::keys;
use crate::store::{Batch, Store, StoreError, scan_all};
use std::collections::BTreeSet;

/// Why a bot cannot start on a store.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A newer version wrote the store.
    #[error(
        "the data was written by a newer astragal (schema {found}, this one knows {known}): use that version, or restore into \
         an empty directory what it writes with astragal backup FILE --schema {known}",
        known = keys::SCHEMA
    )]
    Newer {
        /// Its schema.
        found: u32,
    },
}

/// The schema of a store, if it is not empty. [`prepare`] upgrades an older one to [`keys::SCHEMA`]; the only way back
/// is a backup.
///
/// # Errors
/// The store cannot be read.
pub fn schema_of(store: &dyn Store) -> Result<Option<u32>, StoreError> {
    store.read(keys::SCHEMA_KEY)?.map(|schema| from_json(keys::SCHEMA_KEY, &schema)).transpose()
}

/// Upgrades a store to [`keys::SCHEMA`] if it is empty or older.
///
/// # Errors
/// The store does not work, or a newer version wrote it.
pub fn prepare(store: &dyn Store) -> Result<(), StartError> {
    match schema_of(store)? {
        Some(found) if found > keys::SCHEMA => return Err(StartError::Newer { found }),
        Some(keys::SCHEMA) => {}
        // Old records are read as they are: later additions count as never set.
        Some(_) | None => {
            let mut batch = Batch::default();
            batch.put(keys::SCHEMA_KEY, keys::SCHEMA.to_string());
            store.commit(&batch)?;
        }
    }
    Ok(())
}

/// Reads every record that a start or the opening of a table reads, and changes nothing.
///
/// # Errors
/// The first record that cannot be read, or a newer version wrote them.
pub fn check_records(store: &dyn Store) -> Result<(), StartError> {
    if let Some(found) = schema_of(store)?.filter(|found| *found > keys::SCHEMA) {
        return Err(StartError::Newer { found });
    }
    for record in scan_all(store, "") {
        let (key, value) = record?;
        read(&key, &value)?;
    }
    Ok(())
}

fn read(key: &str, value: &[u8]) -> Result<(), StoreError> {
    match key {
        keys::RESTORED_KEY => from_json::<String>(key, value).map(drop),
        keys::IGNORED_KEY => from_json::<BTreeSet<String>>(key, value).map(drop),
        _ if key.starts_with(keys::ROOMS) => match keys::room_of_key(key) {
            Some(_) => from_json::<RoomDoc>(key, value).map(drop),
            None => Err(StoreError::damaged(key, "it names no room")),
        },
        _ => match keys::TableId::of_key(key) {
            Some(table) if key == keys::doc(&table) => from_json::<TableDoc>(key, value).map(drop),
            Some(table) if key == keys::head(&table) => from_json::<Head>(key, value).map(drop),
            _ => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;

    #[test]
    fn a_record_that_nobody_could_start_with_is_named() {
        for (key, value) in [
            ("schema", "\"two\""),
            ("schema", "99"),
            ("ignored", "7"),
            ("restored", "[]"),
            ("room/console/hall", "{}"),
            ("room/console", "{}"),
            ("table/console%2Fhall/doc", "[1]"),
            ("table/console%2Fhall/head", "\"x\""),
        ] {
            let store = Memory::default();
            let mut batch = Batch::default();
            batch.put("greeted/console/hall", "true");
            store.commit(&batch).unwrap();
            check_records(&store).unwrap();
            batch.put(key, value);
            store.commit(&batch).unwrap();
            assert!(check_records(&store).is_err(), "{key}");
        }
    }
}
