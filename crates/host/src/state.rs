//! A table's state in memory: its documents as stored, and the end of its journal.

use crate::casting::Casting;
use crate::plugins::Plugins;
use crate::shared::Host;
use chat::RoomId;
use jiff::Timestamp;
use journal::documents::{GameDoc, Head, RoomDoc, TableDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Condition, StoreError};
use journal::{Page, seed_of};
use plugin_api::{Held, SavedState};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// For how many players the last action is read ahead.
const MOST_SEATS: usize = 20;

/// A table's state. A message is played on a copy, which then replaces it or is dropped, so it is quick to copy.
#[derive(Clone)]
pub struct State {
    /// Its id.
    pub id: TableId,
    /// Its document.
    pub doc: Stored<TableDoc>,
    /// Everyone who can be named.
    pub casting: Casting,
    /// The end of its journal.
    pub head: Arc<Head>,
    /// The current seed; `None` before the first command.
    pub seed: Option<[u8; 32]>,
    /// The plugins with which it was read.
    pub plugins: Arc<Plugins>,
    /// The bot as this table plays with it, and the bot of which it was made.
    playing: Option<[Arc<Host>; 2]>,
    /// Games of which it has stored something, as far as that may not be on the disk yet.
    began: BTreeSet<String>,
    /// The states of games loaded so far.
    pub games: Arc<BTreeMap<String, GameState>>,
    /// The rooms at this table loaded so far.
    pub rooms: Arc<BTreeMap<RoomId, Stored<RoomDoc>>>,
    /// Numbers that a crash may have lost, as a range; the next entry names them.
    pub gap: Option<(u64, u64)>,
}

/// A document, and whether the store has it yet.
#[derive(Clone)]
pub struct Stored<T> {
    /// The document.
    pub doc: Arc<T>,
    /// Whether the store has it.
    pub stored: bool,
}

/// A game's state: as stored, and decoded.
#[derive(Clone)]
pub struct GameState {
    /// As stored.
    pub kept: Stored<GameDoc>,
    /// Decoded.
    pub held: Held,
    /// The length of its JSON.
    pub bytes: usize,
}

impl State {
    /// Reads the table from the store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_from(host: &Host, id: TableId) -> Result<Self, StoreError> {
        let games = host.plugins.manifests().map(|plugin| keys::game(&id, &plugin.id));
        know(host, games.chain([keys::head(&id), keys::doc(&id), keys::seed(&id, 1)]))?;
        let head: Option<Head> = host.read_doc(&keys::head(&id))?;
        let doc: Option<TableDoc> = host.read_doc(&keys::doc(&id))?;
        know(host, near(&id, head.as_ref(), doc.as_ref()))?;
        let seed = match &head {
            Some(head) => Some(read_seed(host, &id, head.epoch)?),
            None => None,
        };
        let mut head = head.unwrap_or_default();
        head.time = time_of(host, &keys::entry(&id, head.number))?;
        let gap = (head.reserved > head.number).then_some((head.number + 1, head.reserved));
        let doc = Stored { stored: doc.is_some(), doc: Arc::new(doc.unwrap_or_default()) };
        Ok(State {
            id,
            doc,
            casting: Casting::default(),
            head: Arc::new(head),
            seed,
            plugins: host.plugins.clone(),
            playing: None,
            began: BTreeSet::new(),
            games: Arc::default(),
            rooms: Arc::default(),
            gap,
        })
    }

    /// The bot as this table plays with it: with the versions of games that it keeps.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn plays_with(&mut self, bot: &Arc<Host>) -> Result<Arc<Host>, StoreError> {
        if let Some([playing, of]) = &self.playing
            && Arc::ptr_eq(of, bot)
        {
            return Ok(playing.clone());
        }
        let prefix = keys::games(&self.id);
        let stored = bot.committer().stored(&prefix).map(|record| Ok(keys::game_of_key(&self.id, &record?.0)));
        let stored = stored.collect::<Result<Vec<_>, StoreError>>()?;
        self.began.extend(stored.into_iter().flatten().chain(self.games.keys().cloned()));
        let mut plugins: Option<Plugins> = None;
        for id in &self.began {
            let now = plugins.as_ref().unwrap_or(&bot.plugins);
            if now.get(id).is_some_and(|now| !now.is_a_file()) {
                continue;
            }
            let Some(GameDoc { version, state, .. }) = bot.read_doc(&keys::game(&self.id, id))? else { continue };
            match now.with_kept(id, &SavedState { version, state }) {
                Ok(with) => plugins = with.or(plugins),
                Err(refusal) => tracing::warn!(table = %self.id, game = id, "{}", refusal.what),
            }
        }
        let playing = plugins.map_or_else(|| bot.clone(), |plugins| Arc::new(bot.with_plugins(plugins)));
        self.playing = Some([playing.clone(), bot.clone()]);
        Ok(playing)
    }

    /// Another version of a game is played from the next message on.
    pub fn plays_another(&mut self, game: &str) {
        self.games_mut().remove(game);
        self.began.insert(game.to_owned());
        self.playing = None;
    }

    /// Forgets what other plugins decoded, if the bot has others now: it is read again as soon as it is needed.
    pub fn keep_up(&mut self, host: &Host) {
        if !Arc::ptr_eq(&self.plugins, &host.plugins) {
            self.plugins = host.plugins.clone();
            self.games = Arc::default();
        }
    }

    /// The settings of a room at the table.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn room(&mut self, host: &Host, room: &RoomId) -> Result<&Stored<RoomDoc>, StoreError> {
        if !self.rooms.contains_key(room) {
            let stored: Option<RoomDoc> = host.read_doc(&keys::room(room))?;
            let kept = stored.is_some();
            let doc = stored.unwrap_or_else(|| host.settings().fresh_room(room));
            self.rooms_mut().insert(room.clone(), Stored { stored: kept, doc: Arc::new(doc) });
        }
        Ok(&self.rooms[room])
    }

    /// The end of the journal, mutable.
    pub fn head_mut(&mut self) -> &mut Head {
        Arc::make_mut(&mut self.head)
    }

    /// The states of games, mutable.
    pub fn games_mut(&mut self) -> &mut BTreeMap<String, GameState> {
        Arc::make_mut(&mut self.games)
    }

    /// The rooms at this table, mutable.
    pub fn rooms_mut(&mut self) -> &mut BTreeMap<RoomId, Stored<RoomDoc>> {
        Arc::make_mut(&mut self.rooms)
    }

    /// The number for the next entry.
    pub fn next_number(&self) -> u64 {
        self.gap.map_or(self.head.number, |(_, last)| last) + 1
    }
}

/// The record under `key`; `writes` are made only if it is still the same then.
pub fn rely_on<T: DeserializeOwned>(host: &Host, key: &str, writes: &mut Batch) -> Result<Option<T>, StoreError> {
    let found = host.committer().read(key)?;
    let read = found.as_ref().map(|bytes| from_json(key, bytes)).transpose()?;
    writes.rely_on(Condition::Value(key.to_owned(), found));
    Ok(read)
}

/// Reads these at once, so that a store on another machine is not asked for one after the other.
fn know(host: &Host, keys: impl Iterator<Item = String>) -> Result<(), StoreError> {
    match host.read_many(&keys.collect::<Vec<_>>()) {
        // Whoever needs a damaged record finds it so, and it harms nobody else.
        Ok(_) | Err(StoreError::Damaged { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What is asked for next at a table: the end of its journal, and what its players did last.
fn near<'a>(id: &'a TableId, head: Option<&'a Head>, doc: Option<&'a TableDoc>) -> impl Iterator<Item = String> {
    let end = head.into_iter().flat_map(|head| [keys::entry(id, head.number), keys::seed(id, head.epoch)]);
    let seats = doc.into_iter().flat_map(|doc| &doc.seats).take(MOST_SEATS);
    let players =
        seats.flat_map(|(player, seat)| [keys::last_of_player(id, player), keys::last_of_character(id, seat.plays)]);
    end.chain(players)
}

/// The time of the entry under `key`, if there is one.
fn time_of(host: &Host, key: &str) -> Result<Option<Timestamp>, StoreError> {
    let record = host.read(key)?;
    record.map(|record| Page::of_stored(key, &record).map(|page| page.entry.time)).transpose()
}

fn read_seed(host: &Host, id: &TableId, epoch: u32) -> Result<[u8; 32], StoreError> {
    let key = keys::seed(id, epoch);
    let text: String = host.read_doc(&key)?.ok_or_else(|| StoreError::damaged(&key, "the seed is missing"))?;
    seed_of(&text).ok_or_else(|| StoreError::damaged(&key, "not 32 bytes in hexadecimal"))
}
