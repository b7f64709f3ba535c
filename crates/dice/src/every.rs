//! Every possible sequence of rolls, one after the other.

use crate::limits::MAX_PLAYED;
use crate::source::{Dice, DiceError};

/// Every possible sequence, like the pages of a book. Roll with it as [`Dice`], then [`turn`](Self::turn) to the next
/// one; the last die changes first.
///
/// ```
/// use dice::{Dice, Every};
///
/// let (mut every, mut sevens) = (Every::new(0.0), 0.0);
/// loop {
///     let total = every.throw(6).unwrap() + every.throw(6).unwrap();
///     sevens += if total == 7 { every.chance() } else { 0.0 };
///     if !every.turn() {
///         break;
///     }
/// }
/// assert!((sevens - 1.0 / 6.0).abs() < 1e-12);
/// ```
#[derive(Debug)]
pub struct Every {
    thrown: Vec<(u32, u32)>,
    at: usize,
    all: usize,
    rarest: f64,
    cut: bool,
}

impl Every {
    /// Every sequence, except that those less likely than `rarest` (0 to 1) are cut off at the die that makes them so.
    pub fn new(rarest: f64) -> Self {
        Every { thrown: Vec::new(), at: 0, all: 0, rarest, cut: false }
    }

    /// Goes to the next sequence. Returns true if there is one.
    pub fn turn(&mut self) -> bool {
        (self.at, self.cut) = (0, false);
        while let Some((sides, value)) = self.thrown.pop() {
            if value < sides {
                self.thrown.push((sides, value + 1));
                return true;
            }
        }
        false
    }

    /// The chance of this sequence, 0 to 1; if it was cut off, of all sequences that begin like it.
    pub fn chance(&self) -> f64 {
        self.thrown.iter().fold(1.0, |chance, (sides, _)| chance / f64::from(*sides))
    }

    /// The `n` for which the chance of this sequence is one in `n`; `None` on overflow.
    pub fn rarity(&self) -> Option<u128> {
        self.thrown.iter().try_fold(1_u128, |product, (sides, _)| product.checked_mul(u128::from(*sides)))
    }

    /// True if this sequence was cut off.
    pub fn is_cut(&self) -> bool {
        self.cut
    }

    /// The number of dice rolled in all sequences so far.
    pub fn dice(&self) -> usize {
        self.all
    }
}

impl Dice for Every {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        if sides == 0 {
            return Err(DiceError::NoSides);
        }
        self.all += 1;
        if self.at == self.thrown.len() {
            if self.at == MAX_PLAYED || (self.rarest > 0.0 && self.chance() / f64::from(sides) < self.rarest) {
                self.cut = true;
                return Err(DiceError::TooMany);
            }
            self.thrown.push((sides, 1));
        }
        let (_, value) = self.thrown[self.at];
        self.at += 1;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chance of each sum, and the total chance that was cut off.
    fn sums(rarest: f64, throw: impl Fn(&mut Every) -> Result<u32, DiceError>) -> (Vec<(u32, f64)>, f64) {
        let (mut every, mut found, mut left) = (Every::new(rarest), std::collections::BTreeMap::new(), 0.0);
        loop {
            match throw(&mut every) {
                Ok(sum) => *found.entry(sum).or_default() += every.chance(),
                Err(_) => left += every.chance(),
            }
            if !every.turn() {
                return (found.into_iter().collect(), left);
            }
        }
    }

    #[test]
    fn each_throw_comes_once() {
        let (found, left) = sums(0.0, |dice| Ok(dice.throw(2)? + dice.throw(3)?));
        assert!(left == 0.0 && found.len() == 4, "{found:?}");
        let expected = [(2, 1.0), (3, 2.0), (4, 2.0), (5, 1.0)];
        assert!(found.iter().zip(expected).all(|(f, (sum, of))| f.0 == sum && (f.1 - of / 6.0).abs() < 1e-12));
    }

    #[test]
    fn what_goes_on_for_ever_is_cut_off_where_it_is_rare() {
        let explode = |dice: &mut Every| {
            let mut sum = 0;
            loop {
                let die = dice.throw(4)?;
                sum += die;
                if die < 4 {
                    return Ok(sum);
                }
            }
        };
        let (found, left) = sums(1e-3, explode);
        let all: f64 = found.iter().map(|(_, chance)| chance).sum();
        assert!((all + left - 1.0).abs() < 1e-12 && left > 0.0 && left < 0.004, "{left}");
        assert!((found[0].1 - 0.25).abs() < 1e-12);
    }
}
