//! Data of earlier versions loads forever: `golden/vN*.jsonl` are backups written with version N of the schema.

use chat::RoomId;
use journal::backup;
use journal::keys::TableId;
use journal::store::{Memory, Store};
use std::fs;
use std::path::Path;
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
