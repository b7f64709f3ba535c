//! A store that counts what is read from it.

use journal::store::{Batch, Memory, Store, StoreError};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A store in memory that notes each read.
#[derive(Default)]
pub struct Counting {
    memory: Memory,
    read: Mutex<Vec<String>>,
}

impl Counting {
    /// What was read since this was asked last: a key, a prefix followed by `*`, or the first of several keys read at once
    /// and their number.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.noted())
    }

    fn noted(&self) -> MutexGuard<'_, Vec<String>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Counting {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.noted().push(key.to_owned());
        self.memory.read(key)
    }

    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.noted().extend(keys.first().map(|first| format!("{first} and {} more", keys.len() - 1)));
        self.memory.read_many(keys)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.noted().push(format!("{prefix}*"));
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.memory.commit(batch)
    }
}
