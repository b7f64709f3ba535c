//! The rooms of a table.
//!
//! A room's own settings say at which table it sits. So that nobody must read those of all rooms, each room that came
//! from elsewhere also has a record under its table, which counts only while the room's settings say the same.

use crate::ledger::Ledger;
use crate::shared::Host;
use chat::RoomId;
use journal::documents::{RoomDoc, from_json, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Condition, StoreError};
use std::collections::{BTreeMap, BTreeSet};

impl Ledger<'_> {
    /// The rooms that sit at a table, with their settings.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn rooms_at(&self, table: &TableId) -> Result<BTreeMap<RoomId, RoomDoc>, StoreError> {
        self.rooms(table, None)
    }

    /// The same; `writes` are made only if the same rooms sit there then, with the same settings.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn rely_on_rooms_at(
        &self,
        table: &TableId,
        writes: &mut Batch,
    ) -> Result<BTreeMap<RoomId, RoomDoc>, StoreError> {
        self.rooms(table, Some(writes))
    }

    fn rooms(&self, table: &TableId, mut relies: Option<&mut Batch>) -> Result<BTreeMap<RoomId, RoomDoc>, StoreError> {
        let prefix = keys::seated_at(table);
        let (mut rooms, mut noted) = (BTreeMap::new(), BTreeSet::new());
        for record in self.host.committer().stored(&prefix) {
            let (key, _) = record?;
            rooms.extend(keys::seated_room(table, &key).map(|room| (room, true)));
            noted.insert(key);
        }
        if let Some(writes) = &mut relies {
            writes.rely_on(Condition::Keys(prefix, noted));
        }
        rooms.entry(table.first_room()).or_insert(false);
        let mut found = BTreeMap::new();
        for (room, noted) in rooms {
            let key = keys::room(&room);
            let doc: Option<RoomDoc> = match &mut relies {
                Some(writes) => self.rely_on(&key, writes)?,
                None => self.read(&key)?,
            };
            let doc = match doc {
                None if TableId::of(&room) == *table && (noted || self.host.is_known(&room)?) => {
                    self.host.settings().fresh_room(&room)
                }
                Some(doc) if doc.table == *table => doc,
                _ => continue,
            };
            found.insert(room, doc);
        }
        Ok(found)
    }
}

impl Host {
    /// True if the bot has ever been in a room.
    fn is_known(&self, room: &RoomId) -> Result<bool, StoreError> {
        Ok(!self.roster.present(room).is_empty() || self.read_doc::<bool>(&keys::greeted(room))?.is_some())
    }

    /// Notes the rooms that an older version seated at a table, for which it made no record.
    pub fn note_rooms_of(&self, table: &TableId, writes: &mut Batch) -> Result<(), StoreError> {
        for record in self.committer().stored(keys::ROOMS) {
            let (key, doc) = record?;
            let room = keys::room_of_key(&key).filter(|room| TableId::of(room) != *table);
            if let Some(room) = room
                && from_json::<RoomDoc>(&key, &doc)?.table == *table
            {
                writes.put(keys::seated(table, &room), to_json(&true));
            }
        }
        Ok(())
    }

    /// What people call a room, without what could pass for a part of an answer.
    pub fn name_of_room(&self, room: &RoomId) -> Result<String, StoreError> {
        if let Some(name) = self.roster.names_of(room).iter().find_map(|name| harmless(name)) {
            return Ok(name);
        }
        let called: Option<Vec<String>> = self.read_doc(&keys::called(room))?;
        let called = called.into_iter().flatten().find_map(|name| harmless(&name));
        Ok(called.unwrap_or_else(|| room.id.clone()))
    }

    /// The same for those in another room, with its network if that is not theirs.
    pub fn name_from(&self, room: &RoomId, seen_from: &RoomId) -> Result<String, StoreError> {
        let name = self.name_of_room(room)?;
        Ok(if room.network == seen_from.network { name } else { format!("{name} on {}", room.network) })
    }
}

/// The name of a room without the signs that results are written with, if anything is left. A channel begins with its `#`.
fn harmless(name: &str) -> Option<String> {
    let channel = name.starts_with('#');
    let plain = name.replace(['[', ']', '|', '#'], " ");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    (!plain.is_empty()).then(|| if channel { format!("#{plain}") } else { plain })
}
