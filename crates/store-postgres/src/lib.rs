//! A [`Store`] on PostgreSQL 15 and newer: one table of records, and one row for whoever may write them.
//!
//! Several machines may open the same *shard*; one of them holds its lease, and only that one writes. Each batch is one
//! statement that also looks at the lease, so whoever has lost it writes nothing, however late a batch arrives. It counts
//! the batch in the same row, so that after a lost connection [`Settled`] can find out whether the last one was done.
//!
//! What a lost answer means is not found out by reading alone: a commit that waits for a standby can be seen before it is
//! safe. So the new connection first writes to the row of the lease, and only behind that write it reads the count.

pub mod database;
pub mod statements;
pub mod tables;

#[cfg(feature = "client")]
mod clock;
#[cfg(feature = "client")]
mod connection;
mod lease;
mod mark;
#[cfg(feature = "client")]
mod noted;
#[cfg(feature = "client")]
mod place;
#[cfg(feature = "client")]
mod postgres;
mod records;
mod session;
#[cfg(feature = "client")]
mod tls;
#[cfg(feature = "client")]
mod wording;

#[cfg(feature = "client")]
pub use connection::{Hosts, Intent, Wire};
pub use lease::{Held, Renewals, Taking, Wait};
pub use mark::Mark;
#[cfg(feature = "client")]
pub use place::Place;
#[cfg(feature = "client")]
pub use postgres::{Cost, PostgresStore, Standing, check, try_out};

use database::Database;
use journal::store::{Batch, Lease, Settled, Store, StoreError};
use lease::Keeper;
use records::Open;
use std::sync::Arc;
use std::time::Duration;

/// The record of a shard that is there once the database had lost what it acknowledged and the operator let a bot go on.
/// Whoever has begun a new epoch of its dice removes it.
pub const LOST: &str = "lost";

/// How long a lease lasts if nobody renews it.
pub const LEASE: Duration = Duration::from_secs(10);
/// How often it is renewed.
const RENEWED: Duration = Duration::from_secs(2);
/// Whoever could not renew it for this long writes and says nothing more.
const GIVEN_UP: Duration = Duration::from_secs(7);
/// How long an answer of the database may take before the connection is given up. A statement is never cancelled.
const DEADLINE: Duration = Duration::from_secs(2);

/// A store in a database of which one bot at a time holds the lease.
pub struct LeasedStore<D: Database> {
    database: Arc<D>,
    records: Settled<Open<D>>,
    held: Arc<Held>,
    /// Renews the lease, unless that is done by hand.
    keeper: Option<Keeper>,
}

impl<D: Database> LeasedStore<D> {
    /// Opens a shard. If somebody else holds its lease, `wait` says what to do.
    ///
    /// # Errors
    /// The database cannot be reached, or it may lose what it acknowledged, or somebody else plays this shard.
    pub fn wait_for(database: &Arc<D>, wait: Wait<'_>) -> Result<Self, StoreError> {
        let held = Arc::new(lease::take(database, wait)?);
        // It is renewed while the store is opened, and let go if that fails.
        let keeper = Keeper::start(Renewals::new(database.clone(), held.clone()))?;
        let records = opened(database, &held)?;
        Ok(LeasedStore { database: database.clone(), records, held, keeper: Some(keeper) })
    }

    /// Opens a shard whose lease was taken. Whoever calls this renews it.
    ///
    /// # Errors
    /// As [`wait_for`](Self::wait_for); then it is let go.
    pub fn by_hand(database: &Arc<D>, held: Held) -> Result<(Self, Renewals<D>), StoreError> {
        let held = Arc::new(held);
        let mut renewals = Renewals::new(database.clone(), held.clone());
        let records = opened(database, &held).inspect_err(|_| renewals.let_go())?;
        Ok((LeasedStore { database: database.clone(), records, held, keeper: None }, renewals))
    }

    /// How long ago the lease was last asked for with success.
    pub fn renewed_ago(&self) -> Duration {
        self.held.renewed_ago(self.database.now())
    }

    /// Why the lease could not be renewed at the last try, if it could not.
    pub fn trouble(&self) -> Option<String> {
        self.held.trouble()
    }

    /// How many tries to renew the lease have failed.
    pub fn failures(&self) -> u64 {
        self.held.failures()
    }

    /// Removes everything in the shard.
    ///
    /// # Errors
    /// As [`Store::commit`]; a part may have been removed.
    pub fn clear(&self) -> Result<(), StoreError> {
        loop {
            let records = self.scan("", None, 1_000)?;
            let mut batch = Batch::default();
            records.iter().for_each(|(key, _)| batch.delete(key.as_str()));
            if batch.is_empty() {
                return Ok(());
            }
            self.commit(&batch)?;
        }
    }

    /// Reads. If the connection was lost, which nobody may have noticed before, it reads again on a new one.
    fn look<T>(&self, look: impl Fn(&Open<D>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.database.apart(|| match self.records.read(&look) {
            Err(StoreError::Unavailable(_)) => self.records.read(&look),
            read => read,
        })
    }
}

/// Opens what whoever holds a lease may read and write.
fn opened<D: Database>(database: &Arc<D>, held: &Arc<Held>) -> Result<Settled<Open<D>>, StoreError> {
    let (held, opens, pauses) = (held.clone(), database.clone(), database.clone());
    Ok(Settled::open(move || Open::new(&opens, &held))?.pausing(move |time| pauses.pause(time)))
}

impl<D: Database> Store for LeasedStore<D> {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let keys = [key.to_owned()];
        Ok(self.read_many(&keys)?.pop().flatten())
    }

    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        self.look(|open| open.read(keys))
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.look(|open| open.scan(prefix, after, limit))
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.records.commit(batch)
    }

    fn commit_behind(&self, first: Batch, last: Batch) -> Result<(), StoreError> {
        for piece in pieces(first) {
            self.records.commit(&piece)?;
        }
        self.records.commit(&last)
    }

    fn lease(&self) -> Lease {
        self.held.lease(self.database.now())
    }

    fn let_go(&self) {
        self.keeper.iter().for_each(Keeper::end);
    }
}

/// The most rows of a piece, and their bytes.
const PIECE: (usize, usize) = (2_000, 2 << 20);

/// A batch in pieces that a server writes in a moment.
fn pieces(batch: Batch) -> Vec<Batch> {
    let (mut pieces, mut rows, mut bytes) = (vec![Batch::default()], 0, 0);
    for (key, value) in &batch {
        let size = key.len() + value.as_ref().map_or(0, Vec::len);
        if rows == PIECE.0 || bytes + size > PIECE.1 {
            pieces.push(Batch::default());
            (rows, bytes) = (0, 0);
        }
        (rows, bytes) = (rows + 1, bytes + size);
        let piece = pieces.last_mut().expect("there is one");
        match value {
            Some(value) => piece.put(key.as_str(), value.as_slice()),
            None => piece.delete(key.as_str()),
        }
    }
    pieces
}
