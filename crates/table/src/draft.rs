//! The table as a message will leave it. Dropping the draft refuses the message.

use crate::grouped::Group;
use chat::{Edits, Message, PlayerId, RoomId};
use dice::Die;
use host::Host;
use host::fuel::Fuel;
use host::ledger::Ledger;
use host::limits::{Pace, Pulse};
use host::state::{GameState, State, Stored};
use host::unplayed::Unplayed;
use journal::documents::{Choice, GameDoc, RoomDoc, from_json, to_json};
use journal::store::{Batch, StoreError};
use journal::{Change, Touched, bound, keys};
use plugin_api::{Plugin, Refusal, SavedState};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A table on which a message is played, line by line.
pub(crate) struct Draft {
    pub state: State,
    /// The writes of the lines so far; later lines read them.
    pub writes: Batch,
    /// Recent activity. It counts even if the draft is dropped.
    pub pulse: Pulse,
    /// The first version of the message, if it is an edit.
    pub replacing: Option<Replacing>,
    /// How the message is named in the keys of its dice.
    pub named: Named,
    /// The group whose lines are being played, if one line stands for several.
    pub group: Option<Group>,
    /// What the message offered whoever typed it, as it is numbered.
    pub offered: Vec<Choice>,
    /// Whether posts can be edited on the network of the message.
    pub edits: Edits,
    /// True if a roll asks somebody for something.
    pub asks: bool,
    /// What is left of the work that the message may cost.
    pub fuel: Rc<Fuel>,
}

/// How a message is named in the keys of its dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// By the network's id, under which it may come again or be edited.
    ByItsNetwork,
    /// By the number of its entry, because no network vouches for its id, and the bot's operator could have chosen it.
    ByItsEntry,
}

/// What is known of the first version while an edit is played.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replacing {
    /// The id from which its dice were derived.
    pub id: String,
    /// Its entries, by the ordinal of their command.
    pub entries: BTreeMap<u32, u64>,
    /// The dice rolled for each command so far.
    pub fell: BTreeMap<u32, Vec<Die>>,
    /// What the game recorded of each roll.
    pub records: BTreeMap<u32, Value>,
    /// The changes that took them back, until the first new entry records them.
    pub taken_back: Vec<Change>,
}

impl Draft {
    /// The journal so far.
    pub fn ledger<'a>(&'a self, host: &'a Host) -> Ledger<'a> {
        Ledger { host, state: &self.state, writes: Some(&self.writes) }
    }

    /// The record under `key`, including this message's writes and submitted batches.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read<T: DeserializeOwned>(&self, host: &Host, key: &str) -> Result<Option<T>, StoreError> {
        match self.writes.get(key) {
            Some(Some(bytes)) => from_json(key, bytes).map(Some),
            Some(None) => Ok(None),
            None => host.read_doc(key),
        }
    }

    /// The settings of a room at the table.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn room(&mut self, host: &Host, room: &RoomId) -> Result<Stored<RoomDoc>, StoreError> {
        if !self.state.rooms.contains_key(room)
            && let Some(doc) = self.read::<RoomDoc>(host, &keys::room(room))?
        {
            self.state.rooms_mut().insert(room.clone(), Stored { stored: true, doc: Arc::new(doc) });
        }
        self.state.room(host, room).cloned()
    }

    /// Moves last entries that an older version stored in the head into records of their own. Call it before an entry,
    /// because each entry's batch writes the head.
    pub fn move_last_entries(&mut self) {
        if self.state.head.holds_last_entries() {
            Arc::make_mut(&mut self.state.head).move_last_entries(&self.state.id, &mut self.writes);
        }
    }

    /// The state of a game at the table.
    ///
    /// # Errors
    /// The store cannot be read, or the game cannot read its state.
    pub fn game(&mut self, host: &Host, plugin: &dyn Plugin) -> Result<GameState, Unplayed> {
        let id = &plugin.manifest().id;
        if let Some(known) = self.state.games.get(id) {
            return Ok(known.clone());
        }
        let stored: Option<GameDoc> = self.read(host, &keys::game(&self.state.id, id))?;
        let first = || {
            let SavedState { version, state } = plugin.first().saved();
            GameDoc { version, state, touched: Touched::default() }
        };
        let kept = Stored { stored: stored.is_some(), doc: Arc::new(stored.unwrap_or_else(first)) };
        let saved = SavedState { version: kept.doc.version, state: kept.doc.state.clone() };
        // The text of a file is never played as a whole.
        let bytes = if plugin.is_a_file() { 0 } else { to_json(&*kept.doc).len() };
        let game = GameState { held: plugin.held(&saved)?, bytes, kept };
        self.state.games_mut().insert(id.clone(), game.clone());
        Ok(game)
    }

    /// The value that dice are derived from, with their message's key: the seed, bound with the players' words.
    pub fn dice_seed(&self) -> [u8; 32] {
        bound(self.state.seed.as_ref().expect("a table is laid before it hears a command"), &self.state.head.words)
    }

    /// The dice rolled for this command in earlier versions of the message, if it is an edit.
    pub fn fell_before(&self, ordinal: u32) -> &[Die] {
        self.replacing.as_ref().and_then(|first| first.fell.get(&ordinal)).map_or(&[], Vec::as_slice)
    }

    /// The record of this command's roll in the version of the message that it replaces.
    pub fn record_before(&self, ordinal: u32) -> Option<Value> {
        self.replacing.as_ref()?.records.get(&ordinal).cloned()
    }

    /// Checks the rate limits.
    ///
    /// # Errors
    /// The line exceeds them.
    pub fn keep_pace(&mut self, host: &Host, message: &Message) -> Result<(), Unplayed> {
        if message.late || message.unlimited || message.counted {
            return Ok(());
        }
        let (room, limits) = (&message.room, &host.settings().limits);
        let (player, now) = (person(message), message.heard_at());
        // What was ordered earlier waited until its player had time for it.
        let begun = self.group.as_ref().is_some_and(|group| self.state.next_number() > group.first);
        if begun || message.ordered.is_some() {
            host.paces.also_command(player, now);
            self.pulse.also_command(room, now);
            return Ok(());
        }
        if let Some(until) = host.paces.is_full_until(player, now) {
            let hours = until.duration_since(now).as_hours() + 1;
            let what =
                format!("what you played fills its share of the journal: go on in {hours} h, or ask the operator");
            return Err(Refusal::new(what).into());
        }
        let waiting = host.waiting.to(message.said_in(), &message.speaker.player);
        let pace = match host.paces.command(player, now, (waiting, limits)) {
            Pace::Fine => self.pulse.command(room, now, limits),
            over => over,
        };
        match pace {
            Pace::Fine => Ok(()),
            Pace::Wait => {
                let what =
                    format!("{waiting} of my answers to you still wait to be sent here: read them before you go on");
                Err(Refusal::new(what).into())
            }
            Pace::Warn => Err(Refusal::new("that is too fast for me: try again in a few seconds").into()),
            Pace::Silent => Err(Unplayed::Silent),
        }
    }
}

/// The account that a person's commands are counted for: the same for both, if they linked two.
pub(crate) fn person(message: &Message) -> &PlayerId {
    message.speaker.accounts().min().unwrap_or(&message.speaker.player)
}
