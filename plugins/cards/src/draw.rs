//! `!draw` and `!deal`: a die for each card chooses among those that are left.

use crate::decks::{in_the, listed, which};
use crate::order;
use crate::printed;
use crate::state::{CardKey, InHand, State};
use crate::words::{Called, Count, MOST_DRAWN};
use plugin_api::names::written;
use plugin_api::{CharacterId, Dice, Readers, Refusal, Reply, Turn};

/// The most cards in a hand, and the most that one command deals.
const MOST_HELD: usize = 50;
const MOST_DEALT: usize = 60;

/// Draws into the actor's hand. The whole entry is secret, with its dice.
pub(crate) fn draw(
    state: &mut State,
    turn: &mut Turn,
    count: Option<Count>,
    deck: Option<Called>,
) -> Result<Reply, Refusal> {
    let name = which(state, deck, &line("draw", count))?;
    let count = many(count);
    enough(state, &name, count, 1)?;
    let actor = turn.actor;
    if !turn.may_know(actor) {
        let what = format!(
            "only {} and the referee may see what {0} draws: it must be open, or for yourself",
            turn.name(actor)
        );
        return Err(Refusal::new(what).example(format!("as {} draw open", written(turn.name(actor)))));
    }
    room_in_hand(state, turn, actor, count)?;
    let numbers = into_hand(state, turn, &name, actor, count)?;
    note(state, &name, actor);
    let drawn: Vec<InHand> = state.hand(actor).into_iter().filter(|card| numbers.contains(&card.number)).collect();
    let cards: Vec<String> = drawn.iter().map(|card| format!("{}: {}", card.number, card.name)).collect();
    let left = state.left(&name);
    let reply =
        Reply::new().text("draws ").bold(cards.join(", ")).text(format!(" | {left} left {}", in_the(state, &name)));
    Ok(printed::explained_hand(reply, turn, &drawn)
        .fact("drawn", cards)
        .fact("left", left)
        .why("a die chose each card among those left, counted in an order that depends on all hands and that nobody knows")
        .why("the two large dice are secret and go into that order from now on, so that it tells nobody these cards")
        .noticed(format!("draws {}", of_deck(state, count, &name)))
        .to(Readers::Player))
}

/// Draws face up.
pub(crate) fn open(
    state: &mut State,
    turn: &mut Turn,
    count: Option<Count>,
    deck: Option<Called>,
) -> Result<Reply, Refusal> {
    let name = which(state, deck, &line("draw open", count))?;
    let count = many(count);
    enough(state, &name, count, 1)?;
    let mut order = order::left(state, &name);
    let mut drawn = Vec::new();
    for _ in 0..count {
        drawn.push(choose(turn, &mut order)?);
    }
    let Some(deck) = state.decks.get_mut(&name) else { return Err(gone(&name)) };
    drawn.iter().for_each(|card| deck.lay(*card));
    deck.turns.add();
    let names = deck.names();
    let cards: Vec<String> = drawn.iter().filter_map(|card| names.get(*card as usize).cloned()).collect();
    let left = state.left(&name);
    let reply =
        Reply::new().text("draws ").bold(cards.join(", ")).text(format!(" | {left} left {}", in_the(state, &name)));
    let titles = cards.iter().map(|title| (name.as_str(), title.as_str()));
    Ok(printed::explained(reply, turn, titles).fact("cards", cards.clone()).fact("left", left).why(
        "a die chose each card among those left, counted in an order that depends on all hands and that nobody knows",
    ))
}

/// Deals to all heroes, or to one character. Whoever deals can read it later, so it takes a named referee.
pub(crate) fn deal(
    state: &mut State,
    turn: &mut Turn,
    count: Option<Count>,
    deck: Option<Called>,
    to: &[Called],
) -> Result<Reply, Refusal> {
    let name = which(state, deck, &line("deal", count))?;
    let count = many(count);
    let mut whom: Vec<CharacterId> = Vec::new();
    for Called(name) in to {
        let who = turn.only(name)?;
        if !whom.contains(&who) {
            whom.push(who);
        }
    }
    let to: Vec<CharacterId> = match whom.is_empty() {
        true => turn.heroes().into_iter().filter(|hero| !turn.is_away(*hero)).collect(),
        false => whom,
    };
    if to.is_empty() {
        return Err(
            Refusal::new("there are no heroes at the table yet: deal to somebody by name").example("deal 2 to Ann")
        );
    }
    if count * to.len() > MOST_DEALT {
        return Err(Refusal::new(format!("that is more than {MOST_DEALT} cards at once")).example("deal 1"));
    }
    enough(state, &name, count, to.len())?;
    for who in &to {
        room_in_hand(state, turn, *who, count)?;
    }
    if !(turn.by_referee() && to.iter().all(|who| turn.may_know(*who))) {
        let what = "whoever deals could see the hands, so that takes a referee; while there is none, everybody draws";
        return Err(Refusal::new(what).example(format!("draw {count}")));
    }
    for who in &to {
        into_hand(state, turn, &name, *who, count)?;
        note(state, &name, *who);
    }
    let names: Vec<String> = to.iter().map(|who| turn.with_account(*who)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let each = if to.len() > 1 { " each" } else { "" };
    let from = if state.decks.len() > 1 { format!(" from {name}") } else { String::new() };
    let dealt = format!("deals {}{each} to {}{from}", counted(count), listed(&names));
    let left = state.left(&name);
    Ok(Reply::new()
        .text(format!("{dealt} | {left} left {}", in_the(state, &name)))
        .fact("left", left)
        .noticed(format!("{dealt}: "))
        .noticed_command("hand", " shows you yours")
        .to(Readers::Player))
}

/// A die chooses one of the cards that are left.
fn choose(turn: &mut Turn, order: &mut Vec<u32>) -> Result<u32, Refusal> {
    let sides = u32::try_from(order.len()).unwrap_or(u32::MAX);
    let at = turn.throw(sides)?.saturating_sub(1) as usize;
    if at >= order.len() {
        return Err(Refusal::new("the deck is empty"));
    }
    Ok(order.remove(at))
}

/// Draws into a hand; returns the numbers of the cards there.
fn into_hand(
    state: &mut State,
    turn: &mut Turn,
    name: &str,
    who: CharacterId,
    count: usize,
) -> Result<Vec<u32>, Refusal> {
    let mut order = order::left(state, name);
    let mut cards = Vec::new();
    for _ in 0..count {
        let card = choose(turn, &mut order)?;
        cards.push(card);
    }
    let secret = order::secret(turn)?;
    let numbers = cards.into_iter().map(|card| {
        let key = CardKey { deck: name.to_owned(), card };
        let salt = order::salt(secret, &key);
        state.take(key, who, salt)
    });
    Ok(numbers.collect())
}

fn note(state: &mut State, name: &str, who: CharacterId) {
    state.note_hand(who);
    if let Some(deck) = state.decks.get_mut(name) {
        deck.turns.add();
    }
}

/// Refuses if fewer cards are left than are wanted by so many.
fn enough(state: &State, name: &str, count: usize, by: usize) -> Result<(), Refusal> {
    let left = state.left(name);
    if count * by <= left {
        return Ok(());
    }
    let laid = state.decks.get(name).map_or(0, |deck| deck.laid.len());
    let more = match laid {
        0 => String::new(),
        1 => ": shuffle the discard back".to_owned(),
        _ => format!(": shuffle the {laid} discards back"),
    };
    let example = if state.decks.len() > 1 { format!("shuffle {name}") } else { "shuffle".to_owned() };
    if left == 0 {
        return Err(Refusal::new(format!("no card is left in {name}{more}")).example(example));
    }
    let cards = if left == 1 { "only 1 card is".to_owned() } else { format!("only {left} cards are") };
    let refusal = Refusal::new(format!("{cards} left in {name}{more}"));
    match left / by {
        0 => Err(refusal.example(example)),
        most => Err(refusal.about_meant(count.to_string(), most.min(MOST_DRAWN).to_string())),
    }
}

fn room_in_hand(state: &State, turn: &Turn, who: CharacterId, count: usize) -> Result<(), Refusal> {
    let held = state.hands.values().filter(|held| held.by == who).count();
    if held + count > MOST_HELD {
        let what = format!("a hand has at most {MOST_HELD} cards, and {} holds {held}", turn.name(who));
        return Err(Refusal::new(what).example("discard all"));
    }
    Ok(())
}

/// How many cards are meant.
fn many(count: Option<Count>) -> usize {
    count.map_or(1, |Count(count)| count)
}

/// What was typed, with a place for the name of the deck.
fn line(command: &str, count: Option<Count>) -> String {
    let count = count.map_or(String::new(), |Count(count)| format!(" {count}"));
    format!("{command}{count} from {{}}")
}

pub(crate) fn counted(count: usize) -> String {
    if count == 1 { "a card".to_owned() } else { format!("{count} cards") }
}

/// `2 cards`, and from which deck if there are several.
fn of_deck(state: &State, count: usize, name: &str) -> String {
    let cards = counted(count);
    if state.decks.len() > 1 { format!("{cards} from {name}") } else { cards }
}

fn gone(name: &str) -> Refusal {
    Refusal::new(format!("there is no deck called {name}")).example("deck")
}
