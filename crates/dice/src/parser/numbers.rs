//! Numbers, and where two of them are the ends of a range.

use super::{Parsed, Parser};
use crate::Number;

impl Parser<'_> {
    /// Reads a number, possibly with a decimal point.
    pub(super) fn number(&mut self) -> Parsed<Number> {
        let start = self.at;
        let whole = self.digits()?.unwrap_or_default();
        let behind = match self.rest().as_bytes() {
            // Two dots are a range.
            [b'.', digit, ..] if digit.is_ascii_digit() => {
                self.at += 1;
                let from = self.at;
                self.digits()?;
                self.text[from..self.at].trim_end_matches('0')
            }
            _ => return Ok(Number::from(whole)),
        };
        let too_large = || self.error(start..self.at, "that number is too large");
        let digits = format!("{whole}{behind}").parse().map_err(|_| too_large())?;
        Number::decimal(digits, u32::try_from(behind.len()).unwrap_or(u32::MAX)).ok_or_else(too_large)
    }

    /// Reads a whole number, if there is one here.
    pub(super) fn digits(&mut self) -> Parsed<Option<i64>> {
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

    /// The same, possibly with a minus.
    pub(super) fn signed(&mut self) -> Parsed<Option<i64>> {
        let start = self.at;
        let negative = self.eat(b'-');
        match self.digits()? {
            Some(number) => Ok(Some(if negative { -number } else { number })),
            None => {
                self.at = start;
                Ok(None)
            }
        }
    }
}

/// Where a sign is behind a number that touches only what is behind it: in `15 +5`.
pub(super) fn added_apart(text: &str) -> Option<usize> {
    let behind = text.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    let signed = behind.trim_start();
    let touches = signed.strip_prefix(['+', '-']).is_some_and(|rest| !rest.starts_with(char::is_whitespace));
    let number = text.trim_start().len() > behind.len() && signed.len() < behind.len();
    (number && touches).then(|| text.len() - signed.len())
}

/// The ends of a range, which nobody types to take more away than there is: `1-6`.
pub(crate) fn range(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-')?;
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    number(from).zip(number(to)).filter(|(from, to)| from < to)
}
