//! The last entries of players and characters have records of their own. A command writes no more where thousands have
//! played, and an old head, which holds them all, is converted without anybody noticing.

#[path = "last_entries/stage.rs"]
mod stage;

use chat::{CharacterId, Event};
use jiff::Timestamp;
use journal::documents::{Head, RoomDoc};
use journal::export::{Exported, write_all};
use journal::keys::{self, Last};
use journal::moving::Moved;
use journal::store::{Batch, Memory, Store};
use journal::{Entropy, audit};
use stage::{Stage, player, room, table, told};
use std::sync::atomic::Ordering;
use table::{Heard, OutcomeKind};

/// Three people, one of whom gets another id, and a guest; something is undone. Returns the number of messages too.
fn scene() -> (Stage, i64) {
    let mut stage = Stage::new();
    for (who, line) in [("ann", "!toss"), ("bob", "!tally"), ("ann", "!tally"), ("cem", "!toss"), ("bob", "!undo")] {
        stage.say(who, line);
    }
    stage.renamed("cem", "cemil");
    stage.say("cemil", "!tally");
    stage.seat(497);
    assert_eq!(stage.say("late", "!toss").outcomes[0].entry, Some(8), "a guest rolls");
    assert!(!told(&stage.say("late", "!tally")).contains("in all"), "and has no seat");
    stage.put_away();
    (stage, 10)
}

fn bytes(batch: &Batch) -> usize {
    batch.iter().map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len)).sum()
}

#[test]
fn a_command_writes_no_more_where_thousands_have_played() {
    let written = |seen: u64| {
        let mut stage = Stage::new();
        for n in 0..10 {
            stage.say(&format!("player{n}"), "!toss");
        }
        let (mut head, doc) = (stage.head(), stage.read(&keys::doc(&table())));
        for n in 0..seen {
            head.players.insert(player(&format!("gone{n}")), 1);
            head.characters.insert(CharacterId(1_000 + n as u32), 1);
        }
        head.next_character += 10_000;
        stage.write(&head, &doc);
        stage.say("player0", "!tally");
        ["!toss", "!tally"].map(|line| bytes(&stage.say("player0", line).batch))
    };
    let (few, many) = (written(0), written(5_000));
    for (few, many) in few.into_iter().zip(many) {
        assert!(few.abs_diff(many) <= 8, "{few} bytes and {many}");
        assert!(few < 4_000, "{few}");
    }
}

#[test]
fn each_version_gets_the_heads_that_it_knows() {
    let (stage, _) = scene();
    assert!(!stage.head().holds_last_entries());
    let older = stage.older(keys::OLDEST_SCHEMA);
    let head: Head = serde_json::from_slice(&older.read(&keys::head(&table())).unwrap().unwrap()).unwrap();
    assert_eq!(head, stage.head_of_before());
    assert_eq!((head.players.len(), head.characters.len()), (3, 3));
    let mut left_out = stage.store.memory.dump();
    left_out.retain(|key, _| !older.dump().contains_key(key));
    assert!(left_out.keys().all(|key| Last::of_key(&table(), key).is_some()), "{:?}", left_out.keys());
    assert_eq!(left_out.len(), 6);
    // Unchanged records stay unchanged.
    let again = Stage::on(older, 1, 0).older(keys::OLDEST_SCHEMA);
    assert_eq!(serde_json::from_slice::<Head>(&again.dump()[&keys::head(&table())]).unwrap(), head);
    assert_eq!(Stage::on(stage.older(keys::SCHEMA), 1, 0).content(), stage.content());
}

/// Possible first actions at a table left by an older version.
const FIRST: [&str; 9] =
    ["toss", "tally", "undo", "renamed", "edit", "history ann", "recap", "guest", "forget me really"];

fn first(stage: &mut Stage, what: &str) -> Heard {
    match what {
        "renamed" => stage.renamed("bob", "bobby"),
        "guest" => stage.say("later", "!toss"),
        "edit" => {
            let message = stage.message("ann", "!toss\n!toss");
            stage.play(&Event::Edited { message, original: "3".to_owned() })
        }
        line => stage.say("ann", &format!("!{line}")),
    }
}

#[test]
fn a_head_of_before_is_taken_over_and_nobody_notices() {
    let (scene, said) = scene();
    for what in FIRST {
        let mut new = Stage::on(scene.copy(), 7, said);
        let mut old = Stage::on(scene.older(keys::OLDEST_SCHEMA), 7, said);
        assert!(old.head().holds_last_entries());
        assert_eq!(told(&first(&mut new, what)), told(&first(&mut old, what)), "{what}");
        for (who, line) in [
            ("ann", "!history"),
            ("ann", "!undo"),
            ("bob", "!redo"),
            ("bobby", "!undo"),
            ("cemil", "!undo"),
            ("newcomer", "!recap"),
            ("ann", "!history cem"),
            ("ann", "!forget me really"),
        ] {
            let (new, old) = (new.say(who, line), old.say(who, line));
            assert_eq!(told(&new), told(&old), "{what}, then {who} says {line}");
        }
        new.put_away();
        old.put_away();
        assert_eq!(new.content(), old.content(), "{what}");
        assert!(!old.head().holds_last_entries());
        audit(&*old.store, &table()).unwrap();
        let older: Head = serde_json::from_slice(&old.older(2).dump()[&keys::head(&table())]).unwrap();
        assert_eq!(older, old.head_of_before(), "{what}");
    }
}

#[test]
fn a_head_of_before_is_taken_over_in_one_batch_or_not_at_all() {
    let (scene, said) = scene();
    for what in ["toss", "renamed", "guest"] {
        let mut old = Stage::on(scene.older(keys::OLDEST_SCHEMA), 7, said);
        let before = old.store.memory.dump();
        old.store.fails.store(true, Ordering::Relaxed);
        let message = old.message("ann", "!toss");
        assert!(old.try_play(&Event::Said(message)).is_err());
        assert_eq!(old.store.memory.dump(), before);

        let batch = first(&mut old, what).batch;
        let head: Head = serde_json::from_slice(batch.get(&keys::head(&table())).unwrap().unwrap()).unwrap();
        assert!(!head.holds_last_entries(), "{what}");
        let moved = batch.iter().filter(|(key, _)| Last::of_key(&table(), key).is_some()).count();
        assert!(moved >= 6, "{what}: {moved} records go with the head");
        old.say("ann", "!toss");
        assert!(told(&old.say("ann", "!undo")).contains("undone"), "{what}");
    }
}

#[test]
fn a_table_moves_between_versions_with_its_guests() {
    let (mut scene, said) = scene();
    scene.say("later", "!toss");
    scene.put_away();
    let written = |store: &dyn Store| {
        let (read, mut file) = (|keys: &[String]| store.read_many(keys), Vec::new());
        let exported = Exported::of(&table(), read).unwrap().unwrap();
        write_all(&exported, store, Timestamp::UNIX_EPOCH, &mut file).unwrap();
        String::from_utf8(file).unwrap()
    };
    let file = written(&*scene.store);
    assert_eq!(file, written(&scene.older(keys::OLDEST_SCHEMA)), "an older version reads it too");
    let moved = Moved::read(&mut file.as_bytes()).unwrap();
    let (store, fresh) = (Memory::default(), RoomDoc::new(&room(), "!", &["toy".to_owned()].into()));
    let laid = moved.lay(&store, &room(), fresh, |_| true, &mut Entropy::from_seed([3; 32])).unwrap().unwrap();
    store.commit(&laid.batch).unwrap();
    let head: Head = serde_json::from_slice(&store.dump()[&keys::head(&laid.table)]).unwrap();
    assert!(!head.holds_last_entries());
    let mut there = Stage::on(store, 7, said + 1);
    assert!(told(&there.say("cemil", "!history cem")).contains("#4"), "the way back leads across the move");
    assert!(told(&there.say("cemil", "!undo")).contains("#6"));
    assert_eq!(there.say("later", "!toss").outcomes[0].kind, OutcomeKind::Played);
    // A tampered file is detected.
    let doctored = file.replace("\"n:cemil\":6", "\"n:cemil\":60");
    assert!(doctored != file && Moved::read(&mut doctored.as_bytes()).is_err());
}

#[test]
fn a_damaged_last_entry_is_named() {
    let (scene, said) = scene();
    let memory = scene.copy();
    let (mut batch, key) = (Batch::default(), keys::last_of_player(&table(), &player("ann")));
    batch.put(key.clone(), "\"three\"");
    memory.commit(&batch).unwrap();
    let mut stage = Stage::on(memory, 7, said);
    let message = stage.message("ann", "!toss");
    assert!(stage.try_play(&Event::Said(message)).unwrap_err().to_string().contains(&key));
}
