//! Secrets: the one place that makes randomness. Tests seed it.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Makes secrets: the seeds of tables and the salts of entries. Dice come from a table's seed, never from here.
#[derive(Debug)]
pub struct Entropy {
    lasting: ChaCha20Rng,
    /// A stream of its own: how many messages were refused changes nothing about what entries are given.
    passing: ChaCha20Rng,
}

impl Entropy {
    /// Seeded by the operating system.
    pub fn from_system() -> Self {
        Entropy { lasting: rand::make_rng(), passing: rand::make_rng() }
    }

    /// Seeded for a test, so that it can be repeated to the byte.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let (lasting, mut passing) = (ChaCha20Rng::from_seed(seed), ChaCha20Rng::from_seed(seed));
        passing.set_stream(1);
        Entropy { lasting, passing }
    }

    /// 32 bytes that nobody can guess, for a table or an entry.
    pub fn secret(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.lasting.fill_bytes(&mut bytes);
        bytes
    }

    /// 8 bytes that nobody can guess, for what is kept of a message for a while.
    pub fn salt(&mut self) -> [u8; 8] {
        let mut bytes = [0; 8];
        self.passing.fill_bytes(&mut bytes);
        bytes
    }
}
