//! What happened, as sentences for the story: rounds, conditions and clocks, but not each turn.

use plugin_api::Past;

/// The sentence of an entry.
pub(crate) fn of(past: &Past) -> String {
    let Past { about, result, .. } = *past;
    match past.command {
        "condition" => match (about, result.strip_suffix(" has no conditions.")) {
            (Some(about), _) => format!("{about} was now {result}"),
            (None, Some(name)) => format!("{name} had no conditions any more"),
            (None, None) => String::new(),
        },
        "clock" => match (past.number("filled"), past.number("size"), result.rsplitn(3, ' ').nth(2)) {
            (Some(filled), Some(size), Some(name)) if filled == size => format!("The clock {name} was full"),
            (Some(_), Some(size), Some(name)) if past.number("begun").is_some() => {
                format!("The clock {name} began, with {size} segments")
            }
            (Some(filled), Some(size), Some(name)) => format!("The clock {name} stood at {filled} of {size}"),
            _ => String::new(),
        },
        _ => match result.strip_prefix("Round ").and_then(|rest| rest.split_once(": ")) {
            // `Round 3: Ann 17 (now), Ogre 9` only shows the order.
            Some((round, rest)) if rest.contains("'s turn") || rest.starts_with("the ") || rest.starts_with("who ") => {
                format!("Round {round} began")
            }
            _ => String::new(),
        },
    }
}
