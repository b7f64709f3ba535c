//! No input costs more than its limit, however large the numbers in it.

use super::hostile;
use crate::attack::seated::{self, Counted, Person, Seated, Seating, text};
use chat::{Event, Fake, Message, RoomId};
use jiff::Timestamp;
use journal::Page;
use journal::keys::TableId;
use journal::store::{Batch, Memory, Store, StoreError, scan_all};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use table::OutcomeKind;
use tests::astragal;
use tests::serving::{Make, PLUGINS, by_ann};

/// Bytes of memory that the program may reserve, whatever the input. It needs about half of that just to run.
const SPACE: u64 = 1 << 29;
/// Seconds of processor time after which a program caught in an endless computation is killed.
const ENDLESS: u64 = 600;
/// Dice that one command may roll, and bytes of its text.
const MOST_DICE: usize = 5_000;
const MOST_TEXT: usize = 1_024;
/// Records that one command may read at a nearly empty table, and bytes that it may write.
const MOST_READ: usize = 400;
const MOST_WRITTEN: usize = 48 << 10;

/// Types these lines into a program with limited memory, and returns its answers.
fn typed_in_a_bounded_space(lines: &[String]) -> Vec<String> {
    let data = tempfile::tempdir().expect("a directory can be made");
    let inner = astragal(data.path());
    let mut command = Command::new("prlimit");
    command
        .arg(format!("--as={SPACE}"))
        .arg(format!("--cpu={ENDLESS}"))
        .arg(inner.get_program())
        .args(inner.get_args());
    command.env("USER", "mia").env_remove("ASTRAGAL_LOG").env("MALLOC_ARENA_MAX", "2");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.as_mut().expect("prlimit is part of every Linux");
    let mut stdin = child.stdin.take().expect("it was piped");
    let input = lines.join("\n") + "\n!roll 1d1 # still here\n";
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let mut said = Vec::new();
    let mut stdout = child.stdout.take().expect("it was piped");
    let errors = child.stderr.take().expect("it was piped");
    let errors = std::thread::spawn(move || std::io::read_to_string(errors).unwrap_or_default());
    std::io::Read::read_to_end(&mut stdout, &mut said).expect("the program prints");
    let status = child.wait().expect("it ends");
    writer.join().expect("the writer does not panic");
    let errors = errors.join().expect("nobody panics");
    let text = String::from_utf8_lossy(&said).into_owned();
    let last = text.lines().last().unwrap_or_default();
    let errors = errors.lines().filter(|line| !line.contains("INFO")).take(5).collect::<Vec<_>>().join("\n");
    assert!(status.success(), "it ended ({status}) after {last:?}: {errors}");
    assert!(last.contains("still here"), "it no longer plays: {last:?}");
    text.lines().skip(tests::GREETING).map(str::to_owned).collect()
}

#[test]
fn no_typed_number_exhausts_the_memory() {
    let lines: Vec<String> = hostile::lines().into_iter().map(|line| format!("!{line}")).collect();
    assert!(lines.len() > 1_000, "only {} lines", lines.len());
    let enable = ["mvk", "retrostar", "spheres", "torg"].map(|game| format!("!plugin enable {game}"));
    let before = ["!gm me", "!iam Ann", "!pc Bob", "!series 4"].map(str::to_owned);
    let all: Vec<String> = enable.into_iter().chain(before).chain(lines).collect();
    let answers = typed_in_a_bounded_space(&all);
    // Nearly every line gets an answer, if only a refusal.
    assert!(answers.len() > all.len(), "{} answers to {} lines", answers.len(), all.len());
}

#[test]
fn odds_of_the_largest_dice_are_shown_or_refused_with_the_limit() {
    let lines = [
        "odds d4294967295",
        "odds 2d100000000",
        "odds d[1..4000000000]",
        "odds d[0:4294967295]",
        "odds estimate d4294967295",
        "odds 1d4294967295 vs 1d4294967295",
        "odds 1000d100000kh500",
        "odds {1d100000,1d100000}kh1",
        "odds floor(floor(floor(1d100000)))",
        "odds 1000d1000",
    ];
    let answers = typed_in_a_bounded_space(&lines.map(|line| format!("!{line}")));
    let found = |text: &str| answers.iter().any(|answer| answer.contains(text));
    assert!(found("100000 faces are the most"), "{answers:#?}");
    assert!(found("!odds estimate d4294967295"), "the answer offers a line to type instead: {answers:#?}");
    assert!(found("(an estimate, rolled"), "{answers:#?}");
}

/// A store that counts reads and writes.
#[derive(Default)]
struct Counting {
    memory: Memory,
    read: AtomicUsize,
    written: AtomicUsize,
}

impl Counting {
    /// The counts since the last call.
    fn taken(&self) -> (usize, usize) {
        (self.read.swap(0, Ordering::Relaxed), self.written.swap(0, Ordering::Relaxed))
    }
}

impl Store for Counting {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read.fetch_add(1, Ordering::Relaxed);
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        let found = self.memory.scan(prefix, after, limit)?;
        self.read.fetch_add(found.len(), Ordering::Relaxed);
        Ok(found)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        let bytes = |(key, value): (&String, &Option<Vec<u8>>)| key.len() + value.as_ref().map_or(0, Vec::len);
        self.written.fetch_add(batch.iter().map(bytes).sum(), Ordering::Relaxed);
        self.memory.commit(batch)
    }
}

/// A table that counts everything.
struct Stage {
    table: Seated<Arc<Counting>>,
    dice: Counted,
}

impl Stage {
    fn new() -> Self {
        let dice = Counted::default();
        Stage { table: Seating::of(games::all).over(Arc::default()).dice(dice.clone()).seat(), dice }
    }

    /// The answer to a line, its outcome, and the bytes it wrote.
    fn say(&mut self, line: &str) -> (String, OutcomeKind, usize) {
        let message = self.table.message(&Person::account("Ann").admin(), &format!("!{line}"));
        self.hears(message)
    }

    fn say_at(&mut self, sent: Timestamp, line: &str) -> (String, OutcomeKind, usize) {
        let message = self.table.message(&Person::account("Ann").admin(), &format!("!{line}"));
        self.hears(Message { sent, ..message })
    }

    fn hears(&mut self, message: Message) -> (String, OutcomeKind, usize) {
        self.table.store.taken();
        self.dice.taken();
        let shown = message.body.chars().take(80).collect::<String>();
        let came = self.table.hears(message);
        let (read, written) = self.table.store.taken();
        let thrown = self.dice.taken();
        assert!(thrown <= MOST_DICE, "{shown}: {thrown} dice");
        assert!(read <= MOST_READ, "{shown}: {read} records read");
        assert!(written <= MOST_WRITTEN, "{shown}: {written} bytes written");
        let answer = came.heard.outcomes.first().map(|outcome| outcome.reply.plain());
        (answer.unwrap_or_default(), came.kind(), written)
    }

    /// The length of the longest command text in an entry.
    fn longest_text(&self) -> usize {
        let prefix = journal::keys::entries(&seated::table());
        let texts = scan_all(&*self.table.store, &prefix).filter_map(|record| {
            let (key, bytes) = record.ok()?;
            Some(Page::of_stored(&key, &bytes).ok()?.text()?.len())
        });
        texts.max().unwrap_or_default()
    }
}

#[test]
fn no_typed_number_costs_more_than_its_budget() {
    let mut stage = Stage::new();
    for line in ["gm me", "iam Ann", "pc Bob", "series 4", "act d8", "intent", "roll 2d6"] {
        stage.say(line);
    }
    for line in hostile::lines() {
        // Commands that read the whole journal have limits of their own, based on how much was played.
        if !["export", "cursed", "forget"].iter().any(|word| line.starts_with(word)) {
            stage.say(&line);
        }
    }
    assert!(stage.longest_text() <= MOST_TEXT, "{} bytes", stage.longest_text());
}

#[test]
fn no_macro_variable_or_reroll_makes_a_line_longer_than_may_be_typed() {
    let mut stage = Stage::new();
    stage.say(&format!("macro bomb roll 1d1 # {}", "$* ".repeat(90).trim_end()));
    let (answer, kind, _) = stage.say(&format!("bomb {}", "x".repeat(900)));
    assert_eq!(kind, OutcomeKind::Refused, "{answer}");
    assert!(answer.contains("1024 bytes"), "{answer}");
    // Each of these expands to several copies of the one before.
    stage.say("set a 1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1");
    for (name, of) in [("b", "a"), ("c", "b"), ("d", "c")] {
        stage.say(&format!("set {name} {}", vec![format!("${of}"); 25].join("+")));
    }
    let (answer, kind, _) = stage.say("roll 1d1+$d");
    assert!(kind == OutcomeKind::Refused && answer.contains("1024 bytes"), "{answer}");
    stage.say(&format!("roll 1d1 # {}", "x".repeat(900)));
    for _ in 0..3 {
        stage.say(&format!("roll again +{}", vec!["1"; 200].join("+")));
    }
    // Values that are looked up by their names count too.
    let sum = format!("1{}", "+1".repeat(48));
    ["va", "vb", "vc", "vd", "ve", "vf"].iter().for_each(|name| drop(stage.say(&format!("set {name} {sum}"))));
    let (answer, kind, _) = stage.say(&format!("roll 1d1+va+vb+vc+vd+ve+vf{}", "+1".repeat(300)));
    assert_eq!(kind, OutcomeKind::Refused, "{answer}");
    let (answer, kind, _) = stage.say("roll 1d1+va+vb");
    assert_eq!(kind, OutcomeKind::Played, "{answer}");
    // Expanded text has the same limit as typed text: after `as`, `secret` and `odds`, too.
    stage.say(&format!("as Bob bomb {}", "y".repeat(900)));
    stage.say(&format!("secret bomb {}", "z".repeat(900)));
    stage.say(&format!("odds bomb {}", "z".repeat(900)));
    assert!(stage.longest_text() <= MOST_TEXT, "an entry holds {} bytes as typed", stage.longest_text());
}

#[test]
fn a_thousand_large_dice_are_written_down_once() {
    let mut stage = Stage::new();
    stage.say("roll 1d6");
    let (_, kind, written) = stage.say("roll 1000d1000");
    assert_eq!(kind, OutcomeKind::Played);
    // A die takes up to eleven bytes in the journal.
    assert!(written < 16 << 10, "{written} bytes");
}

#[test]
fn a_message_dated_at_the_ends_of_time_does_no_harm() {
    let mut stage = Stage::new();
    stage.say("roll 1d6 # words");
    for sent in [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
        for line in ["erase older 36500", "recap", "waiting", "export move", "import back"] {
            let (answer, ..) = stage.say_at(sent, line);
            assert!(!answer.is_empty() && !answer.contains("hit a bug"), "{line} at {sent}: {answer}");
        }
    }
    assert_eq!(stage.say("roll 1d6").1, OutcomeKind::Played);
}

#[test]
fn a_sentence_is_guessed_at_within_the_budget_and_never_played() {
    let mut stage = Stage::new();
    stage.say("roll 1d6");
    let many = "use give take start begin new add make do get go play set put".to_owned();
    let long = "who ".repeat(200);
    let huge = "give everyone 99999999999999999999 inspiration".to_owned();
    for line in
        [many, long, huge, "ann attacks ann ann ann ann".to_owned(), "whose \u{202e} turn is it \u{0}".to_owned()]
    {
        let (answer, kind, _) = stage.say(&line);
        assert_ne!(kind, OutcomeKind::Played, "{line}: {answer}");
    }
}

#[test]
fn a_single_die_that_is_compared_succeeds_or_fails() {
    let mut stage = Stage::new();
    for line in ["roll 1d20 >= 15", "roll 2d20kh1>=15", "roll 2d20dl1 > 3", "roll d20==20", "roll {1d20,1d20}kh1>=3"] {
        let (answer, ..) = stage.say(line);
        assert!(answer.starts_with("SUCCESS") || answer.starts_with("FAILURE"), "{line}: {answer}");
    }
    let (answer, ..) = stage.say("odds 1d20 >= 15");
    assert!(answer.starts_with("30.0 %") && !answer.contains("0.30 on average"), "{answer}");
    // With several dice the bot counts successes, and with one die if the notation asks for it.
    for line in ["roll 8d10>=7", "roll 1d10c>=7", "roll 1d10>=7f1", "roll 1d10! >=7"] {
        assert!(!stage.say(line).0.contains("CCESS +"), "{line}");
    }
}

#[test]
fn min_and_max_are_spelled_as_rpg_dice_roller_spells_them() {
    let mut stage = Stage::new();
    assert!(stage.say("roll 2d6min3").0.contains("2d6mi3"), "{}", stage.say("roll 2d6min3").0);
    assert!(stage.say("roll 2d6max3").0.contains("2d6ma3"));
    assert!(stage.say("roll 2d6min2max5kh1").0.contains("2d6mi2ma5kh1"));
    assert!(stage.say("roll max(1d6,2)").0.contains("max(1d6"));
}

#[test]
fn only_a_showrunner_learns_what_a_series_needs() {
    let mut stage = Stage::new();
    stage.say("gm me");
    let (answer, kind, _) = stage.say("series 0");
    assert_eq!(kind, OutcomeKind::Refused);
    assert!(answer.contains("Showrunner") && answer.contains("series 1"), "{answer}");
}

/// Once shut, blocks the next matching read and tells the test.
struct Gated {
    memory: Memory,
    /// Only reads with this prefix block.
    prefix: String,
    shut: AtomicBool,
    came: Mutex<Sender<()>>,
    open: Mutex<Receiver<()>>,
    in_vain: AtomicBool,
}

impl Gated {
    fn new(prefix: &str) -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let ((came, comes), (opens, open)) = (mpsc::channel(), mpsc::channel());
        let (memory, shut, in_vain) = (Memory::default(), AtomicBool::new(false), AtomicBool::new(false));
        let gate = Gated { memory, prefix: prefix.to_owned(), shut, came: came.into(), open: open.into(), in_vain };
        (Arc::new(gate), comes, opens)
    }

    fn pass(&self, key: &str) {
        if self.shut.load(Ordering::SeqCst) && key.starts_with(&self.prefix) {
            self.shut.store(false, Ordering::SeqCst);
            self.came.lock().expect("nobody panics").send(()).expect("the test waits");
            let opened = self.open.lock().expect("nobody panics").recv_timeout(Duration::from_secs(30));
            self.in_vain.store(opened.is_err(), Ordering::SeqCst);
        }
    }
}

impl Store for Gated {
    fn read(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.pass(key);
        self.memory.read(key)
    }

    fn scan(&self, prefix: &str, after: Option<&str>, limit: usize) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
        self.pass(prefix);
        self.memory.scan(prefix, after, limit)
    }

    fn commit(&self, batch: &Batch) -> Result<(), StoreError> {
        self.memory.commit(batch)
    }
}

#[tokio::test]
async fn slow_work_at_one_table_holds_up_no_other_and_keeps_its_order() {
    // The whole runtime has one thread. Reading the hall's journal takes as long as the test wants.
    let (store, comes, opens) = Gated::new(&journal::keys::entries(&TableId::of(&RoomId::new("fake", "hall"))));
    let network = Fake::new("fake");
    let running =
        Make { store: store.clone(), plugins: PLUGINS.clone(), ..Make::default() }.serve(vec![network.clone()]);
    let say = |room, id: u32, body| network.happen(Event::Said(by_ann(&id.to_string(), room, body)));
    say("hall", 1, "!roll 1d1 # one");
    network.hear().await;
    say("attic", 2, "!roll 1d1 # two");
    network.hear().await;
    // Else the journal would be read from memory, and the gate would wait for ever.
    running.bot.host().committer().forget();
    store.shut.store(true, Ordering::SeqCst);
    say("hall", 3, "!history");
    say("hall", 4, "!roll 1d1 # four");
    let comes = tokio::task::spawn_blocking(move || comes.recv_timeout(Duration::from_secs(60)));
    comes.await.expect("nobody panics").expect("history reads the journal");
    say("attic", 5, "!roll 1d1 # five");
    assert!(text(&network.hear().await).contains("five"), "the attic is answered while the hall is read");
    opens.send(()).expect("the gate waits");
    let (first, second) = (text(&network.hear().await), text(&network.hear().await));
    assert!(first.contains("1 entry up to #1") && second.contains("four"), "{first} / {second}");
    running.stop().await;
    assert!(!store.in_vain.load(Ordering::SeqCst), "the attic waited for the hall");
}

#[test]
fn nothing_waits_for_a_backup_and_the_backup_is_a_snapshot() {
    let (store, comes, opens) = Gated::new("");
    let host = Seating::of(games::all).over(store.clone()).host();
    let write = |value: &str| {
        let mut batch = Batch::default();
        ["a", "b", "c"].iter().for_each(|key| batch.put(*key, value));
        host.committer().commit(None, batch).expect("memory does not fail");
    };
    write("1");
    let (done, read) = mpsc::channel();
    store.shut.store(true, Ordering::SeqCst);
    host.committer().snapshot(move |store| {
        let records = scan_all(store, "").map(|record| record.expect("memory does not fail"));
        done.send(records.filter(|(key, _)| key.len() == 1).map(|(_, value)| value).collect::<Vec<_>>())
            .expect("it waits");
    });
    comes.recv().expect("the backup reads");
    write("2");
    opens.send(()).expect("the gate waits");
    assert_eq!(read.recv().expect("the backup is read"), [b"1"; 3]);
    assert!(!store.in_vain.load(Ordering::SeqCst), "the commit waited for the backup");
}
