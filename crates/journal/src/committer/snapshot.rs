//! The store as it was between two commits, readable while later commits go on: they keep the values they replace.

use crate::store::{Batch, Position, Store, StoreError};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard};

/// The old values of the keys written since then.
type Kept = BTreeMap<String, Result<Option<Vec<u8>>, StoreError>>;

/// The values that later commits replaced.
#[derive(Default)]
pub(super) struct Before(Mutex<Kept>);

impl Before {
    /// Keeps the values that a commit is about to replace. Must be called before the commit is written.
    pub fn keep(&self, store: &dyn Store, batch: &Batch) {
        let mut kept = self.kept();
        for (key, _) in batch {
            if !kept.contains_key(key) {
                kept.insert(key.clone(), store.read(key));
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().expect("nothing panics holding it")
    }
}

/// The store as it was before anything was replaced.
pub(super) struct Snapshot {
    pub store: Arc<dyn Store>,
    pub before: Arc<Before>,
    /// The store's position in its log at that time.
    pub position: Option<Position>,
}

impl Snapshot {
    /// Replaces what was just read with the kept values, for the keys after `after` up to `end`, or to the last one
    /// under `prefix`.
    fn mend(
        &self,
        found: &mut BTreeMap<String, Vec<u8>>,
        prefix: &str,
        (after, end): (Option<&str>, Option<&str>),
    ) -> Result<(), StoreError> {
        let start = match after {
            Some(key) if key >= prefix => Bound::Excluded(key),
            _ => Bound::Included(prefix),
        };
        let end = end.map_or(Bound::Unbounded, Bound::Included);
        let kept = self.before.kept();
        for (key, was) in kept.range::<str, _>((start, end)).take_while(|(key, _)| key.starts_with(prefix)) {
            match was.clone()? {
                Some(value) => drop(found.insert(key.clone(), value)),
                None => drop(found.remove(key)),
            }
        }
        Ok(())
    }
}

impl Store for Snapshot {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        // The order matters: anything written in between was kept before.
        let now = self.store.read(key);
        self.before.kept().get(key).cloned().unwrap_or(now)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let (mut found, mut from) = (BTreeMap::new(), after.map(str::to_owned));
        loop {
            let page = self.store.scan(prefix, from.as_deref(), limit)?;
            let last = page.len() < limit || page.is_empty();
            let end = page.last().map(|(key, _)| key.clone()).filter(|_| !last);
            found.extend(page);
            self.mend(&mut found, prefix, (from.as_deref(), end.as_deref()))?;
            if last || found.len() >= limit {
                return Ok(found.into_iter().take(limit).collect());
            }
            from = end;
        }
    }

    fn commit(&self, _: &Batch) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("what was is only read".to_owned()))
    }

    fn position(&self) -> Option<Position> {
        self.position.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Memory, scan_all};
    use proptest::collection::vec;
    use proptest::proptest;

    fn write(store: &dyn Store, writes: &[(u8, Option<u8>)]) -> Batch {
        let mut batch = Batch::default();
        for (key, value) in writes {
            match value {
                Some(value) => batch.put(format!("k/{key:03}"), [*value]),
                None => batch.delete(format!("k/{key:03}")),
            }
        }
        store.commit(&batch).unwrap();
        batch
    }

    proptest! {
        #[test]
        fn a_snapshot_reads_as_the_store_was(
            first in vec((0..40_u8, proptest::option::of(0..9_u8)), 0..40),
            later in vec(vec((0..40_u8, proptest::option::of(0..9_u8)), 0..6), 0..12),
            limit in 1..7_usize,
        ) {
            let store = Arc::new(Memory::default());
            write(&*store, &first);
            let was = store.dump();
            let snapshot = Snapshot { store: store.clone(), before: Arc::default(), position: None };
            let (mut seen, mut later) = (Vec::new(), later.into_iter());
            // Each page is read while others write.
            loop {
                if let Some(writes) = later.next() {
                    let mut batch = Batch::default();
                    writes.iter().for_each(|(key, _)| batch.delete(format!("k/{key:03}")));
                    snapshot.before.keep(&*store, &batch);
                    write(&*store, &writes);
                }
                let after = seen.last().map(|(key, _): &(String, Vec<u8>)| key.clone());
                let page = snapshot.scan("k/", after.as_deref(), limit).unwrap();
                let last = page.len() < limit;
                seen.extend(page);
                if last {
                    break;
                }
            }
            assert_eq!(seen, was.clone().into_iter().collect::<Vec<_>>());
            assert_eq!(scan_all(&snapshot, "").map(Result::unwrap).count(), was.len());
            for key in (0..40).map(|key| format!("k/{key:03}")) {
                assert_eq!(snapshot.read(&key).unwrap().as_ref(), was.get(&key));
            }
        }
    }
}
