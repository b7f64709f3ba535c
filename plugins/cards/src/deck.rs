//! Which cards a deck has, and which of them everybody sees. It does not know who holds the others.

use crate::state::Count;
use crate::typed::copies;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most decks at a table, and cards in all of them.
pub(crate) const MOST_DECKS: usize = 8;
pub(crate) const MOST_AT_TABLE: usize = 500;

/// A deck, and what everybody knows of its cards. The others are in hands or in the deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Deck {
    /// What it is made of.
    pub made: Made,
    /// The cards of a deck of one's own, as they were typed: `3x silence`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cards: Vec<String>,
    /// The cards that lie face up, by their place in the whole deck, each with a number that grows as they are laid.
    #[serde(default)]
    pub laid: BTreeMap<u32, String>,
    /// How often somebody drew or shuffled. Undo needs it: a draw, a shuffle or the deck itself can be taken back, or made
    /// again, only if nobody drew since, so that whether it can tells nothing about the cards.
    pub turns: Count,
}

/// What a deck is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Made {
    /// Of 52 cards.
    Poker,
    /// Of 52 cards and two jokers.
    Jokers,
    /// Of 22 trumps and 56 cards.
    Tarot,
    /// Of what somebody typed.
    Own,
}

impl Deck {
    /// A deck from which nobody drew yet.
    pub fn new(made: Made, cards: Vec<String>) -> Self {
        Deck { made, cards, laid: BTreeMap::new(), turns: Count::default() }
    }

    /// How many cards it has in all.
    pub fn size(&self) -> usize {
        match self.made {
            Made::Poker => 52,
            Made::Jokers => 54,
            Made::Tarot => 78,
            Made::Own => self.cards.iter().map(|card| copies(card).0).sum(),
        }
    }

    /// The names of all its cards, those of copies as often as there are copies.
    pub fn names(&self) -> Vec<String> {
        match self.made {
            Made::Poker => poker(),
            Made::Jokers => poker().into_iter().chain(["red joker", "black joker"].map(str::to_owned)).collect(),
            Made::Tarot => tarot(),
            Made::Own => {
                let each = self.cards.iter().map(|card| copies(card));
                each.flat_map(|(count, name)| std::iter::repeat_n(name.to_owned(), count)).collect()
            }
        }
    }

    /// Lays a card face up, on top of the others.
    pub fn lay(&mut self, card: u32) {
        let top = self.laid.values().filter_map(|number| number.parse::<u64>().ok()).max().unwrap_or_default();
        self.laid.insert(card, top.saturating_add(1).to_string());
    }

    /// The cards that lie face up, the last one first.
    pub fn newest_laid(&self) -> Vec<u32> {
        let mut laid: Vec<(u64, u32)> =
            self.laid.iter().map(|(card, number)| (number.parse().unwrap_or_default(), *card)).collect();
        laid.sort_unstable_by(|a, b| b.cmp(a));
        laid.into_iter().map(|(_, card)| card).collect()
    }
}
fn poker() -> Vec<String> {
    let ranks = ["ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"];
    of_suits(["clubs", "diamonds", "hearts", "spades"], &ranks)
}

fn of_suits(suits: [&str; 4], ranks: &[&str]) -> Vec<String> {
    suits.iter().flat_map(|suit| ranks.iter().map(move |rank| format!("{rank} of {suit}"))).collect()
}

/// The names of the trumps are those of the Tarot of Marseilles and of 1909, both in the public domain.
fn tarot() -> Vec<String> {
    let trumps = [
        "the Fool",
        "the Magician",
        "the High Priestess",
        "the Empress",
        "the Emperor",
        "the Hierophant",
        "the Lovers",
        "the Chariot",
        "Strength",
        "the Hermit",
        "the Wheel of Fortune",
        "Justice",
        "the Hanged Man",
        "Death",
        "Temperance",
        "the Devil",
        "the Tower",
        "the Star",
        "the Moon",
        "the Sun",
        "Judgement",
        "the World",
    ];
    let ranks = ["ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "page", "knight", "queen", "king"];
    trumps.map(str::to_owned).into_iter().chain(of_suits(["wands", "cups", "swords", "pentacles"], &ranks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::read_cards;
    use std::collections::BTreeSet;

    #[test]
    fn the_decks_have_as_many_different_cards_as_they_should() {
        for (made, size) in [(Made::Poker, 52), (Made::Jokers, 54), (Made::Tarot, 78)] {
            let deck = Deck::new(made, Vec::new());
            let names: BTreeSet<String> = deck.names().into_iter().collect();
            assert_eq!((names.len(), deck.size()), (size, size), "{made:?}");
        }
        let own = Deck::new(Made::Own, read_cards("crow, blood moon; 3x silence | owl x2", 0).unwrap());
        assert_eq!(own.size(), 7);
        assert_eq!(own.names().iter().filter(|name| *name == "silence").count(), 3);
    }
}
