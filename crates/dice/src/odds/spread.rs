//! Results with their weights: any numbers ([`Spread`]), or consecutive whole ones ([`Run`]).

use super::{Computation, Stop, Weight};
use crate::Number;
use crate::limits::WIDEST;
use std::collections::BTreeMap;

/// Steps per position of a sliding window with short weights, and the extra for each piece of a long weight.
const SLID: u64 = 40;
const LONG: u64 = 10;

/// Results, each with its weight.
#[derive(Clone, Debug)]
pub(super) struct Spread<W>(BTreeMap<Number, W>);

impl<W> Default for Spread<W> {
    fn default() -> Self {
        Spread(BTreeMap::new())
    }
}

impl<W: Weight> Spread<W> {
    pub fn certain(value: Number) -> Self {
        Spread(BTreeMap::from([(value, W::one())]))
    }

    pub fn add(&mut self, value: Number, weight: W) {
        if !weight.is_zero() {
            self.0.entry(value).or_insert_with(W::zero).add(&weight);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Number, &W)> {
        self.0.iter().map(|(value, weight)| (*value, weight))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn total(&self) -> W {
        let mut total = W::zero();
        self.0.values().for_each(|weight| total.add(weight));
        total
    }

    /// Replaces each result by another.
    pub fn map(self, change: impl Fn(Number) -> Result<Number, Stop>) -> Result<Self, Stop> {
        let mut changed = Spread::default();
        for (value, weight) in self.0 {
            changed.add(change(value)?, weight);
        }
        Ok(changed)
    }

    /// Converts to a run, if all results are whole and close enough together.
    pub fn line(&self) -> Option<Run<W>> {
        let values: Option<Vec<_>> =
            self.0.iter().map(|(value, weight)| Some((value.whole()?, weight.clone()))).collect();
        Run::of(values?).ok()
    }
}

/// Consecutive whole results: the weights from the lowest up.
#[derive(Clone, Debug)]
pub(super) struct Run<W> {
    pub low: i64,
    pub weights: Vec<W>,
}

impl<W: Weight> Run<W> {
    pub fn certain(value: i64) -> Self {
        Run { low: value, weights: vec![W::one()] }
    }

    /// Makes a run of these results, in any order.
    pub fn of(values: impl IntoIterator<Item = (i64, W)>) -> Result<Self, Stop> {
        let values: Vec<_> = values.into_iter().filter(|(_, weight)| !weight.is_zero()).collect();
        let low = values.iter().map(|(value, _)| *value).min().unwrap_or_default();
        let high = values.iter().map(|(value, _)| *value).max().unwrap_or_default();
        let span = high.checked_sub(low).filter(|span| *span < WIDEST).ok_or(Stop::TooLarge)?;
        let mut weights = vec![W::zero(); usize::try_from(span).unwrap_or_default() + 1];
        for (value, weight) in values {
            weights[usize::try_from(value - low).unwrap_or_default()].add(&weight);
        }
        Ok(Run { low, weights })
    }

    pub fn iter(&self) -> impl Iterator<Item = (i64, &W)> {
        // An open range would look one number too far.
        self.weights.iter().enumerate().map(|(n, weight)| (self.low + n as i64, weight))
    }

    pub fn into_spread(self) -> Spread<W> {
        let mut spread = Spread::default();
        for (value, weight) in self.iter() {
            spread.add(value.into(), weight.clone());
        }
        spread
    }

    /// Multiplies all weights.
    pub fn scaled(mut self, by: &W) -> Self {
        self.weights.iter_mut().for_each(|weight| *weight = weight.times(by));
        self
    }

    /// The common weight, if all results are equally likely.
    fn all_the_same(&self) -> Option<W> {
        let first = self.weights.first()?;
        self.weights.iter().all(|weight| weight == first).then(|| first.clone())
    }
}

impl<W: Weight> Computation<'_, W> {
    /// The sum of two independent results.
    pub fn product(&mut self, left: &Run<W>, right: &Run<W>) -> Result<Run<W>, Stop> {
        let low = left.low.checked_add(right.low).ok_or(Stop::TooLarge)?;
        let width = left.weights.len() + right.weights.len() - 1;
        if width as i64 > WIDEST {
            return Err(Stop::TooLarge);
        }
        let (short, long) = if left.weights.len() <= right.weights.len() { (left, right) } else { (right, left) };
        if W::EXACT
            && let Some(each) = short.all_the_same()
        {
            return self.slide(long, short.weights.len(), &each, low);
        }
        let length = |run: &Run<W>| run.weights.iter().map(Weight::length).max().unwrap_or(1);
        let dear = length(left).saturating_mul(length(right));
        self.spend((left.weights.len() * right.weights.len()).saturating_mul(dear))?;
        let mut weights = vec![W::zero(); width];
        for (i, one) in short.weights.iter().enumerate().filter(|(_, weight)| !weight.is_zero()) {
            for (sum, other) in weights[i..].iter_mut().zip(&long.weights) {
                sum.add(&one.times(other));
            }
        }
        Ok(Run { low, weights })
    }

    /// The product with `width` consecutive numbers that are equally likely, by a sliding window.
    fn slide(&mut self, run: &Run<W>, width: usize, each: &W, low: i64) -> Result<Run<W>, Stop> {
        let length = run.weights.len() + width - 1;
        // Each weight is added, subtracted and stored.
        let pieces = run.weights.iter().map(Weight::length).max().unwrap_or(1) as u64;
        self.fuel.spend((length as u64 + 1).saturating_mul(SLID + pieces * LONG))?;
        let mut window = W::zero();
        let mut weights = Vec::with_capacity(length);
        let plain = *each == W::one();
        for i in 0..length {
            if let Some(next) = run.weights.get(i) {
                window.add(next);
            }
            if let Some(last) = i.checked_sub(width).and_then(|i| run.weights.get(i)) {
                window.take(last);
            }
            weights.push(if plain { window.clone() } else { window.times(each) });
        }
        Ok(Run { low, weights })
    }

    /// The sum of this many independent results.
    pub fn power(&mut self, run: &Run<W>, times: u32) -> Result<Run<W>, Stop> {
        if W::EXACT && run.all_the_same().is_some() {
            return (0..times).try_fold(Run::certain(0), |sum, _| self.product(&sum, run));
        }
        let (mut power, mut square, mut left) = (Run::certain(0), run.clone(), times);
        while left > 0 {
            if left % 2 == 1 {
                power = self.product(&power, &square)?;
            }
            left /= 2;
            if left > 0 {
                square = self.product(&square, &square)?;
            }
        }
        Ok(power)
    }
}
