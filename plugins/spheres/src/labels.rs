//! The meaning of the numbers in the Tilt tables: the table's own labels, or those of `config/spheres-tilt.txt`.

use crate::state::State;
use plugin_api::{Argument, ArgumentKind, Choice, Number, Part};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A Tilt table.
#[derive(Choice, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Table {
    /// Only Triumph dice vote.
    Soft,
    /// All dice vote.
    Hard,
}

impl Table {
    /// As it is typed.
    pub fn word(self) -> &'static str {
        match self {
            Table::Soft => "soft",
            Table::Hard => "hard",
        }
    }
}

/// A label as typed: `soft 3 TEXT` for a category, `soft 3.2 TEXT` for one of its elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// `soft 3.2`
    pub key: String,
    /// Its text.
    pub text: String,
}

/// The most characters of a label.
const MOST_LABEL: usize = 60;

impl Argument for Label {
    fn kind() -> ArgumentKind {
        let place = Part::one("n", ArgumentKind::between(1, 6));
        ArgumentKind::Pattern(vec![Part::one("", Table::kind()), place, Part::one("", ArgumentKind::Text)])
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let Some((table, _)) = Table::read(words)? else { return Ok(None) };
        let place = words.get(1).copied().unwrap_or_default();
        let key = key_of(table, place)?;
        let text = words[2.min(words.len())..].join(" ");
        match text.chars().count() {
            0 => Err("what does it stand for? Say it after the number".to_owned()),
            1..=MOST_LABEL => Ok(Some((Label { key, text }, words.len()))),
            long => Err(format!("{long} characters are too many: {MOST_LABEL} is the most")),
        }
    }
}

/// The key, `soft 3.2`, from the number typed.
fn key_of(table: Table, place: &str) -> Result<String, String> {
    let wrong = || format!("{place:?} is no place in a table: 3 is a category, 3.2 its second element");
    let face = |number: &str| match Number::<1, 6>::read(&[number]) {
        Ok(Some((Number(face), _))) => Ok(face),
        _ => Err(wrong()),
    };
    let table = table.word();
    Ok(match place.split_once('.') {
        Some((category, element)) => format!("{table} {}.{}", face(category)?, face(element)?),
        None => format!("{table} {}", face(place)?),
    })
}

static DEFAULTS: LazyLock<BTreeMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("../../../config/spheres-tilt.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(": ")).collect()
});

/// The label of a number: a category of a table, or an element of a category.
pub(crate) fn label(state: &State, table: Table, category: u32, element: Option<u32>) -> String {
    let element = element.map_or(String::new(), |element| format!(".{element}"));
    let key = format!("{} {category}{element}", table.word());
    let default = || DEFAULTS.get(key.as_str()).map(|label| (*label).to_owned());
    state.labels.get(&key).cloned().or_else(default).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_both_tables_has_a_label_of_its_own() {
        let state = State::default();
        let mut seen = std::collections::BTreeSet::new();
        for table in [Table::Soft, Table::Hard] {
            for category in 1..=6 {
                for element in std::iter::once(None).chain((1..=6).map(Some)) {
                    let label = label(&state, table, category, element);
                    assert!(
                        !label.is_empty() && label.chars().count() <= MOST_LABEL,
                        "{table:?} {category} {element:?}"
                    );
                    assert!(seen.insert(label.clone()), "{label} is there twice");
                }
            }
        }
    }
}
