//! Probabilities to calculate with: whole numbers of any size, or rounded ones.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

/// Bits of a total used to compute a share of it; more do not fit into a float.
const BITS: u64 = 960;

/// A weight: a number of outcomes out of all.
pub(super) trait Weight: Clone + PartialEq {
    /// Steps for a sum and a product of two short weights.
    const COST: u64;
    /// True if nothing is rounded, so what was added can be subtracted again.
    const EXACT: bool;

    fn zero() -> Self;
    /// One of `sides` faces, `often` of which show the same.
    fn face(often: u32, sides: u32) -> Self;
    /// The weight of all faces of a die together.
    fn die(sides: u32) -> Self;
    /// A number of ways.
    fn ways(ways: &BigUint) -> Self;
    fn is_zero(&self) -> bool;
    fn add(&mut self, other: &Self);
    fn take(&mut self, other: &Self);
    fn times(&self, other: &Self) -> Self;
    /// Its share of `total`, 0 to 1.
    fn share(&self, total: &Self) -> f64;
    /// How many times the cost of a short weight it has.
    fn length(&self) -> usize;
    /// A share of all, if weights are rounded.
    fn rounded(share: f64) -> Option<Self>;

    fn one() -> Self {
        Self::ways(&BigUint::from(1_u32))
    }
}

impl Weight for BigUint {
    const COST: u64 = 150;
    const EXACT: bool = true;

    fn zero() -> Self {
        <BigUint as Zero>::zero()
    }

    fn face(often: u32, _: u32) -> Self {
        often.into()
    }

    fn die(sides: u32) -> Self {
        sides.into()
    }

    fn ways(ways: &BigUint) -> Self {
        ways.clone()
    }

    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn take(&mut self, other: &Self) {
        *self -= other;
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn share(&self, total: &Self) -> f64 {
        let beyond = total.bits().saturating_sub(BITS);
        let rounded = |weight: &BigUint| (weight >> beyond).to_f64().unwrap_or(f64::MAX);
        rounded(self) / rounded(total)
    }

    fn length(&self) -> usize {
        1 + usize::try_from(self.bits() / 512).unwrap_or(usize::MAX)
    }

    fn rounded(_: f64) -> Option<Self> {
        None
    }
}

impl Weight for f64 {
    const COST: u64 = 2;
    const EXACT: bool = false;

    fn zero() -> Self {
        0.0
    }

    fn face(often: u32, sides: u32) -> Self {
        f64::from(often) / f64::from(sides)
    }

    fn die(_: u32) -> Self {
        1.0
    }

    fn ways(ways: &BigUint) -> Self {
        ways.to_f64().unwrap_or(f64::MAX)
    }

    fn is_zero(&self) -> bool {
        *self == 0.0
    }

    fn add(&mut self, other: &Self) {
        *self += other;
    }

    fn take(&mut self, other: &Self) {
        *self -= other;
    }

    fn times(&self, other: &Self) -> Self {
        self * other
    }

    fn share(&self, total: &Self) -> f64 {
        self / total
    }

    fn length(&self) -> usize {
        1
    }

    fn rounded(share: f64) -> Option<Self> {
        Some(share)
    }
}
