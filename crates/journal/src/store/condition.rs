//! What a batch relies on. Records that lie between tables are read by one table's queue while another writes them, so the
//! committer checks them once more, in the moment in which it writes.

use super::{Batch, Store, StoreError, scan_all};
use std::collections::BTreeSet;

/// Something that must still be true when a batch is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The value of a key; `None` if nothing is stored there.
    Value(String, Option<Vec<u8>>),
    /// The keys that begin with a prefix.
    Keys(String, BTreeSet<String>),
}

impl Condition {
    /// True if it holds in `store` once `before` is written to it too.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn holds(&self, store: &dyn Store, before: &Batch) -> Result<bool, StoreError> {
        match self {
            Condition::Value(key, value) => match before.get(key) {
                Some(written) => Ok(written == value.as_deref()),
                None => Ok(store.read(key)? == *value),
            },
            Condition::Keys(prefix, keys) => {
                let stored = scan_all(store, prefix).map(|record| record.map(|(key, _)| key));
                let mut found: BTreeSet<String> = stored.collect::<Result<_, _>>()?;
                for (key, value) in before.under(prefix) {
                    if value.is_some() {
                        found.insert(key.clone());
                    } else {
                        found.remove(key);
                    }
                }
                Ok(found == *keys)
            }
        }
    }
}
