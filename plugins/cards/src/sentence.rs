//! What was done with cards that everybody saw, as sentences for the story.

use plugin_api::Past;

/// How an answer begins, and the same in the past.
const VERBS: [(&str, &str); 6] = [
    ("draws", "drew"),
    ("plays", "played"),
    ("discards", "discarded"),
    ("gives", "gave"),
    ("shows", "showed"),
    ("puts", "shuffled"),
];

/// The sentence of an entry; empty for decks that are made or taken away.
pub(crate) fn of(past: &Past) -> String {
    // Without what is written on the cards.
    let result = past.answer.lines().next().and_then(|line| line.split(" | ").next()).unwrap_or_default();
    let found = result.trim().split_once(' ').and_then(|(verb, rest)| {
        let (_, past) = VERBS.iter().find(|(present, _)| *present == verb)?;
        Some((*past, rest))
    });
    found.map(|(verb, rest)| format!("{} {verb} {rest}", past.who)).unwrap_or_default()
}
