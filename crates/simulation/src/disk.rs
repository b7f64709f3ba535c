//! What outlives a crash, and what can go wrong with it: a store of [whole batches](Whole), or a [log](Logged) over a disk of
//! bytes in front of a database.

mod database;
mod logged;
mod whole;
mod witness;

pub use logged::Logged;
pub use whole::Whole;

use crate::luck::Luck;
use journal::store::{Batch, Store, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What goes wrong with the next write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It fails once, and nothing is written.
    Broken,
    /// It fails, and so does every later one until the medium is healed.
    Full,
    /// It is not known whether it was done, and it was.
    InDoubtDone,
    /// It is not known whether it was done, and it was not.
    InDoubtLost,
}

/// What outlives a crash.
pub trait Medium {
    /// The store over what there is, for a bot that begins.
    ///
    /// # Errors
    /// It cannot be opened now.
    fn open(&self) -> Result<Arc<dyn Store>, StoreError>;

    /// From now on writes go wrong like that, or as much like it as the medium knows.
    fn fail(&self, fault: Fault, luck: Luck);

    /// Nothing goes wrong any more.
    fn heal(&self);

    /// The machine stops during one of the next writes, which is then kept or lost.
    fn stop_in_write(&self, luck: Luck);

    /// Whether it stopped in a write, which is told once.
    fn stopped(&self) -> bool;

    /// The bot that has it open dies; the machine may die with it.
    fn crash(&self, luck: Luck);

    /// Everything that is there now, as a fresh start would read it.
    fn contents(&self) -> BTreeMap<String, Vec<u8>>;

    /// Does what a store does besides its commits.
    fn work(&self, _: Luck) {}

    /// Does what a store does by itself once everything works: what was in doubt is known then.
    fn settle(&self) {}

    /// What the store did that no store may do, told once.
    fn wrong(&self) -> Option<String> {
        None
    }
}

/// The keys of a batch; those that it removes with a sign in front.
fn shown(batch: &Batch) -> String {
    let key = |(key, value): (&String, &Option<Vec<u8>>)| if value.is_some() { key.clone() } else { format!("-{key}") };
    batch.iter().map(key).collect::<Vec<_>>().join(" ")
}
