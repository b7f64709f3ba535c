//! Parses dice notation; `notation.rs` has the grammar.

mod cancels;
mod checks;
mod faces;
mod modifiers;
pub(crate) mod numbers;
mod united;
mod words;

use crate::dialect::{Dialect, twice};
use crate::expression::{
    Choice, Comparison, Count, End, Expression, Faces, Function, Modifier, Operator, Pool, Source,
};
use crate::limits::{MAX_DEPTH, MAX_DICE, MAX_LABEL, MAX_REPEATS, MAX_ROLLS};
use crate::notation::{Notation, NotationError, Repeated, Together};
use numbers::{added_apart, range};
use std::ops::Range;

/// The parser and its position.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// Dice so far, where the number is known.
    dice: u64,
    /// True if no operator comes before what is read next; then a comparison after dice counts them.
    first: bool,
    /// True behind dice that are counted by a comparison: what is added to them is counted too.
    counting: bool,
    /// The notation in use.
    dialect: Dialect,
    /// True behind a comparison, where a number is what the roll must reach.
    target: bool,
    /// The next operand, if it was read already.
    begun: Option<Expression>,
}

type Parsed<T> = Result<T, NotationError>;

/// The comparison signs; where one begins like another, the longer one comes first.
const SIGNS: [(&str, Comparison); 13] = [
    ("<=", Comparison::AtMost),
    ("=<", Comparison::AtMost),
    ("≤", Comparison::AtMost),
    (">=", Comparison::AtLeast),
    ("=>", Comparison::AtLeast),
    ("≥", Comparison::AtLeast),
    ("<>", Comparison::Unequal),
    ("!=", Comparison::Unequal),
    ("≠", Comparison::Unequal),
    ("==", Comparison::Equal),
    ("=", Comparison::Equal),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, dialect: Dialect) -> Self {
        let comment = dialect.comment().and_then(|mark| text.find(&format!(" {mark}")));
        Parser {
            text: &text[..comment.unwrap_or(text.len())],
            at: 0,
            depth: 0,
            dice: 0,
            first: true,
            counting: false,
            dialect,
            target: false,
            begun: None,
        }
    }

    pub fn notation(mut self) -> Parsed<Notation> {
        let mut rolls = Vec::with_capacity(1);
        loop {
            if rolls.len() == MAX_ROLLS {
                return Err(self.error(self.at..self.at, format!("{MAX_ROLLS} rolls are the most in one command")));
            }
            rolls.push(self.roll()?);
            self.skip_spaces();
            if !self.eat(b';') {
                break;
            }
        }
        if self.at < self.text.len() {
            return Err(self.unexpected());
        }
        Ok(Notation { rolls })
    }

    fn roll(&mut self) -> Parsed<Repeated> {
        let before = std::mem::take(&mut self.dice);
        self.skip_spaces();
        let start = self.at;
        let mut times = self.repeat()?;
        (self.first, self.counting) = (true, false);
        let mut expression = match self.advantage_in_front()? {
            Some(dice) => self.begun_with(dice)?,
            None => self.expression()?,
        };
        if times.is_some() && !expression.throws() {
            // `2x3` is a product.
            self.at = start;
            (times, self.first, self.counting) = (None, true, false);
            expression = self.expression()?;
        }
        let times = times.map(|(times, counted)| match u32::try_from(times) {
            Ok(times @ 1..=MAX_REPEATS) => Ok(times),
            _ => Err(self.error(counted, format!("a roll is repeated 1 to {MAX_REPEATS} times"))),
        });
        let times = times.transpose()?;
        self.skip_spaces();
        let together = match self.letters() {
            word if word.eq_ignore_ascii_case("sum") => Some(Together::Sum),
            word if word.eq_ignore_ascii_case("sort") => Some(Together::Sort),
            _ => None,
        };
        if together.is_some() {
            self.at += self.letters().len();
        }
        self.dice = before.saturating_add(self.dice.saturating_mul(u64::from(times.unwrap_or(1))));
        if self.dice > MAX_DICE {
            return Err(self.error(start..self.at, format!("that is {} dice, and {MAX_DICE} is the most", self.dice)));
        }
        let cancels = self.cancels(&expression)?;
        self.may_show_words(start, &expression, together)?;
        Ok(Repeated { times, expression, together, cancels })
    }

    /// How often what follows is repeated, and where that is said, if it is said here.
    fn repeat(&mut self) -> Parsed<Option<(i64, Range<usize>)>> {
        let start = self.at;
        if let Some(times) = self.digits()? {
            let counted = start..self.at;
            self.skip_spaces();
            let apart = self.dialect.repeats_without_sign() && self.at > counted.end && self.starts_dice();
            if self.eat(b'x') || self.eat(b'#') || apart {
                return Ok(Some((times, counted)));
            }
            self.at = start;
        }
        Ok(None)
    }

    /// `+d20` or `-d20` at the beginning of a roll, where that is how the dialect writes advantage and disadvantage.
    fn advantage_in_front(&mut self) -> Parsed<Option<Expression>> {
        let [sign @ (b'+' | b'-'), b'd' | b'D', digit, ..] = self.rest().as_bytes() else { return Ok(None) };
        if !self.dialect.begins_with_advantage() || !digit.is_ascii_digit() {
            return Ok(None);
        }
        let digits = self.rest()[2..].bytes().take_while(u8::is_ascii_digit).count();
        let sides =
            self.rest()[2..2 + digits].parse().ok().filter(|sides| *sides > 0 && Faces::of_bare(*sides).is_none());
        let Some(sides) = sides else { return Ok(None) };
        let end = if *sign == b'+' { End::High } else { End::Low };
        self.at += 2 + digits;
        self.dice = self.dice.saturating_add(2);
        let source = Source::Dice(Count::Number(2), Faces::Sides(sides));
        let modifiers = self.modifiers_after(vec![Modifier::Keep(Choice::End(end, 1))], &source)?;
        Ok(Some(Expression::Pool(Pool { source, modifiers })))
    }

    /// An expression whose first operand was read.
    fn begun_with(&mut self, first: Expression) -> Parsed<Expression> {
        self.begun = Some(first);
        self.expression()
    }

    /// True if dice begin here, with or without a count.
    fn starts_dice(&self) -> bool {
        let counted = self.rest().trim_start_matches(|c: char| c.is_ascii_digit());
        self.dice_begin() || (counted.len() < self.rest().len() && counted.starts_with(['d', 'D']))
    }

    fn expression(&mut self) -> Parsed<Expression> {
        let left = self.sum()?;
        self.skip_spaces();
        let comparison = if self.letters().eq_ignore_ascii_case("vs") {
            self.at += 2;
            self.skip_spaces();
            // `vs AC 16`, `vs DC16`
            let letters = self.letters();
            if ["ac", "dc", "dn", "tn"].iter().any(|name| letters.eq_ignore_ascii_case(name)) {
                self.at += letters.len();
            }
            Some(Comparison::AtLeast)
        } else {
            self.comparison()
        };
        let Some(comparison) = comparison else { return Ok(left) };
        (self.first, self.counting) = (false, false);
        self.target = true;
        self.skip_spaces();
        let start = self.at;
        if self.letters().eq_ignore_ascii_case("each") {
            self.at += "each".len();
            return self.with_each(left, comparison, start);
        }
        let right = self.sum()?;
        self.target = false;
        if let Some(sign) = added_apart(&self.text[start..self.at]) {
            let at = start + sign..start + sign + 1;
            return Err(self.error(at, "what is added to the roll goes in front of vs, as in d20+5 vs 15"));
        }
        Ok(Expression::Compared(Box::new(left), comparison, Box::new(right)))
    }

    /// A comparison with each of the dice here, which is written from `start` on.
    fn with_each(&mut self, left: Expression, comparison: Comparison, start: usize) -> Parsed<Expression> {
        self.target = false;
        match self.operand()? {
            Expression::Pool(pool) if !pool.modifiers.iter().any(Modifier::counts) => {
                Ok(Expression::ComparedWithEach(Box::new(left), comparison, pool))
            }
            _ => Err(self.error(start..self.at, "behind each there are dice, as in d6+2 vs each 2d10")),
        }
    }

    fn sum(&mut self) -> Parsed<Expression> {
        self.skip_spaces();
        let start = self.at;
        let sum = self.chain(Self::product, |parser| match parser.peek()? {
            b'+' => Some((Operator::Plus, 1)),
            b'-' => Some((Operator::Minus, 1)),
            _ => None,
        })?;
        match range(self.text[start..self.at].trim_end()) {
            // In parentheses it is a number of something.
            Some((from, to)) if self.depth == 0 => {
                let what =
                    format!("{from}-{to} is a range: write {from} - {to} to take away, and d[{from}..{to}] for a die");
                Err(self.error(start..self.at, what))
            }
            _ => Ok(sum),
        }
    }

    fn product(&mut self) -> Parsed<Expression> {
        self.chain(Self::sign, |parser| match parser.rest().as_bytes() {
            [b'*', b'*', ..] => None,
            [b'*', ..] => Some((Operator::Times, 1)),
            [b'x' | b'X', ..] if parser.letters().len() == 1 => Some((Operator::Times, 1)),
            [b'/', b'/', ..] => Some((Operator::DivideDown, 2)),
            [b'/', ..] => Some((Operator::Divide, 1)),
            [b'%', ..] => Some((Operator::Modulo, 1)),
            _ => None,
        })
    }

    fn chain(
        &mut self,
        operand: fn(&mut Self) -> Parsed<Expression>,
        operator: fn(&Self) -> Option<(Operator, usize)>,
    ) -> Parsed<Expression> {
        let first = operand(self)?;
        let mut rest = Vec::new();
        loop {
            self.skip_spaces();
            let Some((sign, length)) = operator(self) else { break };
            self.at += length;
            self.first = false;
            self.counting &= matches!(sign, Operator::Plus | Operator::Minus);
            rest.push((sign, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Chain(Box::new(first), rest) })
    }

    fn sign(&mut self) -> Parsed<Expression> {
        if let Some(begun) = self.begun.take() {
            return Ok(begun);
        }
        self.skip_spaces();
        let start = self.at;
        match self.peek() {
            Some(sign @ (b'-' | b'+')) => {
                self.at += 1;
                // A plus changes nothing and is not kept.
                self.first &= sign == b'+';
                let inner = self.deeper(start, Self::sign)?;
                Ok(if sign == b'-' { Expression::Negative(Box::new(inner)) } else { inner })
            }
            _ => self.power(),
        }
    }

    fn power(&mut self) -> Parsed<Expression> {
        let base = self.operand()?;
        self.skip_spaces();
        let start = self.at;
        if !self.rest().starts_with("**") {
            return Ok(base);
        }
        self.at += 2;
        self.first = false;
        let exponent = self.deeper(start, Self::sign)?;
        Ok(Expression::Power(Box::new(base), Box::new(exponent)))
    }

    fn operand(&mut self) -> Parsed<Expression> {
        self.skip_spaces();
        let start = self.at;
        let operand = match self.peek() {
            Some(b'(') => {
                let mut inner = match self.dialect.groups_in_parentheses() {
                    true => self.enclosed(Self::several)?,
                    false => vec![self.enclosed(Self::expression)?],
                };
                if inner.len() > 1 {
                    return self.grouped(inner);
                }
                let inner = inner.remove(0);
                if self.dice_begin() {
                    self.dice(Count::Computed(Box::new(inner)), start)?
                } else {
                    Expression::Parentheses(Box::new(inner))
                }
            }
            Some(b'{') => self.group()?,
            Some(b'.') if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                Expression::Number(self.number()?)
            }
            Some(b'0'..=b'9') => {
                let number = self.number()?;
                let behind = self.at;
                self.skip_spaces();
                // In `d20+5 d8` the 5 is no count of dice.
                let apart = self.at > behind;
                let adds = apart && self.text[..start].ends_with(['+', '-', '*', '/']) || self.target;
                let dice = matches!(self.peek(), Some(b'd' | b'D')) && (!apart || !adds && self.dice_begin());
                if !dice {
                    self.at = behind;
                }
                match number.whole() {
                    Some(count) if dice => {
                        let count = u32::try_from(count).unwrap_or(u32::MAX);
                        self.dice(Count::Number(count), start)?
                    }
                    _ => Expression::Number(number),
                }
            }
            Some(byte) if byte.is_ascii_alphabetic() && self.dice_begin() => self.dice(Count::Number(1), start)?,
            Some(byte) if byte.is_ascii_alphabetic() => self.function()?,
            _ => return Err(self.unexpected()),
        };
        let behind = self.at;
        self.skip_spaces();
        if self.peek() == Some(b'[') {
            return Ok(Expression::Labelled(Box::new(operand), self.label()?));
        }
        self.at = behind;
        Ok(operand)
    }

    /// True if a `d` is here that dice follow.
    fn dice_begin(&self) -> bool {
        let letters = self.letters();
        letters.eq_ignore_ascii_case("d") || letters.get(..2).is_some_and(|two| two.eq_ignore_ascii_case("df"))
    }

    fn function(&mut self) -> Parsed<Expression> {
        let (start, name) = (self.at, self.letters());
        if name.eq_ignore_ascii_case("step") && self.rest()[name.len()..].trim_start().starts_with('(') {
            return self.step();
        }
        let known = Function::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        self.at += name.len();
        self.skip_spaces();
        if self.peek() != Some(b'(') {
            self.at = start;
            return Err(self.unexpected());
        }
        let named = start..start + name.len();
        let Some((name, function)) = known else {
            let names = Function::ALL.map(|(name, _)| name);
            let what = match nearest(name, &names) {
                Some(near) => format!("I do not know {name}: did you mean {near}?"),
                None => format!("I do not know {name}; there are {}", names.join(", ")),
            };
            return Err(self.error(named, what));
        };
        let arguments = self.enclosed(Self::several)?;
        if function.takes_one() && arguments.len() > 1 {
            return Err(self.error(named, format!("{name} takes one number")));
        }
        Ok(Expression::Function(*function, arguments))
    }

    /// Expressions separated by commas.
    fn several(&mut self) -> Parsed<Vec<Expression>> {
        let mut several = Vec::new();
        loop {
            (self.first, self.counting) = (true, false);
            several.push(self.expression()?);
            self.skip_spaces();
            if !self.eat(b',') {
                return Ok(several);
            }
            self.skip_spaces();
            // Avrae writes a set of one as `(1,)`.
            if self.dialect.groups_in_parentheses() && self.peek() == Some(b')') {
                return Ok(several);
            }
        }
    }

    fn group(&mut self) -> Parsed<Expression> {
        let start = self.at;
        let members = self.enclosed(Self::several)?;
        if let [only] = members.as_slice()
            && !is_sum_of_dice(only)
        {
            let what = match only.groups() {
                true => "one group in another needs a second result beside it, as in {{4d6}kh3, 12}kh1",
                false => "a group of one is a sum of dice, as in {4d6 + 2d8}kh3; results have commas between them",
            };
            return Err(self.error(start..self.at, what));
        }
        self.grouped(members)
    }

    /// A group of these results, with its modifiers.
    fn grouped(&mut self, members: Vec<Expression>) -> Parsed<Expression> {
        let source = Source::Group(members);
        let modifiers = self.modifiers(&source)?;
        Ok(Expression::Pool(Pool { source, modifiers }))
    }

    /// Reads the content of the brackets that open here.
    fn enclosed<T>(&mut self, inner: fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let (start, first, counting) = (self.at, self.first, self.counting);
        let close = if self.peek() == Some(b'{') { b'}' } else { b')' };
        self.at += 1;
        (self.first, self.counting) = (true, false);
        let inner = self.deeper(start, inner)?;
        (self.first, self.counting) = (first, counting);
        self.skip_spaces();
        if !self.eat(close) {
            if self.at < self.text.len() && !matches!(self.peek(), Some(b';')) {
                return Err(self.unexpected());
            }
            let what = if close == b')' { "this parenthesis is never closed" } else { "this brace is never closed" };
            return Err(self.error(start..start + 1, what));
        }
        Ok(inner)
    }

    fn deeper<T>(&mut self, start: usize, inner: fn(&mut Self) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(start..start + 1, format!("that nests deeper than {MAX_DEPTH}")));
        }
        let inner = inner(self)?;
        self.depth -= 1;
        Ok(inner)
    }

    fn label(&mut self) -> Parsed<String> {
        let start = self.at;
        let end = self.rest().find(']').map(|end| start + end);
        let Some(end) = end else { return Err(self.error(start..start + 1, "this bracket is never closed")) };
        let label = self.text[start + 1..end].trim();
        self.at = end + 1;
        let wrong = label.is_empty() || label.chars().count() > MAX_LABEL || label.contains(['[', '|', ';', '#']);
        if wrong || label.chars().any(char::is_control) {
            let what = format!("a label is a word or some, as in 1d8[fire], up to {MAX_LABEL} characters");
            return Err(self.error(start..self.at, what));
        }
        Ok(label.to_owned())
    }

    /// Reads a comparison, if there is one here.
    fn comparison(&mut self) -> Option<Comparison> {
        let (sign, comparison) = self.compares()?;
        self.at += sign.len();
        Some(self.dialect.compares(comparison))
    }

    /// The comparison sign here, and its native meaning.
    fn compares(&self) -> Option<(&'static str, Comparison)> {
        // Usually there is none, and the first byte tells.
        let begins = |byte: u8| matches!(byte, b'<' | b'>' | b'=' | b'!') || !byte.is_ascii();
        self.peek().filter(|byte| begins(*byte))?;
        SIGNS.iter().copied().find(|(sign, _)| self.rest().starts_with(sign))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The letters here, a to z.
    fn letters(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
        &rest[..end]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Takes `letter` (given in lower case) if it is here, in either case.
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
        NotationError { what: what.into(), at, meant: None }
    }

    fn unexpected(&self) -> NotationError {
        let rest = self.rest();
        match rest.chars().next() {
            None | Some(';') => self.error(self.at..self.at, "a number or dice are missing at the end"),
            Some(')' | '}') if self.depth > 0 => {
                self.error(self.at..self.at + 1, "a number or dice are missing in these parentheses")
            }
            Some(')' | '}') => self.error(self.at..self.at + 1, "this parenthesis was never opened"),
            Some('0'..='9' | '(' | '{') if self.at > 0 => self.sign_missing(),
            Some('d' | 'D') if self.at > 0 && self.dice_begin() => self.sign_missing(),
            Some(letter) if letter.is_alphabetic() => {
                let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
                let hint = advantage(&rest[..end]).unwrap_or("a comment goes after #");
                let what = format!("I cannot read {:?} here; {hint}", &rest[..end]);
                self.error(self.at..self.at + end, what)
            }
            Some(other) => {
                let end = self.at + other.len_utf8();
                self.error(self.at..end, format!("I cannot read {other:?} here"))
            }
        }
    }

    fn sign_missing(&self) -> NotationError {
        self.error(self.at..self.at + 1, "a sign is missing before this, as in d8 + d10; for two rolls, write d8; d10")
    }
}

/// True if an expression is a sum of dice, possibly with numbers.
fn is_sum_of_dice(expression: &Expression) -> bool {
    let dice = |expression: &Expression| {
        matches!(expression, Expression::Pool(Pool { source: Source::Dice(Count::Number(_), faces), modifiers })
            if !matches!(faces, Faces::Computed(_)) && !modifiers.iter().any(crate::Modifier::counts))
    };
    match expression {
        Expression::Chain(first, rest) => {
            dice(first) && rest.iter().all(|(operator, each)| *operator == Operator::Plus && dice(each))
        }
        only => dice(only),
    }
}

impl Expression {
    /// True if a group is a part of this sum, or all of it.
    fn groups(&self) -> bool {
        match self {
            Expression::Pool(Pool { source: Source::Group(_), .. }) => true,
            Expression::Chain(first, rest) => first.groups() || rest.iter().any(|(_, each)| each.groups()),
            _ => false,
        }
    }
}

/// The notation for a word of other games' dice.
fn advantage(word: &str) -> Option<&'static str> {
    twice(word).map(|counts| match counts {
        End::High => "advantage is 2d20kh1",
        End::Low => "disadvantage is 2d20kl1",
    })
}

/// The one of these words closest to a mistyped one, if it is close.
fn nearest<'w>(typed: &str, words: &[&'w str]) -> Option<&'w str> {
    let typed = typed.to_ascii_lowercase();
    let far = |word: &&&str| strsim::damerau_levenshtein(&typed, word);
    words
        .iter()
        .min_by_key(far)
        .filter(|word| typed.len() > 1 && far(word) <= 1 + usize::from(typed.len() > 5))
        .copied()
}
