//! The store on a PostgreSQL.

use crate::connection::{Hosts, Intent};
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
        let intent = match wait {
            Wait::Briefly => Intent::Look,
            Wait::ForAsLong(_) => Intent::Play,
        };
        LeasedStore::wait_for(&Arc::new(Hosts::new(place, run, intent)?), wait)
    }
}

/// How a server stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What a failure of it costs.
    pub cost: Cost,
    /// The other bots that play this shard or stand by for it.
    pub others: Vec<String>,
}

/// What a failure of a server costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Nothing stands by.
    Alone,
    /// Standbys follow it, and may be a little behind.
    Behind,
    /// Each commit waits for a standby.
    Synchronous,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cost::Alone => "it has no standby: if its disk is lost, what was played since the last backup is lost",
            Cost::Behind => "its standby is asynchronous: if it takes over, the last seconds may be lost",
            Cost::Synchronous => "commits wait for a synchronous standby: if that takes over, nothing is lost",
        })
    }
}

/// Connects without taking a lease, tries whether the server can be written to, and says how it stands.
///
/// # Errors
/// The database cannot be reached, or cannot be used.
pub fn try_out(place: Place) -> Result<Standing, StoreError> {
    let (session, ()) = open(&Arc::new(Hosts::new(place, "trial", Intent::Look)?), Session::try_to_write)?;
    session.line().standing()
}

/// Reads a connection string.
///
/// # Errors
/// What is wrong with it.
pub fn check(place: &Place) -> Result<(), StoreError> {
    place::parsed(place).map(drop)
}
