//! Large values, split into several records.
//!
//! sled writes anything larger than 128 kB into a file of its own. If that file cannot be created (no room, no
//! descriptor), closing the database hangs for ever. It also writes the sixteen records of a page together when it
//! tidies up. So our records are at most a sixteenth of that size, with some margin.

use crate::seal::{self, InParts, Sealed};
use journal::store::StoreError;

/// The most bytes of a value in one record.
pub const MOST: usize = 6_000;
/// The prefix of all parts. Keys of the core never begin with a NUL.
const PARTS: &str = "\0part/";

/// The key of a part.
fn part(key: &str, number: usize) -> String {
    format!("{PARTS}{key}\0{number:06}")
}

/// Writes a value under `key`, and removes what is left of the previous one.
pub fn put(db: &sled::Db, writes: &mut sled::Batch, key: &str, value: &[u8]) -> Result<(), sled::Error> {
    let before = count(db, key)?;
    let mut parts = 0;
    if value.len() <= MOST {
        writes.insert(key.as_bytes(), seal::seal(key, value));
    } else {
        for piece in value.chunks(MOST) {
            let key = part(key, parts);
            writes.insert(key.as_bytes(), seal::seal(&key, piece));
            parts += 1;
        }
        writes.insert(key.as_bytes(), InParts::of(value, parts).seal(key));
    }
    (parts..before).for_each(|left| writes.remove(part(key, left).as_bytes()));
    Ok(())
}

/// Removes `key` and all its parts.
pub fn remove(db: &sled::Db, writes: &mut sled::Batch, key: &str) -> Result<(), sled::Error> {
    (0..count(db, key)?).for_each(|left| writes.remove(part(key, left).as_bytes()));
    writes.remove(key.as_bytes());
    Ok(())
}

/// The number of parts of the value of `key`. A damaged value counts as none; it is overwritten or removed, and may
/// leave parts behind.
fn count(db: &sled::Db, key: &str) -> Result<usize, sled::Error> {
    Ok(match db.get(key)?.map(|sealed| seal::open(key, &sealed)) {
        Some(Ok(Sealed::InParts(parts))) => parts.count as usize,
        _ => 0,
    })
}

/// The value under `key`.
pub fn read(db: &sled::Db, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
    loop {
        let Some(sealed) = db.get(key).map_err(crate::failed)? else { return Ok(None) };
        let parts = match seal::open(key, &sealed)? {
            Sealed::Value(value) => return Ok(Some(value)),
            Sealed::InParts(parts) => parts,
        };
        match whole(db, key, parts) {
            Ok(value) => return Ok(Some(value)),
            // It may have been rewritten in between.
            Err(error) if db.get(key).map_err(crate::failed)?.as_ref() == Some(&sealed) => return Err(error),
            Err(_) => {}
        }
    }
}

fn whole(db: &sled::Db, key: &str, parts: InParts) -> Result<Vec<u8>, StoreError> {
    let mut value = Vec::new();
    for number in 0..parts.count as usize {
        let key = part(key, number);
        let sealed = db.get(&key).map_err(crate::failed)?;
        let sealed = sealed.ok_or_else(|| StoreError::damaged(&key, "it is missing"))?;
        value.extend(seal::open_value(&key, &sealed)?);
    }
    match InParts::of(&value, parts.count as usize) == parts {
        true => Ok(value),
        false => Err(StoreError::damaged(key, "its parts do not fit together")),
    }
}
