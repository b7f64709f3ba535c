//! Secrets: the one place that makes randomness. Tests seed it.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Makes secrets: the seeds of tables and the salts of entries. Dice come from a table's seed, never from here.
#[derive(Debug)]
pub struct Entropy(ChaCha20Rng);

impl Entropy {
    /// Seeded by the operating system.
    pub fn from_system() -> Self {
        Entropy(rand::make_rng())
    }

    /// Seeded for a test, so that it can be repeated to the byte.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Entropy(ChaCha20Rng::from_seed(seed))
    }

    /// 32 bytes that nobody can guess.
    pub fn secret(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.0.fill_bytes(&mut bytes);
        bytes
    }
}
