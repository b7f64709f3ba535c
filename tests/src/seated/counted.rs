//! Dice that count how often they are rolled.

use dice::fair::MessageKey;
use dice::{Dice, DiceError};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use table::{DiceBox, FairBox};

/// Fair dice that count rolls.
#[derive(Clone, Default)]
pub struct Counted(Arc<AtomicUsize>);

impl Counted {
    /// The number of rolls since the last call.
    pub fn taken(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl DiceBox for Counted {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        Box::new(CountedDice(FairBox.dice(seed, key), self.0.clone()))
    }
}

struct CountedDice(Box<dyn Dice + Send>, Arc<AtomicUsize>);

impl Dice for CountedDice {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.throw(sides)
    }
}
