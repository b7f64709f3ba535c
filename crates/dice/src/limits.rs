//! What dice may cost at the most. Nothing is allocated, thrown or computed before the limit that stands here was asked.

/// Bytes a notation may have.
pub const MAX_TEXT: usize = 1_024;
/// How deep parentheses and signs may nest.
pub const MAX_DEPTH: usize = 32;
/// Rolls that may stand side by side.
pub const MAX_ROLLS: usize = 10;
/// How often a roll may be repeated.
pub const MAX_REPEATS: u32 = 100;
/// Dice a notation may throw, explosions and rerolls not counted.
pub const MAX_DICE: u64 = 1_000;
/// Draws a command may make in all, explosions and rerolls included.
pub const MAX_DRAWS: usize = 5_000;
/// Different faces a die of one's own making may have.
pub(crate) const MAX_FACES: usize = 100;
/// Characters of a label, and of a word on a die.
pub(crate) const MAX_LABEL: usize = 40;
/// What can be done to the same dice: each may mean sorting all of them.
pub(crate) const MAX_MODIFIERS: usize = 16;
/// How often rr rerolls at the most.
pub(crate) const MAX_REROLLS: u32 = 20;

/// Faces of a die whose odds are computed: they are looked at one by one.
pub const MAX_FACES_OF_ODDS: u32 = 100_000;
/// Whole results side by side that odds may span.
pub(crate) const WIDEST: i64 = 200_000;
/// Outcomes that are gone through one by one.
pub(crate) const MAX_OUTCOMES: usize = 100_000;
/// Dice that an estimate throws, about.
pub(crate) const MAX_ESTIMATED: usize = 300_000;
/// Dice of one throw where everything that can be thrown is played.
pub(crate) const MAX_PLAYED: usize = 1_000;
/// Dice that somebody's luck is reckoned of, the newest: more of them would cost more than [`LUCK`].
pub const MAX_LUCKY: usize = 7_000;

/// The work that one question about odds may be.
pub const ODDS: u64 = 100_000_000;
/// The work that goes into the luck of everybody at a table.
pub const LUCK: u64 = 40_000_000;

/// Work that may still be done, in steps that take a release build about a nanosecond each. What a computation is about to do
/// is paid first, so that no clock decides what is answered.
#[derive(Debug)]
pub struct Fuel(u64);

/// There is no fuel left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

impl Fuel {
    /// So many steps.
    pub fn new(steps: u64) -> Self {
        Fuel(steps)
    }

    /// Takes so many steps.
    ///
    /// # Errors
    /// There are not so many left; then none is taken.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.0 = self.0.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }

    /// Does something with half of what is left; what that leaves is there again.
    pub fn with_half<T>(&mut self, work: impl FnOnce(&mut Fuel) -> T) -> T {
        let mut half = Fuel(self.0 / 2);
        self.0 -= half.0;
        let done = work(&mut half);
        self.0 += half.0;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_gone_and_what_is_refused_is_not() {
        let mut fuel = Fuel::new(10);
        assert_eq!(fuel.with_half(|half| (half.spend(6), half.spend(3))), (Err(Spent), Ok(())));
        assert_eq!((fuel.spend(8), fuel.spend(7), fuel.spend(1)), (Err(Spent), Ok(()), Err(Spent)));
    }
}
