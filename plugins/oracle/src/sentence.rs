//! What was asked and answered, as sentences for the story.

use plugin_api::Past;

/// The sentence of an entry; `None` for a plain one.
pub(crate) fn of(past: &Past) -> Option<String> {
    let who = past.who;
    // What a table says may begin with somebody's name.
    let result = past.about.map_or(past.result.to_owned(), |about| format!("{about}: {}", past.result));
    Some(match past.command {
        "pick" => format!("{who} picked {result}"),
        _ if past.facts.contains_key("chance") => format!("{who} asked the oracle: {result}"),
        _ if past.facts.contains_key("results") => {
            let table = past.word("table").map(|table| format!(" of {table}")).unwrap_or_default();
            // `3x weather: snow; snow` says which table already.
            match result.split_once("x ").and_then(|(_, rest)| rest.split_once(": ")) {
                Some((_, results)) => format!("{who} asked the oracle{table}: {results}"),
                None => format!("{who} asked the oracle{table}: {result}"),
            }
        }
        // Tables that are made or taken away.
        _ => String::new(),
    })
}
