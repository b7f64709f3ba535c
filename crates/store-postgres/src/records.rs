//! The records of a shard, for whoever holds its lease.

use crate::database::{Database, open};
use crate::lease::{Held, ended, refused};
use crate::mark::Mark;
use crate::session::Session;
use crate::statements::Writes;
use crate::{DEADLINE, LOST};
use journal::store::{Batch, Engine, Lease, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long a server may take to write a mebibyte.
const MEBIBYTE: Duration = Duration::from_millis(500);

/// A commit of more mebibytes gets no longer: the lease would end meanwhile.
const LONGEST: u32 = 8;

/// The connections of a store that holds its lease.
pub struct Open<D: Database> {
    database: Arc<D>,
    pub reads: Session<D::Line>,
    writes: Session<D::Line>,
    held: Arc<Held>,
    /// What the lease must be called for these connections to write.
    fence: i64,
    commits: AtomicU64,
}

impl<D: Database> Open<D> {
    /// Connects. The number of commits is read behind a write, which also keeps out everything that was asked on earlier
    /// connections.
    pub fn new(database: &Arc<D>, held: &Arc<Held>) -> Result<Self, StoreError> {
        let asked = database.now();
        if held.lease(asked) == Lease::Taken {
            return Err(ended());
        }
        let known = held.fence();
        let (writes, row) = open(database, |session| session.go_on(known))?;
        let Some((fence, commits)) = row else {
            held.lose();
            return Err(ended());
        };
        let commits =
            u64::try_from(commits).map_err(|_| StoreError::damaged("lease", "its number of commits is negative"))?;
        if let Some(lost) = held.lost_of(commits) {
            if let Err(error) = writes.keep_out(lost.clone(), key_of(&**database, LOST)) {
                tracing::error!(%error, "other bots could not be kept from taking the lease");
            }
            held.lose();
            return Err(StoreError::damaged("(the newest)", lost));
        }
        held.goes_on(fence, asked, commits);
        database.note(Mark { fence, commits });
        let (reads, ()) = open(database, |session| session.has(fence))?;
        let (database, held, commits) = (database.clone(), held.clone(), AtomicU64::new(commits));
        Ok(Open { database, reads, writes, held, fence, commits })
    }

    fn key(&self, key: &str) -> Vec<u8> {
        key_of(&*self.database, key)
    }

    /// The values of these keys, in their order.
    pub fn read(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.reads.read(keys.iter().map(|key| self.key(key)).collect())
    }

    /// Up to `limit` records whose keys start with `prefix` and come after `after`.
    pub fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let (from, shard) = (self.key(prefix), self.key("").len());
        let after = after.map_or_else(Vec::new, |after| self.key(after));
        let to = end(&from);
        let rows = self.reads.scan([after, from, to], i64::try_from(limit).unwrap_or(i64::MAX))?;
        let whole = |(key, value): (Vec<u8>, Vec<u8>)| {
            let key = String::from_utf8(key[shard..].to_vec());
            key.map(|key| (key, value)).map_err(|error| StoreError::damaged(&error.to_string(), "its key is no text"))
        };
        rows.into_iter().map(whole).collect()
    }
}

/// A key as the database has it, with the shard in front.
fn key_of(database: &impl Database, key: &str) -> Vec<u8> {
    [database.name().shard.as_bytes(), &[0], key.as_bytes()].concat()
}

/// The end of all keys that begin with these bytes. No text has a byte 255, and the shard's name ends before one.
fn end(prefix: &[u8]) -> Vec<u8> {
    [prefix, &[0xff]].concat()
}

impl<D: Database> Engine for Open<D> {
    fn commits(&self) -> u64 {
        self.commits.load(Ordering::Acquire)
    }

    fn commit(&self, batch: &Batch, number: u64) -> Result<(), StoreError> {
        let asked = self.database.now();
        if self.held.lease(asked) != Lease::Held {
            return Err(ended());
        }
        let mut writes = Writes::default();
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
        let counted = i64::try_from(number).map_err(|_| refused())?;
        let within = DEADLINE + MEBIBYTE * u32::try_from(bytes >> 20).unwrap_or(u32::MAX).min(LONGEST);
        self.writes.commit(self.fence, counted, writes, within)?;
        self.held.goes_on(self.fence, asked, number);
        self.database.note(Mark { fence: self.fence, commits: number });
        self.commits.store(number, Ordering::Release);
        Ok(())
    }
}
