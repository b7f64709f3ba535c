//! Secrets: the only place that makes randomness. Tests seed it.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Makes secrets: the seeds of tables and the salts of entries. Dice come from a table's seed, never from here.
#[derive(Debug)]
pub struct Entropy {
    lasting: ChaCha20Rng,
    /// A separate stream, so that the number of refused messages does not affect what entries get.
    passing: ChaCha20Rng,
}

impl Entropy {
    /// Seeds it from the operating system.
    pub fn from_system() -> Self {
        Entropy { lasting: rand::make_rng(), passing: rand::make_rng() }
    }

    /// Seeds it for a test that can be repeated byte for byte.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let (lasting, mut passing) = (ChaCha20Rng::from_seed(seed), ChaCha20Rng::from_seed(seed));
        passing.set_stream(1);
        Entropy { lasting, passing }
    }

    /// Returns 32 unguessable bytes, for a table or an entry.
    pub fn secret(&mut self) -> [u8; 32] {
        let mut bytes = [0; 32];
        self.lasting.fill_bytes(&mut bytes);
        bytes
    }

    /// Returns 8 unguessable bytes, for temporary records of a message.
    pub fn salt(&mut self) -> [u8; 8] {
        let mut bytes = [0; 8];
        self.passing.fill_bytes(&mut bytes);
        bytes
    }
}
