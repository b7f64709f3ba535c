//! A roll as it is shown: the canonical notation with the dice behind each pool.

use super::{Fate, Roll, ShownDie, Throw};
use crate::expression::{Comparison, Count, Expression, Faces, Mark, Pool, Source};
use std::fmt::{self, Display};

/// A piece of a shown roll; all pieces in order read `4d6kh3 [5 (1) 4 4] + 2`.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    /// Notation, and what stands between dice.
    Text(&'a dyn Display),
    /// A die that counts.
    Kept(&'a dyn Display),
    /// A die that does not.
    Out(&'a dyn Display),
}

impl Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Text(text) => text.fmt(f),
            Piece::Kept(die) => die.fmt(f),
            Piece::Out(die) => write!(f, "({die})"),
        }
    }
}

/// What takes the pieces.
type Out<'o, E> = dyn FnMut(Piece<'_>) -> Result<(), E> + 'o;
/// The throws of an expression that were not shown yet.
type Throws<'t> = std::slice::Iter<'t, Throw>;

impl Roll<'_> {
    /// Hands out the shown roll piece by piece.
    pub fn show<E>(&self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        show(self.expression, &mut self.throws.iter(), out)
    }
}

impl Display for Roll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(&mut |piece| piece.fmt(f))
    }
}

/// A throw with the pool that it is of.
#[derive(Clone, Copy)]
pub struct OfPool<'a>(pub &'a Pool, pub &'a Throw);

impl OfPool<'_> {
    /// Hands out the dice as `[6+2 (1) 4]`: an exploding die is joined to the one that came of it, what is counted has its
    /// score behind it where that is not 1.
    pub fn show<E>(&self, out: &mut (impl FnMut(Piece<'_>) -> Result<(), E> + ?Sized)) -> Result<(), E> {
        let OfPool(pool, throw) = self;
        out(Piece::Text(&"["))?;
        let mut joined = None;
        for die in &throw.dice {
            match joined {
                None => {}
                // What implodes is taken away, and says so itself.
                Some(true) if die.value < 0 => {}
                Some(true) => out(Piece::Text(&"+"))?,
                Some(false) => out(Piece::Text(&" "))?,
            }
            joined = Some(die.exploded);
            let word = match &pool.source {
                Source::Dice(_, faces) if die.face > 0 => faces.word(die.face),
                _ => None,
            };
            let shown: &dyn Display = match &word {
                Some(word) => word,
                None => &die.value,
            };
            let counts = die.fate == Fate::Kept && (throw.tally.is_none() || die.score != 0);
            out(if counts { Piece::Kept(shown) } else { Piece::Out(shown) })?;
            signs(die, out)?;
        }
        out(Piece::Text(&"]"))
    }
}

/// What is pointed out about a die.
fn signs<E>(die: &ShownDie, out: &mut (impl FnMut(Piece<'_>) -> Result<(), E> + ?Sized)) -> Result<(), E> {
    match die.score {
        0 | 1 => {}
        ..0 => out(Piece::Text(&"✗"))?,
        score => {
            out(Piece::Text(&"×"))?;
            out(Piece::Text(&score))?;
        }
    }
    match die.mark {
        None => Ok(()),
        Some(Mark::Critical) => out(Piece::Text(&"★")),
        Some(Mark::Fumble) => out(Piece::Text(&"✗")),
    }
}

impl Display for OfPool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(&mut |piece: Piece<'_>| piece.fmt(f))
    }
}

fn show<E>(expression: &Expression, throws: &mut Throws<'_>, out: &mut Out<'_, E>) -> Result<(), E> {
    match expression {
        Expression::Number(number) => out(Piece::Text(number)),
        Expression::Pool(pool) => show_pool(pool, throws, out),
        Expression::Negative(inner) => {
            out(Piece::Text(&"-"))?;
            show(inner, throws, out)
        }
        Expression::Parentheses(inner) => {
            out(Piece::Text(&"("))?;
            show(inner, throws, out)?;
            out(Piece::Text(&")"))
        }
        Expression::Chain(first, rest) => {
            show(first, throws, out)?;
            rest.iter().try_for_each(|(operator, operand)| {
                between(operator, out)?;
                show(operand, throws, out)
            })
        }
        Expression::Power(base, exponent) => {
            show(base, throws, out)?;
            between(&"**", out)?;
            show(exponent, throws, out)
        }
        Expression::Function(function, arguments) => {
            out(Piece::Text(function))?;
            out(Piece::Text(&"("))?;
            listed(arguments, throws, out)?;
            out(Piece::Text(&")"))
        }
        Expression::Labelled(inner, label) => {
            show(inner, throws, out)?;
            out(Piece::Text(&" "))?;
            out(Piece::Text(label))
        }
        Expression::Compared(left, comparison, right) => {
            show(left, throws, out)?;
            match comparison {
                Comparison::AtLeast => between(&"vs", out)?,
                comparison => between(comparison, out)?,
            }
            show(right, throws, out)
        }
    }
}

fn between<E>(sign: &dyn Display, out: &mut Out<'_, E>) -> Result<(), E> {
    out(Piece::Text(&" "))?;
    out(Piece::Text(&sign))?;
    out(Piece::Text(&" "))
}

fn listed<E>(expressions: &[Expression], throws: &mut Throws<'_>, out: &mut Out<'_, E>) -> Result<(), E> {
    expressions.iter().enumerate().try_for_each(|(n, each)| {
        if n > 0 {
            out(Piece::Text(&", "))?;
        }
        show(each, throws, out)
    })
}

/// The notation of a pool, then its members; what it was computed from is shown with its dice in its place.
fn show_pool<E>(pool: &Pool, throws: &mut Throws<'_>, out: &mut Out<'_, E>) -> Result<(), E> {
    if pool.parts().next().is_none() {
        out(Piece::Text(pool))?;
    } else {
        match &pool.source {
            Source::Dice(count, faces) => {
                match count {
                    Count::Number(count) => out(Piece::Text(count))?,
                    Count::Computed(inner) => enclosed("(", inner, ")", throws, out)?,
                }
                out(Piece::Text(&"d"))?;
                match faces {
                    Faces::Computed(inner) => enclosed("(", inner, ")", throws, out)?,
                    faces => out(Piece::Text(faces))?,
                }
            }
            Source::Group(members) => {
                out(Piece::Text(&"{"))?;
                listed(members, throws, out)?;
                out(Piece::Text(&"}"))?;
            }
        }
        out(Piece::Text(&pool.modified()))?;
    }
    out(Piece::Text(&" "))?;
    throws.next().map_or(Ok(()), |throw| OfPool(pool, throw).show(out))
}

fn enclosed<E>(
    open: &str,
    inner: &Expression,
    close: &str,
    throws: &mut Throws<'_>,
    out: &mut Out<'_, E>,
) -> Result<(), E> {
    out(Piece::Text(&open))?;
    show(inner, throws, out)?;
    out(Piece::Text(&close))
}
