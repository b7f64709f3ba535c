//! Reads the files with the operator's decks.

use super::decided::Config;
use super::mistakes::Mistake;
use super::places;
use chat::Secret;
use plugin_api::{PrintedDeck, wrong_deck_name};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The most decks, and bytes of a file.
const MOST_DECKS: usize = 50;
const MOST_BYTES: u64 = 1 << 20;

impl Config {
    /// Reads the files of all decks, which are beside the configuration unless they have a whole path. Notes what is wrong.
    pub(super) fn read_decks(&mut self, beside: &Path, wrong: &mut Vec<Mistake>) {
        if self.decks.len() > MOST_DECKS {
            wrong.push(Mistake::of(format!("decks: there are {}, and at most {MOST_DECKS} can be", self.decks.len())));
            return;
        }
        let mut printed = BTreeMap::new();
        for (name, file) in &self.decks {
            match wrong_deck_name(name).map_or_else(|| read(&Secret::place(file, beside)), Err) {
                Ok(deck) => drop(printed.insert(name.clone(), deck)),
                Err(what) => wrong.push(Mistake::of(format!("decks.{name}: {what}"))),
            }
        }
        self.printed = Arc::new(printed);
    }
}

fn read(file: &Path) -> Result<PrintedDeck, String> {
    let named = file.display();
    let unread = |error: std::io::Error| format!("{named} cannot be read, {error}");
    if std::fs::metadata(file).map_err(unread)?.len() > MOST_BYTES {
        return Err(format!("{named} is larger than {} kB", MOST_BYTES >> 10));
    }
    let text = std::fs::read_to_string(file).map_err(unread)?;
    let deck: PrintedDeck = toml::from_str(&text).map_err(|error| {
        let line = error.span().map(|place| format!(" line {}", places::line_at(&text, place.start)));
        let what = error.message().lines().next().unwrap_or_default();
        format!("{named}{}, {what}", line.unwrap_or_default())
    })?;
    match deck.mistake() {
        Some(what) => Err(format!("{named}, {what}")),
        None => Ok(deck),
    }
}
