//! What a table of players stores: the random tables, by the name they are found by. Those made in secret are kept apart.

use plugin_api::random_table::{self, Line};
use plugin_api::{CharacterId, Turn};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most tables of all, and of one player.
pub(crate) const MOST_TABLES: usize = 60;
pub(crate) const MOST_OF_ONE: usize = 15;
/// Most bytes of all tables, and of one, which a change of it stores twice. The core keeps twice as much.
pub(crate) const MOST_BYTES: usize = 40 << 10;
pub(crate) const MOST_OF_TABLE: usize = 12 << 10;

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
        Table { name, by: CharacterId(by.parse().unwrap_or_default()), lines: random_table::of_kept(&lines) }
    }
}

impl From<Table> for Stored {
    fn from(Table { name, by, lines }: Table) -> Self {
        Stored { name, by: by.0.to_string(), lines: random_table::kept(&lines) }
    }
}

impl Table {
    /// Its size as it is stored.
    pub fn bytes(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |stored| stored.len())
    }
}

/// The sign between the name and the maker in the key of a hidden table. No name holds it.
const OF: char = '#';

/// The name by which the table with this key is found.
pub(crate) fn found_by(key: &str) -> &str {
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
        let called = self.hidden.iter().filter(|(key, table)| found_by(key) == name && turn.may_know(table.by));
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
}
