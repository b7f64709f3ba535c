//! What a player wrote, as a tree. Printing a tree gives the canonical notation, which parses back to it.

use std::fmt::{self, Display};

/// An arithmetic expression over dice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A whole number.
    Number(i64),
    /// Dice of one kind with their modifiers.
    Dice(DiceTerm),
    /// `-x`
    Negative(Box<Expression>),
    /// `(x)`
    Parentheses(Box<Expression>),
    /// Operators of one precedence, applied from left to right: `first op x op y`.
    Chain(Box<Expression>, Vec<(Operator, Expression)>),
}

/// An arithmetic operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
    /// `/`, rounded down.
    Divide,
}

/// `NdS` and what is done to the dice, strictly from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiceTerm {
    /// How many dice are thrown, 0 to [`MAX_DICE`](crate::MAX_DICE).
    pub count: u32,
    /// Their faces.
    pub faces: Faces,
    /// What is done to them, in order.
    pub modifiers: Vec<Modifier>,
}

/// The faces of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faces {
    /// 1 to `s`.
    Sides(u32),
    /// `d%`: 1 to 100.
    Percent,
    /// `dF`: -1, 0 and 1, thrown as a d3 (Fudge and Fate games).
    Fudge,
}

impl Faces {
    /// Sides of the die that is thrown for it.
    pub fn sides(self) -> u32 {
        match self {
            Faces::Sides(sides) => sides,
            Faces::Percent => 100,
            Faces::Fudge => 3,
        }
    }

    /// What a thrown die of [`sides`](Self::sides) counts, from 1 up.
    pub fn value(self, thrown: u32) -> i64 {
        match self {
            Faces::Sides(_) | Faces::Percent => i64::from(thrown),
            Faces::Fudge => i64::from(thrown) - 2,
        }
    }
}

/// What is done to thrown dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// `kh3`, `kl1`: of the dice still in, keep so many.
    Keep(End, u32),
    /// `dh1`, `dl1`: of the dice still in, drop so many.
    Drop(End, u32),
    /// `!`: each die that meets the condition (its highest face without one) brings another, which may do so again.
    Explode(Option<Condition>),
    /// `r1`, `r<3`: throw again until the condition is not met.
    Reroll(Condition),
}

/// Which end of the sorted dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The highest.
    High,
    /// The lowest.
    Low,
}

/// A comparison with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// How to compare.
    pub comparison: Comparison,
    /// With what.
    pub value: i64,
}

/// How a die is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `=`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

impl Condition {
    /// Whether `value` meets it.
    pub fn holds(self, value: i64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.value,
            Comparison::AtMost => value <= self.value,
            Comparison::Equal => value == self.value,
            Comparison::AtLeast => value >= self.value,
            Comparison::Greater => value > self.value,
        }
    }

    /// Whether every face of a die meets it, so that rolling on it would never end.
    pub fn always_holds(self, faces: Faces) -> bool {
        // Faces are consecutive numbers: a comparison that holds at both ends and is no equality holds between them.
        let (lowest, highest) = (faces.value(1), faces.value(faces.sides()));
        self.holds(lowest) && self.holds(highest)
    }
}

impl Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Number(number) => number.fmt(f),
            Expression::Dice(term) => term.fmt(f),
            Expression::Negative(inner) => write!(f, "-{inner}"),
            Expression::Parentheses(inner) => write!(f, "({inner})"),
            Expression::Chain(first, rest) => {
                first.fmt(f)?;
                rest.iter().try_for_each(|(operator, term)| write!(f, " {operator} {term}"))
            }
        }
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Divide => "/",
        })
    }
}

impl Display for DiceTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count.fmt(f)?;
        f.write_str("d")?;
        match self.faces {
            Faces::Sides(sides) => sides.fmt(f)?,
            Faces::Percent => f.write_str("%")?,
            Faces::Fudge => f.write_str("F")?,
        }
        self.modifiers.iter().try_for_each(|modifier| modifier.fmt(f))
    }
}

impl Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, number): (&str, &dyn Display) = match self {
            Modifier::Keep(End::High, n) => ("kh", n),
            Modifier::Keep(End::Low, n) => ("kl", n),
            Modifier::Drop(End::High, n) => ("dh", n),
            Modifier::Drop(End::Low, n) => ("dl", n),
            Modifier::Explode(None) => ("!", &""),
            Modifier::Explode(Some(condition)) => ("!", condition),
            Modifier::Reroll(condition) => ("r", condition),
        };
        f.write_str(sign)?;
        number.fmt(f)
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.comparison {
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Equal => "=",
            Comparison::AtLeast => ">=",
            Comparison::Greater => ">",
        };
        write!(f, "{sign}{}", self.value)
    }
}
