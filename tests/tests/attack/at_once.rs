//! Several rooms, or accounts, that use the same word at one moment: each has its own queue, and all of them read what is
//! there before any of them has written. As many get in as would one after another.

use chat::{Event, Fake, Message, PlayerId, RoomId, Speaker, Standing};
use jiff::Timestamp;
use journal::documents::{Head, RoomDoc, from_json};
use journal::keys::{self, TableId};
use journal::store::{Batch, Memory, Store, StoreError};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use tests::seated::text;
use tests::serving::{Make, Running};

/// A store whose readers of certain records wait for each other.
#[derive(Default)]
struct Meeting {
    memory: Memory,
    awaited: Mutex<Awaited>,
    met: Condvar,
    /// Whenever something was stored.
    committed: tokio::sync::Notify,
}

/// Who is awaited where.
#[derive(Default)]
struct Awaited {
    /// The records, or prefixes.
    keys: BTreeSet<String>,
    /// How many read one of them in one moment.
    readers: usize,
    /// How many are there now.
    there: usize,
    /// How often they still meet.
    times: usize,
}

impl Meeting {
    /// The next `times` that one of these is read, nobody goes on before so many have read it.
    fn at(&self, keys: impl IntoIterator<Item = String>, readers: usize, times: usize) {
        *self.awaited.lock().expect("a step of the test works") =
            Awaited { keys: keys.into_iter().collect(), readers, there: 0, times };
    }

    fn meet(&self, key: &str) {
        /// Whoever waits longer is alone.
        const LONGEST: Duration = Duration::from_secs(20);
        let mut awaited = self.awaited.lock().expect("a step of the test works");
        if awaited.times == 0 || !awaited.keys.contains(key) {
            return;
        }
        awaited.there += 1;
        if awaited.there == awaited.readers {
            (awaited.there, awaited.times) = (0, awaited.times - 1);
            return self.met.notify_all();
        }
        let left = awaited.times;
        let (awaited, waited) =
            self.met.wait_timeout_while(awaited, LONGEST, |now| now.times == left).expect("a step of the test works");
        drop(awaited);
        assert!(!waited.timed_out(), "nobody else reads it");
    }
}

impl Store for Meeting {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let found = self.memory.read(key);
        self.meet(key);
        found
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let found = self.memory.scan(prefix, after, limit);
        self.meet(prefix);
        found
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let done = self.memory.commit(batch);
        self.committed.notify_waiters();
        done
    }
}

struct Rooms {
    network: Arc<Fake>,
    running: Running,
    store: Arc<Meeting>,
    said: Cell<u32>,
}

fn room(id: &str) -> RoomId {
    RoomId::new("fake", id)
}

/// The table of a room that sits at its own.
fn table(id: &str) -> TableId {
    TableId::of(&room(id))
}

impl Rooms {
    fn open() -> Self {
        let (network, store) = (Fake::new("fake"), Arc::<Meeting>::default());
        let running = Make { store: store.clone(), ..Make::default() }.serve(vec![network.clone()]);
        Rooms { network, running, store, said: Cell::new(0) }
    }

    /// The next `times` that one of these is read, nobody goes on before so many have read it.
    fn meet_at(&self, keys: impl IntoIterator<Item = String>, readers: usize, times: usize) {
        // What the bot has in memory is not read.
        self.running.bot.host().committer().forget();
        self.store.at(keys, readers, times);
    }

    /// A message. A room whose id begins with `chat` is a private chat.
    fn message(&self, at: &str, who: &str, body: &str) -> Message {
        self.said.set(self.said.get() + 1);
        let standing = if who == "gus" { Standing::Admin } else { Standing::Member };
        let speaker = Speaker { standing, ..Speaker::new(PlayerId::new("fake", who), who) };
        let id = format!("${}", self.said.get());
        let message = Message::new(id, room(at), speaker, Timestamp::UNIX_EPOCH, body);
        Message { private: at.starts_with("chat"), unlimited: true, ..message }
    }

    /// What is answered to these lines, said in one moment; each is given as where, who and what.
    async fn ask_at_once(&self, lines: &[(&str, &str, String)]) -> Vec<String> {
        let messages: Vec<Message> = lines.iter().map(|(at, who, body)| self.message(at, who, body)).collect();
        let mut answers: BTreeMap<String, Option<String>> =
            messages.iter().map(|message| (message.id.clone(), None)).collect();
        self.network.deliver(messages.iter().cloned().map(Event::Said).collect());
        while answers.values().any(Option::is_none) {
            let post = self.network.hear().await;
            if let Some(answer) = post.answers.as_ref().and_then(|id| answers.get_mut(id)) {
                let said = text(&post);
                assert_eq!(answer.replace(said), None, "each is answered once");
            }
        }
        messages.iter().filter_map(|message| answers.remove(&message.id).flatten()).collect()
    }

    async fn ask(&self, at: &str, who: &str, body: &str) -> String {
        self.ask_at_once(&[(at, who, body.to_owned())]).await.remove(0)
    }

    /// The word that a line gives, once it is stored: the answer may come before that, and storing it reads its record, too.
    async fn word(&self, at: &str, who: &str, line: &str) -> String {
        let told = self.ask(at, who, line).await;
        let mut words = told.split_whitespace();
        let word = words.find(|word| word.len() == 12 && word.bytes().all(|byte| (b'a'..=b'p').contains(&byte)));
        let word = word.unwrap_or_else(|| panic!("no word in {told}")).to_owned();
        let records = [keys::link(&word), keys::leave(&word), keys::account_word(&journal::digest(word.as_bytes()))];
        let stored = |key: &String| self.store.memory.read(key).expect("a step of the test works").is_some();
        let until_stored = async {
            loop {
                let committed = self.store.committed.notified();
                tokio::pin!(committed);
                // Heard from here on, so that no commit between the look and the wait is missed.
                committed.as_mut().enable();
                if records.iter().any(stored) {
                    return;
                }
                committed.await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), until_stored).await.expect("the word is stored");
        word
    }

    /// The rooms that sit at the table of a room, as their settings say.
    fn at_table_of(&self, id: &str) -> Vec<String> {
        let docs = self.store.memory.scan(keys::ROOMS, None, 1_000).expect("a step of the test works");
        let docs = docs.into_iter().map(|(key, doc)| {
            (
                keys::room_of_key(&key).expect("a step of the test works"),
                from_json(&key, &doc).expect("a step of the test works"),
            )
        });
        docs.filter(|(_, doc): &(RoomId, RoomDoc)| doc.table == table(id)).map(|(room, _)| room.id).collect()
    }

    /// The number of the last entry at the own table of a room.
    fn last(&self, id: &str) -> u64 {
        let key = keys::head(&table(id));
        let head = self.store.memory.read(&key).expect("a step of the test works");
        head.map_or(0, |head| from_json::<Head>(&key, &head).expect("a step of the test works").number)
    }
}

#[tokio::test]
async fn of_twelve_rooms_that_type_one_word_at_once_one_sits_down_and_each_is_played_once() {
    let rooms = Rooms::open();
    rooms.ask("hall", "gus", "!gm me").await;
    let word = rooms.word("hall", "gus", "!link").await;
    let names: Vec<String> = (1..=12).map(|number| format!("room{number}")).collect();
    rooms.meet_at([keys::link(&word)], names.len(), 1);
    let line = format!("!roll 1d1 # mine\n!link {word} really");
    let lines: Vec<_> = names.iter().map(|name| (name.as_str(), "gus", line.clone())).collect();
    let answers = rooms.ask_at_once(&lines).await;
    let came: Vec<&String> = answers.iter().filter(|said| said.contains("This room now plays at")).collect();
    assert_eq!(came.len(), 1, "{answers:#?}");
    let refused = answers.iter().filter(|said| said.contains("No table has that word")).count();
    assert_eq!(refused, 11, "{answers:#?}");
    assert_eq!(rooms.at_table_of("hall").len(), 1, "besides the hall itself, whose settings were never changed");
    // The roll in front of it was played once, also where the line behind it was played again.
    assert!(answers.iter().all(|said| said.contains("#1")), "{answers:#?}");
    let mut last: Vec<u64> = names.iter().map(|name| rooms.last(name)).collect();
    last.sort_unstable();
    assert_eq!(last, [[1; 11].as_slice(), &[2]].concat());
    rooms.running.stop().await;
}

#[tokio::test]
async fn however_many_rooms_sit_down_at_once_no_more_than_eight_share_a_table() {
    let rooms = Rooms::open();
    rooms.ask("hall", "gus", "!gm me").await;
    let names: Vec<String> = (1..=12).map(|number| format!("room{number}")).collect();
    let mut lines = Vec::new();
    for name in &names {
        lines.push((name.as_str(), "gus", format!("!link {}", rooms.word("hall", "gus", "!link another").await)));
    }
    rooms.meet_at([keys::seated_at(&table("hall"))], names.len(), 1);
    let answers = rooms.ask_at_once(&lines).await;
    let full = answers.iter().filter(|said| said.contains("8 rooms play at that table")).count();
    assert_eq!((full, rooms.at_table_of("hall").len()), (5, 7), "{answers:#?}");
    assert!(rooms.ask("hall", "gus", "!link").await.starts_with("At this table: "));
    // Nor does a room come in by the word that takes a table over.
    let word = rooms.word("hall", "gus", "!export move").await;
    let refused = rooms.ask("cellar", "gus", &format!("!import {word} really")).await;
    assert!(refused.contains("8 rooms play at that table"), "{refused}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn of_four_rooms_that_take_over_a_table_at_once_one_does() {
    let rooms = Rooms::open();
    rooms.ask("hall", "gus", "!gm me").await;
    let word = rooms.word("hall", "gus", "!export move").await;
    rooms.meet_at([keys::leave(&word)], 4, 1);
    let line = format!("!import {word} really");
    let lines: Vec<_> = ["attic", "cellar", "den", "yard"].map(|name| (name, "gus", line.clone())).into();
    let answers = rooms.ask_at_once(&lines).await;
    let took = answers.iter().filter(|said| said.contains("this room goes on with")).count();
    let refused = answers.iter().filter(|said| said.contains("No table has that code word")).count();
    assert_eq!((took, refused, rooms.at_table_of("hall").len()), (1, 3, 1), "{answers:#?}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn two_rooms_that_link_to_each_other_at_once_play_at_one_table() {
    let rooms = Rooms::open();
    for name in ["den", "hall"] {
        rooms.ask(name, "gus", "!gm me").await;
    }
    let (hall, den) = (rooms.word("hall", "gus", "!link").await, rooms.word("den", "gus", "!link").await);
    rooms.meet_at([keys::link(&hall), keys::link(&den)], 2, 1);
    let lines = [("den", "gus", format!("!link {hall} really")), ("hall", "gus", format!("!link {den} really"))];
    let answers = rooms.ask_at_once(&lines).await;
    let came = answers.iter().filter(|said| said.contains("This room now plays at")).count();
    let stays = answers.iter().filter(|said| said.contains("This room shares its table with")).count();
    assert_eq!((came, stays), (1, 1), "{answers:#?}");
    let sitting = ["hall", "den"].map(|name| rooms.at_table_of(name).len());
    assert_eq!(sitting.iter().sum::<usize>(), 1, "one is at the table of the other: {answers:#?}");
    // The one that moved gets back.
    let moved = if answers[0].contains("now plays at") { "den" } else { "hall" };
    let back = rooms.ask(moved, "gus", "!unlink").await;
    assert!(back.contains("goes on at its own table, after #"), "{back}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn of_two_accounts_that_type_one_word_at_once_one_gets_the_word_that_goes_back() {
    let rooms = Rooms::open();
    let word = rooms.word("chat-ann", "ann", "me link").await;
    rooms.meet_at([keys::account_word(&journal::digest(word.as_bytes()))], 2, 1);
    let line = format!("me link {word} really");
    let answers = rooms.ask_at_once(&[("chat-annie", "annie", line.clone()), ("chat-mal", "mal", line)]).await;
    let given = answers.iter().filter(|said| said.contains("Now go back to the chat where you are ann")).count();
    let refused = answers.iter().filter(|said| said.contains("I gave you no such word")).count();
    assert_eq!((given, refused), (1, 1), "{answers:#?}");
    rooms.running.stop().await;
}

#[tokio::test]
async fn an_account_that_two_others_are_given_at_once_becomes_one_of_theirs() {
    let rooms = Rooms::open();
    let mut back = Vec::new();
    for other in ["annie", "mal"] {
        let word = rooms.word("chat-ann", "ann", "me link").await;
        back.push(rooms.word(&format!("chat-{other}"), other, &format!("me link {word} really")).await);
    }
    // It is read once to know who speaks, and then to know whether she is somebody already.
    rooms.meet_at([keys::account(&PlayerId::new("fake", "ann"))], 2, 2);
    // Ann types both words, in two chats.
    let line = |place: usize| format!("me link {} really", back[place]);
    let lines = [("chat-ann", "ann", line(0)), ("chat-ann2", "ann", line(1))];
    let answers = rooms.ask_at_once(&lines).await;
    let linked = answers.iter().filter(|said| said.contains("are one player now")).count();
    let refused = answers.iter().filter(|said| said.contains("ou are ")).count();
    assert_eq!((linked, refused), (1, 1), "{answers:#?}");
    rooms.running.stop().await;
}
