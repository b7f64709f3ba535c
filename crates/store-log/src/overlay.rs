//! Commits that are not in the database yet.

use journal::store::{Batch, Store, StoreError};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The value of a key, or `None` if it was removed.
type Value = Option<Arc<[u8]>>;

/// Commits merged into one, with the last value of each key.
#[derive(Default)]
pub struct Writes {
    by_key: BTreeMap<String, Value>,
    /// Bytes of keys and values.
    bytes: usize,
    /// The number of the last commit.
    pub last: u64,
}

impl Writes {
    /// Adds commit `number` on top.
    fn add(&mut self, number: u64, batch: &Batch) {
        let size = |value: &Value| value.as_ref().map_or(0, |value| value.len());
        for (key, value) in batch {
            let value: Value = value.as_deref().map(Arc::from);
            self.bytes += size(&value);
            match self.by_key.get_mut(key) {
                Some(before) => self.bytes -= size(&std::mem::replace(before, value)),
                None => {
                    self.bytes += key.len();
                    self.by_key.insert(key.clone(), value);
                }
            }
        }
        self.last = number;
    }

    /// All writes as one batch.
    pub fn batch(&self) -> Batch {
        let mut batch = Batch::default();
        for (key, value) in &self.by_key {
            match value {
                Some(value) => batch.put(key.clone(), value.to_vec()),
                None => batch.delete(key.clone()),
            }
        }
        batch
    }
}

/// Writes not in the database yet: those on their way there, and newer ones on top.
#[derive(Default)]
struct Layers {
    going: Option<Arc<Writes>>,
    since: Writes,
}

/// Commits that are not in the database yet.
#[derive(Default)]
pub struct Overlay {
    layers: RwLock<Layers>,
    /// Held while writes go into the database.
    turn: Mutex<()>,
}

/// Part of an ordered scan.
struct Page {
    records: BTreeMap<String, Option<Vec<u8>>>,
    /// The last key it covers; `None` if it goes to the end.
    end: Option<String>,
}

impl Overlay {
    /// Adds commit `number` on top.
    pub fn add(&self, number: u64, batch: &Batch) {
        self.layers.write().unwrap_or_else(PoisonError::into_inner).since.add(number, batch);
    }

    /// True if everything is in the database.
    pub fn is_empty(&self) -> bool {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        layers.going.is_none() && layers.since.by_key.is_empty()
    }

    /// How many times over it holds `keys` keys or `bytes` bytes since writes last went into the database.
    pub fn fullness(&self, keys: usize, bytes: usize) -> usize {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        (layers.since.by_key.len() / keys).max(layers.since.bytes / bytes)
    }

    /// The value of `key`, if it was committed recently; the inner `None` means removed.
    pub fn get(&self, key: &str) -> Option<Option<Vec<u8>>> {
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        let value = layers.since.by_key.get(key).or_else(|| layers.going.as_ref()?.by_key.get(key))?;
        Some(value.as_ref().map(|value| value.to_vec()))
    }

    /// Hands the writes for the database to `put`, and forgets them once that succeeds. Returns the number of the last
    /// commit then in the database, if any were written.
    pub fn drain(&self, put: impl FnOnce(&Writes) -> Result<(), StoreError>) -> Result<Option<u64>, StoreError> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(going) = self.going() else { return Ok(None) };
        put(&going)?;
        self.layers.write().unwrap_or_else(PoisonError::into_inner).going = None;
        Ok(Some(going.last))
    }

    /// The writes that go next; those that failed before come first.
    fn going(&self) -> Option<Arc<Writes>> {
        let mut layers = self.layers.write().unwrap_or_else(PoisonError::into_inner);
        if layers.going.is_none() && !layers.since.by_key.is_empty() {
            layers.going = Some(Arc::new(std::mem::take(&mut layers.since)));
        }
        layers.going.clone()
    }

    /// [`Store::scan`] of `engine` with all these writes on top.
    pub fn scan(
        &self,
        engine: &impl Store,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let (mut found, mut from) = (Vec::new(), after.map(str::to_owned));
        while found.len() < limit {
            // The order matters: what goes into the database meanwhile is seen there or here.
            let here = self.page(prefix, from.as_deref(), limit);
            let there = engine.scan(prefix, from.as_deref(), limit)?;
            let last = there.last().filter(|_| there.len() == limit).map(|(key, _)| key.clone());
            let end = match (here.end, last) {
                (Some(here), Some(there)) => Some(here.min(there)),
                (here, there) => here.or(there),
            };
            let mut both: BTreeMap<_, _> = there.into_iter().map(|(key, value)| (key, Some(value))).collect();
            both.extend(here.records);
            let known = both.into_iter().take_while(|(key, _)| end.as_ref().is_none_or(|end| key <= end));
            found.extend(known.filter_map(|(key, value)| Some((key, value?))));
            from = end;
            if from.is_none() {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// At most `limit` writes of each layer after `after`.
    fn page(&self, prefix: &str, after: Option<&str>, limit: usize) -> Page {
        let start = match after {
            Some(key) if key >= prefix => Bound::Excluded(key),
            _ => Bound::Included(prefix),
        };
        let layers = self.layers.read().unwrap_or_else(PoisonError::into_inner);
        let mut page = Page { records: BTreeMap::new(), end: None };
        for writes in layers.going.as_deref().into_iter().chain([&layers.since]) {
            let range = writes.by_key.range::<str, _>((start, Bound::Unbounded));
            let of_prefix: Vec<_> = range.take_while(|(key, _)| key.starts_with(prefix)).take(limit).collect();
            if let Some((last, _)) = of_prefix.last().filter(|_| of_prefix.len() == limit) {
                let end = page.end.take().map_or_else(|| (*last).clone(), |end| end.min((*last).clone()));
                page.end = Some(end);
            }
            let copied = of_prefix.into_iter().map(|(key, value)| (key.clone(), value.as_deref().map(<[u8]>::to_vec)));
            page.records.extend(copied);
        }
        page
    }
}
