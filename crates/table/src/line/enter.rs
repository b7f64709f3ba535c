//! Writes a played command: its entry, the documents it changed, its possible follow-ups. Apart from what an edit takes
//! back, nothing else writes to a draft of the table.

use super::offers::{keep_choices, keep_roll, settle_rolls};
use super::shape::with_shape;
use super::{answer, verbosity};
use crate::attempt::Attempt;
use crate::draft::{Draft, person};
use crate::orders::{keep_orders, moments};
use chat::{Line, Readers, Reply, RoomId, Span};
use dice::fair::commitment;
use dice::{Dialect, Die, Notation};
use host::Host;
use host::done::Done;
use host::effects::Effects;
use host::outcome::Outcome;
use host::room::{Answered, Verbosity};
use host::state::{Stored, rely_on};
use host::words::Arguments;
use journal::documents::{GUEST, RoomDoc, to_json};
use journal::store::StoreError;
use journal::{
    Added, Before, Change, Changes, Entry, HOUSE, Link, OF_A_GROUP, OF_A_GROUP_WITH_DIGITS, Page, Place, WITH_DIGITS,
    WITH_WITHHELD, WITHOUT_WITHHELD, diff, hex, keys, line_and_place,
};
use plugin_api::{FollowUp, Trait};
use std::sync::Arc;

/// Everything that an entry is made from.
struct Entering<'a> {
    number: u64,
    attempt: &'a Attempt<'a>,
    done: &'a Done<'a>,
    withheld: &'a Changes,
    reply: &'a Reply,
    thrown: &'a [Die],
    /// The first version's entry, if the message was edited.
    replaces: Option<u64>,
}

/// How many versions of a message are read back for the dice of the first.
const MOST_VERSIONS: usize = 100;

impl Draft {
    /// Writes a played command and completes its outcome. If it rolled dice, changed something or can be followed up,
    /// it becomes an entry; if it only looked, it leaves nothing.
    pub(crate) fn enter(
        &mut self,
        host: &Host,
        mut attempt: Attempt<'_>,
        mut done: Done<'_>,
        ordinal: u32,
        outcome: &mut Outcome,
    ) -> Result<(), StoreError> {
        let mut reply = std::mem::take(&mut done.reply);
        let verbosity = if done.game == HOUSE { Verbosity::Normal } else { attempt.room.verbosity() };
        if verbosity == Verbosity::Brief {
            reply = verbosity::brief(reply);
        }
        outcome.dice = std::mem::take(&mut attempt.thrown);
        outcome.shows_head = attempt.effects.shows_head;
        outcome.calls = std::mem::take(&mut attempt.effects.calls);
        outcome.board = attempt.effects.board.take();
        attempt.only_for(reply.readers);
        reply.readers = attempt.seen.readers;
        let number = self.state.next_number();
        let rolls = settle_rolls(self, host, &attempt, &mut done, &reply, number)?;
        let replaces = self.replacing.as_mut().and_then(|first| first.entries.remove(&ordinal));
        // A game's command that can be followed up or leaves a choice is stored even if no die was rolled.
        let kept = done.game != HOUSE && (reply.record.is_some() || !reply.offers.is_empty());
        let counts = attempt.effects.counts() || replaces.is_some() || kept;
        if outcome.dice.is_empty() && done.changes.made.is_empty() && !counts {
            outcome.reply = leave_nothing(self, attempt, &done, reply);
            return Ok(());
        }
        if let Some(first) = &mut self.replacing {
            done.changes.taken_back = std::mem::take(&mut first.taken_back);
        }
        // A roll that changes nothing may be answered before it is durable; if it is lost, so are its offers.
        outcome.changed =
            done.changes.taken_back.len() + done.changes.begun.len() + done.changes.made.len() > 0 || counts;
        outcome.undoes = attempt.effects.undoes;
        outcome.erased.clone_from(&attempt.effects.erases);
        outcome.revealed.clone_from(&attempt.effects.reveals);
        outcome.tells = std::mem::take(&mut attempt.effects.tells);
        outcome.announces = std::mem::take(&mut attempt.effects.announces);
        outcome.entry = Some(number);
        reply = with_digits_told(self, host, &attempt, &done, number, reply);
        if let Some(without) = self.group.as_ref().and_then(|group| group.without.as_ref()) {
            reply = reply.text(format!(" | {without}"));
        }
        let shown = shown_number(self, host, number, replaces, outcome.dice.len())?;
        reply = answer::answer(reply, done.comment.as_deref(), &attempt.room.prefix, self.offered.len(), Some(shown));
        if reply.readers == Readers::Everybody && is_play(&done) {
            outcome.mirrored.clone_from(&reply.blocks);
        }
        if verbosity == Verbosity::Full {
            reply = verbosity::full(reply);
        }
        if attempt.is_secret() && !attempt.effects.unnoticed {
            outcome.notice = Some(notice(number, &attempt, &done, outcome, &reply));
        }
        // An entry that everybody reads withholds what they may not know; a secret entry is withheld as a whole.
        let withheld = match attempt.seen.readers {
            Readers::Everybody => {
                let mut withheld = self.ledger(host).withheld(&mut done.changes, number)?;
                withheld.noted.extend(hidden_record(&done, &reply, number));
                withheld
            }
            Readers::Referees | Readers::Player => Changes::default(),
        };
        let (attempted, withheld, thrown) = (&attempt, &withheld, outcome.dice.as_slice());
        let all = Entering { number, attempt: attempted, done: &done, withheld, reply: &reply, thrown, replaces };
        append(self, host, &all)?;
        keep_choices_of(self, &all);
        outcome.calls.extend(self.called(host, &attempt, &rolls)?);
        let moments = moments(self, host, &attempt, &mut done, &rolls)?;
        for (number, roll) in &rolls {
            keep_roll(self, host, *number, roll)?;
        }
        let message = attempt.message;
        keep_documents(self, host, attempt, done)?;
        outcome.changed |= self.carry_out(host, message, number, &moments)?;
        outcome.reply = Reply { record: None, ..reply };
        Ok(())
    }
}

/// The answer to the first `d66` of a table says how it was read.
fn with_digits_told(
    draft: &mut Draft,
    host: &Host,
    attempt: &Attempt<'_>,
    done: &Done<'_>,
    number: u64,
    reply: Reply,
) -> Reply {
    if draft.state.head.digits.is_some() || !host.plugins.is_notation(done.game, &done.spec.name) {
        return reply;
    }
    let Some((typed, dice)) = digits_of(&attempt.typed, attempt.room.dialect()) else { return reply };
    draft.state.head_mut().digits = Some(number);
    let sides = &typed[1..];
    let how = if dice == 2 { "two d6, read as tens and ones" } else { "three d6, read as the digits of one number" };
    let reply = reply.text(format!(" | I rolled {typed} as {how}. For a die with {sides} sides, type "));
    reply.code(format!("{}{} 1d{sides}", attempt.room.prefix, done.spec.name))
}

/// The answer to a command that only looked. What is asked in secret is answered to whoever asked: it may hold what is
/// theirs alone, and nothing happened at the table that a referee has to know.
fn leave_nothing(draft: &mut Draft, mut attempt: Attempt<'_>, done: &Done<'_>, mut reply: Reply) -> Reply {
    if reply.readers == Readers::Referees {
        reply.readers = Readers::Player;
    }
    draft.writes.append(std::mem::take(&mut attempt.effects.writes));
    keep_words(draft, attempt.effects.adds.take());
    answer::answer(reply, done.comment.as_deref(), &attempt.room.prefix, draft.offered.len(), None)
}

/// Stores the new choices, and that this is the character's latest roll. People without a seat have neither.
fn keep_choices_of(draft: &mut Draft, entering: &Entering<'_>) {
    let Entering { number, attempt, done, reply, .. } = *entering;
    if attempt.actor == GUEST {
        return;
    }
    let roll = done.followed.as_ref().map_or(number, |(target, _)| target.entry);
    keep_choices(draft, attempt, roll, number, reply);
    if reply.record.is_some() && done.followed.is_none() {
        draft.writes.put(keys::latest(&draft.state.id, attempt.actor.0, done.game), number.to_string());
    }
}

/// Stores the words with which a player binds the seed, until the first entry with dice from that seed contains
/// them.
fn keep_words(draft: &mut Draft, added: Option<Added>) {
    if let Some(added) = added {
        draft.state.head_mut().words.push(added);
        draft.writes.put(keys::head(&draft.state.id), to_json(&*draft.state.head));
    }
}

/// The number that an answer shows, and that of the version it replaces, with how many more dice it rolled.
fn shown_number(
    draft: &Draft,
    host: &Host,
    number: u64,
    replaces: Option<u64>,
    thrown: usize,
) -> Result<answer::Number, StoreError> {
    let version = |entry: Option<u64>| entry.map(|entry| draft.ledger(host).page(entry)).transpose();
    let Some(before) = version(replaces)?.flatten() else { return Ok(answer::Number { number, replaces: None }) };
    let mut first = before.clone();
    for _ in 0..MOST_VERSIONS {
        let Some(earlier) = version(first.entry.replaces)?.flatten() else { break };
        first = earlier;
    }
    let more = |page: &Page| thrown.saturating_sub(page.dice().len());
    let replaces = answer::Replaced { entry: before.number(), more: more(&before), in_all: more(&first) };
    Ok(answer::Number { number, replaces: Some(replaces) })
}

/// Appends the entry to the chain.
fn append(draft: &mut Draft, host: &Host, entering: &Entering<'_>) -> Result<(), StoreError> {
    let Entering { number, attempt, done, withheld, reply, thrown, replaces } = *entering;
    let answer = reply.plain();
    let (text, facts, changes) = (attempt.typed.as_str(), &with_shape(reply, thrown), &done.changes);
    let record = reply.record.as_ref().filter(|_| done.followed.is_none() && done.measured.by_everybody());
    // What only shows something, in place of an edited command, may show words that are erased later.
    let only_shows = done.game == HOUSE && changes.made.is_empty() && !attempt.effects.counts() && thrown.is_empty();
    let (answer, why) = if only_shows { ("", &[][..]) } else { (answer.as_str(), reply.why.as_slice()) };
    let sealed = journal::Draft { text, answer, dice: thrown, facts, record, changes, why, withheld };
    let (digests, parts) = host.with_entropy(|entropy| sealed.seal(entropy));
    let seed = draft.state.seed.as_ref().expect("a table is laid before it hears a command");
    let player = &attempt.message.speaker.player;
    let entry = Entry {
        number,
        rules: rules(attempt.key.ordinal, withheld, text),
        skipped: draft.state.gap.take(),
        epoch: draft.state.head.epoch,
        commitment: (!draft.state.head.committed).then(|| commitment(seed)),
        words: if draft.state.head.committed { Vec::new() } else { draft.state.head.words.clone() },
        key: attempt.key.clone(),
        player: player.clone(),
        character: attempt.actor,
        time: attempt.message.sent,
        game: done.game.to_owned(),
        command: done.spec.name.clone(),
        follows: done.followed.as_ref().map(|(target, _)| target.entry),
        undoes: attempt.effects.undoes,
        replaces,
        reveals: attempt.effects.reveals.clone(),
        erases: attempt.effects.erases.clone(),
        publishes: attempt.effects.publishes.clone(),
        secret: attempt.is_secret(),
        digests,
    };
    let before = before(draft, host, attempt, number)?;
    let link = Link::new(&draft.state.head.hash, &entry, parts, before);
    let page = Page { entry, link };
    let stored = page.to_stored();
    host.paces.keeps(person(attempt.message), attempt.message.heard_at(), stored.len());
    draft.writes.put(keys::entry(&draft.state.id, number), stored);
    if !withheld.is_empty() {
        let first = draft.state.head.withheld.unwrap_or(number);
        draft.state.head_mut().withheld = Some(first);
    }
    if attempt.is_secret() {
        draft.writes.put(keys::secret(&draft.state.id, number), to_json(&draft.state.head.epoch));
    }
    let head = draft.state.head_mut();
    head.number = number;
    head.time = Some(page.entry.time);
    head.hash = page.link.hash;
    head.committed = true;
    head.next_character = attempt.head.next_character;
    Ok(())
}

/// The previous entries of the same player and of the same character.
fn before(draft: &mut Draft, host: &Host, attempt: &Attempt<'_>, number: u64) -> Result<Before, StoreError> {
    draft.move_last_entries();
    let (player, took) = (&attempt.message.speaker.player, Some(attempt.rights.taken()));
    if attempt.actor == GUEST {
        return Ok(Before { took, ..Before::default() });
    }
    let ledger = draft.ledger(host);
    let (by_player, of_character) = (ledger.last_of_player(player)?, ledger.last_of_character(attempt.actor)?);
    draft.writes.put(keys::last_of_player(&draft.state.id, player), number.to_string());
    draft.writes.put(keys::last_of_character(&draft.state.id, attempt.actor), number.to_string());
    Ok(Before { player: by_player, character: of_character, also: None, took })
}

/// Stores the documents that the command changed.
fn keep_documents(draft: &mut Draft, host: &Host, attempt: Attempt<'_>, done: Done<'_>) -> Result<(), StoreError> {
    if !Arc::ptr_eq(&attempt.doc, &draft.state.doc.doc) {
        draft.writes.put(keys::doc(&draft.state.id), to_json(&*attempt.doc));
        let before = std::mem::replace(&mut draft.state.doc, Stored { doc: attempt.doc, stored: true });
        keep_orders(draft, &before.doc.orders, attempt.message);
    }
    keep_room(draft, host, &attempt.message.room, attempt.room)?;
    if let Some((state, json)) = done.state {
        draft.writes.put(keys::game(&draft.state.id, done.game), json);
        draft.state.games_mut().insert(done.game.to_owned(), state);
    }
    keep_effects(draft, host, attempt.effects)
}

/// Stores the other effects of one of the table's own commands.
fn keep_effects(draft: &mut Draft, host: &Host, effects: Effects) -> Result<(), StoreError> {
    draft.writes.append(effects.writes);
    effects.outdated_games.iter().for_each(|game| draft.state.plays_another(game));
    for (room, doc) in effects.rooms {
        write_room(draft, host, &room, &doc)?;
        // In memory too, because it is read again before it is durable.
        draft.state.rooms_mut().entry(room).and_modify(|side| *side = Stored { doc: Arc::new(doc), stored: true });
    }
    for (number, roll) in &effects.rolls {
        keep_roll(draft, host, *number, roll)?;
    }
    if let Some(seed) = effects.next_seed {
        let epoch = draft.state.head.epoch + 1;
        draft.state.head_mut().begin_epoch(epoch);
        draft.writes.put(keys::seed(&draft.state.id, draft.state.head.epoch), to_json(&hex(&seed)));
        draft.state.seed = Some(seed);
    }
    Ok(())
}

fn keep_room(draft: &mut Draft, host: &Host, id: &RoomId, room: Arc<RoomDoc>) -> Result<(), StoreError> {
    // Copy the draft's rooms only if the room's settings changed.
    let before = &draft.state.rooms[id].doc;
    if Arc::ptr_eq(&room, before) {
        return Ok(());
    }
    let sat_at = before.table.clone();
    let stored = write_room(draft, host, id, &room)?;
    // It was seated elsewhere since the table read its settings.
    if stored.is_some_and(|stored| stored.table != sat_at) {
        return Err(StoreError::Overtaken);
    }
    draft.state.rooms_mut().insert(id.clone(), Stored { doc: room, stored: true });
    Ok(())
}

/// Writes a room's settings, unless something else was written there since. Returns what was there before.
pub fn write_room(draft: &mut Draft, host: &Host, id: &RoomId, room: &RoomDoc) -> Result<Option<RoomDoc>, StoreError> {
    let key = keys::room(id);
    let before = match draft.writes.get(&key) {
        Some(_) => draft.read(host, &key)?,
        None => rely_on(host, &key, &mut draft.writes)?,
    };
    draft.writes.put(key, to_json(room));
    Ok(before)
}

/// The record of a new roll against a hidden value, which the entry withholds.
fn hidden_record(done: &Done<'_>, reply: &Reply, number: u64) -> Vec<Change> {
    match !done.measured.by_everybody() && done.followed.is_none() {
        true => diff(&Place::Record(number).path(), None, reply.record.as_ref()),
        false => Vec::new(),
    }
}

/// What everybody is told about a secret command.
fn notice(number: u64, attempt: &Attempt<'_>, done: &Done<'_>, outcome: &Outcome, reply: &Reply) -> Line {
    let name = attempt.doc.name_of(attempt.actor);
    if !reply.notice.is_empty() {
        let who = Span::Text(format!("#{number}: {name} "));
        return std::iter::once(who).chain(reply.notice.iter().cloned()).collect();
    }
    let what = match (done.game, done.spec.name.as_str()) {
        (HOUSE, "seal") => "a sealed declaration",
        (HOUSE, "tell") => "a word in private",
        (HOUSE, "note") => "a private note",
        (HOUSE, "handout") => "a handout",
        _ if outcome.dice.is_empty() => "a secret command",
        _ => "a secret roll",
    };
    vec![Span::Text(format!("#{number}: {what} by {name}"))]
}

/// True if it is part of the play, so that the table's other rooms want to see it.
fn is_play(done: &Done<'_>) -> bool {
    done.game != HOUSE || done.spec.is(Trait::Play)
}

/// The first of a line's dice that are read as digits, and how many dice it is.
fn digits_of(line: &str, dialect: Dialect) -> Option<(String, u32)> {
    if !dice::has_digits(line) {
        return None;
    }
    let typed = Arguments::of(line, FollowUp::No).typed;
    let mut starts = typed.match_indices(char::is_whitespace).map(|(at, _)| at + 1);
    starts.find_map(|start| Notation::typed_in(dialect, &typed[start..]).ok())?.digits()
}

/// The rules that an entry is written under.
fn rules(ordinal: u32, withheld: &Changes, text: &str) -> u32 {
    match (line_and_place(ordinal), dice::has_digits(text)) {
        ((_, 1..), true) => OF_A_GROUP_WITH_DIGITS,
        ((_, 1..), false) => OF_A_GROUP,
        (_, true) => WITH_DIGITS,
        _ if withheld.is_empty() => WITHOUT_WITHHELD,
        _ => WITH_WITHHELD,
    }
}
