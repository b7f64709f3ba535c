//! What no argument of a line took, and what its tokens are in it.

use super::{Known, Read};
use crate::english::{Class, is, is_any};
use crate::tokens::{Shape, Token, tokens};
use plugin_api::{ArgumentKind, ArgumentSpec, CommandSpec, Effect, Place};
use std::collections::BTreeSet;
use std::ops::Range;

/// A keyword or flag of so many letters may be any word's beginning.
pub const SHORT: usize = 2;
/// What only leads to something.
pub const LEADS: [Class; 5] = [Class::Article, Class::Possessive, Class::Link, Class::Means, Class::Filler];

/// What no argument took.
pub struct Left<'a> {
    pub typed: &'a str,
    pub tokens: Vec<Token>,
    pub taken: Vec<bool>,
    /// Its first token, and the first that is more than a link.
    pub first: usize,
    pub content: usize,
    /// A comma, a dash, a parenthesis or an emoji is in front of it.
    pub soft: bool,
    /// A number was taken in part.
    pub divided: bool,
    /// The command, as it was typed.
    pub command: &'a str,
    pub spec: &'a CommandSpec,
    pub words: BTreeSet<&'a str>,
    pub known: &'a dyn Known,
}

impl<'a> Left<'a> {
    /// `None` if everything was taken, or what was not says nothing.
    pub fn of(read: Read<'a>, known: &'a dyn Known) -> Option<Self> {
        let tokens = tokens(read.typed, read.from);
        let is_taken =
            |token: &Token| read.taken.iter().any(|place| place.start < token.at.end && token.at.start < place.end);
        let taken: Vec<bool> = tokens.iter().map(is_taken).collect();
        let marked = tokens.iter().position(|token| token.shape == Shape::Mark).unwrap_or(tokens.len());
        let part = |token: &Token| {
            let within = |place: &&Range<usize>| place.start < token.at.end && token.at.start < place.end;
            let bytes: usize = read.taken.iter().filter(within).map(Range::len).sum();
            let number = token.shape == Shape::Glued && token.text.starts_with(|c: char| c.is_ascii_digit());
            number && bytes > 0 && bytes < token.at.len()
        };
        let divided = tokens.iter().position(part);
        let left = |at: &usize| !taken[*at] && tokens[*at].says() && !leads(&tokens, &taken, *at);
        // A link at the end leads to nothing.
        let ends = || {
            let last = (0..marked).rev().find(|at| tokens[*at].says()).filter(|at| !taken[*at])?;
            is_any(&tokens[last].text, &[Class::Link, Class::Means]).then_some(last)
        };
        let between = || (0..marked).find(|at| is_between(&tokens, &taken, *at));
        let asked = || is_question(&tokens, read);
        let content = divided.or_else(|| (0..marked).find(left)).or_else(ends).or_else(between).or_else(asked)?;
        let own = |at: &usize| !taken[*at] && tokens[*at].says();
        let first = (0..content).rev().take_while(own).last().unwrap_or(content);
        let soft = first.checked_sub(1).is_some_and(|before| !tokens[before].says());
        let words = read.spec.words().filter(|word| word.len() > SHORT && !is_any(word, &LEADS)).collect();
        let command = read.typed.get(..read.from).unwrap_or_default().trim();
        Some(Left {
            typed: read.typed,
            taken,
            first,
            content,
            soft,
            divided: divided.is_some(),
            command,
            spec: read.spec,
            words,
            known,
            tokens,
        })
    }

    pub fn text(&self, at: usize) -> &str {
        &self.tokens[at].text
    }

    /// What it says from its first content on, without what only leads on.
    pub fn core(&self) -> impl Iterator<Item = usize> {
        (self.content..self.tokens.len()).filter(|at| self.tokens[*at].says() && !is_any(self.text(*at), &LEADS))
    }

    pub fn is(&self, at: usize, class: Class) -> bool {
        is(self.text(at), class)
    }

    /// Where a parenthesis opens that holds an argument in front of it, and closes at the end.
    pub fn opening(&self) -> Option<usize> {
        let is = |at: usize, mark: char| self.typed[self.tokens[at].at.clone()].contains(mark);
        let opens = (0..self.content).rev().find(|at| is(*at, '('))?;
        let within = opens + 1..self.content;
        let closed = within.clone().any(|at| is(at, ')') && self.tokens[at].shape == Shape::Break);
        let behind = (self.content..self.tokens.len()).skip_while(|at| !is(*at, ')')).skip(1);
        let ends = behind.into_iter().all(|at| !self.tokens[at].says());
        (!closed && ends && within.into_iter().any(|at| self.taken[at])).then_some(opens)
    }

    /// Whether a token is a number or dice, as digits.
    pub fn is_exact(&self, at: usize) -> bool {
        matches!(self.tokens[at].shape, Shape::Number { .. } | Shape::Die)
    }

    /// Whether a token joins the ends of a range that were both taken.
    pub fn is_between(&self, at: usize) -> bool {
        is_between(&self.tokens, &self.taken, at)
    }

    /// Whether it denies, replaces or takes back an argument that was taken behind it: `no adv vs 12`, `or d10`.
    pub fn turns_an_argument(&self) -> bool {
        let turns = |at: usize| is_any(self.text(at), &[Class::Denial, Class::Alternative, Class::Correction]);
        let behind = (self.content..self.tokens.len()).find(|at| self.taken[*at]);
        behind.is_some_and(|taken| (self.first..taken).any(turns))
    }

    /// Whether an argument follows this word.
    pub fn is_keyword(&self, at: usize) -> bool {
        self.taken[at]
            && self.spec.arguments.iter().any(|argument| keywords(argument).iter().any(|word| word == self.text(at)))
    }

    /// Whether a word is one of the command or a value, also in the plural.
    pub fn is_room_word(&self, at: usize) -> bool {
        let is = |word: &str| self.words.contains(word) || self.known.is_value(word);
        let text = self.text(at);
        let number = matches!(self.tokens[at].shape, Shape::Number { .. } | Shape::Die);
        // `ranged combat`
        let two = || self.tokens.get(at + 1).is_some_and(|next| self.known.is_value(&format!("{text} {}", next.text)));
        number || two() || text.split('/').any(|text| is(text) || text.strip_suffix('s').is_some_and(is))
    }

    /// Whether a word looks like a plural.
    pub fn is_plural(&self, at: usize) -> bool {
        let text = self.text(at);
        let ends = text.ends_with('s')
            && !self.is(at, Class::Verb)
            && !["ss", "us", "is", "ics", "'s"].iter().any(|end| text.ends_with(end));
        self.tokens[at].shape == Shape::Word && (self.is(at, Class::Plural) || text.len() > 3 && ends)
    }

    /// Whether a word begins with a capital letter.
    pub fn is_capital(&self, at: usize) -> bool {
        self.typed[self.tokens[at].at.clone()].starts_with(char::is_uppercase)
    }

    /// Whether it is a flag of the command that was taken.
    pub fn is_flag(&self, at: usize) -> bool {
        let flag = |place: &Place| matches!(place, Place::Flag | Place::Follows(_));
        let is = |argument: &ArgumentSpec| flag(&argument.place) && argument.words().contains(&self.text(at));
        self.taken[at] && self.spec.arguments.iter().any(is)
    }

    /// Whether it is a flag that is said to be somebody's.
    pub fn is_owned(&self, at: usize) -> bool {
        self.is_flag(at) && self.is(at - 1, Class::Possessive) && !self.taken[at - 1]
    }

    pub fn is_unit_behind(&self, at: usize) -> bool {
        self.tokens.get(at + 1).is_some_and(|next| is(&next.text, Class::Unit))
    }

    /// Whether nothing was taken for an argument that somebody can be named for.
    pub fn is_open(&self, argument: &ArgumentSpec) -> bool {
        let behind = keywords(argument);
        let taken = (0..self.tokens.len()).filter(|at| self.taken[*at]);
        let mut of_it = taken.filter(|at| match behind {
            [] => self.known.is_name(self.text(*at)),
            behind => behind.iter().any(|word| word == self.text(*at)),
        });
        of_it.next().is_none()
    }
}

/// The question mark at the end of a line that would change something.
fn is_question(tokens: &[Token], read: Read<'_>) -> Option<usize> {
    let last = tokens.len().checked_sub(1).filter(|last| tokens[*last].text == "?")?;
    // In a text it is a part of that.
    let text =
        |place: &Range<usize>| place.end == tokens[last].at.end && last > 0 && place.start < tokens[last - 1].at.start;
    (read.spec.effect == Effect::Changes && !read.taken.iter().any(text)).then_some(last)
}

/// Whether a token is the `to` of a range: `15 to 20`, `d8 to d10`.
fn is_between(tokens: &[Token], taken: &[bool], at: usize) -> bool {
    let end = |at: usize| match tokens.get(at).map(|token| token.shape).filter(|_| taken[at]) {
        Some(Shape::Number { signed }) => Some(signed),
        Some(Shape::Die) => Some(true),
        _ => None,
    };
    let ends = at.checked_sub(1).and_then(end).zip(end(at + 1));
    tokens[at].text == "to" && !taken[at] && ends.is_some_and(|(from, to)| from == to)
}

/// Whether a token only leads to the next one: `the`, and in front of an argument `+` and `dc`.
pub fn leads(tokens: &[Token], taken: &[bool], at: usize) -> bool {
    let text = tokens[at].text.as_str();
    let argument_next = taken.get(at + 1) == Some(&true);
    is_any(text, &LEADS)
        || argument_next && (matches!(text, "+" | "=" | "/" | "->" | "→" | "=>") || is(text, Class::Difficulty))
}

/// The words that an argument follows.
fn keywords(argument: &ArgumentSpec) -> &[String] {
    match &argument.place {
        Place::Word(names) | Place::Bare(names) => names,
        Place::Follows(names) if is_number(&argument.kind) => names,
        Place::Follows(_) | Place::Flag | Place::Side | Place::Signed | Place::Here => &[],
    }
}

/// Whether a number is of this kind.
pub fn is_number(kind: &ArgumentKind) -> bool {
    match kind {
        ArgumentKind::Number { .. } => true,
        ArgumentKind::Either(kinds) => kinds.iter().any(is_number),
        ArgumentKind::All(kind) | ArgumentKind::List { of: kind, .. } => is_number(kind),
        _ => false,
    }
}

/// Whether somebody can be named for this kind.
pub fn is_somebody(kind: &ArgumentKind) -> bool {
    match kind {
        ArgumentKind::Who => true,
        ArgumentKind::Either(kinds) => kinds.iter().any(is_somebody),
        ArgumentKind::All(kind) | ArgumentKind::List { of: kind, .. } => is_somebody(kind),
        _ => false,
    }
}
