//! Settings of a table or a room: declared once and read with their type.

use crate::{Refusal, Turn, suggest};
use serde::{Deserialize, Serialize};

/// A setting of a game, as a constant. [`Game::settings`](crate::Game::settings) declares it, and
/// [`Turn::setting`](crate::Turn::setting) reads its value.
pub trait Typed {
    /// The type of its value.
    type Value;

    /// Its declaration, as shown to players.
    fn declared(&self) -> Setting;

    /// The word to type.
    fn key(&self) -> &'static str;

    /// Converts `set` to the value. Returns the default if nothing is set or the stored text is no longer valid.
    fn value(&self, set: Option<&str>) -> Self::Value;
}

/// A whole-number setting.
#[derive(Clone, Copy, Debug)]
pub struct NumberSetting {
    /// The word to type.
    pub key: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The value until somebody sets it.
    pub default: i64,
    /// The smallest value.
    pub least: i64,
    /// The largest value.
    pub most: i64,
    /// What it applies to.
    pub scope: SettingScope,
}

/// A setting with a choice of words, each of which stands for a value.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceSetting<T: 'static> {
    /// The word to type.
    pub key: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The value until somebody sets it.
    pub default: (&'static str, T),
    /// All values, the default among them.
    pub values: &'static [(&'static str, T)],
    /// What it applies to.
    pub scope: SettingScope,
}

impl Typed for NumberSetting {
    type Value = i64;

    fn declared(&self) -> Setting {
        Setting {
            key: self.key.to_owned(),
            help: self.help.to_owned(),
            default: self.default.to_string(),
            kind: SettingKind::Number(self.least, self.most),
            scope: self.scope,
        }
    }

    fn key(&self) -> &'static str {
        self.key
    }

    fn value(&self, set: Option<&str>) -> i64 {
        let number = set.and_then(|set| set.parse().ok());
        number.filter(|number| (self.least..=self.most).contains(number)).unwrap_or(self.default)
    }
}

impl<T: Copy> Typed for ChoiceSetting<T> {
    type Value = T;

    fn declared(&self) -> Setting {
        Setting {
            key: self.key.to_owned(),
            help: self.help.to_owned(),
            default: self.default.0.to_owned(),
            kind: SettingKind::Choice(self.values.iter().map(|(word, _)| (*word).to_owned()).collect()),
            scope: self.scope,
        }
    }

    fn key(&self) -> &'static str {
        self.key
    }

    fn value(&self, set: Option<&str>) -> T {
        let found = self.values.iter().find(|(word, _)| set.is_some_and(|set| set == *word));
        found.unwrap_or(&self.default).1
    }
}

/// A setting of a table (`!table KEY VALUE`, by referees) or a room (`!room KEY VALUE`, by its admins).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The word to type.
    pub key: String,
    /// What it does.
    pub help: String,
    /// The value until somebody sets it.
    pub default: String,
    /// The values it can have.
    pub kind: SettingKind,
    /// What it applies to.
    pub scope: SettingScope,
}

/// What a setting applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingScope {
    /// The table, in all its rooms.
    Table,
    /// One room.
    Room,
}

/// The values a setting can have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SettingKind {
    /// A whole number within these bounds, both included.
    Number(i64, i64),
    /// One of these words.
    Choice(Vec<String>),
    /// Any text of at most this many characters.
    Text(usize),
}

impl Setting {
    /// Returns `value` in its canonical form.
    ///
    /// # Errors
    /// The setting cannot have this value; the refusal says what it can be.
    pub fn check(&self, value: &str) -> Result<String, Refusal> {
        let (value, key) = (value.trim(), &self.key);
        match &self.kind {
            SettingKind::Number(least, most) => match value.parse::<i64>() {
                Ok(number) if (least..=most).contains(&&number) => Ok(number.to_string()),
                _ => Err(Refusal::new(format!("{key} is a number from {least} to {most}")).about(value)),
            },
            SettingKind::Choice(words) => match words.iter().find(|word| word.eq_ignore_ascii_case(value)) {
                Some(word) => Ok(word.clone()),
                None => {
                    let known = words.iter().map(String::as_str);
                    let meant = suggest(value, known).map_or(String::new(), |near| format!("; did you mean {near}?"));
                    Err(Refusal::new(format!("{key} is one of: {}{meant}", words.join(", "))).about(value))
                }
            },
            SettingKind::Text(most) if value.is_empty() || value.chars().count() > *most => {
                Err(Refusal::new(format!("{key} is a text of 1 to {most} characters")))
            }
            SettingKind::Text(_) => Ok(value.to_owned()),
        }
    }
}

impl Turn<'_> {
    /// What this setting of the game is: as it was set, or its default.
    pub fn set<'s>(&'s self, setting: &'s Setting) -> &'s str {
        let set = self.settings.get(&setting.key).filter(|set| setting.check(set).is_ok());
        set.map_or(setting.default.as_str(), String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_setting_cannot_mean_any_more_is_its_default() {
        let scope = SettingScope::Table;
        let most = NumberSetting { key: "most", help: "", default: 3, least: 0, most: 9, scope };
        assert_eq!([None, Some("7"), Some("10"), Some("x")].map(|set| most.value(set)), [3, 7, 3, 3]);
        let values = &[("4", 4), ("6", 6)];
        let die: ChoiceSetting<u32> = ChoiceSetting { key: "die", help: "", default: ("6", 6), values, scope };
        assert_eq!([None, Some("4"), Some("8")].map(|set| die.value(set)), [6, 4, 6]);
        assert_eq!((most.declared().check("9"), die.declared().check("4")), (Ok("9".into()), Ok("4".into())));
        assert!(most.declared().check("10").is_err() && die.declared().check("8").is_err());
    }
}
