//! What is left of a commit after a power cut: any part of what was written since the last sync may be on the disk.

use crate::scratch;
use journal::store::{Batch, Store, scan_all};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use store_redb::{Fault, RedbStore, Step};

/// The unit of disk writes, in bytes.
const SECTOR: usize = 512;

/// The file at each step since the first of them, which follows a sync.
type Steps = Arc<Mutex<Vec<(Step, Vec<u8>)>>>;

/// Makes nothing fail, but records the file at each step.
fn watched(path: &Path, steps: &Steps) -> Fault {
    let (file, steps) = (path.join("redb"), steps.clone());
    Box::new(move |step| {
        if step != Step::Read && step != Step::Open {
            steps.lock().expect("nothing panics holding it").push((step, fs::read(&file)?));
        }
        Ok(())
    })
}

/// Returns numbers below its argument, the same ones each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A possible content of the disk if `written` was not synced and `synced` was: some sectors of each, few or many.
fn torn(synced: &[u8], written: &[u8], chance: &mut Chance) -> Vec<u8> {
    let share = chance.below(17);
    let mut newer = || chance.below(16) < share;
    let mut file = if newer() { written.to_vec() } else { synced.to_vec() };
    for (at, sector) in file.chunks_mut(SECTOR).enumerate() {
        let source = if newer() { written } else { synced };
        // Sectors of a grown file that were never written are zero.
        let there = source.get(at * SECTOR..).unwrap_or_default();
        let length = there.len().min(sector.len());
        sector[..length].copy_from_slice(&there[..length]);
        sector[length..].fill(0);
    }
    file
}

fn commit(store: &RedbStore, n: usize) {
    let mut batch = Batch::default();
    batch.put("count", (n + 1).to_string());
    batch.put(format!("record/{n:02}"), "x".repeat(n * n * 40));
    store.commit(&batch).expect("a step of the test works");
}

/// The number of commits, after checking that each is complete.
fn commits(path: &Path) -> usize {
    let store = RedbStore::open(path).unwrap_or_else(|error| panic!("after a power cut: {error}"));
    let all: Vec<_> = scan_all(&store, "").collect::<Result<_, _>>().expect("a step of the test works");
    let count = all.first().map_or(0, |(_, count)| String::from_utf8_lossy(count).parse().expect("it is a number"));
    assert_eq!(all.len(), if count == 0 { 0 } else { count + 1 });
    for (n, (key, value)) in all.iter().skip(1).enumerate() {
        assert_eq!((key.as_str(), value.len()), (format!("record/{n:02}").as_str(), n * n * 40));
    }
    count
}

#[test]
fn after_a_power_cut_all_of_a_commit_is_there_or_nothing_of_it() {
    let directory = scratch();
    let (path, copy) = (directory.path().join("store"), directory.path().join("copy"));
    let steps = Steps::default();
    let store = RedbStore::open_with(&path, watched(&path, &steps)).unwrap();
    fs::create_dir(&copy).unwrap();
    let mut chance = Chance(1);
    let (mut old, mut new) = (0, 0);
    for n in 0..16 {
        let mut synced = fs::read(path.join("redb")).unwrap();
        let tally = fs::read(path.join("tally")).unwrap();
        steps.lock().unwrap().clear();
        commit(&store, n);
        for (step, written) in std::mem::take(&mut *steps.lock().unwrap()) {
            if step == Step::Synced {
                synced = written.clone();
            }
            fs::write(copy.join("redb"), torn(&synced, &written, &mut chance)).unwrap();
            fs::write(copy.join("tally"), &tally).unwrap();
            let found = commits(&copy);
            assert!(found == n || found == n + 1, "{found} commits of {n} or one more, at {step:?}");
            old += u32::from(found == n);
            new += u32::from(found > n);
        }
        // An acknowledged commit stays, whatever happened to the tally.
        fs::write(copy.join("redb"), &synced).unwrap();
        assert_eq!(commits(&copy), n + 1);
    }
    assert!(old > 40 && new > 15, "{old} times the commit was not there, {new} times it was: the test proves nothing");
}
