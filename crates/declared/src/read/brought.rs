//! `[oracle omen]` and `[deck fate]`: what a game brings for the tools of the table, in the form in which these take it.

use crate::lines::{Line, Section};
use crate::mistake::Mistake;
use dice::Dialect;
use plugin_api::random_table::{self, After, MOST_NAME, RandomTable};
use plugin_api::{PrintedCard, PrintedDeck, Refusal, wrong_deck_name};

/// Reads a random table. `None` if it has a mistake.
pub fn table(section: &Section, mistakes: &mut Vec<Mistake>) -> Option<RandomTable> {
    let before = mistakes.len();
    if section.name.chars().count() > MOST_NAME {
        mistakes.push(section.heading.all_wrong(format!("the name of a table has at most {MOST_NAME} characters")));
    }
    for line in &section.lines {
        if let Err(refusal) = random_table::canonical(&line.text, Dialect::Native) {
            mistakes.push(line.all_wrong(refusal.what));
        }
    }
    // The bar behind the last line says that a comma divides nothing.
    let body: String = section.lines.iter().map(|line| format!("{} | ", line.text)).collect();
    match random_table::read(&body, After::Name) {
        Ok(lines) if lines.is_empty() => mistakes.push(section.heading.all_wrong("nothing is on this table")),
        Ok(mut lines) => {
            for line in &mut lines {
                line.text = random_table::canonical(&line.text, Dialect::Native).ok()?;
            }
            return (mistakes.len() == before).then(|| RandomTable { name: section.name.clone(), lines });
        }
        Err(refusal) => mistakes.push(quoted_by(&refusal, section).all_wrong(refusal.what)),
    }
    None
}

/// The line of a table that a refusal quotes first.
fn quoted_by<'s>(refusal: &Refusal, section: &'s Section) -> &'s Line {
    let quoted = refusal.what.split('"').nth(1).map(|text| text.trim_end_matches('\u{2026}'));
    let line = section.lines.iter().find(|line| quoted.is_some_and(|quoted| line.text.contains(quoted)));
    line.unwrap_or(&section.heading)
}

/// Reads a deck. `None` if it has a mistake.
pub fn deck(section: &Section, mistakes: &mut Vec<Mistake>) -> Option<PrintedDeck> {
    let before = mistakes.len();
    mistakes.extend(wrong_deck_name(&section.name).map(|what| section.heading.all_wrong(what)));
    let mut cards = Vec::new();
    for line in &section.lines {
        let alone = |card: &PrintedCard| PrintedDeck { cards: vec![card.clone()] }.mistake();
        let card = card(&line.text).and_then(|card| alone(&card).map_or(Ok(card), Err));
        match card {
            Ok(card) => cards.push(card),
            Err(what) => mistakes.push(line.all_wrong(what)),
        }
    }
    let deck = PrintedDeck { cards };
    match section.lines.is_empty() {
        true => {
            mistakes.push(section.heading.all_wrong("it has no cards: each is a line, as in \"2x Crow: it sees you\""))
        }
        false if mistakes.len() == before => {
            mistakes.extend(deck.mistake().map(|what| section.heading.all_wrong(what)));
        }
        false => {}
    }
    (mistakes.len() == before).then_some(deck)
}

/// `2x Crow: it sees you`
fn card(text: &str) -> Result<PrintedCard, String> {
    let (named, says) = text.split_once(':').unwrap_or((text, ""));
    let random_table::Line { weight, text: title } =
        random_table::weighted(named.trim()).map_err(|refusal| refusal.what)?;
    let copies = usize::try_from(weight).unwrap_or(usize::MAX);
    let says = says.trim().to_owned();
    Ok(PrintedCard { title, text: says, copies, first: None, heroes: None, villains: None, actions: None })
}
