//! What outlives a crash, and what can go wrong with it.
//!
//! [`Model`] is a store as the trait promises it: a batch that was reported as written is there after a crash, one that was
//! under way at the crash is there as a whole or not at all. A store that is to keep that promise itself over files goes in
//! behind [`Medium`], with faults of its own.

use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Memory, Store, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// What goes wrong with the next write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    #[default]
    None,
    /// It fails once, and nothing is written.
    Broken,
    /// It fails, and so does every later one until the medium is healed.
    Full,
    /// It is not known whether it was done, and it was.
    InDoubtDone,
    /// It is not known whether it was done, and it was not.
    InDoubtLost,
}

/// What outlives a crash.
pub trait Medium {
    /// The store over what there is.
    fn open(&self) -> Arc<dyn Store>;

    /// From now on writes go wrong like that.
    fn fail(&self, fault: Fault);

    /// Nothing goes wrong any more.
    fn heal(&self);

    /// The machine stops during the next write, which is then kept or lost.
    fn stop_in_write(&self, luck: Luck);

    /// Whether it stopped in a write, which is told once.
    fn stopped(&self) -> bool;

    /// Everything that is there now.
    fn contents(&self) -> BTreeMap<String, Vec<u8>>;
}

/// A medium of whole batches.
#[derive(Clone, Default)]
pub struct Model {
    state: Arc<Mutex<State>>,
    log: Log,
}

#[derive(Default)]
struct State {
    kept: Arc<Memory>,
    fault: Fault,
    stop: Option<Luck>,
    stopped: bool,
}

impl Model {
    /// An empty one.
    pub fn new(log: Log) -> Self {
        Model { state: Arc::default(), log }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics holding it")
    }
}

impl Medium for Model {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.clone())
    }

    fn fail(&self, fault: Fault) {
        self.state().fault = fault;
    }

    fn heal(&self) {
        let mut state = self.state();
        (state.fault, state.stop) = (Fault::None, None);
    }

    fn stop_in_write(&self, luck: Luck) {
        self.state().stop = Some(luck);
    }

    fn stopped(&self) -> bool {
        let mut state = self.state();
        state.stop = None;
        std::mem::take(&mut state.stopped)
    }

    fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        self.state().kept.dump()
    }
}

impl Store for Model {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.state().kept.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.state().kept.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut state = self.state();
        if let Some(mut luck) = state.stop.take() {
            state.stopped = true;
            let kept = luck.percent(50);
            self.log.note(format!("the machine stops in a write, kept: {kept}: {}", shown(batch)));
            if kept {
                state.kept.commit(batch)?;
            }
            // Nobody hears of it: the machine stands.
            return Err(StoreError::Unavailable("the machine stopped".to_owned()));
        }
        let fault = state.fault;
        self.log.note(format!("a write, {fault:?}: {}", shown(batch)));
        if fault != Fault::Full {
            state.fault = Fault::None;
        }
        let failed = |what: &str| Err(StoreError::Unavailable(what.to_owned()));
        let doubt = || Err(StoreError::InDoubt("the sync failed".to_owned()));
        match fault {
            Fault::None => state.kept.commit(batch),
            Fault::Broken => failed("input/output error"),
            Fault::Full => failed("no space left on device"),
            Fault::InDoubtDone => state.kept.commit(batch).and_then(|()| doubt()),
            Fault::InDoubtLost => doubt(),
        }
    }
}

/// The keys of a batch; those that it removes with a sign in front.
fn shown(batch: &Batch) -> String {
    let key = |(key, value): (&String, &Option<Vec<u8>>)| if value.is_some() { key.clone() } else { format!("-{key}") };
    batch.iter().map(key).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_keeps_the_contract_of_a_store() {
        let kept = Mutex::new(Model::default());
        journal::store::conformance::suite(|fresh| {
            let mut kept = kept.lock().unwrap();
            if fresh {
                *kept = Model::default();
            }
            kept.open()
        });
    }

    #[test]
    fn a_write_under_way_at_a_crash_is_kept_or_lost_as_a_whole() {
        let mut kept = [false; 2];
        for seed in 0..20 {
            let model = Model::default();
            let mut batch = Batch::default();
            batch.put("a", "1");
            batch.put("b", "2");
            model.stop_in_write(Luck::new(seed));
            assert!(model.open().commit(&batch).is_err() && model.stopped() && !model.stopped());
            assert!([0, 2].contains(&model.contents().len()));
            kept[usize::from(model.contents().is_empty())] = true;
        }
        assert_eq!(kept, [true; 2]);
    }
}
