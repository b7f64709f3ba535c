//! An open table, and how a message is played at it.
//!
//! [`Table::hear`] plays a message on a draft of the table, which then replaces the table, and returns the writes that
//! do the same in the store. If they fail, the table in memory is discarded and reopened from the store, so memory
//! never knows more than the disk.

mod amend;
mod board;
mod edit;
mod elsewhere;
mod lines;
mod mended;
mod posts;
mod reserve;
mod room_events;
mod taken_back;

use crate::boards::keep_boards;
use crate::draft::{Draft, Named, Replacing};
use crate::line::Command;
use crate::nudges::keep_nudge;
use crate::table::amend::play_said;
use chat::{Edits, Event, Guarantees, Message, Readers, Reply, RoomId, Speaker, Standing, Trust, Unaccepted};
use host::Host;
use host::budget::MOST_LINES;
use host::fuel::Fuel;
use host::inline::Inline;
use host::ledger::Ledger;
use host::limits::Pulse;
use host::notation::reads_as_dice;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::room::{Answered, EDITS, INLINE};
use host::route::SaidTo;
use host::state::State;
use host::words::{Arguments, CommandLine};
use jiff::Timestamp;
use journal::committer::Lane;
use journal::documents::{GUEST, Head, InboxRow, RoomDoc, TableDoc, to_json};
use journal::hex;
use journal::keys::{self, TableId};
use journal::store::{Batch, Lease, StoreError};
use plugin_api::{CommandSpec, Plugin};
use posts::Lines;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// An open table.
pub struct Table {
    lane: Lane,
    pub(crate) state: State,
    pulse: Pulse,
    /// Entries up to here may be shown before they are durable.
    safe: u64,
    /// How many numbers are reserved beyond the last entry: more while commands come faster than the disk can write, and none
    /// where nothing may be said before it is durable.
    ahead: u64,
    /// The number of successive commands that found everything before them durable.
    calm: u32,
    /// Boards that nobody wants any more, and that are still to be taken back.
    left_boards: BTreeSet<(u64, RoomId)>,
}

/// A message and its command lines.
#[derive(Clone, Copy)]
struct Said<'a> {
    message: &'a Message,
    lines: &'a [CommandLine],
}

/// What happens with the answer to a message.
#[derive(Clone, Copy)]
enum Answering<'a> {
    /// It is said.
    Anew,
    /// It replaces the answer to the first version, the message with this id.
    Correcting(&'a str),
    /// Nothing is said.
    Nothing,
}

impl Table {
    /// Opens the table from the store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn open(host: &Host, id: TableId) -> Result<Self, StoreError> {
        let (lane, state) = (host.committer().lane(), State::read_from(host, id)?);
        let ahead = u64::from(host.committer().lease() == Lease::Own);
        Ok(Table { lane, state, pulse: Pulse::default(), safe: 0, ahead, calm: 0, left_boards: BTreeSet::new() })
    }

    /// The bot as this table plays with it, for all that follows.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn plays_with(&mut self, bot: &Arc<Host>) -> Result<Arc<Host>, StoreError> {
        self.state.plays_with(bot)
    }

    /// The lane for its batches.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// The command lines of an event, for [`lay`](Self::lay) and [`hear`](Self::hear).
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn lines(&mut self, host: &Host, event: &Event) -> Result<Vec<CommandLine>, StoreError> {
        self.state.keep_up(host);
        // Its room may have been at another table in between, and its settings may have changed there.
        if self.state.rooms.get(event.room()).is_some_and(|room| room.doc.table != self.state.id) {
            self.state.rooms_mut().remove(event.room());
        }
        match event {
            Event::Said(message) | Event::Edited { message, .. } => self.lines_of(host, message),
            _ => Ok(Vec::new()),
        }
    }

    /// If the event holds a command and the table has no seed for it yet, returns what must be durable before
    /// [`hear`](Self::hear). A new table gets its first seed. One restored from a backup begins a new epoch, because
    /// players know what was played, and what was published, after the backup. If the network redelivers messages that
    /// were not accepted, those from before come first and keep their dice.
    pub fn lay(&mut self, host: &Host, event: &Event, lines: &[CommandLine], network: Guarantees) -> Option<Batch> {
        let message = event.message().filter(|_| !lines.is_empty())?;
        let restored = host.restored.as_deref().and_then(|time| time.parse::<Timestamp>().ok());
        let comes_again =
            network.unaccepted == Unaccepted::ComeAgain && restored.is_some_and(|restored| message.sent <= restored);
        let outdated = self.state.head.restored != host.restored && !comes_again;
        if self.state.seed.is_some() && !outdated {
            return None;
        }
        if self.state.seed.is_some() {
            let epoch = self.state.head.epoch + 1;
            self.state.head_mut().begin_epoch(epoch);
        }
        self.state.head_mut().restored.clone_from(&host.restored);
        let seed = host.with_entropy(|entropy| entropy.secret());
        let mut batch = Batch::default();
        batch.put(keys::seed(&self.state.id, self.state.head.epoch), to_json(&hex(&seed)));
        batch.put(keys::head(&self.state.id), to_json(&*self.state.head));
        self.state.seed = Some(seed);
        Some(batch)
    }

    /// Plays an event with these lines.
    ///
    /// # Errors
    /// The store cannot be read; nothing happened, and the table must be reopened.
    pub fn hear(
        &mut self,
        host: &Host,
        event: &Event,
        lines: &[CommandLine],
        network: Guarantees,
    ) -> Result<Heard, StoreError> {
        let event = &*self.in_its_time(host, event);
        let event = &*host.with_accounts(event)?;
        if let Event::Said(message) | Event::Edited { message, .. } = event {
            let room = &self.state.room(host, &message.room)?.doc;
            let unheard = matches!(event, Event::Edited { .. }) && !EDITS.is_on(room);
            if unheard || host.ignores(&message.room, room, &message.speaker) {
                return Ok(Heard::nothing());
            }
        }
        match event {
            Event::Said(message) => {
                let row = keys::inbox(message.said_in(), &message.id);
                if message.comes_again && host.read_doc::<InboxRow>(&row)?.is_some() {
                    return Ok(Heard::nothing());
                }
                let kept = network.may_be_heard_again() || message.comes_again;
                let rows = kept.then_some(row).into_iter().collect();
                self.hear_message(host, Said { message, lines }, rows, Answering::Anew, network)
            }
            Event::Redacted { message, of } => self.hear_taken_back(host, message, of, network),
            Event::Edited { message, original } => self.hear_edit(host, Said { message, lines }, original, network),
            _ => self.hear_of(host, event),
        }
    }

    /// The event with a plausible time: not before the last entry, and not after it was heard. What an order did may be
    /// later than that, if the message was on its way meanwhile; then it is as late.
    fn in_its_time<'a>(&self, host: &Host, event: &'a Event) -> Cow<'a, Event> {
        let mut event = Cow::Borrowed(event);
        if let Some(message) = event.message() {
            let earliest = self.state.head.time.unwrap_or(Timestamp::MIN);
            let latest = message.heard_at().max(earliest.min(host.now()));
            let sent = message.sent.max(earliest).min(latest);
            if sent != message.sent {
                event.to_mut().message_mut().into_iter().for_each(|message| message.sent = sent);
            }
        }
        event
    }

    /// True if hearing an event with these lines may take longer than rolling some dice, because it reads much of the
    /// journal, plays a command many times for its chances, or guesses at what a refused line means. True in doubt.
    pub fn may_take_long(&self, host: &Host, event: &Event, lines: &[CommandLine]) -> bool {
        if matches!(event, Event::Edited { .. } | Event::Redacted { .. }) {
            return true;
        }
        let TableDoc { shortcuts, seats, .. } = &*self.state.doc.doc;
        // Acting for another character takes one of the table's own commands.
        let whose =
            event.message().and_then(|message| seats.get(&message.speaker.player)).map_or(GUEST, |seat| seat.plays);
        let has_macro = |word: &str| shortcuts.of(whose).any(|named| named.macros.contains_key(word));
        let long = |word: &str| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase();
            // Of a game's commands, only those inside one of the table's own take long.
            host.plugins.house().iter().any(|command| command.answers_to(&word)) || has_macro(&word)
        };
        let room = self.state.rooms.get(event.room()).map(|room| &*room.doc);
        let mut lines = lines.iter().take(MOST_LINES);
        lines.any(|line| {
            let reads = room.is_some_and(|room| reads_plainly(host, room, line));
            !reads || line.typed.split(|c: char| c.is_whitespace() || c == '#').any(long)
        })
    }

    /// Notes that a batch with this [`Heard::reserved`] is durable.
    pub fn confirm(&mut self, reserved: u64) {
        self.safe = self.safe.max(reserved);
    }

    /// What to write when the table is unloaded in order, so that no number is lost.
    pub fn close(&self) -> Option<Batch> {
        (self.state.seed.is_some() && self.state.head.reserved > self.state.head.number && self.state.gap.is_none())
            .then(|| {
                let mut batch = Batch::default();
                let head = Head { reserved: self.state.head.number, ..(*self.state.head).clone() };
                batch.put(keys::head(&self.state.id), to_json(&head));
                batch
            })
    }

    /// Plays the lines of a message, and stores its outcome in `rows` if the network may deliver it again.
    fn hear_message(
        &mut self,
        host: &Host,
        Said { message, lines }: Said<'_>,
        rows: Vec<String>,
        answering: Answering<'_>,
        network: Guarantees,
    ) -> Result<Heard, StoreError> {
        let mut heard = Heard::default();
        let played = if lines.len() > MOST_LINES { Lines::First } else { Lines::All };
        let Speaker { player, name, trust, standing, .. } = &message.speaker;
        let ordered = *standing == Standing::Operator;
        // The sender of a late message, or one said elsewhere, need not be here now.
        let speaks = !ordered && message.ordered.is_none();
        if speaks && !message.late && !message.absent && message.aside.is_none() {
            host.roster.enter(&message.room, player, name, *trust);
            host.roster.spoke_from(&message.room, player, &message.speaker.address);
        }
        let found = self.found(player);
        let seats = &self.state.doc.doc.seats;
        let unknown = !message.speaker.accounts().any(|account| seats.contains_key(account));
        let new = speaks && !lines.is_empty() && host.roster.meet(&message.room, player, found);
        let returned = self.state.doc.doc.seats.get(player).map(|seat| seat.plays).filter(|_| new);
        let mut draft = self.draft();
        // Every version of a message has the dice of the first.
        if let Answering::Correcting(first) = answering {
            draft.replacing = Some(Replacing { id: first.to_owned(), ..Replacing::default() });
        }
        if !(network.may_be_heard_again() || message.comes_again) {
            draft.named = Named::ByItsEntry;
        }
        draft.edits = network.edits;
        let gone = !matches!(answering, Answering::Nothing) && is_gone(host, message);
        for (ordinal, line) in (1..).zip(lines.iter().take(MOST_LINES)) {
            match gone {
                true => heard.outcomes.push(not_seen(message)),
                false => {
                    let played = play_said(&mut draft, host, message, ordinal, line)?;
                    heard.outcomes.extend(played.into_iter().map(|(_, outcome)| outcome));
                }
            }
        }
        heard.batch = self.keep(host, draft)?;
        if !lines.is_empty() {
            host.note_use(&message.speaker, message.heard_at(), &mut heard.batch)?;
        }
        if let (Some(plays), Trust::NickOnly, false) = (returned, trust, message.private) {
            self.warn_of_a_bare_nick(plays, name, &mut heard);
        }
        if new && unknown && !message.private && !message.late {
            self.welcome(host, message, &mut heard)?;
        }
        // The original stands for its edits, and is the one that gets erased; the others contain no words.
        let kept = if rows.is_empty() { Vec::new() } else { lines::kept(host, lines) };
        self.note_rows(message, rows, kept, network.unaccepted, &mut heard);
        let first = if let Answering::Correcting(first) = answering { first } else { &message.id };
        self.keep_mended(host, message, first, &mut heard)?;
        match answering {
            _ if ordered => {}
            Answering::Nothing => {}
            Answering::Anew => self.post_answers(host, message, played, None, &mut heard)?,
            Answering::Correcting(first) => self.post_answers(host, message, played, Some(first), &mut heard)?,
        }
        self.post_boards(host, message, &mut heard)?;
        self.reserve(&mut heard);
        // If a message may come again, its answer must not show a number that a crash could still change.
        heard.early &= network.unaccepted == Unaccepted::Lost && !message.comes_again;
        Ok(heard)
    }

    /// Stores a message's outcome in `rows` if it may be heard again; the last row also gets its lines.
    fn note_rows(
        &self,
        message: &Message,
        rows: Vec<String>,
        mut lines: Vec<String>,
        unaccepted: Unaccepted,
        heard: &mut Heard,
    ) {
        let player = &message.speaker.player;
        let last = rows.len().saturating_sub(1);
        for (place, row) in rows.into_iter().enumerate() {
            let kept = if place == last { std::mem::take(&mut lines) } else { Vec::new() };
            match heard.outcomes.iter().any(|outcome| outcome.kind == OutcomeKind::Played) {
                // Without redelivery nothing was stored about a message that is only prose.
                _ if heard.outcomes.is_empty() && unaccepted == Unaccepted::Lost => {}
                // The row of an edited message stays; otherwise the message would be played again when redelivered.
                _ if heard.outcomes.is_empty() && place == 0 => heard.batch.delete(row),
                true => {
                    let played = InboxRow::played(&self.state.id, player, kept, heard.entries());
                    heard.batch.put(row, to_json(&played));
                }
                false => {
                    let refused = InboxRow::Refused { lines: kept, by: Some(player.clone()) };
                    heard.batch.put(row, to_json(&refused));
                }
            }
        }
    }

    /// A draft of the table, to play a message on.
    fn draft(&mut self) -> Draft {
        Draft {
            state: self.state.clone(),
            writes: Batch::default(),
            pulse: std::mem::take(&mut self.pulse),
            replacing: None,
            named: Named::ByItsNetwork,
            group: None,
            offered: Vec::new(),
            asks: false,
            edits: Edits::None,
            fuel: Fuel::of_a_message(),
        }
    }

    /// Makes a draft the table. Returns what to write for that.
    fn keep(&mut self, host: &Host, mut draft: Draft) -> Result<Batch, StoreError> {
        let kept = keep_nudge(&mut draft, host, &self.state).and_then(|()| keep_boards(&mut draft, host, &self.state));
        (self.state, self.pulse) = (draft.state, draft.pulse);
        self.left_boards.append(&mut kept?);
        Ok(draft.writes)
    }

    /// Leaves the table as it was before the draft.
    fn drop_draft(&mut self, draft: Draft) {
        self.pulse = draft.pulse;
    }

    /// The journal.
    fn ledger<'a>(&'a self, host: &'a Host) -> Ledger<'a> {
        Ledger { host, state: &self.state, writes: None }
    }

    fn lines_of(&mut self, host: &Host, message: &Message) -> Result<Vec<CommandLine>, StoreError> {
        let room = self.state.room(host, &message.room)?.doc.clone();
        // A message said aside has no line for anybody else.
        let to = if message.aside.is_some() { SaidTo::BotAlone } else { SaidTo::of(message) };
        let notation = host.plugins.notation(&room).filter(|_| INLINE.is_on(&room) && !room.only_watches());
        let inline = notation.map(|command| Inline { dialect: room.dialect(), command: &command.name });
        Ok(host.router.lines(&message.body, &room.prefix, to, inline))
    }
}

/// True if a line is dice, or reads as a command of one of the room's games as it is. Of any other much may be guessed at.
fn reads_plainly(host: &Host, room: &RoomDoc, line: &CommandLine) -> bool {
    let (word, place) = host.plugins.begun(&line.typed, room);
    let read = |(plugin, spec): &(&dyn Plugin, &CommandSpec)| {
        let typed = Arguments::of(&line.typed, spec.follow_up).typed;
        Command { plugin: *plugin, spec, from: place.end }.reads_anywhere(&typed)
    };
    host.plugins.knowing(&word, room).iter().any(read) || reads_as_dice(&line.typed, room.dialect())
}

/// True if somebody who speaks for a room from elsewhere has left it since that was accepted. After a start nobody
/// knows yet who is there.
fn is_gone(host: &Host, message: &Message) -> bool {
    let present = host.roster.present(&message.room);
    message.aside.is_some() && !present.is_empty() && !present.contains_key(&message.speaker.player)
}

/// Refuses a line of somebody who is no longer in its room.
fn not_seen(message: &Message) -> Outcome {
    let mut outcome = Outcome::silent(&message.speaker.name, &message.speaker.name);
    outcome.kind = OutcomeKind::Refused;
    outcome.reply = Reply::from(format!("I do not see you in {} any more.", message.room.id));
    outcome.reply.readers = Readers::Player;
    outcome
}
