//! What one of the table's own commands does apart from changing the documents it was lent.

use crate::outcome::OnBoard;
use chat::{Block, PlayerId, Readers, RoomId};
use journal::documents::{RollDoc, RoomDoc};
use journal::store::Batch;
use journal::{Added, Change};
use std::collections::{BTreeMap, BTreeSet};

/// What one of the table's own commands does apart from changing the documents it was lent.
#[derive(Default)]
pub struct Effects {
    /// The entry that it takes back.
    pub undoes: Option<u64>,
    /// The entries whose secrets it shows.
    pub reveals: Vec<u64>,
    /// The entries whose words it erases.
    pub erases: Vec<u64>,
    /// The epochs whose seeds it publishes.
    pub publishes: Vec<u32>,
    /// What it changed before what it did itself, and what stays when that is undone.
    pub begun: Vec<Change>,
    /// Its changes, if they are known in advance.
    pub made: Option<Vec<Change>>,
    /// Other records it writes.
    pub writes: Batch,
    /// Games whose state in memory those writes make outdated.
    pub outdated_games: Vec<String>,
    /// New settings of rooms.
    pub rooms: BTreeMap<RoomId, RoomDoc>,
    /// New records of what can be done about rolls.
    pub rolls: BTreeMap<u64, RollDoc>,
    /// The seed of a new epoch that it begins.
    pub next_seed: Option<[u8; 32]>,
    /// Words with which a player binds the seed of future dice.
    pub adds: Option<Added>,
    /// What it tells other rooms.
    pub announces: BTreeMap<RoomId, String>,
    /// What it tells others in private.
    pub tells: BTreeMap<PlayerId, Vec<Block>>,
    /// What the board of its room is to show.
    pub board: Option<OnBoard>,
    /// Others who are to notice its answer.
    pub calls: BTreeSet<PlayerId>,
    /// True if it changed something outside the table's documents that belongs in the journal.
    pub counts_beside: bool,
    /// True if its answer shows something that must be on the disk first.
    pub shows_head: bool,
    /// Who may read its answer.
    pub readers: Readers,
    /// True if nobody else needs to hear that it was done.
    pub unnoticed: bool,
}

impl Effects {
    /// True if it belongs in the journal, whatever it changed.
    pub fn counts(&self) -> bool {
        let shows = !self.reveals.is_empty() || !self.publishes.is_empty();
        let seats = !self.rooms.is_empty();
        self.undoes.is_some()
            || shows
            || seats
            || !self.rolls.is_empty()
            || !self.outdated_games.is_empty()
            || !self.tells.is_empty()
            || !self.erases.is_empty()
            || self.counts_beside
    }
}
