//! The log in front of a database, on a disk of bytes: tests its promises down to the sectors torn by a power cut.

use super::database::{Database, Opened};
use super::witness::{Heard, Witness};
use super::{Fault, Medium, shown};
use crate::log::Log;
use crate::luck::Luck;
use journal::store::{Batch, Store, StoreError, scan_all};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use store_log::model::{self, Model};
use store_log::{Keep, Sizes};

type Front = store_log::Logged<Opened>;

/// A medium made of bytes.
pub struct Logged {
    disk: Model,
    database: Database,
    sizes: Sizes,
    keep: Keep,
    witness: Witness,
    log: Log,
    state: Mutex<State>,
}

struct State {
    luck: Luck,
    /// The store opened by the bot.
    front: Weak<Front>,
    /// A flipped bit that may not have been noticed yet.
    flipped: Option<(String, u64)>,
    /// True if the power went since the log was opened last: what its end looks like means nothing.
    torn: bool,
}

/// The store as the bot sees it.
struct Watched {
    front: Arc<Front>,
    disk: Model,
    witness: Witness,
    log: Log,
    /// Scans are split into pages of this many records.
    part: usize,
}

impl Logged {
    /// An empty medium, with sizes small enough for much to happen in a run.
    pub fn new(log: Log, mut luck: Luck) -> Self {
        let least = *luck.pick(&[6 << 10, 12 << 10, 32 << 10]);
        let sizes = Sizes {
            least,
            most: least * luck.pick(&[1, 4]),
            keys: *luck.pick(&[10, 40, 400]),
            bytes: *luck.pick(&[4 << 10, 64 << 10]),
            aside: *luck.pick(&[1, 64]),
        };
        let keep = *luck.pick(&[Keep::Aside, Keep::Nothing]);
        let disk = Model::new(chance(Luck::new(luck.number())));
        let database = Database::new(Luck::new(luck.number()));
        let state = Mutex::new(State { luck, front: Weak::new(), flipped: None, torn: false });
        Logged { disk, database, sizes, keep, witness: Witness::new(log.clone()), log, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics holding it")
    }

    fn front(&self, disk: &Model, database: &Database) -> Result<Front, StoreError> {
        let engine = database.open(disk.clone());
        let made = store_log::Logged::open_sized(Arc::new(disk.clone()), engine, self.keep, self.sizes, || [7; 16]);
        made.map(store_log::Logged::by_hand)
    }

    /// Reads everything in pages of this size and checks each.
    fn read_all(&self, store: &dyn Store, page: usize) {
        let mut after: Option<String> = None;
        while let Ok(found) = store.scan("", after.as_deref(), page) {
            self.witness.scanned("", after.as_deref(), page, &found);
            after = found.last().map(|(key, _)| key.clone());
            if found.len() < page {
                return;
            }
        }
    }

    /// Flips a bit that a start needs.
    fn flip(&self, luck: &mut Luck) {
        let mut names = self.disk.names();
        names.retain(|name| name.ends_with(".log"));
        if names.is_empty() || self.state().flipped.is_some() || self.state().torn {
            return;
        }
        let name = luck.pick(&names).clone();
        let bit = luck.below((self.sizes.least as usize) * 8) as u64;
        if self.disk.flip(&name, bit) {
            self.log.note(format!("bit {bit} of {name} is flipped"));
            self.state().flipped = Some((name, bit));
        }
    }

    /// Repairs damage.
    fn mend(&self) {
        if let Some((name, bit)) = self.state().flipped.take() {
            self.disk.flip(&name, bit);
            self.log.note("the flipped bit is mended");
        }
    }
}

/// Adapts the luck for the disk.
fn chance(mut luck: Luck) -> model::Chance {
    Box::new(move |below| luck.number() % below)
}

impl Medium for Logged {
    fn open(&self) -> Result<Arc<dyn Store>, StoreError> {
        let disk = self.disk.next_process();
        let mut front = self.front(&disk, &self.database);
        if matches!(front, Err(StoreError::Damaged { .. })) && self.state().flipped.is_some() {
            self.mend();
            front = self.front(&disk, &self.database);
        }
        if let Err(error @ StoreError::Damaged { .. }) = &front {
            self.witness.wrong(format!("the store does not open any more: {error}"));
        }
        let front = Arc::new(front?);
        self.witness.opened(&*front);
        let mut state = self.state();
        // If it was not noticed, it is where nothing is read any more.
        (state.flipped, state.torn) = (None, false);
        state.front = Arc::downgrade(&front);
        let part = *state.luck.pick(&[1, 3, 1_000]);
        drop(state);
        Ok(Arc::new(Watched { front, disk, witness: self.witness.clone(), log: self.log.clone(), part }))
    }

    fn fail(&self, fault: Fault, mut luck: Luck) {
        match fault {
            Fault::None => {}
            Fault::Broken if luck.percent(30) => self.database.fail(1 + luck.below(4) as u64),
            Fault::Broken => self.disk.fault(luck.below(8) as u64, model::Fault::Fails(1)),
            Fault::Full => self.disk.fill(),
            // A write, then a sync; and no new segment can begin for some steps.
            Fault::InDoubtDone => self.disk.fault(1, model::Fault::Fails(1 + luck.below(12) as u64)),
            Fault::InDoubtLost => self.disk.fault(0, model::Fault::Fails(1 + luck.below(12) as u64)),
        }
    }

    fn heal(&self) {
        self.disk.heal();
        self.database.fail(0);
    }

    fn stop_in_write(&self, mut luck: Luck) {
        self.disk.fault(luck.below(10) as u64, model::Fault::PowerGoes);
    }

    fn stopped(&self) -> bool {
        self.disk.is_off()
    }

    fn crash(&self, mut luck: Luck) {
        let went = self.disk.is_off();
        // Nothing dropped from now on reaches the disk.
        self.disk.next_process();
        if luck.percent(60) {
            // What the log ends with after a power cut may be what the power cut lost; a flipped bit is not told from it.
            self.mend();
            self.state().torn = true;
            self.log.note("and the power goes");
            self.disk.power_cut();
        } else if !went && luck.percent(20) {
            // Only here: after a power cut, the end of the log looks the same as what the power cut lost.
            self.flip(&mut luck);
        }
    }

    fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        let luck = self.state().luck.number();
        let disk = self.disk.copy(chance(Luck::new(luck)));
        disk.power_cut();
        let read = self.front(&disk, &self.database.copy(Luck::new(luck))).and_then(|front| {
            self.witness.would_open(&front);
            scan_all(&front, "").collect()
        });
        read.unwrap_or_else(|error| {
            self.witness.wrong(format!("behind a power cut the store would not open: {error}"));
            BTreeMap::new()
        })
    }

    fn work(&self, mut luck: Luck) {
        let Some(front) = self.state().front.upgrade() else { return };
        match luck.below(10) {
            0 => self.read_all(&*front, 1 + luck.below(5)),
            1..=3 => self.log.note(format!("the log applies: {:?}", front.apply())),
            _ => self.log.note(format!("the log works: {:?}", front.work())),
        }
    }

    fn settle(&self) {
        if let Some(front) = self.state().front.upgrade() {
            self.log.note(format!("the log settles: {:?}", front.work()));
        }
    }

    fn wrong(&self) -> Option<String> {
        self.witness.told()
    }
}

impl Store for Watched {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let value = self.front.read(key)?;
        self.witness.read(key, value.as_ref());
        Ok(value)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let mut found: Vec<(String, Vec<u8>)> = Vec::new();
        while found.len() < limit {
            let part = self.part.min(limit - found.len());
            let behind = found.last().map(|(key, _)| key.as_str()).or(after);
            let page = self.front.scan(prefix, behind, part)?;
            self.witness.scanned(prefix, behind, part, &page);
            let short = page.len() < part;
            found.extend(page);
            if short {
                break;
            }
        }
        Ok(found)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        if batch.is_empty() {
            return self.front.commit(batch);
        }
        let result = self.front.commit(batch);
        let heard = if self.disk.is_gone() { Heard::No } else { Heard::Yes };
        self.witness.committed(batch, &result, heard);
        self.log.note(format!("a write, {result:?}: {}", shown(batch)));
        result
    }

    fn position(&self) -> Option<journal::store::Position> {
        self.front.position()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_keeps_the_contract_of_a_store() {
        let kept = Mutex::new(None);
        let seeds = Mutex::new(0..);
        journal::store::conformance::suite(|fresh| {
            let mut kept = kept.lock().unwrap();
            if fresh {
                *kept = seeds.lock().unwrap().next().map(|seed| Logged::new(Log::default(), Luck::new(seed)));
            }
            kept.as_ref().unwrap().open().unwrap()
        });
    }

    #[test]
    fn a_commit_that_succeeded_is_there_after_every_crash() {
        for seed in 0..20 {
            let medium = Logged::new(Log::default(), Luck::new(seed));
            for number in 0..40_u64 {
                let store = medium.open().unwrap();
                let mut batch = Batch::default();
                batch.put(format!("k/{number:02}"), vec![7; 300]);
                store.commit(&batch).unwrap();
                medium.crash(Luck::new(seed ^ number));
            }
            assert_eq!((medium.contents().len(), medium.wrong()), (40, None));
        }
    }
}
