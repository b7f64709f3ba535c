//! A word of dice.

use std::sync::Arc;

/// A word of dice: `d8`, `2d8`, `d8+2d10`, `d8/d10`. A `+` or `and` in front of it is ignored. A command is played many times for its odds,
/// so a copy costs little.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiceWord {
    /// As typed, so that a refusal can quote it.
    pub typed: Arc<str>,
    dice: Arc<[(u32, u32)]>,
}

/// The most dice that one command of a game can type.
pub(crate) const MOST_TYPED: u32 = 20;

impl DiceWord {
    /// The dice that a word is, if it is nothing else.
    pub fn of(word: &str) -> Option<Self> {
        DiceWord::at(&[word], MOST_TYPED).ok().flatten().map(|(word, _)| word)
    }

    /// The sides of each die, in the order typed.
    pub fn sides(&self) -> impl Iterator<Item = u32> {
        self.dice.iter().flat_map(|&(count, sides)| std::iter::repeat_n(sides, count as usize))
    }

    /// Reads at most so many dice of one kind from the front of `words`, and how many words they take.
    ///
    /// # Errors
    /// They are dice, and too many. A sentence without its full stop.
    pub(crate) fn at(words: &[&str], most: u32) -> Result<Option<(Self, usize)>, String> {
        let joined = ["+", "and", "&", "/", "plus"].iter().any(|joining| words[0].eq_ignore_ascii_case(joining));
        let skipped = usize::from(joined);
        let Some(typed) = words.get(skipped) else {
            return Ok(None);
        };
        let mut dice = Vec::new();
        for part in typed.split(['+', '/', '&']).filter(|part| !part.is_empty()) {
            let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            // `d8d10` is two dice, and `w8` is German.
            let mut sizes = part.split(['d', 'D', 'w', 'W']);
            let count = sizes.next().unwrap_or_default();
            let sizes: Vec<&str> = sizes.collect();
            if sizes.is_empty() || !digits(count) || sizes.iter().any(|sides| sides.is_empty() || !digits(sides)) {
                return Ok(None);
            }
            let counts = std::iter::once(if count.is_empty() { "1" } else { count }).chain(std::iter::repeat("1"));
            for (count, sides) in counts.zip(sizes) {
                match (count.parse::<u32>(), sides.parse::<u32>()) {
                    (Ok(count), Ok(sides @ 1..)) if (1..=most).contains(&count) => dice.push((count, sides)),
                    _ if most == 1 => return Err(format!("{part} is not one die")),
                    _ => return Err(format!("{part} is not 1 to {most} dice of one kind")),
                }
            }
        }
        let typed = Arc::from(*typed);
        Ok((!dice.is_empty()).then(|| (DiceWord { typed, dice: dice.into() }, skipped + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_words_are_read_whole() {
        let sides = |typed: &str| DiceWord::of(typed).map(|word| word.sides().collect::<Vec<_>>());
        assert_eq!(sides("2d8+d10"), Some(vec![8, 8, 10]));
        assert_eq!(sides("2w8"), Some(vec![8, 8]));
        for none in ["adv", "d8x"] {
            assert_eq!(DiceWord::at(&[none], MOST_TYPED), Ok(None));
        }
        for wrong in ["21d6", "999999999d6", "0d6"] {
            assert!(DiceWord::at(&[wrong], MOST_TYPED).is_err(), "{wrong}");
        }
    }
}
