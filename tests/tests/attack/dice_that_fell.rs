//! Nobody chooses their dice: every die that fell is in an entry.

use crate::attack::seated::{self, Came, Seated, Seating};
use chat::Recipient;
use dice::fair::{FairDice, MessageKey};
use dice::{Dice, DiceError, Die};
use journal::keys;
use journal::store::Store;
use journal::{Entry, Page, audit};
use proptest::prelude::{Strategy, any, prop};
use proptest::sample::select;
use proptest::{prop_oneof, proptest};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use table::DiceBox;

/// A roll that is refused unless the d20 shows a 20.
const ONLY_A_TWENTY: &str = "!roll (1d20-21)*9000000000000000000/9000000000000000000+21";

/// Every roll, in order, with the key of its command.
type Thrown = Arc<Mutex<Vec<(MessageKey, Vec<Die>)>>>;

/// Fair dice that remember each roll, whatever the bot does with it.
#[derive(Clone, Default)]
struct Watched(Thrown);

struct WatchedDice {
    fair: FairDice,
    key: MessageKey,
    thrown: Vec<Die>,
    all: Thrown,
}

impl DiceBox for Watched {
    fn dice(&self, seed: &[u8; 32], key: &MessageKey) -> Box<dyn Dice + Send> {
        let fair = FairDice::new(seed, key);
        Box::new(WatchedDice { fair, key: key.clone(), thrown: Vec::new(), all: self.0.clone() })
    }
}

impl Dice for WatchedDice {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        let value = self.fair.throw(sides)?;
        self.thrown.push(Die { sides, value });
        Ok(value)
    }
}

impl Drop for WatchedDice {
    fn drop(&mut self) {
        self.all.lock().expect("a step of the test works").push((self.key.clone(), std::mem::take(&mut self.thrown)));
    }
}

/// Ann and Bob at a table whose dice are watched.
struct Table {
    seated: Seated,
    watched: Watched,
}

impl Table {
    fn new() -> Self {
        let watched = Watched::default();
        let games = || vec![mvk::plugin(), roll::plugin()];
        Table { seated: Seating::of(games).dice(watched.clone()).people(&["Ann", "Bob"]).seat(), watched }
    }

    fn say(&mut self, who: &str, body: &str) -> Came {
        self.seated.say(who, body)
    }

    fn edit(&mut self, who: &str, original: &str, body: &str) -> Came {
        self.seated.edit(who, original, body)
    }

    /// The entries with their dice, including secret ones.
    fn entries(&self) -> Vec<(Entry, Vec<Die>)> {
        let all = keys::entries(&seated::table());
        let records = self.seated.store.scan(&all, None, 10_000).expect("memory does not fail");
        let entry = |(key, bytes): (String, Vec<u8>)| {
            let page = Page::of_stored(&key, &bytes).expect("an entry");
            let dice = page.link.parts.dice.as_ref().expect("dice are never erased");
            let dice = serde_json::from_str(dice.value.get()).expect("dice");
            (page.entry, dice)
        };
        records.into_iter().map(entry).collect()
    }

    /// Checks that every die rolled is in the journal, and that no command ever tried different dice.
    fn every_die_is_written_down(&self) {
        let mut fell: BTreeMap<MessageKey, Vec<Die>> = BTreeMap::new();
        for (key, dice) in self.watched.0.lock().expect("a step of the test works").iter() {
            let before = fell.entry(key.clone()).or_default();
            let (short, long) = if dice.len() < before.len() { (dice, &*before) } else { (&*before, dice) };
            assert!(long.starts_with(short), "other dice were tried for {key:?}: {short:?}, then {long:?}");
            *before = long.clone();
        }
        let mut written: BTreeMap<MessageKey, Vec<Die>> = BTreeMap::new();
        for (entry, dice) in self.entries() {
            let before = written.insert(entry.key.clone(), dice.clone()).unwrap_or_default();
            assert!(dice.starts_with(&before), "#{} does not begin with the dice of the version before", entry.number);
        }
        for (key, dice) in fell.iter().filter(|(_, dice)| !dice.is_empty()) {
            assert_eq!(written.get(key), Some(dice), "these dice fell for {key:?} and are in no entry");
        }
        audit(&*self.seated.store, &seated::table()).expect("the journal is whole");
    }
}

#[test]
fn a_roll_that_overflows_only_for_some_dice_is_an_entry() {
    let mut table = Table::new();
    let came = table.say("Ann", ONLY_A_TWENTY);
    assert!(came.ok());
    let [(entry, dice)] = &table.entries()[..] else { panic!("one entry: {:?}", table.entries()) };
    assert_eq!((entry.number, dice.len()), (1, 1));
    let text = came.all();
    assert!(text.starts_with("no effect: "), "{text}");
    assert!(text.ends_with(&format!("| {} #1", dice[0])), "{text}");
    table.every_die_is_written_down();
}

#[test]
fn nobody_gets_a_twenty_by_editing_a_roll_refused_without_one() {
    let mut table = Table::new();
    let first = table.say("Ann", ONLY_A_TWENTY);
    let fell = first.dice();
    for extra in 0..14 {
        table.edit("Ann", &first.id, &format!("{ONLY_A_TWENTY}+{extra}"));
    }
    let last = table.edit("Ann", &first.id, "!roll 1d20+5");
    assert_eq!(last.dice(), fell);
    table.every_die_is_written_down();
}

#[test]
fn a_refused_edit_shows_the_dice_it_rolled() {
    let mut table = Table::new();
    let first = table.say("Ann", "!roll 1d20");
    let edited =
        table.edit("Ann", &first.id, "!roll 1d20 + 0*1d20 + 1/(1d4-1d4-9) * 9000000000000000000 * 9000000000000000000");
    assert!(edited.all().starts_with("no effect: "), "{}", edited.all());
    assert_eq!(edited.dice().len(), 4);
    let third = table.edit("Ann", &first.id, "!roll 1d20");
    assert!(third.all().contains("keeps the dice that fell"), "{}", third.all());
    table.every_die_is_written_down();
}

#[test]
fn an_edit_of_several_lines_cannot_peek_at_the_next_dice() {
    let mut table = Table::new();
    let first = table.say("Ann", "!roll 1d20\n!insp +1");
    // The first line rolls two more dice and the second cannot be parsed, so the whole edit comes to nothing.
    let edited = table.edit("Ann", &first.id, "!roll 3d20\n!insp nonsense more nonsense");
    assert!(edited.all().contains("no effect"), "{}", edited.all());
    table.every_die_is_written_down();
}

#[test]
fn a_refusal_before_any_die_falls_costs_and_leaves_nothing() {
    let mut table = Table::new();
    let refused = table.say("Ann", "!roll 2d6x");
    assert!(refused.refused());
    assert!(table.entries().is_empty());
    // The edit rolls the dice that the message itself would have rolled.
    table.edit("Ann", &refused.id, "!roll 2d6");
    let entries = table.entries();
    assert_eq!(entries[0].0.key.id, refused.id);
    table.every_die_is_written_down();
}

#[test]
fn a_secret_roll_that_comes_to_nothing_stays_secret_and_is_seen() {
    let mut table = Table::new();
    let came = table.say("Ann", &ONLY_A_TWENTY.replace("!roll", "!secret roll"));
    assert!(table.entries()[0].0.secret);
    let posts = came.heard.posts.iter();
    let in_the_room: Vec<_> = posts.filter(|outgoing| outgoing.post.to == Recipient::Room).collect();
    assert_eq!(in_the_room.len(), 1);
    assert_eq!(came.public(), "#1: a secret roll by Ann");
}

#[test]
fn a_value_changed_by_dice_that_are_refused_keeps_them_in_the_journal() {
    let mut table = Table::new();
    table.say("Ann", "!set hp 20/20; big 999999999999");
    for line in ["!hp +1d20*9000000000000000000", "!hp +1d20/0", "!big = 999999999999+1d9999999"] {
        let came = table.say("Ann", line);
        assert!(came.all().starts_with("no effect: ") && came.dice().len() == 1, "{line}: {}", came.all());
    }
    let refused = table.say("Ann", "!secret hp -1d4");
    assert!(refused.refused() && table.entries().len() == 4, "{}", refused.all());
    assert_eq!(table.say("Ann", "!hp").all(), "hp 20/20");
    table.every_die_is_written_down();
}

#[test]
fn a_roll_that_comes_to_nothing_can_be_explained_and_undone() {
    let mut table = Table::new();
    table.say("Ann", ONLY_A_TWENTY);
    assert!(table.say("Bob", "!why #1").all().contains("rolled, in this order: d20="));
    assert!(table.say("Ann", "!undo").all().contains("discards d20="));
    table.every_die_is_written_down();
}

/// Lines of a player who tries to choose their dice.
const LINES: &[&str] = &[
    ONLY_A_TWENTY,
    "!roll 1d20+5",
    "!set hp 20/20",
    "!hp -1d20",
    "!hp = 1d20/(1d2-1)",
    "!roll 2d20kh1+5",
    "!roll 1d20/(1d2-1)",
    "!roll 1d20 # again\n!roll (1d4-5)*9000000000000000000",
    "!roll 1d1!",
    "!roll 3x 1d20/(1d2-1)",
    "!roll 1d6x",
    "!roll d20; d12; (1d4-5)*9000000000000000000",
    "!secret roll 1d20",
    "!secret roll 1d20/(1d2-1)",
    "!act d8 d10",
    "!act d8 d10 vs 17",
    "!act d8 d10 adv\n!act d8",
    "!vs 15",
    "!counter d12",
    "!insp +1",
    "!macro lucky roll (1d20-21)*9000000000000000000/9000000000000000000+21",
    "!lucky",
    "!as Ogre roll 1d20/(1d2-1)",
    "!undo",
    "!redo",
    "!roll again",
    "!roll +1d20/(1d2-1)",
    "!odds act d8 d10",
    "nothing",
];

#[derive(Clone, Debug)]
enum Move {
    Say(&'static str, &'static str),
    Edit(&'static str, prop::sample::Index, &'static str),
}

fn step() -> impl Strategy<Value = Move> {
    let who = || select(&["Ann", "Bob"][..]);
    prop_oneof![
        2 => (who(), select(LINES)).prop_map(|(who, line)| Move::Say(who, line)),
        3 => (who(), any::<prop::sample::Index>(), select(LINES)).prop_map(|(who, which, line)| Move::Edit(who, which, line)),
    ]
}

proptest! {
    #![proptest_config(proptest::test_runner::Config {
        failure_persistence: None,
        ..proptest::test_runner::Config::with_cases(60)
    })]

    #[test]
    fn repeated_attempts_leave_every_die_in_the_journal(steps in prop::collection::vec(step(), 1..30)) {
        let mut table = Table::new();
        let mut ids = Vec::new();
        for step in steps {
            match step {
                Move::Say(who, line) => ids.push(table.say(who, line).id),
                Move::Edit(who, which, line) if !ids.is_empty() => {
                    let id: &String = which.get(&ids);
                    table.edit(who, id, line);
                }
                Move::Edit(..) => {}
            }
        }
        table.every_die_is_written_down();
    }
}
