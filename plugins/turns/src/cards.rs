//! Cards that say which side acts first: one of the operator's decks is turned over, a card for each round. The deck keeps
//! the titles that it began with; what is on a card is looked up when it is turned.

use crate::here::Here;
use crate::order::Side;
use plugin_api::{Dice, FirstSide, PrintedCard, Refusal, Text, Turn};
use serde::{Deserialize, Serialize};

/// A deck that is turned over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RoundCards {
    /// The name of the operator's deck.
    deck: String,
    /// The titles of its cards, once for each copy.
    cards: Vec<String>,
    /// Which of them were turned, in that order.
    #[serde(default)]
    turned: Vec<u32>,
}

/// A deck to turn over, from the first card.
pub(crate) fn deck(turn: &Turn, named: Option<&Text>) -> Result<RoundCards, Refusal> {
    let decks = turn.brought().decks();
    let mut fit = decks.iter().filter(|(_, deck)| deck.says_who_is_first()).map(|(name, _)| *name);
    let name = match named {
        Some(Text { text, .. }) => text.trim().to_lowercase(),
        None => fit.clone().next().unwrap_or_default().to_owned(),
    };
    let Some(deck) = turn.brought().deck(&name).filter(|deck| deck.says_who_is_first()) else {
        let what = match (fit.next(), named) {
            (Some(known), _) => {
                return Err(Refusal::new(format!("no deck called {name} says who acts first"))
                    .example(format!("init cards {known}")));
            }
            (None, _) => "the operator of this bot has no deck that says who acts first",
        };
        return Err(Refusal::new(what).example("init sides"));
    };
    let each = deck.cards.iter().flat_map(|card| std::iter::repeat_n(card.title.clone(), card.copies));
    Ok(RoundCards { deck: name.clone(), cards: each.collect(), turned: Vec::new() })
}

/// Turns a card over, if the next round begins now and cards say how. Returns what it says.
///
/// # Errors
/// The command has no dice left.
pub(crate) fn turned(here: &mut Here, turn: &mut Turn) -> Result<Option<String>, Refusal> {
    if here.cards.is_none() || !here.order.ends_round(&|who| turn.opposes(who)) {
        return Ok(None);
    }
    let Some(cards) = here.cards.as_mut() else { return Ok(None) };
    let shuffled = cards.turned.len() >= cards.cards.len();
    if shuffled {
        cards.turned.clear();
    }
    let all = u32::try_from(cards.cards.len()).unwrap_or(u32::MAX);
    let left: Vec<u32> = (0..all).filter(|card| !cards.turned.contains(card)).collect();
    let sides = u32::try_from(left.len()).unwrap_or(u32::MAX);
    let at = turn.throw(sides)?.saturating_sub(1) as usize;
    let Some(card) = left.get(at).copied() else {
        return Err(Refusal::new("that deck is empty").example("init sides"));
    };
    cards.turned.push(card);
    let title = cards.cards[card as usize].clone();
    let printed = turn.brought().deck(&cards.deck).and_then(|deck| deck.card(&title));
    let first = printed.and_then(|card| card.first).map(|first| match first {
        FirstSide::Heroes => Side::Heroes,
        FirstSide::Villains => Side::Opposition,
    });
    let says = printed.map(PrintedCard::told).unwrap_or_default();
    let before = if shuffled { "all cards were turned, so they are shuffled | " } else { "" };
    here.order.begin_with(first);
    Ok(Some(format!("{before}{title}{says}")))
}
