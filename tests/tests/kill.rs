//! kill -9 while commands stream in: nothing that was answered is lost, nothing is played twice.
//!
//! `ASTRAGAL_KILLS` says how often; 50 without it, 1,000 with `tests/run --long`.

use chat::RoomId;
use journal::keys::{self, TableId};
use journal::store::Store;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use tests::Conversation;

/// Commands that are typed at once in each run, more than it will live to play.
const TYPED: u64 = 40;

/// A small generator with a fixed seed: where the kills fall is chance, but the same chance each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// `mia: (again) inspiration 7 (+1) #12` as 12 and what was said under that number.
fn numbered(line: &str) -> Option<(u64, String)> {
    let (_, number) = line.rsplit_once(" #")?;
    let said = line.strip_prefix("mia: ")?;
    let said = said.strip_prefix("(again) ").unwrap_or(said);
    Some((number.parse().ok()?, said.strip_prefix("(corrected) ").unwrap_or(said).to_owned()))
}

/// `inspiration 7 (+1) #12` as 7.
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
    // What each number was said for, over all runs: a number that comes twice must say the same.
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
            assert!(before.is_none_or(|before| before == text), "#{number} was said for two things");
        }
        // Somewhere in the next command.
        for _ in 0..chance.below(200_000) {
            std::hint::spin_loop();
        }
        bot.kill();

        bot = Conversation::start(data.path());
        let now = bot.ask("!insp").strip_prefix("mia: ").and_then(inspiration).expect("a number");
        assert!(now >= answered, "kill {kill}: {answered} was answered, {now} is held");
        assert!(now <= held + TYPED, "kill {kill}: {TYPED} commands made {held} into {now}");
        held = now;
    }
    assert!(bot.end());
    assert!(said.len() as u64 > kills, "hardly anything was played between the kills");
    check_journal(data.path(), held, &said);
}

/// The journal alone leads to what is held, its chain and dice are whole, and it knows what was said under each number:
/// only a roll that changed nothing may be lost, and then its number is nobody else's.
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
                assert_eq!(answer, **text, "#{number} is another in the journal");
            }
            None => assert_eq!(inspiration(text), None, "#{number} was answered and is not there"),
        }
    }
}
