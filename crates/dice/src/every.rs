//! Every possible sequence of rolls, one after the other. Of a pool, whose order means nothing, every set of dice comes once,
//! with the chance of all its orders together.

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
    thrown: Vec<Thrown>,
    at: usize,
    all: usize,
    rarest: f64,
    cut: bool,
}

/// A die of the sequence.
#[derive(Clone, Copy, Debug)]
struct Thrown {
    sides: u32,
    value: u32,
    /// Its number in its pool, from 1, and how many dice up to it show the same. The dice of a pool do not fall.
    number: u32,
    same: u32,
}

impl Thrown {
    fn alone(sides: u32) -> Self {
        Thrown { sides, value: 1, number: 1, same: 1 }
    }

    /// The next die of the same pool, which shows no less.
    fn next(self) -> Self {
        Thrown { number: self.number + 1, same: self.same + 1, ..self }
    }

    /// Its part of the chance: that it shows this, times in how many more orders the pool can fall with it.
    fn chance(self) -> f64 {
        f64::from(self.number) / f64::from(self.same) / f64::from(self.sides)
    }
}

impl Every {
    /// Every sequence, except that those less likely than `rarest` (0 to 1) are cut off at the die that makes them so.
    pub fn new(rarest: f64) -> Self {
        Every { thrown: Vec::new(), at: 0, all: 0, rarest, cut: false }
    }

    /// Goes to the next sequence. Returns true if there is one.
    pub fn turn(&mut self) -> bool {
        (self.at, self.cut) = (0, false);
        while let Some(last) = self.thrown.pop() {
            if last.value < last.sides {
                self.thrown.push(Thrown { value: last.value + 1, same: 1, ..last });
                return true;
            }
        }
        false
    }

    /// The chance of this sequence, 0 to 1; if it was cut off, of all sequences that begin like it.
    pub fn chance(&self) -> f64 {
        self.thrown.iter().fold(1.0, |chance, thrown| chance * thrown.chance())
    }

    /// The `n` for which the chance of this sequence is one in `n`; `None` on overflow, or if a pool is in it.
    pub fn rarity(&self) -> Option<u128> {
        let single = |thrown: &&Thrown| thrown.number == 1;
        let mut all = self.thrown.iter().map(|thrown| single(&thrown).then_some(u128::from(thrown.sides)));
        all.try_fold(1_u128, |product, sides| product.checked_mul(sides?))
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
            self.unless_cut(1, sides)?;
            self.thrown.push(Thrown::alone(sides));
        }
        Ok(self.next())
    }

    fn throw_pool(&mut self, count: usize, sides: u32) -> Result<Vec<u32>, DiceError> {
        if sides == 0 {
            return Err(DiceError::NoSides);
        }
        self.all += count;
        let begun = self.thrown.len() - self.at;
        if begun == 0 && count > 0 {
            // What is cut off is cut off in front of the pool: within it, no chance is that of all that begins alike.
            self.unless_cut(count, sides)?;
        }
        for at in begun.min(count)..count {
            let next = if at == 0 { Thrown::alone(sides) } else { self.thrown[self.at + at - 1].next() };
            self.thrown.push(next);
        }
        Ok((0..count).map(|_| self.next()).collect())
    }
}

impl Every {
    /// The next die of this sequence.
    fn next(&mut self) -> u32 {
        let value = self.thrown[self.at].value;
        self.at += 1;
        value
    }

    /// Cuts the sequence off if it would be too long, or too rare with one more die of so many sides.
    fn unless_cut(&mut self, count: usize, sides: u32) -> Result<(), DiceError> {
        if self.at + count > MAX_PLAYED || (self.rarest > 0.0 && self.chance() / f64::from(sides) < self.rarest) {
            self.cut = true;
            return Err(DiceError::TooMany);
        }
        Ok(())
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
    fn of_a_pool_every_set_comes_once_with_the_chance_of_all_its_orders() {
        // Two pools, with a die between them that says how large the second is.
        let throw = |dice: &mut Every| {
            let first = dice.throw_pool(4, 6)?;
            let die = dice.throw(3)?;
            let second = dice.throw_pool(die as usize, 4)?;
            Ok(first.into_iter().max().unwrap_or(0) * 100 + second.into_iter().sum::<u32>())
        };
        let one_by_one = |dice: &mut Every| {
            let mut first = Vec::new();
            for _ in 0..4 {
                first.push(dice.throw(6)?);
            }
            let die = dice.throw(3)?;
            let mut sum = 0;
            for _ in 0..die {
                sum += dice.throw(4)?;
            }
            Ok(first.into_iter().max().unwrap_or(0) * 100 + sum)
        };
        let ((found, left), (expected, _)) = (sums(0.0, throw), sums(0.0, one_by_one));
        assert!(left == 0.0 && found.len() == expected.len());
        for ((sum, chance), (same, of)) in found.into_iter().zip(expected) {
            assert!(sum == same && (chance - of).abs() < 1e-12, "{sum}: {chance}, and not {of}");
        }
        let mut every = Every::new(0.0);
        let mut sets = 0;
        loop {
            every.throw_pool(6, 6).expect("few dice");
            sets += 1;
            if !every.turn() {
                break;
            }
        }
        assert_eq!(sets, 462);
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
