//! A store in memory, for tests and for games that need not be saved.

use super::{Batch, Store, StoreError};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::RwLock;

/// A store in memory.
#[derive(Debug, Default)]
pub struct Memory(RwLock<BTreeMap<String, Vec<u8>>>);

impl Memory {
    /// Everything in it.
    pub fn dump(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.read().expect("nothing panics holding it").clone()
    }

    /// Makes this all that is in it. Whatever was read from it before may no longer hold.
    pub fn put_back(&self, records: BTreeMap<String, Vec<u8>>) {
        *self.0.write().expect("nothing panics holding it") = records;
    }
}

impl Store for Memory {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.0.read().expect("nothing panics holding it").get(key).cloned())
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let start = match after {
            Some(key) if key >= prefix => Bound::Excluded(key),
            _ => Bound::Included(prefix),
        };
        let records = self.0.read().expect("nothing panics holding it");
        let found = records.range::<str, _>((start, Bound::Unbounded));
        let found = found.take_while(|(key, _)| key.starts_with(prefix)).take(limit);
        Ok(found.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut records = self.0.write().expect("nothing panics holding it");
        for (key, value) in batch {
            match value {
                Some(value) => records.insert(key.clone(), value.clone()),
                None => records.remove(key),
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn memory_keeps_the_contract_of_a_store() {
        let kept: Arc<Memory> = Arc::default();
        super::super::conformance::suite(|fresh| {
            if fresh {
                kept.0.write().unwrap().clear();
            }
            kept.clone()
        });
    }
}
