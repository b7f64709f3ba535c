//! Throwing an expression: every die with its fate, and what it comes to.

use crate::expression::{DiceTerm, End, Expression, Modifier, Operator};
use crate::notation::Notation;
use crate::source::{Dice, DiceError};
use std::fmt::{self, Display};

/// A thrown expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll<'a> {
    /// What was rolled.
    pub expression: &'a Expression,
    /// The dice of each dice term, in the order the terms stand in the expression.
    pub throws: Vec<Throw>,
    /// What it comes to.
    pub total: i64,
}

/// The dice of one dice term, in the order they were thrown, an exploding die's extra dice right behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Throw(pub Vec<ShownDie>);

/// A die on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownDie {
    /// What it counts (a Fudge die -1 to 1).
    pub value: i64,
    /// Whether it counts.
    pub fate: Fate,
    /// It exploded: the next die came of it.
    pub exploded: bool,
}

/// Whether a die counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is part of the total.
    Kept,
    /// `kh`, `kl`, `dh` or `dl` left it out.
    Dropped,
    /// It was thrown again; the next die stands for it.
    Rerolled,
}

/// Why a well-formed expression came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RollError {
    /// No more dice.
    #[error(transparent)]
    Dice(#[from] DiceError),
    /// A total beyond 64 bits.
    #[error("the numbers grow too large")]
    Overflow,
    /// `x / 0`
    #[error("that divides by zero")]
    DivisionByZero,
}

impl Notation {
    /// Throws the expression as often as it is to be repeated, dice from left to right.
    pub fn roll(&self, dice: &mut (impl Dice + ?Sized)) -> Result<Vec<Roll<'_>>, RollError> {
        (0..self.repeat.unwrap_or(1)).map(|_| self.expression.roll(dice)).collect()
    }
}

impl Expression {
    /// Throws the expression once, dice from left to right.
    pub fn roll(&self, dice: &mut (impl Dice + ?Sized)) -> Result<Roll<'_>, RollError> {
        let mut throws = Vec::new();
        let total = self.evaluate(dice, &mut throws)?;
        Ok(Roll { expression: self, throws, total })
    }

    fn evaluate(&self, dice: &mut (impl Dice + ?Sized), throws: &mut Vec<Throw>) -> Result<i64, RollError> {
        match self {
            Expression::Number(number) => Ok(*number),
            Expression::Negative(inner) => inner.evaluate(dice, throws)?.checked_neg().ok_or(RollError::Overflow),
            Expression::Parentheses(inner) => inner.evaluate(dice, throws),
            Expression::Dice(term) => {
                let throw = term.throw(dice)?;
                let total = throw.total();
                throws.push(throw);
                Ok(total)
            }
            Expression::Chain(first, rest) => {
                let first = first.evaluate(dice, throws)?;
                rest.iter().try_fold(first, |total, (operator, operand)| {
                    operator.apply(total, operand.evaluate(dice, throws)?)
                })
            }
        }
    }
}

impl Operator {
    fn apply(self, left: i64, right: i64) -> Result<i64, RollError> {
        let result = match self {
            Operator::Plus => left.checked_add(right),
            Operator::Minus => left.checked_sub(right),
            Operator::Times => left.checked_mul(right),
            Operator::Divide if right == 0 => return Err(RollError::DivisionByZero),
            Operator::Divide => left.checked_div(right).map(|quotient| {
                let rounded_up = left % right != 0 && (left < 0) != (right < 0);
                quotient - i64::from(rounded_up)
            }),
        };
        result.ok_or(RollError::Overflow)
    }
}

impl DiceTerm {
    fn throw(&self, dice: &mut (impl Dice + ?Sized)) -> Result<Throw, DiceError> {
        let mut throw = Throw(Vec::with_capacity(self.count as usize));
        for _ in 0..self.count {
            throw.0.push(self.one(dice)?);
        }
        for modifier in &self.modifiers {
            match *modifier {
                Modifier::Keep(end, n) => throw.drop_all_but(end, n as usize),
                Modifier::Drop(end, n) => throw.drop(end, n as usize),
                Modifier::Explode(condition) => {
                    let highest = self.faces.value(self.faces.sides());
                    let explodes = |value| condition.map_or(value == highest, |condition| condition.holds(value));
                    throw.extend_each(
                        || self.one(dice),
                        |die| {
                            die.exploded = explodes(die.value);
                            die.exploded
                        },
                    )?;
                }
                Modifier::Reroll(condition) => throw.extend_each(
                    || self.one(dice),
                    |die| {
                        let again = condition.holds(die.value);
                        if again {
                            die.fate = Fate::Rerolled;
                        }
                        again
                    },
                )?,
            }
        }
        Ok(throw)
    }

    fn one(&self, dice: &mut (impl Dice + ?Sized)) -> Result<ShownDie, DiceError> {
        let value = self.faces.value(dice.throw(self.faces.sides())?);
        Ok(ShownDie { value, fate: Fate::Kept, exploded: false })
    }
}

impl Throw {
    /// The sum of the kept dice.
    pub fn total(&self) -> i64 {
        self.kept().map(|die| die.value).sum()
    }

    /// The dice that count.
    pub fn kept(&self) -> impl Iterator<Item = &ShownDie> {
        self.0.iter().filter(|die| die.fate == Fate::Kept)
    }

    /// Goes through the dice still in; behind each that wants `another`, one is thrown, which is asked as well.
    fn extend_each(
        &mut self,
        mut one: impl FnMut() -> Result<ShownDie, DiceError>,
        mut another: impl FnMut(&mut ShownDie) -> bool,
    ) -> Result<(), DiceError> {
        if !self.0.iter().any(|die| die.fate == Fate::Kept && another(&mut die.clone())) {
            return Ok(());
        }
        for mut die in std::mem::take(&mut self.0) {
            let mut extended = die.fate == Fate::Kept && another(&mut die);
            self.0.push(die);
            while extended {
                let mut next = one()?;
                extended = another(&mut next);
                self.0.push(next);
            }
        }
        Ok(())
    }

    fn drop_all_but(&mut self, end: End, n: usize) {
        let out = self.kept().count().saturating_sub(n);
        self.drop(end.other(), out);
    }

    fn drop(&mut self, end: End, n: usize) {
        let mut order: Vec<usize> = (0..self.0.len()).filter(|&i| self.0[i].fate == Fate::Kept).collect();
        // Stable: among equals the later dice go first, so that what stays is what was thrown first.
        order.reverse();
        match end {
            End::Low => order.sort_by_key(|&i| self.0[i].value),
            End::High => order.sort_by_key(|&i| std::cmp::Reverse(self.0[i].value)),
        }
        for i in order.into_iter().take(n) {
            self.0[i].fate = Fate::Dropped;
        }
    }
}

impl End {
    fn other(self) -> End {
        match self {
            End::High => End::Low,
            End::Low => End::High,
        }
    }
}

/// A piece of a shown roll; all pieces in order read `4d6kh3 [5 (1) 4 4] + 2`.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    /// Notation, and what stands between dice.
    Text(&'a dyn Display),
    /// A die that counts.
    Kept(i64),
    /// A die that does not.
    Out(i64),
}

impl Display for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Piece::Text(text) => text.fmt(f),
            Piece::Kept(value) => value.fmt(f),
            Piece::Out(value) => write!(f, "({value})"),
        }
    }
}

impl Roll<'_> {
    /// Hands out the shown roll piece by piece: the canonical notation, each term's dice behind it.
    pub fn show<E>(&self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        show(self.expression, &mut self.throws.iter(), out)
    }

    /// The dice terms of the expression with what was thrown for each, from left to right.
    pub fn terms(&self) -> impl Iterator<Item = (&DiceTerm, &Throw)> {
        let mut terms = Vec::new();
        collect_terms(self.expression, &mut terms);
        terms.into_iter().zip(&self.throws)
    }
}

fn collect_terms<'a>(expression: &'a Expression, terms: &mut Vec<&'a DiceTerm>) {
    match expression {
        Expression::Number(_) => {}
        Expression::Dice(term) => terms.push(term),
        Expression::Negative(inner) | Expression::Parentheses(inner) => collect_terms(inner, terms),
        Expression::Chain(first, rest) => {
            collect_terms(first, terms);
            rest.iter().for_each(|(_, operand)| collect_terms(operand, terms));
        }
    }
}

impl Throw {
    /// Hands out the dice as `[6+2 (1) 4]`: an exploding die is joined to the one that came of it.
    pub fn show<E>(&self, out: &mut impl FnMut(Piece<'_>) -> Result<(), E>) -> Result<(), E> {
        out(Piece::Text(&"["))?;
        for (i, die) in self.0.iter().enumerate() {
            if i > 0 {
                out(Piece::Text(if self.0[i - 1].exploded { &"+" } else { &" " }))?;
            }
            out(match die.fate {
                Fate::Kept => Piece::Kept(die.value),
                Fate::Dropped | Fate::Rerolled => Piece::Out(die.value),
            })?;
        }
        out(Piece::Text(&"]"))
    }
}

impl Display for Roll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(&mut |piece| piece.fmt(f))
    }
}

impl Display for Throw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(&mut |piece| piece.fmt(f))
    }
}

fn show<E>(
    expression: &Expression,
    throws: &mut std::slice::Iter<'_, Throw>,
    out: &mut impl FnMut(Piece<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match expression {
        Expression::Number(number) => out(Piece::Text(number)),
        Expression::Dice(term) => {
            out(Piece::Text(term))?;
            out(Piece::Text(&" "))?;
            throws.next().map_or(Ok(()), |throw| throw.show(out))
        }
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
                out(Piece::Text(&" "))?;
                out(Piece::Text(operator))?;
                out(Piece::Text(&" "))?;
                show(operand, throws, out)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Scripted;

    fn rolled(text: &str, dice: &[(u32, u32)]) -> String {
        let notation: Notation = text.parse().unwrap();
        let mut script = Scripted::new(dice.iter().copied());
        let shown = notation.roll(&mut script).map_or_else(
            |error| error.to_string(),
            |rolls| rolls.iter().map(|roll| format!("{} = {roll}", roll.total)).collect::<Vec<_>>().join("; "),
        );
        assert_eq!(script.left().count(), 0, "dice left over for {text}");
        shown
    }

    #[test]
    fn keep_and_drop_take_from_their_end() {
        let dice = [(6, 3), (6, 1), (6, 6), (6, 3)];
        assert_eq!(rolled("4d6kh3", &dice), "12 = 4d6kh3 [3 (1) 6 3]");
        assert_eq!(rolled("4d6kl2", &dice), "4 = 4d6kl2 [3 1 (6) (3)]");
        assert_eq!(rolled("4d6dh1", &dice), "7 = 4d6dh1 [3 1 (6) 3]");
        assert_eq!(rolled("4d6dl2kh1", &dice), "6 = 4d6dl2kh1 [(3) (1) 6 (3)]");
        assert_eq!(rolled("4d6kh9", &dice), "13 = 4d6kh9 [3 1 6 3]");
        assert_eq!(rolled("4d6kh0", &dice), "0 = 4d6kh0 [(3) (1) (6) (3)]");
    }

    #[test]
    fn explosions_chain_and_rerolls_replace() {
        assert_eq!(rolled("2d6!", &[(6, 6), (6, 2), (6, 6), (6, 1)]), "15 = 2d6! [6+6+1 2]");
        assert_eq!(rolled("2d6!>=5kh1", &[(6, 5), (6, 2), (6, 3)]), "5 = 2d6!>=5kh1 [5+(3) (2)]");
        assert_eq!(rolled("2d6r1", &[(6, 1), (6, 4), (6, 1), (6, 3)]), "7 = 2d6r=1 [(1) (1) 3 4]");
    }

    #[test]
    fn terms_come_with_what_was_thrown_for_them() {
        let notation: Notation = "2d6kh1 + -(d4 + 1) * d8".parse().unwrap();
        let mut script = Scripted::new([(6, 1), (6, 2), (4, 3), (8, 4)]);
        let rolls = notation.roll(&mut script).unwrap();
        let terms: Vec<_> = rolls[0].terms().map(|(term, throw)| format!("{term} {throw}")).collect();
        assert_eq!(terms, ["2d6kh1 [(1) 2]", "1d4 [3]", "1d8 [4]"]);
    }

    #[test]
    fn arithmetic_is_checked_and_rounds_down() {
        assert_eq!(rolled("7/2", &[]), "3 = 7 / 2");
        assert_eq!(rolled("-7/2", &[]), "-4 = -7 / 2");
        assert_eq!(rolled("7/-2*2-1", &[]), "-9 = 7 / -2 * 2 - 1");
        assert_eq!(rolled("1/0", &[]), "that divides by zero");
        assert_eq!(rolled("9223372036854775807+1", &[]), "the numbers grow too large");
        assert_eq!(rolled("(-9223372036854775807-1)/-1", &[]), "the numbers grow too large");
        assert_eq!(rolled("2*(1d4+1)", &[(4, 3)]), "8 = 2 * (1d4 [3] + 1)");
    }

    #[test]
    fn odd_dice_and_repeats() {
        assert_eq!(rolled("4dF", &[(3, 1), (3, 2), (3, 3), (3, 3)]), "1 = 4dF [-1 0 1 1]");
        assert_eq!(rolled("d%", &[(100, 100)]), "100 = 1d% [100]");
        assert_eq!(rolled("0d6", &[]), "0 = 0d6 []");
        assert_eq!(rolled("2x d4", &[(4, 1), (4, 4)]), "1 = 1d4 [1]; 4 = 1d4 [4]");
    }

    #[test]
    fn an_explosion_that_would_not_end_stops_at_the_budget() {
        struct Sixes;
        impl Dice for Sixes {
            fn throw(&mut self, _: u32) -> Result<u32, DiceError> {
                Ok(6)
            }
        }
        let (mut sixes, notation) = (Sixes, "1d6!".parse::<Notation>().unwrap());
        let mut budget = crate::Budget::new(&mut sixes);
        assert_eq!(notation.roll(&mut budget), Err(RollError::Dice(DiceError::TooMany)));
    }
}
