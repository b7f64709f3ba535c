//! The store's contract, and what sled alone would not keep.

use bot::store::{Batch, Store, StoreError};
use std::fs;
use std::sync::Arc;
use store_sled::SledStore;

#[test]
fn sled_keeps_the_contract_of_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("store");
    bot::store::conformance::suite(|fresh| {
        if fresh && path.exists() {
            fs::remove_dir_all(&path).unwrap();
        }
        Arc::new(SledStore::open(&path).unwrap())
    });
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
        // sled may refuse to open, panic, or hand out the changed bytes; only good values may come out of the store.
        let opened = std::panic::catch_unwind(|| SledStore::open(&path));
        let Ok(Ok(store)) = opened else {
            damaged += 1;
            continue;
        };
        for n in 0..40 {
            match store.read(&format!("record/{n}")) {
                Ok(Some(read)) => assert_eq!(read, value(n).as_bytes()),
                Ok(None) | Err(StoreError::Unavailable(_)) => damaged += 1,
                Err(StoreError::Damaged { key, .. }) => {
                    assert!(key.contains(&format!("record/{n}")) || key.contains("sled"));
                    damaged += 1;
                }
            }
        }
    }
    assert!(damaged > 0, "no flip reached a record: the test proves nothing");
}
