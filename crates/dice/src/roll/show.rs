//! A roll as shown: the canonical notation with the dice after each pool.

use super::{Fate, Roll, ShownDie, Throw};
use crate::expression::{Count, Expression, Faces, Mark, Pool, Source};
use crate::symbols::Cancelled;
use std::convert::Infallible;
use std::fmt::{self, Display, Write};

/// A piece of a shown roll; all pieces together read `4d6kh3 [5 (1) 4 4] + 2`.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    /// Notation, and the text between dice.
    Text(Shown<'a>),
    /// A die that counts.
    Kept(Shown<'a>),
    /// A die that does not count.
    Out(Shown<'a>),
}

/// The digits by value.
const DIGITS: [char; 10] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

/// The content of a piece.
#[derive(Clone, Copy)]
pub enum Shown<'a> {
    /// This text.
    Word(&'a str),
    /// This number.
    Whole(i64),
    /// Anything that can be printed.
    Printed(&'a dyn Display),
}

impl Shown<'_> {
    #[inline]
    fn add_to(self, text: &mut String) {
        match self {
            // Most of a large roll is single letters and digits, which are quicker one by one.
            Shown::Word(word) => match word.as_bytes() {
                [letter] => text.push(char::from(*letter)),
                _ => text.push_str(word),
            },
            Shown::Whole(digit @ 0..=9) => text.push(DIGITS[usize::try_from(digit).unwrap_or_default()]),
            Shown::Whole(number) => text.push_str(itoa::Buffer::new().format(number)),
            Shown::Printed(other) => write!(text, "{other}").expect("a String takes everything"),
        }
    }
}

impl Piece<'_> {
    /// Appends it to a text, with a die that does not count in parentheses.
    #[inline]
    pub fn add_to(self, text: &mut String) {
        match self {
            Piece::Text(shown) | Piece::Kept(shown) => shown.add_to(text),
            Piece::Out(die) => {
                text.push('(');
                die.add_to(text);
                text.push(')');
            }
        }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shown::Word(word) => f.write_str(word),
            Shown::Whole(number) => number.fmt(f),
            Shown::Printed(other) => other.fmt(f),
        }
    }
}

/// The throws of an expression not shown yet.
type Throws<'t> = std::slice::Iter<'t, Throw>;

impl Roll<'_> {
    /// Emits the shown roll piece by piece.
    pub fn show<E>(&self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        show(self.expression, &mut self.throws.iter(), out)?;
        if self.cancels.is_empty() { Ok(()) } else { out(Piece::Text(Shown::Printed(&Cancelled(self.cancels)))) }
    }
}

impl Display for Roll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(32 + 4 * self.throws.iter().map(|throw| throw.dice.len()).sum::<usize>());
        let Ok(()) = self.show::<Infallible>(&mut |piece| {
            piece.add_to(&mut text);
            Ok(())
        });
        f.write_str(&text)
    }
}

/// A throw and its pool.
#[derive(Clone, Copy)]
pub struct OfPool<'a>(pub &'a Pool, pub &'a Throw);

impl OfPool<'_> {
    /// Emits the dice as `[6+2 (1) 4]`: an exploding die is joined to the one that came from it, and a counted die is
    /// followed by its score unless that is 1.
    pub fn show<E>(&self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        let OfPool(pool, throw) = self;
        out(Piece::Text(Shown::Word("[")))?;
        let mut joined = None;
        for die in &throw.dice {
            match joined {
                None => {}
                // An imploding die is subtracted, and its sign shows that.
                Some(true) if die.value < 0 => {}
                Some(true) => out(Piece::Text(Shown::Word("+")))?,
                Some(false) => out(Piece::Text(Shown::Word(" ")))?,
            }
            joined = Some(die.exploded);
            let word = match &pool.source {
                Source::Dice(_, faces) if die.face > 0 => faces.word(die.face),
                _ => None,
            };
            let shown = word.map_or(Shown::Whole(die.value), Shown::Word);
            let counts = die.fate == Fate::Kept && (throw.tally.is_none() || die.score != 0);
            out(if counts { Piece::Kept(shown) } else { Piece::Out(shown) })?;
            signs(die, out)?;
        }
        out(Piece::Text(Shown::Word("]")))
    }
}

/// Emits the marks of a die.
fn signs<E>(die: &ShownDie, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
    match die.score {
        0 | 1 => {}
        ..0 => out(Piece::Text(Shown::Word("✗")))?,
        score => {
            out(Piece::Text(Shown::Word("×")))?;
            out(Piece::Text(Shown::Whole(score.into())))?;
        }
    }
    match die.mark {
        None => Ok(()),
        Some(Mark::Critical) => out(Piece::Text(Shown::Word("★"))),
        Some(Mark::Fumble) => out(Piece::Text(Shown::Word("✗"))),
    }
}

impl Display for OfPool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        let Ok(()) = self.show::<Infallible>(&mut |piece: Piece<'_>| {
            piece.add_to(&mut text);
            Ok(())
        });
        f.write_str(&text)
    }
}

fn show<E>(
    expression: &Expression,
    throws: &mut Throws<'_>,
    out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match expression {
        Expression::Number(number) => match number.whole() {
            Some(whole) => out(Piece::Text(Shown::Whole(whole))),
            None => out(Piece::Text(Shown::Printed(number))),
        },
        Expression::Pool(pool) => show_pool(pool, throws, out),
        Expression::Negative(inner) => {
            out(Piece::Text(Shown::Word("-")))?;
            show(inner, throws, out)
        }
        Expression::Parentheses(inner) => in_parentheses(inner, throws, out),
        Expression::Chain(first, rest) => {
            show(first, throws, out)?;
            rest.iter().try_for_each(|(operator, operand)| {
                between(operator.sign(), out)?;
                show(operand, throws, out)
            })
        }
        Expression::Power(base, exponent) => {
            show(base, throws, out)?;
            between("**", out)?;
            show(exponent, throws, out)
        }
        Expression::Function(function, arguments) => {
            out(Piece::Text(Shown::Printed(function)))?;
            out(Piece::Text(Shown::Word("(")))?;
            listed(arguments, throws, out)?;
            out(Piece::Text(Shown::Word(")")))
        }
        Expression::Labelled(inner, label) => {
            show(inner, throws, out)?;
            out(Piece::Text(Shown::Word(" ")))?;
            out(Piece::Text(Shown::Word(label)))
        }
        Expression::Compared(left, comparison, right) => {
            show(left, throws, out)?;
            between(comparison.between(), out)?;
            show(right, throws, out)
        }
        Expression::ComparedWithEach(left, comparison, pool) => {
            show(left, throws, out)?;
            between(comparison.between(), out)?;
            out(Piece::Text(Shown::Word("each ")))?;
            show_pool(pool, throws, out)
        }
    }
}

fn between<E>(sign: &str, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
    out(Piece::Text(Shown::Word(" ")))?;
    out(Piece::Text(Shown::Word(sign)))?;
    out(Piece::Text(Shown::Word(" ")))
}

fn listed<E>(
    expressions: &[Expression],
    throws: &mut Throws<'_>,
    out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    expressions.iter().enumerate().try_for_each(|(n, each)| {
        if n > 0 {
            out(Piece::Text(Shown::Word(", ")))?;
        }
        show(each, throws, out)
    })
}

/// The notation of a pool, then its members; computed parts are shown in place with their dice.
fn show_pool<E>(
    pool: &Pool,
    throws: &mut Throws<'_>,
    out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match &pool.source {
        Source::Dice(count, faces) => {
            match count {
                Count::Number(_) if matches!(faces, Faces::Digits(_)) => {}
                Count::Number(count) => out(Piece::Text(Shown::Whole((*count).into())))?,
                Count::Computed(inner) => in_parentheses(inner, throws, out)?,
            }
            out(Piece::Text(Shown::Word("d")))?;
            match faces {
                Faces::Sides(sides) => out(Piece::Text(Shown::Whole((*sides).into())))?,
                Faces::Computed(inner) => in_parentheses(inner, throws, out)?,
                faces => out(Piece::Text(Shown::Printed(faces)))?,
            }
            if !pool.modifiers.is_empty() {
                out(Piece::Text(Shown::Printed(&pool.modified())))?;
            }
        }
        Source::Group(_) if pool.mixes_dice() => out(Piece::Text(Shown::Printed(pool)))?,
        Source::Group(members) => {
            out(Piece::Text(Shown::Word("{")))?;
            listed(members, throws, out)?;
            out(Piece::Text(Shown::Word("}")))?;
            out(Piece::Text(Shown::Printed(&pool.modified())))?;
        }
    }
    out(Piece::Text(Shown::Word(" ")))?;
    throws.next().map_or(Ok(()), |throw| OfPool(pool, throw).show(out))
}

fn in_parentheses<E>(
    inner: &Expression,
    throws: &mut Throws<'_>,
    out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    out(Piece::Text(Shown::Word("(")))?;
    show(inner, throws, out)?;
    out(Piece::Text(Shown::Word(")")))
}
