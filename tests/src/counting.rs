//! A store that counts what is read from it.

use journal::store::{Batch, Memory, Store, StoreError};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A store in memory that notes each read.
#[derive(Default)]
pub struct Counting {
    memory: Memory,
    read: Mutex<Vec<String>>,
    damaged: Mutex<Option<String>>,
}

impl Counting {
    /// What was read since this was asked last: a key, a prefix followed by `*`, or the first of several keys read at once
    /// and their number.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.noted())
    }

    /// From now on the record under this key is damaged.
    pub fn damage(&self, key: &str) {
        *self.damaged.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.to_owned());
    }

    fn is_whole(&self, key: &str) -> Result<(), StoreError> {
        match self.damaged.lock().unwrap_or_else(PoisonError::into_inner).as_deref() {
            Some(damaged) if damaged == key => Err(StoreError::damaged(key, "a bit flipped")),
            _ => Ok(()),
        }
    }

    fn noted(&self) -> MutexGuard<'_, Vec<String>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Counting {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.noted().push(key.to_owned());
        self.is_whole(key)?;
        self.memory.read(key)
    }

    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.noted().extend(keys.first().map(|first| format!("{first} and {} more", keys.len() - 1)));
        keys.iter().try_for_each(|key| self.is_whole(key))?;
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
