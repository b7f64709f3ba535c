//! Decks: which one is meant, and what everybody may know of them.

use crate::deck::Made;
use crate::state::{InHand, State};
use crate::typed::{EXAMPLE, no_such};
use crate::words::Called;
use plugin_api::{Card, Cast, CharacterId, Line, Piece, Refusal, Reply, Seen, Shown, Span, Turn};
use std::collections::BTreeMap;

/// The most names in a list.
const MOST_LISTED: usize = 8;
/// The most kinds of cards, and cards that lie face up, that are listed.
const MOST_SHOWN: usize = 20;

/// Words for whatever deck there is.
const ANY: [&str; 3] = ["deck", "pile", "stack"];

/// The deck that is meant in a `line`, in which `{}` stands for its name.
///
/// # Errors
/// There is none, or several and none is named.
pub(crate) fn which(state: &State, named: Option<Called>, line: &str) -> Result<String, Refusal> {
    if state.decks.is_empty() {
        return Err(Refusal::new("there is no deck at this table yet").example("deck poker"));
    }
    // `from the deck`
    let named = named.map(|Called(name)| (name.to_lowercase(), name));
    let any = |lower: &str| ANY.contains(&lower) && !state.decks.contains_key(lower);
    if let Some((lower, name)) = named.filter(|(lower, _)| !any(lower)) {
        if state.decks.contains_key(&lower) {
            return Ok(lower);
        }
        let mut begin = state.decks.keys().filter(|each| lower.chars().count() > 1 && each.starts_with(&lower));
        return match (begin.next(), begin.next()) {
            (Some(only), None) => Ok(only.clone()),
            _ => Err(no_such(&name, state.decks.keys())),
        };
    }
    let mut all = state.decks.keys();
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only.clone()),
        _ => {
            let names: Vec<&str> = state.decks.keys().map(String::as_str).collect();
            let first = names.first().copied().unwrap_or_default();
            let what = format!("which deck: {}?", names.join(" or "));
            Err(Refusal::new(what).example(line.replace("{}", first)))
        }
    }
}

/// `in the deck`, or which one if there are several.
pub(crate) fn in_the(state: &State, name: &str) -> String {
    if state.decks.len() > 1 { format!("in {name}") } else { "in the deck".to_owned() }
}

/// Names in a sentence, not too many.
pub(crate) fn listed(names: &[&str]) -> String {
    match names.len().checked_sub(MOST_LISTED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST_LISTED].join(", ")),
    }
}

/// All decks: how many cards are where.
pub(crate) fn all(state: &State, turn: &Turn) -> Reply {
    let lines: Vec<Line> = state
        .decks
        .keys()
        .map(|name| vec![Span::Bold(name.clone()), Span::Text(format!(": {}", counts(state, turn, name)))])
        .collect();
    let reply = state.decks.keys().fold(Reply::new(), |reply, name| reply.fact(name, state.left(name)));
    match lines.len() {
        0 => {
            let reply = reply.text("no deck yet: ").code("deck poker").text(" or ").code(EXAMPLE);
            let brought = turn.brought().decks();
            let mut own = brought.keys().map(|name| format!("deck {name}"));
            let reply = own.next().map_or(reply.clone(), |first| reply.text(" or ").code(first));
            own.fold(reply, |reply, name| reply.text(", ").code(name))
        }
        1 => lines.into_iter().flatten().fold(reply, Reply::span),
        count => reply.text(format!("{count} decks")).list(lines),
    }
}

/// `40 left of 52, 5 discarded, 7 in hands (Ann 3, Bob 4)`.
fn counts(state: &State, turn: &Turn, name: &str) -> String {
    let Some(deck) = state.decks.get(name) else { return String::new() };
    let mut text = format!("{} left of {}", state.left(name), deck.size());
    if !deck.laid.is_empty() {
        text += &format!(", {} discarded", deck.laid.len());
    }
    let held = state.held(name);
    if !held.is_empty() {
        let each: Vec<String> = held.iter().map(|(who, count)| format!("{} {count}", turn.name(*who))).collect();
        let each: Vec<&str> = each.iter().map(String::as_str).collect();
        text += &format!(", {} in hands ({})", held.values().sum::<usize>(), listed(&each));
    }
    text
}

/// The cards of a hand as others see them.
pub(crate) fn cards(hand: &[InHand]) -> Vec<Card> {
    hand.iter().map(|InHand { number, name, .. }| Card { number: *number, name: name.clone() }).collect()
}

/// What is going on: who holds how many cards, and each hand for those who may see it.
pub(crate) fn now(state: &State, cast: &Cast) -> Vec<Shown> {
    let mut held: BTreeMap<CharacterId, usize> = BTreeMap::new();
    for name in state.decks.keys() {
        state.held(name).into_iter().for_each(|(who, count)| *held.entry(who).or_default() += count);
    }
    if held.is_empty() {
        return Vec::new();
    }
    let each: Vec<String> = held.iter().map(|(who, count)| format!("{} {count}", cast.name(*who))).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    let counted = Piece::Line(vec![Span::Text(format!("Cards in hand: {}", listed(&each)))]).to_all();
    let hand = |of: CharacterId| {
        let cards = cards(&state.hand(of));
        Shown { piece: Piece::Hand { of, name: cast.name(of).to_owned(), cards }, seen: Seen::of(of) }
    };
    std::iter::once(counted).chain(held.into_keys().map(hand)).collect()
}

/// All that everybody may know of one deck.
pub(crate) fn one(state: &State, turn: &Turn, name: &str) -> Reply {
    let reply = Reply::new().bold(name).text(format!(": {}", counts(state, turn, name)));
    let Some(deck) = state.decks.get(name) else { return reply };
    let shown = |cards: Vec<&str>| {
        let more = cards.len().saturating_sub(MOST_SHOWN);
        let first = cards.into_iter().take(MOST_SHOWN).collect::<Vec<_>>().join(", ");
        if more > 0 { format!("{first} and {more} more") } else { first }
    };
    let made = match deck.made {
        Made::Poker => "52 cards".to_owned(),
        Made::Jokers => "52 cards and 2 jokers".to_owned(),
        Made::Tarot => "22 trumps and 56 cards".to_owned(),
        Made::Own => shown(deck.cards.iter().map(String::as_str).collect()),
    };
    let names = deck.names();
    let laid = deck.newest_laid();
    let laid: Vec<&str> = laid.iter().filter_map(|card| names.get(*card as usize)).map(String::as_str).collect();
    let reply = reply.text(format!(" | made of {made}"));
    if laid.is_empty() { reply } else { reply.text(format!(" | face up, newest first: {}", shown(laid))) }
}
