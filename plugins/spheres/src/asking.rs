//! What commands look up first: settings, and whether the speaker is a referee.

use plugin_api::{ChoiceSetting, Refusal, SettingScope, Turn};

/// The word for the referee where somebody is named.
pub(crate) const GM: &str = "GM";

pub(crate) const DESTINY_DIE: ChoiceSetting<u32> = ChoiceSetting {
    key: "destinydie",
    help: "sides of a Destiny die",
    default: ("6", 6),
    values: &[("4", 4), ("6", 6), ("8", 8), ("10", 10), ("12", 12), ("20", 20)],
    scope: SettingScope::Table,
};

/// Sides of a Destiny die.
pub(crate) fn die_size(turn: &Turn) -> u32 {
    turn.setting(&DESTINY_DIE)
}

/// Refuses anyone but referees.
pub(crate) fn referee_only(turn: &Turn, what: &str) -> Result<(), Refusal> {
    match turn.by_referee() {
        true => Ok(()),
        false => Err(Refusal::new(format!("only the referee may {what}"))),
    }
}
