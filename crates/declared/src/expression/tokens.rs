//! The words, numbers and signs of an expression.

use std::ops::Range;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// As it was written, in lower case.
    pub text: String,
    /// Where it is in the line, in bytes.
    pub at: Range<usize>,
}

/// Signs of two characters.
const LONG: [&str; 3] = [">=", "<=", "<>"];

impl Token {
    /// The number that it is.
    pub fn number(&self) -> Option<i64> {
        self.text.parse().ok()
    }

    /// True if it is a word.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(char::is_alphabetic)
    }
}

/// The parts of an expression, which begins at byte `from` of its line.
pub fn tokens(text: &str, from: usize) -> Vec<Token> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let ends = |more: fn(char) -> bool| rest.find(|c: char| !more(c)).unwrap_or(rest.len());
        let length = match first {
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            c if c.is_ascii_digit() => ends(|c| c.is_ascii_digit()),
            c if c.is_alphabetic() => ends(|c| c.is_alphanumeric() || matches!(c, '\'' | '_')),
            _ if LONG.iter().any(|sign| rest.starts_with(sign)) => 2,
            c => c.len_utf8(),
        };
        let place = at..at + length;
        all.push(Token { text: text[place.clone()].to_lowercase(), at: from + place.start..from + place.end });
        at += length;
    }
    all
}
