//! What is worked out in a file: numbers, words, yes and no, and dice.

mod parse;
mod tokens;

pub use parse::{Dice, IT, Names, die_named, known_name, parse};
pub use tokens::{Token, tokens};

use crate::die::Die;
use std::fmt;

/// What something is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number; a flag counts as 0 or 1.
    Number,
    /// Yes or no.
    Flag,
    /// One of these words, or none.
    Word(Vec<String>),
    /// What somebody wrote.
    Text,
    /// A character who was named.
    Somebody,
    /// Dice that somebody types, before they fall.
    Unthrown,
    /// Dice that fell.
    Pool,
    /// One die that fell, which is a number too.
    Die,
    /// Dice that fell with words on their faces, all alike.
    Faced(Die),
}

impl Kind {
    /// True if a name may be the other where it was this before.
    pub fn goes_for(&self, other: &Kind) -> bool {
        let dice = |kind: &Kind| matches!(kind, Kind::Pool | Kind::Die);
        let numbers = |kind: &Kind| matches!(kind, Kind::Number | Kind::Flag);
        self == other || dice(self) && dice(other) || numbers(self) && numbers(other)
    }
}

impl Kind {
    /// What some of these dice are together.
    fn of_several(&self) -> Kind {
        match self {
            Kind::Faced(die) => Kind::Faced(die.clone()),
            _ => Kind::Pool,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Number => "a number",
            Kind::Flag => "yes or no",
            Kind::Word(_) => "a word",
            Kind::Text => "a text",
            Kind::Somebody => "somebody",
            Kind::Unthrown => "dice to throw",
            Kind::Pool => "dice",
            Kind::Die => "a die",
            Kind::Faced(die) => return write!(f, "{} dice", die.name),
        })
    }
}

/// Two values that make one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounded down.
    Divide,
    /// `=`, `is`
    Equal,
    /// `<>`, `is not`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `and`
    And,
    /// `or`
    Or,
}

/// What is made of dice or numbers, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The highest die.
    Highest,
    /// The lowest die.
    Lowest,
    /// The sum of dice.
    Total,
    /// How many dice.
    Count,
    /// The smaller number.
    Min,
    /// The larger number.
    Max,
    /// Divided and rounded up.
    Up,
    /// Divided and rounded down.
    Down,
    /// What is left when it is divided.
    Remainder,
    /// Whether it was typed.
    Known,
    /// The percentages that each die of tens makes with a die of ones.
    Percentiles,
}

/// All functions, by the names that files have for them, with what they take.
pub const FUNCTIONS: [(&str, Function, &[Kind], Kind); 12] = [
    ("highest", Function::Highest, &[Kind::Pool], Kind::Number),
    ("lowest", Function::Lowest, &[Kind::Pool], Kind::Number),
    ("total", Function::Total, &[Kind::Pool], Kind::Number),
    ("count", Function::Count, &[Kind::Pool], Kind::Number),
    ("size", Function::Count, &[Kind::Pool], Kind::Number),
    ("min", Function::Min, &[Kind::Number, Kind::Number], Kind::Number),
    ("max", Function::Max, &[Kind::Number, Kind::Number], Kind::Number),
    ("up", Function::Up, &[Kind::Number, Kind::Number], Kind::Number),
    ("down", Function::Down, &[Kind::Number, Kind::Number], Kind::Number),
    ("remainder", Function::Remainder, &[Kind::Number, Kind::Number], Kind::Number),
    ("known", Function::Known, &[], Kind::Flag),
    ("percentiles", Function::Percentiles, &[Kind::Pool, Kind::Die], Kind::Pool),
];

/// Something to work out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// A word of a choice.
    Word(String),
    /// What has this name.
    Name(String),
    /// Not so.
    Not(Box<Expression>),
    /// Two that make one.
    Both(Operator, Box<Expression>, Box<Expression>),
    /// The second if the first is so, else the third.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// Made of others.
    Made(Function, Vec<Expression>),
    /// The dice of a pool for which something is so, where `it` is the number of each.
    Where(Box<Expression>, Box<Expression>),
    /// So many dice of a pool, the highest or the lowest.
    Best {
        /// Whether the highest are meant.
        highest: bool,
        /// How many.
        count: Box<Expression>,
        /// Of which.
        of: Box<Expression>,
    },
    /// How often something shows on these dice, whose faces show it so often.
    Shown {
        /// Of each face, from that of 1 on.
        each: Vec<u32>,
        /// On which dice.
        on: Box<Expression>,
    },
    /// Two pools as one.
    With(Box<Expression>, Box<Expression>),
    /// The dice that somebody typed under this name, thrown.
    Throw(String),
    /// Dice that are thrown.
    Dice {
        /// How many.
        count: Box<Expression>,
        /// With so many sides.
        sides: Box<Expression>,
    },
}

impl Expression {
    /// Does this with every name in it.
    pub fn each_name(&self, with: &mut impl FnMut(&str)) {
        match self {
            Expression::Number(_) | Expression::Flag(_) | Expression::Word(_) => {}
            Expression::Name(name) | Expression::Throw(name) => with(name),
            Expression::Not(inner) | Expression::Shown { on: inner, .. } => inner.each_name(with),
            Expression::Both(_, one, other) | Expression::Where(one, other) | Expression::With(one, other) => {
                [one, other].into_iter().for_each(|each| each.each_name(with));
            }
            Expression::If(one, other, third) => {
                [one, other, third].into_iter().for_each(|each| each.each_name(with));
            }
            Expression::Made(_, all) => all.iter().for_each(|each| each.each_name(with)),
            Expression::Best { count: one, of: other, .. } | Expression::Dice { count: one, sides: other } => {
                [one, other].into_iter().for_each(|each| each.each_name(with));
            }
        }
    }
}
