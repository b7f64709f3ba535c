//! A store as the trait promises it: a batch reported as written survives a crash, and one under way at the crash is
//! kept as a whole or not at all.

use super::{Fault, Medium, shown};
use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Memory, Store, StoreError};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// A medium of whole batches.
#[derive(Clone, Default)]
pub struct Whole {
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

impl Whole {
    /// An empty medium.
    pub fn new(log: Log) -> Self {
        Whole { state: Arc::default(), log }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics holding it")
    }
}

impl Medium for Whole {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(self.clone()))
    }

    fn fail(&self, fault: Fault, _: Luck) {
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

    // Written batches stay.
    fn crash(&self, _: Luck) {}
}

impl Store for Whole {
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
            // Nobody sees this error: the machine has stopped.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_batches_keep_the_contract_of_a_store() {
        let kept = Mutex::new(Whole::default());
        journal::store::conformance::suite(|fresh| {
            let mut kept = kept.lock().unwrap();
            if fresh {
                *kept = Whole::default();
            }
            kept.open().unwrap()
        });
    }

    #[test]
    fn a_write_under_way_at_a_crash_is_kept_or_lost_as_a_whole() {
        let mut kept = [false; 2];
        for seed in 0..20 {
            let medium = Whole::default();
            let mut batch = Batch::default();
            batch.put("a", "1");
            batch.put("b", "2");
            medium.stop_in_write(Luck::new(seed));
            assert!(medium.open().unwrap().commit(&batch).is_err() && medium.stopped() && !medium.stopped());
            assert!([0, 2].contains(&medium.contents().len()));
            kept[usize::from(medium.contents().is_empty())] = true;
        }
        assert_eq!(kept, [true; 2]);
    }
}
