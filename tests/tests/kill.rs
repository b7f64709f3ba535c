//! kill -9 during a stream of commands: no answered command is lost, and nothing is played twice.
//!
//! `ASTRAGAL_KILLS` sets the number of kills. The default is 50; `tests/run --long` uses 1,000.

use chat::RoomId;
use journal::keys::{self, TableId};
use journal::store::Store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tests::{Conversation, astragal};

/// Commands typed at once in each run, more than the bot can play before it is killed.
const TYPED: u64 = 40;

/// A small generator with a fixed seed: kills come at random moments, the same on every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Reads `mia: (again) inspiration 7 (+1) #12` as 12 and the text for that number.
fn numbered(line: &str) -> Option<(u64, String)> {
    let (_, number) = line.rsplit_once(" #")?;
    let said = line.strip_prefix("mia: ")?;
    let said = said.strip_prefix("(again) ").unwrap_or(said);
    Some((number.parse().ok()?, said.strip_prefix("(corrected) ").unwrap_or(said).to_owned()))
}

/// Reads `inspiration 7 (+1) #12` as 7.
fn inspiration(said: &str) -> Option<u64> {
    let held = said.strip_prefix("inspiration ")?;
    held.split_once(' ').map_or(held, |(held, _)| held).parse().ok()
}

#[test]
fn nothing_answered_is_lost_and_nothing_is_played_twice() {
    let kills: u64 = std::env::var("ASTRAGAL_KILLS").map_or(50, |kills| kills.parse().expect("a number"));
    let data = tempfile::tempdir().unwrap();
    let mut chance = Chance(7);
    let mut bot = Conversation::start(data.path());
    bot.ask("!plugin enable mvk");
    // The answer to each number, over all runs. A repeated number must have the same answer.
    let mut said: BTreeMap<u64, String> = BTreeMap::new();
    let mut held = 0;
    for kill in 0..kills {
        for n in 0..TYPED {
            bot.type_line(if n % 4 == 3 { "!roll d6" } else { "!insp +1" });
            if n % 8 == 7 {
                bot.type_line("/edit !roll d6 + 1");
            }
        }
        let mut answered = held;
        for _ in 0..chance.below(TYPED / 2) {
            let Some((number, text)) = numbered(&bot.hear()) else { continue };
            answered = answered.max(inspiration(&text).unwrap_or_default());
            let before = said.insert(number, text.clone());
            assert!(before.is_none_or(|before| before == text), "#{number} has two answers");
        }
        // Kill it somewhere in the next command.
        for _ in 0..chance.below(200_000) {
            std::hint::spin_loop();
        }
        bot.kill();

        bot = Conversation::start(data.path());
        let now = bot.ask("!insp").strip_prefix("mia: ").and_then(inspiration).expect("a number");
        assert!(now >= answered, "kill {kill}: {answered} was answered, {now} is stored");
        assert!(now <= held + TYPED, "kill {kill}: {TYPED} commands made {held} into {now}");
        held = now;
    }
    assert!(bot.end());
    assert!(said.len() as u64 > kills, "hardly anything was played between the kills");
    check_journal(data.path(), held, &said);
}

/// The journal alone leads to what is stored, its chain and dice are intact, and it has every answer. Only a roll that
/// changed nothing may be lost, and then no other entry has its number.
fn check_journal(data: &Path, held: u64, said: &BTreeMap<u64, String>) {
    let store = astragal::store::look(&data.join("store")).expect("it opens");
    let table = TableId::of(&RoomId::new("console", "hall"));
    let audit = journal::audit(&store, &table).unwrap_or_else(|error| panic!("{error}"));
    let holdings = audit.document.pointer("/games/mvk/state/characters").and_then(Value::as_object);
    let holdings = holdings.expect("somebody holds something");
    let sum: u64 = holdings.values().filter_map(|each| each["inspiration"].as_u64()).sum();
    assert_eq!(sum, held);
    assert_eq!(audit.entries + audit.skipped, audit.last);
    for (number, text) in said {
        let key = keys::entry(&table, *number);
        match store.read(&key).expect("it can be read") {
            Some(entry) => {
                let page = journal::Page::of_stored(&key, &entry).expect("an entry");
                let answer = page.link.parts.answer.expect("nobody erased it");
                let answer: Value = serde_json::from_str(answer.value.get()).expect("JSON");
                assert_eq!(answer, **text, "#{number} differs in the journal");
            }
            None => assert_eq!(inspiration(text), None, "#{number} was answered but is not in the journal"),
        }
    }
}

/// A game before and after its author thought again.
const FIRST: &str = "format: 1\ngame: harbour\ntitle: Harbour\nabout: debts\n[sheet]\nheat: 0/100000\n[command risk]\n\
                     help: Risk it.\nroll: pool = 1d6\n4+: DONE | success\nelse: LOST | failure\nchange: heat +1\n";
const SECOND: &str = "\n[command calm]\nhelp: Calm down.\nelse: CALM\n";

#[test]
fn tables_on_two_versions_of_a_game_play_through_kills_side_by_side() {
    let data = tempfile::tempdir().unwrap();
    let (games, config) = (data.path().join("games"), data.path().join("c.toml"));
    fs::create_dir(&games).unwrap();
    fs::write(&config, format!("games = {games:?}\n")).unwrap();
    let store = data.path().join("data");
    let write = |text: &str| fs::write(games.join("harbour.game"), text).unwrap();
    write(FIRST);
    let start = || Conversation::with(astragal(&store).arg("--config").arg(&config));
    let heat = |answer: &str| -> u64 {
        let of = answer.split_once("heat ").and_then(|(_, heat)| heat.split_once('/')).map(|(heat, _)| heat.parse());
        of.unwrap_or_else(|| panic!("{answer}")).expect("a number")
    };
    let mut bot = start();
    assert!(bot.ask("!plugin enable harbour").contains("enabled"));
    bot.ask("!risk");
    write(&format!("{FIRST}{SECOND}"));
    let mut chance = Chance(3);
    let mut held = [1, 0];
    for _ in 0..8 {
        for _ in 0..6 {
            bot.type_line("!risk");
        }
        for _ in 0..chance.below(4) {
            bot.hear();
        }
        bot.kill();
        bot = start();
        // This table began with the first version, whose command there is no other; another begins with the second one.
        bot.type_line("!calm");
        let old = heat(&bot.ask("!heat"));
        assert!(bot.ask("/room den").contains("den"));
        let said = bot.ask("!plugin enable harbour");
        assert!(said.contains("enabled"), "{said}");
        assert!(bot.ask("!calm").contains("CALM"));
        let new = heat(&bot.ask("!risk"));
        assert!((held[0]..=held[0] + 6).contains(&old) && new == held[1] + 1, "{held:?}, {old} and {new}");
        held = [old, new];
        assert!(bot.ask("/room hall").contains("hall"));
    }
    assert!(bot.end());
    let store = astragal::store::look(&store.join("store")).expect("it opens");
    for (room, heat) in ["hall", "den"].into_iter().zip(held) {
        let table = TableId::of(&RoomId::new("console", room));
        let audit = journal::audit(&store, &table).unwrap_or_else(|error| panic!("{room}: {error}"));
        let noted = audit.document.to_string();
        assert!(noted.contains(&format!("\"heat\":\"{heat}/100000\"")), "{room}: {noted}");
    }
}
