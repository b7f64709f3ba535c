//! Exact numbers: whole ones, and fractions from division.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Signed, Zero};
use std::fmt;

/// An exact number in an expression: a fraction with 64-bit parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(Ratio<i64>);

/// The largest exponent of a power.
const MAX_EXPONENT: i64 = 64;
/// The most decimal places; a number read with decimals is shown with them.
const MOST_DIGITS: u32 = 18;

impl From<i64> for Number {
    fn from(whole: i64) -> Self {
        Number(Ratio::from_integer(whole))
    }
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number(Ratio::new_raw(0, 1));

    /// `digits` with the last `behind` of them after the decimal point; `None` if that does not fit.
    pub fn decimal(digits: i64, behind: u32) -> Option<Self> {
        Some(Number(Ratio::new(digits, 10_i64.checked_pow(behind)?)))
    }

    /// Its whole value, if it is a whole number.
    pub fn whole(self) -> Option<i64> {
        self.0.is_integer().then(|| self.floor())
    }

    /// Rounded down.
    pub fn floor(self) -> i64 {
        let (above, below) = (*self.0.numer(), *self.0.denom());
        above.div_euclid(below)
    }

    /// Rounded up.
    pub fn ceil(self) -> i64 {
        let down = self.floor();
        if self.0.is_integer() { down } else { down.saturating_add(1) }
    }

    /// Rounded to the nearest whole number, halves away from zero.
    pub fn round(self) -> i64 {
        self.0.round().to_integer()
    }

    /// Its absolute value.
    pub fn abs(self) -> Option<Self> {
        (*self.0.numer() != i64::MIN).then(|| Number(self.0.abs()))
    }

    /// `-self`
    pub fn negative(self) -> Option<Self> {
        Number::ZERO.minus(self)
    }

    /// `self + other`
    pub fn plus(self, other: Self) -> Option<Self> {
        self.0.checked_add(&other.0).map(Number)
    }

    /// `self - other`
    pub fn minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(&other.0).map(Number)
    }

    /// `self * other`
    pub fn times(self, other: Self) -> Option<Self> {
        self.0.checked_mul(&other.0).map(Number)
    }

    /// `self / other`, exactly; `other` is not zero.
    pub fn over(self, other: Self) -> Option<Self> {
        // The library negates both if the lower one is negative.
        let fits = *self.0.numer() != i64::MIN && *other.0.numer() != i64::MIN;
        if fits { self.0.checked_div(&other.0).map(Number) } else { None }
    }

    /// The remainder of `self / other`, with the sign of `other`, which is not zero.
    pub fn modulo(self, other: Self) -> Option<Self> {
        self.minus(other.times(Number::from(self.over(other)?.floor()))?)
    }

    /// `self` to the power of a whole number from 0 to 64.
    pub fn power(self, exponent: Self) -> Option<Self> {
        let exponent = exponent.whole().filter(|exponent| (0..=MAX_EXPONENT).contains(exponent))?;
        (0..exponent).try_fold(Number::from(1), |power, _| power.times(self))
    }

    /// The nearest 64-bit float.
    pub fn approximate(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "that is what it says")]
        let quotient = *self.0.numer() as f64 / *self.0.denom() as f64;
        quotient
    }

    /// True if it is 0.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }
}

impl fmt::Display for Number {
    /// `7`, `3.5`, or `7/3` if no decimal is exact.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (above, below) = (*self.0.numer(), *self.0.denom());
        if below == 1 {
            return f.write_str(itoa::Buffer::new().format(above));
        }
        let Some(behind) = (1..=MOST_DIGITS).find(|digits| 10_i64.pow(*digits) % below == 0) else {
            return write!(f, "{above}/{below}");
        };
        f.write_str(if above < 0 { "-" } else { "" })?;
        let (above, below) = (above.unsigned_abs(), below.unsigned_abs());
        let rest = (above % below) * (10_u64.pow(behind) / below);
        write!(f, "{}.{rest:0behind$}", above / below, behind = behind as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> Number {
        Number::from(above).over(Number::from(below)).unwrap()
    }

    #[test]
    fn fractions_are_shown_as_decimals_where_they_can_be() {
        for (number, shown) in [
            (ratio(7, 1), "7"),
            (ratio(7, 2), "3.5"),
            (ratio(-1, 8), "-0.125"),
            (ratio(7, 3), "7/3"),
            (ratio(5, -4), "-1.25"),
            (Number::decimal(2_222_222_222_222_222_222, 12).unwrap(), "2222222.222222222222"),
            (Number(Ratio::new_raw(i64::MIN, 5)), "-1844674407370955161.6"),
        ] {
            assert_eq!(number.to_string(), shown);
        }
        assert_eq!(Number::decimal(105, 2).unwrap().to_string(), "1.05");
    }

    #[test]
    fn rounding_goes_where_it_says() {
        let of = |number: Number| (number.floor(), number.ceil(), number.round());
        assert_eq!(of(ratio(7, 2)), (3, 4, 4));
        assert_eq!(of(ratio(-7, 2)), (-4, -3, -4));
        assert_eq!(of(ratio(-7, 3)), (-3, -2, -2));
        assert_eq!(of(ratio(6, 3)), (2, 2, 2));
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        let (most, least) = (Number::from(i64::MAX), Number::from(i64::MIN));
        assert_eq!(most.plus(1.into()), None);
        assert_eq!(least.negative(), None);
        assert_eq!(least.abs(), None);
        assert_eq!(least.over(Number::from(-1)), None);
        assert_eq!(Number::from(10).power(19.into()), None);
        assert_eq!(Number::from(2).power(ratio(1, 2)), None);
        assert_eq!(Number::from(-7).modulo(3.into()), Some(2.into()));
        assert_eq!(Number::from(7).modulo(Number::from(-3)), Some(Number::from(-2)));
    }
}
