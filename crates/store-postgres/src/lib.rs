//! A [`Store`] on PostgreSQL 15 and newer: one table of records, and one row for whoever may write them.
//!
//! Several machines may open the same *shard*; one of them holds its lease, and only that one writes. Each batch is one
//! statement that also looks at the lease, so whoever has lost it writes nothing, however late a batch arrives. It counts
//! the batch in the same row, so that after a lost connection [`Settled`] can find out whether the last one was done.
//!
//! What a lost answer means is not found out by reading alone: a commit that waits for a standby can be seen before it is
//! safe. So the new connection first writes to the row of the lease, and only behind that write it reads the count.

mod clock;
mod connection;
mod lease;
mod records;
mod session;
mod tls;
mod wording;

pub use lease::Wait;
pub use session::Standing;

use connection::{Line, Site};
use journal::store::{Batch, Lease, Settled, Store, StoreError};
use lease::Keeper;
use records::Open;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Where a database is, and what of it is opened.
#[derive(Clone)]
pub struct Place {
    /// The database as libpq's connection strings name it: `host=/run/postgresql dbname=astragal`. Several hosts are tried
    /// in turn. Connections to other machines are encrypted, and the server's certificate is verified, unless it says
    /// `sslmode=disable`.
    pub database: String,
    /// The password, if the connection string has none.
    pub password: Option<String>,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub authority: Option<PathBuf>,
    /// The shard: everything of one bot. A letter or digit, then letters, digits, `-` and `_`.
    pub shard: String,
    /// Which bot opens it: letters and digits. Of those called alike at most one runs at a time, so that one which crashed
    /// goes on at once.
    pub bot: String,
    /// The machine that it runs on, as others are told.
    pub machine: String,
}

impl Place {
    /// How the owner of the lease begins in each run of this bot.
    fn same(&self) -> String {
        format!("{}/", self.bot)
    }
}

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

/// A store on PostgreSQL.
pub struct PostgresStore {
    records: Settled<Open>,
    keeper: Keeper,
}

impl PostgresStore {
    /// Opens a shard, and creates the tables if they are missing. If somebody else holds its lease, `wait` says what to do.
    /// `run` tells this run of the bot from all others: letters and digits.
    ///
    /// # Errors
    /// The database cannot be reached, or it may lose what it acknowledged, or somebody else plays this shard.
    pub fn open(place: Place, run: &str, wait: Wait<'_>) -> Result<Self, StoreError> {
        let site = Arc::new(Site::new(place, run));
        let held = Arc::new(lease::take(&site, wait)?);
        let keeper = Keeper::start(site.clone(), held.clone())?;
        let records = Settled::open(move || Open::new(&site, &held))?;
        Ok(PostgresStore { records, keeper })
    }

    /// What a failure of the server would cost now.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        self.look(Open::standing)
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
    fn look<T>(&self, look: impl Fn(&Open) -> Result<T, StoreError>) -> Result<T, StoreError> {
        match self.records.read(&look) {
            Err(StoreError::Unavailable(_)) => self.records.read(&look),
            read => read,
        }
    }
}

impl Store for PostgresStore {
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
        self.keeper.held().lease()
    }

    fn let_go(&self) {
        self.keeper.end();
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

/// Connects without taking a lease, and says what the server is.
///
/// # Errors
/// The database cannot be reached, or cannot be used.
pub fn try_out(place: Place) -> Result<Standing, StoreError> {
    let site = Arc::new(Site::new(place, "trial"));
    Line::open(&site, |session| Box::pin(async { Ok(session.standing) })).map(|(_, standing)| standing)
}

/// Reads a connection string.
///
/// # Errors
/// What is wrong with it.
pub fn check(place: &Place) -> Result<(), StoreError> {
    connection::parsed(place).map(drop)
}
