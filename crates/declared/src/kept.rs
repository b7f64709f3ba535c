//! What a table keeps of a game: the versions of its file, and which of them it plays.

use crate::chances;
use crate::game::Game;
use crate::mistake::Mistakes;
use crate::plugin::plugin;
use crate::read::read;
use plugin_api::{HeldState, KeptFiles, Plugin, Refusal, SavedState, Upgrade};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

/// The most versions of a file at a table.
const MOST_VERSIONS: usize = 16;
/// The most chances that an upgrade tells.
const MOST_CHANCES: usize = 3;
/// The most bytes of a file that somebody brings, and the most mistakes that are said of it.
const MOST_BROUGHT: usize = 32 << 10;
const MOST_MISTAKES: usize = 3;
/// The version of what is stored.
const STATE: u32 = 1;

/// What a table keeps of a game. Rolls name the version of the file that made them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The version that it plays.
    plays: u32,
    /// The text of each version, as this table counts them, from 1.
    files: BTreeMap<u32, String>,
    #[serde(skip)]
    read: OnceLock<BTreeMap<u32, Arc<Game>>>,
}

impl Kept {
    /// What a table begins with.
    pub fn first(game: &Game) -> Self {
        Kept { plays: 1, files: BTreeMap::from([(1, game.text.clone())]), read: OnceLock::new() }
    }

    /// What was stored.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn of(saved: &SavedState) -> Result<Self, Refusal> {
        let unread = |why: String| Refusal::new(format!("what this table keeps of the game cannot be read: {why}"));
        if saved.version != STATE {
            return Err(unread("a newer version of me wrote it".to_owned()));
        }
        Kept::deserialize(&saved.state).map_err(|error| unread(error.to_string()))
    }

    /// The text that it plays.
    fn text(&self) -> Option<&str> {
        self.files.get(&self.plays).map(String::as_str)
    }

    /// The number of this version; 0 if it does not keep it.
    pub fn number_of(&self, game: &Game) -> u32 {
        let mut newest_first = self.files.iter().rev();
        newest_first.find(|(_, text)| **text == game.text).map_or(0, |(number, _)| *number)
    }

    /// The game as it was in this version, unless that is gone or cannot be read any more.
    pub fn game(&self, number: u32) -> Option<&Arc<Game>> {
        let read = || {
            let games = self.files.iter().filter_map(|(number, text)| Some((*number, Arc::new(read(text).ok()?))));
            games.collect()
        };
        self.read.get_or_init(read).get(&number)
    }

    /// The same with another version of the file: kept, and played.
    fn with(&self, game: &Game) -> [Self; 2] {
        let mut files = self.files.clone();
        let number = match self.number_of(game) {
            0 => self.files.keys().last().map_or(1, |last| last + 1),
            known => known,
        };
        files.insert(number, game.text.clone());
        while files.len() > MOST_VERSIONS {
            let oldest = files.keys().find(|each| ![self.plays, number].contains(each)).copied();
            oldest.and_then(|oldest| files.remove(&oldest));
        }
        [self.plays, number].map(|plays| Kept { plays, files: files.clone(), read: OnceLock::new() })
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        (self.plays, &self.files) == (other.plays, &other.files)
    }
}

impl HeldState for Kept {
    fn saved(&self) -> SavedState {
        let state = serde_json::to_value(self).expect("numbers and texts are JSON");
        SavedState { version: STATE, state }
    }

    fn equals(&self, other: &dyn Any) -> bool {
        // Playing changes none of it.
        other.downcast_ref::<Self>().is_some_and(|other| std::ptr::eq(self, other) || self == other)
    }
}

/// True if a table that stored this plays this version of the file.
pub fn is_as_kept(game: &Game, saved: &SavedState) -> bool {
    Kept::of(saved).is_ok_and(|kept| kept.text() == Some(&game.text))
}

/// The way of a table that stored this to this version.
pub fn upgrade(game: &Arc<Game>, saved: &SavedState) -> Option<Upgrade> {
    let before = Kept::of(saved).ok()?;
    if before.text() == Some(&game.text) {
        return None;
    }
    let says = before.game(before.plays).map(|old| what_is_new(old, game)).unwrap_or_default();
    let [kept, played] = before.with(game).map(|kept| kept.saved());
    Some(Upgrade { kept, played, says })
}

/// What differs between two versions, for people: `new: push, heat`, `changed: risk`.
fn what_is_new(old: &Arc<Game>, new: &Arc<Game>) -> Vec<String> {
    let (before, after) = (parts(old), parts(new));
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut all: [(&str, Vec<&str>); 3] = [("new", Vec::new()), ("changed", Vec::new()), ("gone", Vec::new())];
    for name in names {
        let at = match (before.get(name), after.get(name)) {
            (None, _) => 0,
            (Some(_), None) => 2,
            (Some(before), Some(after)) if before != after => 1,
            _ => continue,
        };
        all[at].1.push(name);
    }
    let changed = all[1].1.iter().filter_map(|name| other_chance(old, new, name)).take(MOST_CHANCES);
    let chances: Vec<String> = changed.collect();
    let said = all.into_iter().filter(|(_, names)| !names.is_empty());
    said.map(|(what, names)| format!("{what}: {}", names.join(", "))).chain(chances).collect()
}

/// What became of the chance of a command's example: `risk 2 succeeded in 75.0 %, and does now in 55.6 %`.
fn other_chance(old: &Arc<Game>, new: &Arc<Game>, name: &str) -> Option<String> {
    let (example, after) = chances::of_example(new, name)?;
    let (_, before) = chances::of_example(old, name).filter(|(same, _)| *same == example)?;
    let [before, after] = [before, after].map(|chance| format!("{:.1} %", chance * 100.0));
    (before != after).then(|| format!("{example} succeeded in {before}, and does now in {after}"))
}

/// The commands, numbers, tables and decks of a game, with all that is known of each.
fn parts(game: &Game) -> BTreeMap<String, String> {
    let played = game.manifest.commands.iter().zip(&game.commands);
    let commands = played.map(|(spec, command)| (spec.name.clone(), format!("{spec:?} {command:?}")));
    let set = game.sheet.iter().map(|(name, first)| (name.clone(), first.to_string()));
    let derived = game.derived.iter().map(|(name, worked_out)| (name.clone(), format!("{worked_out:?}")));
    let tables = game.manifest.tables.iter().map(|table| (format!("oracle {}", table.name), format!("{table:?}")));
    let decks = game.manifest.decks.iter().map(|(name, deck)| (format!("deck {name}"), format!("{deck:?}")));
    commands.chain(set).chain(derived).chain(tables).chain(decks).collect()
}

/// Reads the files that tables keep, and those that people bring to them.
#[derive(Debug)]
pub struct Files {
    /// How a file is read that somebody brings.
    pub brought: fn(&str) -> Result<Game, Mistakes>,
}

impl Default for Files {
    fn default() -> Self {
        Files { brought: read }
    }
}

impl KeptFiles for Files {
    fn game(&self, saved: &SavedState) -> Option<Box<dyn Plugin>> {
        Some(plugin(Arc::new(read(Kept::of(saved).ok()?.text()?).ok()?)))
    }

    fn read(&self, text: &str) -> Result<Box<dyn Plugin>, Refusal> {
        if text.len() > MOST_BROUGHT {
            let what = format!("a table's own game has at most {} kB, and this has {}", MOST_BROUGHT >> 10, text.len());
            return Err(Refusal::new(what + " bytes"));
        }
        match (self.brought)(&text.lines().map(|line| chat::clean(line) + "\n").collect::<String>()) {
            Ok(game) => Ok(plugin(Arc::new(game))),
            Err(mistakes) => Err(Refusal::new(mistakes.in_a_line(MOST_MISTAKES))),
        }
    }
}
