//! The fair dice, watched: which fell for which message since the bot began, and messages that the bot does not survive.

use dice::fair::MessageKey;
use dice::{Dice, DiceError, Die};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use table::{DiceBox, FairBox};

/// In front of the ids of messages at whose first die the bot dies.
pub const DEADLY: &str = "deadly";

/// What fell in one run of the bot.
#[derive(Clone, Default)]
pub struct Fallen(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// The longest list for each key.
    fell: BTreeMap<MessageKey, Vec<Die>>,
    dies: bool,
}

/// One command's dice.
struct Watched {
    dice: Box<dyn Dice + Send>,
    key: MessageKey,
    thrown: Vec<Die>,
    fallen: Fallen,
}

impl Fallen {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("nothing panics holding it")
    }

    /// What fell, by key.
    pub fn all(&self) -> BTreeMap<MessageKey, Vec<Die>> {
        self.inner().fell.clone()
    }

    /// Whether the bot dies of what it plays.
    pub fn is_deadly(&self) -> bool {
        self.inner().dies
    }
}

impl DiceBox for Fallen {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let (dice, fallen) = (FairBox.dice(seed, key), self.clone());
        Box::new(Watched { dice, key: key.clone(), thrown: Vec::new(), fallen })
    }
}

impl Dice for Watched {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        let value = self.dice.throw(sides)?;
        self.thrown.push(Die { sides, value });
        let mut inner = self.fallen.inner();
        inner.dies |= self.key.id.starts_with(DEADLY);
        let known = inner.fell.entry(self.key.clone()).or_default();
        if known.len() < self.thrown.len() {
            known.clone_from(&self.thrown);
        }
        Ok(value)
    }
}
