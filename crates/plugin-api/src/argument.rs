//! The types an argument can have.

use crate::{ArgumentKind, Refusal, Words};

/// A type that a command's field can have. Implement it for a game's own words, or derive [`Choice`](crate::Choice) or
/// [`Forms`](crate::Forms).
pub trait Argument: Sized {
    /// What can be typed.
    fn kind() -> ArgumentKind;

    /// How usage lines show it, if its kind does not tell.
    fn shown() -> Option<String> {
        None
    }

    /// How refusals and usage lines show it: `NUMBER`, `NAME`, or the exact words, `impact|inspire`.
    fn shape() -> String {
        Self::shown().unwrap_or_else(|| Self::kind().shape())
    }

    /// Reads from the front of `words` (never empty). Returns the value and the number of words it took, or `None` if
    /// these words are something else.
    ///
    /// # Errors
    /// The words are meant as this type but are no valid value (a number too large). A sentence without its full stop.
    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String>;

    /// The words it is made of, for "did you mean".
    fn words() -> Vec<String> {
        Self::kind().words().into_iter().map(str::to_owned).collect()
    }

    /// True if it may stand in front of the word that names it, as in `minor advantage`.
    fn leads(word: &str) -> bool {
        !word.contains(|c: char| c.is_ascii_digit())
    }

    /// Takes the first of `words` that read as this type.
    ///
    /// # Errors
    /// The same as [`read`](Self::read), with the place in the line.
    fn take(words: &mut Words) -> Result<Option<Self>, Refusal> {
        words.scan()
    }
}

macro_rules! whole_number {
    ($($type:ty),*) => {$(
        impl Argument for $type {
            fn kind() -> ArgumentKind {
                ArgumentKind::between(i64::try_from(<$type>::MIN).unwrap_or(i64::MIN), i64::try_from(<$type>::MAX).unwrap_or(i64::MAX))
            }

            fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
                let digits = words[0].strip_prefix(['+', '-']).unwrap_or(words[0]);
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Ok(None);
                }
                let number = words[0].parse().map_err(|_| format!("{} is out of range", words[0]))?;
                Ok(Some((number, 1)))
            }
        }
    )*};
}

whole_number!(i32, i64, u32, u64);

/// A whole number from `MIN` to `MAX`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number<const MIN: i64, const MAX: i64>(pub i64);

impl<const MIN: i64, const MAX: i64> Argument for Number<MIN, MAX> {
    fn kind() -> ArgumentKind {
        ArgumentKind::between(MIN, MAX)
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let bounds = || format!("{} is not from {MIN} to {MAX}", words[0]);
        match i64::read(words).map_err(|_| bounds())? {
            Some((number, count)) if (MIN..=MAX).contains(&number) => Ok(Some((Number(number), count))),
            Some(_) => Err(bounds()),
            None => Ok(None),
        }
    }
}

/// The name of a character or player, as typed. [`Turn::character`](crate::Turn::character) finds out who it is. A
/// leading `@` is dropped. Numbers and signs are not names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(pub String);

impl Argument for Name {
    fn kind() -> ArgumentKind {
        ArgumentKind::Who
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        let name = words[0].strip_prefix('@').unwrap_or(words[0]);
        let first = |c: char| !c.is_ascii_digit() && (c.is_alphanumeric() || c == '_');
        // `init 3 not 17`
        let named = name.chars().next().is_some_and(first) && !Words::denies(name);
        Ok(named.then(|| (Name(name.to_owned()), 1)))
    }
}

/// The rest of the line, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What was typed.
    pub text: String,
    /// Where it begins in the line, in bytes.
    pub at: usize,
}

impl Argument for Text {
    fn kind() -> ArgumentKind {
        ArgumentKind::Text
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
        Ok(Some((Text { text: words.join(" "), at: 0 }, words.len())))
    }

    fn take(words: &mut Words) -> Result<Option<Self>, Refusal> {
        Ok(words.rest().map(|(text, at)| Text { text, at }))
    }
}

/// A word of dice: `d8`, `2d8`, `d8+2d10`, `d8/d10`. A `+` or `and` in front of it is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiceWord {
    /// As typed, so that a refusal can quote it.
    pub typed: String,
    dice: Vec<(u32, u32)>,
}

/// The most dice that one command of a game can type.
const MOST_TYPED: u32 = 20;

impl DiceWord {
    /// The sides of each die, in the order typed.
    pub fn sides(&self) -> impl Iterator<Item = u32> {
        self.dice.iter().flat_map(|&(count, sides)| std::iter::repeat_n(sides, count as usize))
    }
}

impl Argument for DiceWord {
    fn kind() -> ArgumentKind {
        ArgumentKind::Dice { most: MOST_TYPED }
    }

    fn read(words: &[&str]) -> Result<Option<(Self, usize)>, String> {
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
                    (Ok(count @ 1..=MOST_TYPED), Ok(sides @ 1..)) => dice.push((count, sides)),
                    _ => return Err(format!("{part} is not 1 to {MOST_TYPED} dice of one kind")),
                }
            }
        }
        let typed = (*typed).to_owned();
        Ok((!dice.is_empty()).then_some((DiceWord { typed, dice }, skipped + 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_words_are_read_whole() {
        let sides =
            |typed: &str| DiceWord::read(&[typed]).map(|read| read.map(|(word, _)| word.sides().collect::<Vec<_>>()));
        assert_eq!(sides("2d8+d10"), Ok(Some(vec![8, 8, 10])));
        assert_eq!(sides("2w8"), Ok(Some(vec![8, 8])));
        assert_eq!(sides("adv"), Ok(None));
        assert_eq!(sides("d8x"), Ok(None));
        assert!(sides("21d6").is_err());
        assert!(sides("999999999d6").is_err());
        assert!(sides("0d6").is_err());
    }

    #[test]
    fn numbers_know_their_bounds() {
        assert_eq!(Number::<0, 200>::read(&["17"]), Ok(Some((Number(17), 1))));
        assert!(Number::<0, 200>::read(&["201"]).is_err());
        assert!(Number::<0, 200>::read(&["99999999999999999999"]).is_err());
        assert_eq!(Number::<0, 200>::read(&["d8"]), Ok(None));
    }
}
