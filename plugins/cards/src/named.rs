//! Which cards of a hand somebody typed: by their numbers there, or by name.

use crate::state::InHand;
use crate::words::written;
use plugin_api::{Refusal, Text};

/// The most cards that can be typed at once.
const MOST_TYPED: usize = 20;

/// Words that mean the whole hand.
const ALL: [&str; 6] = ["all", "hand", "everything", "my hand", "whole hand", "my whole hand"];

/// The cards of `hand` that `typed` means, as they are there. `known` are the names of all cards at the table, which
/// may be suggested: a suggestion from the hand would show it to everybody.
///
/// # Errors
/// None or several are meant, or one is not there. The refusal is public, so it names no card that was not typed.
pub(crate) fn meant(typed: &Text, hand: &[InHand], known: &[String]) -> Result<Vec<InHand>, Refusal> {
    if hand.is_empty() {
        return Err(Refusal::new("your hand is empty").example("draw"));
    }
    if ALL.contains(&typed.text.trim().to_lowercase().as_str()) {
        return Ok(hand.to_vec());
    }
    let parts = match numbers(&typed.text) {
        Some(numbers) => numbers.into_iter().map(|(number, at)| by_number(number, &at, typed, hand)).collect(),
        None => pieces(&typed.text).map(|piece| by_name(piece, typed, hand, known)).collect::<Vec<_>>(),
    };
    if parts.len() > MOST_TYPED {
        return Err(Refusal::new(format!("that is more than {MOST_TYPED} cards at once")).example("discard all"));
    }
    let mut cards: Vec<InHand> = Vec::new();
    for found in parts {
        let found = found?;
        // The first copy that was not named yet.
        let Some(card) = found.into_iter().find(|card| !cards.contains(card)) else {
            return Err(Refusal::new("you named a card twice").example("hand"));
        };
        cards.push(card);
    }
    match cards.is_empty() {
        true => Err(Refusal::new("which card?").example("hand")),
        false => Ok(cards),
    }
}

/// The numbers of which the text consists, as typed.
fn numbers(text: &str) -> Option<Vec<(Option<u32>, String)>> {
    let words = text.split([' ', ',', ';', '+', '&']).map(str::trim).filter(|word| !word.is_empty());
    let words =
        words.filter(|word| !["and", "card", "cards", "no", "no.", "number"].contains(&word.to_lowercase().as_str()));
    let number = |word: &str| {
        let digits = word.trim_start_matches('#').trim_end_matches(['.', ')', '!', '?']);
        let is = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is.then(|| (digits.parse().ok(), digits.to_owned()))
    };
    let all: Option<Vec<_>> = words.take(MOST_TYPED + 1).map(number).collect();
    all.filter(|all| !all.is_empty())
}

/// The single names of which the text consists.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([',', ';', '&', '+']).flat_map(|part| part.split(" and "));
    parts.map(str::trim).filter(|part| !part.is_empty()).take(MOST_TYPED + 1)
}

fn by_number(number: Option<u32>, typed: &str, all: &Text, hand: &[InHand]) -> Result<Vec<InHand>, Refusal> {
    let found = number.and_then(|number| hand.iter().find(|card| card.number == number));
    found.map(|card| vec![card.clone()]).ok_or_else(|| {
        let what = format!("there is no card number {typed} in your hand");
        at(what, typed, all).example("hand")
    })
}

/// The copies of the one card that is meant.
fn by_name(piece: &str, all: &Text, hand: &[InHand], known: &[String]) -> Result<Vec<InHand>, Refusal> {
    let wanted = spoken(piece);
    if wanted.is_empty() {
        return Err(at("which card?".to_owned(), piece, all).example("hand"));
    }
    for fits in [exactly, by_short_form, by_words, by_beginnings] {
        let found: Vec<&InHand> = hand.iter().filter(|card| fits(&wanted, &spoken(&card.name))).collect();
        let Some(first) = found.first() else { continue };
        if found.iter().any(|card| card.name != first.name) {
            let what =
                format!("more than one card in your hand could be {piece}: type its number, or more of its name");
            return Err(at(what, piece, all).example("hand"));
        }
        return Ok(found.into_iter().cloned().collect());
    }
    let lower = piece.to_lowercase();
    let is_one = known.iter().any(|name| by_beginnings(&wanted, &spoken(name)));
    let slip = plugin_api::suggest_within(2, &lower, known.iter().map(String::as_str)).filter(|_| !is_one);
    Err(match slip {
        Some(meant) => {
            let refusal = at(format!("there is no card called {piece}: did you mean {meant}?"), piece, all);
            let place = refusal.at.clone().unwrap_or_default();
            refusal.mended(place, Some(meant))
        }
        None => at(format!("you hold no card called {piece}"), piece, all).example("hand"),
    })
}

/// A refusal about a piece of the text.
fn at(what: String, piece: &str, all: &Text) -> Refusal {
    let refusal = Refusal::new(what);
    match all.text.find(piece) {
        Some(start) => refusal.at(all.at + start..all.at + start + piece.len()),
        None => refusal,
    }
}

/// Words that make no difference.
const FILLING: [&str; 7] = ["the", "a", "an", "my", "of", "card", "cards"];

/// The words of a name that count, as one says them: `10` and `ten`, `♥` and `hearts` are the same.
fn spoken(name: &str) -> Vec<String> {
    let lower = name.to_lowercase();
    let suited =
        lower.replace('♣', " clubs ").replace('♦', " diamonds ").replace('♥', " hearts ").replace('♠', " spades ");
    let words = suited.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let plain = |word: &str| written(word).filter(|number| *number > 1).map_or(word.to_owned(), |n| n.to_string());
    let all: Vec<String> = words.map(plain).collect();
    let counting: Vec<String> = all.iter().filter(|word| !FILLING.contains(&word.as_str())).cloned().collect();
    if counting.is_empty() { all } else { counting }
}

fn exactly(wanted: &[String], name: &[String]) -> bool {
    wanted == name
}

/// `qh`, `10s`, or `q hearts` for a card with a rank and a suit.
fn by_short_form(wanted: &[String], name: &[String]) -> bool {
    let [rank, suit] = name else { return false };
    let short =
        if rank.starts_with(|c: char| c.is_ascii_digit()) { rank.as_str() } else { rank.get(..1).unwrap_or(rank) };
    match wanted {
        [both] => suit.get(..1).is_some_and(|suit| *both == format!("{short}{suit}")),
        [one, other] => one == short && other == suit,
        _ => false,
    }
}

/// Each word typed is a word of the name.
fn by_words(wanted: &[String], name: &[String]) -> bool {
    wanted.iter().all(|word| name.contains(word))
}

/// Each word typed begins a word of the name.
fn by_beginnings(wanted: &[String], name: &[String]) -> bool {
    let begins = |word: &String| name.iter().any(|whole| whole.starts_with(word.as_str()));
    let long = |word: &String| word.chars().count() > 1;
    wanted.iter().all(begins) && wanted.iter().any(long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::CardKey;

    fn found(typed: &str, hand: &[&str]) -> Result<Vec<u32>, String> {
        let card = |(number, name): (u32, &&str)| InHand {
            key: CardKey { deck: "poker".to_owned(), card: number },
            number,
            name: (*name).to_owned(),
        };
        let hand: Vec<InHand> = (1..).zip(hand).map(card).collect();
        let known = ["queen of hearts", "ace of hearts", "jack of hearts", "blood moon"].map(str::to_owned);
        let text = Text { text: typed.to_owned(), at: 5 };
        meant(&text, &hand, &known).map(|cards| cards.iter().map(|card| card.number).collect()).map_err(|no| no.what)
    }

    const HAND: [&str; 6] = ["queen of hearts", "10 of clubs", "the Tower", "silence", "silence", "queen of spades"];

    #[test]
    fn numbers_are_places_in_the_hand() {
        assert_eq!(found("2", &HAND), Ok(vec![2]));
        assert_eq!(found("1, 3 and 6", &HAND), Ok(vec![1, 3, 6]));
        assert_eq!(found("all", &HAND), Ok(vec![1, 2, 3, 4, 5, 6]));
        assert!(found("7", &HAND).unwrap_err().contains("no card number 7"));
        assert!(found("99999999999999", &HAND).unwrap_err().contains("no card number"));
        assert_eq!(found("1 1", &HAND), Err("you named a card twice".to_owned()));
        assert_eq!(found("10", &HAND).unwrap_err(), found("11", &HAND).unwrap_err().replace("11", "10"));
    }

    #[test]
    fn part_of_a_name_is_enough_if_it_fits_one_card() {
        for (typed, number) in [
            ("queen of hearts", 1),
            ("The Queen of Hearts", 1),
            ("queen hearts", 1),
            ("qh", 1),
            ("Q♥", 1),
            ("hea", 1),
            ("ten of clubs", 2),
            ("10c", 2),
            ("clubs", 2),
            ("tower", 3),
            ("my tower card", 3),
        ] {
            assert_eq!(found(typed, &HAND), Ok(vec![number]), "{typed}");
        }
        assert_eq!(found("silence", &HAND), Ok(vec![4]));
        assert_eq!(found("silence, silence and qs", &HAND), Ok(vec![4, 5, 6]));
    }

    #[test]
    fn a_refusal_names_no_card_that_was_not_typed() {
        let which = found("queen", &HAND).unwrap_err();
        assert!(which.contains("could be queen") && !which.contains("hearts") && !which.contains("spades"), "{which}");
        assert!(found("ace of hearts", &HAND).unwrap_err().starts_with("you hold no card"), "there is one in the deck");
        let none = found("blood mon", &HAND).unwrap_err();
        assert_eq!(none, "there is no card called blood mon: did you mean blood moon?");
        let silent = found("silense", &HAND).unwrap_err();
        assert!(!silent.contains("silence"), "its owner alone knows that there is one here: {silent}");
        assert!(found("q", &HAND).is_err() && found("of", &HAND).is_err() && found(",", &HAND).is_err());
    }
}
