//! Reading dice notation: text to [`Notation`], with errors that know their place.
//!
//! ```text
//! notation   = [count "x"] expression
//! expression = term (("+" | "-") term)*
//! term       = factor (("*" | "x" | "/") factor)*
//! factor     = ("-" | "+") factor | "(" expression ")" | number | dice
//! dice       = [count] "d" (sides | "%" | "F") modifier*
//! modifier   = ("kh" | "k" | "kl" | "dh" | "dl") [count] | "!" [condition] | "r" condition
//! condition  = ["<" | "<=" | "=" | ">=" | ">"] number
//! ```
//!
//! Spaces may stand between any two of these, capitals do not matter. The parser's depth, the text's length and
//! the number of dice are bounded, so that no text can exhaust the stack or the memory.

use crate::expression::{Comparison, Condition, DiceTerm, End, Expression, Faces, Modifier, Operator};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Dice a notation may throw, explosions and rerolls not counted.
pub const MAX_DICE: u64 = 1_000;
/// How deep parentheses and signs may nest.
pub const MAX_DEPTH: usize = 32;
/// Bytes a notation may have.
pub const MAX_TEXT: usize = 1_024;

/// What to roll: an expression, perhaps several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notation {
    /// `6x` in front: how often the expression is rolled, each for itself.
    pub repeat: Option<u32>,
    /// What is rolled.
    pub expression: Expression,
}

/// Why a text is no notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct NotationError {
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
    /// Where: bytes of the text, on character boundaries; empty at the place where something is missing.
    pub at: Range<usize>,
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(times) = self.repeat {
            write!(f, "{times}x ")?;
        }
        write!(f, "{}", self.expression)
    }
}

impl FromStr for Notation {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        if text.len() > MAX_TEXT {
            let what = format!("that is longer than {MAX_TEXT} bytes");
            return Err(NotationError { what, at: 0..0 });
        }
        let mut parser = Parser { text, at: 0, depth: 0, dice: 0 };
        let repeat = parser.repeat()?;
        let expression = parser.expression()?;
        parser.skip_spaces();
        if parser.at < text.len() {
            return Err(parser.unexpected());
        }
        let dice = parser.dice.saturating_mul(u64::from(repeat.unwrap_or(1)));
        if dice > MAX_DICE {
            return Err(parser.error(0..text.len(), format!("that is {dice} dice, and {MAX_DICE} is the most")));
        }
        Ok(Notation { repeat, expression })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    dice: u64,
}

type Parsed<T> = Result<T, NotationError>;

/// A modifier that needs to know how many dice.
type CountedModifier = fn(u32) -> Modifier;

impl Parser<'_> {
    fn repeat(&mut self) -> Parsed<Option<u32>> {
        self.skip_spaces();
        let start = self.at;
        if let Some(times) = self.number()? {
            let counted = start..self.at;
            self.skip_spaces();
            if self.eat(b'x') {
                return match u32::try_from(times) {
                    Ok(times @ 1..=100) => Ok(Some(times)),
                    _ => Err(self.error(counted, "a roll is repeated 1 to 100 times")),
                };
            }
            self.at = start;
        }
        Ok(None)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.chain(Self::term, |byte| match byte {
            b'+' => Some(Operator::Plus),
            b'-' => Some(Operator::Minus),
            _ => None,
        })
    }

    fn term(&mut self) -> Parsed<Expression> {
        self.chain(Self::factor, |byte| match byte {
            b'*' | b'x' | b'X' => Some(Operator::Times),
            b'/' => Some(Operator::Divide),
            _ => None,
        })
    }

    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Parsed<Expression>,
        operator: fn(u8) -> Option<Operator>,
    ) -> Parsed<Expression> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        loop {
            self.skip_spaces();
            // An x right behind a letter is a slip in a modifier, no sign.
            let slip = self.at > 0 && self.text.as_bytes()[self.at - 1].is_ascii_alphabetic();
            let sign = self.peek().filter(|byte| !(slip && byte.is_ascii_alphabetic())).and_then(operator);
            let Some(sign) = sign else { break };
            self.at += 1;
            rest.push((sign, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
    }

    fn factor(&mut self) -> Parsed<Expression> {
        self.skip_spaces();
        let start = self.at;
        match self.peek() {
            Some(sign @ (b'-' | b'+')) => {
                self.at += 1;
                let inner = self.nested(start, Self::factor)?;
                Ok(if sign == b'-' { Expression::Negative(Box::new(inner)) } else { inner })
            }
            Some(b'(') => {
                self.at += 1;
                let inner = self.nested(start, Self::expression)?;
                self.skip_spaces();
                if !self.eat(b')') {
                    return Err(self.error(start..start + 1, "this parenthesis is never closed"));
                }
                Ok(Expression::Parentheses(Box::new(inner)))
            }
            Some(b'd' | b'D') => self.dice(1, start),
            Some(b'0'..=b'9') => {
                let number = self.number()?.expect("a digit stands here");
                if matches!(self.peek(), Some(b'd' | b'D')) {
                    self.dice(number, start)
                } else {
                    Ok(Expression::Number(number))
                }
            }
            _ => Err(self.unexpected()),
        }
    }

    fn nested(&mut self, start: usize, inner: fn(&mut Self) -> Parsed<Expression>) -> Parsed<Expression> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(start..start + 1, format!("that nests deeper than {MAX_DEPTH}")));
        }
        let inner = inner(self);
        self.depth -= 1;
        inner
    }

    fn dice(&mut self, count: i64, start: usize) -> Parsed<Expression> {
        self.at += 1; // the d
        let faces = match self.peek() {
            Some(b'%') => {
                self.at += 1;
                Faces::Percent
            }
            Some(b'f' | b'F') => {
                self.at += 1;
                Faces::Fudge
            }
            _ => Faces::Sides(self.sides(start)?),
        };
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.dice = self.dice.saturating_add(u64::from(count));
        if u64::from(count) > MAX_DICE {
            return Err(self.error(start..self.at, format!("{MAX_DICE} dice are the most in one command")));
        }
        let mut modifiers = Vec::new();
        while let Some(modifier) = self.modifier(faces)? {
            modifiers.push(modifier);
        }
        Ok(Expression::Dice(DiceTerm { count, faces, modifiers }))
    }

    fn sides(&mut self, start: usize) -> Parsed<u32> {
        let at = self.at;
        match self.number()? {
            Some(0) => Err(self.error(start..self.at, "a die needs at least one side")),
            Some(sides) => u32::try_from(sides)
                .map_err(|_| self.error(at..self.at, format!("a die has at most {} sides", u32::MAX))),
            None => Err(self.error(start..self.at, "a die needs its sides, as in d20, d% or dF")),
        }
    }

    fn modifier(&mut self, faces: Faces) -> Parsed<Option<Modifier>> {
        self.skip_spaces();
        let start = self.at;
        let letter = |i| self.text.as_bytes().get(start + i).map_or(0, u8::to_ascii_lowercase);
        let letters = [letter(0), letter(1)];
        let (length, keep_or_drop): (usize, Option<CountedModifier>) = match letters {
            [b'k', b'l'] => (2, Some(|n| Modifier::Keep(End::Low, n))),
            [b'k', b'h'] => (2, Some(|n| Modifier::Keep(End::High, n))),
            [b'k', _] => (1, Some(|n| Modifier::Keep(End::High, n))),
            [b'd', b'l'] => (2, Some(|n| Modifier::Drop(End::Low, n))),
            [b'd', b'h'] => (2, Some(|n| Modifier::Drop(End::High, n))),
            [b'!' | b'r', _] => (1, None),
            _ => return Ok(None),
        };
        self.at += length;
        if let Some(modifier) = keep_or_drop {
            let behind_letters = self.at;
            self.skip_spaces();
            let count = self.number()?.unwrap_or_else(|| {
                self.at = behind_letters;
                1
            });
            return Ok(Some(modifier(u32::try_from(count).unwrap_or(u32::MAX))));
        }
        let condition = self.condition()?;
        match (letters[0], condition) {
            (b'!', None) if faces.sides() == 1 => Err(self.never_ends(start)),
            (_, Some(condition)) if condition.always_holds(faces) => Err(self.never_ends(start)),
            (b'!', condition) => Ok(Some(Modifier::Explode(condition))),
            (_, Some(condition)) => Ok(Some(Modifier::Reroll(condition))),
            (_, None) => Err(self.error(start..self.at, "a reroll needs to know what, as in r1 or r<3")),
        }
    }

    fn condition(&mut self) -> Parsed<Option<Condition>> {
        let start = self.at;
        let (length, comparison) = match &self.text.as_bytes()[start..] {
            [b'<', b'=', ..] => (2, Comparison::AtMost),
            [b'>', b'=', ..] => (2, Comparison::AtLeast),
            [b'<', ..] => (1, Comparison::Less),
            [b'>', ..] => (1, Comparison::Greater),
            [b'=', ..] => (1, Comparison::Equal),
            _ => (0, Comparison::Equal),
        };
        self.at += length;
        let negative = length > 0 && self.eat(b'-');
        match self.number()? {
            Some(number) => Ok(Some(Condition { comparison, value: if negative { -number } else { number } })),
            None if length == 0 => Ok(None),
            None => Err(self.error(start..self.at, "a number is missing behind the comparison, as in >=5")),
        }
    }

    /// The number standing here, if one does.
    fn number(&mut self) -> Parsed<Option<i64>> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if start == self.at {
            return Ok(None);
        }
        let number = self.text[start..self.at].parse();
        number.map(Some).map_err(|_| self.error(start..self.at, "that number is too large"))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes `letter` (lower case) if it stands here, in either case.
    fn eat(&mut self, letter: u8) -> bool {
        let here = self.peek().is_some_and(|byte| byte.eq_ignore_ascii_case(&letter));
        self.at += usize::from(here);
        here
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn error(&self, at: Range<usize>, what: impl Into<String>) -> NotationError {
        NotationError { what: what.into(), at }
    }

    fn never_ends(&self, start: usize) -> NotationError {
        self.error(start..self.at, "that would go on for ever: every face of the die meets it")
    }

    fn unexpected(&self) -> NotationError {
        match self.text[self.at..].chars().next() {
            None => self.error(self.at..self.at, "a number or dice are missing at the end"),
            Some(')') if self.depth > 0 => {
                self.error(self.at..self.at + 1, "a number or dice are missing in these parentheses")
            }
            Some(')') => self.error(self.at..self.at + 1, "this parenthesis was never opened"),
            Some('0'..='9' | 'd' | 'D' | '(') if self.at > 0 => {
                self.error(self.at..self.at + 1, "a sign is missing before this, as in d8 + d10")
            }
            Some(letter) if letter.is_alphabetic() => {
                let end = self.at + letter.len_utf8();
                self.error(self.at..end, format!("I cannot read {letter:?} here; a label stands behind #"))
            }
            Some(other) => {
                let end = self.at + other.len_utf8();
                self.error(self.at..end, format!("I cannot read {other:?} here"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        text.parse::<Notation>().unwrap().to_string()
    }

    fn error(text: &str) -> (String, Range<usize>) {
        let error = text.parse::<Notation>().unwrap_err();
        (error.what, error.at)
    }

    #[test]
    fn what_is_typed_reads_as_meant() {
        for (typed, meant) in [
            ("d20", "1d20"),
            (" 1D20+5 ", "1d20 + 5"),
            ("4d6k3", "4d6kh3"),
            ("4d6 kh 3", "4d6kh3"),
            ("10d6!kh5+2d8-1", "10d6!kh5 + 2d8 - 1"),
            ("2d10!>=9r<3", "2d10!>=9r<3"),
            ("3d6r1", "3d6r=1"),
            ("4dF", "4dF"),
            ("d%", "1d%"),
            ("2d6 x 2", "2d6 * 2"),
            ("6X4d6dl", "6x 4d6dl1"),
            ("-(1+2)*-3", "-(1 + 2) * -3"),
        ] {
            assert_eq!(canonical(typed), meant, "{typed}");
            assert_eq!(canonical(meant), meant, "the canonical form of {typed}");
        }
    }

    #[test]
    fn errors_know_their_place() {
        for (text, what, at) in [
            ("", "missing at the end", 0..0),
            ("1d20+", "missing at the end", 5..5),
            ("2d6 foo", "cannot read 'f'", 4..5),
            ("(1d6", "never closed", 0..1),
            ("1d6)", "never opened", 3..4),
            ("3d", "needs its sides", 0..2),
            ("2d0", "at least one side", 0..3),
            ("1d1!", "for ever", 3..4),
            ("1d6!<9", "for ever", 3..6),
            ("1d6r<=6", "for ever", 3..7),
            ("1d6r", "needs to know what", 3..4),
            ("()", "missing in these", 1..2),
            ("d8 d10", "sign is missing", 3..4),
            ("1d6!>", "behind the comparison", 4..5),
            ("999999999d999999999", "1000 dice", 0..19),
            ("100x 11d6", "1100 dice", 0..9),
            ("0x d6", "1 to 100", 0..1),
            ("1d4294967296", "at most 4294967295", 2..12),
            ("99999999999999999999", "too large", 0..20),
            ("2d6 é", "cannot read 'é'", 4..6),
        ] {
            let (said, place) = error(text);
            assert!(said.contains(what), "{text}: {said}");
            assert_eq!(place, at, "{text}");
        }
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let nested = |n: usize| format!("{}1{}", "(".repeat(n), ")".repeat(n));
        assert!(nested(MAX_DEPTH).parse::<Notation>().is_ok());
        assert!(error(&nested(MAX_DEPTH + 1)).0.contains("deeper"));
        assert!(error(&"(".repeat(1000)).0.contains("deeper"));
        assert!(error(&"-".repeat(1000)).0.contains("deeper"));
        assert!(error(&"1+".repeat(3000)).0.contains("longer"));
    }
}
