//! Dice in prose: `I strike [[1d20+5]] for [[2d6+3]]`.

use crate::route::CommandLine;
use dice::{Dialect, Notation};

/// What stands around dice in prose.
const OPEN: &str = "[[";
const CLOSE: &str = "]]";
/// Dice of one line that are rolled.
const MOST: usize = 5;

/// The roll of all dice in a line of prose, if there are some. What only looks like it stays prose.
pub(crate) fn roll_in(line: &str, dialect: Dialect) -> Option<CommandLine> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some((inner, behind)) = rest.split_once(OPEN).and_then(|(_, inner)| inner.split_once(CLOSE)) {
        found.extend(Some(inner.trim()).filter(|inner| throws(inner, dialect)));
        rest = behind;
    }
    found.truncate(MOST);
    (!found.is_empty()).then(|| CommandLine { typed: format!("roll {}", found.join("; ")), by_name: false })
}

/// Whether a text is dice; a variable in it may be anything.
fn throws(text: &str, dialect: Dialect) -> bool {
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '{' | '}');
    let mut known = String::new();
    let mut parts = text.split('$');
    known.push_str(parts.next().unwrap_or_default());
    for part in parts {
        known.push('1');
        known.push_str(part.trim_start_matches(named));
    }
    let read = Notation::typed_in(dialect, &known);
    read.is_ok_and(|notation| notation.rolls.iter().any(|roll| roll.expression.throws()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_in_prose_are_found_and_links_are_not() {
        let roll = |line| roll_in(line, Dialect::Native).map(|line| line.typed);
        assert_eq!(roll("I strike [[1d20+5]] for [[ 2d6+$str ]]!").as_deref(), Some("roll 1d20+5; 2d6+$str"));
        assert_eq!(roll("see [[the tavern]] and [[2024]], [[2d6"), None);
        assert_eq!(roll("an array a[[0]], d20"), None);
        assert_eq!(roll(&"[[d6]]".repeat(9)).as_deref(), Some("roll d6; d6; d6; d6; d6"));
    }
}
