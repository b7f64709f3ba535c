//! The fair dice, observed: what each message rolled since the bot began, and messages that kill the bot.

use dice::fair::MessageKey;
use dice::{Dice, DiceError, Die};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use table::{DiceBox, FairBox};

/// The prefix of ids of messages whose first die kills the bot.
pub const DEADLY: &str = "deadly";

/// The dice rolled in one run of the bot.
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

    /// The dice rolled, by key.
    pub fn all(&self) -> BTreeMap<MessageKey, Vec<Die>> {
        self.inner().fell.clone()
    }

    /// True if the current message kills the bot.
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
