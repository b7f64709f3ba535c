//! Data of earlier versions loads forever: `golden/vN*.jsonl` are backups written with version N of the schema.

use chat::{Block, Event, Message, PlayerId, RoomId, Speaker};
use journal::keys::TableId;
use journal::store::{Memory, Store};
use journal::{Entropy, backup};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use table::{FairBox, Host, Settings, Sitting};
use tests::{answers, astragal, run};

fn golden(version: u32) -> String {
    format!("{}/golden/v{version}.jsonl", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_table_of_version_1_is_played_on() {
    let data = tempfile::tempdir().unwrap();
    let restored = astragal(data.path()).arg("restore").arg(golden(1)).output().unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let said = answers(&run(data.path(), b"/as Ann\n.sheet\n.table\n/as Bob\n.insp Tsubame -1\n.vs 40\n"));
    assert_eq!(said[1], "Tsubame: inspiration 2 | at the table: Bob inspiration 0, staggered");
    assert!(said[2].starts_with("Tsubame: Table The bay: main game none, referees Gus"), "{}", said[2]);
    // The data from before this version's changes is kept and can be restored.
    let before = data.path().join("backups/before-schema-4.jsonl");
    assert!(fs::read_to_string(&before).unwrap().contains("\"schema\":1"), "{}", before.display());
    let again = tempfile::tempdir().unwrap();
    assert!(astragal(again.path()).arg("restore").arg(&before).output().unwrap().status.success());
    assert_eq!(answers(&run(again.path(), b"/as Ann\n.sheet\n"))[1], said[1]);
    // The person at the console may use a referee's commands.
    assert!(said[4].starts_with("Bob: Tsubame: inspiration 1 (-1) #1"), "{}", said[4]);
    assert!(said[5].starts_with("Bob: COUNTERED"), "{}", said[5]);
}

#[test]
fn a_journal_of_version_1_is_whole() {
    let store = Memory::default();
    let file = fs::read(Path::new(&golden(1))).unwrap();
    backup::read(&mut &*file, |batch| store.commit(&batch)).unwrap();
    let audit = journal::audit(&store, &TableId::of(&RoomId::new("console", "hall"))).unwrap();
    assert_eq!((audit.entries, audit.last), (12, 12));
}

/// It has an undo, edits, secrets, sealed and erased text, and a published seed.
#[test]
fn a_journal_of_version_1_with_everything_in_it_is_played_on() {
    let file = format!("{}/golden/v1-journal.jsonl", env!("CARGO_MANIFEST_DIR"));
    let store = Memory::default();
    backup::read(&mut &*fs::read(&file).unwrap(), |batch| store.commit(&batch)).unwrap();
    let audit = journal::audit(&store, &TableId::of(&RoomId::new("console", "hall"))).unwrap();
    assert_eq!((audit.entries, audit.last), (17, 17));

    let data = tempfile::tempdir().unwrap();
    let restored = astragal(data.path()).arg("restore").arg(&file).output().unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let said =
        answers(&run(data.path(), b"/as Gus\n!undo #7\n!undo #6\n!unseal\n/as Ann\n!reveal #11\n!history 1 Ann\n"));
    assert!(said[1].contains("Gus's inspiration #7 is undone | Tsubame inspiration 3 \u{2192} 0"), "{said:?}");
    assert!(said[2].contains("Tsubame's roll #6 is undone"), "{said:?}");
    assert!(said[4].contains("I strike at the crest (#13)"), "{said:?}");
    assert!(said[7].starts_with("Tsubame: Revealed: Tsubame's #11, roll 4d6"), "{said:?}");
    assert!(said[9].contains("reveal #11"), "{said:?}");
}

/// It has what version 1 lacked: seeds of an epoch, erased words, a macro, a declaration, secret rolls.
#[test]
fn a_table_of_version_2_is_played_on() {
    let file = golden(2);
    let store = Memory::default();
    backup::read(&mut &*fs::read(&file).unwrap(), |batch| store.commit(&batch)).unwrap();
    let audit = journal::audit(&store, &TableId::of(&RoomId::new("console", "hall"))).unwrap();
    assert_eq!((audit.entries, audit.last), (17, 17));

    let data = tempfile::tempdir().unwrap();
    let restored = astragal(data.path()).arg("restore").arg(&file).output().unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let said = answers(&run(data.path(), b"/as Ann\n!redo\n!why #3\n/as Bob\n!hit\n/as Gus\n!unseal\n!history 3\n"));
    assert!(said[1].starts_with("Ann: #6 holds again"), "{said:?}");
    assert!(said[2].contains("erased"), "{said:?}");
    assert!(said.iter().any(|line| line.starts_with("Bob: ") && line.contains("1d20")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("I strike")), "{said:?}");
}

/// It was written when `d66` was one die with 66 sides: rolls, macros, a value and an order.
fn with_dice_of_66_sides() -> String {
    format!("{}/golden/v4-d66.jsonl", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn what_was_stored_when_d66_had_66_sides_still_rolls_that() {
    let data = tempfile::tempdir().unwrap();
    let restored = astragal(data.path()).arg("restore").arg(with_dice_of_66_sides()).output().unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    let lines =
        b"/as Ann\n!roll again\n!atk\n!pair\n!roll $wild\n!roll wild + 1\n!macro atk\n!scene The mill\n!roll d66\n\
        !macro new roll d66\n!new\n!roll d66\n";
    let said = answers(&run(data.path(), lines));
    let rolled = |notation: &str| said.iter().filter(|line| line.contains(&format!("| {notation} ["))).count();
    assert_eq!(rolled("1d66"), 5, "again, atk, $wild, wild + 1, the order at the scene: {said:?}");
    assert_eq!(rolled("2d(66)"), 1, "{said:?}");
    assert!(said.iter().any(|line| line.contains("| 1d66 [") && line.contains("] + 1 ")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("atk is roll 1d66 # old")), "{said:?}");
    // What is typed and stored now is two dice, and the table is told once.
    assert_eq!(rolled("d66"), 3, "{said:?}");
    let told: Vec<_> = said.iter().filter(|line| line.contains("For a die with 66 sides, type !roll 1d66")).collect();
    assert_eq!(told.len(), 1, "{said:?}");
}

#[test]
fn an_edit_of_a_roll_from_when_d66_had_66_sides_keeps_its_die() {
    let store: Arc<Memory> = Arc::default();
    let file = fs::read(with_dice_of_66_sides()).unwrap();
    backup::read(&mut &*file, |batch| store.commit(&batch)).unwrap();
    let settings = Settings { plugins: ["roll".to_owned()].into(), ..Settings::default() };
    let plugins = house::with_plugins(vec![roll::plugin()]).unwrap();
    let host = Host::new(settings, plugins, store, Entropy::from_seed([1; 32]), Box::new(FairBox)).unwrap();
    let mut sitting = Sitting::new(Arc::new(host));
    let mut edit = |id: &str, body: &str| {
        let speaker = Speaker::new(PlayerId::new("console", "ann"), "Ann");
        let hall = RoomId::new("console", "hall");
        let sent = "2026-11-26T19:00:00Z".parse().unwrap();
        let message = Message { unlimited: true, ..Message::new(id, hall, speaker, sent, body) };
        let heard = sitting.play(&Event::Edited { message, original: "b277419f8b670e30-9".to_owned() }).unwrap();
        let blocks = heard.posts.iter().flat_map(|outgoing| &outgoing.post.blocks);
        blocks.map(Block::plain).collect::<Vec<_>>().join("\n")
    };
    let edited = edit("e1", "!roll d66+2");
    assert!(edited.contains("58 | 1d66 [56] + 2 (edited, was #7)"), "{edited}");
}
