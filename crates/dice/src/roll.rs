//! Rolls an expression: every die with its fate, and the result.

pub(crate) mod pool;
mod show;

pub use show::{OfPool, Piece, Shown};

use crate::Number;
use crate::expression::{Comparison, Count, Expression, Function, Mark, Operator, Pool, Source};
use crate::limits::MAX_DICE;
use crate::notation::{Notation, Repeated, Together};
use crate::source::{Dice, DiceError};
use crate::symbols::Cancel;

/// A roll with all its repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rolls<'a> {
    /// The notation that was rolled.
    pub repeated: &'a Repeated,
    /// The results, in the order to be shown.
    pub rolls: Vec<Roll<'a>>,
}

/// A rolled expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll<'a> {
    /// What was rolled.
    pub expression: &'a Expression,
    /// The members of each pool, in the order they were rolled.
    pub throws: Vec<Throw>,
    /// The exact result.
    pub value: Number,
    /// The results of the labelled parts, by label, in order.
    pub labels: Vec<(&'a str, Number)>,
    /// The outcome of the comparison, if it is one.
    pub verdict: Option<Verdict>,
    /// What was compared with each of several dice, if that was asked.
    pub compared: Option<Number>,
    /// The words on its dice that cancel each other.
    pub cancels: &'a [Cancel],
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The left-hand side.
    pub value: Number,
    /// The comparison.
    pub comparison: Comparison,
    /// The right-hand side.
    pub against: Number,
    /// True if it holds.
    pub success: bool,
    /// By how much: negative if it does not hold. `None` for comparisons without a direction.
    pub margin: Option<Number>,
}

/// The members of a pool, in the order they were rolled; an exploding die's extra dice follow it directly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Throw {
    /// The dice, or results.
    pub dice: Vec<ShownDie>,
    /// The counts, if the result is not the sum.
    pub tally: Option<Tally>,
}

/// A die on the table, or a result in a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShownDie {
    /// Its value (a Fudge die: -1 to 1).
    pub value: i64,
    /// The face it shows, from 1; 0 for a result.
    pub face: u32,
    /// Whether it counts.
    pub fate: Fate,
    /// True if it exploded: the next die came from it.
    pub exploded: bool,
    /// What it counts for if members are counted.
    pub score: i32,
    /// How it is marked.
    pub mark: Option<Mark>,
}

/// Whether a die counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It is part of the result.
    Kept,
    /// It was left out.
    Dropped,
    /// It was rerolled; the next die replaces it.
    Rerolled,
}

/// The counts of a pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The pool's result: successes minus failures, matches, sets.
    pub value: i64,
    /// Members that succeed.
    pub successes: i64,
    /// Members that fail.
    pub failures: i64,
    /// Members that botch.
    pub botches: i64,
}

impl Tally {
    /// True if nothing succeeded and something botched.
    pub fn is_botch(&self) -> bool {
        self.botches > 0 && self.successes == 0
    }
}

/// Why a well-formed expression has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RollError {
    /// No more dice.
    #[error(transparent)]
    Dice(#[from] DiceError),
    /// A number beyond 64 bits.
    #[error("the numbers grow too large")]
    Overflow,
    /// `x / 0`
    #[error("that divides by zero")]
    DivisionByZero,
    /// `2 ** -1`
    #[error("a power goes from 0 to 64, in whole numbers")]
    Exponent,
    /// More dice than a command may roll.
    #[error("that is more than {MAX_DICE} dice")]
    TooManyDice,
}

impl Notation {
    /// Makes all rolls, dice from left to right.
    pub fn roll(&self, dice: &mut (impl Dice + ?Sized)) -> Result<Vec<Rolls<'_>>, RollError> {
        let mut left = MAX_DICE;
        let once = |repeated| {
            let Repeated { times, expression, together, cancels }: &Repeated = repeated;
            let mut rolls = Vec::with_capacity(times.unwrap_or(1) as usize);
            for _ in 0..times.unwrap_or(1) {
                let (roll, rest) = expression.roll_with(dice, left)?;
                left = rest;
                rolls.push(Roll { cancels, ..roll }.cancelled());
            }
            if *together == Some(Together::Sort) {
                rolls.sort_by_key(|roll| std::cmp::Reverse(roll.value));
            }
            Ok(Rolls { repeated, rolls })
        };
        self.rolls.iter().map(once).collect()
    }
}

impl Expression {
    /// Rolls the expression once, dice from left to right.
    pub fn roll(&self, dice: &mut (impl Dice + ?Sized)) -> Result<Roll<'_>, RollError> {
        self.roll_with(dice, MAX_DICE).map(|(roll, _)| roll)
    }

    /// The same with at most `left` dice. Also returns how many are left.
    fn roll_with(&self, dice: &mut (impl Dice + ?Sized), left: u64) -> Result<(Roll<'_>, u64), RollError> {
        let mut thrower = Thrower { dice, left, throws: Vec::new(), labels: Vec::new() };
        let (value, verdict, compared) = match self {
            Expression::Compared(left, comparison, right) => {
                let (left, right) = (thrower.evaluate(left)?, thrower.evaluate(right)?);
                let verdict = Verdict::of(left, *comparison, right);
                (Number::from(i64::from(verdict.success)), Some(verdict), None)
            }
            Expression::ComparedWithEach(left, comparison, pool) => {
                let left = thrower.evaluate(left)?;
                (thrower.met(left, *comparison, pool)?, None, Some(left))
            }
            other => (thrower.evaluate(other)?, None, None),
        };
        let Thrower { throws, labels, left, .. } = thrower;
        let mut by_label: Vec<(&str, Number)> = Vec::new();
        for (label, value) in labels {
            match by_label.iter_mut().find(|(known, _)| *known == label) {
                Some((_, sum)) => *sum = sum.plus(value).ok_or(RollError::Overflow)?,
                None => by_label.push((label, value)),
            }
        }
        let roll = Roll { expression: self, throws, value, labels: by_label, verdict, compared, cancels: &[] };
        Ok((roll, left))
    }
}

impl Roll<'_> {
    /// The result, rounded down.
    pub fn total(&self) -> i64 {
        self.value.floor()
    }

    /// The pools of the expression with their dice, in the order they were rolled.
    pub fn terms(&self) -> impl Iterator<Item = (&Pool, &Throw)> {
        let mut pools = Vec::new();
        collect_pools(self.expression, &mut pools);
        pools.into_iter().zip(&self.throws)
    }
}

impl Verdict {
    fn of(left: Number, comparison: Comparison, right: Number) -> Self {
        let margin = match comparison {
            Comparison::AtLeast | Comparison::Greater => left.minus(right),
            Comparison::AtMost | Comparison::Less => right.minus(left),
            Comparison::Equal | Comparison::Unequal => None,
        };
        Verdict { value: left, comparison, against: right, success: comparison.holds(left, right), margin }
    }
}

impl Throw {
    /// Its result: the count, or the sum of the kept dice; `None` on overflow.
    pub fn checked_total(&self) -> Option<i64> {
        match self.tally {
            Some(tally) => Some(tally.value),
            None => self.kept().try_fold(0_i64, |sum, die| sum.checked_add(die.value)),
        }
    }

    /// The dice that count.
    pub fn kept(&self) -> impl Iterator<Item = &ShownDie> {
        self.dice.iter().filter(|die| die.fate == Fate::Kept)
    }
}

/// Rolls an expression.
struct Thrower<'d, 'e, D: ?Sized> {
    dice: &'d mut D,
    /// Dice that may still be rolled, not counting explosions and rerolls.
    left: u64,
    throws: Vec<Throw>,
    /// The results of the labelled parts, with the products and quotients around them applied.
    labels: Vec<(&'e str, Number)>,
}

impl<'e, D: Dice + ?Sized> Thrower<'_, 'e, D> {
    fn evaluate(&mut self, expression: &'e Expression) -> Result<Number, RollError> {
        match expression {
            Expression::Number(number) => Ok(*number),
            Expression::Parentheses(inner) => self.evaluate(inner),
            Expression::Pool(pool) => {
                let throw = self.throw(pool)?;
                let total = throw.checked_total().ok_or(RollError::Overflow)?;
                self.throws.push(throw);
                Ok(Number::from(total))
            }
            Expression::Negative(inner) => {
                let from = self.labels.len();
                let value = self.evaluate(inner)?;
                self.change_labels(from, Number::negative)?;
                value.negative().ok_or(RollError::Overflow)
            }
            Expression::Chain(first, rest) => {
                let from = self.labels.len();
                let mut total = self.evaluate(first)?;
                for (operator, operand) in rest {
                    total = self.operate(from, total, *operator, operand)?;
                }
                Ok(total)
            }
            Expression::Power(base, exponent) => {
                let labels = self.labels.len();
                let base = self.evaluate(base)?;
                let exponent = self.evaluate(exponent)?;
                self.labels.truncate(labels);
                base.to_the(exponent)
            }
            Expression::Function(function, arguments) => {
                let labels = self.labels.len();
                let arguments = arguments.iter().map(|each| self.evaluate(each)).collect::<Result<Vec<_>, _>>()?;
                if *function != Function::Sum {
                    // Parts of something rounded or left out do not add up.
                    self.labels.truncate(labels);
                }
                function.of(&arguments).ok_or(RollError::Overflow)
            }
            Expression::Labelled(inner, label) => {
                let value = self.evaluate(inner)?;
                self.labels.push((label, value));
                Ok(value)
            }
            Expression::Compared(left, comparison, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                Ok(Number::from(i64::from(comparison.holds(left, right))))
            }
            Expression::ComparedWithEach(left, comparison, pool) => {
                let left = self.evaluate(left)?;
                self.met(left, *comparison, pool)
            }
        }
    }

    /// With how many dice of a pool the comparison holds.
    fn met(&mut self, left: Number, comparison: Comparison, pool: &'e Pool) -> Result<Number, RollError> {
        let throw = self.throw(pool)?;
        let met = throw.kept().filter(|die| comparison.holds(left, die.value.into())).count();
        self.throws.push(throw);
        Ok(Number::from(i64::try_from(met).unwrap_or(i64::MAX)))
    }

    /// `total operator operand`, where the labels of `total` begin at index `from`.
    fn operate(
        &mut self,
        from: usize,
        total: Number,
        operator: Operator,
        operand: &'e Expression,
    ) -> Result<Number, RollError> {
        let middle = self.labels.len();
        let operand = self.evaluate(operand)?;
        let result = operator.apply(total, operand)?;
        match operator {
            Operator::Plus => {}
            Operator::Modulo | Operator::DivideDown => self.labels.truncate(from),
            Operator::Minus => self.change_labels(middle, Number::negative)?,
            Operator::Times => {
                let own = self.labels.split_off(middle);
                self.change_labels(from, |value| value.times(operand))?;
                self.labels.extend(own);
                self.change_labels(middle, |value| value.times(total))?;
            }
            Operator::Divide => {
                self.labels.truncate(middle);
                self.change_labels(from, |value| value.over(operand))?;
            }
        }
        Ok(result)
    }

    /// Changes the labels from index `from` on.
    fn change_labels(&mut self, from: usize, change: impl Fn(Number) -> Option<Number>) -> Result<(), RollError> {
        self.labels[from..].iter_mut().try_for_each(|(_, value)| {
            *value = change(*value).ok_or(RollError::Overflow)?;
            Ok(())
        })
    }
}

impl Operator {
    /// `left operator right`
    pub(crate) fn apply(self, left: Number, right: Number) -> Result<Number, RollError> {
        let divides = matches!(self, Operator::Divide | Operator::DivideDown | Operator::Modulo);
        if divides && right.is_zero() {
            return Err(RollError::DivisionByZero);
        }
        let result = match self {
            Operator::Plus => left.plus(right),
            Operator::Minus => left.minus(right),
            Operator::Times => left.times(right),
            Operator::Divide => left.over(right),
            Operator::DivideDown => left.over(right).map(|quotient| quotient.floor().into()),
            Operator::Modulo => left.modulo(right),
        };
        result.ok_or(RollError::Overflow)
    }
}

impl Number {
    /// `self ** exponent`
    pub(crate) fn to_the(self, exponent: Number) -> Result<Number, RollError> {
        if exponent.whole().is_none_or(|exponent| !(0..=64).contains(&exponent)) {
            return Err(RollError::Exponent);
        }
        self.power(exponent).ok_or(RollError::Overflow)
    }
}

impl Function {
    /// Its value for these arguments, at least one; `None` on overflow.
    pub(crate) fn of(self, arguments: &[Number]) -> Option<Number> {
        let first = *arguments.first()?;
        Some(match self {
            Function::Floor => first.floor().into(),
            Function::Ceil => first.ceil().into(),
            Function::Round => first.round().into(),
            Function::Abs => first.abs()?,
            Function::Min => *arguments.iter().min()?,
            Function::Max => *arguments.iter().max()?,
            Function::Sum => arguments.iter().try_fold(Number::ZERO, |sum, each| sum.plus(*each))?,
        })
    }
}

impl Expression {
    /// True if it contains dice.
    pub fn throws(&self) -> bool {
        let mut pools = Vec::new();
        collect_pools(self, &mut pools);
        !pools.is_empty()
    }
}

impl Expression {
    /// How many dice it throws before any explodes or is rerolled; `None` if other dice decide how many.
    pub fn dice(&self) -> Option<u64> {
        let mut pools = Vec::new();
        collect_pools(self, &mut pools);
        let counts = pools.iter().map(|pool| match &pool.source {
            Source::Dice(Count::Number(count), _) => Some(u64::from(*count)),
            Source::Dice(Count::Computed(_), _) => None,
            Source::Group(_) => Some(0),
        });
        counts.sum()
    }
}

/// Collects the pools in the order they are rolled.
fn collect_pools<'a>(expression: &'a Expression, pools: &mut Vec<&'a Pool>) {
    match expression {
        Expression::Number(_) => {}
        Expression::Pool(pool) => {
            pool.parts().for_each(|part| collect_pools(part, pools));
            pools.push(pool);
        }
        Expression::Negative(inner) | Expression::Parentheses(inner) | Expression::Labelled(inner, _) => {
            collect_pools(inner, pools);
        }
        Expression::Chain(first, rest) => {
            collect_pools(first, pools);
            rest.iter().for_each(|(_, operand)| collect_pools(operand, pools));
        }
        Expression::Power(left, right) | Expression::Compared(left, _, right) => {
            collect_pools(left, pools);
            collect_pools(right, pools);
        }
        Expression::ComparedWithEach(left, _, pool) => {
            collect_pools(left, pools);
            pool.parts().for_each(|part| collect_pools(part, pools));
            pools.push(pool);
        }
        Expression::Function(_, arguments) => arguments.iter().for_each(|each| collect_pools(each, pools)),
    }
}
