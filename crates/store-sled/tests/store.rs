//! The store's contract, including what sled alone would not keep.

use journal::store::conformance::{self, Fuse};
use journal::store::{Batch, Store, StoreError};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use store_sled::{SledStore, Step};

#[test]
fn sled_keeps_the_contract_of_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    journal::store::conformance::suite(|fresh| {
        if fresh && path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        Arc::new(SledStore::open(&path).unwrap())
    });
}

#[test]
fn at_whichever_step_a_commit_fails_it_says_what_came_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let fuse: Arc<Fuse> = Arc::default();
    conformance::failures(&fuse, |fresh| {
        if fresh && path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        Arc::new(SledStore::open_with(&path, blown_by(&fuse)).unwrap())
    });
}

fn blown_by(fuse: &Arc<Fuse>) -> store_sled::Fault {
    let fuse = fuse.clone();
    Box::new(move |_| if fuse.blows() { Err(io::Error::other("on purpose")) } else { Ok(()) })
}

#[test]
fn a_commit_in_doubt_waits_until_the_database_can_be_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let shut = Arc::new(AtomicU32::new(0));
    let fault = {
        let shut = shut.clone();
        move |step| match step {
            Step::Synced if shut.load(Ordering::SeqCst) == 4 => Err(io::Error::other("on purpose")),
            Step::Open if shut.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() => {
                Err(io::Error::other("no descriptor"))
            }
            _ => Ok(()),
        }
    };
    let store = SledStore::open_with(&path, Box::new(fault)).unwrap();
    shut.store(4, Ordering::SeqCst);
    let mut batch = Batch::default();
    batch.put("a", "1");
    store.commit(&batch).unwrap();
    assert_eq!((shut.load(Ordering::SeqCst), store.read("a").unwrap()), (0, Some(b"1".to_vec())));
}

#[test]
fn no_value_is_large_enough_for_a_file_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let store = SledStore::open(&path).unwrap();
    let files = |path: &Path| fs::read_dir(path.join("blobs")).unwrap().count();
    // Pages are rewritten as a whole now and then.
    for size in [100, 5_999, 6_000, 6_001, 12_000, 200_000, 40_000].repeat(3) {
        let mut batch = Batch::default();
        for n in 0..20 {
            batch.put(format!("record/{n}"), vec![b'x'; size]);
        }
        store.commit(&batch).unwrap();
        assert_eq!(store.read("record/7").unwrap().map(|value| value.len()), Some(size));
    }
    assert_eq!(files(&path), 0);
    // Overwriting with small values removes the parts of the larger ones.
    let mut batch = Batch::default();
    (0..20).for_each(|n| batch.put(format!("record/{n}"), "small"));
    store.commit(&batch).unwrap();
    drop(store);
    // Its lock may not have been released yet.
    let inside = (0..10_000).find_map(|_| sled::open(&path).ok()).unwrap();
    assert_eq!(inside.iter().count(), 20 + 1, "20 records and the store's own counter");
}

#[test]
fn a_flipped_bit_is_named_or_harmless_and_never_read_as_good() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    let value = |n: u32| format!("the value of record {n}");
    {
        let store = SledStore::open(&path).unwrap();
        for n in 0..40 {
            let mut batch = Batch::default();
            batch.put(format!("record/{n}"), value(n));
            store.commit(&batch).unwrap();
        }
    }
    let whole = fs::read(path.join("db")).unwrap();
    let marks = (0..40).filter_map(|n| {
        let text = value(n);
        whole.windows(text.len()).position(|window| window == text.as_bytes())
    });
    let mut damaged = 0;
    for at in marks.step_by(4) {
        let mut changed = whole.clone();
        changed[at + 5] ^= 0x20;
        fs::write(path.join("db"), changed).unwrap();
        // sled may refuse to open, panic, or return the changed bytes; the store must return only good values.
        let opened = std::panic::catch_unwind(|| SledStore::open(&path));
        let Ok(Ok(store)) = opened else {
            damaged += 1;
            continue;
        };
        for n in 0..40 {
            match store.read(&format!("record/{n}")) {
                Ok(Some(read)) => assert_eq!(read, value(n).as_bytes()),
                Ok(None) | Err(StoreError::Unavailable(_) | StoreError::InDoubt(_)) => damaged += 1,
                Err(StoreError::Overtaken) => panic!("a read relies on nothing"),
                Err(StoreError::Damaged { key, .. }) => {
                    assert!(key.contains(&format!("record/{n}")) || key.contains("sled"));
                    damaged += 1;
                }
            }
        }
    }
    assert!(damaged > 0, "no flip reached a record: the test proves nothing");
}
