//! The contract of a store with a log in front of it, and what survives power cuts, on disks that fail.

use journal::store::conformance::{self, Fuse};
use journal::store::{Batch, Memory, Store, StoreError};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::test_runner::Config;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store_log::model::{Fault, Model};
use store_log::{Directory, Disk, DiskFile, Identity, Keep, Logged, Sizes};

const IDENTITY: Identity = [7; 16];

/// A store in memory that outlives the log in front of it, like a database on a disk.
#[derive(Clone, Default)]
struct Engine(Arc<Memory>);

impl Store for Engine {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.0.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.0.commit(batch)
    }
}

fn logged(disk: &Model, engine: &Engine) -> Result<Logged<Engine>, StoreError> {
    Logged::open(Arc::new(disk.clone()), engine.clone(), Keep::Aside, || IDENTITY)
}

/// Skips what a store does when it is dropped in order.
fn crash(store: Logged<Engine>) {
    std::mem::forget(store);
}

/// Numbers from a seed: SplitMix64.
fn chance(mut seed: u64) -> store_log::model::Chance {
    Box::new(move |below| {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    })
}

#[test]
fn a_log_in_front_keeps_the_contract_of_a_store() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let engine = std::cell::RefCell::new(Engine::default());
    conformance::suite(|fresh| {
        if fresh {
            *engine.borrow_mut() = Engine::default();
            let _ = fs::remove_dir_all(&path);
        }
        let disk = Arc::new(Directory::open(&path).unwrap());
        Arc::new(Logged::open(disk, engine.borrow().clone(), Keep::Aside, || IDENTITY).unwrap().in_background())
    });
}

/// A disk where each step asks a fuse.
struct Fused(Arc<Directory>, Arc<Fuse>);
struct FusedFile(Arc<dyn DiskFile>, Arc<Fuse>);

fn blown(fuse: &Fuse) -> io::Result<()> {
    if fuse.blows() { Err(io::Error::other("on purpose")) } else { Ok(()) }
}

impl Disk for Fused {
    fn list(&self) -> io::Result<Vec<String>> {
        self.0.list()
    }

    fn open(&self, name: &str) -> io::Result<Arc<dyn DiskFile>> {
        blown(&self.1)?;
        Ok(Arc::new(FusedFile(self.0.open(name)?, self.1.clone())))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        blown(&self.1)?;
        self.0.rename(from, to)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        blown(&self.1)?;
        self.0.remove(name)
    }

    fn sync(&self) -> io::Result<()> {
        blown(&self.1)?;
        self.0.sync()
    }
}

impl DiskFile for FusedFile {
    fn length(&self) -> io::Result<u64> {
        self.0.length()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, into)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        blown(&self.1)?;
        self.0.write_at(offset, bytes)?;
        blown(&self.1)
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        self.0.cut(length)
    }

    fn sync(&self) -> io::Result<()> {
        blown(&self.1)?;
        self.0.sync()?;
        blown(&self.1)
    }
}

#[test]
fn at_whichever_step_a_commit_fails_it_says_what_came_of_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    let engine = std::cell::RefCell::new(Engine::default());
    let fuse: Arc<Fuse> = Arc::default();
    conformance::failures(&fuse, |fresh| {
        if fresh {
            *engine.borrow_mut() = Engine::default();
            let _ = fs::remove_dir_all(&path);
        }
        let disk = Arc::new(Fused(Arc::new(Directory::open(&path).unwrap()), fuse.clone()));
        Arc::new(Logged::open(disk, engine.borrow().clone(), Keep::Nothing, || IDENTITY).unwrap())
    });
}

/// An event for a store.
#[derive(Clone, Debug)]
enum Event {
    /// A commit of these keys, with values of these lengths, or removals.
    Commit(Vec<(u8, Option<u16>)>),
    /// The step after this many others goes wrong.
    Fault(u64, bool),
    Apply,
    PowerCut,
    Close,
}

fn event() -> impl Strategy<Value = Event> {
    let commit = vec((0..30_u8, proptest::option::of(0..3_000_u16)), 1..6).prop_map(Event::Commit);
    prop_oneof![
        8 => commit,
        2 => (0..12_u64, any::<bool>()).prop_map(|(steps, power)| Event::Fault(steps, power)),
        1 => proptest::strategy::Just(Event::Apply),
        1 => proptest::strategy::Just(Event::PowerCut),
        1 => proptest::strategy::Just(Event::Close),
    ]
}

type Content = BTreeMap<String, Vec<u8>>;

/// The store under test, with its required content: either of two, if a commit is in doubt.
struct Trial {
    disk: Model,
    engine: Engine,
    store: Option<Logged<Engine>>,
    content: Content,
    doubt: Option<Content>,
    commits: u8,
}

impl Trial {
    fn new(seed: u64) -> Self {
        let (disk, engine) = (Model::new(chance(seed)), Engine::default());
        let store = Some(logged(&disk, &engine).expect("an empty disk works"));
        Trial { disk, engine, store, content: Content::new(), doubt: None, commits: 0 }
    }

    fn store(&self) -> &Logged<Engine> {
        self.store.as_ref().expect("it is open")
    }

    fn happens(&mut self, event: &Event) {
        match event {
            Event::Commit(writes) => self.commit(writes),
            Event::Fault(steps, power) => {
                self.disk.fault(*steps, if *power { Fault::PowerGoes } else { Fault::Fails(1) });
            }
            Event::Apply => drop(self.store().apply()),
            Event::PowerCut => self.starts_again(true),
            Event::Close => self.starts_again(false),
        }
        self.holds();
    }

    fn commit(&mut self, writes: &[(u8, Option<u16>)]) {
        self.commits = self.commits.wrapping_add(1);
        let (mut batch, mut content) = (Batch::default(), self.content.clone());
        for (key, length) in writes {
            let key = format!("k/{key:02}");
            match length {
                Some(length) => {
                    let value = vec![self.commits; usize::from(*length)];
                    batch.put(key.clone(), value.clone());
                    content.insert(key, value);
                }
                None => {
                    batch.delete(key.clone());
                    content.remove(&key);
                }
            }
        }
        match self.store().commit(&batch) {
            Ok(()) => (self.content, self.doubt) = (content, None),
            Err(StoreError::InDoubt(_)) => self.doubt = Some(content),
            Err(_) => {}
        }
    }

    fn starts_again(&mut self, power_cut: bool) {
        let store = self.store.take().expect("it is open");
        if power_cut {
            crash(store);
        } else {
            drop(store);
        }
        self.disk.power_cut();
        let store = logged(&self.disk, &self.engine).unwrap_or_else(|error| panic!("{error}"));
        if let Some(doubt) = self.doubt.take()
            && content(&store) == doubt
        {
            self.content = doubt;
        }
        self.store = Some(store);
    }

    /// Checks that everything reads as it should, whole and by pages.
    fn holds(&self) {
        let store = self.store();
        assert_eq!(content(store), self.content);
        for limit in [1, 3, 7] {
            let (mut seen, mut after) = (Content::new(), None::<String>);
            loop {
                let page = store.scan("k/", after.as_deref(), limit).expect("it can be read");
                let short = page.len() < limit;
                after = page.last().map(|(key, _)| key.clone());
                seen.extend(page);
                if short {
                    break;
                }
            }
            assert_eq!(seen, self.content);
        }
        for key in (0..30).map(|key| format!("k/{key:02}")) {
            assert_eq!(store.read(&key).expect("it can be read").as_ref(), self.content.get(&key));
        }
    }
}

fn content(store: &dyn Store) -> Content {
    journal::store::scan_all(store, "").map(|record| record.expect("it can be read")).collect()
}

proptest! {
    #![proptest_config(Config { cases: 150, ..Config::default() })]
    #[test]
    fn what_was_committed_is_there_and_nothing_else(seed: u64, events in vec(event(), 1..40)) {
        let mut trial = Trial::new(seed);
        events.iter().for_each(|event| trial.happens(event));
        trial.starts_again(true);
        trial.holds();
    }
}

#[test]
fn a_flipped_bit_is_named_or_harmless_and_never_read_as_good() {
    let (mut named, mut harmless) = (0, 0);
    for bit in (0..60_000).step_by(149) {
        let (disk, engine) = (Model::new(chance(bit)), Engine::default());
        let store = logged(&disk, &engine).unwrap();
        let mut expected = Content::new();
        for n in 0..30_u8 {
            let mut batch = Batch::default();
            batch.put(format!("k/{n}"), vec![n; 80]);
            expected.insert(format!("k/{n}"), vec![n; 80]);
            store.commit(&batch).unwrap();
        }
        crash(store);
        assert!(disk.flip("0000000001.log", bit));
        match logged(&disk, &engine) {
            Ok(store) => {
                assert_eq!(content(&store), expected, "bit {bit}");
                harmless += 1;
            }
            Err(StoreError::Damaged { .. }) => named += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(named > 100 && harmless > 100, "{named} named, {harmless} harmless");
}

#[test]
fn a_log_that_is_missing_or_anothers_is_refused() {
    let commit = |store: &Logged<Engine>, key: &str| {
        let mut batch = Batch::default();
        batch.put(key, "1");
        store.commit(&batch).unwrap();
    };
    let (disk, engine) = (Model::new(chance(1)), Engine::default());
    let store = logged(&disk, &engine).unwrap();
    commit(&store, "a");
    crash(store);
    let damaged = |opened: Result<Logged<Engine>, StoreError>, what: &str| {
        let says = opened.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(says.contains(what), "{says}");
    };
    damaged(logged(&Model::new(chance(1)), &engine), "it is missing");
    damaged(logged(&disk, &Engine::default()), "the database does not know it");
    let (other, another) = (Model::new(chance(2)), Engine::default());
    let store = Logged::open(Arc::new(other.clone()), another.clone(), Keep::Aside, || [8; 16]).unwrap();
    commit(&store, "b");
    crash(store);
    damaged(logged(&other, &engine), "belongs to another");
    assert_eq!(logged(&disk, &engine).unwrap().read("a").unwrap().as_deref(), Some(b"1".as_slice()));
}

fn put(store: &Logged<Engine>, key: &str, value: &str) {
    let mut batch = Batch::default();
    batch.put(key, value);
    store.commit(&batch).expect("the disk works");
}

#[test]
fn what_a_backup_has_is_in_no_log_any_more() {
    for (keep, left) in [(Keep::Aside, true), (Keep::Nothing, false)] {
        let directory = tempfile::tempdir().unwrap();
        let words_left = || {
            let files = fs::read_dir(directory.path()).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap());
            files.into_iter().any(|file| file.windows(5).any(|bytes| bytes == b"words"))
        };
        let disk = Arc::new(Directory::open(directory.path()).unwrap());
        let store = Logged::open(disk, Engine::default(), keep, || IDENTITY).unwrap();
        put(&store, "erased", "words");
        put(&store, "erased", "");
        assert!(words_left());
        store.turn_over().unwrap();
        assert_eq!(words_left(), left);
        let backup = store.position().unwrap();
        put(&store, "later", "1");
        // An earlier backup has less than that.
        store.release(backup.number - 1).unwrap();
        assert_eq!(words_left(), left);
        store.release(backup.number).unwrap();
        assert!(!words_left());
        put(&store, "later", "2");
        assert_eq!(store.read("later").unwrap().as_deref(), Some(b"2".as_slice()));
    }
}

#[test]
fn a_log_goes_on_with_a_backup_as_far_as_nothing_is_damaged() {
    let (disk, engine) = (Model::new(chance(3)), Engine::default());
    let store = logged(&disk, &engine).unwrap();
    put(&store, "a", "1");
    let backup = store.position().unwrap();
    for n in 2..6 {
        put(&store, "a", &n.to_string());
        store.turn_over().unwrap();
    }
    crash(store);
    let replay = |disk: &Model| {
        let mut values = Vec::new();
        let replayed = store_log::replay(disk, &backup, |batch| {
            values.push(batch.get("a").unwrap().unwrap().to_vec());
            Ok(())
        });
        (replayed.unwrap(), values.concat())
    };
    let (replayed, values) = replay(&disk);
    assert_eq!((replayed.last, replayed.damage, values.as_slice()), (5, None, b"2345".as_slice()));
    // A record, or the header, of the third segment set aside.
    for bit in [8 * 4_100, 8 * 20] {
        assert!(disk.flip("0000000003.kept", bit));
        let (replayed, values) = replay(&disk);
        assert!(replayed.damage.is_some() && replayed.last == 3 && values == b"23", "{replayed:?}");
        assert!(disk.flip("0000000003.kept", bit));
    }
    let other = journal::store::Position { identity: journal::hex(&[8; 16]), ..backup.clone() };
    assert!(store_log::replay(&disk, &other, |_| Ok(())).is_err());
}

fn one(key: &str) -> Batch {
    let mut batch = Batch::default();
    batch.put(key, "1");
    batch
}

/// A store that has `a`, and `b` in doubt: it was written, but neither the sync nor a new segment succeeded.
fn in_doubt(seed: u64) -> (Model, Engine, Logged<Engine>) {
    let (disk, engine) = (Model::new(chance(seed)), Engine::default());
    let store = logged(&disk, &engine).expect("a new log");
    store.commit(&one("a")).expect("the first commit");
    disk.fault(1, Fault::Fails(20));
    assert!(matches!(store.commit(&one("b")), Err(StoreError::InDoubt(_))));
    (disk, engine, store)
}

#[test]
fn what_a_start_found_is_there_after_a_power_cut_even_if_it_was_never_synced() {
    for seed in 0..40 {
        let (disk, engine, store) = in_doubt(seed);
        crash(store);
        let disk = disk.next_process();
        disk.heal();
        let store = logged(&disk, &engine).unwrap();
        let there = content(&store);
        crash(store);
        disk.power_cut();
        assert_eq!(content(&logged(&disk, &engine).unwrap()), there, "seed {seed}");
    }
}

/// A database that accepts nothing.
struct Refusing(Engine);

impl Store for Refusing {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.0.scan(prefix, after, limit)
    }

    fn commit(&self, _: &Batch) -> Result<(), StoreError> {
        Err(StoreError::Unavailable("on purpose".to_owned()))
    }
}

#[test]
fn a_start_at_which_the_database_fails_changes_nothing() {
    for seed in 0..40 {
        let (disk, engine, store) = in_doubt(seed);
        crash(store);
        let disk = disk.next_process();
        disk.heal();
        let refused = Logged::open(Arc::new(disk.clone()), Refusing(engine.clone()), Keep::Aside, || IDENTITY);
        // What was read there was never synced, and is lost with the power.
        drop(refused.map(std::mem::forget));
        disk.power_cut();
        let there = content(&logged(&disk, &engine).unwrap());
        assert!(there.contains_key("a"), "seed {seed}");
    }
}

#[test]
fn what_is_in_doubt_is_settled_as_soon_as_the_disk_works() {
    let (disk, engine, store) = in_doubt(1);
    disk.heal();
    store.work().unwrap();
    let here = content(&store);
    crash(store);
    disk.power_cut();
    assert_eq!(content(&logged(&disk, &engine).unwrap()), here);
}

#[test]
fn a_log_of_which_no_part_could_be_begun_is_there_at_the_next_start() {
    let (disk, engine) = (Model::new(chance(1)), Engine::default());
    let sizes = Sizes { least: 8 << 10, most: 8 << 10, ..Sizes::default() };
    let open = || Logged::open_sized(Arc::new(disk.clone()), engine.clone(), Keep::Nothing, sizes, || IDENTITY);
    let store = open().unwrap();
    disk.fill();
    let mut done = 0;
    while store.commit(&one(&format!("k/{done:03}"))).is_ok() {
        done += 1;
    }
    store.apply().unwrap();
    crash(store);
    disk.heal();
    assert_eq!(content(&open().unwrap()).len(), done);
}

#[test]
fn a_database_that_fails_stops_nothing_until_too_much_is_held() {
    struct Failing(Memory, AtomicU64);
    impl Store for Failing {
        fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
            self.0.read(key)
        }
        fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
            self.0.scan(prefix, after, limit)
        }
        fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
            // The first commit starts the log.
            match self.1.fetch_add(1, Ordering::SeqCst) {
                0 => self.0.commit(batch),
                _ => Err(StoreError::Unavailable("full".to_owned())),
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let disk = Arc::new(Directory::open(directory.path()).unwrap());
    let engine = Failing(Memory::default(), AtomicU64::new(0));
    let store = Logged::open(disk, engine, Keep::Nothing, || IDENTITY).unwrap().in_background();
    let mut done = 0;
    let refused = loop {
        let mut batch = Batch::default();
        (0..1_000).for_each(|n| batch.put(format!("{done}/{n}"), "x"));
        match store.commit(&batch) {
            Ok(()) => done += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(refused, StoreError::Unavailable("full".to_owned()));
    assert!((40..60).contains(&done), "{done} thousand keys were held");
    assert_eq!(store.read("0/0").unwrap().as_deref(), Some(b"x".as_slice()));
}
