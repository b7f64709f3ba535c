//! A line as tokens. Each keeps its place in what was typed; nothing is respelled.

use dice::number_word;
use std::ops::Range;

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its place in the line, in bytes.
    pub at: Range<usize>,
    /// What it says, in lower case.
    pub text: String,
    /// What it looks like.
    pub shape: Shape,
    /// Nothing is between it and the one before it.
    pub touches: bool,
}

/// What a token looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Letters.
    Word,
    /// A whole number, perhaps with a sign that touches it.
    Number {
        /// It has a sign.
        signed: bool,
    },
    /// Dice: `d8`, `2d6+3`.
    Die,
    /// A number that touches letters or other numbers: `2nd`, `3pm`, `7/10`, `1-100`.
    Glued,
    /// Words in quotation marks.
    Quoted,
    /// `#` or `//`: all that follows is a remark.
    Mark,
    /// An entry: `#12`.
    Entry,
    /// What divides parts of a sentence: a comma, a dash between spaces, a parenthesis.
    Break,
    /// A sign that counts: `+`, `-`, `<`.
    Operator,
    /// An emoji, a smiley, dots.
    Ornament,
}

/// What quotation marks open and close with.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('«', '»'), ('„', '“'), ('「', '」')];
/// Signs that divide a sentence where they touch a word.
const BREAKS: [char; 9] = [',', '.', ';', ':', '!', '?', '…', '(', ')'];

/// The tokens of `typed` from byte `from` on.
pub fn tokens(typed: &str, from: usize) -> Vec<Token> {
    let mut all = Scanner { typed, at: from, tokens: Vec::new() };
    while all.next_chunk() {}
    all.tokens
}

struct Scanner<'t> {
    typed: &'t str,
    at: usize,
    tokens: Vec<Token>,
}

impl Scanner<'_> {
    /// Reads what is up to the next space; false at the end.
    fn next_chunk(&mut self) -> bool {
        let rest = &self.typed[self.at..];
        let skipped = rest.len() - rest.trim_start().len();
        self.at += skipped;
        let rest = &self.typed[self.at..];
        let Some(first) = rest.chars().next() else { return false };
        let close = QUOTES.iter().find(|(open, _)| *open == first).map(|(_, close)| *close);
        if let Some(end) = close.and_then(|close| rest[first.len_utf8()..].find(close).map(|at| at + close.len_utf8()))
        {
            self.push(first.len_utf8() + end, Shape::Quoted);
            return true;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if rest.starts_with('#') || rest.starts_with("//") {
            let number = rest[1..end].bytes().all(|byte| byte.is_ascii_digit()) && end > 1;
            self.push(end, if number { Shape::Entry } else { Shape::Mark });
            return true;
        }
        let chunk = &rest[..end];
        if !chunk.chars().any(char::is_alphanumeric) {
            self.push(end, of_signs(chunk));
            return true;
        }
        self.of_letters(end);
        true
    }

    /// Reads a chunk with letters or digits in it: what is around it is tokens of its own.
    fn of_letters(&mut self, end: usize) {
        let (start, end) = (self.at, self.at + end);
        while self.typed[self.at..end].starts_with(|c: char| BREAKS.contains(&c) || is_odd(c)) {
            let sign = self.typed[self.at..].chars().next().expect("it begins with one");
            self.push(sign.len_utf8(), if BREAKS.contains(&sign) { Shape::Break } else { Shape::Ornament });
        }
        let ends = |c: char| BREAKS.contains(&c) || is_odd(c);
        let inner = self.typed[self.at..end].trim_end_matches(ends).len();
        let chunk = &self.typed[self.at..self.at + inner];
        // `d8,d10` and `goblins,Ann` are two.
        let mut from = 0;
        for (at, sign) in chunk.match_indices([',', ';']) {
            let digits = |c: char| c.is_ascii_digit();
            let thousands = chunk[..at].ends_with(digits) && chunk[at + 1..].starts_with(digits) && sign == ",";
            if at > from && !thousands {
                self.push(at - from, shape_of(&chunk[from..at]));
                self.push(1, Shape::Break);
                from = at + 1;
            }
        }
        if from < chunk.len() {
            self.push(chunk.len() - from, shape_of(&chunk[from..]));
        }
        while self.at < end {
            let sign = self.typed[self.at..].chars().next().expect("it is not at the end");
            self.push(sign.len_utf8(), if BREAKS.contains(&sign) { Shape::Break } else { Shape::Ornament });
        }
        debug_assert!(self.at > start);
    }

    fn push(&mut self, length: usize, shape: Shape) {
        let at = self.at..self.at + length;
        let touches = self.tokens.last().is_some_and(|last| last.at.end == at.start);
        self.tokens.push(Token { text: self.typed[at.clone()].to_lowercase(), at, shape, touches });
        self.at += length;
    }
}

/// An emoji or another sign beyond ASCII.
fn is_odd(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric()
}

/// What a chunk without letters and digits is.
fn of_signs(chunk: &str) -> Shape {
    let only = |signs: &[char]| chunk.chars().all(|c| signs.contains(&c));
    if matches!(chunk, "-" | "–" | "—" | "--") || only(&BREAKS) && chunk.chars().count() == 1 {
        Shape::Break
    } else if matches!(chunk, "+" | "*" | "/" | "<" | ">" | "=" | "<=" | ">=" | "%" | "|" | "&&") {
        Shape::Operator
    } else {
        Shape::Ornament
    }
}

fn shape_of(chunk: &str) -> Shape {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = chunk.strip_prefix(['+', '-', '−']).unwrap_or(chunk);
    if digits(plain) {
        return Shape::Number { signed: plain.len() < chunk.len() };
    }
    if is_dice(plain) {
        return Shape::Die;
    }
    if is_smiley(chunk) {
        return Shape::Ornament;
    }
    if chunk.starts_with(['-', '*', '/', '<', '>', '%', '|', '+', '=']) {
        return Shape::Operator;
    }
    match chunk.bytes().any(|byte| byte.is_ascii_digit()) {
        true => Shape::Glued,
        false => Shape::Word,
    }
}

/// Dice in their plainest form: `d8`, `2d8+d10`, `d20-1`.
fn is_dice(text: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let die = |part: &str| {
        part.split_once(['d', 'D', 'w', 'W'])
            .is_some_and(|(count, sides)| digits(count) && !sides.is_empty() && digits(sides))
    };
    let mut parts = text.split(['+', '-', '/', '&']);
    parts.clone().any(die) && parts.all(|part| die(part) || !part.is_empty() && digits(part))
}

/// `xD`, `<3`, `:3`
fn is_smiley(text: &str) -> bool {
    matches!(text, "xD" | "XD" | ":D" | "<3" | ":3" | ":P" | ":p" | "\\o/" | "o/" | "^^")
}

impl Token {
    /// Whether it says something: a word, a number, dice.
    pub fn says(&self) -> bool {
        !matches!(self.shape, Shape::Break | Shape::Ornament)
    }

    /// The number that it is, also in words: `two`.
    pub fn number(&self) -> Option<i64> {
        match self.shape {
            Shape::Number { .. } => self.text.trim_start_matches(['+', '−']).parse().ok(),
            Shape::Word => number_word(&self.text).map(i64::from),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(typed: &str) -> Vec<(String, Shape)> {
        tokens(typed, 0).into_iter().map(|token| (typed[token.at].to_owned(), token.shape)).collect()
    }

    #[test]
    fn a_line_is_cut_into_what_it_says_and_what_divides_it() {
        let number = Shape::Number { signed: false };
        let check = |typed: &str, expected: &[(&str, Shape)]| {
            let expected: Vec<_> = expected.iter().map(|(text, shape)| ((*text).to_owned(), *shape)).collect();
            assert_eq!(shapes(typed), expected, "{typed}");
        };
        check(
            "d8 vs 15, I jump!",
            &[
                ("d8", Shape::Die),
                ("vs", Shape::Word),
                ("15", number),
                (",", Shape::Break),
                ("I", Shape::Word),
                ("jump", Shape::Word),
                ("!", Shape::Break),
            ],
        );
        check(
            "+2 – the 2nd try 🐉",
            &[
                ("+2", Shape::Number { signed: true }),
                ("–", Shape::Break),
                ("the", Shape::Word),
                ("2nd", Shape::Glued),
                ("try", Shape::Word),
                ("🐉", Shape::Ornament),
            ],
        );
        check(
            "«Je frappe !» #12 // done",
            &[("«Je frappe !»", Shape::Quoted), ("#12", Shape::Entry), ("//", Shape::Mark), ("done", Shape::Word)],
        );
        check(
            "1,000 <3 d8,d10",
            &[
                ("1,000", Shape::Glued),
                ("<3", Shape::Ornament),
                ("d8", Shape::Die),
                (",", Shape::Break),
                ("d10", Shape::Die),
            ],
        );
    }

    #[test]
    fn each_token_is_where_it_was_typed() {
        for typed in ["act d8 vs 15 (wet, wet) \"stones\"…", "「行くぞ！」 ＋２", "  ,,  ", "a\u{301}b 7/10"]
        {
            for token in tokens(typed, 0) {
                assert_eq!(typed[token.at.clone()].to_lowercase(), token.text);
            }
        }
    }
}
