//! What must hold for a game whose file changes: each roll is played by the version that its table played then, and followed
//! up by the version that rolled it.

use super::Oracle;
use super::journal_of::Known;
use crate::harbour::ID;
use chat::RoomId;
use journal::apply;
use serde_json::Value;
use std::collections::BTreeMap;

impl Oracle {
    /// Checks by how much the heat rose in each entry.
    pub(super) fn versions(&mut self, room: &RoomId, entries: &[Known]) {
        let (mut document, mut rolled_by) = (Value::Null, BTreeMap::new());
        let place = format!("/games/{ID}");
        for Known { entry, answer, changes, .. } in entries {
            let own = changes.iter().filter(|change| change.path.starts_with(&place)).cloned();
            // Those who wrote the journal are checked elsewhere.
            let _ = apply(&mut document, &own.collect::<Vec<_>>());
            if entry.game != ID {
                continue;
            }
            let played = || {
                let state = document.pointer(&place)?.get("state")?;
                let text = state.get("files")?.get(state.get("plays")?.to_string())?.as_str()?;
                text.split("heat +").nth(1)?.chars().next()
            };
            let version = match entry.follows {
                Some(follows) => rolled_by.get(&follows).copied(),
                None => played(),
            };
            rolled_by.insert(entry.number, version.unwrap_or('?'));
            let rose = answer.as_deref().and_then(|answer| answer.split("(+").nth(1)?.chars().next());
            let full = |answer: &String| answer.contains("heat 9/9");
            if rose.is_some() && rose != version && !answer.as_ref().is_some_and(full) {
                self.wrong(format!(
                    "#{} of {room} was played by another version than its table's: {answer:?}",
                    entry.number
                ));
            }
        }
    }
}
