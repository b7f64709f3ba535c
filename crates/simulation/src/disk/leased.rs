//! The store of one of two machines, which share a database: whoever holds its lease plays.

use super::cluster::{Blow, Cluster, PAIR, Reach, Standby};
use super::witness::{Heard, Witness};
use super::{Fault, Loss, Medium, shown};
use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Lease, Store, StoreError};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use store_postgres::{LeasedStore, Mark, Renewals, Taking};

/// A machine's store.
pub struct Leased {
    cluster: Cluster,
    machine: usize,
    witness: Witness,
    log: Log,
    /// What the machine has noted.
    noted: Arc<Mutex<Option<Mark>>>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// How often the bot was started.
    runs: u64,
    reach: Option<Arc<Reach>>,
    /// How many commits there were when the bot was last told that one is durable.
    told: u64,
    /// How many it made since others were lost, or since they began to be counted.
    since: u64,
    /// It stands by, or it plays.
    taking: Option<Taking<Reach>>,
    renewals: Option<Renewals<Reach>>,
    /// The machine stops in its next write.
    stops: bool,
}

impl Leased {
    /// The stores of the machines of a world.
    pub fn pair(log: &Log, mut luck: Luck, standby: Standby) -> [Self; PAIR] {
        let cluster = Cluster::new(log.clone(), Luck::new(luck.number()), standby);
        let witness = Witness::new(log.clone());
        [0, 1].map(|machine| Leased {
            cluster: cluster.clone(),
            machine,
            witness: witness.clone(),
            log: log.clone(),
            noted: Arc::default(),
            state: Arc::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics holding it")
    }
}

impl Medium for Leased {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        let mut state = self.state();
        if state.reach.is_none() {
            state.runs += 1;
            state.reach = Some(Reach::new(&self.cluster, self.machine, state.runs, &self.noted));
        }
        let reach = state.reach.clone().expect("it was just made");
        let taking = state.taking.get_or_insert_with(|| Taking::new(reach.clone()));
        let Some(held) = taking.look()? else {
            return Err(StoreError::Unavailable("it stands by".to_owned()));
        };
        state.taking = None;
        let opened = LeasedStore::by_hand(&reach, held).inspect_err(|_| {
            reach.dies();
            state.reach = None;
        });
        let (store, renewals) = opened?;
        state.renewals = Some(renewals);
        drop(state);
        if self.cluster.lost().is_none() {
            self.witness.opened(&store);
        }
        let (witness, log, cluster) = (self.witness.clone(), self.log.clone(), self.cluster.clone());
        let in_doubt = AtomicBool::new(false);
        Ok(Arc::new(Watched { store, state: self.state.clone(), reach, cluster, in_doubt, witness, log }))
    }

    fn fail(&self, fault: Fault, mut luck: Luck) {
        match fault {
            Fault::None => {}
            Fault::Full => self.cluster.fill(),
            Fault::Broken | Fault::InDoubtDone | Fault::InDoubtLost => {
                (0..1 + luck.below(3)).for_each(|_| self.cluster.stray(&mut luck));
            }
        }
    }

    fn befalls(&self, blow: Blow, mut luck: Luck) {
        self.cluster.befalls(blow, &mut luck);
    }

    fn heal(&self) {
        self.cluster.heal();
        self.state().stops = false;
    }

    fn stop_in_write(&self, _: Luck) {
        self.state().stops = true;
    }

    fn stopped(&self) -> bool {
        self.state().reach.as_ref().is_some_and(|reach| reach.is_dead())
    }

    fn crash(&self, _: Luck) {
        let mut state = self.state();
        if let Some(reach) = state.reach.take() {
            reach.dies();
        }
        (state.taking, state.renewals, state.stops) = (None, None, false);
    }

    fn let_go(&self) {
        if let Some(mut renewals) = self.state().renewals.take() {
            renewals.let_go();
        }
        self.crash(Luck::new(0));
    }

    fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        self.cluster.store().dump()
    }

    fn work(&self, mut luck: Luck) {
        match luck.percent(30) {
            true => self.cluster.arrive(&mut luck),
            false => self.renew(),
        }
    }

    fn renew(&self) {
        let mut state = self.state();
        if let Some(renewals) = &mut state.renewals
            && renewals.renew().is_none()
        {
            state.renewals = None;
        }
    }

    fn loss(&self) -> Option<Loss> {
        let left = self.cluster.lost()?;
        let state = self.state();
        let (knew, plays_on, keeps_out) = (state.told > left, state.since > 0, self.cluster.keeps_out());
        Some(Loss { knew, plays_on, keeps_out })
    }

    fn goes_on_without(&self) {
        self.cluster.goes_on_without();
    }

    fn counts_from_now(&self) {
        self.state().since = 0;
    }

    fn wrong(&self) -> Option<String> {
        self.witness.told()
    }

    fn now(&self) -> Option<Duration> {
        Some(self.cluster.now())
    }

    fn pass(&self, now: Duration) {
        self.cluster.pass(now);
    }
}

/// The store as the bot sees it.
struct Watched {
    store: LeasedStore<Reach>,
    reach: Arc<Reach>,
    state: Arc<Mutex<State>>,
    cluster: Cluster,
    /// True if it is not known whether the last commit was done.
    in_doubt: AtomicBool,
    witness: Witness,
    log: Log,
}

impl Watched {
    /// True if what is read must be what was written. Once another one may write, it need not be, and neither once the
    /// database has lost something.
    fn is_watched(&self) -> bool {
        self.lease() == Lease::Held && self.cluster.lost().is_none()
    }
}

impl Store for Watched {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.store.read(key)?;
        if self.is_watched() {
            self.witness.read(key, value.as_ref());
        }
        Ok(value)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let found = self.store.scan(prefix, after, limit)?;
        if self.is_watched() {
            self.witness.scanned(prefix, after, limit, &found);
        }
        Ok(found)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return self.store.commit(batch);
        }
        if self.in_doubt.load(Ordering::Relaxed) {
            // Whoever reads has asked what became of it.
            self.store.read("")?;
            if self.cluster.lost().is_none() {
                self.witness.opened(&self.cluster.store());
            }
            self.in_doubt.store(false, Ordering::Relaxed);
        }
        if std::mem::take(&mut self.state.lock().expect("nothing panics holding it").stops) {
            self.reach.dies_in_next();
        }
        let result = self.store.commit(batch);
        let heard = if self.reach.is_dead() { Heard::No } else { Heard::Yes };
        self.in_doubt.store(matches!(result, Err(StoreError::InDoubt(_))), Ordering::Relaxed);
        self.witness.committed(batch, &result, heard);
        if result.is_ok() {
            let mut state = self.state.lock().expect("nothing panics holding it");
            match self.cluster.lost() {
                Some(_) => state.since += 1,
                None => state.told = self.cluster.commits(),
            }
        }
        self.log.note(format!("a write, {result:?}: {}", shown(batch)));
        result
    }

    fn lease(&self) -> Lease {
        self.store.lease()
    }
}
