//! Reads an expression, and finds out what it is.

use super::{Expression, FUNCTIONS, Function, Kind, Operator, Token, tokens};
use crate::die::Die;
use crate::evaluate::MOST_SIDES;
use crate::lines::Line;
use crate::mistake::Mistake;
use plugin_api::suggest;
use std::collections::BTreeMap;
use std::ops::Range;

/// What has a name, in lower case.
pub type Names = BTreeMap<String, Kind>;

/// What a die of the file is called among the names.
pub fn die_named(name: &str) -> String {
    format!("d[{name}]")
}

/// The most words of a name.
const MOST_WORDS: usize = 4;
/// The most parts of an expression.
const MOST_TOKENS: usize = 200;
/// How many expressions may be within each other.
const DEEPEST: usize = 30;
/// What is between a word on dice and the dice.
const IN: &str = "in";
/// What `where` calls the number of a die.
pub const IT: &str = "it";

/// An expression, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// What to work out.
    pub expression: Expression,
    /// What comes of it.
    pub kind: Kind,
}

/// Whether dice may fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dice {
    /// They may.
    Fall,
    /// They may not.
    Lie,
}

/// Reads these bytes of a line as an expression.
///
/// # Errors
/// It cannot be read; the mistake says where.
pub fn parse(line: &Line, part: Range<usize>, names: &Names, dice: Dice) -> Result<Parsed, Mistake> {
    let all = tokens(&line.text[part.clone()], part.start);
    if all.len() > MOST_TOKENS {
        return Err(line.wrong(part, format!("an expression may have {MOST_TOKENS} words and signs, and not more")));
    }
    let mut parser = Parser { line, tokens: &all, next: 0, names, it: None, dice, depth: 0, end: part.end };
    let parsed = parser.expression()?;
    match parser.tokens.get(parser.next) {
        None => Ok(parsed),
        Some(token) => Err(line.wrong(token.at.clone(), format!("I cannot read on at \"{}\"", token.text))),
    }
}

/// The longest of these names with which the parts from `from` on begin, and of how many it is.
pub fn known_name(all: &[Token], from: usize, is_known: impl Fn(&str) -> bool) -> Option<(String, usize)> {
    let words = all[from.min(all.len())..].iter().take(MOST_WORDS).take_while(|token| token.is_word());
    let words: Vec<&str> = words.map(|token| token.text.as_str()).collect();
    (1..=words.len()).rev().map(|count| (words[..count].join(" "), count)).find(|(name, _)| is_known(name))
}

struct Parser<'a> {
    line: &'a Line,
    tokens: &'a [Token],
    next: usize,
    names: &'a Names,
    /// What `it` is here, if it is a die: its number, or a die with words.
    it: Option<Kind>,
    dice: Dice,
    depth: usize,
    end: usize,
}

type Read = Result<Parsed, Mistake>;

fn number(expression: Expression) -> Parsed {
    Parsed { expression, kind: Kind::Number }
}

fn flag(expression: Expression) -> Parsed {
    Parsed { expression, kind: Kind::Flag }
}

fn pool(expression: Expression) -> Parsed {
    Parsed { expression, kind: Kind::Pool }
}

impl Parser<'_> {
    fn text(&self) -> &str {
        self.tokens.get(self.next).map_or("", |token| token.text.as_str())
    }

    fn takes(&mut self, text: &str) -> bool {
        let taken = self.text() == text;
        self.next += usize::from(taken);
        taken
    }

    fn needs(&mut self, text: &str) -> Result<(), Mistake> {
        match self.takes(text) {
            true => Ok(()),
            false => Err(self.wrong_here(format!("here I need \"{text}\""))),
        }
    }

    fn here(&self) -> Range<usize> {
        self.tokens.get(self.next).map_or(self.end..self.end, |token| token.at.clone())
    }

    fn wrong_here(&self, what: impl Into<String>) -> Mistake {
        self.line.wrong(self.here(), what)
    }

    /// Reads a part with `read`, which must be of this kind.
    fn of(&mut self, kind: &Kind, read: fn(&mut Self) -> Read) -> Result<Expression, Mistake> {
        let from = self.next;
        let parsed = read(self)?;
        self.must_be(kind, from, &parsed)?;
        Ok(parsed.expression)
    }

    fn must_be(&self, kind: &Kind, from: usize, parsed: &Parsed) -> Result<(), Mistake> {
        let fits = match kind {
            Kind::Number => matches!(parsed.kind, Kind::Number | Kind::Flag | Kind::Die),
            Kind::Pool => matches!(parsed.kind, Kind::Pool | Kind::Die | Kind::Faced(_)),
            _ => parsed.kind == *kind,
        };
        if fits {
            return Ok(());
        }
        let at = self.tokens[from].at.start..self.tokens[self.next - 1].at.end;
        let hint = match (kind, &parsed.kind) {
            (Kind::Number, Kind::Pool) => ": write highest(...), total(...) or count(...) of them",
            (Kind::Number, Kind::Faced(_)) => ": write count(WORD in ...), which counts a word on them",
            _ => "",
        };
        Err(self.line.wrong(at, format!("this is {}, and here I need {kind}{hint}", parsed.kind)))
    }

    fn expression(&mut self) -> Read {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong_here(format!("no more than {DEEPEST} expressions may be within each other")));
        }
        let read = if self.takes("if") { self.choice() } else { self.either() };
        self.depth -= 1;
        read
    }

    /// `if A then B else C`, behind the `if`.
    fn choice(&mut self) -> Read {
        let condition = self.of(&Kind::Flag, Self::either)?;
        self.needs("then")?;
        let yes = self.expression()?;
        self.needs("else")?;
        let from = self.next;
        let no = self.expression()?;
        let kind = match (&yes.kind, &no.kind) {
            (Kind::Pool, Kind::Die) | (Kind::Die, Kind::Pool) => Kind::Pool,
            (yes, no) if yes == no => yes.clone(),
            (Kind::Number | Kind::Flag | Kind::Die, _) => Kind::Number,
            (yes, _) => yes.clone(),
        };
        self.must_be(&kind, from, &no)?;
        let [condition, yes, no] = [condition, yes.expression, no.expression].map(Box::new);
        Ok(Parsed { expression: Expression::If(condition, yes, no), kind })
    }

    fn either(&mut self) -> Read {
        self.joined("or", Operator::Or, Self::each)
    }

    fn each(&mut self) -> Read {
        self.joined("and", Operator::And, Self::negated)
    }

    fn joined(&mut self, word: &str, operator: Operator, part: fn(&mut Self) -> Read) -> Read {
        let from = self.next;
        let mut left = part(self)?;
        while self.text() == word {
            self.must_be(&Kind::Flag, from, &left)?;
            self.next += 1;
            let right = self.of(&Kind::Flag, part)?;
            left = flag(Expression::Both(operator, Box::new(left.expression), Box::new(right)));
        }
        Ok(left)
    }

    fn negated(&mut self) -> Read {
        match self.takes("not") {
            true => Ok(flag(Expression::Not(Box::new(self.of(&Kind::Flag, Self::compared)?)))),
            false => self.compared(),
        }
    }

    fn compared(&mut self) -> Read {
        let from = self.next;
        let left = self.sum()?;
        let operator = match self.text() {
            "=" | "is" => Operator::Equal,
            "<>" => Operator::Unequal,
            "<" => Operator::Less,
            "<=" => Operator::AtMost,
            ">" => Operator::More,
            ">=" => Operator::AtLeast,
            _ => return Ok(left),
        };
        let ordered = !matches!(operator, Operator::Equal | Operator::Unequal);
        if ordered && matches!(left.kind, Kind::Word(_)) {
            return Err(self.wrong_here("words are alike or not: write \"is\" or \"is not\""));
        }
        self.next += 1;
        let unlike = operator == Operator::Equal && self.takes("not");
        let operator = if unlike { Operator::Unequal } else { operator };
        let right = match &left.kind {
            Kind::Word(choices) => self.word_of(&choices.clone())?,
            _ => {
                self.must_be(&Kind::Number, from, &left)?;
                self.of(&Kind::Number, Self::sum)?
            }
        };
        Ok(flag(Expression::Both(operator, Box::new(left.expression), Box::new(right))))
    }

    /// One of the words that somebody may type.
    fn word_of(&mut self, choices: &[String]) -> Result<Expression, Mistake> {
        let known = known_name(self.tokens, self.next, |name| choices.iter().any(|choice| choice == name));
        if let Some((word, count)) = known {
            self.next += count;
            return Ok(Expression::Word(word));
        }
        let meant = suggest(self.text(), choices.iter().map(String::as_str));
        let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
        let all = choices.join(", ");
        Err(self.wrong_here(format!("\"{}\" is not one of {all}{meant}", self.text())))
    }

    fn sum(&mut self) -> Read {
        self.chain(&[("+", Operator::Add), ("-", Operator::Subtract)], Self::product)
    }

    fn product(&mut self) -> Read {
        self.chain(&[("*", Operator::Multiply), ("/", Operator::Divide)], Self::signed)
    }

    fn chain(&mut self, operators: &[(&str, Operator)], part: fn(&mut Self) -> Read) -> Read {
        let from = self.next;
        let mut left = part(self)?;
        while let Some((_, operator)) = operators.iter().find(|(sign, _)| *sign == self.text()) {
            self.must_be(&Kind::Number, from, &left)?;
            self.next += 1;
            let right = self.of(&Kind::Number, part)?;
            left = number(Expression::Both(*operator, Box::new(left.expression), Box::new(right)));
        }
        Ok(left)
    }

    fn signed(&mut self) -> Read {
        if !self.takes("-") {
            return self.behind();
        }
        let right = self.of(&Kind::Number, Self::behind)?;
        Ok(number(Expression::Both(Operator::Subtract, Box::new(Expression::Number(0)), Box::new(right))))
    }

    /// A pool with `where` or `with` behind it, or anything else.
    fn behind(&mut self) -> Read {
        let from = self.next;
        let mut left = self.primary()?;
        loop {
            if self.takes("where") {
                self.must_be(&Kind::Pool, from, &left)?;
                let it = if let Kind::Faced(_) = left.kind { left.kind.clone() } else { Kind::Number };
                let before = self.it.replace(it);
                let holds = self.of(&Kind::Flag, Self::either)?;
                self.it = before;
                let expression = Expression::Where(Box::new(left.expression), Box::new(holds));
                left = Parsed { expression, kind: left.kind.of_several() };
            } else if self.takes("with") {
                self.must_be(&Kind::Pool, from, &left)?;
                let next = self.next;
                let more = self.primary()?;
                self.must_be(&Kind::Pool, next, &more)?;
                let kind = left.kind.of_several();
                if kind != more.kind.of_several() {
                    return Err(self.wrong_here(format!("{} and {} cannot be one pool", left.kind, more.kind)));
                }
                let both = Expression::With(Box::new(left.expression), Box::new(more.expression));
                left = Parsed { expression: both, kind };
            } else {
                return Ok(left);
            }
        }
    }

    fn primary(&mut self) -> Read {
        let Some(token) = self.tokens.get(self.next) else {
            return Err(self.wrong_here("something is missing here"));
        };
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            let value = token.number().filter(|number| *number <= plugin_api::MOST_NUMBER);
            let value = value.ok_or_else(|| self.wrong_here("that number is too large"))?;
            self.next += 1;
            return self.perhaps_dice(Expression::Number(value));
        }
        if self.takes("(") {
            let inner = self.expression()?;
            self.needs(")")?;
            return match inner.kind {
                Kind::Number | Kind::Flag if self.is_die(self.next) => self.perhaps_dice(inner.expression),
                _ => Ok(inner),
            };
        }
        if self.text() == IT
            && let Some(kind) = self.it.clone()
        {
            self.next += 1;
            return Ok(Parsed { expression: Expression::Name(IT.to_owned()), kind });
        }
        let known = known_name(self.tokens, self.next, |name| self.names.contains_key(name));
        let called =
            self.tokens.get(self.next + 1).is_some_and(|next| next.text == "(" && next.at.start == token.at.end);
        if let Some((_, function, takes, kind)) = FUNCTIONS.iter().find(|(name, ..)| *name == token.text && called) {
            return match *function {
                Function::Count if self.counts_words() => self.shown(),
                _ => self.made(*function, takes, kind),
            };
        }
        if let Some((name, count)) = known {
            let kind = self.names[&name].clone();
            if kind == Kind::Unthrown {
                return self.thrown(name, count);
            }
            self.next += count;
            return Ok(Parsed { expression: Expression::Name(name), kind });
        }
        match token.text.as_str() {
            "highest" | "lowest" => self.best(),
            "yes" | "true" | "no" | "false" => {
                let yes = ["yes", "true"].contains(&token.text.as_str());
                self.next += 1;
                Ok(flag(Expression::Flag(yes)))
            }
            _ if self.is_die(self.next) => self.dice(Expression::Number(1)),
            unknown => {
                let names = self.names.keys().map(String::as_str).chain(FUNCTIONS.map(|(name, ..)| name));
                let meant = suggest(unknown, names).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                Err(self.wrong_here(format!("I do not know \"{unknown}\"{meant}")))
            }
        }
    }

    /// `highest(pool)`, from the name on.
    fn made(&mut self, function: Function, takes: &[Kind], kind: &Kind) -> Read {
        self.next += 1;
        self.needs("(")?;
        let mut all = Vec::new();
        if function == Function::Known {
            let known = known_name(self.tokens, self.next, |name| self.names.contains_key(name));
            let (name, count) =
                known.ok_or_else(|| self.wrong_here("here I need the name of what somebody may type"))?;
            self.next += count;
            all.push(Expression::Name(name));
        }
        for (at, kind) in takes.iter().enumerate() {
            if at > 0 {
                self.needs(",")?;
            }
            let from = self.next;
            let parsed = self.expression()?;
            self.must_be(kind, from, &parsed)?;
            if function != Function::Count {
                self.has_numbers(from, &parsed)?;
            }
            all.push(parsed.expression);
        }
        self.needs(")")?;
        Ok(Parsed { expression: Expression::Made(function, all), kind: kind.clone() })
    }

    /// Refuses dice with words where their numbers would count.
    fn has_numbers(&self, from: usize, parsed: &Parsed) -> Result<(), Mistake> {
        let Kind::Faced(die) = &parsed.kind else { return Ok(()) };
        let at = self.tokens[from].at.start..self.tokens[self.next - 1].at.end;
        let what = format!("{} dice show words, and no numbers: count(WORD in ...) counts one", die.name);
        Err(self.line.wrong(at, what))
    }

    /// True for `count(success in pool)`, from the name on.
    fn counts_words(&self) -> bool {
        self.tokens.get(self.next + 3).is_some_and(|token| token.text == IN)
    }

    /// `count(success in pool, other)`, from the name on: how often the word shows on all of these dice.
    fn shown(&mut self) -> Read {
        self.next += 2;
        let (word, place) = (self.text().to_owned(), self.here());
        self.next += 2;
        let mut sum: Option<Expression> = None;
        loop {
            let from = self.next;
            let of = self.expression()?;
            let Kind::Faced(die) = &of.kind else {
                let at = self.tokens[from].at.start..self.tokens[self.next - 1].at.end;
                let what = format!("this is {}, and here I need dice with words on them, as in 2d[ability]", of.kind);
                return Err(self.line.wrong(at, what));
            };
            let each = die.each(&word);
            if !each.is_empty() && each.iter().all(|times| *times == 0) {
                let meant = suggest(&word, die.words());
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                return Err(self.line.wrong(place, format!("no {word} is on {} dice{meant}", die.name)));
            }
            let on = Expression::Shown { each, on: Box::new(of.expression) };
            sum = Some(match sum.take() {
                Some(sum) => Expression::Both(Operator::Add, Box::new(sum), Box::new(on)),
                None => on,
            });
            if !self.takes(",") {
                break;
            }
        }
        self.needs(")")?;
        Ok(number(sum.unwrap_or(Expression::Number(0))))
    }

    /// Dice that somebody typed, which fall now.
    fn thrown(&mut self, name: String, words: usize) -> Read {
        if self.dice == Dice::Lie {
            let what =
                format!("{name} is dice that somebody types: they fall in a line such as \"roll: pool = {name}\"");
            return Err(self.wrong_here(what));
        }
        self.next += words;
        Ok(pool(Expression::Throw(name)))
    }

    /// `highest 2 of pool`
    fn best(&mut self) -> Read {
        let highest = self.text() == "highest";
        self.next += 1;
        let count = Box::new(self.of(&Kind::Number, Self::primary)?);
        self.needs("of")?;
        let from = self.next;
        let of = self.behind()?;
        self.must_be(&Kind::Pool, from, &of)?;
        self.has_numbers(from, &of)?;
        Ok(pool(Expression::Best { highest, count, of: Box::new(of.expression) }))
    }

    /// True for `d6`, or the `d` in front of `(sides)` or `[die]`.
    fn is_die(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let glued = at == 0 || self.tokens[at - 1].at.end == token.at.start || !self.tokens[at - 1].is_word();
        let opens = |next: &Token| matches!(next.text.as_str(), "(" | "[") && next.at.start == token.at.end;
        let opens = self.tokens.get(at + 1).is_some_and(opens);
        let sides = token.text.strip_prefix('d').filter(|_| glued);
        sides.is_some_and(|sides| if sides.is_empty() { opens } else { sides.bytes().all(|c| c.is_ascii_digit()) })
    }

    /// A number, or so many dice if a die is glued to it.
    fn perhaps_dice(&mut self, count: Expression) -> Read {
        let end = self.tokens[self.next - 1].at.end;
        let glued = self.tokens.get(self.next).is_some_and(|next| next.at.start == end);
        if glued && self.is_die(self.next) { self.dice(count) } else { Ok(number(count)) }
    }

    /// So many dice, from the `d` on.
    fn dice(&mut self, count: Expression) -> Read {
        if self.dice == Dice::Lie {
            return Err(self.wrong_here("dice fall only in a line that begins with \"roll:\""));
        }
        let mut kind = if count == Expression::Number(1) { Kind::Die } else { Kind::Pool };
        let sides = self.text()[1..].parse().map_or(0, |sides: i64| sides);
        let place = self.here();
        self.next += 1;
        let sides = if self.takes("(") {
            let sides = self.of(&Kind::Number, Self::expression)?;
            self.needs(")")?;
            sides
        } else if self.takes("[") {
            let die = self.die()?;
            let sides = Expression::Number(die.sides());
            kind = Kind::Faced(die);
            sides
        } else if (1..=MOST_SIDES).contains(&sides) {
            Expression::Number(sides)
        } else {
            return Err(self.line.wrong(place, "there is no such die"));
        };
        Ok(Parsed { expression: Expression::Dice { count: Box::new(count), sides: Box::new(sides) }, kind })
    }

    /// The die of a heading, `d[ability]`, from its name on.
    fn die(&mut self) -> Result<Die, Mistake> {
        let (name, place) = (self.text().to_owned(), self.here());
        self.next += 1;
        self.needs("]")?;
        match self.names.get(&die_named(&name)) {
            Some(Kind::Faced(die)) => Ok(die.clone()),
            _ => {
                let dice = self.names.values().filter_map(|kind| match kind {
                    Kind::Faced(die) => Some(die.name.as_str()),
                    _ => None,
                });
                let meant = suggest(&name, dice).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                Err(self.line.wrong(place, format!("there is no [die {name}] in this file{meant}")))
            }
        }
    }
}
