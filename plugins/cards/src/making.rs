//! Making, shuffling and removing decks.

use crate::deck::{Deck, MOST_AT_TABLE, MOST_DECKS, Made};
use crate::decks::{in_the, one, which};
use crate::printed;
use crate::state::State;
use crate::typed::{EXAMPLE, read_cards, read_name};
use crate::words::{Called, Change};
use plugin_api::{CharacterId, Refusal, Reply, Text, Turn};

/// The names of decks for which none was typed.
const POKER: &str = "poker";
const TAROT: &str = "tarot";
const FATE: &str = "fate";

/// A card for each way in which four Fate dice can fall.
const FOUR_FATE_DICE: [&str; 9] = [
    "minus four",
    "4x minus three",
    "10x minus two",
    "16x minus one",
    "19x zero",
    "16x plus one",
    "10x plus two",
    "4x plus three",
    "plus four",
];

/// What is shuffled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffled {
    Discards,
    HandsToo,
}

impl From<bool> for Shuffled {
    fn from(all: bool) -> Self {
        if all { Shuffled::HandsToo } else { Shuffled::Discards }
    }
}

/// Makes, shows or removes a deck.
pub(crate) fn change(state: &mut State, turn: &mut Turn, change: Change) -> Result<Reply, Refusal> {
    match change {
        // Whoever asks for a deck that is there wants to see it.
        Change::Poker { jokers: false, name: None } if state.decks.contains_key(POKER) => Ok(one(state, turn, POKER)),
        Change::Tarot { name: None } if state.decks.contains_key(TAROT) => Ok(one(state, turn, TAROT)),
        Change::Poker { jokers, name } => {
            let made = if jokers { Made::Jokers } else { Made::Poker };
            make(state, turn, name.map(|Called(name)| name), POKER, Deck::new(made, Vec::new()))
        }
        Change::Tarot { name } => {
            make(state, turn, name.map(|Called(name)| name), TAROT, Deck::new(Made::Tarot, Vec::new()))
        }
        Change::Fate { name: None } if state.decks.contains_key(FATE) => Ok(one(state, turn, FATE)),
        Change::Fate { name } => {
            let cards = FOUR_FATE_DICE.map(str::to_owned).to_vec();
            make(state, turn, name.map(|Called(name)| name), FATE, Deck::new(Made::Own, cards))
        }
        Change::Remove { name, .. } => remove(state, turn, name),
        Change::Own { deck } => own(state, turn, &deck),
    }
}

/// A deck of one's own, or a look at a deck.
fn own(state: &mut State, turn: &mut Turn, typed: &Text) -> Result<Reply, Refusal> {
    let text = typed.text.trim_end();
    if let Some((name, cards)) = text.split_once([':', '=']) {
        let at = typed.at + name.len() + 1;
        let cards = read_cards(cards, at)?;
        let name = name.trim_end();
        let made = make(state, turn, Some(name.to_owned()), "mydeck", Deck::new(Made::Own, cards));
        // The name is the place of a refusal that is about it, without the colon.
        return made.map_err(|refusal| match refusal.mended.as_ref().map(|mended| mended.by.clone()) {
            Some(meant) => {
                refusal.at(typed.at..typed.at + name.len()).mended(typed.at..typed.at + name.len(), Some(meant))
            }
            None => refusal,
        });
    }
    if let Some((name, cards)) = text.split_once(char::is_whitespace).filter(|(_, cards)| cards.contains([',', ';'])) {
        let what = "a colon divides the name of a deck from its cards";
        let whole = typed.at..typed.at + typed.text.len();
        let meant = format!("{}: {}", name.trim_end_matches([',', ';']), cards.trim());
        return Err(Refusal::new(what).at(whole.clone()).mended(whole, Some(meant)));
    }
    if let Some((name, deck)) = printed::deck(turn, text).filter(|(name, _)| !state.decks.contains_key(name)) {
        return make(state, turn, Some(name), "mydeck", deck);
    }
    let name =
        which(state, Some(Called(text.to_owned())), "deck {}").map_err(|refusal| match state.decks.is_empty() {
            true => refusal,
            false => refusal.example(EXAMPLE),
        })?;
    Ok(one(state, turn, &name))
}

fn make(state: &mut State, turn: &mut Turn, name: Option<String>, usual: &str, deck: Deck) -> Result<Reply, Refusal> {
    let name = name.map_or(Ok(usual.to_owned()), |name| read_name(&name))?;
    if state.decks.contains_key(&name) {
        let refusal = Refusal::new(format!("there is a deck called {name} already: remove it, or choose another name"));
        return Err(refusal.example(format!("deck remove {name}")));
    }
    if state.decks.len() >= MOST_DECKS {
        return Err(Refusal::new(format!("a table has at most {MOST_DECKS} decks")).example("deck"));
    }
    let all: usize = state.decks.values().map(Deck::size).sum();
    if all + deck.size() > MOST_AT_TABLE {
        let what = format!("the decks of a table have at most {MOST_AT_TABLE} cards together, and there are {all}");
        return Err(Refusal::new(what).example("deck"));
    }
    if !turn.by_referee() {
        return Err(Refusal::new("only the referee makes decks").example("deck"));
    }
    let size = deck.size();
    state.decks.insert(name.clone(), deck);
    let draw = if state.decks.len() > 1 { format!("draw from {name}") } else { "draw".to_owned() };
    let cards = if size == 1 { "1 card".to_owned() } else { format!("{size} cards") };
    Ok(Reply::new()
        .bold(name)
        .text(format!(": a deck of {cards} | "))
        .code(draw)
        .text(" takes one")
        .fact("cards", size))
}

fn remove(state: &mut State, turn: &mut Turn, name: Option<Called>) -> Result<Reply, Refusal> {
    let name = which(state, name, "deck remove {}")?;
    if !turn.by_referee() {
        return Err(Refusal::new("only the referee removes decks").example("deck"));
    }
    let back = hand_back(state, turn, &name)?;
    state.decks.remove(&name);
    let back = if back > 0 { format!(", and the {back} in hands with it") } else { String::new() };
    Ok(Reply::new().bold(name).text(format!(" is removed{back}")))
}

/// Puts the discards, or all cards, back into a deck.
pub(crate) fn shuffle(
    state: &mut State,
    turn: &mut Turn,
    deck: Option<Called>,
    what: Shuffled,
) -> Result<Reply, Refusal> {
    let name = which(state, deck, if what == Shuffled::HandsToo { "shuffle {} all" } else { "shuffle {}" })?;
    let laid = state.decks.get(&name).map_or(0, |deck| deck.laid.len());
    let held = state.held(&name).values().sum::<usize>();
    if what == Shuffled::Discards && laid == 0 || laid + held == 0 {
        return Err(Refusal::new("there are no discards to put back: a deck needs no shuffling").example("deck"));
    }
    if what == Shuffled::HandsToo && !turn.by_referee() {
        return Err(Refusal::new("only the referee takes back the cards in hands").about_meant("all", ""));
    }
    let back = if what == Shuffled::HandsToo { hand_back(state, turn, &name)? } else { 0 };
    if let Some(deck) = state.decks.get_mut(&name) {
        deck.laid.clear();
        deck.turns.add();
    }
    let from_hands = match (back, laid) {
        (0, _) => String::new(),
        (_, 0) => " from hands".to_owned(),
        _ => format!(", {back} of them from hands"),
    };
    let cards = if laid + back == 1 { "1 card".to_owned() } else { format!("{} cards", laid + back) };
    let left = state.left(&name);
    let reply = Reply::new().text(format!("puts {cards} back{from_hands} | {left} left {}", in_the(state, &name)));
    Ok(reply.fact("left", left))
}

/// Takes all cards of a deck out of hands. Whoever does it can read in the journal which they were.
fn hand_back(state: &mut State, turn: &Turn, name: &str) -> Result<usize, Refusal> {
    let holders: Vec<CharacterId> = state.held(name).into_keys().collect();
    if !holders.iter().all(|who| turn.may_know(*who)) {
        let what = "whoever takes back the cards in hands could see them, so that takes a referee; while there is none, \
                    everybody discards their own";
        return Err(Refusal::new(what).example("discard all"));
    }
    let before = state.hands.len();
    state.hands.retain(|key, _| key.deck != name);
    holders.iter().for_each(|who| state.note_hand(*who));
    Ok(before - state.hands.len())
}
