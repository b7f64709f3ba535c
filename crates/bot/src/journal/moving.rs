//! A table's way into another room or another bot: an export with all that the table is is verified, added up, and
//! laid under a name that is free there. Numbers and chain go on; the dice begin a new epoch.

use super::export::{self, Body, ExportError, Header, Record};
use super::{AuditError, audit, hex};
use crate::documents::{GameDoc, Head, RoomDoc, TableDoc, from_json, to_json};
use crate::entropy::Entropy;
use crate::keys::{self, TableId};
use crate::store::{Batch, Memory, Store, StoreError, scan_all};
use chat::RoomId;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::BufRead;

/// A table that is not laid yet, as an export has it: nothing in it contradicts its journal.
pub struct Moved {
    /// The first line of the export.
    pub header: Header,
    /// How many entries.
    pub entries: u64,
    store: Memory,
}

/// Where a moved table was laid.
#[derive(Debug)]
pub struct Laid {
    /// Its name there.
    pub table: TableId,
    /// The table that the room sat at before, which is kept.
    pub left: TableId,
    /// The writes that lay it.
    pub batch: Batch,
}

impl Moved {
    /// Reads and checks an export.
    ///
    /// # Errors
    /// The first thing that is not as it was written, or that the file does not hold all of the table.
    pub fn read(input: &mut dyn BufRead) -> Result<Self, ExportError> {
        let mut batch = Batch::default();
        // The name only keeps the records apart here.
        let table = TableId::of(&RoomId::new("moved", "table"));
        let verdict = export::verify(input, |body| match body {
            Body::Link(link, entry) => batch.put(keys::entry(&table, entry.number), to_json(&link)),
            Body::Record(Record { key, value }) => {
                batch.put(format!("{}{key}", keys::all_of(&table)), value.get().as_bytes());
            }
        })?;
        if !verdict.header.moves {
            let what = "this export proves the journal and does not hold all of the table: write one with --move";
            return Err(ExportError::Damaged(what.to_owned()));
        }
        let store = Memory::default();
        store.commit(&batch)?;
        let moved = Moved { entries: verdict.verifier.entries, header: verdict.header, store };
        moved.adds_up(&table)?;
        Ok(moved)
    }

    /// What the table holds must be what its journal led to.
    fn adds_up(&self, table: &TableId) -> Result<(), ExportError> {
        let audit = audit(&self.store, table).map_err(|error| match error {
            AuditError::Entry(wrong) => ExportError::Entry(wrong),
            AuditError::Store(error) => ExportError::Store(error),
        })?;
        let contradicts = |key: &str| ExportError::Damaged(format!("{key} is not what the journal led to"));
        let head: Head = self.get(&keys::head(table))?.ok_or_else(|| contradicts("head"))?;
        if head.number != audit.last || head.hash != audit.head {
            return Err(contradicts("head"));
        }
        let prefix = keys::all_of(table);
        for record in scan_all(&self.store, &prefix) {
            let (key, value) = record?;
            let name = &key[prefix.len()..];
            let held = match name.split_once('/') {
                None if name == "doc" => audit.document.pointer("/table"),
                Some(("game", game)) => {
                    from_json::<GameDoc>(&key, &value)?;
                    audit.document.get("games").and_then(|games| games.get(game))
                }
                _ => continue,
            };
            let mut value: Value = from_json(&key, &value)?;
            value.as_object_mut().map(|fields| fields.remove("touched"));
            if held != Some(&value) {
                return Err(contradicts(name));
            }
        }
        Ok(())
    }

    fn get<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        self.store.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
    }

    /// The writes that lay the table in `store` and seat `room` at it. Nothing there is overwritten: the table that the
    /// room sat at before is kept, and a table of the same name too.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lay(
        &self,
        store: &dyn Store,
        room: &RoomId,
        fresh: RoomDoc,
        entropy: &mut Entropy,
    ) -> Result<Laid, StoreError> {
        let room_key = keys::room(room);
        let doc = store.read(&room_key)?.map(|bytes| from_json(&room_key, &bytes)).transpose()?;
        let mut doc: RoomDoc = doc.unwrap_or(fresh);
        let table = free_name(store, &self.header.table)?;
        let here = TableId::of(&RoomId::new("moved", "table"));
        let (from, to) = (keys::all_of(&here), keys::all_of(&table));
        let mut batch = Batch::default();
        let listed = format!("{from}{}", export::PLUGINS);
        for record in
            scan_all(&self.store, &from).filter(|record| record.as_ref().map_or(true, |(key, _)| *key != listed))
        {
            let (key, value) = record?;
            batch.put(format!("{to}{}", &key[from.len()..]), value);
        }
        let mut head: Head = self.get(&keys::head(&here))?.ok_or_else(|| StoreError::damaged("head", "it is gone"))?;
        // Whoever had the file may know the seed in it.
        head.epoch += 1;
        head.committed = false;
        head.reserved = head.number;
        head.restored = store.read(keys::RESTORED_KEY)?.map(|time| from_json(keys::RESTORED_KEY, &time)).transpose()?;
        batch.put(keys::seed(&table, head.epoch), to_json(&hex(&entropy.secret())));
        batch.put(keys::head(&table), to_json(&head));
        doc.plugins.extend(self.get::<BTreeSet<String>>(&listed)?.unwrap_or_default());
        let left = doc.table.clone();
        batch.put(room_key, to_json(&RoomDoc { table: table.clone(), ..doc }));
        Ok(Laid { table, left, batch })
    }
}

/// The table's name, or that with a number behind it, so that no table of this name is there yet.
fn free_name(store: &dyn Store, wanted: &TableId) -> Result<TableId, StoreError> {
    for number in 1.. {
        let name = if number == 1 { wanted.clone() } else { wanted.numbered(number) };
        if store.scan(&keys::all_of(&name), None, 1)?.is_empty() {
            return Ok(name);
        }
    }
    unreachable!("there are more numbers than tables")
}

/// The tables of a store that were ever played at, and those that rooms with settings of their own sit at.
///
/// # Errors
/// The store cannot be read.
pub fn tables(store: &dyn Store) -> Result<Vec<TableId>, StoreError> {
    let mut tables = Vec::new();
    let mut after: Option<String> = None;
    while let Some((key, _)) = store.scan(keys::TABLES, after.as_deref(), 1)?.pop() {
        let id = TableId::of_key(&key).ok_or_else(|| StoreError::damaged(&key, "no table's record has such a key"))?;
        // Behind everything of this table.
        after = Some(format!("{}\u{10ffff}", keys::all_of(&id)));
        tables.push(id);
    }
    Ok(tables)
}

/// The table that is meant by `name`: a room's id with or without its network, or what the players call the table. If
/// none is, or several are, the tables to choose from.
///
/// # Errors
/// The store cannot be read.
pub fn table_called(store: &dyn Store, name: &str) -> Result<Result<TableId, Vec<TableId>>, StoreError> {
    let wanted = name.to_lowercase();
    let names =
        |id: &str| id.to_lowercase() == wanted || id.split_once('/').is_some_and(|(_, id)| id.to_lowercase() == wanted);
    let mut found = BTreeSet::new();
    for record in scan_all(store, keys::ROOMS) {
        let (key, value) = record?;
        let doc: RoomDoc = from_json(&key, &value)?;
        if keys::room_of_key(&key).is_some_and(|room| names(&room.to_string())) {
            found.insert(doc.table);
        }
    }
    let all = tables(store)?;
    if found.is_empty() {
        for table in &all {
            let key = keys::doc(table);
            let doc: Option<TableDoc> = store.read(&key)?.map(|doc| from_json(&key, &doc)).transpose()?;
            let called = doc.and_then(|doc| doc.name).is_some_and(|name| name.to_lowercase() == wanted);
            if called || names(&table.to_string()) {
                found.insert(table.clone());
            }
        }
    }
    let found: Vec<_> = found.into_iter().collect();
    Ok(match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(all),
        _ => Err(found),
    })
}
