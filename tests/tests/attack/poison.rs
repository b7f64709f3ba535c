//! The bot does not keep retrying a message that kills it.

use chat::{Event, Fake, PlayerId, RoomId};
use journal::Entropy;
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store, StoreError};
use plugin_api::{Commands, Game, Plugin, Refusal, Reply, Turn};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tests::seated::text;
use tests::serving::{Make, by_ann};

/// Names the data directory for a bot in a child process.
const DATA: &str = "ASTRAGAL_TEST_POISON";

/// A game with a command that kills the process.
struct Deadly;

#[derive(Clone, Commands)]
enum Deed {
    /// Do nothing.
    #[command(changes, main, example = "live")]
    Live,
    /// End the process.
    #[command(changes, example = "die")]
    Die,
}

impl Game for Deadly {
    const ID: &'static str = "deadly";
    const TITLE: &'static str = "Deadly";
    const ABOUT: &'static str = "kills on purpose";
    type State = u32;
    type Command = Deed;

    fn play(state: &mut u32, command: Deed, _: &mut Turn) -> Result<Reply, Refusal> {
        match command {
            Deed::Live => {
                *state += 1;
                Ok(Reply::from(format!("alive for the {state}. time")))
            }
            Deed::Die => std::process::abort(),
        }
    }
}

fn games() -> Vec<Box<dyn Plugin>> {
    vec![plugin_api::plugin::<Deadly>(), roll::plugin()]
}

fn message(id: &str, room: &str, body: &str) -> Event {
    Event::Said(by_ann(id, room, body))
}

/// Runs the bot over `store` on `network` during `play`, then stops it in order.
async fn with_bot(store: Arc<dyn Store>, network: Arc<Fake>, play: impl AsyncFnOnce(&Fake)) {
    made(store).during(network, play).await;
}

fn made(store: Arc<dyn Store>) -> Make {
    let (plugins, entropy) = (vec!["deadly", "roll"], Entropy::from_seed([1; 32]));
    Make { store, games, plugins, entropy, ..Make::default() }
}

async fn hear(network: &Fake) -> String {
    text(&network.hear().await)
}

#[expect(clippy::print_stdout, reason = "its parent reads what it says")]
/// The bot in a child process. It gets four messages, one of which kills it, and prints its posts until everything is
/// done.
fn live(data: &Path) {
    let store = astragal::store::look(data).expect("it opens");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let left = |prefix| !store.scan(prefix, None, 1).expect("it can be read").is_empty();
    runtime.block_on(with_bot(store.clone(), Fake::redelivering("fake"), async |network| {
        // The network redelivers all messages, accepted or not.
        network.happen(message("1", "hall", "!live"));
        network.happen(message("2", "hall", "!die"));
        network.happen(message("3", "hall", "!live"));
        network.happen(message("4", "attic", "!live"));
        let accepted = || store.scan("inbox/", None, 9).expect("it can be read").len() == 4;
        while !accepted() || left(keys::WAITING) || left(keys::OUTBOX) {
            if let Ok(said) = tokio::time::timeout(Duration::from_millis(20), hear(network)).await {
                println!("said: {said}");
            }
        }
    }));
}

/// Plays the bot in a child process. In a normal test run it does nothing.
#[test]
fn the_bot_of_a_child_process() {
    if let Some(data) = std::env::var_os(DATA) {
        live(Path::new(&data));
    }
}

fn child(data: &Path) -> Output {
    let mut child = Command::new(std::env::current_exe().expect("a test knows itself"));
    child.args(["--exact", "attack::poison::the_bot_of_a_child_process", "--nocapture"]).env(DATA, data);
    child.output().expect("it runs")
}

#[test]
fn a_message_that_kills_the_bot_alone_twice_is_answered_and_skipped_and_the_others_are_played() {
    let data = tempfile::tempdir().expect("a directory");
    let mut said = Vec::new();
    let mut deaths = 0;
    loop {
        let output = child(data.path());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        said.extend(text.lines().filter_map(|line| line.strip_prefix("said: ")).map(str::to_owned));
        if output.status.success() {
            break;
        }
        deaths += 1;
        assert!(deaths <= 3, "it keeps dying:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(deaths, 3, "once with others, twice alone");
    let once = |text: &str| said.iter().filter(|line| line.contains(text)).count();
    assert_eq!(once("That crashed me twice, so I did not play it. Please give the operator error id "), 1, "{said:?}");
    let store = astragal::store::look(data.path()).expect("it opens");
    let waiting = store.scan(keys::WAITING, None, 10).expect("it can be read");
    assert!(waiting.is_empty(), "{waiting:?}");
    for (room, entries) in [("hall", 2), ("attic", 1)] {
        let audit = journal::audit(&store, &TableId::of(&RoomId::new("fake", room))).expect("the journal is whole");
        assert_eq!(audit.entries, entries, "{room}");
    }
}

/// A store whose reader panics at a key of the test's choice.
#[derive(Default)]
struct Brittle {
    memory: Memory,
    breaks: Mutex<Option<String>>,
}

impl Brittle {
    fn break_at(&self, key: Option<String>) {
        *self.breaks.lock().expect("nothing panics holding it") = key;
    }
}

impl Store for Brittle {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let breaks = self.breaks.lock().expect("nothing panics holding it").as_deref() == Some(key);
        assert!(!breaks, "on purpose");
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.memory.commit(batch)
    }
}

#[tokio::test]
async fn a_panic_in_a_command_of_the_table_is_answered_and_stops_nobody() {
    let store: Arc<Brittle> = Arc::default();
    let entry = keys::entry(&TableId::of(&RoomId::new("fake", "hall")), 1);
    let network = Fake::new("fake");
    let running = made(store.clone()).serve(vec![network.clone()]);
    network.happen(message("1", "hall", "!live"));
    assert_eq!(hear(&network).await, "alive for the 1. time #1");
    store.break_at(Some(entry));
    // What the bot has in memory is not read.
    running.bot.host().committer().forget();
    network.happen(message("2", "hall", "!why #1\n!live"));
    let answer = hear(&network).await;
    assert!(answer.starts_with("Sorry, that hit a bug in me and nothing changed"), "{answer}");
    assert!(answer.ends_with("alive for the 2. time #2"), "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn a_panic_of_the_core_is_answered_once_and_the_table_goes_on() {
    let store: Arc<Brittle> = Arc::default();
    let row = keys::inbox(&RoomId::new("fake", "hall"), "2");
    with_bot(store.clone(), Fake::redelivering("fake"), async |network| {
        network.happen(message("1", "hall", "!live"));
        assert_eq!(hear(network).await, "alive for the 1. time #1");
        // The game's state is read when the table is reopened.
        let game = keys::choices(&TableId::of(&RoomId::new("fake", "hall")), &PlayerId::new("fake", "ann"));
        store.break_at(Some(game));
        network.happen(message("2", "hall", "!1"));
        let answer = hear(network).await;
        assert!(answer.starts_with("Sorry, that hit a bug"), "{answer}");
        store.break_at(None);
        network.happen(message("3", "hall", "!live"));
        // The number reserved for it is skipped.
        assert_eq!(hear(network).await, "alive for the 2. time #3");
    })
    .await;
    assert!(store.read(&row).expect("memory does not fail").is_some());
    assert!(store.scan(keys::WAITING, None, 10).expect("memory does not fail").is_empty());
}
