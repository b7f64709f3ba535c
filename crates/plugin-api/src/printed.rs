//! Decks whose cards are in the operator's own files. A table keeps the titles of the cards it plays with, so a changed file
//! changes no deck that is in play; what is written on a card is looked up when it is shown.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The most cards of a deck, with all copies.
pub const MOST_CARDS: usize = 200;
/// The most characters of a title, and of each text on a card.
const LONGEST_TITLE: usize = 40;
const LONGEST_TEXT: usize = 400;
/// The longest name of a deck.
const LONGEST_NAME: usize = 20;

/// The operator's decks, by name.
pub type PrintedDecks = BTreeMap<String, PrintedDeck>;

/// A deck of the operator's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedDeck {
    /// Its cards.
    #[serde(rename = "card")]
    pub cards: Vec<PrintedCard>,
}

/// What is printed on a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedCard {
    /// What it is called.
    pub title: String,
    /// What it says.
    #[serde(default)]
    pub text: String,
    /// How often it is in the deck.
    #[serde(default = "once")]
    pub copies: usize,
    /// The side that acts first in a round that begins with it.
    pub first: Option<FirstSide>,
    /// What it says about the heroes, and about those they meet.
    pub heroes: Option<String>,
    /// See `heroes`.
    pub villains: Option<String>,
    /// Which actions it rewards.
    pub actions: Option<String>,
}

/// The side that acts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstSide {
    /// The players' characters.
    Heroes,
    /// All others.
    Villains,
}

fn once() -> usize {
    1
}

impl PrintedDeck {
    /// What is wrong with it, if anything.
    pub fn mistake(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut size = 0_usize;
        if self.cards.is_empty() {
            return Some("it has no cards: each begins with a line [[card]]".to_owned());
        }
        for card in &self.cards {
            let PrintedCard { title, copies, .. } = card;
            size = size.saturating_add(*copies);
            if let Some(what) = wrong_title(title) {
                return Some(format!("the title {title:?} {what}"));
            }
            if !seen.insert(title.to_lowercase()) {
                return Some(format!("the card {title} is there twice: say once how many copies there are"));
            }
            if *copies == 0 {
                return Some(format!("the card {title} has no copies"));
            }
            let texts = [Some(&card.text), card.heroes.as_ref(), card.villains.as_ref(), card.actions.as_ref()];
            if texts.into_iter().flatten().any(|text| text.chars().count() > LONGEST_TEXT) {
                return Some(format!("the card {title} says too much: up to {LONGEST_TEXT} characters fit on it"));
            }
        }
        (size > MOST_CARDS).then(|| format!("it has {size} cards, and a deck has at most {MOST_CARDS}"))
    }

    /// The titles of all its cards, once each, with how often: `3x silence`.
    pub fn titles(&self) -> Vec<String> {
        let each = self.cards.iter().map(|card| match card.copies {
            1 => card.title.clone(),
            copies => format!("{copies}x {}", card.title),
        });
        each.collect()
    }

    /// The card with this title.
    pub fn card(&self, title: &str) -> Option<&PrintedCard> {
        self.cards.iter().find(|card| card.title == title)
    }

    /// True if its cards say which side acts first.
    pub fn says_who_is_first(&self) -> bool {
        self.cards.iter().any(|card| card.first.is_some())
    }
}

impl PrintedCard {
    /// All that is on it, as it follows its title on one line: `: It grows dark | heroes: tired`. Empty if there is nothing.
    pub fn told(&self) -> String {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let labelled = [("heroes", &self.heroes), ("villains", &self.villains), ("actions", &self.actions)];
        let text = Some(plain(&self.text)).filter(|text| !text.is_empty()).map(|text| format!(": {text}"));
        let others = labelled
            .into_iter()
            .filter_map(|(label, text)| text.as_deref().map(|text| format!(" | {label}: {}", plain(text))));
        text.into_iter().chain(others).collect()
    }
}

/// What is wrong with the name of a deck, if anything.
pub fn wrong_deck_name(name: &str) -> Option<String> {
    let fits = |c: char| c.is_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    let right = name.starts_with(char::is_lowercase) && name.chars().all(fits) && name.chars().count() <= LONGEST_NAME;
    (!right).then(|| {
        format!(
            "a deck is called by one word of up to {LONGEST_NAME} small letters and digits, beginning with a letter"
        )
    })
}

/// Why this is no title: in a hand it would be a number, several cards, or several copies.
fn wrong_title(title: &str) -> Option<String> {
    let number = |text: &str| !text.is_empty() && text.trim().bytes().all(|byte| byte.is_ascii_digit());
    let marks = ['x', 'X', '×', '*'];
    let counts = title.split_once(marks).is_some_and(|(count, _)| number(count))
        || title.rsplit_once(marks).is_some_and(|(_, count)| number(count));
    if title.trim() != title || !title.chars().any(char::is_alphabetic) {
        return Some("needs letters, and no blanks around them".to_owned());
    }
    if title.chars().count() > LONGEST_TITLE {
        return Some(format!("is longer than {LONGEST_TITLE} characters"));
    }
    if title.contains([',', ';', '|', ':', '#']) || title.chars().any(char::is_control) {
        return Some("has a mark in it that divides cards: , ; : | or #".to_owned());
    }
    counts.then(|| "looks like a number of copies, and not like the name of a card".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn deck(cards: serde_json::Value) -> Option<String> {
        let deck: PrintedDeck = serde_json::from_value(json!({ "card": cards })).unwrap();
        deck.mistake()
    }

    #[test]
    fn a_deck_of_the_operators_is_checked_before_anybody_plays() {
        assert_eq!(deck(json!([{"title": "Crow"}, {"title": "Owl", "copies": 199}])), None);
        let wrong = |cards, says: &str| {
            let found = deck(cards).unwrap_or_default();
            assert!(found.contains(says), "{found:?}");
        };
        wrong(json!([]), "no cards");
        wrong(json!([{"title": "Crow", "copies": 201}]), "it has 201 cards, and a deck has at most 200");
        wrong(json!([{"title": "Crow"}, {"title": "crow"}]), "is there twice");
        wrong(json!([{"title": "7"}]), "needs letters");
        wrong(json!([{"title": "3x crow"}]), "number of copies");
        wrong(json!([{"title": "a, b"}]), "divides cards");
        wrong(json!([{"title": "Crow", "text": "x".repeat(401)}]), "says too much");
        wrong(json!([{"title": "Crow", "copies": 0}]), "no copies");
        assert!(wrong_deck_name("drama").is_none());
        assert!(["", "Drama", "my deck", "7", "a.b"].into_iter().all(|name| wrong_deck_name(name).is_some()));
    }

    #[test]
    fn a_card_tells_all_that_is_on_it_on_one_line() {
        let card = json!({"title": "Dusk", "text": "It grows\ndark.", "first": "villains", "heroes": "tired", "actions": "taunt"});
        let card: PrintedCard = serde_json::from_value(card).unwrap();
        assert_eq!(card.told(), ": It grows dark. | heroes: tired | actions: taunt");
    }
}
