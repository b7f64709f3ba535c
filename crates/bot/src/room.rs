//! What every room can be set to, whatever it plays: how it is answered.

use crate::documents::RoomDoc;
use crate::house::GAME;
use dice::Dialect;
use plugin_api::{Setting, SettingKind, SettingScope};

/// A setting that every room has.
#[derive(Debug)]
pub struct RoomSetting {
    /// The word to type.
    pub key: &'static str,
    help: &'static str,
    /// What it may be; the first until somebody sets it.
    values: &'static [&'static str],
}

/// Whether results stand out.
pub const FORMATTING: RoomSetting = RoomSetting {
    key: "formatting",
    help: "whether results stand out in bold, where the network can show that",
    values: &["on", "off"],
};

/// Whose spelling of dice is read.
pub const DIALECT: RoomSetting = RoomSetting {
    key: "dialect",
    help: "whose spelling of dice is read: mine, or another tool's",
    values: &["native", "roll20", "foundry", "avrae", "dicemaiden"],
};

/// How much an answer tells.
pub const VERBOSITY: RoomSetting = RoomSetting {
    key: "verbosity",
    help: "how much answers tell: brief without dice, full with how the result came to be",
    values: &["normal", "brief", "full"],
};

/// Whether dice in prose are rolled.
pub const INLINE: RoomSetting =
    RoomSetting { key: "inline", help: "whether dice in prose are rolled: I strike [[2d6+3]]", values: &["off", "on"] };

/// How much an answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// The result.
    Brief,
    /// The result and the dice.
    Normal,
    /// The same, and how it came to be.
    Full,
}

impl RoomSetting {
    /// All of them.
    pub const ALL: [&'static RoomSetting; 4] = [&FORMATTING, &DIALECT, &VERBOSITY, &INLINE];

    /// As plugins declare theirs.
    pub fn declared(&self) -> Setting {
        Setting {
            key: self.key.to_owned(),
            help: self.help.to_owned(),
            default: self.values[0].to_owned(),
            kind: SettingKind::Choice(self.values.iter().map(|value| (*value).to_owned()).collect()),
            scope: SettingScope::Room,
        }
    }

    /// What it is in a room.
    pub fn of<'a>(&self, room: &'a RoomDoc) -> &'a str {
        room.settings.get(GAME).and_then(|set| set.get(self.key)).map_or(self.values[0], String::as_str)
    }
}

impl RoomDoc {
    /// Its answers are without styling.
    pub fn is_unstyled(&self) -> bool {
        FORMATTING.of(self) == "off"
    }

    /// Dice in prose are rolled.
    pub fn rolls_inline(&self) -> bool {
        INLINE.of(self) == "on"
    }

    /// Whose spelling of dice is read.
    pub fn dialect(&self) -> Dialect {
        Dialect::named(DIALECT.of(self)).unwrap_or_default()
    }

    /// How much answers tell.
    pub fn verbosity(&self) -> Verbosity {
        match VERBOSITY.of(self) {
            "brief" => Verbosity::Brief,
            "full" => Verbosity::Full,
            _ => Verbosity::Normal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_can_be_set() {
        assert_eq!(DIALECT.values, Dialect::ALL.map(|(name, _)| name));
    }
}
