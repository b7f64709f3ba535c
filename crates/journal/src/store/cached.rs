//! What was read or written lately, in memory in front of a store that nobody else writes.
//!
//! Most of what a command needs was written by one of the commands before it, so a table in play reads next to nothing from
//! the store, wherever that is. What is walked through ([`Store::read_many`]) is kept apart, so that it pushes nothing else
//! out, and pages of keys ([`Store::scan`]) are not kept.

use super::{Batch, Lease, Position, Store, StoreError, scan_all};
use crate::keys;
use hashlink::LinkedHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Records that were asked for, by where they were found.
pub const READS: &str = "astragal_reads_total";

/// How many bytes of memory a record costs besides its key and value, about.
const OVERHEAD: usize = 120;

/// A store with a memory.
pub struct Cached {
    store: Arc<dyn Store>,
    known: Mutex<Known>,
}

impl Cached {
    /// A store in front of `store`, of which nobody else may write anything from now on. It keeps values of up to `bytes`
    /// bytes in all, keys included, of which an eighth is for what was walked through, and as much as that of the knowledge
    /// that there is no value.
    pub fn new(store: Arc<dyn Store>, bytes: usize) -> Self {
        let known = Known {
            values: Lately::new(bytes - bytes / 8),
            walked: Lately::new(bytes / 8),
            absent: Lately::new(bytes / 8),
            families: BTreeMap::new(),
            changes: 0,
            reading: BTreeMap::new(),
        };
        Cached { store, known: Mutex::new(known) }
    }

    /// Forgets everything, because somebody else may have written to the store.
    pub fn forget(&self) {
        let mut known = self.known();
        known.values.clear();
        known.walked.clear();
        known.absent.clear();
        known.families.clear();
        known.changes += 1;
        known.reading.values_mut().for_each(|(_, written)| *written = true);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known, once the families of these keys are listed. Nobody waits for that who asks for something else.
    fn known_of<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> MutexGuard<'_, Known> {
        let mut known = self.known();
        for family in keys.into_iter().filter_map(keys::family_of) {
            while !known.families.contains_key(family) {
                let before = known.changes;
                drop(known);
                let all = scan_all(&*self.store, family).map(|record| record.map(|(key, _)| key));
                let listed = all.collect::<Result<BTreeSet<_>, _>>();
                known = self.known();
                match listed {
                    // What was written meanwhile may be missing.
                    _ if known.changes != before => {}
                    Ok(keys) => drop(known.families.insert(family, Some(keys))),
                    Err(StoreError::Damaged { .. }) => drop(known.families.insert(family, None)),
                    // It may be listed next time.
                    Err(_) => break,
                }
            }
        }
        known
    }

    /// Does a write and learns what it did.
    fn write(&self, batches: &[&Batch], write: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        // A store that panics may have written it.
        let written = catch_unwind(AssertUnwindSafe(write));
        let mut known = self.known();
        for (key, value) in batches.iter().copied().flatten() {
            match &written {
                Ok(Ok(())) => known.learn(key, value.as_deref()),
                // Of a failed write a part may be there.
                Ok(Err(_)) | Err(_) => known.forget(key),
            }
        }
        drop(known);
        written.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl Store for Cached {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let mut known = self.known_of([key]);
        if let Some(value) = known.look(key) {
            metrics::counter!(READS, "found" => "here").increment(1);
            return Ok(value);
        }
        known.begin(key);
        drop(known);
        metrics::counter!(READS, "found" => "in the store").increment(1);
        let read = self.store.read(key);
        let mut known = self.known();
        if known.end(key)
            && let Ok(value) = &read
        {
            known.keep(key, value.as_deref());
        }
        read
    }

    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut known = self.known_of(keys.iter().map(String::as_str));
        let found: Vec<_> = keys.iter().map(|key| known.look(key)).collect();
        let unknown = keys.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(key, _)| key.clone());
        let unknown: Vec<String> = unknown.collect();
        unknown.iter().for_each(|key| known.begin(key));
        drop(known);
        let (here, there) = (keys.len() - unknown.len(), unknown.len());
        metrics::counter!(READS, "found" => "here").increment(here as u64);
        metrics::counter!(READS, "found" => "in the store").increment(there as u64);
        let read = if unknown.is_empty() { Ok(Vec::new()) } else { self.store.read_many(&unknown) };
        let mut known = self.known();
        for (place, key) in unknown.iter().enumerate() {
            if known.end(key)
                && let Ok(read) = &read
                && let Some(value) = read.get(place)
            {
                known.walk(key, value.as_deref());
            }
        }
        let mut read = read?.into_iter();
        Ok(found.into_iter().map(|found| found.unwrap_or_else(|| read.next().flatten())).collect())
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.store.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.write(&[batch], || self.store.commit(batch))
    }

    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        self.write(&[&first, &last], || self.store.commit_behind(first.clone(), last.clone()))
    }

    fn position(&self) -> Option<Position> {
        self.store.position()
    }

    fn lease(&self) -> Lease {
        self.store.lease()
    }
}

/// What is known of the store.
struct Known {
    values: Lately<Vec<u8>>,
    /// Values that were read among many others.
    walked: Lately<Vec<u8>>,
    /// Keys without a value.
    absent: Lately<()>,
    /// The keys of these families, once one of them was asked for: of no other key there is a record. `None` if they cannot
    /// be listed, because one record is damaged.
    families: BTreeMap<&'static str, Option<BTreeSet<String>>>,
    /// How often something of a family was written, or all was forgotten.
    changes: u64,
    /// Keys that are being read: by how many, and whether one was written meanwhile, so that what they found may be old.
    reading: BTreeMap<String, (usize, bool)>,
}

impl Known {
    /// What is known under a key; an inner `None` means that there is nothing.
    fn look(&mut self, key: &str) -> Option<Option<Vec<u8>>> {
        if let Some(value) = self.values.get(key).or_else(|| self.walked.get(key)) {
            return Some(Some(value.clone()));
        }
        let Some(family) = keys::family_of(key) else {
            return self.absent.get(key).map(|()| None);
        };
        self.families.get(family)?.as_ref().filter(|keys| !keys.contains(key)).map(|_| None)
    }

    fn begin(&mut self, key: &str) {
        self.reading.entry(key.to_owned()).or_default().0 += 1;
    }

    /// True if nothing was written to the key since it began to be read.
    fn end(&mut self, key: &str) -> bool {
        let Some((readers, written)) = self.reading.get_mut(key) else { return false };
        *readers -= 1;
        let (last, current) = (*readers == 0, !*written);
        if last {
            self.reading.remove(key);
        }
        current
    }

    /// Learns what was written under a key.
    fn learn(&mut self, key: &str, value: Option<&[u8]>) {
        self.overtake(key);
        match (self.family(key), value) {
            (Some(family), Some(_)) => drop(family.insert(key.to_owned())),
            (Some(family), None) => drop(family.remove(key)),
            (None, _) => {}
        }
        self.keep(key, value);
    }

    /// Keeps what is under a key.
    fn keep(&mut self, key: &str, value: Option<&[u8]>) {
        self.drop_all(key);
        match value {
            Some(value) => self.values.put(key, value.to_vec(), value.len()),
            // Anybody can invent names of rooms, people and messages, but a table's records are its own.
            None if key.starts_with(keys::TABLES) => self.absent.put(key, (), 0),
            None => {}
        }
    }

    /// Keeps what is under a key that was read among many.
    fn walk(&mut self, key: &str, value: Option<&[u8]>) {
        match value {
            Some(value) => self.walked.put(key, value.to_vec(), value.len()),
            None => self.keep(key, None),
        }
    }

    fn drop_all(&mut self, key: &str) {
        self.values.remove(key);
        self.walked.remove(key);
        self.absent.remove(key);
    }

    fn forget(&mut self, key: &str) {
        self.overtake(key);
        self.drop_all(key);
        // It may be there.
        self.family(key).map(|family| family.insert(key.to_owned()));
    }

    /// The known keys of the family of a key.
    fn family(&mut self, key: &str) -> Option<&mut BTreeSet<String>> {
        self.families.get_mut(keys::family_of(key)?)?.as_mut()
    }

    fn overtake(&mut self, key: &str) {
        self.changes += u64::from(keys::family_of(key).is_some());
        if let Some((_, written)) = self.reading.get_mut(key) {
            *written = true;
        }
    }
}

/// Things by their keys, of which those that were used least lately go first.
struct Lately<V> {
    kept: LinkedHashMap<String, (V, usize)>,
    bytes: usize,
    most: usize,
}

impl<V> Lately<V> {
    fn new(most: usize) -> Self {
        Lately { kept: LinkedHashMap::new(), bytes: 0, most }
    }

    fn get(&mut self, key: &str) -> Option<&V> {
        self.kept.to_back(key).map(|(value, _)| &*value)
    }

    fn put(&mut self, key: &str, value: V, bytes: usize) {
        let cost = key.len() + bytes + OVERHEAD;
        if cost > self.most / 8 {
            return;
        }
        self.remove(key);
        self.bytes += cost;
        self.kept.insert(key.to_owned(), (value, cost));
        while self.bytes > self.most
            && let Some((_, (_, cost))) = self.kept.pop_front()
        {
            self.bytes -= cost;
        }
    }

    fn remove(&mut self, key: &str) {
        if let Some((_, cost)) = self.kept.remove(key) {
            self.bytes -= cost;
        }
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests;
