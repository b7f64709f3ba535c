//! Edited messages. One that was refused is played; one that was played is played again with its dice, or stands.
//!
//! Editing gains nothing: every version gets its dice by the key of the first, must use those already rolled as far as
//! they go, and the journal shows them all. If an edit cannot be played, the previous version stands, unless the edit
//! rolled another die: then the message has no effect, and the journal records the dice.

use super::posts::Lines;
use super::{Answering, Said, Table, lines};
use crate::draft::{Draft, Replacing};
use crate::line::{comes_to_nothing_after, keep_roll, play_typed, write_room};
use crate::orders::keep_orders;
use chat::{Guarantees, Message, PlayerId, Readers, Unaccepted};
use dice::Die;
use host::Host;
use host::amends::amends;
use host::budget::MOST_LINES;
use host::outcome::{Heard, Outcome, OutcomeKind};
use host::rights::{Act, Rights};
use host::state::Stored;
use host::undo::{TakenBack, may_take_back};
use host::unplayed::Unplayed;
use host::words::CommandLine;
use journal::documents::{InboxRow, to_json};
use journal::store::StoreError;
use journal::{Page, WITH_DIGITS, keys, line_and_place};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The first version of a message, from the journal.
pub(super) struct First {
    pub id: String,
    pub pages: Vec<Page>,
}

/// The new version of the message `original`.
#[derive(Clone, Copy)]
pub(super) struct NewVersion<'a> {
    pub said: Said<'a>,
    pub original: &'a str,
}

/// Why a first version stands, or a failure of the store.
pub(super) enum Stands {
    Because(String),
    Store(StoreError),
}

impl From<StoreError> for Stands {
    fn from(error: StoreError) -> Self {
        Stands::Store(error)
    }
}

impl Table {
    /// Hears the new version of the message `original`.
    pub(super) fn hear_edit(
        &mut self,
        host: &Host,
        said: Said<'_>,
        original: &str,
        network: Guarantees,
    ) -> Result<Heard, StoreError> {
        let Said { message, lines } = said;
        let row = keys::inbox(message.said_in(), original);
        let first: Option<InboxRow> = host.read_doc(&row)?;
        // Nobody can edit what somebody else said, or what was never heard.
        if self.sender_of(host, first.as_ref())?.as_ref() != Some(&message.speaker.player) {
            return Ok(Heard::nothing());
        }
        match first {
            // The prose around the commands does not matter.
            Some(InboxRow::Played { lines: played, .. } | InboxRow::Refused { lines: played, .. })
                if lines::are(&played, lines) =>
            {
                Ok(Heard::nothing())
            }
            Some(InboxRow::Played { table, .. }) if table.as_ref().is_some_and(|table| *table != self.state.id) => {
                self.first_version_stands(host, message, "it was played at another table.", Readers::Everybody)
            }
            Some(InboxRow::Played { entries, .. }) => {
                let version = NewVersion { said, original };
                match self.replay(host, version, &entries, network) {
                    Ok(heard) => Ok(heard),
                    Err(Stands::Because(why)) => {
                        let readers = self.readers_of(host, &entries)?;
                        self.first_version_stands(host, message, &why, readers)
                    }
                    Err(Stands::Store(error)) => Err(error),
                }
            }
            // It was taken back: the network told of its edit later than of that.
            Some(InboxRow::Refused { lines, .. }) if lines.is_empty() => Ok(Heard::nothing()),
            Some(InboxRow::Refused { .. }) => {
                // The original stands for its edits: once one was played, the next sees that.
                let edit = keys::inbox(message.said_in(), &message.id);
                self.hear_message(host, said, vec![edit, row], Answering::Correcting(original), network)
            }
            Some(InboxRow::Waiting) | None => Ok(Heard::nothing()),
        }
    }

    /// Who may read why these entries stand; it may tell which dice were rolled.
    fn readers_of(&self, host: &Host, entries: &[u64]) -> Result<Readers, StoreError> {
        let ledger = self.ledger(host);
        for number in entries {
            if ledger.page(*number)?.is_some_and(|page| page.is_secret()) {
                return Ok(Readers::Player);
            }
        }
        Ok(Readers::Everybody)
    }

    /// The sender of the message in this row, if known.
    fn sender_of(&self, host: &Host, row: Option<&InboxRow>) -> Result<Option<PlayerId>, StoreError> {
        match row {
            Some(InboxRow::Played { by: Some(by), .. } | InboxRow::Refused { by: Some(by), .. }) => {
                Ok(Some(by.clone()))
            }
            // An older version stored it only in the entries.
            Some(InboxRow::Played { entries, table, .. })
                if table.as_ref().is_none_or(|table| *table == self.state.id) =>
            {
                let first = entries.first().map(|number| self.ledger(host).page(*number)).transpose()?;
                Ok(first.flatten().map(|page| page.entry.player))
            }
            _ => Ok(None),
        }
    }

    /// Plays the new version in place of the first, with the same dice: all of it or nothing.
    fn replay(
        &mut self,
        host: &Host,
        version: NewVersion<'_>,
        entries: &[u64],
        network: Guarantees,
    ) -> Result<Heard, Stands> {
        let NewVersion { said: Said { message, lines }, original } = version;
        let first = self.first_version(host, version, entries)?;
        let mut made = BTreeMap::new();
        let mut draft = self.draft();
        draft.edits = network.edits;
        let mut played = play_again(&mut draft, host, version, &first, &mut made);
        if let Err(Stands::Because(why)) = &played
            && let Some(last) = first.with_more_dice(made)
        {
            // Its result is dropped, but its dice were rolled.
            self.drop_draft(draft);
            draft = self.draft();
            played = all_to_nothing(&mut draft, host, version, (&first, &last), why);
        }
        let outcomes = match played {
            Ok(outcomes) => outcomes,
            Err(stands) => {
                self.drop_draft(draft);
                return Err(stands);
            }
        };
        let mut heard = Heard { batch: self.keep(host, draft)?, outcomes, ..Heard::default() };
        let row = |lines| InboxRow::played(&self.state.id, &message.speaker.player, lines, heard.entries());
        let (first, edit) = (row(lines::kept(host, lines)), row(Vec::new()));
        heard.batch.put(keys::inbox(message.said_in(), original), to_json(&first));
        if network.unaccepted == Unaccepted::ComeAgain {
            let row = edit;
            heard.batch.put(keys::inbox(message.said_in(), &message.id), to_json(&row));
        }
        self.post_answers(host, message, Lines::All, Some(original), &mut heard)?;
        self.post_boards(host, message, &mut heard)?;
        self.reserve(&mut heard);
        heard.early &= network.unaccepted == Unaccepted::Lost;
        Ok(heard)
    }

    /// The entries of the first version, if they may still be replaced.
    fn first_version(&self, host: &Host, version: NewVersion<'_>, entries: &[u64]) -> Result<First, Stands> {
        let NewVersion { said: Said { message, lines }, original } = version;
        let stands = |why: String| Err(Stands::Because(why));
        let ledger = self.ledger(host);
        let row: Option<InboxRow> = host.read_doc(&keys::inbox(message.said_in(), original))?;
        if let Some(InboxRow::Played { lines: played, .. }) = row
            && (played.len() != lines.len() || lines.len() > MOST_LINES)
        {
            return stands(match played.len() {
                0 => "what it said was erased.".to_owned(),
                played => format!("it has {} and the edit {}.", commands(played), commands(lines.len())),
            });
        }
        let mut pages = Vec::new();
        let mut newest = ledger.last_of_player(&message.speaker.player)?;
        let other = ledger.last_of(message.speaker.accounts())?;
        if let Some(since) = other.filter(|other| Some(*other) != newest) {
            return stands(format!("you did something else since, #{since}."));
        }
        for number in entries.iter().rev() {
            let Some(page) = ledger.page(*number)? else { return stands(format!("#{number} cannot be read.")) };
            if page.entry.player != message.speaker.player {
                return stands("somebody else sent it.".to_owned());
            }
            if newest != Some(*number) {
                let newest = newest.map_or(String::new(), |newest| format!(", #{newest}"));
                return stands(format!("you did something else since{newest}."));
            }
            if let Some(by) = page.link.fate.replaced_by {
                return stands(format!("#{number} was amended in #{by}."));
            }
            if let Some(by) = page.link.fate.undone_by {
                return stands(format!("#{number} was undone in #{by}."));
            }
            if page.entry.is_about_others() {
                return stands(format!("{} cannot be mended by an edit; type another command.", page.entry.command));
            }
            // Its dice are those of another message, where its number may be another line's.
            if page.entry.key.id != original {
                return stands(self.amended_before(host, message, lines, &page)?);
            }
            let rights = Rights::of(host, &self.state, message);
            let hidden = ledger.roll(*number)?.is_some_and(|roll| !roll.measured().by_everybody());
            if hidden && !rights.could(&self.state.doc.doc, Act::Know) {
                // The same dice with one number after another would find it.
                return stands(
                    "it is measured against what only the referee knows: undo it and type it again.".to_owned(),
                );
            }
            let may = may_take_back(host, &self.state.doc.doc, &rights, &message.room, &page);
            if let Err(refusal) = may {
                return stands(format!("{}.", refusal.what));
            }
            if page.entry.epoch != self.state.head.epoch {
                return stands(format!("the seed of its dice is not in use any more; see #{number}."));
            }
            newest = page.link.before.player;
            pages.push(page);
        }
        pages.reverse();
        Ok(First { id: original.to_owned(), pages })
    }
}

/// Plays the lines of the new version; `made` gets its entries even if it cannot stand.
fn play_again(
    draft: &mut Draft,
    host: &Host,
    NewVersion { said: Said { message, lines }, .. }: NewVersion<'_>,
    first: &First,
    made: &mut BTreeMap<u32, Page>,
) -> Result<Vec<Outcome>, Stands> {
    take_first_back(draft, host, message, first)?;
    let mut outcomes = Vec::new();
    let mut played = Vec::new();
    let room = draft.room(host, &message.room)?.doc;
    for (number, line) in (1..).zip(lines) {
        let word = line.word().0;
        if amends(host, &room, &word) {
            return Err(Stands::Because(format!("type {word} as a command of its own.")));
        }
        let mut why = None;
        let line = &first.as_meant(number, line);
        for (ordinal, outcome) in play_typed(draft, host, message, number, line)? {
            let page = outcome.entry.map(|number| draft.ledger(host).page(number)).transpose()?.flatten();
            why = why.or_else(|| in_its_way(line, &outcome, page.as_ref(), first.page(ordinal)));
            if let (None, Some(first), Some(page)) = (&why, first.page(ordinal), &page) {
                replaced(draft, host, first, page.number());
            }
            made.extend(page.map(|page| (ordinal, page)));
            outcomes.push(outcome);
            played.push(ordinal);
        }
        if let Some(why) = why {
            return Err(Stands::Because(why));
        }
    }
    match first.pages.iter().all(|page| played.contains(&page.entry.key.ordinal)) {
        true => Ok(outcomes),
        false => Err(Stands::Because("it was played for more than the edit is for.".to_owned())),
    }
}

/// Takes back the changes of the first version, and keeps its dice for the next.
pub(super) fn take_first_back(draft: &mut Draft, host: &Host, message: &Message, first: &First) -> Result<(), Stands> {
    let number = draft.state.next_number();
    let rights = Rights::of(host, &draft.state, message);
    let mut replacing = Replacing { id: first.id.clone(), ..Replacing::default() };
    for page in first.pages.iter().rev() {
        let roll = draft.ledger(host).roll(page.number())?;
        replacing.records.extend(roll.and_then(|roll| Some((page.entry.key.ordinal, roll.record?))));
        let taken = draft.ledger(host).take_back(page, &draft.state.doc.doc, &rights, number).map_err(why)?;
        replacing.taken_back.extend(taken.changes.iter().cloned());
        replacing.entries.insert(page.entry.key.ordinal, page.number());
        replacing.fell.insert(page.entry.key.ordinal, page.dice());
        keep_taken_back(draft, host, message, taken)?;
    }
    draft.replacing = Some(replacing);
    Ok(())
}

pub(super) fn replaced(draft: &mut Draft, host: &Host, page: &Page, by: u64) {
    let mut page = page.clone();
    page.link.fate.replaced_by = Some(by);
    let mut writes = Default::default();
    draft.ledger(host).keep_page(&page, &mut writes);
    draft.writes.append(writes);
}

/// Records that the message has no effect, because its new version rolled more dice but cannot be played: one entry
/// for each command that rolled dice or had an entry before.
pub(super) fn all_to_nothing(
    draft: &mut Draft,
    host: &Host,
    NewVersion { said: Said { message, lines }, .. }: NewVersion<'_>,
    (first, last): (&First, &BTreeMap<u32, Page>),
    why: &str,
) -> Result<Vec<Outcome>, Stands> {
    take_first_back(draft, host, message, first)?;
    let mut outcomes = Vec::new();
    let mut last: Vec<_> = last.iter().map(|(ordinal, page)| (line_and_place(*ordinal), page)).collect();
    last.sort_unstable_by_key(|(place, _)| *place);
    for ((number, _), page) in last {
        let Some(line) = lines.get(number as usize - 1) else { continue };
        let outcome = comes_to_nothing_after(draft, host, message, line, page, why.trim_end_matches('.'))?;
        let ordinal = page.entry.key.ordinal;
        if let (Some(first), Some(number)) = (first.page(ordinal), outcome.entry) {
            replaced(draft, host, first, number);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// Applies what was taken back to the table's state.
fn keep_taken_back(draft: &mut Draft, host: &Host, message: &Message, taken: TakenBack) -> Result<(), StoreError> {
    if let Some(doc) = taken.table {
        draft.writes.put(keys::doc(&draft.state.id), to_json(&doc));
        let before = std::mem::replace(&mut draft.state.doc, Stored { doc: Arc::new(doc), stored: true });
        keep_orders(draft, &before.doc.orders, message);
    }
    for (id, doc) in taken.rooms {
        write_room(draft, host, &id, &doc)?;
        // The new version is played with these settings.
        draft.state.rooms_mut().insert(id, Stored { doc: Arc::new(doc), stored: true });
    }
    for (id, doc) in taken.games {
        draft.writes.put(keys::game(&draft.state.id, &id), to_json(&doc));
        draft.state.games_mut().remove(&id);
    }
    for (number, roll) in &taken.rolls {
        keep_roll(draft, host, *number, roll)?;
    }
    Ok(())
}

impl First {
    /// A line of the new version, with a `d66` of older rules still the one die that it was.
    fn as_meant(&self, number: u32, line: &CommandLine) -> CommandLine {
        let ours = |page: &&Page| line_and_place(page.entry.key.ordinal).0 == number;
        let older = self
            .pages
            .iter()
            .filter(ours)
            .any(|page| page.entry.rules < WITH_DIGITS && page.text().is_some_and(|text| dice::has_digits(&text)));
        match older {
            true => CommandLine { typed: dice::as_before(&line.typed), ..*line },
            false => line.clone(),
        }
    }

    /// The entry of this command, if it had one.
    fn page(&self, ordinal: u32) -> Option<&Page> {
        self.pages.iter().find(|page| page.entry.key.ordinal == ordinal)
    }

    /// The newest entry of each command, with the most of its dice, if any command rolled more dice than in this
    /// version.
    pub(super) fn with_more_dice(&self, made: BTreeMap<u32, Page>) -> Option<BTreeMap<u32, Page>> {
        let dice = |ordinal| self.page(ordinal).map_or(0, |page| page.dice().len());
        if !made.iter().any(|(ordinal, page)| page.dice().len() > dice(*ordinal)) {
            return None;
        }
        // Those that a line made for several follow one another.
        let together = |ordinal| line_and_place(ordinal).1 > 0;
        let counts = |ordinal: u32, page: &Page| together(ordinal) || page.dice().len() > dice(ordinal);
        let mut last: BTreeMap<_, _> = made.into_iter().filter(|(ordinal, page)| counts(*ordinal, page)).collect();
        for page in &self.pages {
            last.entry(page.entry.key.ordinal).or_insert_with(|| page.clone());
        }
        Some(last)
    }
}

/// Why a line of the new version cannot replace the first's.
pub(super) fn in_its_way(
    line: &CommandLine,
    outcome: &Outcome,
    made: Option<&Page>,
    first: Option<&Page>,
) -> Option<String> {
    let thrown = first.map(Page::dice).unwrap_or_default();
    match outcome.kind {
        OutcomeKind::Played => {}
        OutcomeKind::Refused if outcome.strayed => return Some(other_dice(&thrown)),
        OutcomeKind::Refused => return Some(one_line(&outcome.reply.plain())),
        OutcomeKind::Silent => return Some(format!("I do not read \"{}\".", line.typed)),
    }
    if let Some(nothing) = &outcome.nothing {
        return Some(nothing.clone());
    }
    if let Some(made) = made.filter(|made| made.entry.is_about_others()) {
        return Some(format!("type {} as a command of its own.", made.entry.command));
    }
    let first = first?;
    if !outcome.dice.starts_with(&thrown) {
        return Some(other_dice(&thrown));
    }
    if first.is_secret() != (outcome.reply.readers != Readers::Everybody) {
        return Some("what was secret stays so, and what was not cannot become it.".to_owned());
    }
    let same = made.is_some_and(|made| made.entry.character == first.entry.character);
    (!same).then(|| "it was another character's.".to_owned())
}

fn why(error: Unplayed) -> Stands {
    match error {
        Unplayed::Refused(refusal) => Stands::Because(format!("{}.", refusal.what)),
        Unplayed::Silent => Stands::Because("it cannot be taken back.".to_owned()),
        Unplayed::Store(error) => Stands::Store(error),
    }
}

fn other_dice(thrown: &[Die]) -> String {
    let dice: Vec<_> = thrown.iter().map(ToString::to_string).collect();
    format!("an edit keeps the dice that fell ({}), and this one would not use them so.", dice.join(" "))
}

fn commands(number: usize) -> String {
    if number == 1 { "1 command".to_owned() } else { format!("{number} commands") }
}

fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
