//! The store's contract, on disks that work and on disks that fail.

#[path = "store/damage.rs"]
mod damage;
#[path = "store/power.rs"]
mod power;

use journal::store::conformance::{self, Fuse};
use journal::store::{Batch, Store, StoreError};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store_redb::{Fault, RedbStore, Step};
use tempfile::TempDir;

/// A directory in memory, if possible: nothing here needs a disk, and syncing one would take most of the time.
fn scratch() -> TempDir {
    let memory = tempfile::tempdir_in("/dev/shm");
    memory.or_else(|_| tempfile::tempdir()).expect("a step of the test works")
}

#[test]
fn redb_keeps_the_contract_of_a_store() {
    let directory = scratch();
    let path = directory.path().join("store");
    conformance::suite(|fresh| {
        if fresh && path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        Arc::new(RedbStore::open(&path).unwrap())
    });
}

#[test]
fn at_whichever_step_a_commit_fails_it_says_what_came_of_it() {
    at_each_step_of_a_commit(|| Err(io::Error::other("on purpose")));
}

#[test]
fn at_whichever_step_redb_panics_it_says_what_came_of_it() {
    at_each_step_of_a_commit(|| panic!("on purpose"));
}

fn at_each_step_of_a_commit(failure: fn() -> io::Result<()>) {
    let directory = scratch();
    let path = directory.path().join("store");
    let fuse: Arc<Fuse> = Arc::default();
    conformance::failures(&fuse, |fresh| {
        if fresh && path.exists() {
            fs::remove_dir_all(&path).expect("a step of the test works");
        }
        let fuse = fuse.clone();
        let fault: Fault = Box::new(move |_| if fuse.blows() { failure() } else { Ok(()) });
        Arc::new(RedbStore::open_with(&path, fault).expect("a step of the test works"))
    });
}

/// Makes syncs of the disk fail, and then this many attempts to open the database.
fn shut(times: &Arc<AtomicU32>, opened_in_vain: u32) -> Fault {
    let shut = times.clone();
    Box::new(move |step| match step {
        Step::Synced if shut.load(Ordering::SeqCst) == opened_in_vain => Err(io::Error::other("on purpose")),
        Step::Open if shut.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() => {
            Err(io::Error::other("no descriptor"))
        }
        _ => Ok(()),
    })
}

#[test]
fn a_commit_in_doubt_waits_until_the_database_can_be_opened() {
    let directory = scratch();
    let left: Arc<AtomicU32> = Arc::default();
    let store = RedbStore::open_with(&directory.path().join("store"), shut(&left, 4)).unwrap();
    left.store(4, Ordering::SeqCst);
    store.commit(&one("a", "1")).unwrap();
    assert_eq!((left.load(Ordering::SeqCst), store.read("a").unwrap()), (0, Some(b"1".to_vec())));
}

#[test]
fn where_the_database_stays_shut_nobody_is_told_that_nothing_was_written() {
    let directory = scratch();
    let left: Arc<AtomicU32> = Arc::default();
    let store = RedbStore::open_with(&directory.path().join("store"), shut(&left, 6)).unwrap();
    left.store(6, Ordering::SeqCst);
    let told = store.commit(&one("a", "1")).unwrap_err();
    assert!(matches!(told, StoreError::InDoubt(_)), "{told}");
    assert!(matches!(store.read("a"), Err(StoreError::Unavailable(_))));
    assert_eq!(store.read("a").unwrap(), Some(b"1".to_vec()), "it was written");
}

#[test]
fn a_read_that_failed_fails_nothing_after_it() {
    let directory = scratch();
    let path = directory.path().join("store");
    let fuse: Arc<Fuse> = Arc::default();
    let reads = fuse.clone();
    let fault: Fault = Box::new(move |step| match step == Step::Read && reads.blows() {
        true => Err(io::Error::other("on purpose")),
        false => Ok(()),
    });
    let store = RedbStore::open_with(&path, fault).unwrap();
    // More than the cache holds.
    for n in 0..12 {
        store.commit(&one(&format!("{n:02}"), &"x".repeat(500_000))).unwrap();
    }
    fuse.set(3);
    let failed = (0..12).filter(|n| store.read(&format!("{n:02}")).is_err()).count();
    assert_eq!(failed, 1);
    store.commit(&one("after", "1")).unwrap();
}

#[test]
fn a_database_is_its_owners_alone_and_opened_once() {
    let directory = scratch();
    let path = directory.path().join("a/store");
    let store = RedbStore::open(&path).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    let files: Vec<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "the database and the tally");
    assert!(files.iter().all(|file| mode(file) == 0o600));
    let told = RedbStore::open(&path).err().unwrap().to_string();
    assert!(told.contains("another process has the database open"), "{told}");
    drop(store);
    RedbStore::open(&path).unwrap();
}

#[test]
fn what_is_the_stores_own_is_in_no_scan_of_everything() {
    let directory = scratch();
    let store = RedbStore::open(&directory.path().join("store")).unwrap();
    store.commit(&one("a", "1")).unwrap();
    assert_eq!(store.scan("", None, 10).unwrap(), [("a".to_owned(), b"1".to_vec())]);
    assert_eq!(store.scan("", Some("\0"), 10).unwrap().len(), 1);
}

#[test]
fn what_is_overwritten_does_not_make_the_file_grow() {
    let directory = scratch();
    let path = directory.path().join("store");
    let store = RedbStore::open(&path).unwrap();
    for n in 0..1_000 {
        store.commit(&one(&format!("key/{:02}", n % 100), &"x".repeat(300))).unwrap();
        let size = fs::metadata(path.join("redb")).unwrap().len();
        assert!(size <= 300_000, "{size} bytes for 30 kB after {n} commits");
    }
}

fn one(key: &str, value: &str) -> Batch {
    let mut batch = Batch::default();
    batch.put(key, value);
    batch
}
