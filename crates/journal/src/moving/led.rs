//! What a journal alone says about the table it led to: which seeds are published, what is still secret, and what
//! happened to each entry.

use crate::documents::{GUEST, Head};
use crate::{Before, Entry, Fate, Link, Wrong};
use chat::CharacterId;
use chat::PlayerId;
use std::collections::BTreeMap;

/// The entries of a journal, read in order.
#[derive(Default)]
pub(super) struct Led {
    pub entries: BTreeMap<u64, Known>,
    /// The entries that published seeds, by epoch.
    pub published: BTreeMap<u32, u64>,
    /// Each character's last entry.
    pub characters: BTreeMap<CharacterId, u64>,
    /// Numbers left out after crashes: ranges with both ends.
    pub gaps: Vec<(u64, u64)>,
    /// The epoch of the last entry.
    pub epoch: u32,
    /// The first entry that withholds changes.
    pub withheld: Option<u64>,
    /// The first entry about which the file contradicts the journal.
    wrong: Option<Wrong>,
}

/// What other records need to know about an entry.
pub(super) struct Known {
    pub epoch: u32,
    pub character: CharacterId,
    pub game: String,
    secret: bool,
    undoes: Option<u64>,
    /// Its fate according to later entries.
    fate: Fate,
    /// Its fate according to the file.
    told: Fate,
}

impl Known {
    /// True if only its player and the referees may know of it.
    pub fn is_secret(&self) -> bool {
        self.secret && self.fate.revealed_by.is_none()
    }
}

impl Led {
    /// Reads the next entry.
    pub fn note(&mut self, entry: &Entry, link: &Link) {
        let number = entry.number;
        self.published.extend(entry.publishes.iter().map(|epoch| (*epoch, number)));
        self.gaps.extend(entry.skipped);
        self.epoch = entry.epoch;
        self.withheld = self.withheld.or(entry.digests.withheld.as_ref().map(|_| number));
        let Before { player, character, .. } = link.before;
        // The player may have had another id then, so only the existence of that entry can be checked.
        let known = player.is_none_or(|before| self.has(before));
        // Entries of people without a seat have no history.
        let last = if entry.character == GUEST { None } else { self.characters.insert(entry.character, number) };
        if !known || character != last {
            self.contradicted(number, "which entries are before it");
        }
        self.undo(number, entry.undoes);
        let others = entry.reveals.iter().chain(&entry.erases).copied();
        for of in others.chain(entry.replaces) {
            let Some(known) = self.entries.get_mut(&of) else { continue };
            let by = Some(number);
            known.fate.revealed_by = if entry.reveals.contains(&of) { by } else { known.fate.revealed_by };
            known.fate.erased_by = if entry.erases.contains(&of) { by } else { known.fate.erased_by };
            known.fate.replaced_by = if entry.replaces == Some(of) { by } else { known.fate.replaced_by };
        }
        let known = Known {
            epoch: entry.epoch,
            character: entry.character,
            game: entry.game.clone(),
            secret: entry.secret,
            undoes: entry.undoes,
            fate: Fate::default(),
            told: link.fate.clone(),
        };
        self.entries.insert(number, known);
    }

    /// Undoing an undo makes the undone entry valid again, and so on.
    fn undo(&mut self, by: u64, undone: Option<u64>) {
        let mut next = undone.map(|undone| (undone, Some(by)));
        while let Some((number, by)) = next.take() {
            let Some(known) = self.entries.get_mut(&number) else { return };
            known.fate.undone_by = by;
            // Under the first rules nobody has checked that this leads backwards.
            let undid = known.undoes.filter(|undid| *undid < number);
            next = undid.map(|undid| (undid, if by.is_some() { None } else { Some(number) }));
        }
    }

    pub fn has(&self, number: u64) -> bool {
        self.entries.contains_key(&number)
    }

    fn contradicted(&mut self, number: u64, what: &str) {
        let what = format!("the file says {what} otherwise than the journal");
        self.wrong.get_or_insert(Wrong { number, what });
    }

    /// The first entry about which the file contradicts the journal.
    pub fn first_wrong(&mut self) -> Option<Wrong> {
        let differs = self.entries.iter().find(|(_, known)| known.fate != known.told).map(|(number, _)| *number);
        if let Some(number) = differs {
            self.contradicted(number, "what became of it");
        }
        self.wrong.take()
    }

    /// The epochs of entries that are still secret.
    pub fn secrets(&self) -> BTreeMap<u64, u32> {
        let secret = self.entries.iter().filter(|(_, known)| known.is_secret());
        secret.map(|(number, known)| (*number, known.epoch)).collect()
    }

    /// True if a head agrees with the journal about players and characters.
    pub fn leads_to(&self, head: &Head) -> bool {
        let known = |number: &u64| self.has(*number);
        let players: &BTreeMap<PlayerId, u64> = &head.players;
        let newest = self.characters.keys().next_back().map_or(0, |id| id.0);
        head.characters == self.characters
            && players.values().all(known)
            && head.open.iter().all(known)
            && head.next_character > newest
    }
}
