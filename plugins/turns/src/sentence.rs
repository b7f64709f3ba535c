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
            (Some(filled), Some(size), Some(name)) => format!("The clock {name} stood at {filled} of {size}"),
            _ => String::new(),
        },
        _ => match result.strip_prefix("Round ").and_then(|rest| rest.split_once(": ")) {
            Some((round, _)) => format!("Round {round} began"),
            None => String::new(),
        },
    }
}
