//! Dice in prose: `I strike [[1d20+5]] for [[2d6+3]]`.

use crate::notation::{guessed, throws_dice};
use crate::words::CommandLine;
use dice::Dialect;

/// The brackets around dice in prose.
const OPEN: &str = "[[";
const CLOSE: &str = "]]";
/// The most dice expressions rolled in one line.
const MOST: usize = 10;

/// How to roll dice in prose.
#[derive(Clone, Copy, Debug)]
pub struct Inline<'a> {
    /// The notation to read.
    pub dialect: Dialect,
    /// The command that rolls them.
    pub command: &'a str,
}

/// One roll of all dice in a line of prose, if there are any. Text that only looks like dice stays prose, and so does
/// quoted text.
pub fn roll_in(line: &str, inline: Inline<'_>) -> Option<CommandLine> {
    if line.starts_with('>') {
        return None;
    }
    let mut found = Vec::new();
    // Every second part is between backticks.
    for prose in line.split('`').step_by(2) {
        let mut rest = prose;
        while found.len() < MOST
            && let Some((inner, behind)) = rest.split_once(OPEN).and_then(|(_, inner)| closed(inner))
        {
            let dice = inner.split('#').next().unwrap_or_default().trim();
            found.extend(Some(dice).filter(|dice| throws_dice(&guessed(dice), inline.dialect)));
            rest = behind;
        }
    }
    (!found.is_empty())
        .then(|| CommandLine { typed: format!("{} {}", inline.command, found.join("; ")), by_name: false })
}

/// The text inside the brackets, and the rest; a label's own bracket is part of it.
fn closed(inner: &str) -> Option<(&str, &str)> {
    let (mut end, _) = inner.match_indices(CLOSE).next()?;
    while inner[end + CLOSE.len()..].starts_with(']') {
        end += 1;
    }
    Some((&inner[..end], &inner[end + CLOSE.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_in_prose_are_found_and_links_are_not() {
        let roll = |line| roll_in(line, Inline { dialect: Dialect::Native, command: "roll" }).map(|line| line.typed);
        assert_eq!(roll("I strike [[1d20+5]] for [[ 2d6+$str ]]!").as_deref(), Some("roll 1d20+5; 2d6+$str"));
        assert_eq!(roll("see [[the tavern]] and [[2024]], [[2d6"), None);
        assert_eq!(roll("an array a[[0]], d20"), None);
        assert_eq!(roll("[[d20 # hit]] and [[1d8[fire]]]").as_deref(), Some("roll d20; 1d8[fire]"));
        assert_eq!(roll("> I strike [[d20]]"), None);
        assert_eq!(roll("type `[[d20]]`, as in [[d6]]").as_deref(), Some("roll d6"));
        assert_eq!(roll(&"[[d6]]".repeat(12)).map(|line| line.matches("d6").count()), Some(10));
    }
}
