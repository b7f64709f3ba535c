//! Reads the name and the cards of a deck of one's own, as people type them.

use plugin_api::{MOST_CARDS, Refusal, suggest};

/// The longest names, in characters.
const LONGEST_CARD: usize = 40;
const LONGEST_NAME: usize = 20;

/// A deck of one's own, as it is typed.
pub(crate) const EXAMPLE: &str = "deck omens: crow, blood moon, 3x silence";

/// Words that no deck can be called, because they mean something else in a line.
const RESERVED: [&str; 25] = [
    "all", "card", "cards", "clear", "deck", "decks", "delete", "discards", "drop", "each", "fate", "from", "hand",
    "hands", "of", "open", "openly", "poker", "public", "remove", "rm", "tarot", "the", "to", "up",
];
/// How often a card is there, and its name: `3x silence`, `silence x3`.
pub(crate) fn copies(typed: &str) -> (usize, &str) {
    // A number beyond all decks is one too, and is refused later.
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = |text: &str| {
        let text = text.trim();
        let count = digits(text).then(|| text.parse().unwrap_or(usize::MAX))?;
        (count > 0).then_some(count)
    };
    let marks = ['x', 'X', '×', '*'];
    let front = typed.split_once(marks).and_then(|(count, name)| Some((number(count)?, name.trim())));
    let back = || {
        let (name, count) = typed.rsplit_once(marks)?;
        name.ends_with(char::is_whitespace).then_some(())?;
        Some((number(count)?, name.trim()))
    };
    front.filter(|(_, name)| !name.is_empty()).or_else(back).unwrap_or((1, typed.trim()))
}

/// Reads the cards of a deck of one's own, which begin at this byte of the line.
///
/// # Errors
/// There are none or too many, or one has a name that would mean something else in a hand.
pub(crate) fn read_cards(typed: &str, at: usize) -> Result<Vec<String>, Refusal> {
    let mut cards = Vec::new();
    let mut all = 0;
    for card in typed.split([',', ';', '|']).map(str::trim).filter(|card| !card.is_empty()) {
        let (count, name) = copies(card);
        all = count.saturating_add(all);
        if all > MOST_CARDS || cards.len() >= MOST_CARDS {
            return Err(Refusal::new(format!("a deck has at most {MOST_CARDS} cards"))
                .about(first_word(card))
                .example(EXAMPLE));
        }
        if name.chars().count() > LONGEST_CARD {
            let what = format!("the name of a card has at most {LONGEST_CARD} characters");
            return Err(Refusal::new(what).about(first_word(card)).example(EXAMPLE));
        }
        if is_number(name) {
            let what = format!("a card cannot be called {name}: a number is a place in a hand");
            let whole = at..at + typed.trim_end().len();
            return Err(Refusal::new(what).at(whole.clone()).mended(whole, Some(lettered(typed))));
        }
        cards.push(if count == 1 { name.to_owned() } else { format!("{count}x {name}") });
    }
    match cards.is_empty() {
        true => Err(Refusal::new("a deck needs cards").example(EXAMPLE)),
        false => Ok(cards),
    }
}

fn is_number(name: &str) -> bool {
    !name.chars().any(char::is_alphabetic)
}

/// The cards with a word before those that are only numbers.
fn lettered(typed: &str) -> String {
    let each = typed.split([',', ';', '|']).map(str::trim).filter(|card| !card.is_empty()).map(|card| {
        let (count, name) = copies(card);
        let name = if is_number(name) { format!("the {name}") } else { name.to_owned() };
        if count == 1 { name } else { format!("{count}x {name}") }
    });
    format!(" {}", each.collect::<Vec<_>>().join(", "))
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The name of a deck as it is stored.
///
/// # Errors
/// It cannot be one, because it means something else in a line.
pub(crate) fn read_name(typed: &str) -> Result<String, Refusal> {
    let name = typed.to_lowercase();
    let about = |what: &str, meant: &str| Err(Refusal::new(what).about_meant(typed, meant));
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '\'');
    if RESERVED.contains(&name.as_str()) || crate::words::written(&name).is_some() {
        return about(&format!("a deck cannot be called {name}, because that means something else"), "mydeck");
    }
    if name.chars().count() > LONGEST_NAME {
        return about(&format!("the name of a deck has at most {LONGEST_NAME} characters"), "mydeck");
    }
    if !name.starts_with(char::is_alphabetic) || !name.chars().all(fits) {
        return about("the name of a deck is one word of letters and digits, beginning with a letter", "mydeck");
    }
    Ok(name)
}

/// A refusal: there is no deck of this name among these.
pub(crate) fn no_such<'a>(typed: &str, names: impl Iterator<Item = &'a String> + Clone) -> Refusal {
    match suggest(typed, names.clone().map(String::as_str)) {
        Some(meant) => {
            Refusal::new(format!("there is no deck called {typed}: did you mean {meant}?")).about_meant(typed, meant)
        }
        None => Refusal::new(format!("there is no deck called {typed}")).about(typed).example("deck"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_told_from_names_with_an_x() {
        assert_eq!(copies("3x silence"), (3, "silence"));
        assert_eq!(copies("3 × silence"), (3, "silence"));
        assert_eq!(copies("silence x3"), (3, "silence"));
        assert_eq!(copies("the ox 2"), (1, "the ox 2"));
        assert_eq!(copies("fox"), (1, "fox"));
        assert_eq!(copies("x"), (1, "x"));
        assert_eq!(copies("0x silence"), (1, "0x silence"));
    }

    #[test]
    fn a_deck_has_bounds_before_anything_is_made() {
        for many in ["10000x crow", "99999999999999999999999x crow", "150x crow, 51x owl"] {
            assert_eq!(read_cards(many, 0).unwrap_err().what, "a deck has at most 200 cards", "{many}");
        }
        assert!(read_cards(&"crow,".repeat(201), 0).is_err());
        assert!(read_cards(&"a".repeat(41), 0).is_err());
        assert!(read_cards("crow, 7", 0).unwrap_err().what.contains("cannot be called 7"));
        assert!(read_cards(" , ; ", 0).is_err());
    }

    #[test]
    fn a_deck_has_a_name_that_is_no_other_word() {
        assert_eq!(read_name("Omens"), Ok("omens".to_owned()));
        for wrong in ["all", "ALL", "two", "7", "a.b", "a/b", "poker", &"a".repeat(21), ""] {
            assert!(read_name(wrong).is_err(), "{wrong}");
        }
    }
}
