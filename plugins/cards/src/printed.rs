//! Decks whose cards are in the operator's files: making them, and what is written on a card. A deck in play keeps the titles
//! that it was made with; what a card says is looked up when it is shown, by its title.

use crate::deck::{Deck, Made};
use crate::state::InHand;
use plugin_api::{Line, Reply, Span, Turn};
use std::collections::BTreeSet;

/// The operator's deck of this name.
pub(crate) fn deck(turn: &Turn, name: &str) -> Option<(String, Deck)> {
    let name = name.trim().to_lowercase();
    let printed = turn.brought().deck(&name)?;
    Some((name, Deck::new(Made::Own, printed.titles())))
}

/// What is written on these cards, one line each; a card that is there twice is explained once.
pub(crate) fn explained<'a>(reply: Reply, turn: &Turn, cards: impl Iterator<Item = (&'a str, &'a str)>) -> Reply {
    let mut known = BTreeSet::new();
    let lines: Vec<Line> = cards
        .filter(|card| known.insert(*card))
        .filter_map(|(deck, title)| {
            let says = turn.brought().deck(deck)?.card(title)?.told();
            (!says.is_empty()).then(|| vec![Span::Bold(title.to_owned()), Span::Text(says)])
        })
        .collect();
    if lines.is_empty() { reply } else { reply.list(lines) }
}

/// The same for cards of hands.
pub(crate) fn explained_hand(reply: Reply, turn: &Turn, cards: &[InHand]) -> Reply {
    explained(reply, turn, cards.iter().map(|card| (card.key.deck.as_str(), card.name.as_str())))
}
