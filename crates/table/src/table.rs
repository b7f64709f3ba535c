//! A table at work: what it holds in memory, and how a message is played at it.
//!
//! [`Table::hear`] changes the table in memory and returns the writes that make it so in the store. If they fail, the
//! table in memory is thrown away and opened again from the store, so that memory never knows more than the disk.

mod answer;
mod chances;
mod edit;
mod last_roll;
mod ledger;
mod line;
mod lines;
mod nothing;
mod offers;
mod play;
mod resolve;
mod room_events;
mod taken_back;
mod undo;
mod verbosity;
mod write;

pub use line::{Outcome, OutcomeKind};

pub(crate) use chances::Trials;
pub(crate) use ledger::Ledger;
pub(crate) use play::Effects;
pub(crate) use resolve::NotFound;
pub(crate) use room_events::RENAMED;

use crate::budget::MOST_LINES;
use crate::host::Host;
use crate::limits::Pulse;
use crate::pattern;
use crate::room::Answered;
use crate::route::CommandLine;
use chat::{Audience, Event, Message, Post, Reply, RoomId, Speaker, Standing, Trust};
use edit::Replacing;
use jiff::Timestamp;
use journal::committer::Lane;
use journal::documents::{GameDoc, Head, InboxRow, RoomDoc, TableDoc, from_json, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, StoreError};
use journal::{Entry, Link, Touched, bound, hex, seed_of};
use plugin_api::{Plugin, SavedState};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A table at work.
pub struct Table {
    id: TableId,
    lane: Lane,
    doc: Stored<TableDoc>,
    head: Head,
    seed: Option<[u8; 32]>,
    games: BTreeMap<String, Stored<GameDoc>>,
    rooms: BTreeMap<RoomId, RoomSide>,
    pulse: Pulse,
    /// Numbers that a crash may have lost; the next entry names them.
    gap: Option<(u64, u64)>,
    /// Entries up to here may be shown before they are durable.
    safe: u64,
    /// How many numbers are reserved beyond the last entry: more while commands come faster than the disk is.
    ahead: u64,
    /// Commands in a row that found everything before them durable.
    calm: u32,
    /// What the lines of the message under way have written: the lines behind them read it.
    writes: Batch,
    /// The first version of the message under way, if it is an edit.
    replacing: Option<Replacing>,
    /// What names the message under way in the keys of its dice.
    named: Named,
}

/// What names a message in the keys of its dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    /// The id that its network gave it, under which it may come again or be edited.
    ByItsNetwork,
    /// The number of its entry: no network vouches for its id, and whoever runs the bot could have chosen it.
    ByItsEntry,
}

/// A document, and whether the store has one yet.
#[derive(Clone)]
struct Stored<T> {
    doc: Arc<T>,
    stored: bool,
}

/// What a message may change of a table in memory.
struct Snapshot {
    doc: Stored<TableDoc>,
    head: Head,
    seed: Option<[u8; 32]>,
    games: BTreeMap<String, Stored<GameDoc>>,
    rooms: BTreeMap<RoomId, RoomSide>,
    gap: Option<(u64, u64)>,
}

/// How a network hands on what is said there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    /// What was not accepted comes again.
    pub redelivered: bool,
    /// What was said can be edited.
    pub edited: bool,
}

/// What becomes of the answer to a message.
#[derive(Clone, Copy)]
enum Answering<'a> {
    /// It is said.
    Anew,
    /// It takes the place of that to the first version, the message of this id.
    Correcting(&'a str),
    /// Nothing is said.
    Nothing,
}

/// A room that sits at the table.
#[derive(Clone)]
struct RoomSide {
    doc: Stored<RoomDoc>,
}

/// What hearing an event leaves to do.
#[derive(Debug, Default)]
pub struct Heard {
    /// To be made durable.
    pub batch: Batch,
    /// To be said: at once if [`early`](Self::early), else when the batch is durable.
    pub posts: Vec<Outgoing>,
    /// What was thrown changes nothing: it may be said while the batch is being written.
    pub early: bool,
    /// What became of each command line.
    pub outcomes: Vec<Outcome>,
    /// With the batch durable, entries up to here may be shown early: see [`Table::confirm`].
    pub reserved: u64,
}

impl Heard {
    /// The entries that its lines made.
    pub(crate) fn entries(&self) -> Vec<u64> {
        self.outcomes.iter().filter_map(|outcome| outcome.entry).collect()
    }

    /// Nothing is to be done.
    fn nothing() -> Self {
        Heard { early: true, ..Heard::default() }
    }
}

/// A post on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outgoing {
    /// Where it stands in the store until it was said.
    pub key: String,
    /// The post.
    pub post: Post,
    /// The roll it shows: a reply to it follows up on that.
    pub roll: Option<(TableId, u64)>,
    /// The command in front of a number that somebody puts at it as a sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<String>,
}

impl Table {
    /// Opens the table as the store has it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn open(host: &Host, id: TableId) -> Result<Self, StoreError> {
        let head: Option<Head> = read(host, &keys::head(&id))?;
        let seed = match &head {
            Some(head) => Some(read_seed(host, &id, head.epoch)?),
            None => None,
        };
        let mut head = head.unwrap_or_default();
        head.time = time_of(host, &keys::entry(&id, head.number))?;
        let doc: Option<TableDoc> = read(host, &keys::doc(&id))?;
        let gap = (head.reserved > head.number).then_some((head.number + 1, head.reserved));
        Ok(Table {
            lane: host.committer.lane(),
            doc: Stored { stored: doc.is_some(), doc: Arc::new(doc.unwrap_or_default()) },
            safe: 0,
            ahead: 1,
            calm: 0,
            writes: Batch::default(),
            replacing: None,
            named: Named::ByItsNetwork,
            head,
            seed,
            games: BTreeMap::new(),
            rooms: BTreeMap::new(),
            pulse: Pulse::default(),
            gap,
            id,
        })
    }

    /// In which lane its batches must be submitted.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// If the event holds a command and the table has no seed for it yet: what must be durable before
    /// [`hear`](Self::hear). A new table gets its first seed; one that was restored from a backup begins a new epoch,
    /// since what was played after the backup is known to the players, and so is what was published after it. Where
    /// messages are `redelivered`, those from before come again first, and keep their dice.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lay(&mut self, host: &Host, event: &Event, redelivered: bool) -> Result<Option<Batch>, StoreError> {
        let (Event::Said(message) | Event::Edited { message, .. }) = event else {
            return Ok(None);
        };
        let restored = host.restored.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        let comes_again = redelivered && restored.is_some_and(|restored| message.sent <= restored);
        let outdated = self.head.restored != host.restored && !comes_again;
        if (self.seed.is_some() && !outdated) || self.lines(host, message)?.is_empty() {
            return Ok(None);
        }
        if self.seed.is_some() {
            self.head.begin_epoch(self.head.epoch + 1);
        }
        self.head.restored.clone_from(&host.restored);
        let seed = host.with_entropy(|entropy| entropy.secret());
        let mut batch = Batch::default();
        batch.put(keys::seed(&self.id, self.head.epoch), to_json(&hex(&seed)));
        batch.put(keys::head(&self.id), to_json(&self.head));
        self.seed = Some(seed);
        Ok(Some(batch))
    }

    /// Plays an event.
    ///
    /// # Errors
    /// The store cannot be read; nothing happened, and the table must be opened again.
    pub fn hear(&mut self, host: &Host, event: &Event, manner: Manner) -> Result<Heard, StoreError> {
        // It may have sat at another table in between, where more was set.
        if self.rooms.get(event.room()).is_some_and(|side| side.doc.doc.table != self.id) {
            self.rooms.remove(event.room());
        }
        if let Event::Said(message) | Event::Edited { message, .. } = event {
            let room = &self.room(host, &message.room)?.doc.doc;
            let unheard = matches!(event, Event::Edited { .. }) && !room.plays_edits();
            if unheard || pattern::about(&room.ignored, &message.speaker).is_some() {
                return Ok(Heard::nothing());
            }
        }
        let event = &self.in_its_time(event);
        match event {
            Event::Said(message) => {
                let row = keys::inbox(message.said_in(), &message.id);
                if message.comes_again && self.read::<InboxRow>(host, &row)?.is_some() {
                    return Ok(Heard::nothing());
                }
                let kept = manner.redelivered || manner.edited || message.comes_again;
                let rows = kept.then_some(row).into_iter().collect();
                self.hear_message(host, message, rows, Answering::Anew, manner)
            }
            Event::Redacted { message, of } => self.hear_taken_back(host, message, of, manner),
            Event::Edited { message, original } => self.hear_edit(host, message, original, manner),
            _ => self.hear_of(host, event),
        }
    }

    /// The event with a time that can be shown: nothing was said before what was played last, or after it was heard.
    fn in_its_time(&self, event: &Event) -> Event {
        let mut event = event.clone();
        if let Some(message) = event.message_mut() {
            let (earliest, latest) = (self.head.time.unwrap_or(Timestamp::MIN), message.heard_at());
            message.sent = message.sent.max(earliest).min(latest);
        }
        event
    }

    /// Whether hearing an event may take longer than throwing some dice does: what reads much of the journal, or plays a
    /// command many times to know its chances. In doubt it is so.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn may_take_long(&mut self, host: &Host, event: &Event) -> Result<bool, StoreError> {
        let message = match event {
            Event::Said(message) => message,
            Event::Edited { .. } | Event::Redacted { .. } => return Ok(true),
            _ => return Ok(false),
        };
        let lines = self.lines(host, message)?;
        let shortcuts = &self.doc.doc.shortcuts;
        let long = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
            // Of a game's words only commands that are asked for by a table's own one take long.
            host.plugins.house().iter().any(|command| command.answers_to(&word)) || shortcuts.has_macro(&word)
        };
        Ok(lines
            .iter()
            .take(MOST_LINES)
            .any(|line| line.typed.split(|c: char| c.is_whitespace() || c == '#').any(long)))
    }

    /// A batch is durable that came with this [`Heard::reserved`].
    pub fn confirm(&mut self, reserved: u64) {
        self.safe = self.safe.max(reserved);
    }

    /// What to write when the table is put away in order, so that no number is lost.
    pub fn close(&self) -> Option<Batch> {
        (self.seed.is_some() && self.head.reserved > self.head.number && self.gap.is_none()).then(|| {
            let mut batch = Batch::default();
            let head = Head { reserved: self.head.number, ..self.head.clone() };
            batch.put(keys::head(&self.id), to_json(&head));
            batch
        })
    }

    /// Plays the lines of a message, and notes what became of it in `rows`, if the network may deliver it again.
    fn hear_message(
        &mut self,
        host: &Host,
        message: &Message,
        rows: Vec<String>,
        answering: Answering<'_>,
        manner: Manner,
    ) -> Result<Heard, StoreError> {
        let mut heard = Heard::default();
        let lines = self.lines(host, message)?;
        let too_many = lines.len() > MOST_LINES;
        let Speaker { player, name, trust, standing, .. } = &message.speaker;
        let ordered = *standing == Standing::Operator;
        // Who said something while the bot was away, or says it elsewhere, need not be here now.
        if !ordered && !message.late && !message.absent && message.aside.is_none() {
            host.roster.enter(&message.room, player, name, *trust);
        }
        let found = self.found(player);
        let new = !ordered && !lines.is_empty() && host.roster.meet(&message.room, player, found);
        let returned = self.doc.doc.seats.get(player).map(|seat| seat.plays).filter(|_| new);
        self.writes = Batch::default();
        // Whatever version of a message is played, its dice are those of the first.
        self.replacing = match answering {
            Answering::Correcting(first) => Some(Replacing { id: first.to_owned(), ..Replacing::default() }),
            Answering::Anew | Answering::Nothing => None,
        };
        let comes_again = manner.redelivered || manner.edited || message.comes_again;
        self.named = if comes_again { Named::ByItsNetwork } else { Named::ByItsEntry };
        let gone = !matches!(answering, Answering::Nothing) && is_gone(host, message);
        for (ordinal, line) in (1..).zip(lines.iter().take(MOST_LINES)) {
            heard.outcomes.push(match gone {
                true => not_seen(message),
                false => self.play_line(host, message, ordinal, line)?,
            });
        }
        self.replacing = None;
        heard.batch = std::mem::take(&mut self.writes);
        if let (Some(plays), Trust::NickOnly, false) = (returned, trust, message.private) {
            self.warn_of_a_bare_nick(plays, name, &mut heard);
        }
        let last = rows.len().saturating_sub(1);
        for (place, row) in rows.into_iter().enumerate() {
            // The original answers for its edits, and is the one that is erased: the others hold no words.
            let lines = if place == last { lines::kept(host, &lines) } else { Vec::new() };
            match heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played) {
                // Without redelivery nothing was written about a message of mere prose.
                _ if heard.outcomes.is_empty() && !manner.redelivered => {}
                _ if heard.outcomes.is_empty() => heard.batch.delete(row),
                true => {
                    let played = InboxRow::played(&self.id, player, lines, heard.entries());
                    heard.batch.put(row, to_json(&played));
                }
                false => {
                    let refused = InboxRow::Refused { lines, by: Some(player.clone()) };
                    heard.batch.put(row, to_json(&refused));
                }
            }
        }
        match answering {
            _ if ordered => {}
            Answering::Nothing => {}
            Answering::Anew => self.post_answers(host, message, too_many, None, &mut heard)?,
            Answering::Correcting(first) => self.post_answers(host, message, too_many, Some(first), &mut heard)?,
        }
        self.reserve(&mut heard);
        // Where a message may come again, its answer must not show a number that a crash could still change.
        heard.early &= !manner.redelivered;
        Ok(heard)
    }

    /// The table as it is now, to come back to if not all of a message can be played.
    fn snapshot(&self) -> Snapshot {
        Snapshot {
            doc: self.doc.clone(),
            head: self.head.clone(),
            seed: self.seed,
            games: self.games.clone(),
            rooms: self.rooms.clone(),
            gap: self.gap,
        }
    }

    fn restore(&mut self, before: Snapshot) {
        let Snapshot { doc, head, seed, games, rooms, gap } = before;
        (self.doc, self.head, self.seed, self.gap) = (doc, head, seed, gap);
        (self.games, self.rooms) = (games, rooms);
        self.writes = Batch::default();
    }

    /// What dice are made of, with the key of their message: the seed, bound with what players added.
    fn dice_seed(&self) -> [u8; 32] {
        bound(self.seed.as_ref().expect("a table is laid before it hears a command"), &self.head.words)
    }

    /// The record under `key`, the writes of the message under way and submitted batches included.
    fn read<T: DeserializeOwned>(&self, host: &Host, key: &str) -> Result<Option<T>, StoreError> {
        match self.writes.get(key) {
            Some(Some(bytes)) => from_json(key, bytes).map(Some),
            Some(None) => Ok(None),
            None => read(host, key),
        }
    }

    fn lines(&mut self, host: &Host, message: &Message) -> Result<Vec<CommandLine>, StoreError> {
        let room = self.room(host, &message.room)?.doc.doc.clone();
        // Said aside, no line of it is meant for anybody else.
        let private = message.private || message.aside.is_some();
        let inline = room.rolls_inline().then(|| room.dialect());
        Ok(host.router.lines(&message.body, &room.prefix, private, message.addressed, inline))
    }

    fn room(&mut self, host: &Host, room: &RoomId) -> Result<&mut RoomSide, StoreError> {
        if !self.rooms.contains_key(room) {
            let stored: Option<RoomDoc> = self.read(host, &keys::room(room))?;
            let kept = stored.is_some();
            let doc = stored.unwrap_or_else(|| host.settings().fresh_room(room));
            let doc = Stored { stored: kept, doc: Arc::new(doc) };
            self.rooms.insert(room.clone(), RoomSide { doc });
        }
        Ok(self.rooms.get_mut(room).expect("it was just put there"))
    }

    fn game(&mut self, host: &Host, plugin: &dyn Plugin) -> Result<Stored<GameDoc>, StoreError> {
        let id = &plugin.manifest().id;
        if let Some(kept) = self.games.get(id) {
            return Ok(kept.clone());
        }
        let stored: Option<GameDoc> = self.read(host, &keys::game(&self.id, id))?;
        let first = || {
            let SavedState { version, state } = plugin.first_state();
            GameDoc { version, state, touched: Touched::default() }
        };
        let kept = Stored { stored: stored.is_some(), doc: Arc::new(stored.unwrap_or_else(first)) };
        self.games.insert(id.clone(), kept.clone());
        Ok(kept)
    }
}

/// The time of the entry under `key`, if there is one.
fn time_of(host: &Host, key: &str) -> Result<Option<Timestamp>, StoreError> {
    let Some(link) = read::<Link>(host, key)? else { return Ok(None) };
    from_json::<Entry>(key, link.entry.get().as_bytes()).map(|entry| Some(entry.time))
}

/// The record under `key`, submitted batches included.
fn read<T: DeserializeOwned>(host: &Host, key: &str) -> Result<Option<T>, StoreError> {
    host.committer.read(key)?.map(|bytes| from_json(key, &bytes)).transpose()
}

fn read_seed(host: &Host, id: &TableId, epoch: u32) -> Result<[u8; 32], StoreError> {
    let key = keys::seed(id, epoch);
    let text: String = read(host, &key)?.ok_or_else(|| StoreError::damaged(&key, "the seed is missing"))?;
    seed_of(&text).ok_or_else(|| StoreError::damaged(&key, "not 32 bytes in hexadecimal"))
}

/// Whether who speaks for a room from elsewhere has left it since that was accepted. After a start nobody knows yet who is there.
fn is_gone(host: &Host, message: &Message) -> bool {
    let present = host.roster.present(&message.room);
    message.aside.is_some() && !present.is_empty() && !present.contains_key(&message.speaker.player)
}

/// Refuses a line of somebody who is not in its room any more.
fn not_seen(message: &Message) -> Outcome {
    let mut outcome = Outcome::silent(&message.speaker.name, &message.speaker.name);
    outcome.kind = OutcomeKind::Refused;
    outcome.reply = Reply::from(format!("I do not see you in {} any more.", message.room.id));
    outcome.reply.audience = Audience::Player;
    outcome
}
