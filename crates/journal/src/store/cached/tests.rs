//! The memory in front of a store: what it knows, what it forgets, and how much it holds.

use super::*;
use crate::store::{Memory, conformance};
use proptest::prelude::{ProptestConfig, prop};
use proptest::{prop_assert, prop_assert_eq, proptest};

fn one(key: &str, value: Option<&str>) -> Batch {
    let mut batch = Batch::default();
    match value {
        Some(value) => batch.put(key, value),
        None => batch.delete(key),
    }
    batch
}

/// A store in memory that counts reads, fails when told to, and does something while it reads.
#[derive(Default)]
struct Slow {
    memory: Memory,
    reads: Mutex<usize>,
    fails: Mutex<bool>,
    panics: Mutex<bool>,
    scans: Mutex<usize>,
    damaged: Mutex<bool>,
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Slow {
    fn reads(&self) -> usize {
        std::mem::take(&mut *self.reads.lock().unwrap())
    }
}

impl Store for Slow {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        *self.reads.lock().unwrap() += 1;
        let value = self.memory.read(key);
        let meanwhile = self.meanwhile.lock().unwrap().take();
        meanwhile.into_iter().for_each(|meanwhile| meanwhile());
        value
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        *self.scans.lock().unwrap() += 1;
        if *self.damaged.lock().unwrap() {
            return Err(StoreError::damaged("room/irc/attic", "a bit flipped"));
        }
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.memory.commit(batch)?;
        assert!(!*self.panics.lock().unwrap(), "on purpose");
        let doubt = || StoreError::InDoubt("the answer was lost".to_owned());
        if *self.fails.lock().unwrap() { Err(doubt()) } else { Ok(()) }
    }
}

fn cached() -> (Arc<Slow>, Arc<Cached>) {
    let slow = Arc::<Slow>::default();
    (slow.clone(), Arc::new(Cached::new(slow, 1 << 20)))
}

#[test]
fn it_is_a_store() {
    let memory = Arc::new(Mutex::new(Arc::<Memory>::default()));
    conformance::suite(|fresh| {
        if fresh {
            *memory.lock().unwrap() = Arc::default();
        }
        Arc::new(Cached::new(memory.lock().unwrap().clone(), 1 << 20))
    });
}

#[test]
fn what_was_read_or_written_is_not_read_again() {
    let (slow, cached) = cached();
    slow.memory.commit(&one("table/a/doc", Some("old"))).unwrap();
    for _ in 0..3 {
        assert_eq!(cached.read("table/a/doc").unwrap().as_deref(), Some(&b"old"[..]));
        assert_eq!(cached.read("table/a/head").unwrap(), None);
    }
    assert_eq!(slow.reads(), 2);
    cached.commit(&one("table/a/head", Some("new"))).unwrap();
    cached.commit(&one("table/a/doc", None)).unwrap();
    assert_eq!(cached.read("table/a/head").unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(cached.read("table/a/doc").unwrap(), None);
    let both = ["table/a/doc".to_owned(), "table/a/head".to_owned()];
    assert_eq!(cached.read_many(&both).unwrap(), [None, Some(b"new".to_vec())]);
    assert_eq!(slow.reads(), 0);
}

#[test]
fn what_is_walked_through_is_read_once_and_pushes_nothing_else_out() {
    let (slow, cached) = cached();
    cached.commit(&one("table/a/doc", Some("kept"))).unwrap();
    let entry = |number: usize| format!("table/a/entry/{number:05}");
    for number in 0..20_000 {
        slow.memory.commit(&one(&entry(number), Some(&"x".repeat(100)))).unwrap();
    }
    let page = |from: usize| (from..from + 100).map(entry).collect::<Vec<_>>();
    for _ in 0..3 {
        assert!(cached.read_many(&page(19_000)).unwrap().iter().all(Option::is_some));
    }
    assert_eq!(slow.reads(), 100);
    for from in (0..20_000).step_by(100) {
        cached.read_many(&page(from)).unwrap();
    }
    assert_eq!(slow.reads(), 20_000);
    assert_eq!(cached.read("table/a/doc").unwrap().as_deref(), Some(&b"kept"[..]));
    assert_eq!(slow.reads(), 0);
}

#[test]
fn names_that_somebody_invents_push_nothing_out_and_cost_no_read() {
    let (slow, cached) = cached();
    cached.commit(&one("table/a/doc", Some("kept"))).unwrap();
    cached.commit(&one("account/irc/ann", Some("linked"))).unwrap();
    for number in 0..50_000 {
        assert_eq!(cached.read(&format!("account/irc/guest{number}")).unwrap(), None);
        assert_eq!(cached.read(&format!("room/irc/guest{number}")).unwrap(), None);
    }
    assert_eq!(slow.reads(), 0);
    for number in 0..50_000 {
        assert_eq!(cached.read(&format!("inbox/irc/hall/{number}")).unwrap(), None);
    }
    assert_eq!(slow.reads(), 50_000);
    assert!(cached.read("account/irc/ann").unwrap().is_some() && cached.read("table/a/doc").unwrap().is_some());
    assert_eq!((slow.reads(), cached.known().absent.bytes), (0, 0));
    cached.commit(&one("account/irc/guest7", Some("linked"))).unwrap();
    cached.commit(&one("account/irc/ann", None)).unwrap();
    assert!(cached.read("account/irc/guest7").unwrap().is_some() && cached.read("account/irc/ann").unwrap().is_none());
    assert_eq!(slow.reads(), 0);
}

#[test]
fn what_is_written_during_a_read_is_not_forgotten_over_what_was_there_before() {
    let (slow, cached) = cached();
    for (before, then) in [(None, Some("new")), (Some("new"), Some("newer")), (Some("newer"), None)] {
        cached.known().values.remove("table/a/doc");
        cached.known().absent.remove("table/a/doc");
        let (writer, then_batch) = (cached.clone(), one("table/a/doc", then));
        *slow.meanwhile.lock().unwrap() = Some(Box::new(move || writer.commit(&then_batch).unwrap()));
        let text = |value: Option<Vec<u8>>| value.map(|value| String::from_utf8(value).unwrap());
        assert_eq!(text(cached.read("table/a/doc").unwrap()).as_deref(), before);
        assert_eq!(text(cached.read("table/a/doc").unwrap()).as_deref(), then);
    }
    assert!(cached.known().reading.is_empty());
}

#[test]
fn what_may_have_been_written_is_read_again() {
    let (slow, cached) = cached();
    cached.commit(&one("table/a/doc", Some("old"))).unwrap();
    assert_eq!(cached.read("account/irc/ann").unwrap(), None);
    *slow.fails.lock().unwrap() = true;
    assert!(cached.commit(&one("table/a/doc", Some("new"))).is_err());
    assert!(cached.commit(&one("account/irc/ann", Some("new"))).is_err());
    assert_eq!(cached.read("table/a/doc").unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(cached.read("account/irc/ann").unwrap().as_deref(), Some(&b"new"[..]));
    assert_eq!(*slow.scans.lock().unwrap(), 1, "its family is not listed again");
}

#[test]
fn a_store_that_panicked_is_read_again() {
    let (slow, cached) = cached();
    cached.commit(&one("table/a/doc", Some("old"))).unwrap();
    *slow.panics.lock().unwrap() = true;
    let panicked = catch_unwind(AssertUnwindSafe(|| cached.commit(&one("table/a/doc", Some("new")))));
    assert!(panicked.is_err());
    assert_eq!(cached.read("table/a/doc").unwrap().as_deref(), Some(&b"new"[..]));
}

#[test]
fn one_damaged_record_harms_no_other() {
    let (slow, cached) = cached();
    slow.memory.commit(&one("room/irc/hall", Some("kept"))).unwrap();
    *slow.damaged.lock().unwrap() = true;
    assert_eq!(cached.read("room/irc/hall").unwrap().as_deref(), Some(&b"kept"[..]));
    for number in 0..10 {
        assert_eq!(cached.read(&format!("room/irc/guest{number}")).unwrap(), None);
    }
    assert_eq!((slow.reads(), *slow.scans.lock().unwrap()), (11, 1), "they are not listed again and again");
    cached.commit(&one("room/irc/guest3", Some("new"))).unwrap();
    assert!(cached.read("room/irc/guest3").unwrap().is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_holds_what_the_store_holds_and_no_more_than_it_may(
        steps in prop::collection::vec((0..4_u8, 0..12_usize, 0..200_usize), 1..200),
    ) {
        const NAMES: [&str; 3] = ["table/t/", "room/irc/", "inbox/irc/"];
        let slow = Arc::<Slow>::default();
        let cached = Cached::new(slow.clone(), 4_000);
        let key = |at: usize| format!("{}{}", NAMES[at % 3], at / 3);
        for (what, at, long) in steps {
            match what {
                0 => cached.commit(&one(&key(at), Some(&"x".repeat(long)))).unwrap(),
                1 => cached.commit(&one(&key(at), None)).unwrap(),
                2 => prop_assert_eq!(cached.read(&key(at)).unwrap(), slow.memory.read(&key(at)).unwrap()),
                _ => {
                    let keys: Vec<String> = (0..=at).map(key).collect();
                    prop_assert_eq!(cached.read_many(&keys).unwrap(), slow.memory.read_many(&keys).unwrap());
                }
            }
            let known = cached.known();
            prop_assert!(known.values.bytes <= 3_500 && known.walked.bytes <= 500 && known.absent.bytes <= 500);
            for lately in [&known.values, &known.walked] {
                prop_assert_eq!(lately.bytes, lately.kept.values().map(|(_, cost)| cost).sum::<usize>());
            }
        }
    }
}
