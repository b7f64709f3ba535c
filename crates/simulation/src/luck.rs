//! Choices that follow from a seed (SplitMix64): the same seed makes the same choices on every machine.

/// A stream of choices.
#[derive(Clone, Debug)]
pub struct Luck(u64);

impl Luck {
    /// The choices of a seed.
    pub fn new(seed: u64) -> Self {
        Luck(seed)
    }

    /// Returns any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % end as u64) as usize
    }

    /// Returns true with this percentage of chance.
    pub fn percent(&mut self, chance: u32) -> bool {
        self.number() % 100 < u64::from(chance)
    }

    /// Picks one of these; there must be at least one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
