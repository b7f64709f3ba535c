//! Which values of a character answer a command against them: the armor class that `roll d20+5 vs Ogre` is compared with.

use serde::{Deserialize, Serialize};

/// Commands against somebody, and the values that answer for them. The host finds the character's name in the line, and
/// puts in the value that stands on their sheet, if there is one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The commands, as declared.
    pub commands: Vec<String>,
    /// The words before the character's name: `vs`, `against`.
    pub after: Vec<String>,
    /// The names of the values; the first that stands on the sheet counts, unless the player names one.
    pub names: Vec<String>,
    /// What is put in place of the word and the name, with `{value}`, and with `{name}` if the game must know who it is.
    pub puts: String,
    /// Words that say what answers without a sheet: a line with one of them stays as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unless: Vec<String>,
    /// True if dice may answer too, as one word: `d8+d10`. They are rolled at once.
    #[serde(default)]
    pub dice: bool,
    /// True if a command without dice may be measured against a value that players may not know. Otherwise it may not, because
    /// whoever types one number after another finds the value.
    #[serde(default)]
    pub diceless: bool,
}

impl Answers {
    /// To these commands, after one of these words, the first of these values answers.
    pub fn to(commands: &[&str], after: &[&str], names: &[&str]) -> Self {
        let puts = format!("{} {{value}}", after.first().copied().unwrap_or_default());
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Answers {
            commands: owned(commands),
            after: owned(after),
            names: owned(names),
            puts,
            unless: Vec::new(),
            dice: false,
            diceless: false,
        }
    }

    /// Puts something else into the line: `vs {value} on {name}`.
    #[must_use]
    pub fn putting(mut self, puts: &str) -> Self {
        puts.clone_into(&mut self.puts);
        self
    }

    /// Leaves lines alone that have one of these words.
    #[must_use]
    pub fn unless(mut self, words: &[&str]) -> Self {
        self.unless = words.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// Allows commands without dice against hidden values.
    #[must_use]
    pub fn even_without_dice(mut self) -> Self {
        self.diceless = true;
        self
    }

    /// Lets dice answer too.
    #[must_use]
    pub fn or_dice(mut self) -> Self {
        self.dice = true;
        self
    }
}
