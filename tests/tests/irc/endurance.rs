//! However often a server or the bot dies, no accepted change is lost or doubled. An answer that may not have arrived
//! is repeated at most once, and marked.
//!
//! `ASTRAGAL_RESTARTS` and `ASTRAGAL_IRC_KILLS` set how often. The defaults are 5 and 20; `tests/run --long` uses 50
//! and 100.

use crate::irc::stage::{BOT, CHANNEL, Make, OnIrc, player, settings};
use chat::RoomId;
use journal::keys::TableId;
use journal::store::Store;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use tests::irc::{Client, Message, Ngircd, NgircdOptions, Scripted, plain};
use tests::unattended::Program;

/// How long to listen for late answers.
const LATE: Duration = Duration::from_millis(400);
/// The bot notices within this time that a link died silently.
const NOTICED: Duration = Duration::from_secs(90);

/// The answers heard for each entry: the words, how often without a mark and how often marked as repeated.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) BTreeMap<u64, (String, u32, u32)>);

impl Heard {
    /// Records a line such as `:astragal!x@y PRIVMSG #hall :mia: (again) inspiration 7 (+1) #12`.
    pub(crate) fn take(&mut self, line: &str) {
        let message = Message::parse(line);
        if !message.is_said(BOT, CHANNEL) {
            return;
        }
        let text = plain(message.text());
        let Some(said) = text.strip_prefix("mia: ") else { return };
        let Some(number) = text.rsplit_once(" #").and_then(|(_, number)| number.parse().ok()) else { return };
        let (words, again) = match said.strip_prefix("(again) ") {
            Some(words) => (words, true),
            None => (said, false),
        };
        let (before, unmarked, marked) = self.0.entry(number).or_default();
        assert!(before.is_empty() || before == words, "#{number} was {before:?}, and then {words:?}");
        words.clone_into(before);
        *unmarked += u32::from(!again);
        *marked += u32::from(again);
        assert!(*unmarked <= 1 && *marked <= 1, "#{number} was said too often: {words:?}");
    }

    /// The highest inspiration in any answer.
    fn most(&self) -> u64 {
        let held = |words: &str| words.strip_prefix("inspiration ")?.split(' ').next()?.parse::<u64>().ok();
        self.0.values().filter_map(|(words, ..)| held(words)).max().unwrap_or_default()
    }
}

/// The journal leads to what is stored and contains every answer, and each change counts once.
pub(crate) fn whole(store: &dyn Store, heard: &Heard) {
    let table = TableId::of(&RoomId::new("irc", CHANNEL));
    let audit = journal::audit(store, &table).unwrap_or_else(|error| panic!("{error}"));
    let held = audit.document.pointer("/games/mvk/state/characters").and_then(serde_json::Value::as_object);
    let held: u64 =
        held.into_iter().flat_map(|held| held.values()).filter_map(|each| each["inspiration"].as_u64()).sum();
    assert!(held >= heard.most(), "{} was answered, {held} is stored", heard.most());
    let mut changes = 0;
    for (number, (words, ..)) in &heard.0 {
        let key = journal::keys::entry(&table, *number);
        let entry = store.read(&key).expect("it can be read");
        let Some(entry) = entry else {
            assert!(!words.starts_with("inspiration"), "#{number} was answered and is not there: {words}");
            continue;
        };
        let page = journal::Page::of_stored(&key, &entry).expect("an entry");
        let answer = page.link.parts.answer.as_ref().map(|part| part.value.get()).unwrap_or_default();
        let answer: String = serde_json::from_str(answer).unwrap_or_default();
        assert_eq!(answer, *words, "#{number} differs in the journal");
        changes += u64::from(words.starts_with("inspiration"));
    }
    assert!(changes <= held, "{changes} changes were answered, {held} is stored");
}

pub(crate) fn times(variable: &str, few: u32) -> u32 {
    std::env::var(variable).map_or(few, |times| times.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_during_play_loses_nothing() {
    let server = Ngircd::start(&NgircdOptions::default());
    let bot = Make { unlimited: true, ..Make::default() }.start(settings(server.port(), ""));
    let mut heard = Heard::default();
    for round in 0..times("ASTRAGAL_RESTARTS", 5) {
        let mut mia = player(server.port(), "mia");
        mia.drain(LATE).iter().for_each(|line| heard.take(line));
        for n in 0..20 {
            mia.say(CHANNEL, if n % 4 == 3 { "!roll d6" } else { "!insp +1" });
        }
        // Some rounds end at once, some in the middle of the answers, some after them.
        for _ in 0..round % 5 * 4 {
            let line = mia.wait_for(|line| Message::parse(line).is_said(BOT, CHANNEL));
            heard.take(&line);
        }
        server.kill();
        mia.drain(LATE).iter().for_each(|line| heard.take(line));
        server.restart();
    }
    let mut mia = player(server.port(), "mia");
    mia.drain(LATE).iter().for_each(|line| heard.take(line));
    mia.say(CHANNEL, "!insp +1");
    heard.take(&mia.wait_for(|line| Message::parse(line).is_said(BOT, CHANNEL) && !line.contains("(again)")));
    let store = bot.stop().await;
    assert!(heard.0.len() > 10, "hardly anything was heard");
    whole(&*store, &heard);
}

#[test]
fn a_bot_that_is_killed_during_play_loses_and_doubles_nothing() {
    let server = Ngircd::start(&NgircdOptions::default());
    let data = tempfile::tempdir().unwrap();
    let config = data.path().join("astragal.toml");
    let text = format!(
        "[limits]\nper_player = 100000\nper_table = 100000\nsame_answers = 100000\n[rooms]\nplugins = [\"roll\", \"mvk\"]\n\
         [irc.irc]\nserver = \"127.0.0.1\"\nport = {}\ntls = false\nline_every_ms = 0\nreconnect_first_ms = 100\n\
         [irc.irc.channels]\n\"{CHANNEL}\" = {{}}\n",
        server.port()
    );
    std::fs::write(&config, text).unwrap();
    let store = data.path().join("data");
    let mut heard = Heard::default();
    let mut mia = Client::connect(server.port(), "mia");
    mia.join(CHANNEL);
    let here = |line: &str| line.starts_with(&format!(":{BOT}!")) && line.contains(" JOIN ");
    let gone = |line: &str| line.starts_with(&format!(":{BOT}!")) && line.contains(" QUIT");
    let mut chance = 7u64;
    for _ in 0..times("ASTRAGAL_IRC_KILLS", 20) {
        let bot = Program::start(&store, &config);
        mia.wait_for(here);
        for n in 0..20 {
            mia.say(CHANNEL, if n % 4 == 3 { "!roll d6" } else { "!insp +1" });
        }
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((chance >> 33) % 60_000));
        drop(bot);
        loop {
            let line = mia.next();
            heard.take(&line);
            if gone(&line) {
                break;
            }
        }
    }
    let bot = Program::start(&store, &config);
    mia.wait_for(here);
    mia.drain(LATE).iter().for_each(|line| heard.take(line));
    mia.say(CHANNEL, "!insp +1");
    heard.take(&mia.wait_for(|line| Message::parse(line).is_said(BOT, CHANNEL)));
    drop(bot);
    assert!(heard.0.len() > 20, "hardly anything was heard");
    whole(&astragal::store::look(&store.join("store")).expect("it opens"), &heard);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_died_silently_is_noticed_in_time() {
    let server = Scripted::listen();
    let bot = Make::default().start(settings(server.port(), ""));
    let mut peer = server.accept();
    peer.register("irc.test", "CHANTYPES=#");
    peer.expect("JOIN");
    #[expect(clippy::disallowed_methods, reason = "what is tested is a time")]
    let silent_since = Instant::now();
    // From here on the server is silent, without closing the link.
    let again = server.try_accept(NOTICED);
    assert!(again.is_some(), "after {:?} it still waits", silent_since.elapsed());
    drop((peer, again));
    bot.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_frozen_server_is_left_and_found_again() {
    let server = Ngircd::start(&NgircdOptions { ping_timeout: 5, ..NgircdOptions::default() });
    let bot = Make::default().start(settings(server.port(), "ping_seconds = 1"));
    let mut mia = player(server.port(), "mia");
    server.freeze();
    // This must be longer than the bot's patience, which is not visible from outside: the frozen server's port still
    // accepts links.
    std::thread::sleep(Duration::from_secs(4));
    server.thaw();
    // The bot did not just wait: the old link ended, and it came back on a new one.
    let bots = |line: &str| line.starts_with(&format!(":{BOT}"));
    mia.wait_for(|line| bots(line) && line.contains(" QUIT "));
    mia.wait_for(|line| bots(line) && line.contains(" JOIN "));
    mia.drain(LATE);
    mia.say(CHANNEL, "!roll 3d1");
    mia.wait_for(|line| line.contains(": \u{2}3\u{f} | 3d1"));
    bot.stop().await;
}
