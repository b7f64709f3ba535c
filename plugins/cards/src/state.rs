//! What a table stores: the decks, which everybody may know, and where the cards in hands are, which nobody may read but
//! their owners and the referees.
//!
//! Each card in a hand is a place of its own, so a player who changes one is told nothing about the others. Places of
//! cards in hands have one form for the whole deck, from which neither its size nor the order of a hand can be read.

use crate::deck::Deck;
use plugin_api::CharacterId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a table stores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The decks by name.
    #[serde(default)]
    pub(crate) decks: BTreeMap<String, Deck>,
    /// Who holds which card: secret.
    #[serde(default)]
    pub(crate) hands: BTreeMap<CardKey, Held>,
    /// How often each character's hand changed, apart from what is in it. Undo needs it: what somebody did with a hand
    /// can be taken back only from the last on. Undo looks here before it looks at the cards, because this comes after
    /// them, so that neither whether it can nor what is in its way tells anything about the cards.
    #[serde(default)]
    pub(crate) moves: BTreeMap<CharacterId, Count>,
}

/// How often something happened. It is in a key, because a place that only comes or goes is nothing that `!why` and
/// `!undo` tell people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Count(BTreeMap<u64, ()>);

impl Count {
    /// One more.
    pub fn add(&mut self) {
        let so_far = self.0.last_key_value().map_or(0, |(count, ())| *count);
        self.0 = BTreeMap::from([(so_far.saturating_add(1), ())]);
    }
}

/// A card of a deck: its place in the whole deck. Stored as `omens.2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct CardKey {
    /// The name of the deck.
    pub deck: String,
    /// Its place there, from 0.
    pub card: u32,
}

impl From<CardKey> for String {
    fn from(key: CardKey) -> String {
        format!("{}.{}", key.deck, key.card)
    }
}

impl TryFrom<String> for CardKey {
    type Error = String;

    fn try_from(key: String) -> Result<Self, String> {
        let unread = || format!("{key} is no card of a deck");
        let (deck, card) = key.rsplit_once('.').ok_or_else(unread)?;
        Ok(CardKey { deck: deck.to_owned(), card: card.parse().map_err(|_| unread())? })
    }
}

/// A card in a hand. Stored as one text, `3.1.52.77`, because a place must be one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Held {
    /// Who holds it.
    pub by: CharacterId,
    /// Its number in the hand, from 1; it keeps that number while it is there.
    pub number: u32,
    /// What nobody but its first owner and the referees can know: see `order`.
    pub salt: [u32; 2],
}

impl From<Held> for String {
    fn from(held: Held) -> String {
        let Held { by: CharacterId(by), number, salt: [a, b] } = held;
        format!("{by}.{number}.{a}.{b}")
    }
}

impl TryFrom<String> for Held {
    type Error = String;

    fn try_from(held: String) -> Result<Self, String> {
        let parts: Result<Vec<u32>, _> = held.split('.').map(str::parse).collect();
        match parts.as_deref() {
            Ok(&[by, number, a, b]) => Ok(Held { by: CharacterId(by), number, salt: [a, b] }),
            _ => Err("a card in a hand is stored in another way".to_owned()),
        }
    }
}

/// A card in a hand, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InHand {
    pub key: CardKey,
    pub number: u32,
    pub name: String,
}

impl State {
    /// The cards that a character holds, by their numbers.
    pub fn hand(&self, of: CharacterId) -> Vec<InHand> {
        let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut hand = Vec::new();
        for (key, held) in self.hands.iter().filter(|(_, held)| held.by == of) {
            let Some(deck) = self.decks.get(&key.deck) else { continue };
            let names = names.entry(&key.deck).or_insert_with(|| deck.names());
            if let Some(name) = names.get(key.card as usize) {
                hand.push(InHand { key: key.clone(), number: held.number, name: name.clone() });
            }
        }
        hand.sort_by_key(|card| card.number);
        hand
    }

    /// How many cards of a deck each character holds, which everybody may know.
    pub fn held(&self, deck: &str) -> BTreeMap<CharacterId, usize> {
        let mut held = BTreeMap::new();
        for (_, card) in self.hands.iter().filter(|(key, _)| key.deck == deck) {
            *held.entry(card.by).or_default() += 1;
        }
        held
    }

    /// How many cards are left in a deck.
    pub fn left(&self, name: &str) -> usize {
        let held: usize = self.held(name).values().sum();
        self.decks.get(name).map_or(0, |deck| deck.size().saturating_sub(deck.laid.len() + held))
    }

    /// Puts a card into a hand, under the lowest number that is free there.
    pub fn take(&mut self, key: CardKey, by: CharacterId, salt: [u32; 2]) -> u32 {
        let taken: Vec<u32> = self.hands.values().filter(|held| held.by == by).map(|held| held.number).collect();
        let number = (1..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX);
        self.hands.insert(key, Held { by, number, salt });
        number
    }

    /// Notes that somebody's hand changed.
    pub fn note_hand(&mut self, of: CharacterId) {
        self.moves.entry(of).or_default().add();
    }
}
