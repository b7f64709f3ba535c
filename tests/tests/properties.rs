//! Properties of any sequence of commands.

use dice::Die;
use journal::store::{Memory, Store};
use proptest::prelude::{Strategy, any, prop};
use proptest::sample::select;
use proptest::{prop_oneof, proptest};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::OutcomeKind;
use tests::seated::{self, Seating, hall};

/// Lines that are played or refused, depending on the lines before them.
const LINES: &[&str] = &[
    "roll 4d6kh3",
    "roll 2d6! # fire",
    "roll 1d1!",
    "roll 4d6kx",
    "roll 1000d6!>=2",
    "act d8 d10",
    "act d8 d10 vs 15",
    "act 2d6 adv st",
    "act d7",
    "counter d12 dis",
    "vs 12",
    "vs #3 12",
    "vs Bob 9",
    "crit impact",
    "crit inspire",
    "scratch d8",
    "insp +1",
    "insp -1",
    "insp Bob +2",
    "insp Nobody",
    "spend inspiration",
    "stress overwhelmed",
    "stress clear",
    "sheet",
    "iam Tsubame",
    "iam Oni",
    "as Ogre act d12",
    "as Bob act d4",
    "pc Ogre @Cem",
    "gm me",
    "gm remove Ann",
    "game mvk",
    "table name Kaiju",
    "plugin enable mvk",
    "room prefix !",
    "help act",
    "1",
    "2",
    "undo",
    "undo #2",
    "redo",
    "erase #3",
    "secret act d8",
    "reveal #4",
    "fair reveal",
    "fair reveal all",
    "export",
    "waiting",
    "history",
    "recap",
    "why",
    "seal strike",
    "unseal",
    "nonsense",
];

#[derive(Clone, Debug)]
struct Said {
    who: &'static str,
    line: String,
}

fn said() -> impl Strategy<Value = Said> {
    let line = prop_oneof![9 => select(LINES).prop_map(str::to_owned), 1 => any::<String>()];
    let lines = prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n!"));
    (select(&["Ann", "Bob", "Cem"][..]), lines).prop_map(|(who, line)| Said { who, line })
}

/// The result of a sequence: all records, and the outcome and dice of each message's lines.
type Left = (BTreeMap<String, Vec<u8>>, BTreeMap<usize, Vec<(OutcomeKind, Vec<Die>)>>, Arc<Memory>);

fn play<'a>(lines: impl IntoIterator<Item = (usize, &'a Said)>) -> Left {
    let games = || vec![mvk::plugin(), roll::plugin()];
    let mut table = Seating::of(games).people(&["Ann", "Bob"]).admins(&["Cem"]).seat();
    let mut ended = BTreeMap::new();
    for (id, said) in lines {
        // A line keeps its id when lines before it are left out.
        table.said = u32::try_from(id).expect("few");
        let heard = table.say(said.who, &format!("!{}", said.line)).heard;
        ended.insert(id, heard.outcomes.into_iter().map(|outcome| (outcome.kind, outcome.dice)).collect());
    }
    table.put_away();
    (table.store.dump(), ended, table.store)
}

/// The records of tables and rooms, without those of messages.
fn remembered(records: &BTreeMap<String, Vec<u8>>) -> BTreeMap<&str, &[u8]> {
    let remembered = records.iter().filter(|(key, _)| key.starts_with("table/") || key.starts_with("room/"));
    remembered.map(|(key, value)| (key.as_str(), value.as_slice())).collect()
}

fn assert_same(left: &BTreeMap<&str, &[u8]>, right: &BTreeMap<&str, &[u8]>) {
    for key in left.keys().chain(right.keys()) {
        assert_eq!(left.get(key), right.get(key), "{key}");
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..proptest::test_runner::Config::with_cases(150) })]

    #[test]
    fn the_same_commands_give_the_same_bytes(lines in prop::collection::vec(said(), 1..40)) {
        let (first, ..) = play(lines.iter().enumerate());
        let (second, ..) = play(lines.iter().enumerate());
        assert_same(&remembered(&first), &remembered(&second));
        assert!(first == second);
    }

    #[test]
    fn a_refusal_changes_nothing_and_takes_no_dice(lines in prop::collection::vec(said(), 1..40)) {
        let (all, ended, _) = play(lines.iter().enumerate());
        let played = |id: &usize| ended[id].iter().any(|(kind, _)| *kind == OutcomeKind::Played);
        // The first line creates the table, whatever its outcome.
        let kept = lines.iter().enumerate().filter(|(id, _)| *id == 0 || played(id));
        let (without, ended_without, _) = play(kept);
        assert_same(&remembered(&all), &remembered(&without));
        for (id, outcome) in ended_without.iter().filter(|(id, _)| **id != 0) {
            assert_eq!(Some(outcome), ended.get(id), "line {id} went otherwise without the refusals");
        }
    }

    #[test]
    fn the_journal_alone_leads_to_what_is_stored(lines in prop::collection::vec(said(), 1..40)) {
        let (.., store) = play(lines.iter().enumerate());
        let table = seated::table();
        let audit = journal::audit(&*store, &table).expect("the journal is whole");
        assert_eq!(audit.entries, audit.last);
        for (key, pointer) in [
            (journal::keys::game(&table, "mvk"), "/games/mvk".to_owned()),
            (journal::keys::doc(&table), "/table".to_owned()),
            (journal::keys::room(&hall()), journal::pointer("/rooms", &hall().to_string())),
        ] {
            let stored = store.read(&key).expect("memory does not fail");
            let mut stored: Option<Value> = stored.map(|bytes| serde_json::from_slice(&bytes).expect("JSON"));
            // The last entry to change each place is stored for undo, and is not a change itself.
            stored.as_mut().and_then(Value::as_object_mut).map(|fields| fields.remove("touched"));
            assert_eq!(audit.document.pointer(&pointer), stored.as_ref(), "{key}");
        }
    }
}
