//! Edited messages: one that was refused is played; one that was played is played again with its dice, or stands.
//!
//! Nothing is gained by editing: the new version gets the dice of the first one, has to use them as far as they went,
//! and the journal shows both.

use super::ledger::Ledger;
use super::resolve::NotFound;
use super::undo::TakenBack;
use super::{Answering, Heard, Kept, Manner, OutcomeKind, Table, lines};
use crate::bot::Bot;
use crate::documents::{InboxRow, to_json};
use crate::house;
use crate::journal::{Change, Page};
use crate::keys;
use crate::route::{CommandLine, MOST_LINES};
use crate::store::{Batch, StoreError};
use chat::Message;
use dice::Die;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is known of the first version while an edit is played.
#[derive(Debug, Default)]
pub(super) struct Replacing {
    /// The id its dice were made of.
    pub id: String,
    /// Its entries, by the ordinal of their command.
    pub entries: BTreeMap<u32, u64>,
    /// How they were taken back, until the first new entry says so.
    pub taken_back: Vec<Change>,
}

/// The first version of a message, as the journal has it.
struct First {
    id: String,
    pages: Vec<Page>,
}

/// Why a first version stands, or that the store failed.
enum Stands {
    Because(String),
    Store(StoreError),
}

impl From<StoreError> for Stands {
    fn from(error: StoreError) -> Self {
        Stands::Store(error)
    }
}

impl Table {
    /// Hears that `message` is the new version of the message `original`.
    pub(super) fn hear_edit(
        &mut self,
        bot: &Bot,
        message: &Message,
        original: &str,
        manner: Manner,
    ) -> Result<Heard, StoreError> {
        self.writes = Batch::default();
        let row = keys::inbox(message.said_in(), original);
        let lines = self.lines(bot, message)?;
        match self.read(bot, &row)? {
            // The prose around the commands is nobody's business.
            Some(InboxRow::Played { lines: played, .. } | InboxRow::Refused { lines: played })
                if lines::are(&played, &lines) =>
            {
                Ok(Heard::nothing())
            }
            Some(InboxRow::Played { table, .. }) if table.as_ref().is_some_and(|table| *table != self.id) => {
                self.first_version_stands(bot, message, "it was played at another table.")
            }
            Some(InboxRow::Played { entries, .. }) => {
                match self.replay(bot, message, original, &lines, entries, manner) {
                    Ok(heard) => Ok(heard),
                    Err(Stands::Because(why)) => self.first_version_stands(bot, message, &why),
                    Err(Stands::Store(error)) => Err(error),
                }
            }
            Some(InboxRow::Waiting) => self.first_version_stands(bot, message, "it is about to be played."),
            refused @ (Some(InboxRow::Refused { .. }) | None) => {
                // The original answers for its edits: once one was played, the next finds it so.
                let edit = keys::inbox(message.said_in(), &message.id);
                let answering = if refused.is_some() { Answering::Correcting(original) } else { Answering::Anew };
                self.hear_message(bot, message, vec![edit, row], answering, manner)
            }
        }
    }

    /// Plays the new version in place of the first, with the same dice; all of it or nothing.
    fn replay(
        &mut self,
        bot: &Bot,
        message: &Message,
        original: &str,
        lines: &[CommandLine],
        entries: Vec<u64>,
        manner: Manner,
    ) -> Result<Heard, Stands> {
        let first = self.first_version(bot, message, original, lines, &entries)?;
        let before = self.snapshot();
        let played = self.play_again(bot, message, lines, &first);
        self.replacing = None;
        let mut heard = match played {
            Ok(heard) => heard,
            Err(stands) => {
                self.restore(before);
                return Err(stands);
            }
        };
        let row = |lines| InboxRow::played(&self.id, lines, &heard.outcomes);
        let (first, edit) = (row(lines::kept(bot, lines)), row(Vec::new()));
        heard.batch.put(keys::inbox(message.said_in(), original), to_json(&first));
        if manner.redelivered {
            let row = edit;
            heard.batch.put(keys::inbox(message.said_in(), &message.id), to_json(&row));
        }
        self.post_answers(bot, message, false, Some(original), &mut heard)?;
        self.reserve(&mut heard);
        heard.early &= !manner.redelivered;
        Ok(heard)
    }

    /// The entries of the first version, if they may still be played otherwise.
    fn first_version(
        &self,
        bot: &Bot,
        message: &Message,
        original: &str,
        lines: &[CommandLine],
        entries: &[u64],
    ) -> Result<First, Stands> {
        let stands = |why: String| Err(Stands::Because(why));
        let ledger = Ledger { bot, table: self };
        let row: Option<InboxRow> = self.read(bot, &keys::inbox(message.said_in(), original))?;
        if let Some(InboxRow::Played { lines: played, .. }) = row
            && (played.len() != lines.len() || lines.len() > MOST_LINES)
        {
            return stands(format!("it has {} and the edit {}.", commands(played.len()), commands(lines.len())));
        }
        let mut pages = Vec::new();
        let mut newest = self.head.players.get(&message.speaker.player).copied();
        for number in entries.iter().rev() {
            let Some(page) = ledger.page(*number)? else { return stands(format!("#{number} cannot be read.")) };
            if page.entry.player != message.speaker.player {
                return stands("somebody else sent it.".to_owned());
            }
            if newest != Some(*number) {
                let newest = newest.map_or(String::new(), |newest| format!(", #{newest}"));
                return stands(format!("you did something else since{newest}."));
            }
            if let Some(by) = page.link.fate.undone_by {
                return stands(format!("#{number} was undone in #{by}."));
            }
            if page.entry.is_about_others() {
                return stands(format!("{} cannot be mended by an edit; type another command.", page.entry.command));
            }
            let may = house::undo::may_take_back(bot, &self.doc.doc, &message.speaker, &message.room, &page);
            if let Err(refusal) = may {
                return stands(format!("{}.", refusal.what));
            }
            if page.entry.epoch != self.head.epoch {
                return stands(format!("the seed of its dice is not in use any more; see #{number}."));
            }
            newest = page.link.before.player;
            pages.push(page);
        }
        pages.reverse();
        let id = pages.first().map_or(original.to_owned(), |page| page.entry.key.id.clone());
        Ok(First { id, pages })
    }

    fn play_again(
        &mut self,
        bot: &Bot,
        message: &Message,
        lines: &[CommandLine],
        first: &First,
    ) -> Result<Heard, Stands> {
        let number = self.next_number();
        let mut replacing = Replacing { id: first.id.clone(), ..Replacing::default() };
        for page in first.pages.iter().rev() {
            let taken = Ledger { bot, table: self }.take_back(page, &self.doc.doc, number).map_err(why)?;
            replacing.taken_back.extend(taken.changes.iter().cloned());
            replacing.entries.insert(page.entry.key.ordinal, page.number());
            self.keep_taken_back(taken);
        }
        self.replacing = Some(replacing);
        let mut heard = Heard::default();
        for (ordinal, line) in (1..).zip(lines) {
            let page = first.pages.iter().find(|page| page.entry.key.ordinal == ordinal);
            let outcome = self.play_line(bot, message, ordinal, line)?;
            match outcome.kind {
                OutcomeKind::Played => {}
                OutcomeKind::Refused => return Err(Stands::Because(one_line(&outcome.reply.plain()))),
                OutcomeKind::Silent => return Err(Stands::Because(format!("I do not read \"{}\".", line.typed))),
            }
            if let Some(number) = outcome.entry
                && let Some(made) = (Ledger { bot, table: self }).page(number)?
                && made.entry.is_about_others()
            {
                return Err(Stands::Because(format!("type {} as a command of its own.", made.entry.command)));
            }
            if let Some(page) = page {
                let thrown = page.dice();
                if !outcome.dice.starts_with(&thrown) {
                    return Err(Stands::Because(other_dice(&thrown)));
                }
                if page.is_secret() != (outcome.reply.audience != chat::Audience::Table) {
                    return Err(Stands::Because("what was secret stays so, and what was not cannot become it.".into()));
                }
                if page.entry.character != self.entered_for(bot, &outcome.entry)? {
                    return Err(Stands::Because("it was another character's.".into()));
                }
                let mut link = page.link.clone();
                link.fate.replaced_by = outcome.entry;
                let mut writes = Batch::default();
                Ledger { bot, table: self }.keep_link(page.number(), &link, &mut writes);
                self.writes.append(writes);
            }
            heard.outcomes.push(outcome);
        }
        heard.batch = std::mem::take(&mut self.writes);
        Ok(heard)
    }

    fn entered_for(&self, bot: &Bot, entry: &Option<u64>) -> Result<plugin_api::CharacterId, StoreError> {
        let page = entry.map(|number| Ledger { bot, table: self }.page(number)).transpose()?.flatten();
        page.map(|page| page.entry.character).ok_or_else(|| StoreError::damaged("entry", "it was just written"))
    }

    /// Makes what was taken back the state of the table.
    fn keep_taken_back(&mut self, taken: TakenBack) {
        if let Some(doc) = taken.table {
            self.writes.put(keys::doc(&self.id), to_json(&doc));
            self.doc = Kept { doc: Arc::new(doc), stored: true };
        }
        for (id, doc) in taken.rooms {
            self.writes.put(keys::room(&id), to_json(&doc));
            self.rooms.remove(&id);
        }
        for (id, doc) in taken.games {
            self.writes.put(keys::game(&self.id, &id), to_json(&doc));
            self.games.remove(&id);
        }
        taken.rolls.iter().for_each(|(number, roll)| self.keep_roll(*number, roll));
    }
}

fn why(error: NotFound) -> Stands {
    match error {
        NotFound::Refused(refusal) => Stands::Because(format!("{}.", refusal.what)),
        NotFound::Silent => Stands::Because("it cannot be taken back.".to_owned()),
        NotFound::Store(error) => Stands::Store(error),
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
