//! The window through which the tables of a bot can be looked at from outside, by links.

use super::links::{Id, Keys};
use super::{Ask, Reader, View};
use crate::handed;
use chat::{PlayerId, Speaker, Trust};
use journal::documents::{TableDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use table::Host;
use table::own::{Looking, Onlooker, Unplayed};
use tokio::sync::watch;

/// How often a look is repeated because something was written meanwhile.
const TRIES: usize = 8;

/// What can be looked at.
pub trait Looks: Send + Sync {
    /// What a link leads to; `None` if it leads nowhere or has ended.
    ///
    /// # Errors
    /// The store cannot be read.
    fn open(&self, link: &str) -> Result<Option<Place>, StoreError>;

    /// What is seen there. It reads the disk and may take a while. `None` if there is nothing any more.
    ///
    /// # Errors
    /// The store cannot be read.
    fn look(&self, place: &Place, ask: &Ask) -> Result<Option<View>, StoreError>;

    /// The journal of the table for anyone to verify, without what is secret. `None` if it is too long for one file, or nothing
    /// is there any more.
    ///
    /// # Errors
    /// The store cannot be read.
    fn journal(&self, place: &Place) -> Result<Option<String>, StoreError>;

    /// Changes whenever anything may look different there.
    fn follow(&self, place: &Place) -> watch::Receiver<u64>;
}

/// What a link leads to: a table, as somebody sees it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    table: TableId,
    reader: Reader,
    /// The link itself, which must still be good when it is looked at.
    link: String,
}

impl Place {
    /// Who looks.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    /// True if another place is at the same table.
    pub fn is_at_the_table_of(&self, other: &Place) -> bool {
        self.table == other.table
    }
}

/// A window to all tables of a bot.
pub struct Window {
    bot: Box<dyn Fn() -> Arc<Host> + Send + Sync>,
    known: Arc<Known>,
}

/// What is known in memory of the tables that have a page.
#[derive(Default)]
struct Known {
    tables: RwLock<BTreeMap<Id, TableId>>,
    followed: Mutex<BTreeMap<TableId, watch::Sender<u64>>>,
}

impl Window {
    /// A window to the tables of the bot that `bot` returns, which is the same one all the time.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn new(bot: impl Fn() -> Arc<Host> + Send + Sync + 'static) -> Result<Self, StoreError> {
        let (host, known) = (bot(), Arc::<Known>::default());
        let hears = Arc::downgrade(&known);
        host.committer().tell(move |batch| hears.upgrade().into_iter().for_each(|known| known.hear(batch)));
        for record in host.committer().stored(keys::PAGES) {
            let (key, value) = record?;
            known.note(&key, &value)?;
        }
        Ok(Window { bot: Box::new(bot), known })
    }
}

impl Known {
    /// Notes by which id the page of a table is found.
    fn note(&self, key: &str, value: &[u8]) -> Result<(), StoreError> {
        let keys: Keys = from_json(key, value)?;
        if let (Some(table), Some(id)) = (keys::table_of_page(key), keys.id()) {
            self.tables.write().unwrap_or_else(PoisonError::into_inner).insert(id, table);
        }
        Ok(())
    }

    /// Hears what was written.
    fn hear(&self, batch: &Batch) {
        let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|_, changes| changes.receiver_count() > 0);
        let mut last = None;
        for (key, value) in batch.iter() {
            if let Some(value) = value.as_ref().filter(|_| key.starts_with(keys::PAGES))
                && let Err(error) = self.note(key, value)
            {
                tracing::error!(%error, "the page of a table is not found");
            }
            if key.starts_with(keys::ACCOUNTS) {
                // Two accounts became one player, or are two again: that is no change of any table.
                followed.values().for_each(|changes| changes.send_modify(|count| *count += 1));
            }
            let table =
                TableId::of_key(key).or_else(|| keys::table_of_page(key)).filter(|table| last.as_ref() != Some(table));
            if let Some(changes) = table.as_ref().and_then(|table| followed.get(table)) {
                changes.send_modify(|count| *count += 1);
                last = table;
            }
        }
    }
}

impl Looks for Window {
    fn open(&self, link: &str) -> Result<Option<Place>, StoreError> {
        let Some(id) = Keys::id_of(link) else { return Ok(None) };
        let table = self.known.tables.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        let Some(table) = table else { return Ok(None) };
        let host = (self.bot)().to_look_at();
        let doc: Option<TableDoc> = host.read_doc(&keys::doc(&table))?;
        let reader = reader_of(&host, &table, &doc.unwrap_or_default(), link)?;
        Ok(reader.map(|reader| Place { table, reader, link: link.to_owned() }))
    }

    fn look(&self, place: &Place, ask: &Ask) -> Result<Option<View>, StoreError> {
        let bot = Arc::new((self.bot)().to_look_at());
        for _ in 0..TRIES {
            let before = bot.read(&keys::head(&place.table))?;
            let view = look(&bot, place, ask);
            if bot.read(&keys::head(&place.table))? == before {
                return view;
            }
        }
        look(&bot, place, ask)
    }

    fn journal(&self, place: &Place) -> Result<Option<String>, StoreError> {
        let host = (self.bot)().to_look_at();
        let doc: Option<TableDoc> = host.read_doc(&keys::doc(&place.table))?;
        let reader = reader_of(&host, &place.table, &doc.unwrap_or_default(), &place.link)?;
        if reader.as_ref() != Some(&place.reader) {
            return Ok(None);
        }
        handed::whole(&host, &place.table)
    }

    fn follow(&self, place: &Place) -> watch::Receiver<u64> {
        let mut followed = self.known.followed.lock().unwrap_or_else(PoisonError::into_inner);
        followed.entry(place.table.clone()).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }
}

/// Whom a link of this table is for.
fn reader_of(host: &Host, table: &TableId, doc: &TableDoc, link: &str) -> Result<Option<Reader>, StoreError> {
    let keys: Option<Keys> = host.read_doc(&keys::page(table))?;
    Ok(keys.and_then(|keys| keys.reader_of(host.restored.as_deref(), doc, link)))
}

fn look(bot: &Arc<Host>, place: &Place, ask: &Ask) -> Result<Option<View>, StoreError> {
    let who = |doc: &TableDoc| {
        // The link may have ended since it was opened.
        if reader_of(bot, &place.table, doc, &place.link)?.as_ref() != Some(&place.reader) {
            return Ok(None);
        }
        let referee = matches!(place.reader, Reader::Referee(_));
        let alone = place.reader != Reader::Anyone;
        Ok(Some(Onlooker { speaker: speaker(bot, doc, &place.reader)?, referee, alone }))
    };
    match Looking::at(bot, &place.table, who, |looking| View::of(looking, &place.reader, ask)) {
        Ok(view) => Ok(view),
        Err(Unplayed::Silent) => Ok(None),
        Err(Unplayed::Store(error)) => Err(error),
        Err(Unplayed::Refused(refusal)) => Err(StoreError::damaged(&keys::doc(&place.table), &refusal.what)),
    }
}

/// Whoever looks, as somebody who would say something there.
fn speaker(host: &Host, doc: &TableDoc, reader: &Reader) -> Result<Speaker, StoreError> {
    let Some(player) = reader.player() else {
        return Ok(Speaker { trust: Trust::NickOnly, ..Speaker::new(PlayerId::new("", ""), "anyone") });
    };
    let name = doc.seats.get(player).map(|seat| &seat.name).or_else(|| doc.referees.get(player));
    let also = host.other_account(player, host.now())?;
    Ok(Speaker { also, ..Speaker::new(player.clone(), name.unwrap_or(&player.id).clone()) })
}
