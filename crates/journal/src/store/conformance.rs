//! What every [`Store`] must do, as one test suite that each implementation runs.

use super::{Batch, Store, StoreError, scan_all};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Runs the suite. `open(true)` returns an empty store; `open(false)` reopens the last one after every handle on it is
/// gone. Panics with what went wrong.
pub fn suite(open: impl Fn(bool) -> Arc<dyn Store>) {
    what_is_written_is_read_also_after_reopening(&open);
    a_batch_replaces_and_removes(&open);
    scans_are_ordered_bounded_and_stay_in_their_prefix(&open);
    values_of_any_size_and_content_come_back(&open);
    many_writers_lose_nothing(&open);
    what_is_committed_behind_something_is_there_with_it(&open);
}

/// Decides which step of a store fails, if any. For stores whose steps can be made to fail by a test.
#[derive(Debug, Default)]
pub struct Fuse(AtomicI64);

impl Fuse {
    /// Makes the step after the next `n` fail, and no other.
    pub fn set(&self, n: u32) {
        self.0.store(i64::from(n) + 1, Ordering::SeqCst);
    }

    /// True if the current step is to fail.
    pub fn blows(&self) -> bool {
        self.0.fetch_sub(1, Ordering::SeqCst) == 1
    }

    fn has_blown(&self) -> bool {
        self.0.load(Ordering::SeqCst) <= 0
    }
}

/// Makes each step of a commit fail once. A commit reported as failed must never have happened, and one that happened
/// must not be reported as failed. `open` returns a store as for [`suite`], whose steps ask the fuse. Panics with what
/// went wrong.
pub fn failures(fuse: &Fuse, open: impl Fn(bool) -> Arc<dyn Store>) {
    each_step_fails(fuse, &open, |store, change| store.commit(&change));
    each_step_fails(fuse, &open, |store, change| {
        let mut first = batch(&[("first", "1"), ("new", "0")]);
        first.delete("new");
        let result = store.commit_behind(first, change);
        assert!(result.is_err() || store.read("first").unwrap_or_else(failed).is_some());
        result
    });
}

fn each_step_fails(
    fuse: &Fuse,
    open: &impl Fn(bool) -> Arc<dyn Store>,
    commit: impl Fn(&dyn Store, Batch) -> Result<(), StoreError>,
) {
    let (mut failed, mut n) = (0, 0);
    loop {
        let store = open(true);
        store.commit(&batch(&[("kept", "1"), ("gone", "1")])).unwrap_or_else(self::failed);
        let mut change = batch(&[("kept", "2"), ("new", "1")]);
        change.put("large", vec![7; 300_000]);
        change.delete("gone");
        fuse.set(n);
        let result = commit(&*store, change);
        if !fuse.has_blown() {
            fuse.0.store(0, Ordering::SeqCst);
            break;
        }
        failed += u32::from(result.is_err());
        holds(&*store, &result, n);
        store.commit(&batch(&[("after", "1")])).unwrap_or_else(self::failed);
        drop(store);
        let store = open(false);
        holds(&*store, &result, n);
        assert!(store.read("after").unwrap_or_else(self::failed).is_some());
        n += 1;
    }
    assert!(n > 0 && failed > 0 && failed < n, "of {n} steps {failed} failed the commit: the test proves nothing");
}

/// Checks that all of the change is there, or nothing of it, as the result says.
fn holds(store: &dyn Store, result: &Result<(), StoreError>, n: u32) {
    let read = |key: &str| store.read(key).unwrap_or_else(failed).map(|value| value.len());
    let kept = store.read("kept").unwrap_or_else(failed);
    let found = (kept.as_deref(), read("new"), read("large"), read("gone"));
    let expected = match result {
        Ok(()) => (Some(b"2".as_slice()), Some(1), Some(300_000), None),
        Err(_) => (Some(b"1".as_slice()), None, None, Some(1)),
    };
    assert_eq!(found, expected, "step {n} failed, and the commit said {result:?}");
}

fn batch(writes: &[(&str, &str)]) -> Batch {
    let mut batch = Batch::default();
    for (key, value) in writes {
        batch.put(*key, *value);
    }
    batch
}

fn what_is_written_is_read_also_after_reopening(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    assert_eq!(store.read("a").unwrap_or_else(failed), None);
    store.commit(&batch(&[("a", "1"), ("b", "2")])).unwrap_or_else(failed);
    store.commit(&Batch::default()).unwrap_or_else(failed);
    drop(store);
    let store = open(false);
    assert_eq!(store.read("a").unwrap_or_else(failed).as_deref(), Some(b"1".as_slice()));
    assert_eq!(store.read("b").unwrap_or_else(failed).as_deref(), Some(b"2".as_slice()));
}

fn a_batch_replaces_and_removes(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    store.commit(&batch(&[("a", "1"), ("b", "2")])).unwrap_or_else(failed);
    let mut change = batch(&[("a", "3")]);
    change.delete("b");
    change.delete("never there");
    let mut later = Batch::default();
    later.put("a", "4");
    change.append(later);
    store.commit(&change).unwrap_or_else(failed);
    let left = store.scan("", None, 10).unwrap_or_else(failed);
    assert_eq!(left, [("a".to_owned(), b"4".to_vec())]);
}

fn scans_are_ordered_bounded_and_stay_in_their_prefix(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    let mut many = batch(&[("t", "before"), ("t/é", "last"), ("u", "behind")]);
    for n in (0..2_500).rev() {
        many.put(format!("t/{n:05}"), n.to_string());
    }
    store.commit(&many).unwrap_or_else(failed);
    let page = store.scan("t/", Some("t/00001"), 2).unwrap_or_else(failed);
    let keys: Vec<_> = page.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["t/00002", "t/00003"]);
    assert_eq!(store.scan("t/", Some("a"), 1).unwrap_or_else(failed)[0].0, "t/00000");
    assert!(store.scan("t/", Some("v"), 1).unwrap_or_else(failed).is_empty());
    let all: Vec<_> = scan_all(&*store, "t/").collect::<Result<_, _>>().unwrap_or_else(failed);
    assert_eq!(all.len(), 2_501);
    assert_eq!(all[2_500].0, "t/é");
    assert!(all.is_sorted());
}

fn what_is_committed_behind_something_is_there_with_it(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    let mut first = batch(&[("a", "1"), ("b", "1")]);
    for n in 0..1_000 {
        first.put(format!("many/{n}"), n.to_string());
    }
    first.delete("c");
    store.commit(&batch(&[("c", "0")])).unwrap_or_else(failed);
    store.commit_behind(first, batch(&[("b", "2"), ("last", "1")])).unwrap_or_else(failed);
    store.commit_behind(Batch::default(), batch(&[("last", "2")])).unwrap_or_else(failed);
    drop(store);
    let store = open(false);
    let read = |key: &str| store.read(key).unwrap_or_else(failed);
    let found = [read("a"), read("b"), read("c"), read("last"), read("many/999")];
    assert_eq!(found.map(|value| value.map(|value| value[0])), [Some(b'1'), Some(b'2'), None, Some(b'2'), Some(b'9')]);
}

fn values_of_any_size_and_content_come_back(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    let sizes = [0, 1, 1_000, 70_000, 3_000_000];
    for size in sizes {
        let value: Vec<u8> = (0..size).map(|i: usize| (i * 31 % 251) as u8).collect();
        let mut one = Batch::default();
        one.put(format!("size/{size}"), value);
        store.commit(&one).unwrap_or_else(failed);
    }
    drop(store);
    let store = open(false);
    for size in sizes {
        let value = store.read(&format!("size/{size}")).unwrap_or_else(failed).unwrap_or_default();
        assert_eq!(value.len(), size);
        assert!(value.iter().enumerate().all(|(i, byte)| *byte == (i * 31 % 251) as u8), "{size} bytes changed");
    }
}

fn many_writers_lose_nothing(open: &impl Fn(bool) -> Arc<dyn Store>) {
    let store = open(true);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for n in 0..50 {
                    store.commit(&batch(&[(&format!("{writer}/{n:02}"), "x")])).unwrap_or_else(failed);
                }
            });
        }
    });
    drop(store);
    assert_eq!(scan_all(&*open(false), "").count(), 200);
}

fn failed<T>(error: super::StoreError) -> T {
    panic!("the store failed: {error}")
}
