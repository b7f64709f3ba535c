//! The dice of a session: scripted for a line, or else fair if there is a seed, or else none.

use dice::fair::{FairDice, MessageKey};
use dice::{Dice, DiceError, Die, Scripted};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use table::DiceBox;

/// Dice that a session can script. Clones share them, so one can belong to a bot and another to the session.
#[derive(Clone, Default)]
pub struct SessionDice(Arc<Mutex<Stage>>);

#[derive(Default)]
struct Stage {
    script: Option<Scripted>,
    seed: Option<[u8; 32]>,
    /// The dice rolled for each command; an edit of its message gets the same.
    thrown: BTreeMap<MessageKey, Vec<Die>>,
    wrong: Option<String>,
}

impl SessionDice {
    /// From now on, lines without a script roll the fair dice of this seed.
    pub fn use_seed(&self, seed: [u8; 32]) {
        self.stage().seed = Some(seed);
    }

    /// Sets the script of the next line. Without a script or a seed, its dice cannot be rolled.
    pub fn script(&self, dice: Option<Vec<(u32, u32)>>) {
        self.stage().script = dice.map(Scripted::new);
    }

    /// Which dice each command has rolled.
    pub(crate) fn thrown(&self) -> BTreeMap<MessageKey, Vec<Die>> {
        self.stage().thrown.clone()
    }

    /// Forgets what was rolled since [`thrown`](Self::thrown) returned this.
    pub(crate) fn put_back(&self, thrown: &BTreeMap<MessageKey, Vec<Die>>) {
        self.stage().thrown.clone_from(thrown);
    }

    /// Ends the line. Returns what was wrong with its dice, if anything.
    pub fn finish(&self) -> Option<String> {
        let mut stage = self.stage();
        let left: Vec<_> = stage.script.take().iter().flat_map(Scripted::left).map(ToString::to_string).collect();
        let wrong = stage.wrong.take();
        wrong.or_else(|| (!left.is_empty()).then(|| format!("scripted and not thrown: {}", left.join(" "))))
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.0.lock().expect("nothing panics holding it")
    }
}

impl DiceBox for SessionDice {
    fn dice(&self, _: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let stage = self.stage();
        let fair = stage.seed.map(|seed| FairDice::new(&seed, key));
        let before = stage.thrown.get(key).cloned().unwrap_or_default().into_iter();
        Box::new(LineDice { dice: self.clone(), key: key.clone(), before, fair })
    }
}

struct LineDice {
    dice: SessionDice,
    key: MessageKey,
    /// The dice of the message's first version, if it was edited.
    before: std::vec::IntoIter<Die>,
    fair: Option<FairDice>,
}

impl Dice for LineDice {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        let mut stage = self.dice.stage();
        let before = self.before.next();
        let thrown = match (&mut stage.script, &mut self.fair, before) {
            (Some(script), ..) => script.throw(sides),
            (None, Some(fair), _) => fair.throw(sides),
            // Different dice than before: the edit will be refused, and that is not the session's fault.
            (None, None, Some(before)) => Ok(if before.sides == sides { before.value } else { 1 }),
            (None, None, None) => Err(DiceError::Script { asked: sides, listed: "no dice".to_owned() }),
        };
        match &thrown {
            Ok(value) if before.is_none() => {
                stage.thrown.entry(self.key.clone()).or_default().push(Die { sides, value: *value });
            }
            Ok(_) => {}
            Err(error) => drop(stage.wrong.get_or_insert(error.to_string())),
        }
        thrown
    }
}
