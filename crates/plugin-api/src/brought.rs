//! What a table plays with that nobody there made: the operator's decks, and the decks and random tables of its games.

use crate::declare::Manifest;
use crate::printed::{PrintedDeck, PrintedDecks};
use crate::random_table::RandomTable;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is brought to a table.
#[derive(Clone, Default)]
pub struct Brought<'a> {
    decks: Arc<PrintedDecks>,
    games: Arc<[&'a Manifest]>,
}

impl<'a> Brought<'a> {
    /// The decks of the operator, and what these games bring.
    pub fn of(decks: Arc<PrintedDecks>, games: impl Iterator<Item = &'a Manifest>) -> Self {
        Brought { decks, games: games.collect() }
    }

    /// All decks by name. The operator's goes before a game's with the same name, and then the first game's.
    pub fn decks(&self) -> BTreeMap<&str, &PrintedDeck> {
        let of_games = self.games.iter().rev().flat_map(|game| &game.decks);
        of_games.chain(&*self.decks).map(|(name, deck)| (name.as_str(), deck)).collect()
    }

    /// The deck of this name.
    pub fn deck(&self, name: &str) -> Option<&PrintedDeck> {
        self.decks.get(name).or_else(|| self.games.iter().find_map(|game| game.decks.get(name)))
    }

    /// The random tables of each game, with the game, those that go before others last.
    pub fn tables(&self) -> impl Iterator<Item = (&'a Manifest, &'a RandomTable)> {
        self.games.iter().rev().flat_map(|game| game.tables.iter().map(move |table| (*game, table)))
    }
}
