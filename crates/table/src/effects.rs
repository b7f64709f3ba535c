//! What one of the table's own commands does besides changing the documents it was lent.

use chat::{Readers, RoomId};
use journal::documents::{RollDoc, RoomDoc};
use journal::store::Batch;
use journal::{Added, Change};
use std::collections::BTreeMap;

/// What one of the table's own commands does besides changing the documents it was lent.
#[derive(Default)]
pub(crate) struct Effects {
    /// See [`journal::Entry`] for these.
    pub undoes: Option<u64>,
    pub reveals: Vec<u64>,
    pub erases: Vec<u64>,
    pub publishes: Vec<u32>,
    /// The changes it makes, where they are known before they are made.
    pub made: Option<Vec<Change>>,
    /// Other records it writes.
    pub writes: Batch,
    /// What is in memory of these games is outdated by those.
    pub outdated_games: Vec<String>,
    /// What rooms are set to now.
    pub rooms: BTreeMap<RoomId, RoomDoc>,
    /// What can be done about rolls now.
    pub rolls: BTreeMap<u64, RollDoc>,
    /// The seed of the epoch that begins with it.
    pub next_seed: Option<[u8; 32]>,
    /// What a player binds the seed with whose dice are to come.
    pub adds: Option<Added>,
    /// Its answer shows what must be on the disk first.
    pub shows_head: bool,
    /// Who may read its answer.
    pub readers: Readers,
}

impl Effects {
    /// Whether it belongs into the journal, whatever it changed.
    pub fn counts(&self) -> bool {
        let shows = !self.reveals.is_empty() || !self.publishes.is_empty();
        self.undoes.is_some() || shows || !self.erases.is_empty()
    }
}
