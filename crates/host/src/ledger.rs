//! Reads a table's journal and related records, including the writes of the current message.

mod rolls;

pub use rolls::Answers;

use crate::rights::Rights;
use crate::shared::Host;
use crate::state::{State, rely_on};
use crate::unplayed::Unplayed;
use chat::{PlayerId, Readers, Seen, Speaker};
use journal::documents::{GameDoc, Head, RollDoc, from_json};
use journal::export::Exported;
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use journal::{Ahead, Change, Changes, Page, Place, leaves, seed_of, words};
use plugin_api::{CharacterId, Fit, Held, Plugin, Refusal, SavedState};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Entries that may not be in the store yet: more than ever wait to be written.
const JUST_PLAYED: u64 = 256;

/// Where the shortcuts of a table are.
pub const SHORTCUTS: &str = "/table/shortcuts";

/// How many of a character's last rolls a follow-up may be meant for.
const LAST_ROLLS: usize = 20;

/// Read access to a table's journal.
#[derive(Clone, Copy)]
pub struct Ledger<'a> {
    /// The bot.
    pub host: &'a Host,
    /// The table.
    pub state: &'a State,
    /// The writes of the current message.
    pub writes: Option<&'a Batch>,
}

impl<'a> Ledger<'a> {
    /// The table's id.
    pub fn id(&self) -> &'a TableId {
        &self.state.id
    }

    /// The current seed.
    pub fn seed(&self) -> Option<&'a [u8; 32]> {
        self.state.seed.as_ref()
    }

    /// The end of the journal.
    pub fn head(&self) -> &'a Head {
        &self.state.head
    }

    /// The record under `key`, with the writes of the current message.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        match self.writes.and_then(|writes| writes.get(key)) {
            Some(Some(bytes)) => from_json(key, bytes).map(Some),
            Some(None) => Ok(None),
            None => self.host.read_doc(key),
        }
    }

    /// The record under `key`, which lies between tables: `writes` are made only if it is still the same then.
    pub fn rely_on<T: DeserializeOwned>(&self, key: &str, writes: &mut Batch) -> Result<Option<T>, StoreError> {
        match self.writes.and_then(|writes| writes.get(key)) {
            // What the message itself wrote there relies on what was there before.
            Some(_) => self.read(key),
            None => rely_on(self.host, key, writes),
        }
    }

    /// What the table holds of a plugin, unless that is nothing yet.
    pub fn held(&self, plugin: &dyn Plugin) -> Result<Option<Held>, Unplayed> {
        let id = &plugin.manifest().id;
        if let Some(known) = self.state.games.get(id) {
            return Ok(Some(known.held.clone()));
        }
        let stored: Option<GameDoc> = self.read(&keys::game(&self.state.id, id))?;
        let held = stored.map(|doc| plugin.held(&SavedState { version: doc.version, state: doc.state }));
        Ok(held.transpose()?)
    }

    /// Entry `number`, if there is one.
    pub fn page(&self, number: u64) -> Result<Option<Page>, StoreError> {
        let key = keys::entry(&self.state.id, number);
        let read = |record: &[u8]| Page::of_stored(&key, record);
        match self.writes.and_then(|writes| writes.get(&key)) {
            Some(written) => written.map(read).transpose(),
            None => self.host.read(&key)?.as_deref().map(read).transpose(),
        }
    }

    /// The records under these keys, with the writes of the current message.
    fn read_many(&self, keys: &[String]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let written: Vec<_> = keys.iter().map(|key| self.writes.and_then(|writes| writes.get(key))).collect();
        let others = keys.iter().zip(&written).filter(|(_, written)| written.is_none()).map(|(key, _)| key.clone());
        let mut read = self.host.read_many(&others.collect::<Vec<_>>())?.into_iter();
        let value = |written: Option<Option<&[u8]>>| match written {
            Some(value) => value.map(<[u8]>::to_vec),
            None => read.next().flatten(),
        };
        Ok(written.into_iter().map(value).collect())
    }

    /// Entry `number`, or a refusal saying why there is none.
    pub fn must_have(&self, number: u64) -> Result<Page, Unplayed> {
        match self.page(number)? {
            Some(page) => Ok(page),
            None => Err(self.no_entry(number).into()),
        }
    }

    fn no_entry(&self, number: u64) -> Refusal {
        match self.head().number {
            0 => Refusal::new(format!("there is no #{number}: nothing has been played at this table yet")),
            newest => Refusal::new(format!("there is no #{number}; the newest is #{newest}")).example("history"),
        }
        .about(format!("#{number}"))
    }

    /// The entry that stands for `number` now: itself, or its replacement after an edit.
    pub fn current(&self, number: u64) -> Result<u64, StoreError> {
        let mut number = number;
        while let Some(next) = self.page(number)?.and_then(|page| page.link.fate.replaced_by) {
            number = next;
        }
        Ok(number)
    }

    /// The entries from `number` on backwards.
    pub fn backwards(&self, number: u64) -> impl Iterator<Item = Result<Page, StoreError>> + 'a {
        let (ledger, mut ahead) = (*self, Ahead::default());
        let page = move |number| ahead.page(ledger.id(), number, |keys| ledger.read_many(keys));
        walk(number, page, |page| page.below())
    }

    /// A player's last entry.
    pub fn last_of_player(&self, player: &PlayerId) -> Result<Option<u64>, StoreError> {
        self.head().last_of_player(self.id(), player, |key| self.read(key))
    }

    /// A character's last entry.
    pub fn last_of_character(&self, character: CharacterId) -> Result<Option<u64>, StoreError> {
        self.head().last_of_character(self.id(), character, |key| self.read(key))
    }

    /// The entries of a character from the newest backwards.
    pub fn of_character(
        &self,
        character: CharacterId,
    ) -> Result<impl Iterator<Item = Result<Page, StoreError>> + 'a, StoreError> {
        Ok(self.of_the_character_from(self.last_of_character(character)?.unwrap_or_default()))
    }

    /// The entries of the character of entry `number`, from it backwards.
    pub fn of_the_character_from(&self, number: u64) -> impl Iterator<Item = Result<Page, StoreError>> + 'a {
        let ledger = *self;
        walk(number, move |number| ledger.page(number), |page| page.link.before.character.unwrap_or_default())
    }

    /// The last entry of a player who may have several accounts.
    pub fn last_of<'p>(&self, accounts: impl Iterator<Item = &'p PlayerId>) -> Result<Option<u64>, StoreError> {
        let mut last = None;
        for account in accounts {
            last = last.max(self.last_of_player(account)?);
        }
        Ok(last)
    }

    /// The entries of a player, of all their accounts, from the newest backwards, including those made under an earlier
    /// id.
    pub fn of_player(
        &self,
        player: &Speaker,
    ) -> Result<impl Iterator<Item = Result<Page, StoreError>> + use<'a>, StoreError> {
        let (ledger, mut next) = (*self, BTreeSet::new());
        for account in player.accounts() {
            next.extend(self.last_of_player(account)?);
        }
        Ok(std::iter::from_fn(move || {
            while let Some(number) = next.pop_last() {
                match ledger.page(number) {
                    // Numbers left out after a crash that no entry names yet.
                    Ok(None) => next.extend(number.checked_sub(1).filter(|below| *below > 0)),
                    Ok(Some(page)) => {
                        next.extend(page.link.before.player);
                        next.extend(page.link.before.also);
                        return Some(Ok(page));
                    }
                    Err(error) => {
                        next.clear();
                        return Some(Err(error));
                    }
                }
            }
            None
        }))
    }

    /// The epochs with unpublished seeds, and the seeds.
    pub fn unpublished(&self) -> Result<BTreeMap<u32, [u8; 32]>, StoreError> {
        let mut seeds = BTreeMap::new();
        for epoch in 1..=self.head().epoch {
            if self.read::<u64>(&keys::published(&self.state.id, epoch))?.is_none() {
                let key = keys::seed(&self.state.id, epoch);
                let seed = self.read::<String>(&key)?.as_deref().and_then(seed_of);
                seeds.insert(epoch, seed.ok_or_else(|| StoreError::damaged(&key, "no seed is there"))?);
            }
        }
        Ok(seeds)
    }

    /// True if there is anything here that a referee could read but whoever has these rights cannot.
    pub fn holds_secrets_of_others(&self, rights: &Rights<'_>) -> Result<bool, StoreError> {
        for number in self.maybe_secret(|_| true)? {
            if self.page(number)?.is_some_and(|page| page.is_secret() && !rights.made(&page.entry)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The secret unrevealed entries of these epochs, and the newest entries of all.
    pub fn maybe_secret(&self, of_epoch: impl Fn(u32) -> bool) -> Result<BTreeSet<u64>, StoreError> {
        let prefix = keys::secrets(&self.state.id);
        let mut numbers = BTreeSet::new();
        for record in self.host.committer().stored(&prefix) {
            let (key, epoch) = record?;
            if of_epoch(from_json(&key, &epoch)?) {
                numbers.extend(key[prefix.len()..].parse::<u64>());
            }
        }
        // What was just played may not be in the store yet.
        let newest = self.head().number;
        numbers.extend(newest.saturating_sub(JUST_PLAYED) + 1..=newest);
        Ok(numbers)
    }

    /// The entries of these epochs whose dice are secret.
    pub fn secrets(&self, epochs: &BTreeMap<u32, [u8; 32]>) -> Result<Vec<u64>, StoreError> {
        let mut secrets = Vec::new();
        for number in self.maybe_secret(|epoch| epochs.contains_key(&epoch))? {
            let page = self.page(number)?;
            let page = page.filter(|page| page.is_secret() && epochs.contains_key(&page.entry.epoch));
            secrets.extend(page.filter(|page| !page.dice().is_empty()).map(|_| number));
        }
        Ok(secrets)
    }

    /// Who may see a change: the game decides for its state, and a roll for its record and offers.
    pub fn seen_of(&self, change: &Change) -> Result<Seen, StoreError> {
        match change.place() {
            Place::Record(number) => Ok(self.roll(number)?.as_ref().map_or(Seen::EVERYBODY, RollDoc::record_seen)),
            Place::Offers(number) => Ok(self.roll(number)?.as_ref().map_or(Seen::EVERYBODY, RollDoc::seen)),
            // For a game that is no longer installed, nobody knows.
            Place::Game(game) => Ok(self.host.plugins.get(&game).map_or(Seen::by(Readers::Referees), |plugin| {
                let whole = seen_at(plugin, &change.path);
                // An object is withheld if any part of it is.
                let within = if change.is_of_an_object() { leaves(change) } else { Vec::new() };
                within.iter().map(|change| seen_at(plugin, &change.path)).fold(whole, Seen::and_of)
            })),
            _ if change.path.starts_with(SHORTCUTS) => Ok(self.seen_values(change)),
            Place::TableName
            | Place::MainGame
            | Place::Referee(_)
            | Place::Seat(_)
            | Place::Character(_)
            | Place::TableSetting(_)
            | Place::Sealed(_)
            | Place::Note(_)
            | Place::Order(_)
            | Place::TableShortcuts
            | Place::Shortcuts(_)
            | Place::Scene
            | Place::Room(_)
            | Place::Other(_) => Ok(Seen::EVERYBODY),
        }
    }

    /// Who may see the values in a change of what is saved for characters.
    pub fn seen_values(&self, change: &Change) -> Seen {
        let seen = |leaf: &Change| match leaf.place() {
            Place::Shortcuts(of) => self.state.doc.doc.seen_values_of(of),
            _ => Seen::EVERYBODY,
        };
        // The first values at a table come with all that is around them.
        leaves(change).iter().map(seen).fold(Seen::EVERYBODY, Seen::and_of)
    }

    /// True if a change tells values of a character that not everybody may see.
    pub fn tells_values(&self, change: &Change) -> bool {
        change.path.starts_with(SHORTCUTS) && !self.seen_values(change).by_everybody()
    }

    /// Takes the changes that not everybody may read out of entry `number`, which everybody reads.
    pub fn withheld(&self, changes: &mut Changes, number: u64) -> Result<Changes, StoreError> {
        changes.withhold(|change| {
            let own = change.roll() == Some(number);
            Ok(!own && !self.seen_of(change)?.by_everybody())
        })
    }

    /// The table for export, as it is in memory.
    pub fn exported(&self) -> Exported<'a> {
        let ledger = *self;
        let read = move |keys: &[String]| ledger.read_many(keys);
        let State { id, doc, head, .. } = self.state;
        Exported::at_work(id, (*doc.doc).clone(), (**head).clone(), read)
    }

    /// What can still be done about a roll.
    pub fn roll(&self, number: u64) -> Result<Option<RollDoc>, StoreError> {
        self.read(&keys::roll(&self.state.id, number))
    }

    /// How many of each character's last rolls were measured against hidden values of `whose`, undone ones too.
    pub fn asked(&self, whose: CharacterId) -> Result<Vec<(CharacterId, usize)>, StoreError> {
        let mut asked = Vec::new();
        for character in self.state.doc.doc.characters.keys().copied().filter(|character| *character != whose) {
            let mut often = 0;
            for game in self.host.plugins.manifests() {
                let mut next: Option<u64> = self.read(&keys::latest(&self.state.id, character.0, &game.id))?;
                for _ in 0..LAST_ROLLS {
                    let Some(roll) = next.map(|number| self.roll(number)).transpose()?.flatten() else { break };
                    often += usize::from(roll.measured() == Seen::of(whose));
                    next = roll.previous;
                }
            }
            asked.extend((often > 0).then_some((character, often)));
        }
        Ok(asked)
    }

    /// A character's latest roll of a game that was not undone.
    pub fn latest(&self, character: CharacterId, game: &str) -> Result<Option<u64>, StoreError> {
        self.latest_that(character, game, Fit::Open, |_, _| Fit::Open)
    }

    /// The latest of a character's last rolls of a game that fits as `wanted`, or else the one that fits best.
    pub fn latest_that(
        &self,
        character: CharacterId,
        game: &str,
        wanted: Fit,
        fits: impl Fn(&Value, &RollDoc) -> Fit,
    ) -> Result<Option<u64>, StoreError> {
        let mut next: Option<u64> = self.read(&keys::latest(&self.state.id, character.0, game))?;
        let (mut best, mut left): (Option<(Fit, u64)>, _) = (None, LAST_ROLLS);
        while let Some(number) = next.filter(|_| left > 0 && best.is_none_or(|(fit, _)| fit < wanted)) {
            let Some(roll) = self.roll(number)? else {
                best = best.or(Some((Fit::No, number)));
                break;
            };
            // An undone roll has no record any more.
            if let Some(record) = &roll.record {
                left -= 1;
                let fit = fits(record, &roll);
                if best.is_none_or(|(before, _)| fit > before) {
                    best = Some((fit, number));
                }
            }
            next = roll.previous;
        }
        Ok(best.map(|(_, number)| number))
    }
}

/// Who may see the part of a game's state at the path of a change.
fn seen_at(plugin: &dyn Plugin, path: &str) -> Seen {
    // A game's document has a version and a state: /games/GAME/state/...
    let words = words(path);
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.as_slice() {
        [_, _, "state", place @ ..] => Seen::by(plugin.readers(place)),
        _ => Seen::EVERYBODY,
    }
}

/// The entries from `from` on, each time to the `next` one, until that is 0.
fn walk<'a>(
    from: u64,
    mut page: impl FnMut(u64) -> Result<Option<Page>, StoreError> + 'a,
    next: fn(&Page) -> u64,
) -> impl Iterator<Item = Result<Page, StoreError>> + 'a {
    let mut number = from;
    std::iter::from_fn(move || {
        while number > 0 {
            match page(number) {
                // Numbers left out after a crash that no entry names yet.
                Ok(None) => number -= 1,
                Ok(Some(page)) => {
                    number = next(&page);
                    return Some(Ok(page));
                }
                Err(error) => {
                    number = 0;
                    return Some(Err(error));
                }
            }
        }
        None
    })
}
