//! Storage that outlives a crash, and its faults: a store of [whole batches](Whole), or a [log](Logged) on a disk of
//! bytes in front of a database, or a [database](Leased) that two machines share.

mod cluster;
mod database;
mod leased;
mod logged;
mod whole;
mod witness;

pub use cluster::{Blow, Standby};
pub use leased::Leased;
pub use logged::Logged;
pub use whole::Whole;

use crate::luck::Luck;
use journal::store::{Batch, Store, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What goes wrong with the next write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It fails once, and nothing is written.
    Broken,
    /// It fails, and so does every later one until [`Medium::heal`].
    Full,
    /// The result is unknown; it was done.
    InDoubtDone,
    /// The result is unknown; it was not done.
    InDoubtLost,
}

/// A database lost acknowledged commits, as a machine sees it.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// True if its bot was told that one of them is durable.
    pub knew: bool,
    /// True if its bot has written something since.
    pub plays_on: bool,
    /// True if nobody may take the lease.
    pub keeps_out: bool,
}

/// Storage that outlives a crash.
pub trait Medium {
    /// Opens the store on the current content, for a bot that starts.
    ///
    /// # Errors
    /// It cannot be opened now.
    fn open(&self) -> Result<Arc<dyn Store>, StoreError>;

    /// From now on writes go wrong in this way, or as closely as the medium can.
    fn fail(&self, fault: Fault, luck: Luck);

    /// From now on nothing goes wrong.
    fn heal(&self);

    /// Stops the machine during one of the next writes, which is then kept or lost.
    fn stop_in_write(&self, luck: Luck);

    /// True if it stopped in a write since the last call.
    fn stopped(&self) -> bool;

    /// Kills the bot that has it open, and possibly the machine too.
    fn crash(&self, luck: Luck);

    /// All content, as a fresh start would read it.
    fn contents(&self) -> BTreeMap<String, Vec<u8>>;

    /// Does the store's work besides commits.
    fn work(&self, _: Luck) {}

    /// Renews the lease, if there is one.
    fn renew(&self) {}

    /// Something befalls the database that machines share, if there is one.
    fn befalls(&self, _: Blow, _: Luck) {}

    /// The bot ended in order.
    fn let_go(&self) {}

    /// How the machine goes on after the database lost acknowledged commits, if it did.
    fn loss(&self) -> Option<Loss> {
        None
    }

    /// The operator says that the bots are to go on without what was lost.
    fn goes_on_without(&self) {}

    /// From now on [`Loss::plays_on`] is about what is written from now on.
    fn counts_from_now(&self) {}

    /// The age of the world, if the store takes time.
    fn now(&self) -> Option<Duration> {
        None
    }

    /// The world has come to this age.
    fn pass(&self, _: Duration) {}

    /// Does what a store does by itself once everything works; after this nothing is in doubt.
    fn settle(&self) {}

    /// Returns once what the store did that no store may do.
    fn wrong(&self) -> Option<String> {
        None
    }
}

/// The keys of a batch; deleted ones with a sign in front.
fn shown(batch: &Batch) -> String {
    let key = |(key, value): (&String, &Option<Vec<u8>>)| if value.is_some() { key.clone() } else { format!("-{key}") };
    batch.iter().map(key).collect::<Vec<_>>().join(" ")
}
