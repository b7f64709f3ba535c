//! What a table of players stores: the random tables, by the name they are found by. Those made in secret are kept apart.

use crate::line::{self, Line};
use crate::words::{self, MOST_NAME, folded};
use plugin_api::{CharacterId, Refusal, Turn, suggest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most tables of all, and of one player.
pub(crate) const MOST_TABLES: usize = 60;
pub(crate) const MOST_OF_ONE: usize = 15;
/// Most bytes of all tables, and of one, which a change of it stores twice. The core keeps twice as much.
pub(crate) const MOST_BYTES: usize = 40 << 10;
pub(crate) const MOST_OF_TABLE: usize = 12 << 10;
/// Letters that are enough for the beginning of a name.
const BEGINNING: usize = 2;
/// Words in front of a name that mean nothing.
const LEADING: [&str; 7] = ["roll", "on", "from", "the", "a", "an", "for"];

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    #[serde(default)]
    pub tables: BTreeMap<String, Table>,
    /// Those made in secret, which only their makers and the referees know of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hidden: BTreeMap<String, Table>,
}

/// Where a table is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    Openly,
    Hidden,
}

/// A random table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(crate) struct Table {
    /// Its name as it was typed.
    pub name: String,
    /// Who made it.
    pub by: CharacterId,
    pub lines: Vec<Line>,
}

/// A table as it is stored: in words, which an undo shows as they are, and leaves out where the whole table comes or goes.
#[derive(Serialize, Deserialize)]
struct Stored {
    name: String,
    by: String,
    lines: String,
}

impl From<Stored> for Table {
    fn from(Stored { name, by, lines }: Stored) -> Self {
        // A table of nobody belongs to the referee.
        Table { name, by: CharacterId(by.parse().unwrap_or_default()), lines: line::of_kept(&lines) }
    }
}

impl From<Table> for Stored {
    fn from(Table { name, by, lines }: Table) -> Self {
        Stored { name, by: by.0.to_string(), lines: line::kept(&lines) }
    }
}

impl Table {
    /// The sides of its die.
    pub fn sides(&self) -> u32 {
        self.lines.iter().fold(0, |sides, line| sides.saturating_add(line.weight))
    }

    /// The line that a die means.
    pub fn line(&self, value: u32) -> Option<&Line> {
        let mut last = 0_u32;
        self.lines.iter().find(|line| {
            last = last.saturating_add(line.weight);
            value <= last
        })
    }

    /// Its size as it is stored.
    pub fn bytes(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |stored| stored.len())
    }

    /// True if the player may look into it: their character made it, or they are a referee that the table really has. A
    /// referee's right is recorded.
    pub fn is_open_to(&self, turn: &Turn) -> bool {
        turn.may_know(self.by)
    }
}

/// The sign between the name and the maker in the key of a hidden table. No name holds it.
const OF: char = '#';

/// The name by which the table with this key is found.
fn found_by(key: &str) -> &str {
    key.split(OF).next().unwrap_or_default()
}

impl State {
    pub fn kept(&mut self, kept: Kept) -> &mut BTreeMap<String, Table> {
        match kept {
            Kept::Openly => &mut self.tables,
            Kept::Hidden => &mut self.hidden,
        }
    }

    /// The key of a table that is found by `name`. Of hidden ones two makers may each have one of a name, since neither may
    /// notice the other's.
    pub fn key(&self, kept: Kept, name: &str, turn: &Turn) -> String {
        if kept == Kept::Openly {
            return name.to_owned();
        }
        let called = self.hidden.iter().filter(|(key, table)| found_by(key) == name && table.is_open_to(turn));
        // The actor's own before those that a referee may see.
        match called.max_by_key(|(_, table)| table.by == turn.actor) {
            Some((key, _)) => key.clone(),
            None if self.hidden.contains_key(name) => format!("{name}{OF}{}", turn.actor.0),
            None => name.to_owned(),
        }
    }

    /// How many there are, of one maker or of all.
    pub fn count(&self, by: Option<CharacterId>) -> usize {
        self.tables.values().chain(self.hidden.values()).filter(|table| by.is_none_or(|by| table.by == by)).count()
    }

    /// Its size as it is stored.
    pub fn bytes(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |stored| stored.len())
    }

    /// The tables that the actor may know of. If two have the same name, the hidden one is meant in secret, the other in
    /// front of all.
    pub fn seen(&self, turn: &Turn) -> Seen<'_> {
        let open = self.tables.iter().map(|(key, table)| (key.as_str(), (Kept::Openly, table)));
        let mut hidden: Vec<_> = self.hidden.iter().filter(|(_, table)| table.is_open_to(turn)).collect();
        hidden.sort_by_key(|(_, table)| table.by == turn.actor);
        let hidden = hidden.into_iter().map(|(key, table)| (found_by(key), (Kept::Hidden, table)));
        let all = match turn.in_secret() {
            true => open.chain(hidden).collect(),
            false => hidden.chain(open).collect(),
        };
        Seen { all, secret: turn.in_secret() }
    }

    /// The tables that everybody knows of.
    pub fn open(&self) -> Seen<'_> {
        let open = self.tables.iter().map(|(key, table)| (key.as_str(), (Kept::Openly, table)));
        Seen { all: open.collect(), secret: false }
    }
}

/// The tables that somebody may know of.
pub(crate) struct Seen<'a> {
    all: BTreeMap<&'a str, (Kept, &'a Table)>,
    /// True if only they and the referees read the answer.
    secret: bool,
}

impl<'a> Seen<'a> {
    pub fn knows(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// The table that is found by exactly this.
    pub fn get(&self, name: &str) -> Option<&'a Table> {
        self.all.get(name).map(|(_, table)| *table)
    }

    /// Those that an answer may name: hidden ones only if it is a secret answer.
    pub fn named(&self) -> impl Iterator<Item = (&'a str, &'a Table)> {
        let named = self.all.iter().filter(|(_, (kept, _))| self.secret || *kept == Kept::Openly);
        named.map(|(key, (_, table))| (*key, *table))
    }

    /// Where the table that was typed is kept, and by which name it is found: the whole name, its beginning, or with words
    /// in front that mean nothing.
    ///
    /// # Errors
    /// There is no such table; the refusal says which may be meant.
    pub fn find(&self, typed: &str) -> Result<(Kept, &'a str), Refusal> {
        let typed = typed.trim().trim_matches('"').trim_end_matches(['.', '!', '?', ',']);
        let name = folded(typed);
        let mut bare = name.as_str();
        let exact = |name: &str| self.all.get_key_value(name).map(|(key, (kept, _))| (*kept, *key));
        loop {
            if let Some(found) = exact(bare) {
                return Ok(found);
            }
            match bare.split_once(' ') {
                Some((first, rest)) if LEADING.contains(&first) => bare = rest,
                _ => break,
            }
        }
        let keys = || self.named().map(|(key, _)| key);
        let begun: Vec<&str> = keys().filter(|key| bare.len() >= BEGINNING && key.starts_with(bare)).take(3).collect();
        match begun.as_slice() {
            [] => Err(missing(typed, suggest(bare, keys()))),
            [only] => exact(only).ok_or_else(|| missing(typed, None)),
            several => Err(Refusal::new(format!("which table: {}?", several.join(" or ")))),
        }
    }
}

fn missing(typed: &str, meant: Option<&str>) -> Refusal {
    let short: String = typed.chars().take(MOST_NAME).collect();
    match meant {
        Some(meant) => {
            let refusal = Refusal::new(format!("there is no table called {short}: did you mean {meant}?"));
            match typed.contains(' ') {
                true => refusal.example(format!("oracle {meant}")),
                false => refusal.about_meant(typed, meant),
            }
        }
        None => {
            let name = words::name(typed).unwrap_or_else(|_| "omen".to_owned());
            Refusal::new(format!("there is no table called {short}; a colon after the name makes one"))
                .example(format!("oracle {name}: a crow | blood moon | 3x silence"))
        }
    }
}
