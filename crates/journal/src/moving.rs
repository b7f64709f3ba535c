//! Moves a table into another room or another bot. A complete export is verified, added up, and stored under a name
//! that is free there. Numbers and chain continue; the dice begin a new epoch.

mod led;
mod records;

use super::export::{self, Body, ExportError, Header, Record};
use crate::documents::{DueDoc, Head, RoomDoc, TableDoc, When, from_json, to_json};
use crate::entropy::Entropy;
use crate::keys::{self, TableId};
use crate::store::{Batch, Memory, Store, StoreError, scan_all};
use crate::{AuditError, Page, audit, hex};
use chat::{PlayerId, RoomId};
use led::Led;
use records::{Checked, Records};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

/// A table from an export, not stored yet. Nothing in it contradicts its journal.
pub struct Moved {
    /// The first line of the export.
    pub header: Header,
    /// The number of entries.
    pub entries: u64,
    /// Numbers left out after crashes: ranges with both ends.
    pub gaps: Vec<(u64, u64)>,
    /// The epochs with published seeds.
    pub published: BTreeSet<u32>,
    /// The players who would run the game, with the names they had.
    pub referees: BTreeMap<PlayerId, String>,
    store: Memory,
}

/// The parsed lines of a file. The journal is verified; nothing else is checked yet.
struct Gathered {
    header: Header,
    /// The writes of the entries and of their seeds.
    entries: Batch,
    led: Led,
    records: Records,
}

impl Gathered {
    fn of(input: &mut dyn BufRead, table: &TableId) -> Result<Self, ExportError> {
        let (mut entries, mut led, mut records, mut twice) = (Batch::default(), Led::default(), Records::new(), None);
        let verdict = export::verify(input, |body| match body {
            Body::Link(mut link, entry) => {
                led.note(&entry, &link);
                // The chain does not record the role it needed, so that is unknown, as for old entries.
                link.before.took = None;
                entries.put(keys::entry(table, entry.number), Page { entry: *entry, link: *link }.to_stored());
            }
            Body::Record(Record { key, value }) => {
                if records.insert(key.clone(), value).is_some() {
                    twice = Some(key);
                }
            }
        })?;
        let header = verdict.header;
        if !header.moves {
            let what = "this export proves the journal and does not hold all of the table: write one with --move";
            return Err(ExportError::Damaged(what.to_owned()));
        }
        if let Some(key) = twice {
            return Err(ExportError::Damaged(format!("it holds {key:?} twice")));
        }
        if let Some(wrong) = led.first_wrong() {
            return Err(wrong.into());
        }
        for (epoch, seed) in &header.seeds {
            entries.put(keys::seed(table, *epoch), to_json(seed));
        }
        Ok(Gathered { header, entries, led, records })
    }
}

/// The result of storing a moved table.
#[derive(Debug)]
pub struct Laid {
    /// Its name there.
    pub table: TableId,
    /// The room's previous table, which is kept.
    pub left: TableId,
    /// The writes that store it.
    pub batch: Batch,
}

impl Moved {
    /// Reads and checks an export.
    ///
    /// # Errors
    /// The first thing that is not as it was written, or the file does not contain all of the table.
    pub fn read(input: &mut dyn BufRead) -> Result<Self, ExportError> {
        // The name matters only for keeping the records apart here.
        let table = TableId::of(&RoomId::new("moved", "table"));
        let Gathered { header, entries, led, records } = Gathered::of(input, &table)?;
        let store = Memory::default();
        store.commit(&entries)?;
        let audit = audit(&store, &table).map_err(|error| match error {
            AuditError::Entry(wrong) => ExportError::Entry(wrong),
            AuditError::Store(error) => ExportError::Store(error),
        })?;
        let checked = Checked { table: &table, header: &header, led: &led, audit: &audit, records: &records };
        store.commit(&checked.batch()?)?;
        let mut moved = Moved {
            entries: audit.entries,
            gaps: led.gaps,
            published: led.published.into_keys().collect(),
            referees: BTreeMap::new(),
            header,
            store,
        };
        moved.referees = moved.get::<TableDoc>(&keys::doc(&table))?.unwrap_or_default().referees;
        Ok(moved)
    }

    fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        self.store.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
    }

    /// The epoch that begins after the move: anyone who had the file may know its seeds.
    pub fn next_epoch(&self) -> u32 {
        // The file has one seed per epoch.
        u32::try_from(self.header.seeds.len()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The plugins enabled where it was played.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn plugins(&self) -> Result<BTreeSet<String>, StoreError> {
        let here = TableId::of(&RoomId::new("moved", "table"));
        let listed: Option<BTreeSet<String>> = self.get(&format!("{}{}", keys::all_of(&here), export::PLUGINS))?;
        Ok(listed.unwrap_or_default())
    }

    /// The writes that store the table in `store` and seat `room` at it, with those of its plugins that are `offered`
    /// there. `fresh` is the room with default settings. Nothing is overwritten: the room's previous table is kept. If
    /// the table, as far as it goes, is in the store already, returns its name instead.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lay(
        &self,
        store: &dyn Store,
        room: &RoomId,
        fresh: RoomDoc,
        offered: impl Fn(&str) -> bool,
        entropy: &mut Entropy,
    ) -> Result<Result<Laid, TableId>, StoreError> {
        for table in tables(store)? {
            let key = keys::entry(&table, self.header.last);
            let page = store.read(&key)?.map(|page| Page::of_stored(&key, &page)).transpose()?;
            if page.is_some_and(|page| page.link.hash == self.header.head) {
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
        head.begin_epoch(self.next_epoch());
        head.reserved = head.number;
        head.restored = store.read(keys::RESTORED_KEY)?.map(|time| from_json(keys::RESTORED_KEY, &time)).transpose()?;
        head.move_last_entries(&table, &mut batch);
        batch.put(keys::seed(&table, head.epoch), to_json(&hex(&entropy.secret())));
        batch.put(keys::head(&table), to_json(&head));
        // What was due before the export was written has been carried out there.
        let orders = self.get::<TableDoc>(&keys::doc(&here))?.unwrap_or_default().orders;
        for (number, when) in orders.into_iter().map(|(number, order)| (number, order.when)) {
            let at = match when {
                When::At(at) => Some(at).filter(|at| *at > self.header.time),
                // Whoever was waited for still is.
                When::Waited(_) => Some(self.header.time),
                When::Each(_) | When::Opened | When::Shown => None,
            };
            if let Some(at) = at {
                let due = DueDoc::new(at, room.clone(), number);
                batch.put(keys::due(&table, number), to_json(&due));
            }
        }
        doc.plugins.extend(self.plugins()?.into_iter().filter(|plugin| offered(plugin)));
        let left = doc.table.clone();
        batch.put(room_key, to_json(&RoomDoc { table: table.clone(), guest: false, ..doc }));
        batch.put(keys::seated(&table, room), to_json(&true));
        Ok(Ok(Laid { table, left, batch }))
    }
}

/// The writes that seat `room` at a table of the store. Its previous table is kept.
///
/// # Errors
/// The store cannot be read.
pub fn seat(store: &dyn Store, room: &RoomId, table: &TableId, fresh: RoomDoc) -> Result<Laid, StoreError> {
    let key = keys::room(room);
    let doc = store.read(&key)?.map(|bytes| from_json(&key, &bytes)).transpose()?;
    let doc: RoomDoc = doc.unwrap_or(fresh);
    let left = doc.table.clone();
    let mut batch = Batch::default();
    batch.put(key, to_json(&RoomDoc { table: table.clone(), guest: false, ..doc }));
    batch.put(keys::seated(table, room), to_json(&true));
    Ok(Laid { table: table.clone(), left, batch })
}

/// The number of the last entry of a table's journal; 0 if nothing was played at it.
///
/// # Errors
/// The store cannot be read.
pub fn last_entry(store: &dyn Store, table: &TableId) -> Result<u64, StoreError> {
    let key = keys::head(table);
    let head: Option<Head> = store.read(&key)?.map(|head| from_json(&key, &head)).transpose()?;
    Ok(head.map_or(0, |head| head.number))
}

/// The rooms with settings of their own, and the tables they sit at.
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

/// All tables that were ever played at, and those that rooms with settings of their own sit at.
///
/// # Errors
/// The store cannot be read.
pub fn tables(store: &dyn Store) -> Result<Vec<TableId>, StoreError> {
    let mut tables = Vec::new();
    let mut after: Option<String> = None;
    while let Some((key, _)) = store.scan(keys::TABLES, after.as_deref(), 1)?.pop() {
        let id = TableId::of_key(&key).ok_or_else(|| StoreError::damaged(&key, "no table's record has such a key"))?;
        // Skip everything else of this table.
        after = Some(format!("{}\u{10ffff}", keys::all_of(&id)));
        tables.push(id);
    }
    Ok(tables)
}

/// Finds the table called `name`: a room's id with or without its network, or the name the players gave it. If none
/// matches, or several do, returns the tables to choose from.
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
