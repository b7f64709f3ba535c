//! Limits on the cost of dice. Nothing is allocated, rolled or computed before the limit here has been checked.

/// Most bytes of a notation.
pub const MAX_TEXT: usize = 1_024;
/// Deepest nesting of parentheses and signs.
pub const MAX_DEPTH: usize = 32;
/// Most rolls in one notation.
pub const MAX_ROLLS: usize = 10;
/// Most repeats of a roll.
pub const MAX_REPEATS: u32 = 100;
/// Most dice of a notation, not counting explosions and rerolls.
pub const MAX_DICE: u64 = 1_000;
/// Most draws of a command, explosions and rerolls included.
pub const MAX_DRAWS: usize = 5_000;
/// Most distinct faces of a custom die.
pub(crate) const MAX_FACES: usize = 100;
/// Most characters of a label, or of a word on a die.
pub(crate) const MAX_LABEL: usize = 40;
/// Most words on a face of a die, and most pairs of them that cancel each other.
pub(crate) const MAX_WORDS: usize = 10;
/// Most modifiers on the same dice; each may mean sorting all of them.
pub(crate) const MAX_MODIFIERS: usize = 16;
/// Most bonus or penalty dice of a d100.
pub(crate) const MAX_TENS: i64 = 3;
/// Most rerolls by one `rr`.
pub(crate) const MAX_REROLLS: u32 = 20;

/// Most faces of a die whose odds are computed; they are examined one by one.
pub const MAX_FACES_OF_ODDS: u32 = 100_000;
/// Widest range of whole results in odds.
pub(crate) const WIDEST: i64 = 200_000;
/// Most outcomes enumerated one by one.
pub(crate) const MAX_OUTCOMES: usize = 100_000;
/// Roughly the most dice an estimate rolls.
pub(crate) const MAX_ESTIMATED: usize = 300_000;
/// Most dice in one sequence when every possible sequence is played.
pub(crate) const MAX_PLAYED: usize = 1_000;
/// Most dice that count towards somebody's luck, the newest first: more would cost more than [`LUCK`].
pub const MAX_LUCKY: usize = 7_000;

/// Fuel for one question about odds.
pub const ODDS: u64 = 100_000_000;
/// Fuel for the luck of everybody at a table.
pub const LUCK: u64 = 40_000_000;

/// A budget of work, in steps of about a nanosecond in a release build. A computation pays before it works, so no clock
/// decides what is answered.
#[derive(Debug)]
pub struct Fuel(u64);

/// The fuel is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

impl Fuel {
    /// A budget of this many steps.
    pub fn new(steps: u64) -> Self {
        Fuel(steps)
    }

    /// Takes this many steps.
    ///
    /// # Errors
    /// Fewer are left; then none is taken.
    pub fn spend(&mut self, steps: u64) -> Result<(), Spent> {
        self.0 = self.0.checked_sub(steps).ok_or(Spent)?;
        Ok(())
    }

    /// Works with half of what is left; unused fuel is returned.
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
