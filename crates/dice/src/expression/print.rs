//! Prints a tree as canonical notation, which parses back to the same tree.
//!
//! The alternate form (`{:#}`) is for use after an operator. There a comparison after dice would compare the whole
//! expression, so counting needs its letter.

use super::{
    Choice, Comparison, Condition, Count, Counting, End, Explosion, Expression, Face, FaceList, Faces, Function, Mark,
    Modifier, Operator, Pool, Source,
};
use std::fmt::{Display, Formatter, Result};

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expression::Number(number) => number.fmt(f),
            Expression::Pool(pool) => pool.fmt(f),
            Expression::Negative(inner) => write!(f, "-{inner:#}"),
            Expression::Parentheses(inner) => write!(f, "({inner})"),
            Expression::Chain(first, rest) => {
                first.fmt(f)?;
                rest.iter().try_for_each(|(operator, term)| write!(f, " {operator} {term:#}"))
            }
            Expression::Power(base, exponent) => {
                base.fmt(f)?;
                write!(f, " ** {exponent:#}")
            }
            Expression::Function(function, arguments) => write!(f, "{function}({})", Listed(arguments)),
            Expression::Labelled(inner, label) => {
                inner.fmt(f)?;
                write!(f, "[{label}]")
            }
            Expression::Compared(left, comparison, right) => {
                left.fmt(f)?;
                write!(f, " {} {right:#}", comparison.between())
            }
            Expression::ComparedWithEach(left, comparison, pool) => {
                left.fmt(f)?;
                write!(f, " {} each {pool:#}", comparison.between())
            }
        }
    }
}

/// A list separated by commas.
struct Listed<'a, T>(&'a [T]);

impl<T: Display> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.iter().enumerate().try_for_each(|(n, each)| {
            f.write_str(if n == 0 { "" } else { ", " })?;
            each.fmt(f)
        })
    }
}

impl Operator {
    /// The written operator.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Divide => "/",
            Operator::DivideDown => "//",
            Operator::Modulo => "%",
        }
    }
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.sign())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let name = Function::ALL.iter().find(|(_, function)| function == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

impl Display for Pool {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.source {
            Source::Dice(count, faces) => {
                if !matches!(faces, Faces::Digits(_)) {
                    count.fmt(f)?;
                }
                f.write_str("d")?;
                faces.fmt(f)?;
            }
            Source::Group(members) => write!(f, "{{{}}}", Listed(members))?,
        }
        self.modified().fmt(f)
    }
}

/// The modifiers of a pool.
pub(crate) struct Modified<'a>(&'a Pool);

impl Pool {
    /// The modifiers only.
    pub(crate) fn modified(&self) -> Modified<'_> {
        Modified(self)
    }
}

impl Display for Modified<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Pool { source, modifiers } = self.0;
        let mut counted = false;
        for (n, modifier) in modifiers.iter().enumerate() {
            // After an explosion a comparison would be its condition; after a count it would compare the count.
            let behind_explosion = matches!(modifiers[..n].last(), Some(Modifier::Explode(_, None)));
            let open = f.alternate() || counted || behind_explosion;
            counted |= modifier.counts();
            match modifier {
                Modifier::Count(Counting::Success(condition))
                    if !open
                        && source.tells_apart(modifiers[..n].iter(), *condition)
                        && !source.leaves_one(&modifiers[..n]) =>
                {
                    condition.fmt(f)?;
                }
                // Behind a d100, a number alone would be so many bonus dice.
                Modifier::Count(Counting::Botch(condition)) if n == 0 && source.may_have_tens() => {
                    write!(f, "b{condition}")?;
                }
                modifier => modifier.fmt(f)?,
            }
        }
        Ok(())
    }
}

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Count::Number(count) => whole(f, i64::from(*count)),
            Count::Computed(inner) => write!(f, "({inner})"),
        }
    }
}

impl Display for Faces {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Faces::Sides(sides) => whole(f, i64::from(*sides)),
            Faces::Computed(inner) => write!(f, "({inner})"),
            Faces::Digits(dice) => (0..*dice).try_for_each(|_| f.write_str("6")),
            Faces::Percent => f.write_str("%"),
            Faces::Tens(more, End::Low) => write!(f, "100b{more}"),
            Faces::Tens(more, End::High) => write!(f, "100p{more}"),
            Faces::Fudge => f.write_str("F"),
            Faces::FudgeRare => f.write_str("F.1"),
            Faces::Range(first, last) => write!(f, "[{first}..{last}]"),
            Faces::List(list) => list.fmt(f),
        }
    }
}

impl Display for FaceList {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("[")?;
        for (n, (face, often)) in self.faces.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { "," })?;
            match face {
                Face::Number(number) => number.fmt(f)?,
                Face::Word(word) => f.write_str(word)?,
            }
            if *often != 1 {
                write!(f, ":{often}")?;
            }
        }
        f.write_str("]")
    }
}

impl Display for Modifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Modifier::Keep(choice) => {
                f.write_str("k")?;
                choice.fmt(f)
            }
            Modifier::Drop(choice) => {
                f.write_str("d")?;
                choice.fmt(f)
            }
            Modifier::Explode(explosion, condition) => {
                explosion.fmt(f)?;
                match condition {
                    // After a `!` without a letter, a minus would be read as an operator.
                    Some(condition) if condition.value < 0 => condition.fmt(f),
                    condition => condition.iter().try_for_each(|condition| short(f, condition)),
                }
            }
            // One after the other, each would be rerolled once.
            Modifier::Reroll(Some(times), conditions) if conditions.len() > 1 => {
                f.write_str("r")?;
                if *times == 1 {
                    f.write_str("o")?
                } else {
                    write!(f, "r{times}")?
                }
                for (n, condition) in conditions.iter().enumerate() {
                    f.write_str(if n == 0 { "[" } else { "," })?;
                    short(f, condition)?;
                }
                f.write_str("]")
            }
            Modifier::Reroll(times, conditions) => conditions.iter().try_for_each(|condition| match times {
                None => worded(f, "r", condition),
                Some(1) => worded(f, "ro", condition),
                Some(times) => write!(f, "rr{times}{condition}"),
            }),
            Modifier::Unique => f.write_str("u"),
            Modifier::Minimum(value) => write!(f, "mi{value}"),
            Modifier::Maximum(value) => write!(f, "ma{value}"),
            Modifier::Add(value) => write!(f, "each{value:+}"),
            Modifier::Map(pairs) => {
                f.write_str("map[")?;
                for (n, (from, to)) in pairs.iter().enumerate() {
                    write!(f, "{}{from}:{to}", if n == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Modifier::Sort(End::Low) => f.write_str("sa"),
            Modifier::Sort(End::High) => f.write_str("sd"),
            Modifier::Count(counting) => counting.fmt(f),
            Modifier::Mark(Mark::Critical, condition) => worded(f, "cs", condition),
            Modifier::Mark(Mark::Fumble, condition) => worded(f, "cf", condition),
        }
    }
}

impl Display for Choice {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Choice::End(end, n) => {
                f.write_str(if *end == End::High { "h" } else { "l" })?;
                whole(f, i64::from(*n))
            }
            Choice::Middle(n) => write!(f, "m{n}"),
            Choice::Where(condition) => condition.fmt(f),
        }
    }
}

impl Display for Explosion {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self {
            Explosion::Each => "!",
            Explosion::Once => "!o",
            Explosion::Compound => "!!",
            Explosion::Penetrate => "!p",
            Explosion::Implode => "!i",
        })
    }
}

impl Display for Counting {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Counting::Success(condition) => worded(f, "c", condition),
            Counting::Failure(condition) => worded(f, "f", condition),
            Counting::Double(condition) => worded(f, "dbl", condition),
            Counting::Botch(condition) => worded(f, "b", condition),
            Counting::Even => f.write_str("even"),
            Counting::Odd => f.write_str("odd"),
            Counting::Matches => f.write_str("m"),
            Counting::Sets(n) => write!(f, "mt{n}"),
            Counting::Pairs(value) => write!(f, "pair{value}"),
        }
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}{}", self.comparison, self.value)
    }
}

impl Comparison {
    /// The written comparison.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::AtMost => "<=",
            Comparison::Equal => "=",
            Comparison::Unequal => "<>",
            Comparison::AtLeast => ">=",
            Comparison::Greater => ">",
        }
    }

    /// What is written between two results.
    pub(crate) fn between(self) -> &'static str {
        if self == Comparison::AtLeast { "vs" } else { self.sign() }
    }
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.sign())
    }
}

/// A condition after a word that needs one.
fn worded(f: &mut Formatter<'_>, word: &str, condition: &Condition) -> Result {
    f.write_str(word)?;
    short(f, condition)
}

/// A condition shown as a bare number if possible.
fn short(f: &mut Formatter<'_>, condition: &Condition) -> Result {
    match condition.comparison {
        Comparison::Equal if condition.value >= 0 => whole(f, condition.value),
        // A bare minus could belong to what comes before.
        _ => condition.fmt(f),
    }
}

/// Writes a number faster than the standard library, which has to handle padding.
fn whole(f: &mut Formatter<'_>, number: i64) -> Result {
    f.write_str(itoa::Buffer::new().format(number))
}
