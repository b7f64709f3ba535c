//! The records of a shard, for whoever holds its lease.

use crate::connection::{Line, Site};
use crate::lease::Held;
use crate::session::{Standing, Writes};
use crate::wording::{ended, refused};
use crate::{DEADLINE, LEASE, LOST, clock};
use journal::store::{Batch, Engine, Lease, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a server may take to write a mebibyte.
const MEBIBYTE: Duration = Duration::from_millis(500);

/// A commit of more mebibytes gets no longer: the lease would end meanwhile.
const LONGEST: u32 = 8;

/// The connections of a store that holds its lease.
pub struct Open {
    reads: Line,
    writes: Line,
    held: Arc<Held>,
    /// What the lease must be called for these connections to write.
    fence: i64,
    commits: AtomicU64,
    prefix: Vec<u8>,
}

impl Open {
    /// Connects. The number of commits is read behind a write, which also keeps out everything that was asked on earlier
    /// connections.
    pub fn new(site: &Arc<Site>, held: &Arc<Held>) -> Result<Self, StoreError> {
        if held.lease() == Lease::Taken {
            return Err(ended());
        }
        let asked = clock::now();
        let known = held.fence();
        let (writes, row) = Line::open(site, move |session| Box::pin(session.go_on(known, LEASE)))?;
        let Some((fence, commits)) = row else {
            held.lose();
            return Err(ended());
        };
        let commits =
            u64::try_from(commits).map_err(|_| StoreError::damaged("lease", "its number of commits is negative"))?;
        if let Some(lost) = held.lost_of(commits) {
            let (why, key) = (lost.clone(), [site.place.shard.as_bytes(), &[0], LOST.as_bytes()].concat());
            let kept = writes.ask(DEADLINE, move |session| Box::pin(async move { session.keep_out(&why, &key).await }));
            if let Err(error) = kept {
                tracing::error!(%error, "other bots could not be kept from taking the lease");
            }
            held.lose();
            return Err(StoreError::damaged("(the newest)", lost));
        }
        held.goes_on(fence, asked, commits);
        let (reads, ()) = Line::open(site, move |session| Box::pin(session.has(fence)))?;
        let prefix = [site.place.shard.as_bytes(), &[0]].concat();
        Ok(Open { reads, writes, held: held.clone(), fence, commits: AtomicU64::new(commits), prefix })
    }

    /// What a failure of the server costs.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        self.reads.ask(DEADLINE, |session| Box::pin(async { Ok(session.standing) }))
    }

    fn key(&self, key: &str) -> Vec<u8> {
        [&*self.prefix, key.as_bytes()].concat()
    }

    /// The values of these keys, in their order.
    pub fn read(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let keys: Vec<_> = keys.iter().map(|key| self.key(key)).collect();
        self.reads.ask(DEADLINE, move |session| Box::pin(async move { session.read(&keys).await }))
    }

    /// Up to `limit` records whose keys start with `prefix` and come after `after`.
    pub fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let from = self.key(prefix);
        let after = after.map_or_else(Vec::new, |after| self.key(after));
        let range = [after, from.clone(), end(&from)];
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows =
            self.reads.ask(DEADLINE, move |session| Box::pin(async move { session.scan(&range, limit).await }))?;
        let whole = |(key, value): (Vec<u8>, Vec<u8>)| {
            let key = String::from_utf8(key[self.prefix.len()..].to_vec());
            key.map(|key| (key, value)).map_err(|error| StoreError::damaged(&error.to_string(), "its key is no text"))
        };
        rows.into_iter().map(whole).collect()
    }
}

/// The end of all keys that begin with these bytes. No text has a byte 255, and the shard's name ends before one.
fn end(prefix: &[u8]) -> Vec<u8> {
    [prefix, &[0xff]].concat()
}

impl Engine for Open {
    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    fn commit(&self, batch: &Batch, number: u64) -> Result<(), StoreError> {
        if self.held.lease() != Lease::Held {
            return Err(ended());
        }
        let mut writes = Writes { deleted: Vec::new(), keys: Vec::new(), values: Vec::new() };
        let mut bytes = 0;
        for (key, value) in batch {
            bytes += key.len() + value.as_ref().map_or(0, Vec::len);
            match value {
                Some(value) => {
                    writes.keys.push(self.key(key));
                    writes.values.push(value.clone());
                }
                None => writes.deleted.push(self.key(key)),
            }
        }
        let (fence, counted) = (self.fence, i64::try_from(number).map_err(|_| refused())?);
        let within = DEADLINE + MEBIBYTE * u32::try_from(bytes >> 20).unwrap_or(u32::MAX).min(LONGEST);
        let asked = clock::now();
        self.writes.ask(within, move |session| {
            Box::pin(async move { session.commit(fence, counted, &writes, LEASE).await })
        })?;
        self.held.goes_on(fence, asked, number);
        self.commits.store(number, Ordering::Release);
        Ok(())
    }
}
