//! The running core over the fake network: panics, redelivery, restarts, and several tables at once.

use chat::{Event, Fake, Message, RoomId};
use journal::documents::{Head, InboxRow, from_json, to_json};
use journal::keys::TableId;
use journal::store::{Batch, Lease, Memory, Store, StoreError};
use journal::{Entropy, keys};
use plugin_api::{
    ChoiceSetting, Commands, Dice, Game, NumberSetting, Plugin, Refusal, Reply, Setting, SettingScope, Turn, Typed,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tests::seated::text;
use tests::serving::{Make, by_ann};

/// A game that breaks on purpose.
struct Fragile;

#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Count(u32, String);

#[derive(Clone, Commands)]
enum Break {
    /// Count one up.
    #[command(changes, main, example = "count")]
    Count,
    /// Change the state, roll a die, and panic.
    #[command(rolls, example = "shatter")]
    Shatter,
    /// Roll dice until none are left.
    #[command(rolls, example = "greed")]
    Greed,
    /// Keep more than can be kept.
    #[command(changes, example = "hoard")]
    Hoard,
}

const STEP: NumberSetting =
    NumberSetting { key: "step", help: "how to count", default: 1, least: 1, most: 10, scope: SettingScope::Table };
const WORD: ChoiceSetting<&str> = ChoiceSetting {
    key: "word",
    help: "how to count",
    default: ("counted", "counted"),
    values: &[("counted", "counted"), ("tallied", "tallied")],
    scope: SettingScope::Room,
};

impl Game for Fragile {
    const ID: &'static str = "fragile";
    const TITLE: &'static str = "Fragile";
    const ABOUT: &'static str = "breaks on purpose";
    type State = Count;
    type Command = Break;

    fn settings() -> Vec<Setting> {
        vec![STEP.declared(), WORD.declared()]
    }

    fn play(state: &mut Count, command: Break, turn: &mut Turn) -> Result<Reply, Refusal> {
        state.0 += turn.setting(&STEP) as u32;
        match command {
            Break::Count => Ok(Reply::from(format!("{} {}", turn.setting(&WORD), state.0))),
            Break::Hoard => {
                state.1 = "gold ".repeat(20_000);
                Ok(Reply::from("mine"))
            }
            Break::Shatter => {
                turn.throw(6)?;
                panic!("on purpose");
            }
            Break::Greed => loop {
                turn.throw(6)?;
            },
        }
    }
}

fn games() -> Vec<Box<dyn Plugin>> {
    vec![plugin_api::plugin::<Fragile>(), roll::plugin(), mvk::plugin()]
}

fn say(network: &Fake, id: &str, room: &str, body: &str) {
    network.happen(Event::Said(by_ann(id, room, body)));
}

async fn ask(network: &Fake, id: &str, body: &str) -> String {
    say(network, id, "hall", body);
    text(&network.hear().await)
}

/// Runs a bot over `store` on `network` during `play`, then stops it in order.
async fn with_bot(store: Arc<dyn Store>, network: Arc<Fake>, play: impl AsyncFnOnce(&Fake)) {
    let (plugins, entropy) = (vec!["fragile", "roll", "mvk"], Entropy::from_seed([1; 32]));
    Make { store, games, plugins, entropy, ..Make::default() }.during(network, play).await;
}

#[tokio::test]
async fn a_panicking_game_leaves_the_table_playable() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        assert_eq!(ask(network, "1", "!count").await, "counted 1 #1");
        let sorry = ask(network, "2", "!shatter").await;
        // The dice that fell are an entry, and nothing else changes.
        assert!(sorry.starts_with("no effect: sorry, that hit a bug in fragile and nothing changed"), "{sorry}");
        let greed = ask(network, "3", "!greed").await;
        assert!(greed.starts_with("no effect: that takes more than 5000 dice"), "{greed}");
        assert!(greed.ends_with(" and 4980 more #3"), "{greed}");
        assert_eq!(ask(network, "4", "!count").await, "counted 2 #4");
        // A line that panics does not stop the other lines of its message.
        let answer = ask(network, "5", "!shatter\n!count\nand on we go").await;
        assert!(answer.ends_with("counted 3 #6"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn settings_reach_the_game_and_its_state_has_a_size_limit() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        assert!(ask(network, "1", "!table step 11").await.starts_with("Step is a number from 1 to 10"));
        assert_eq!(ask(network, "2", "!table step 3").await, "step is now 3. #1");
        assert_eq!(ask(network, "3", "!room word tallied").await, "word is now tallied. #2");
        assert!(ask(network, "4", "!room word loud").await.starts_with("Word is one of: counted, tallied"));
        assert_eq!(ask(network, "5", "!count").await, "tallied 3 #3");
        assert!(ask(network, "6", "!hoard").await.starts_with("This table's fragile would grow too large"));
        assert_eq!(ask(network, "7", "!count").await, "tallied 6 #4");
        assert_eq!(ask(network, "8", "!table step").await, "step: 3 (how to count).");
    })
    .await;
}

#[tokio::test]
async fn dice_in_prose_are_rolled_where_the_room_wants_that() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        say(network, "1", "hall", "I strike [[1d1+4]] at the wolf");
        assert_eq!(ask(network, "2", "!room inline on").await, "inline is now on. #1");
        let answer = ask(network, "3", "I strike [[1d1+4]] for [[2d1]], see [[the map]]\n!count\nand [[d1]]!").await;
        assert_eq!(answer, "5 | 1d1 [1] + 4; 2 | 2d1 [1 1] #2\ncounted 1 #3\n1 | 1d1 [1] #4");
        say(network, "4", "hall", "see [[the map]] and [[2024]]");
        assert_eq!(ask(network, "5", "!room inline off").await, "inline is now off. #5");
        say(network, "6", "hall", "I strike [[1d1+4]]");
        assert_eq!(ask(network, "7", "!count").await, "counted 2 #6");
    })
    .await;
}

#[tokio::test]
async fn missed_messages_are_answered_where_the_room_wants_that() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        let late = |id: &str| Event::Said(Message { late: true, ..by_ann(id, "hall", "!roll 1d1") });
        network.happen(late("1"));
        assert!(text(&network.hear().await).contains("1 | 1d1 [1] #1"));
        assert_eq!(ask(network, "2", "!room late off").await, "late is now off. #2");
        network.happen(late("3"));
        assert!(ask(network, "4", "!roll 2d1").await.contains("2d1"), "the next answer");
    })
    .await;
}

#[tokio::test]
async fn several_lines_get_one_answer_which_says_if_they_were_too_many() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        let answer = ask(network, "1", "I count.\n!count\n!count\nhm\n!count\n!count\n!count\n!count").await;
        assert_eq!(answer.lines().count(), 6, "{answer}");
        assert!(answer.contains("counted 5 #5\nI played the first 5 commands"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn the_lines_of_a_message_see_each_other() {
    let store: Arc<Memory> = Arc::default();
    with_bot(store.clone(), Fake::new("fake"), async |network| {
        assert!(ask(network, "1", "!act d8").await.contains("#1"));
        let answer = ask(network, "2", "!act d12 d12\n!vs 0\n!vs 0").await;
        assert!(answer.contains("SUCCESS") && answer.contains("#2 was settled against 0"), "{answer}");
        // The roll before that message is still open. The number of the settling command leads to the roll it settled.
        assert!(ask(network, "3", "!vs #1 0").await.starts_with("SUCCESS"));
        assert!(ask(network, "4", "!vs #3 0").await.starts_with("#2 was settled"));
    })
    .await;
    whole(&*store, 4);
}

/// The hall's journal has this many entries and adds up.
fn whole(store: &dyn Store, entries: u64) {
    let table = TableId::of(&RoomId::new("fake", "hall"));
    let audit = journal::audit(store, &table).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(audit.entries, entries);
}

/// A disk that can be full, slow, fail once, or be another bot's.
#[derive(Default)]
struct Disk {
    memory: Memory,
    full: AtomicBool,
    /// While this is set, a commit does not return.
    slow: AtomicBool,
    /// A commit is waiting.
    waiting: AtomicBool,
    fail_once: AtomicBool,
    /// Another bot may take it over.
    leased: AtomicBool,
    /// Another bot has.
    ended: AtomicBool,
}

impl Store for Disk {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        while self.slow.load(Ordering::SeqCst) {
            self.waiting.store(true, Ordering::SeqCst);
            std::thread::yield_now();
        }
        self.waiting.store(false, Ordering::SeqCst);
        match self.full.load(Ordering::SeqCst) || self.fail_once.swap(false, Ordering::SeqCst) {
            true => Err(StoreError::Unavailable("full".to_owned())),
            false => self.memory.commit(batch),
        }
    }

    fn lease(&self) -> Lease {
        let others = if self.ended.load(Ordering::SeqCst) { Lease::Taken } else { Lease::Held };
        if self.leased.load(Ordering::SeqCst) { others } else { Lease::Own }
    }
}

#[tokio::test]
async fn where_another_bot_may_take_over_nothing_is_said_before_it_is_durable() {
    let disk: Arc<Disk> = Arc::default();
    disk.leased.store(true, Ordering::SeqCst);
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        for number in 0..12 {
            let said = ask(network, &format!("roll {number}"), "!roll d6").await;
            assert!(said.ends_with(&format!("#{}", number + 1)), "{said}");
        }
        for (number, line) in ["!roll d6", "!help", "!count"].into_iter().enumerate() {
            disk.slow.store(true, Ordering::SeqCst);
            say(network, &format!("roll slow {number}"), "hall", "!roll d6");
            say(network, &format!("slow {number}"), "hall", line);
            let early = tokio::time::timeout(Duration::from_millis(100), network.hear()).await;
            assert!(early.is_err(), "{line} was answered before the disk had it");
            disk.slow.store(false, Ordering::SeqCst);
            network.hear().await;
            network.hear().await;
        }
    })
    .await;
    // No number was reserved for a roll that never came.
    let table = TableId::of(&RoomId::new("fake", "hall"));
    let head: Head = from_json("head", &disk.read(&keys::head(&table)).unwrap().unwrap()).unwrap();
    assert_eq!((head.number, head.reserved), (17, 17));
}

#[tokio::test]
async fn whoever_has_lost_the_store_says_nothing_and_the_next_bot_says_it() {
    let disk: Arc<Disk> = Arc::default();
    disk.leased.store(true, Ordering::SeqCst);
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        assert_eq!(ask(network, "1", "!count").await, "counted 1 #1");
        disk.ended.store(true, Ordering::SeqCst);
        // It was written in the last moment.
        say(network, "2", "hall", "!count");
        assert!(tokio::time::timeout(Duration::from_millis(200), network.hear()).await.is_err());
    })
    .await;
    disk.ended.store(false, Ordering::SeqCst);
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        assert!(text(&network.hear().await).ends_with("counted 2 #2"));
    })
    .await;
    whole(&*disk, 2);
}

#[tokio::test]
async fn nothing_changes_while_the_disk_is_full_and_all_adds_up_afterwards() {
    let disk: Arc<Disk> = Arc::default();
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        assert_eq!(ask(network, "1", "!count").await, "counted 1 #1");
        for round in 0..10 {
            // Rolls are answered before they are written, so several are on their way when the disk fills up.
            for n in 0..4 {
                say(network, &format!("roll {round} {n}"), "hall", "!roll d6");
            }
            disk.full.store(true, Ordering::SeqCst);
            say(network, &format!("full {round}"), "hall", "!count");
            for _ in 0..4 {
                network.hear().await;
            }
            assert!(text(&network.hear().await).contains("cannot store anything now, so nothing changed"));
            disk.full.store(false, Ordering::SeqCst);
        }
        assert!(ask(network, "2", "!count").await.starts_with("counted 2 #"));
    })
    .await;
    let table = TableId::of(&RoomId::new("fake", "hall"));
    journal::audit(&*disk, &table).unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn a_table_is_reopened_only_after_all_its_commits_have_ended() {
    let disk: Arc<Disk> = Arc::default();
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        assert_eq!(ask(network, "0", "!count").await, "counted 1 #1");
        let mut id = 0;
        let mut roll = || {
            id += 1;
            say(network, &format!("roll {id}"), "hall", "!roll d6");
        };
        let mut tried = 0;
        for round in 0..40 {
            // A busy table reserves numbers ahead, so that rolls are answered before they are written.
            for _ in 0..12 {
                roll();
                network.hear().await;
            }
            disk.slow.store(true, Ordering::SeqCst);
            roll();
            let early = tokio::time::timeout(Duration::from_millis(100), network.hear()).await.is_ok();
            while early && !disk.waiting.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            roll();
            let both = early && tokio::time::timeout(Duration::from_millis(100), network.hear()).await.is_ok();
            // The first roll's commit fails, and the second roll is not written yet when the next command comes.
            disk.fail_once.store(both, Ordering::SeqCst);
            disk.slow.store(false, Ordering::SeqCst);
            while disk.fail_once.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            tried += u32::from(both);
            say(network, &format!("count {round}"), "hall", "!count");
            for _ in 0..1 + u32::from(!early) + u32::from(!both) {
                network.hear().await;
            }
        }
        assert!(tried > 0, "no round had two rolls on their way: the test proves nothing");
    })
    .await;
    let table = TableId::of(&RoomId::new("fake", "hall"));
    journal::audit(&*disk, &table).unwrap_or_else(|error| panic!("{error}"));
}

#[tokio::test]
async fn the_head_of_the_chain_is_shown_only_once_it_is_on_the_disk() {
    let disk: Arc<Disk> = Arc::default();
    with_bot(disk.clone(), Fake::new("fake"), async |network| {
        let soon = || tokio::time::timeout(Duration::from_millis(100), network.hear());
        let mut tried = 0;
        for round in 0..20 {
            for n in 0..12 {
                ask(network, &format!("roll {round} {n}"), "!roll d6").await;
            }
            disk.slow.store(true, Ordering::SeqCst);
            say(network, &format!("early {round}"), "hall", "!roll d6");
            let early = soon().await.is_ok();
            say(network, &format!("fair {round}"), "hall", "!fair");
            let shown = early && soon().await.is_ok();
            disk.slow.store(false, Ordering::SeqCst);
            assert!(!shown, "a place in the chain was shown before the roll was on the disk");
            tried += u32::from(early);
            for _ in 0..1 + u32::from(!early) {
                network.hear().await;
            }
        }
        assert!(tried > 0, "no roll was answered before the disk: the test proves nothing");
    })
    .await;
}

#[tokio::test]
async fn accepted_messages_are_played_once_the_disk_has_room() {
    let disk: Arc<Disk> = Arc::default();
    with_bot(disk.clone(), Fake::redelivering("fake"), async |network| {
        assert_eq!(ask(network, "1", "!count").await, "counted 1 #1");
        let (accepted, full) = (by_ann("2", "hall", "!count"), &disk.full);
        let mut batch = Batch::default();
        batch.put(keys::inbox(&accepted.room, "2"), to_json(&InboxRow::Waiting));
        batch.put(keys::waiting("fake", 9), to_json(&Event::Said(accepted)));
        disk.commit(&batch).expect("there is room");
        full.store(true, Ordering::SeqCst);
    })
    .await;
    let freed = disk.clone();
    with_bot(disk.clone(), Fake::redelivering("fake"), async move |network| {
        // An old answer may be repeated, because the full disk did not record that it was sent.
        let mut post = network.hear().await;
        while post.again {
            post = network.hear().await;
        }
        assert!(text(&post).contains("I play that as soon as I can"), "{post:?}");
        freed.full.store(false, Ordering::SeqCst);
        let mut post = network.hear().await;
        while post.again {
            post = network.hear().await;
        }
        assert!(text(&post).ends_with("counted 2 #3"), "{post:?}");
    })
    .await;
    whole(&*disk, 2);
}

#[tokio::test]
async fn a_message_delivered_twice_is_played_once() {
    let store: Arc<Memory> = Arc::default();
    with_bot(store.clone(), Fake::redelivering("fake"), async |network| {
        for _ in 0..3 {
            say(network, "1", "hall", "!count");
        }
        assert_eq!(text(&network.hear().await), "counted 1 #1");
        assert_eq!(ask(network, "2", "!count").await, "counted 2 #2");
    })
    .await;
    whole(&*store, 2);
}

#[tokio::test]
async fn a_message_accepted_before_a_crash_is_played_after_it() {
    let store: Arc<Memory> = Arc::default();
    let accepted = by_ann("1", "hall", "!count");
    let mut batch = Batch::default();
    batch.put(keys::inbox(&accepted.room, "1"), to_json(&InboxRow::Waiting));
    batch.put(keys::waiting("fake", 1), to_json(&Event::Said(accepted)));
    store.commit(&batch).expect("memory does not fail");
    with_bot(store.clone(), Fake::redelivering("fake"), async |network| {
        assert_eq!(text(&network.hear().await), "(sent 1970-01-01 00:00 UTC) counted 1 #1");
        // The network redelivers it, because it never heard that the bot had accepted it.
        say(network, "1", "hall", "!count");
        assert_eq!(ask(network, "2", "!count").await, "counted 2 #2");
    })
    .await;
    let left: Vec<_> = store.dump().into_keys().filter(|key| key.starts_with(keys::WAITING)).collect();
    assert!(left.is_empty(), "still waiting: {left:?}");
}

#[tokio::test]
async fn an_unsaid_post_is_said_after_the_next_start_and_marked() {
    let store: Arc<Memory> = Arc::default();
    let network = Fake::new("fake");
    network.go_down();
    with_bot(store.clone(), network, async |network| {
        say(network, "1", "hall", "!count");
        while network.kept() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    with_bot(store.clone(), Fake::new("fake"), async |network| {
        let post = network.hear().await;
        assert!(post.again && text(&post) == "counted 1 #1", "{post:?}");
        assert_eq!(ask(network, "2", "!count").await, "counted 2 #2");
    })
    .await;
    assert!(!store.dump().keys().any(|key| key.starts_with(keys::OUTBOX)), "a post that was said is not kept");
}

/// The only post in the outbox.
fn outbox(store: &Memory) -> String {
    let row = store.dump().into_iter().find(|(key, _)| key.starts_with(keys::OUTBOX));
    row.map(|(_, row)| String::from_utf8(row).expect("JSON")).unwrap_or_default()
}

#[tokio::test]
async fn a_post_repeated_once_is_not_repeated_again() {
    let store: Arc<Memory> = Arc::default();
    let down = || {
        let network = Fake::new("fake");
        network.go_down();
        network
    };
    with_bot(store.clone(), down(), async |network| {
        say(network, "1", "hall", "!count");
        while network.kept() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // Taken for repetition but not said before an orderly stop. It may still be repeated.
    with_bot(store.clone(), down(), async |network| {
        while network.kept() == 0 {
            tokio::task::yield_now().await;
        }
        assert!(outbox(&store).contains("\"again\":true"), "the repetition is noted before it is sent");
    })
    .await;
    assert!(outbox(&store).contains("\"again\":false"));
    // After a kill nobody could know whether it was repeated, so it is not said a third time.
    let (key, row) = store.dump().into_iter().find(|(key, _)| key.starts_with(keys::OUTBOX)).expect("it is kept");
    let mut batch = Batch::default();
    batch.put(key, String::from_utf8(row).expect("JSON").replace("\"again\":false", "\"again\":true"));
    store.commit(&batch).expect("memory does not fail");
    with_bot(store.clone(), Fake::new("fake"), async |network| {
        assert_eq!(ask(network, "2", "!count").await, "counted 2 #2");
    })
    .await;
    assert!(!store.dump().keys().any(|key| key.starts_with(keys::OUTBOX)), "nothing is left to say");
}

#[tokio::test]
async fn a_post_that_cannot_be_said_holds_up_no_other() {
    let network = Fake::new("fake");
    network.fail("gone");
    with_bot(Arc::<Memory>::default(), network, async |network| {
        say(network, "1", "hall", "!count");
        assert_eq!(ask(network, "2", "!count").await, "counted 2 #2");
    })
    .await;
}

#[tokio::test]
async fn tables_do_not_affect_each_other() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        for n in 0..20 {
            say(network, &format!("{n}"), &format!("room{}", n % 4), "!count");
        }
        let mut last = [0; 4];
        for _ in 0..20 {
            let post = network.hear().await;
            let room: usize = post.room.id.trim_start_matches("room").parse().expect("a number");
            last[room] += 1;
            assert_eq!(text(&post), format!("counted {0} #{0}", last[room]), "in order within its room");
        }
        assert_eq!(last, [5; 4]);
    })
    .await;
}

#[tokio::test]
async fn a_reply_to_an_answer_follows_up_on_its_roll() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        say(network, "1", "hall", "!act d8");
        let first = network.hear().await;
        assert!(text(&first).contains("#1"));
        assert!(ask(network, "2", "!act d8").await.contains("#2"));
        let mut reply = by_ann("3", "hall", "!vs 0");
        reply.reply_to = Some(format!("said-{}", first.key));
        network.happen(Event::Said(reply));
        assert!(text(&network.hear().await).starts_with("SUCCESS"));
        // The latest roll is still open; the first is settled.
        assert!(ask(network, "4", "!vs #1 1").await.starts_with("#1 was settled against 0"));
        assert!(ask(network, "5", "!vs 0").await.starts_with("SUCCESS"));
    })
    .await;
}

#[tokio::test]
async fn a_reply_to_a_roll_continues_that_roll() {
    with_bot(Arc::<Memory>::default(), Fake::new("fake"), async |network| {
        say(network, "1", "hall", "!roll 10d1");
        let first = network.hear().await;
        assert!(ask(network, "2", "!roll 20d1").await.starts_with("20 | "));
        let mut reply = by_ann("3", "hall", "!roll +2");
        reply.reply_to = Some(format!("said-{}", first.key));
        network.happen(Event::Said(reply));
        assert_eq!(text(&network.hear().await), "12 | 10 + 2 | on #1");
    })
    .await;
}

#[tokio::test]
async fn an_edited_command_edits_its_answer_even_after_a_restart() {
    let store: Arc<Memory> = Arc::default();
    let network = Fake::redelivering("fake");
    let edit = |id: &str, original: &str, body: &str| Event::Edited {
        message: by_ann(id, "hall", body),
        original: original.to_owned(),
    };
    let mut first = String::new();
    with_bot(store.clone(), network.clone(), async |network| {
        say(network, "1", "hall", "!count");
        first = network.hear().await.key;
        network.happen(edit("2", "1", "!roll 1+1"));
        let corrected = network.hear().await;
        assert!(text(&corrected).starts_with("2 | 1 + 1 (edited, was #1)"), "{}", text(&corrected));
        let earlier = corrected.corrects().cloned().expect("it takes the place of the first answer");
        assert_eq!((earlier.key.as_str(), earlier.id), (first.as_str(), Some(format!("said-{first}"))));
        assert_eq!(corrected.answers.as_deref(), Some("1"));
        // A redelivered edit has no effect.
        network.happen(edit("2", "1", "!roll 1+1"));
    })
    .await;
    with_bot(store.clone(), network, async |network| {
        network.happen(edit("3", "1", "!roll 1+2"));
        let corrected = network.hear().await;
        assert_eq!(corrected.corrects().and_then(|earlier| earlier.id.clone()), Some(format!("said-{first}")));
        // The first version's effect is undone.
        assert_eq!(ask(network, "4", "!count").await, "counted 1 #4");
    })
    .await;
    whole(&*store, 4);
}
