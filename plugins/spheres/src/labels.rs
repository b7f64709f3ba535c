//! The meaning of the numbers in the Tilt tables: the table's own labels, or those of `config/spheres-tilt.txt`.

use crate::state::State;
use plugin_api::{Argument, ArgumentKind, Choice, Part, Refusal, Touching, Value};
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
        let face = || {
            ArgumentKind::between(1, 6)
                .unsigned()
                .or_else("\"{}\" is no place in a table: 3 is a category, 3.2 its second element")
        };
        let category =
            Part::one("n", face()).or_else("which place of the {} table? 3 is a category, 3.2 its second element");
        let element = Part::unlisted("element", face().behind(&["."])).touching(Touching::Must);
        let text = Part::one("text", ArgumentKind::Text).or_else("what does it stand for? Say it after the number");
        ArgumentKind::Pattern(vec![Part::one("table", Table::kind()), category, element, text])
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        let mut parts = value.parts()?;
        let table = parts.one("table")?;
        let category = parts.one("n")?.number()?.0;
        let element = parts.take("element").map(|element| element.number()).transpose()?;
        let element = element.map_or(String::new(), |(element, _)| format!(".{element}"));
        let text = parts.one("text")?.text()?.to_owned();
        match text.chars().count() {
            ..=MOST_LABEL => Ok(Label { key: format!("{} {category}{element}", table.text()?), text }),
            long => Err(Refusal::new(format!("{long} characters are too many: {MOST_LABEL} is the most"))),
        }
    }
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
