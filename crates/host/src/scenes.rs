//! Which scene something is played in: the common one, or that of a room that plays apart while the party is split.

use crate::ledger::Ledger;
use crate::words::behind;
use chat::RoomId;
use journal::documents::{Scene, TableDoc};
use journal::store::StoreError;
use journal::{Change, Page, leaves, words};
use plugin_api::Scenes;
use serde_json::Value;
use std::collections::BTreeMap;

/// The command that begins and ends scenes.
pub const SCENE: &str = "scene";
/// The word with which a room begins to play apart.
const APART: &str = "apart";
/// Shown in place of a title that was erased.
const ERASED: &str = "(erased)";

/// The scenes of a table, as a game sees them from this one.
pub fn seen_from(doc: &TableDoc, apart: Option<u64>) -> Scenes {
    let others = doc.apart.values().map(|apart| (apart.from, apart.since)).collect();
    Scenes { apart, common: doc.scene.as_ref().map(|scene| scene.since), others }
}

/// What follows `apart`, if a title begins with that word.
pub fn after_apart(title: &str) -> Option<&str> {
    let (word, rest) = title.split_once(char::is_whitespace).unwrap_or((title, ""));
    word.eq_ignore_ascii_case(APART).then(|| rest.trim_start())
}

/// The title in a line that began a scene.
pub fn title_in(line: &str) -> Option<String> {
    let title = behind(line, &[SCENE])?;
    Some(after_apart(title).unwrap_or(title).trim().to_owned())
}

impl Ledger<'_> {
    /// The scene of those who began to play apart with entry `apart`, or the common one, if it has begun.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn scene(&self, doc: &TableDoc, apart: Option<u64>) -> Result<Option<Scene>, StoreError> {
        let Some(from) = apart else { return Ok(doc.scene.clone()) };
        let found = doc.apart.values().find(|apart| apart.from == from);
        found.map(|apart| Ok(Scene { title: self.title(apart.since)?, since: apart.since })).transpose()
    }

    /// The title of the scene that an entry began.
    fn title(&self, since: u64) -> Result<String, StoreError> {
        let text = self.page(since)?.and_then(|page| page.text());
        Ok(text.as_deref().and_then(title_in).unwrap_or_else(|| ERASED.to_owned()))
    }
}

/// Which rooms play apart, while one reads the entries of a table one after the other, in either direction.
#[derive(Default)]
pub struct Split(BTreeMap<RoomId, u64>);

impl Split {
    /// After the last entry.
    pub fn now(doc: &TableDoc) -> Self {
        Split(doc.apart.iter().map(|(room, apart)| (room.clone(), apart.from)).collect())
    }

    /// Reads the next entry. Returns in which scene it was played: the entry with which its room began to play apart.
    pub fn forwards(&mut self, page: &Page) -> Option<u64> {
        let before = self.of(page);
        changes(page).iter().for_each(|change| self.apply(change));
        self.of(page).or(before)
    }

    /// The same for the entry before those that were read.
    pub fn backwards(&mut self, page: &Page) -> Option<u64> {
        let after = self.of(page);
        changes(page).into_iter().rev().for_each(|change| self.apply(&change.reversed()));
        after.or(self.of(page))
    }

    fn of(&self, page: &Page) -> Option<u64> {
        let key = &page.entry.key;
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&RoomId::new(&key.network, &key.room)).copied()
    }

    /// Applies a change of the entry with which a room began to play apart.
    fn apply(&mut self, change: &Change) {
        let path = words(&change.path);
        let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
        let ["table", "apart", room, "from"] = path.as_slice() else { return };
        let Ok(room) = RoomId::try_from((*room).to_owned()) else { return };
        match change.after.as_ref().and_then(Value::as_u64) {
            Some(from) => drop(self.0.insert(room, from)),
            None => drop(self.0.remove(&room)),
        }
    }
}

/// What an entry changed about rooms that play apart, value by value.
fn changes(page: &Page) -> Vec<Change> {
    let part = page.link.parts.changes.as_ref();
    // Few entries say anything of that, and reading what all of them changed takes long.
    if part.is_none_or(|part| !part.value.get().contains("/table/apart")) {
        return Vec::new();
    }
    page.changes().all().flat_map(leaves).collect()
}
