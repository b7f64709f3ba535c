//! What every [`Store`] must do, as one suite that each implementation's tests run.

use super::{Batch, Store, scan_all};
use std::sync::Arc;

/// Runs the suite. `open` gives an empty store (`true`), or opens again what the last one left (`false`), after
/// every handle on it is gone. Panics with what went wrong.
pub fn suite(open: impl Fn(bool) -> Arc<dyn Store>) {
    what_is_written_is_read_also_after_reopening(&open);
    a_batch_replaces_and_removes(&open);
    scans_are_ordered_bounded_and_stay_in_their_prefix(&open);
    values_of_any_size_and_content_come_back(&open);
    many_writers_lose_nothing(&open);
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
