//! The store on a PostgreSQL.

use crate::connection::Hosts;
use crate::database::open;
use crate::session::Session;
use crate::{LeasedStore, Place, Wait, place};
use journal::store::StoreError;
use std::fmt;
use std::sync::Arc;

/// A store on PostgreSQL.
pub type PostgresStore = LeasedStore<Hosts>;

impl PostgresStore {
    /// Opens a shard, and creates the tables if they are missing. If somebody else holds its lease, `wait` says what to do.
    /// `run` tells this run of the bot from all others: letters and digits.
    ///
    /// # Errors
    /// The database cannot be reached, or it may lose what it acknowledged, or somebody else plays this shard.
    pub fn open(place: Place, run: &str, wait: Wait<'_>) -> Result<Self, StoreError> {
        LeasedStore::wait_for(&Arc::new(Hosts::new(place, run)?), wait)
    }

    /// What a failure of the server would cost, as it was when the bot connected.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn standing(&self) -> Result<Standing, StoreError> {
        self.look(|open| Ok(open.reads.line().standing))
    }
}

/// What a failure of the server costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing stands by.
    Alone,
    /// Standbys follow it, and may be a little behind.
    Behind,
    /// Each commit waits for a standby.
    Synchronous,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Alone => "it has no standby: if its disk is lost, what was played since the last backup is lost",
            Standing::Behind => "its standby is asynchronous: if it takes over, the last seconds may be lost",
            Standing::Synchronous => "commits wait for a synchronous standby: if that takes over, nothing is lost",
        })
    }
}

/// Connects without taking a lease, tries whether the server can be written to, and says what it is.
///
/// # Errors
/// The database cannot be reached, or cannot be used.
pub fn try_out(place: Place) -> Result<Standing, StoreError> {
    open(&Arc::new(Hosts::new(place, "trial")?), Session::try_to_write).map(|(session, ())| session.line().standing)
}

/// Reads a connection string.
///
/// # Errors
/// What is wrong with it.
pub fn check(place: &Place) -> Result<(), StoreError> {
    place::parsed(place).map(drop)
}
