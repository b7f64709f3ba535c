//! The types an argument can have.

use crate::dice_word::MOST_TYPED;
use crate::{ArgumentKind, DiceWord, Refusal, Text, Value};

/// A type that a command's field can have. Its kind says what is typed and is read by the core; the type only makes itself of
/// the value. Implement it for a game's own words, or derive [`Choice`](crate::Choice) or [`Forms`](crate::Forms).
pub trait Argument: Sized {
    /// What can be typed.
    fn kind() -> ArgumentKind;

    /// How usage lines show it, if its kind does not tell.
    fn shown() -> Option<String> {
        None
    }

    /// Makes itself of what was typed, which its kind read.
    ///
    /// # Errors
    /// The value is of the kind and none of the type.
    fn from_value(value: Value) -> Result<Self, Refusal>;
}

macro_rules! whole_number {
    ($($type:ty),*) => {$(
        impl Argument for $type {
            fn kind() -> ArgumentKind {
                let least = i64::try_from(<$type>::MIN).unwrap_or(i64::MIN);
                let most = i64::try_from(<$type>::MAX).unwrap_or(i64::MAX);
                ArgumentKind::between(least, most).or_else("{} is out of range")
            }

            fn from_value(value: Value) -> Result<Self, Refusal> {
                let (number, _) = value.number()?;
                number.try_into().map_err(|_| Refusal::new(format!("{number} is out of range")))
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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Number(value.number()?.0))
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

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Ok(Name(value.text()?.to_owned()))
    }
}

impl Argument for Text {
    fn kind() -> ArgumentKind {
        ArgumentKind::Text
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Text(text) => Ok(text),
            other => Ok(Text { text: other.text()?.to_owned(), at: 0 }),
        }
    }
}

/// A command within a command: the rest of the line, as typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandText(pub Text);

impl Argument for CommandText {
    fn kind() -> ArgumentKind {
        ArgumentKind::Line
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        Text::from_value(value).map(CommandText)
    }
}

impl Argument for DiceWord {
    fn kind() -> ArgumentKind {
        ArgumentKind::Dice { most: MOST_TYPED }
    }

    fn from_value(value: Value) -> Result<Self, Refusal> {
        match value {
            Value::Dice(dice) => Ok(dice),
            other => Err(Refusal::new(format!("{} is no dice", other.text()?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_know_their_bounds() {
        let kind = Number::<0, 200>::kind();
        assert_eq!(kind.read(&["17"]), Ok(Some((Value::Number { number: 17, signed: false }, 1))));
        assert!(kind.read(&["201"]).is_err());
        assert!(kind.read(&["99999999999999999999"]).is_err());
        assert_eq!(kind.read(&["d8"]), Ok(None));
    }
}
