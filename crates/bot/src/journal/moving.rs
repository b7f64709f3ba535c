//! A table's way into another room or another bot: an export with all that the table is is verified, added up, and
//! laid under a name that is free there. Numbers and chain go on; the dice begin a new epoch.

use super::export::{self, Body, ExportError, Header, Record};
use super::{Audit, AuditError, Link, Touched, audit, hex};
use crate::documents::{GameDoc, Head, OpenOffer, RollDoc, RoomDoc, TableDoc, from_json, to_json};
use crate::entropy::Entropy;
use crate::keys::{self, TableId};
use crate::store::{Batch, Memory, Store, StoreError, scan_all};
use chat::RoomId;
use serde::de::DeserializeOwned;
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
        let Audit { document, last, head: hash, .. } = audit(&self.store, table).map_err(|error| match error {
            AuditError::Entry(wrong) => ExportError::Entry(wrong),
            AuditError::Store(error) => ExportError::Store(error),
        })?;
        let contradicts = |what: &str| ExportError::Damaged(format!("{what} is not what the journal led to"));
        let head: Head = self.get(&keys::head(table))?.ok_or_else(|| contradicts("head"))?;
        let doc: TableDoc = self.get(&keys::doc(table))?.unwrap_or_default();
        let newest = doc.characters.keys().next_back().map_or(0, |id| id.0);
        if head.number != last || head.hash != hash || head.next_character <= newest {
            return Err(contradicts("head"));
        }
        let led: TableDoc = led_to(document.pointer("/table")).unwrap_or_default();
        if (TableDoc { touched: Touched::default(), ..doc }) != led {
            return Err(contradicts("doc"));
        }
        let below = |name: &str| document.get(name).and_then(Value::as_object).into_iter().flatten();
        for (game, led) in below("games") {
            let doc: Option<GameDoc> = self.get(&keys::game(table, game))?;
            if doc.map(|doc| doc.saved) != led_to::<GameDoc>(Some(led)).map(|led| led.saved) {
                return Err(contradicts(&format!("game/{game}")));
            }
        }
        for (number, led) in below("rolls") {
            let key = keys::roll(table, number.parse().unwrap_or_default());
            let (record, open) = self.get::<RollDoc>(&key)?.map_or((None, Vec::new()), |roll| (roll.record, roll.open));
            let led_open: Vec<OpenOffer> = led_to(led.get("open")).unwrap_or_default();
            if record.as_ref() != led.get("record") || open != led_open {
                return Err(contradicts(&format!("roll/{number}")));
            }
        }
        Ok(())
    }

    fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        self.store.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
    }

    /// The writes that lay the table in `store` and seat `room` at it. Nothing there is overwritten: the table that the
    /// room sat at before is kept. If the table is there already, as far as it goes, its name comes back instead.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lay(
        &self,
        store: &dyn Store,
        room: &RoomId,
        fresh: RoomDoc,
        entropy: &mut Entropy,
    ) -> Result<Result<Laid, TableId>, StoreError> {
        for table in tables(store)? {
            let key = keys::entry(&table, self.header.last);
            let link: Option<Link> = store.read(&key)?.map(|link| from_json(&key, &link)).transpose()?;
            if link.is_some_and(|link| link.hash == self.header.head) {
                return Ok(Err(table));
            }
        }
        let room_key = keys::room(room);
        let doc = store.read(&room_key)?.map(|bytes| from_json(&room_key, &bytes)).transpose()?;
        let mut doc: RoomDoc = doc.unwrap_or(fresh);
        let table = self.header.table.moved(&self.header.head);
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
        Ok(Ok(Laid { table, left, batch }))
    }
}

/// A document as the journal led to it; fields that came later are as if nobody had set them.
fn led_to<T: DeserializeOwned>(value: Option<&Value>) -> Option<T> {
    serde_json::from_value(value?.clone()).ok()
}

/// The writes that seat `room` at a table of the store; the table that it sat at is kept.
///
/// # Errors
/// The store cannot be read.
pub fn seat(store: &dyn Store, room: &RoomId, table: &TableId, fresh: RoomDoc) -> Result<Laid, StoreError> {
    let key = keys::room(room);
    let doc = store.read(&key)?.map(|bytes| from_json(&key, &bytes)).transpose()?;
    let doc: RoomDoc = doc.unwrap_or(fresh);
    let left = doc.table.clone();
    let mut batch = Batch::default();
    batch.put(key, to_json(&RoomDoc { table: table.clone(), ..doc }));
    Ok(Laid { table: table.clone(), left, batch })
}

/// How far a table's journal goes; 0 if nothing was played at it.
///
/// # Errors
/// The store cannot be read.
pub fn last_entry(store: &dyn Store, table: &TableId) -> Result<u64, StoreError> {
    let key = keys::head(table);
    let head: Option<Head> = store.read(&key)?.map(|head| from_json(&key, &head)).transpose()?;
    Ok(head.map_or(0, |head| head.number))
}

/// Which rooms with settings of their own sit at which tables.
///
/// # Errors
/// The store cannot be read.
pub fn seatings(store: &dyn Store) -> Result<Vec<(RoomId, TableId)>, StoreError> {
    let mut seatings = Vec::new();
    for record in scan_all(store, keys::ROOMS) {
        let (key, value) = record?;
        let doc: RoomDoc = from_json(&key, &value)?;
        seatings.extend(keys::room_of_key(&key).map(|room| (room, doc.table)));
    }
    Ok(seatings)
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
    let all = tables(store)?;
    let seatings = seatings(store)?.into_iter().filter(|(room, _)| names(&room.to_string()));
    let mut found: BTreeSet<TableId> = seatings.map(|(_, table)| table).collect();
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
