//! The settings that every room has, whatever it plays, and the operator's rules for rooms.

use crate::shared::Settings;
use crate::times::{self, Hours};
use chat::RoomId;
use chat::pattern;
use dice::Dialect;
use journal::HOUSE;
use journal::documents::{RoomDoc, TableDoc};
use plugin_api::{Manifest, Refusal, Setting, SettingKind, SettingScope};
use std::collections::{BTreeMap, BTreeSet};

/// A setting that every room has.
#[derive(Debug)]
pub struct RoomSetting {
    /// The word to type.
    pub key: &'static str,
    help: &'static str,
    /// The values it can have; the first is the default.
    values: &'static [&'static str],
    /// Reads any other value, in its canonical form.
    other: Option<Other>,
}

/// Other values of a setting.
#[derive(Debug)]
struct Other {
    read: fn(&str) -> Option<String>,
    example: &'static str,
}

/// Whether results are emphasised.
pub const FORMATTING: RoomSetting = RoomSetting {
    key: "formatting",
    help: "whether results stand out in bold, where the network can show that",
    values: &["on", "off"],
    other: None,
};

/// The dice notation to read.
pub const DIALECT: RoomSetting = RoomSetting {
    key: plugin_api::DIALECT,
    help: "whose spelling of dice is read: mine, or another tool's",
    values: &["native", "roll20", "foundry", "avrae", "dicemaiden"],
    other: None,
};

/// How much an answer says.
pub const VERBOSITY: RoomSetting = RoomSetting {
    key: "verbosity",
    help: "how much answers tell: brief without dice, full with how the result came to be",
    values: &["normal", "brief", "full"],
    other: None,
};

/// Whether dice in prose are rolled.
pub const INLINE: RoomSetting = RoomSetting {
    key: "inline",
    help: "whether dice in prose are rolled: I strike [[2d6+3]]",
    values: &["off", "on"],
    other: None,
};

/// Whether an edited command is played again.
pub const EDITS: RoomSetting = RoomSetting {
    key: "edits",
    help: "whether an edited command is played again",
    values: &["on", "off"],
    other: None,
};

/// Whether to play commands sent while the bot was away.
pub const LATE: RoomSetting = RoomSetting {
    key: "late",
    help: "whether commands that were given while I was away are answered, and labelled so",
    values: &["on", "off"],
    other: None,
};

/// Whether no other bot is in the room.
pub const ALONE: RoomSetting = RoomSetting {
    key: "alone",
    help: "whether no other bot is here, so that I also answer commands I do not know",
    values: &["off", "on"],
    other: None,
};

/// Whether newcomers are shown how to begin.
pub const WELCOME: RoomSetting = RoomSetting {
    key: "welcome",
    help: "whether I show somebody new, with their first answer, how to begin",
    values: &["off", "on"],
    other: None,
};

/// What the room is for, where several share a table.
pub const PART: RoomSetting = RoomSetting {
    key: "part",
    help: "what this room is for: play; talk, where nothing from the table's other rooms is shown, nor from here there; or \
           watch, where that is shown and nobody plays",
    values: &["play", "talk", "watch"],
    other: None,
};

/// When nobody is called on the bot's own account.
pub const QUIET: RoomSetting = RoomSetting {
    key: "quiet",
    help: "when I do not call anyone by nudge, in the table's time zone, such as 22:00-08:00",
    values: &["off"],
    other: Some(Other {
        read: |value| times::Hours::read(value).map(|hours| hours.to_string()),
        example: "22:00-08:00",
    }),
};

/// Whether rolls end with the address of their page.
pub const LINKS: RoomSetting = RoomSetting {
    key: "links",
    help: "whether answers with a roll on IRC end with the address of its page, once somebody has used the command page",
    values: &["off", "on"],
    other: None,
};

/// A setting that every table has, on or off.
pub struct TableSwitch {
    /// The word to type.
    pub key: &'static str,
    /// What it means.
    pub help: &'static str,
}

/// Whether rooms that share a table see each other's rolls.
pub const MIRROR: TableSwitch =
    TableSwitch { key: "mirror", help: "whether what is rolled in one room of this table is shown in the others" };

impl TableSwitch {
    /// True if it is on.
    pub fn is_on(&self, table: &TableDoc) -> bool {
        table.settings.get(HOUSE).and_then(|set| set.get(self.key)).is_some_and(|value| value == "on")
    }
}

/// How much an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// The result.
    Brief,
    /// The result and the dice.
    Normal,
    /// The same, with an explanation.
    Full,
}

impl RoomSetting {
    /// All of them.
    pub const ALL: [&'static RoomSetting; 11] =
        [&FORMATTING, &DIALECT, &VERBOSITY, &INLINE, &EDITS, &LATE, &ALONE, &WELCOME, &PART, &QUIET, &LINKS];

    /// True if it is on in a room.
    pub fn is_on(&self, room: &RoomDoc) -> bool {
        self.of(room) == "on"
    }

    /// Its declaration, in the form plugins use.
    pub fn declared(&self) -> Setting {
        Setting {
            key: self.key.to_owned(),
            help: self.help.to_owned(),
            default: self.values[0].to_owned(),
            kind: SettingKind::Choice(self.values.iter().map(|value| (*value).to_owned()).collect()),
            scope: SettingScope::Room,
        }
    }

    /// Returns the value for the setting `key` in its canonical form.
    ///
    /// # Errors
    /// There is no such setting, or it cannot have that value; the refusal says what there is.
    pub fn check(key: &str, value: &str) -> Result<String, Refusal> {
        let found = Self::ALL.iter().find(|setting| setting.key == key).ok_or_else(|| {
            let keys = Self::ALL.map(|setting| setting.key).join(", ");
            Refusal::new(format!("a room has no {key}: it has {keys}"))
        })?;
        found.read(value)
    }

    /// Returns the value in its canonical form.
    ///
    /// # Errors
    /// It cannot have this value; the refusal says what it can be.
    pub fn read(&self, value: &str) -> Result<String, Refusal> {
        let Some(Other { read, example }) = &self.other else {
            let last = self.values.last().copied().unwrap_or_default();
            return self.declared().check(value).map_err(|wrong| wrong.example(format!("room {} {last}", self.key)));
        };
        let known = self.values.iter().find(|word| word.eq_ignore_ascii_case(value.trim()));
        known.map(|word| (*word).to_owned()).or_else(|| read(value.trim())).ok_or_else(|| {
            let what = format!("{} is {} or a time such as {example}", self.key, self.values.join(", "));
            Refusal::new(what).about(value.trim()).example(format!("room {} {example}", self.key))
        })
    }

    /// Its value in a room.
    pub fn of<'a>(&self, room: &'a RoomDoc) -> &'a str {
        room.settings.get(HOUSE).and_then(|set| set.get(self.key)).map_or(self.values[0], String::as_str)
    }
}

/// An operator's rule for some rooms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoomRule {
    /// The rooms, as `network/room`, where `*` is any text: `libera/*`.
    pub rooms: String,
    /// The prefix of commands in a new room.
    pub prefix: Option<String>,
    /// The plugins enabled in a new room.
    pub plugins: Option<BTreeSet<String>>,
    /// The plugins that they may enable.
    pub allowed: Option<BTreeSet<String>>,
    /// The settings of a new room; see [`RoomSetting`].
    pub settings: BTreeMap<String, String>,
}

impl RoomRule {
    /// True if it applies to a room, ignoring case.
    fn is_about(&self, room: &RoomId) -> bool {
        pattern::matches(&self.rooms, &room.to_string())
    }
}

impl Settings {
    /// A room with default settings.
    pub fn fresh_room(&self, room: &RoomId) -> RoomDoc {
        let mut doc = RoomDoc::new(room, &self.prefix, &self.plugins);
        for rule in self.rules.iter().filter(|rule| rule.is_about(room)) {
            doc.prefix = rule.prefix.clone().unwrap_or(doc.prefix);
            doc.plugins = rule.plugins.clone().unwrap_or(doc.plugins);
            if !rule.settings.is_empty() {
                doc.settings.entry(HOUSE.to_owned()).or_default().extend(rule.settings.clone());
            }
        }
        doc
    }

    /// True if the operator allows it; plugins a room starts with are always allowed.
    pub fn offers(&self, room: &RoomId, plugin: &str) -> bool {
        let mut rules = self.rules.iter().filter(|rule| rule.is_about(room)).filter_map(|rule| rule.allowed.as_ref());
        let allowed = rules.next_back().or(self.allowed.as_ref());
        allowed.is_none_or(|allowed| allowed.contains(plugin) || self.fresh_room(room).plugins.contains(plugin))
    }
}

/// The values of a plugin's settings for a room at a table, and of those that every room has, including defaults.
pub fn settings_of(manifest: &Manifest, table: &TableDoc, room: &RoomDoc) -> BTreeMap<String, String> {
    let value = |setting: &Setting| {
        let set = match setting.scope {
            SettingScope::Table => &table.settings,
            SettingScope::Room => &room.settings,
        };
        let value = set.get(&manifest.id).and_then(|set| set.get(&setting.key));
        (setting.key.clone(), value.unwrap_or(&setting.default).clone())
    };
    let declared = manifest.settings.iter().map(value);
    let own = RoomSetting::ALL.map(|setting| (setting.key.to_owned(), setting.of(room).to_owned()));
    own.into_iter().chain(declared).collect()
}

/// How a room is answered.
pub trait Answered {
    /// True if people play there, so that the other rooms of its table see what is rolled.
    fn plays_along(&self) -> bool;

    /// When nobody is called on the bot's own account.
    fn quiet(&self) -> Option<Hours>;

    /// True if it sees what is rolled in the other rooms of its table.
    fn sees_others(&self) -> bool;

    /// True if nobody plays there.
    fn only_watches(&self) -> bool;

    /// The dice notation to read.
    fn dialect(&self) -> Dialect;

    /// How much answers say.
    fn verbosity(&self) -> Verbosity;
}

impl Answered for RoomDoc {
    fn plays_along(&self) -> bool {
        PART.of(self) == "play"
    }

    fn quiet(&self) -> Option<Hours> {
        Hours::read(QUIET.of(self))
    }

    fn sees_others(&self) -> bool {
        PART.of(self) != "talk"
    }

    fn only_watches(&self) -> bool {
        PART.of(self) == "watch"
    }

    fn dialect(&self) -> Dialect {
        Dialect::named(DIALECT.of(self)).unwrap_or_default()
    }

    fn verbosity(&self) -> Verbosity {
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
    fn the_last_rule_about_a_room_goes_before_the_others() {
        let set = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>());
        let rule = |rooms: &str| RoomRule { rooms: rooms.to_owned(), ..RoomRule::default() };
        let rules = vec![
            RoomRule { prefix: Some(".".into()), allowed: set(&["torg"]), ..rule("libera/*") },
            RoomRule {
                plugins: set(&["torg"]),
                allowed: set(&["roll", "mvk"]),
                settings: BTreeMap::from([("dialect".to_owned(), "roll20".to_owned())]),
                ..rule("LIBERA/#ta*rn*")
            },
            RoomRule { prefix: Some("%".into()), ..rule("home/!abc:example.org") },
        ];
        let settings = Settings { allowed: set(&["roll"]), rules, ..Settings::default() };
        let fresh = |network: &str, room: &str| {
            let doc = settings.fresh_room(&RoomId::new(network, room));
            (doc.prefix.clone(), doc.plugins.iter().next().cloned().unwrap_or_default(), doc.dialect())
        };
        assert_eq!(fresh("libera", "#Tavern"), (".".into(), "torg".into(), Dialect::Roll20));
        assert_eq!(fresh("libera", "#table"), (".".into(), "roll".into(), Dialect::Native));
        assert_eq!(fresh("home", "!abc:example.org").0, "%");
        assert_eq!(fresh("home", "!abc:example.orgs").0, "!");
        let offers = |network: &str, room: &str, plugin| settings.offers(&RoomId::new(network, room), plugin);
        assert!(offers("libera", "#tavern", "mvk") && !offers("libera", "#tavern", "retrostar"));
        assert!(offers("libera", "#tavern", "torg"), "it begins with it");
        assert!(offers("libera", "#hall", "torg") && offers("home", "!x", "roll") && !offers("home", "!x", "mvk"));
        assert!(Settings::default().offers(&RoomId::new("home", "!x"), "mvk"));
    }

    #[test]
    fn every_dialect_can_be_set() {
        assert_eq!(DIALECT.values, Dialect::ALL.map(|(name, _)| name));
    }
}
