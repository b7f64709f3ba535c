//! Plays a session through the core, and reports where an answer differs.

use crate::dice_box::SessionDice;
use crate::session::{self, Directive, NETWORK, ROOM, START, Step, What, Whose, parse, player};
use chat::{Block, Event, Message, Recipient, RoomId, Speaker, Standing, Trust};
use dice::Die;
use dice::fair::MessageKey;
use jiff::Timestamp;
use journal::Entropy;
use journal::documents::{RoomDoc, TableDoc, from_json, to_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store, StoreError};
use plugin_api::{Offer, Plugin};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use table::{Heard, Host, OutcomeKind, Settings, Sitting};

/// The first place where a session does not go as written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Difference {
    /// The file, as named by the caller.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// What is different; can have several lines.
    pub what: String,
}

/// The outcome of a line: an object of `astragal play --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineReport {
    /// The player who typed it.
    pub player: String,
    /// The character who acted.
    pub actor: String,
    /// What was typed.
    pub command: String,
    /// `played`, `refused`, `silent` or `queued`.
    pub outcome: &'static str,
    /// True unless it was refused.
    pub ok: bool,
    /// The answer or the refusal as plain text, lines separated by `\n`.
    pub reply: String,
    /// The dice rolled.
    pub dice: Vec<Die>,
    /// The facts of the answer.
    pub facts: Map<String, Value>,
    /// The commands offered next.
    pub offers: Vec<Offer>,
    /// Private answers, by player.
    pub private: BTreeMap<String, String>,
    /// The number of the entry that it undid.
    pub undoes: Option<u64>,
    /// True if it does not parse as its command, whatever the table's state.
    #[serde(skip)]
    pub misread: bool,
}

/// Plays the session `text` with these plugins; `report` gets each line that was said. With [`Compare::Answers`] it
/// ends at the first difference; otherwise it plays on and compares only the dice.
///
/// # Errors
/// The first line that cannot be read or does not go as written.
pub fn play(
    file: &str,
    text: &str,
    plugins: Vec<Box<dyn Plugin>>,
    compare: Compare,
    mut report: impl FnMut(LineReport),
) -> Result<(), Difference> {
    let at = |line: usize, what: String| Difference { file: file.to_owned(), line, what };
    let steps = parse(text).map_err(|error| at(error.line, error.what))?;
    let mut stage = Stage::new(&steps, plugins).map_err(|what| at(1, what))?;
    stage.play(&steps, at, compare, &mut report)
}

/// A table as a session left it, at which many lines are tried, each as if the others had never been said.
pub struct Rehearsal {
    stage: Stage,
    records: BTreeMap<String, Vec<u8>>,
    thrown: BTreeMap<MessageKey, Vec<Die>>,
    messages: u64,
}

impl Rehearsal {
    /// Plays the session `text` with these plugins, as [`play`] does with [`Compare::DiceAlone`].
    ///
    /// # Errors
    /// The first line that cannot be read, or whose dice differ.
    pub fn after(file: &str, text: &str, plugins: Vec<Box<dyn Plugin>>) -> Result<Self, Difference> {
        let at = |line: usize, what: String| Difference { file: file.to_owned(), line, what };
        let steps = parse(text).map_err(|error| at(error.line, error.what))?;
        let mut stage = Stage::new(&steps, plugins).map_err(|what| at(1, what))?;
        stage.play(&steps, at, Compare::DiceAlone, &mut |_| {})?;
        stage.sitting.put_away().map_err(|error| at(0, failed(error)))?;
        Ok(Rehearsal { records: stage.store.dump(), thrown: stage.dice.thrown(), messages: stage.messages, stage })
    }

    /// What comes of the line `text` if `name` says it, who may be new here. Afterwards the table is as it was.
    ///
    /// # Errors
    /// What went wrong with the store.
    pub fn line(&mut self, name: &str, text: &str) -> Result<LineReport, String> {
        self.try_out(name, text, Saying::New)
    }

    /// The same for a whole message, which is for the bot only if it begins with the prefix.
    ///
    /// # Errors
    /// What went wrong with the store.
    pub fn message(&mut self, name: &str, text: &str) -> Result<LineReport, String> {
        self.try_out(name, text, Saying::AsTyped)
    }

    fn try_out(&mut self, name: &str, text: &str, saying: Saying) -> Result<LineReport, String> {
        let here = self.stage.people.clone();
        if self.stage.people.insert(name.to_owned()) {
            self.stage.enter_room()?;
        }
        let said = self.stage.last_said.clone();
        let (report, _) = self.stage.say(name, text, None, saying)?;
        self.stage.sitting.put_away().map_err(failed)?;
        self.stage.store.put_back(self.records.clone());
        self.stage.dice.put_back(&self.thrown);
        (self.stage.people, self.stage.last_said, self.stage.messages) = (here, said, self.messages);
        Ok(report)
    }
}
/// What is compared in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// The answers and the dice.
    Answers,
    /// Only the dice: scripts must fit the dice rolled.
    DiceAlone,
}

/// Changes the table of `room` in a way that no player did, bypassing the journal. A bot that has the table open must
/// unload it first.
///
/// # Errors
/// The store failed.
pub fn set_up(store: &dyn Store, room: &RoomId, set: impl FnOnce(&mut TableDoc)) -> Result<(), StoreError> {
    let key = keys::doc(&TableId::of(room));
    let mut doc = store.read(&key)?.map_or(Ok(TableDoc::default()), |doc| from_json(&key, &doc))?;
    set(&mut doc);
    let mut batch = Batch::default();
    batch.put(key, to_json(&doc));
    store.commit(&batch)
}

struct Stage {
    sitting: Sitting,
    store: Arc<Memory>,
    dice: SessionDice,
    known: BTreeSet<String>,
    prefix: String,
    name: String,
    now: Timestamp,
    room: String,
    admins: BTreeSet<String>,
    people: BTreeSet<String>,
    limits: bool,
    messages: u64,
    last_said: BTreeMap<String, String>,
    /// Lines of the last answer not yet matched by a `bot` line, by who sees them.
    answer: BTreeMap<Option<String>, Vec<String>>,
    refused: bool,
}

/// Whether somebody says something new or edits their last message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Saying {
    /// A line for the bot, which may leave out the prefix.
    New,
    /// The same as a message that nothing is added to.
    AsTyped,
    Edit,
}

impl Stage {
    fn new(steps: &[Step], plugins: Vec<Box<dyn Plugin>>) -> Result<Self, String> {
        let defaults = Settings::default();
        let settings = Settings {
            plugins: session::plugins(steps).unwrap_or(defaults.plugins),
            decks: Arc::new(session::decks(steps)),
            ..defaults
        };
        let known: BTreeSet<String> = plugins.iter().map(|plugin| plugin.manifest().id.clone()).collect();
        if let Some(unknown) = settings.plugins.difference(&known).next() {
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(format!("there is no plugin {unknown}; there are {}", known.join(", ")));
        }
        let (store, dice) = (Arc::new(Memory::default()), SessionDice::default());
        let plugins = house::with_plugins(plugins).map_err(|error| error.to_string())?;
        let (prefix, name) = (settings.prefix.clone(), settings.name.clone());
        let entropy = Entropy::from_seed([0; 32]);
        let bot = Host::new(settings, plugins, store.clone(), entropy, Box::new(dice.clone()));
        let sitting = Sitting::new(Arc::new(bot.map_err(|error| error.to_string())?));
        let mut stage = Stage {
            sitting,
            store,
            dice,
            known,
            prefix,
            name,
            now: START,
            room: ROOM.to_owned(),
            admins: BTreeSet::new(),
            people: session::people(steps),
            limits: false,
            messages: 0,
            last_said: BTreeMap::new(),
            answer: BTreeMap::new(),
            refused: false,
        };
        stage.enter_room()?;
        Ok(stage)
    }

    fn room_id(&self) -> RoomId {
        RoomId::new(NETWORK, &self.room)
    }

    /// Makes everybody in the file present in a room from its start.
    fn enter_room(&mut self) -> Result<(), String> {
        for name in self.people.clone() {
            let event = Event::Present { room: self.room_id(), player: player(&name), name, trust: Trust::Account };
            self.sitting.play(&event).map_err(failed)?;
        }
        Ok(())
    }

    /// Plays the steps; `at` makes a difference of a line and of what is wrong there.
    fn play(
        &mut self,
        steps: &[Step],
        at: impl Fn(usize, String) -> Difference,
        compare: Compare,
        report: &mut impl FnMut(LineReport),
    ) -> Result<(), Difference> {
        let mut first = None;
        for Step { line, what } in steps {
            let result = match what {
                What::Direct(directive) => self.direct(directive),
                What::Say { name, text, dice, edit } => {
                    let (said, wrong) = self
                        .say(name, text, dice.clone(), if *edit { Saying::Edit } else { Saying::New })
                        .map_err(|what| at(*line, what))?;
                    report(said);
                    wrong.map_or(Ok(()), Err)
                }
                What::Expect { whose, text } if compare == Compare::Answers => self.expect(whose, text),
                What::Expect { .. } => Ok(()),
            };
            match (result, compare) {
                (Ok(()), _) => {}
                (Err(what), Compare::Answers) => return Err(at(*line, what)),
                (Err(what), Compare::DiceAlone) => {
                    first.get_or_insert(at(*line, what));
                }
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn direct(&mut self, directive: &Directive) -> Result<(), String> {
        match directive {
            Directive::Plugins(_) | Directive::Deck(..) => {}
            Directive::Game(id) if !self.known.contains(id) => return Err(format!("there is no plugin {id}")),
            Directive::Game(id) => self.set_up(|doc| doc.main_game = Some(id.clone()))?,
            Directive::Referee(name) => self.set_up(|doc| {
                doc.referees.insert(player(name), name.clone());
            })?,
            Directive::Admin(name) => {
                self.admins.insert(name.clone());
            }
            Directive::Now(time) => self.now = *time,
            Directive::Wait(span) => {
                self.now = self.now.checked_add(*span).map_err(|error| format!("time ends there: {error}"))?;
            }
            Directive::Room(name) => {
                self.room.clone_from(name);
                self.enter_room()?;
            }
            Directive::Limits(on) => self.limits = *on,
            Directive::Seed(seed) => self.dice.use_seed(*seed),
        }
        Ok(())
    }

    /// Changes the table in a way that no player did, bypassing the journal.
    fn set_up(&mut self, set: impl FnOnce(&mut TableDoc)) -> Result<(), String> {
        self.sitting.put_away().map_err(failed)?;
        set_up(&*self.store, &self.room_id(), set).map_err(failed)?;
        self.enter_room()
    }

    /// Plays the line. Returns its outcome, and what was wrong with its dice.
    fn say(
        &mut self,
        name: &str,
        text: &str,
        dice: Option<Vec<(u32, u32)>>,
        saying: Saying,
    ) -> Result<(LineReport, Option<String>), String> {
        self.messages += 1;
        let id = format!("m{}", self.messages);
        let body = if saying == Saying::AsTyped { text.to_owned() } else { self.with_prefix(text)? };
        let message = Message {
            unlimited: !self.limits,
            ..Message::new(
                id.clone(),
                self.room_id(),
                Speaker {
                    standing: if self.admins.contains(name) { Standing::Admin } else { Standing::Member },
                    ..Speaker::new(player(name), name)
                },
                self.now,
                body,
            )
        };
        let event = match saying {
            Saying::Edit => {
                let original = self.last_said.get(name).cloned();
                Event::Edited { message, original: original.ok_or_else(|| format!("{name} said nothing yet to edit"))? }
            }
            Saying::New | Saying::AsTyped => {
                self.last_said.insert(name.to_owned(), id);
                Event::Said(message)
            }
        };
        self.dice.script(dice);
        let heard = self.sitting.play(&event).map_err(failed)?;
        let wrong = self.dice.finish();
        let report = self.note_answer(name, text, heard);
        let wrong = wrong.map(|wrong| format!("the dice differ: {wrong}\n  answered: {}", report.reply));
        Ok((report, wrong))
    }

    /// Adds the prefix, which sessions may leave out.
    fn with_prefix(&self, text: &str) -> Result<String, String> {
        let key = keys::room(&self.room_id());
        let room = self.store.read(&key).map_err(failed)?.map(|room| from_json::<RoomDoc>(&key, &room));
        let prefix = room.transpose().map_err(failed)?.map_or_else(|| self.prefix.clone(), |room| room.prefix);
        Ok(session::typed(text, &prefix, &self.name))
    }

    fn note_answer(&mut self, name: &str, text: &str, heard: Heard) -> LineReport {
        self.answer.clear();
        self.refused = false;
        let mut private = BTreeMap::new();
        for outgoing in &heard.posts {
            let plain = outgoing.post.blocks.iter().map(Block::plain).collect::<Vec<_>>().join("\n");
            let whose = match &outgoing.post.to {
                Recipient::Room => None,
                Recipient::Player(id) => {
                    let name = self.people.iter().find(|name| player(name) == *id).cloned();
                    let name = name.unwrap_or_else(|| id.id.clone());
                    private.insert(name.clone(), plain.clone());
                    Some(name)
                }
            };
            self.refused |= outgoing.post.refusal;
            self.answer.entry(whose).or_default().extend(plain.lines().map(str::to_owned));
        }
        let reply = self.answer.get(&None).map_or(String::new(), |lines| lines.join("\n"));
        let outcome = heard.outcomes.into_iter().next();
        let kind = outcome.as_ref().map_or(OutcomeKind::Silent, |outcome| outcome.kind);
        let mut report = LineReport {
            player: name.to_owned(),
            actor: name.to_owned(),
            command: text.to_owned(),
            outcome: match kind {
                OutcomeKind::Played => "played",
                OutcomeKind::Refused => "refused",
                OutcomeKind::Silent => "silent",
            },
            ok: kind != OutcomeKind::Refused,
            reply,
            dice: Vec::new(),
            facts: Map::new(),
            offers: Vec::new(),
            private,
            undoes: None,
            misread: false,
        };
        if let Some(outcome) = outcome {
            report.misread = outcome.misread;
            report.undoes = outcome.undoes;
            report.actor = outcome.actor;
            report.dice = outcome.dice;
            report.offers = outcome.reply.offers;
            report.facts = outcome.reply.facts;
        }
        report
    }

    fn expect(&mut self, whose: &Whose, text: &str) -> Result<(), String> {
        let key = match whose {
            Whose::Private(name) => Some(name.clone()),
            Whose::Table | Whose::Refused => None,
        };
        let lines = self.answer.entry(key).or_default();
        if lines.is_empty() {
            return Err(format!("the answer has no such line\n  expected: {text}"));
        }
        let line = lines.remove(0);
        match whose {
            Whose::Table if self.refused => {
                return Err(format!("this was refused\n  expected: {text}\n  refused:  {line}"));
            }
            Whose::Refused if !self.refused => {
                return Err(format!("this was played, not refused\n  expected: {text}\n  answered: {line}"));
            }
            _ => {}
        }
        let fits = match text.strip_suffix("...") {
            Some(beginning) => line.starts_with(beginning),
            None => line == text,
        };
        if fits { Ok(()) } else { Err(show_difference(text, &line)) }
    }
}

/// Shows both lines, with a mark under the first character that differs.
fn show_difference(expected: &str, answered: &str) -> String {
    let wanted = expected.strip_suffix("...").unwrap_or(expected);
    let same = wanted.chars().zip(answered.chars()).take_while(|(a, b)| a == b).count();
    let mark = " ".repeat(same);
    format!("the answer differs\n  expected: {expected}\n  answered: {answered}\n            {mark}^")
}

pub(crate) fn failed(error: StoreError) -> String {
    format!("the store failed: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_points_at_its_first_character() {
        assert_eq!(
            show_difference("ACTION 25...", "ACTION 24 (x)"),
            "the answer differs\n  expected: ACTION 25...\n  answered: ACTION 24 (x)\n                    ^"
        );
    }
}
