//! The odds of an expression: how likely each result is.
//!
//! Exact if the dice are finite and few enough, with whole-number weights of any size. Dice that may explode for ever
//! are cut off where at most a billionth of a billionth is left, and the result says so. Larger expressions can be
//! estimated by rolling.

mod brute;
mod exploding;
mod pool;
mod select;
mod spread;
mod weight;

use crate::expression::{Comparison, Count, Explosion, Expression, Function, Modifier, Operator, Pool, Source};
use crate::limits::{Fuel, MAX_DICE, MAX_ESTIMATED, MAX_FACES_OF_ODDS, ODDS, Spent};
use crate::source::{Budget, Dice};
use crate::{Number, Repeated, RollError, Together};
use num_bigint::BigUint;
use spread::Spread;
use std::collections::BTreeMap;
use weight::Weight;

/// The chance of each result of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Odds {
    /// The results from the lowest to the highest, each with its chance, 0 to 1.
    pub outcomes: Vec<(Number, f64)>,
    /// How certain the chances are.
    pub certainty: Certainty,
}

/// How certain odds are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Certainty {
    /// Computed in whole numbers.
    Exact,
    /// Computed with rounded numbers; extremely rare results may be missing.
    Rounded,
    /// Computed for a roll that may go on for ever; no chance is off by more than this.
    Within(f64),
    /// Estimated from this many rolls.
    Estimated(u32),
}

/// Why there are no odds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OddsError {
    /// It would take too much work.
    #[error("that has too many outcomes to compute them")]
    TooLarge,
    /// A die has more faces than are examined one by one.
    #[error("a die of {0} faces is too large to compute its odds, {MAX_FACES_OF_ODDS} faces are the most")]
    TooManyFaces(u32),
    /// It cannot even be rolled.
    #[error(transparent)]
    Roll(#[from] RollError),
}

/// Why a computation stops.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// This method cannot do it; another may.
    Unable,
    /// It takes too much work.
    TooLarge,
    /// A die has this many faces.
    TooManyFaces(u32),
    /// The roll fails.
    Roll(RollError),
}

impl From<RollError> for Stop {
    fn from(error: RollError) -> Self {
        Stop::Roll(error)
    }
}

impl From<Spent> for Stop {
    fn from(_: Spent) -> Self {
        Stop::TooLarge
    }
}

/// Steps to roll a part of an expression, or a die of a pool.
const A_PART: u64 = 40;
/// Steps to look at a result, or to sort it in among others.
const SORTED_IN: u64 = 100;
/// The error that rounding may cause.
const ROUNDED: f64 = 1e-12;

impl Repeated {
    /// The odds of a single roll, or of the sum of all if the notation asks for it.
    ///
    /// # Errors
    /// Too many outcomes, or a roll that fails, for example by dividing by zero.
    pub fn odds(&self) -> Result<Odds, OddsError> {
        self.odds_within(&mut Fuel::new(ODDS))
    }

    /// The same for a question that asks for several odds, using what is left of its fuel.
    ///
    /// # Errors
    /// As [`odds`](Self::odds).
    pub fn odds_within(&self, fuel: &mut Fuel) -> Result<Odds, OddsError> {
        if let Some(first) = self.cancels.first() {
            return self.left_of(first).odds_within(fuel);
        }
        let endless = self.expression.may_go_on();
        if !endless {
            // Too much work with whole numbers may be little with rounded ones.
            match fuel.with_half(|fuel| self.exactly(fuel)) {
                Ok(spread) => return Ok(Odds::of(&spread, Certainty::Exact)),
                Err(Stop::Roll(error)) => return Err(error.into()),
                Err(Stop::TooManyFaces(faces)) => return Err(OddsError::TooManyFaces(faces)),
                Err(Stop::Unable | Stop::TooLarge) => {}
            }
        }
        let mut rounded = Computation::<f64>::new(fuel);
        match rounded.repeated(&self.expression, self.added()) {
            Ok(spread) if endless => Ok(Odds::of(&spread, Certainty::Within(rounded.off + ROUNDED))),
            Ok(spread) => Ok(Odds::of(&spread, Certainty::Rounded)),
            Err(Stop::Roll(error)) => Err(error.into()),
            Err(Stop::TooManyFaces(faces)) => Err(OddsError::TooManyFaces(faces)),
            Err(Stop::Unable | Stop::TooLarge) => Err(OddsError::TooLarge),
        }
    }

    fn exactly(&self, fuel: &mut Fuel) -> Result<Spread<BigUint>, Stop> {
        match Computation::<BigUint>::new(fuel).repeated(&self.expression, self.added()) {
            Err(Stop::Unable) if self.added() == 1 => brute::outcomes(&self.expression, fuel),
            computed => computed,
        }
    }

    /// The number of rolls added up.
    fn added(&self) -> u32 {
        if self.together == Some(Together::Sum) { self.times.unwrap_or(1) } else { 1 }
    }

    /// Estimates the odds from this many rolls, each with its own budget; from fewer, if they take very many dice.
    ///
    /// # Errors
    /// A roll fails.
    pub fn estimate(&self, dice: &mut dyn Dice, rolls: u32) -> Result<Odds, RollError> {
        self.estimate_within(dice, rolls, &mut Fuel::new(ODDS))
    }

    /// The same for a question that asks for several odds, using half of what is left of its fuel.
    ///
    /// # Errors
    /// As [`estimate`](Self::estimate).
    pub fn estimate_within(&self, dice: &mut dyn Dice, rolls: u32, fuel: &mut Fuel) -> Result<Odds, RollError> {
        match self.cancels.first() {
            Some(first) => self.left_of(first).estimate_within(dice, rolls, fuel),
            None => fuel.with_half(|fuel| self.rolled(dice, rolls, fuel)),
        }
    }

    fn rolled(&self, dice: &mut dyn Dice, rolls: u32, fuel: &mut Fuel) -> Result<Odds, RollError> {
        let times = self.added();
        let each = self.expression.steps().saturating_mul(u64::from(times));
        let mut counts: BTreeMap<Number, u32> = BTreeMap::new();
        let (mut thrown, mut done) = (0, 0);
        // Roll at least once.
        while done == 0 || (done < rolls && thrown < MAX_ESTIMATED && fuel.spend(each).is_ok()) {
            let mut budget = Budget::new(dice);
            let mut sum = Number::ZERO;
            for _ in 0..times {
                sum = sum.plus(self.expression.roll(&mut budget)?.value).ok_or(RollError::Overflow)?;
            }
            *counts.entry(sum).or_default() += 1;
            thrown += budget.into_thrown().len();
            done += 1;
        }
        let outcomes = counts.into_iter().map(|(value, count)| (value, f64::from(count) / f64::from(done))).collect();
        Ok(Odds { outcomes, certainty: Certainty::Estimated(done) })
    }
}

impl Odds {
    fn of<W: Weight>(spread: &Spread<W>, certainty: Certainty) -> Self {
        let total = spread.total();
        let outcomes = spread.iter().map(|(value, weight)| (value, weight.share(&total)));
        Odds { outcomes: outcomes.collect(), certainty }
    }

    /// The same odds with each result rounded down, as totals are.
    #[must_use]
    pub fn rounded_down(&self) -> Self {
        let mut outcomes: Vec<(Number, f64)> = Vec::with_capacity(self.outcomes.len());
        for (value, chance) in &self.outcomes {
            let value = Number::from(value.floor());
            match outcomes.last_mut() {
                Some((last, sum)) if *last == value => *sum += chance,
                _ => outcomes.push((value, *chance)),
            }
        }
        Odds { outcomes, certainty: self.certainty }
    }

    /// The mean of all results.
    pub fn mean(&self) -> f64 {
        self.outcomes.iter().map(|(value, chance)| value.approximate() * chance).sum()
    }

    /// The standard deviation.
    pub fn deviation(&self) -> f64 {
        let mean = self.mean();
        let square = |value: &Number| (value.approximate() - mean).powi(2);
        self.outcomes.iter().map(|(value, chance)| square(value) * chance).sum::<f64>().sqrt()
    }

    /// The lowest and the highest result; for a roll that may go on for ever, the highest examined.
    pub fn ends(&self) -> (Number, Number) {
        let end = |outcome: Option<&(Number, f64)>| outcome.map_or(Number::ZERO, |(value, _)| *value);
        (end(self.outcomes.first()), end(self.outcomes.last()))
    }

    /// The likeliest result; of several, the lowest.
    pub fn likeliest(&self) -> Number {
        let likelier =
            |best: (Number, f64), each: &(Number, f64)| if each.1 > best.1 * (1.0 + ROUNDED) { *each } else { best };
        self.outcomes.iter().fold((Number::ZERO, 0.0), likelier).0
    }

    /// The chance that a comparison with a number holds, 0 to 1.
    pub fn chance(&self, comparison: Comparison, with: Number) -> f64 {
        let holds = |(value, _): &&(Number, f64)| comparison.holds(*value, with);
        self.outcomes.iter().filter(holds).fold(0.0, |sum, (_, chance)| sum + chance).clamp(0.0, 1.0)
    }

    /// The chances, each 0 to 1, that this result is higher than the other's, and that they are equal.
    pub fn against(&self, other: &Odds) -> (f64, f64) {
        let (mut higher, mut same, mut below, mut next) = (0.0, 0.0, 0.0, 0);
        for (value, chance) in &self.outcomes {
            while let Some((_, each)) = other.outcomes.get(next).filter(|(theirs, _)| theirs < value) {
                below += each;
                next += 1;
            }
            higher += chance * below;
            same +=
                other.outcomes.get(next).filter(|(theirs, _)| theirs == value).map_or(0.0, |(_, each)| chance * each);
        }
        (higher, same)
    }
}

impl Expression {
    /// True if it rolls until something comes up, so the number of dice is unlimited.
    fn may_go_on(&self) -> bool {
        let several = |all: &[Expression]| all.iter().any(Expression::may_go_on);
        match self {
            Expression::Number(_) => false,
            Expression::Pool(pool) => pool.may_go_on(),
            Expression::Negative(inner) | Expression::Parentheses(inner) | Expression::Labelled(inner, _) => {
                inner.may_go_on()
            }
            Expression::Chain(first, rest) => first.may_go_on() || rest.iter().any(|(_, each)| each.may_go_on()),
            Expression::Power(left, right) | Expression::Compared(left, _, right) => {
                left.may_go_on() || right.may_go_on()
            }
            Expression::ComparedWithEach(left, _, pool) => left.may_go_on() || pool.may_go_on(),
            Expression::Function(_, arguments) => several(arguments),
        }
    }

    /// Roughly the steps to roll it once: its parts, and its dice with everything done to them.
    fn steps(&self) -> u64 {
        let several = |all: &[Expression]| all.iter().map(Expression::steps).sum::<u64>();
        A_PART
            + match self {
                Expression::Number(_) => 0,
                Expression::Pool(pool) => pool.steps(),
                Expression::Negative(inner) | Expression::Parentheses(inner) | Expression::Labelled(inner, _) => {
                    inner.steps()
                }
                Expression::Chain(first, rest) => {
                    first.steps() + rest.iter().map(|(_, each)| each.steps()).sum::<u64>()
                }
                Expression::Power(left, right) | Expression::Compared(left, _, right) => left.steps() + right.steps(),
                Expression::ComparedWithEach(left, _, pool) => left.steps() + pool.steps(),
                Expression::Function(_, arguments) => several(arguments),
            }
    }
}

impl Pool {
    fn steps(&self) -> u64 {
        let parts: u64 = match &self.source {
            Source::Dice(..) => self.parts().map(Expression::steps).sum(),
            Source::Group(members) => members.iter().map(Expression::steps).sum(),
        };
        // A rolled count is not known in advance.
        let dice = match &self.source {
            Source::Dice(Count::Number(count), _) => u64::from(*count),
            Source::Dice(Count::Computed(_), _) => MAX_DICE,
            Source::Group(members) => members.len() as u64,
        };
        parts + dice.saturating_mul(A_PART).saturating_mul(1 + self.modifiers.len() as u64)
    }

    fn may_go_on(&self) -> bool {
        let members = match &self.source {
            Source::Dice(..) => self.parts().any(Expression::may_go_on),
            Source::Group(members) => members.iter().any(Expression::may_go_on),
        };
        members
            || self.modifiers.iter().any(|modifier| {
                use Explosion::{Compound, Each, Penetrate};
                matches!(modifier, Modifier::Explode(Each | Compound | Penetrate, _))
            })
    }
}

/// A computation with one kind of weights.
struct Computation<'f, W> {
    fuel: &'f mut Fuel,
    /// The total that was cut off.
    off: f64,
    kind: std::marker::PhantomData<W>,
}

impl<'f, W: Weight> Computation<'f, W> {
    fn new(fuel: &'f mut Fuel) -> Self {
        Computation { fuel, off: 0.0, kind: std::marker::PhantomData }
    }

    /// Pays for this many sums and products of whole-number weights, whichever kind is in use.
    fn spend_whole(&mut self, steps: usize) -> Result<(), Stop> {
        Ok(self.fuel.spend((steps as u64).saturating_mul(BigUint::COST))?)
    }

    /// Pays for this many sums and products of weights.
    fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        Ok(self.fuel.spend((steps as u64).saturating_mul(W::COST))?)
    }

    /// Pays for looking at this many results, or sorting them in.
    fn look_at(&mut self, results: usize) -> Result<(), Stop> {
        Ok(self.fuel.spend((results as u64).saturating_mul(SORTED_IN))?)
    }

    fn repeated(&mut self, expression: &Expression, times: u32) -> Result<Spread<W>, Stop> {
        let once = self.expression(expression)?;
        if times == 1 {
            return Ok(once);
        }
        let mut sum = once.clone();
        for _ in 1..times {
            sum = self.sum(&sum, &once)?;
        }
        Ok(sum)
    }

    fn expression(&mut self, expression: &Expression) -> Result<Spread<W>, Stop> {
        match expression {
            Expression::Number(number) => Ok(Spread::certain(*number)),
            Expression::Parentheses(inner) | Expression::Labelled(inner, _) => self.expression(inner),
            Expression::Negative(inner) => {
                let inner = self.expression(inner)?;
                self.look_at(inner.len())?;
                inner.map(|value| value.negative().ok_or(RollError::Overflow.into()))
            }
            Expression::Pool(pool) => self.pool(pool),
            Expression::Chain(first, rest) => {
                let first = self.expression(first)?;
                rest.iter().try_fold(first, |total, (operator, operand)| {
                    let operand = self.expression(operand)?;
                    match operator {
                        Operator::Plus => self.sum(&total, &operand),
                        operator => self.combine(&total, &operand, |left, right| operator.apply(left, right)),
                    }
                })
            }
            Expression::Power(base, exponent) => {
                let (base, exponent) = (self.expression(base)?, self.expression(exponent)?);
                self.combine(&base, &exponent, |base, exponent| base.to_the(exponent))
            }
            Expression::Function(function, arguments) => {
                let arguments = arguments.iter().map(|each| self.expression(each)).collect::<Result<Vec<_>, _>>()?;
                let of = |arguments: &[Number]| function.of(arguments).ok_or(RollError::Overflow);
                match arguments.as_slice() {
                    [only] => {
                        self.look_at(only.len())?;
                        only.clone().map(|value| of(&[value]).map_err(Stop::from))
                    }
                    [first, rest @ ..] => rest.iter().try_fold(first.clone(), |all, each| {
                        debug_assert!(matches!(function, Function::Min | Function::Max | Function::Sum));
                        self.combine(&all, each, |left, right| of(&[left, right]))
                    }),
                    [] => Err(Stop::Unable),
                }
            }
            Expression::Compared(left, comparison, right) => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                self.combine(&left, &right, |left, right| Ok(i64::from(comparison.holds(left, right)).into()))
            }
            Expression::ComparedWithEach(left, comparison, pool) => {
                let left = self.expression(left)?;
                self.met(&left, *comparison, pool)
            }
        }
    }

    /// Combines two results.
    fn combine(
        &mut self,
        left: &Spread<W>,
        right: &Spread<W>,
        with: impl Fn(Number, Number) -> Result<Number, RollError>,
    ) -> Result<Spread<W>, Stop> {
        self.look_at(left.len().saturating_mul(right.len()).saturating_mul(2))?;
        let mut combined = Spread::default();
        for (one, weight) in left.iter() {
            for (other, chance) in right.iter() {
                combined.add(with(one, other)?, weight.times(chance));
            }
        }
        Ok(combined)
    }

    /// Adds two results, which is quick if they are whole.
    fn sum(&mut self, left: &Spread<W>, right: &Spread<W>) -> Result<Spread<W>, Stop> {
        self.look_at(left.len().saturating_add(right.len()))?;
        match (left.line(), right.line()) {
            (Some(left), Some(right)) => {
                let sum = self.product(&left, &right)?;
                self.look_at(sum.weights.len())?;
                Ok(sum.into_spread())
            }
            _ => self.combine(left, right, |left, right| left.plus(right).ok_or(RollError::Overflow)),
        }
    }
}
