//! What happens to a database whose file was damaged, cut short, or copied while in use.

use crate::scratch;
use journal::store::{Batch, Store, StoreError, scan_all};
use redb::ReadableTable;
use std::fs;
use std::path::{Path, PathBuf};
use store_redb::{RedbStore, Step};
use tempfile::TempDir;

/// The number of commits in each database here. Each writes one record, and overwrites the count of records.
const COMMITS: usize = 60;

fn key(n: usize) -> String {
    format!("record/{n:02}")
}

fn value(n: usize) -> Vec<u8> {
    format!("{n} {}", "x".repeat(n * 37 % 500)).into_bytes()
}

fn commit(store: &RedbStore, n: usize) {
    let mut batch = Batch::default();
    batch.put(key(n), value(n));
    batch.put("count", (n + 1).to_string());
    store.commit(&batch).expect("a step of the test works");
}

/// The files of a database: the bytes of its file and of its tally.
struct Left {
    file: Vec<u8>,
    tally: Vec<u8>,
}

impl Left {
    fn by(path: &Path) -> Self {
        Left {
            file: fs::read(path.join("redb")).expect("a step of the test works"),
            tally: fs::read(path.join("tally")).expect("a step of the test works"),
        }
    }

    /// Opens a database whose file is `changed`.
    fn opened(&self, changed: &[u8], directory: &TempDir) -> Result<RedbStore, StoreError> {
        let path = directory.path().join("changed");
        fs::create_dir_all(&path).expect("a step of the test works");
        fs::write(path.join("redb"), changed).expect("a step of the test works");
        fs::write(path.join("tally"), &self.tally).expect("a step of the test works");
        RedbStore::open(&path)
    }
}

/// A database that was closed in order, and the same one before it was closed.
fn left() -> (TempDir, [Left; 2]) {
    let directory = scratch();
    let path: PathBuf = directory.path().join("store");
    let store = RedbStore::open(&path).expect("a step of the test works");
    (0..COMMITS).for_each(|n| commit(&store, n));
    let killed = Left::by(&path);
    drop(store);
    let closed = Left::by(&path);
    (directory, [closed, killed])
}

/// Checks that all of the first `commits` are there, and nothing else.
fn holds(store: &RedbStore, commits: usize) {
    for n in 0..commits {
        assert_eq!(store.read(&key(n)).expect("a step of the test works"), Some(value(n)));
    }
    let all: Vec<_> = scan_all(store, "").collect::<Result<_, _>>().expect("a step of the test works");
    assert_eq!(all.len(), commits + 1);
    assert_eq!(store.read("count").expect("a step of the test works"), Some(commits.to_string().into_bytes()));
}

#[test]
fn a_flipped_bit_is_named_or_harmless_and_hides_nothing() {
    let (directory, left) = left();
    let (mut named, mut harmless) = (0, 0);
    for left in left {
        let header = (0..320).step_by(3);
        let pages = (320..left.file.len()).step_by(2_003);
        for at in header.chain(pages) {
            let mut changed = left.file.clone();
            changed[at] ^= 1 << (at % 8);
            match left.opened(&changed, &directory) {
                Ok(store) => {
                    harmless += 1;
                    holds(&store, COMMITS);
                    commit(&store, COMMITS);
                    holds(&store, COMMITS + 1);
                }
                Err(StoreError::Damaged { .. }) => named += 1,
                Err(other) => panic!("byte {at}: {other}"),
            }
        }
    }
    assert!(named > 50 && harmless > 50, "{named} were named, {harmless} harmless: the test proves nothing");
}

#[test]
fn a_bit_flipped_while_it_is_open_is_named_and_hides_nothing() {
    let directory = scratch();
    let path = directory.path().join("store");
    let store = RedbStore::open(&path).unwrap();
    let large = "x".repeat(250_000);
    // More than the cache holds; small values are cached the least.
    commit(&store, 0);
    for n in 0..24 {
        let mut batch = Batch::default();
        batch.put(format!("large/{n:02}"), large.as_bytes());
        store.commit(&batch).unwrap();
    }
    let whole = fs::read(path.join("redb")).unwrap();
    let mut changed = whole.clone();
    for (at, _) in whole.windows(6).enumerate().filter(|(_, window)| *window == b"record" || *window == b"large/") {
        changed[at] ^= 0x40;
    }
    fs::write(path.join("redb"), changed).unwrap();
    let keys = std::iter::once(key(0)).chain((0..24).map(|n| format!("large/{n:02}")));
    let mut named = 0;
    for key in keys {
        match store.read(&key) {
            Ok(value) => assert!(value.is_some(), "{key} is hidden"),
            Err(StoreError::Damaged { .. }) => named += 1,
            // redb fails until it is reopened, and then it is damaged.
            Err(_) => {}
        }
    }
    assert!(named > 0);
}

#[test]
fn a_file_that_was_cut_off_is_damaged() {
    let (directory, left) = left();
    for left in left {
        for cut in (0..left.file.len()).step_by(5_003) {
            let opened = left.opened(&left.file[..cut], &directory);
            match opened {
                // Pages that were never used may be missing.
                Ok(store) => holds(&store, COMMITS),
                Err(error) => assert!(matches!(error, StoreError::Damaged { .. }), "at {cut}: {error}"),
            }
        }
        assert!(matches!(left.opened(&left.file[..left.file.len() / 4], &directory), Err(StoreError::Damaged { .. })));
        assert!(matches!(left.opened(&[], &directory), Err(StoreError::Damaged { .. })), "it opens as an empty one");
    }
}

#[test]
fn a_copy_of_the_file_after_any_commit_holds_that_commit() {
    let directory = scratch();
    let path = directory.path().join("store");
    let store = RedbStore::open(&path).unwrap();
    for n in 0..COMMITS {
        commit(&store, n);
        let left = Left::by(&path);
        let copy = left.opened(&left.file, &directory).unwrap();
        holds(&copy, n + 1);
        drop(copy);
    }
}

#[test]
fn an_older_copy_of_the_file_is_damaged() {
    let directory = scratch();
    let path = directory.path().join("store");
    let store = RedbStore::open(&path).unwrap();
    commit(&store, 0);
    let older = Left::by(&path);
    commit(&store, 1);
    let left = Left::by(&path);
    let told = left.opened(&older.file, &directory).err().unwrap().to_string();
    assert!(told.contains("the last 1 of 2 writes are gone"), "{told}");
}

/// Changes the table of the database in `path` with plain redb.
fn by_redb(path: &Path, change: impl Fn(&mut redb::Table<&str, &[u8]>)) {
    let db = redb::Database::open(path.join("redb")).expect("a step of the test works");
    let writes = db.begin_write().expect("a step of the test works");
    let records = redb::TableDefinition::<&str, &[u8]>::new("records");
    change(&mut writes.open_table(records).expect("a step of the test works"));
    writes.commit().expect("a step of the test works");
}

#[test]
fn a_record_that_is_not_what_was_written_under_its_key_is_named() {
    let directory = scratch();
    let path = directory.path().join("store");
    let store = RedbStore::open(&path).unwrap();
    (0..3).for_each(|n| commit(&store, n));
    drop(store);
    by_redb(&path, |table| {
        let another = table.get(key(2).as_str()).unwrap().unwrap().value().to_vec();
        table.insert(key(1).as_str(), another.as_slice()).unwrap();
    });
    let store = RedbStore::open(&path).unwrap();
    let damaged = Err(StoreError::damaged("record/01", "its checksum does not fit"));
    assert_eq!(store.read(&key(1)), damaged);
    assert_eq!(store.scan("", None, 10).map(|_| None), damaged);
    assert_eq!(store.read(&key(2)).unwrap(), Some(value(2)));
}

#[test]
fn a_database_that_does_not_know_how_many_commits_it_has_is_damaged() {
    let directory = scratch();
    let path = directory.path().join("store");
    drop(RedbStore::open(&path).unwrap());
    by_redb(&path, |table| drop(table.remove("\0commits").unwrap()));
    assert!(matches!(RedbStore::open(&path), Err(StoreError::Damaged { .. })));
}

#[test]
fn where_redb_panics_while_it_is_opened_that_is_damage() {
    let directory = scratch();
    let path = directory.path().join("store");
    drop(RedbStore::open(&path).unwrap());
    let panics = |step| match step {
        Step::Read => panic!("on purpose"),
        _ => Ok(()),
    };
    assert!(matches!(RedbStore::open_with(&path, Box::new(panics)), Err(StoreError::Damaged { .. })));
    RedbStore::open(&path).unwrap();
}
