//! What commands ask of the table before they do anything: its settings, and whether the referee speaks.

use plugin_api::{Refusal, Turn};

/// Who stands for the referee where somebody is named.
pub(crate) const GM: &str = "GM";

/// The setting that says how large a Destiny die is.
pub(crate) const DESTINY_DIE: &str = "destinydie";

/// Sides of a Destiny die.
pub(crate) fn die_size(turn: &Turn) -> u32 {
    turn.setting(DESTINY_DIE).parse().unwrap_or(6)
}

/// Refuses who is no referee.
pub(crate) fn referee_only(turn: &Turn, what: &str) -> Result<(), Refusal> {
    match turn.by_referee() {
        true => Ok(()),
        false => Err(Refusal::new(format!("only the referee may {what}"))),
    }
}
