//! A failed write changes nothing, and a change is never reported as failed.

use chat::{Event, Fake, RoomId};
use journal::keys;
use journal::store::{Batch, Memory, Store, StoreError};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tests::seated::text;
use tests::serving::{Make, by_ann};
use tests::{Conversation, answers, run};

/// Plays the same command several times. Returns how often it was played; the other answers said that nothing changed.
fn played(bot: &mut Conversation, times: u32) -> u32 {
    let mut played = 0;
    for _ in 0..times {
        let answer = bot.ask("!insp +1");
        match answer.starts_with("mia: inspiration") {
            true => played += 1,
            false => {
                let told = ["nothing changed", "That was not heard", "do not know yet whether that was kept"];
                assert!(told.iter().any(|told| answer.contains(told)), "{answer}");
            }
        }
    }
    played
}

fn descriptors(bot: &Conversation) -> usize {
    std::fs::read_dir(format!("/proc/{}/fd", bot.id())).expect("a step of the test works").count()
}

#[test]
fn without_descriptors_a_refused_command_changes_nothing() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::start(data.path());
    bot.ask("!plugin enable mvk");
    let mut held = played(&mut bot, 3);
    for round in 0..3 {
        // From here on, no more descriptors can be opened.
        bot.limit(&format!("--nofile={}:", descriptors(&bot) - round));
        held += played(&mut bot, 4);
        // Long answers were once written to a file of their own.
        bot.ask("!roll 1000d1000");
        held += played(&mut bot, 2);
        bot.limit("--nofile=1024:");
        assert!(bot.ask("!insp").contains(&format!("inspiration {held}")), "in round {round}");
    }
    held += played(&mut bot, 1);
    assert!(bot.end());
    let after = run(data.path(), b"!insp\n");
    assert!(answers(&after).last().unwrap().ends_with(&format!("inspiration {held}")), "{after:?}");
}

#[test]
fn on_a_full_disk_long_answers_stop_nobody_and_nothing_is_half_written() {
    let data = tempfile::tempdir().unwrap();
    let mut bot = Conversation::on_a_full_disk(data.path(), 1_500);
    bot.ask("!plugin enable mvk");
    let mut held = 0;
    for round in 0.. {
        assert!(round < 1_000, "the disk never was full");
        bot.ask("!roll 1000d1000");
        let more = played(&mut bot, 1);
        held += more;
        if more == 0 {
            break;
        }
    }
    bot.limit("--fsize=unlimited");
    assert!(bot.ask("!insp").contains(&format!("inspiration {held}")));
    assert_eq!(played(&mut bot, 2), 2);
    assert!(bot.end());
    let after = run(data.path(), b"!insp\n");
    assert!(answers(&after).last().unwrap().ends_with(&format!("inspiration {}", held + 2)), "{after:?}");
    adds_up(&data.path().join("store"));
}

fn adds_up(path: &Path) {
    let store = store_sled::SledStore::open(path).expect("a step of the test works");
    let table = journal::keys::TableId::of(&RoomId::new("console", "hall"));
    journal::audit(&store, &table).unwrap_or_else(|error| panic!("{error}"));
}

/// A disk that writes what it should, and once reports failure all the same.
#[derive(Default)]
struct Liar {
    memory: Memory,
    /// It lies about the next commit that plays a message.
    lies: AtomicBool,
}

impl Store for Liar {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.memory.commit(batch)?;
        let plays = batch.iter().any(|(key, value)| value.is_none() && key.starts_with(keys::WAITING));
        match plays && self.lies.swap(false, Ordering::SeqCst) {
            true => Err(StoreError::Unavailable("a sync failed".to_owned())),
            false => Ok(()),
        }
    }
}

/// A disk that does not remove what waits, unless it writes something else with that.
#[derive(Default)]
struct Keeper {
    memory: Memory,
    refused: AtomicU32,
}

impl Store for Keeper {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let removes = batch.iter().any(|(key, value)| value.is_none() && key.starts_with(keys::WAITING));
        match removes && batch.iter().all(|(_, value)| value.is_none()) {
            true => {
                self.refused.fetch_add(1, Ordering::SeqCst);
                Err(StoreError::Unavailable("it cannot be written".to_owned()))
            }
            false => self.memory.commit(batch),
        }
    }
}

#[tokio::test]
async fn a_retry_does_not_play_an_accepted_message_twice() {
    let disk: Arc<Liar> = Arc::default();
    let network = Fake::redelivering("fake");
    let running = Make { store: disk.clone(), ..Make::default() }.serve(vec![network.clone()]);
    let say = |id: u32| network.happen(Event::Said(by_ann(&id.to_string(), "hall", "!insp +1")));
    say(0);
    assert!(text(&network.hear().await).starts_with("inspiration 1 "));
    for id in 1..4 {
        disk.lies.store(true, Ordering::SeqCst);
        say(id);
        let mut said = text(&network.hear().await);
        while said.contains("I play that as soon as I can") {
            said = text(&network.hear().await);
        }
        assert!(said.starts_with(&format!("inspiration {} ", id + 1)), "{said}");
        assert!(!disk.lies.load(Ordering::SeqCst));
    }
    running.stop().await;
    let table = journal::keys::TableId::of(&RoomId::new("fake", "hall"));
    assert_eq!(journal::audit(&*disk, &table).unwrap().entries, 4);
}

#[tokio::test]
async fn edits_without_effect_that_cannot_be_noted_are_not_heard_again() {
    let disk: Arc<Keeper> = Arc::default();
    let network = Fake::redelivering("fake");
    let running = Make { store: disk.clone(), ..Make::default() }.serve(vec![network.clone()]);
    let said = |id: u32| by_ann(&id.to_string(), "hall", "!roll 1d1");
    network.happen(Event::Said(said(0)));
    assert!(text(&network.hear().await).starts_with("1 |"));
    for id in 1..=40 {
        network.happen(Event::Edited { message: said(id), original: "0".to_owned() });
        // Each has a write of its own.
        while disk.refused.load(Ordering::SeqCst) < id {
            tokio::task::yield_now().await;
        }
    }
    network.happen(Event::Said(said(41)));
    assert!(text(&network.hear().await).starts_with("1 |"));
    running.stop().await;
    assert!(disk.scan(keys::WAITING, None, 100).unwrap().is_empty());
}
