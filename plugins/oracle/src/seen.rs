//! The tables that somebody may know of: those that were made here, and those that the games of the room bring.

use crate::state::{Kept, State, Table, found_by};
use crate::words;
use plugin_api::random_table::{Line, MOST_NAME, RandomTable, folded};
use plugin_api::{CharacterId, Manifest, Refusal, Turn, suggest};
use std::collections::BTreeMap;

/// Letters that are enough for the beginning of a name.
const BEGINNING: usize = 2;
/// Words in front of a name that mean nothing.
const LEADING: [&str; 7] = ["roll", "on", "from", "the", "a", "an", "for"];

/// A table as somebody sees it.
#[derive(Clone, Copy)]
pub(crate) struct Shown<'a> {
    /// Its name as it was typed.
    pub name: &'a str,
    pub lines: &'a [Line],
    pub origin: Origin<'a>,
}

/// Where a table comes from.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// Somebody made it, and it is kept there.
    Made(CharacterId, Kept),
    /// This game brings it.
    Brought(&'a Manifest),
}

impl Table {
    fn shown(&self, kept: Kept) -> Shown<'_> {
        Shown { name: &self.name, lines: &self.lines, origin: Origin::Made(self.by, kept) }
    }
}

impl Shown<'_> {
    /// Whether this is the same table.
    fn is(&self, other: &Shown) -> bool {
        std::ptr::eq(self.lines, other.lines)
    }

    fn is_hidden(&self) -> bool {
        matches!(self.origin, Origin::Made(_, Kept::Hidden))
    }
}

/// The tables that somebody may know of.
pub(crate) struct Seen<'a> {
    /// By the names that they are found by. What a game brings under a name that leads to another table is found with the game's
    /// id in front: `ironsworn action`.
    all: BTreeMap<String, Shown<'a>>,
    /// True if only they and the referees read the answer.
    secret: bool,
}

impl State {
    /// The tables that the actor may know of. If two have the same name, the hidden one is meant in secret, the other in
    /// front of all; what was made here goes before what a game brings.
    pub fn seen<'s, 't: 's>(&'s self, turn: &Turn<'t>) -> Seen<'s> {
        let open = self.tables.iter().map(|(key, table)| (key.as_str(), table.shown(Kept::Openly)));
        let mut hidden: Vec<_> = self.hidden.iter().filter(|(_, table)| turn.may_know(table.by)).collect();
        hidden.sort_by_key(|(_, table)| table.by == turn.actor);
        let hidden = hidden.into_iter().map(|(key, table)| (found_by(key), table.shown(Kept::Hidden)));
        let all = match turn.in_secret() {
            true => brought(turn).into_iter().chain(open).chain(hidden).collect(),
            false => hidden.chain(brought(turn)).chain(open).collect(),
        };
        Seen { all: with_ids(all, turn), secret: turn.in_secret() }
    }

    /// The tables that everybody knows of.
    pub fn open<'s, 't: 's>(&'s self, turn: &Turn<'t>) -> Seen<'s> {
        let open = self.tables.iter().map(|(key, table)| (key.as_str(), table.shown(Kept::Openly)));
        Seen { all: with_ids(brought(turn).into_iter().chain(open).collect(), turn), secret: false }
    }
}

/// These, and what games bring that another table of its name hides.
fn with_ids<'s, 't: 's>(all: BTreeMap<&'s str, Shown<'s>>, turn: &Turn<'t>) -> BTreeMap<String, Shown<'s>> {
    let is_found = |(name, table): &(&str, Shown)| all.get(name).is_some_and(|found| found.is(table));
    let hidden = brought(turn).into_iter().filter(|each| !is_found(each));
    let with_id = |(name, table): (&str, Shown<'s>)| match table.origin {
        Origin::Brought(game) => (format!("{} {name}", game.id), table),
        Origin::Made(..) => (name.to_owned(), table),
    };
    let hidden: Vec<_> = hidden.map(with_id).collect();
    all.into_iter().map(|(name, table)| (name.to_owned(), table)).chain(hidden).collect()
}

/// What the games of the room bring. Of two tables with one name it is that of the first game.
fn brought<'s, 't: 's>(turn: &Turn<'t>) -> Vec<(&'s str, Shown<'s>)> {
    let shown = |(game, table): (&'t Manifest, &'t RandomTable)| {
        let shown = Shown { name: &table.name, lines: &table.lines, origin: Origin::Brought(game) };
        (table.name.as_str(), shown)
    };
    turn.brought().tables().map(shown).collect()
}

impl<'a> Seen<'a> {
    pub fn knows(&self, name: &str) -> bool {
        self.all.contains_key(name)
    }

    /// Whether a line of a table may lead to the table of this name: an open table never leads to a hidden one, whoever rolls on it
    /// in front of all.
    pub fn may_name(&self, on: Shown, name: &str) -> bool {
        self.all.get(name).is_some_and(|table| !table.is_hidden() || on.is_hidden() || self.secret)
    }

    /// The table that is found by exactly this.
    pub fn get(&self, name: &str) -> Option<Shown<'a>> {
        self.all.get(name).copied()
    }

    /// Those that an answer may name: hidden ones only if it is a secret answer.
    pub fn named(&self) -> impl Iterator<Item = (&str, Shown<'a>)> {
        let named = self.all.iter().filter(|(_, table)| self.secret || !table.is_hidden());
        named.map(|(key, table)| (key.as_str(), *table))
    }

    /// The table that was typed, and the name by which it is found: the whole name, its beginning, or with words in front
    /// that mean nothing.
    ///
    /// # Errors
    /// There is no such table; the refusal says which may be meant.
    pub fn find(&self, typed: &str) -> Result<(&str, Shown<'a>), Refusal> {
        let typed = typed.trim().trim_matches('"').trim_end_matches(['.', '!', '?', ',']);
        let name = folded(typed);
        let mut bare = name.as_str();
        let exact = |name: &str| self.all.get_key_value(name).map(|(key, table)| (key.as_str(), *table));
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
