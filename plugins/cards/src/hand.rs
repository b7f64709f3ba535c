//! What people do with the cards they hold: look, play, discard, pass, show.
//!
//! Nobody does it for somebody else's character unless they may know the hand: the table would see a card of it.

use crate::decks;
use crate::draw::counted;
use crate::named;
use crate::printed;
use crate::state::{InHand, State};
use plugin_api::{CharacterId, Name, Picture, Readers, Refusal, Reply, Text, Turn};

/// How a card comes to lie face up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Laid {
    Played,
    Discarded,
}

/// The most words of a name.
const LONGEST_NAME: usize = 4;

/// Shows a hand to whoever may see it.
pub(crate) fn look(state: &State, turn: &mut Turn, whose: Option<Name>) -> Result<Reply, Refusal> {
    let typed = whose.as_ref().map(|Name(name)| name.clone());
    let who = turn.named(whose)?;
    if !turn.may_know(who) {
        let refusal = Refusal::new(format!("only {} and the referee may look at that hand", turn.name(who)));
        return Err(match typed {
            Some(name) => refusal.about_meant(name, ""),
            None => refusal.example("hand"),
        });
    }
    let hand = state.hand(who);
    let several = state.decks.len() > 1;
    let card = |card: &InHand| match several {
        true => format!("{}: {} ({})", card.number, card.name, card.key.deck),
        false => format!("{}: {}", card.number, card.name),
    };
    let cards: Vec<String> = hand.iter().map(card).collect();
    let reply = turn.about(who);
    let reply = match cards.is_empty() {
        true if who == turn.actor => reply.text("your hand is empty"),
        true => reply.text("the hand is empty"),
        false => reply.text(cards.join(", ")).picture(Picture::Cards(decks::cards(&hand))),
    };
    Ok(printed::explained_hand(reply, turn, &hand).fact("cards", cards).to(Readers::Player))
}

/// Lays cards of the actor's hand on the table.
pub(crate) fn lay(state: &mut State, turn: &mut Turn, cards: Option<Text>, how: Laid) -> Result<Reply, Refusal> {
    let verb = if how == Laid::Played { "play" } else { "discard" };
    let cards = held(state, turn, cards, verb)?;
    for card in &cards {
        state.hands.remove(&card.key);
        if let Some(deck) = state.decks.get_mut(&card.key.deck) {
            deck.lay(card.key.card);
        }
    }
    state.note_hand(turn.actor);
    let names: Vec<&str> = cards.iter().map(|card| card.name.as_str()).collect();
    let reply = Reply::new()
        .text(format!("{verb}s "))
        .bold(names.join(", "))
        .text(format!(" | {} left in hand", state.hand(turn.actor).len()));
    // What is thrown away does nothing.
    let reply = if how == Laid::Played { printed::explained_hand(reply, turn, &cards) } else { reply };
    Ok(reply.fact("cards", names).noticed(format!("{verb}s {}, face up", counted(cards.len()))))
}

/// Gives cards of the actor's hand to somebody. The answer does not say which.
pub(crate) fn pass(state: &mut State, turn: &mut Turn, what: Option<Text>) -> Result<Reply, Refusal> {
    let Some(what) = what else {
        return Err(Refusal::new("which card, and to whom?").example("pass 2 Bob"));
    };
    let (cards, to, named) = divided(&what, turn)?;
    let cards = held(state, turn, Some(cards), "pass")?;
    if to == turn.actor {
        return Err(Refusal::new("you hold that card already: to whom do you give it?").example("pass 2 Bob"));
    }
    turn.must_mean_only(to, &named)?;
    for card in &cards {
        if let Some(before) = state.hands.remove(&card.key) {
            state.take(card.key.clone(), to, before.salt);
        }
    }
    state.note_hand(turn.actor);
    state.note_hand(to);
    let gives = format!("gives {} {}", turn.with_account(to), counted(cards.len()));
    let left = state.hand(turn.actor).len();
    Ok(Reply::new().text(format!("{gives} | {left} left in hand")).fact("given", cards.len()).noticed(gives))
}

/// Shows cards of the actor's hand to everybody.
pub(crate) fn show(state: &State, turn: &mut Turn, cards: Option<Text>) -> Result<Reply, Refusal> {
    let all = state.hand(turn.actor).len();
    let cards = held(state, turn, cards, "show")?;
    let names: Vec<&str> = cards.iter().map(|card| card.name.as_str()).collect();
    let whole = if cards.len() == all { " | that is the whole hand" } else { "" };
    let reply = Reply::new().text("shows ").bold(names.join(", ")).text(whole);
    Ok(printed::explained_hand(reply, turn, &cards).fact("cards", names))
}

/// The cards of the actor's hand that somebody typed for `verb`.
fn held(state: &State, turn: &Turn, cards: Option<Text>, verb: &str) -> Result<Vec<InHand>, Refusal> {
    // Before anything of the hand is looked at, or refusals would tell what is in it.
    if !turn.may_know(turn.actor) {
        let name = turn.name(turn.actor);
        return Err(Refusal::new(format!("only {name} and the referee may use that hand")).example("hand"));
    }
    let hand = state.hand(turn.actor);
    let Some(cards) = cards else {
        let what = format!("which card? Type its number in your hand or its name; {verb} all means the whole hand");
        return Err(Refusal::new(what).example(format!("{verb} {}", if verb == "show" { "hand" } else { "2" })));
    };
    let known: Vec<String> = state.decks.values().flat_map(|deck| deck.names()).collect();
    named::meant(&cards, &hand, &known)
}

/// Divides `2 Bob`, `Bob 2`, `the queen of hearts to Old Tom` into the cards, who gets them, and how they were named.
fn divided(what: &Text, turn: &mut Turn) -> Result<(Text, CharacterId, String), Refusal> {
    let text = what.text.as_str();
    let cut = |from: usize, to: usize| Text { text: text[from..to].trim().to_owned(), at: what.at + from };
    let words = placed(text);
    // At the end, then in front; the longest name first.
    let ends = (1..=LONGEST_NAME).rev().filter(|count| *count < words.len());
    for (count, last) in ends.clone().map(|count| (count, true)).chain(ends.map(|count| (count, false))) {
        let among = if last { &words[words.len() - count..] } else { &words[..count] };
        let (from, to) = (among[0].0, among[count - 1].1);
        let name = text[from..to].trim_start_matches('@').trim_end_matches([':', ',', '.', '!']);
        if !name.starts_with(char::is_alphabetic) {
            continue;
        }
        let Ok(who) = turn.character(name) else { continue };
        let rest = if last { cut(0, from) } else { cut(to, text.len()) };
        return Ok((without_to(rest), who, name.to_owned()));
    }
    let [.., (from, to)] = words.as_slice() else {
        return Err(Refusal::new("which card, and to whom?").example("pass 2 Bob"));
    };
    let last = text[*from..*to].trim_start_matches('@');
    match (turn.character(last), words.len()) {
        (Ok(_), _) => Err(Refusal::new("which card?").example(format!("pass 2 {last}"))),
        (Err(nobody), 2..) if last.starts_with(char::is_alphabetic) => Err(nobody),
        _ => Err(Refusal::new("to whom?").example(format!("pass {} to Bob", text.trim()))),
    }
}

/// Where each word of the text is, in bytes.
fn placed(text: &str) -> Vec<(usize, usize)> {
    let mut words = Vec::new();
    let mut from = 0;
    for word in text.split(char::is_whitespace) {
        if !word.is_empty() {
            words.push((from, from + word.len()));
        }
        // Whitespace may be of several bytes.
        from += word.len();
        from += text[from..].chars().next().map_or(0, char::len_utf8);
    }
    words
}

/// Without the `to` that led to the name.
fn without_to(cards: Text) -> Text {
    let Text { text, at } = cards;
    let shorter = text.trim_end();
    let cut = ["to", "for", "→", "->"].iter().find_map(|word| {
        let before = shorter.strip_suffix(word)?;
        (before.is_empty() || before.ends_with(char::is_whitespace)).then(|| before.trim_end().to_owned())
    });
    Text { text: cut.unwrap_or(text), at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_is_between_them() {
        let text = " 2\u{3000}to  Bob";
        let words: Vec<&str> = placed(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(words, ["2", "to", "Bob"]);
    }

    #[test]
    fn the_word_before_a_name_is_no_card() {
        let cut = |text: &str| without_to(Text { text: text.to_owned(), at: 3 }).text;
        assert_eq!(cut("queen of hearts to"), "queen of hearts");
        assert_eq!(cut("Plato"), "Plato");
    }
}
