//! An imported file is never trusted: its records are checked one by one against its journal, and the operator sees the
//! contents before they confirm.

use super::forging::{export_of, header_of, moved_of, said, seed_of};
use journal::Fate;
use journal::export::Header;
use journal::moving::Moved;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;
use tests::forger::{doctored, forged, lines, say, summed_anew};
use tests::{answers, astragal, complaint, run};

/// A table with every kind of record: two epochs, the first one published, a secret roll, offers, a sealed declaration,
/// an edit, an undo, erased words.
const SCENE: &[u8] = b"!plugin enable mvk
/as Gus
!gm me
/as Ann
!iam Tsubame
!roll d20
!roll 2d6
/edit !roll 2d6 + d8
!secret roll 3d6
!secret roll 4d6
!fair reveal all
!seal I strike at the crest
!act d8 d6
/as Gus
!insp Ann +3
!undo
!redo
/as Ann
!roll d20 # to be forgotten
!erase #15
!secret roll 5d6
!roll 2d10
";

/// Why the import refuses a file, if it does.
fn refused(file: &[u8]) -> Option<String> {
    Moved::read(&mut &*file).err().map(|error| error.to_string())
}

/// The value of a record in the file.
fn record(file: &[u8], key: &str) -> Value {
    let begins = format!("{{\"key\":\"{key}\"");
    let line = lines(file).into_iter().find(|line| line.starts_with(begins.as_bytes()));
    let line = line.unwrap_or_else(|| panic!("there is no {key}"));
    serde_json::from_slice::<Value>(&line).expect("JSON")["value"].clone()
}

/// The file with more records.
fn with(file: &[u8], records: &[(&str, Value)]) -> Vec<u8> {
    let lines: String =
        records.iter().map(|(key, value)| format!("{{\"key\":\"{key}\",\"value\":{value}}}\n")).collect();
    doctored(file, "{\"end\"", &format!("{lines}{{\"end\""))
}

/// The file with one record changed.
fn changed(file: &[u8], key: &str, change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let before = record(file, key);
    let mut after = before.clone();
    change(&mut after);
    assert_ne!(before, after);
    let line = |value: &Value| format!("{{\"key\":\"{key}\",\"value\":{value}}}");
    let text = String::from_utf8(file.to_vec()).expect("text");
    let old = text.lines().find(|line| line.starts_with(&format!("{{\"key\":\"{key}\""))).expect("it is there");
    doctored(file, old, &line(&after))
}

fn import(data: &Path, file: &Path, more: &[&str]) -> Output {
    let mut command = astragal(data);
    command.arg("import").arg(file).args(["console/cellar", "--yes"]).args(more);
    command.output().expect("the program runs")
}

#[test]
fn a_doctored_record_never_publishes_the_seed_of_future_dice() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    assert_eq!(refused(&file), None);
    for (key, value) in
        [("published/0000000002", json!(3)), ("published/0000000003", json!(17)), ("published/2", json!(10))]
    {
        let why = refused(&with(&file, &[(key, value)])).unwrap_or_else(|| panic!("{key} is accepted"));
        assert!(why.contains(&format!("{key} is not what the journal led to")), "{why}");
    }
    // The same through the program, whose exports do not contain the live seed.
    let doctored_file = data.path().join("doctored.jsonl");
    fs::write(&doctored_file, with(&file, &[("published/0000000002", json!(3))])).unwrap();
    let to = tempfile::tempdir().unwrap();
    assert!(complaint(&import(to.path(), &doctored_file, &[])).contains("published/0000000002"));
    fs::write(&doctored_file, &file).unwrap();
    assert!(import(to.path(), &doctored_file, &[]).status.success());
    run(to.path(), b"/room cellar\n!roll d20\n");
    let out = to.path().join("export.jsonl");
    assert!(astragal(to.path()).args(["export", "cellar"]).arg(&out).output().unwrap().status.success());
    let seeds: BTreeSet<u32> = header_of(&fs::read(&out).unwrap()).seeds.into_keys().collect();
    assert_eq!(seeds, [1].into(), "only the published seed is there");
}

#[test]
fn a_doctored_head_neither_freezes_the_bot_nor_breaks_the_chain() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    for epoch in [0_u32, 1, 3, 4_294_967_294, u32::MAX] {
        let why = refused(&changed(&file, "head", |head| head["epoch"] = json!(epoch)));
        assert!(why.as_deref().is_some_and(|why| why.contains("head is not what")), "epoch {epoch}: {why:?}");
    }
    let doctor: [(&str, Value); 10] = [
        ("number", json!(3)),
        ("number", json!(u64::MAX)),
        ("hash", json!("0".repeat(64))),
        ("reserved", json!(3)),
        ("reserved", json!(3_000_000_000_u64)),
        ("reserved", json!(u64::MAX)),
        ("committed", json!(false)),
        ("next_character", json!(0)),
        ("next_character", json!(u32::MAX)),
        ("open", json!([4000])),
    ];
    for (field, value) in doctor {
        let why = refused(&changed(&file, "head", |head| head[field] = value.clone()));
        assert!(why.is_some(), "{field} {value} is accepted");
    }
    for whose in ["players", "characters"] {
        let why = refused(&changed(&file, "head", |head| {
            for last in head[whose].as_object_mut().expect("an object").values_mut() {
                *last = json!(u64::MAX);
            }
        }));
        assert!(why.is_some(), "{whose} are accepted");
    }
    // A far epoch whose seed would be revealed with the others, although the journal has no such seed.
    let far = changed(&file, "head", |head| head["epoch"] = json!(4_000_000_000_u32));
    let seed = json!("0".repeat(64));
    let far = with(&far, &[("seed/4000000000", seed.clone())]);
    let far = doctored(&far, "},\"moves\"", &format!(",\"4000000000\":{seed}}},\"moves\""));
    assert!(refused(&far).unwrap().contains("head is not what"));
}

#[test]
fn a_seed_other_than_the_committed_one_is_refused_everywhere() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    let other = json!("0".repeat(64));
    let seed = journal::hex(&seed_of(&file, 2));
    let in_both = String::from_utf8(file.clone()).unwrap().replace(&seed, &"0".repeat(64));
    assert!(refused(&summed_anew(in_both.as_bytes())).unwrap().contains("committed to"));
    assert!(refused(&changed(&file, "seed/2", |seed| *seed = other.clone())).unwrap().contains("seed/2"));
    assert!(refused(&with(&file, &[("seed/3", other.clone())])).unwrap().contains("seed/3"));
    assert!(refused(&with(&file, &[("seed/02", other)])).unwrap().contains("seed/02"));
    let without = lines(&file).into_iter().filter(|line| !line.starts_with(b"{\"key\":\"seed/2\"")).collect::<Vec<_>>();
    assert!(refused(&summed_anew(&without.concat())).unwrap().contains("seed/2"));
}

#[test]
fn nothing_secret_becomes_public_by_an_import() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    // #7 and #8 are secret rolls.
    assert!(refused(&changed(&file, "secret/0000000007", |epoch| *epoch = json!(2))).unwrap().contains("secret/"));
    let revealed = doctored_fate(&file, 7, json!({"revealed_by": 9}));
    assert!(refused(&revealed).unwrap().contains("what became of it"), "its parts would be in every export");
    let undone = doctored_fate(&file, 5, json!({"undone_by": 9}));
    assert!(refused(&undone).unwrap().contains("what became of it"));
    // Without the list of secrets the import still knows them from the journal.
    let without = lines(&file).into_iter().filter(|line| !line.starts_with(b"{\"key\":\"secret/")).collect::<Vec<_>>();
    let path = data.path().join("without.jsonl");
    fs::write(&path, summed_anew(&without.concat())).unwrap();
    let to = tempfile::tempdir().unwrap();
    let imported = import(to.path(), &path, &[]);
    assert!(imported.status.success(), "{}", complaint(&imported));
    let reveal = answers(&run(to.path(), b"/room cellar\n/as Gus\n!fair reveal\n")).join("\n");
    assert!(reveal.contains("dice of secret rolls: #"), "{reveal}");
}

fn doctored_fate(file: &[u8], number: usize, fate: Value) -> Vec<u8> {
    let fate: Fate = serde_json::from_value(fate).expect("a fate");
    forged(file, |links| links[number - 1].fate = fate.clone())
}

#[test]
fn a_record_that_the_journal_does_not_lead_to_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    let strange: [(&str, Value); 9] = [
        ("game/torg", json!({"version": 1, "state": {}})),
        ("roll/0000000001", json!({"character": 1, "game": "roll", "by": 1})),
        ("roll/0000004000", json!({"character": 1, "game": "roll", "by": 1})),
        ("latest/1/torg", json!(1)),
        ("latest/9/roll", json!(5)),
        ("offers/console:bob", json!({"choices": [{"entry": 4000, "character": 1, "command": "gm me"}], "shown": 1})),
        ("erased", json!(4000)),
        ("entry/0000000001", json!({})),
        ("../../room/console/hall", json!({})),
    ];
    for (key, value) in strange {
        assert!(refused(&with(&file, &[(key, value)])).is_some(), "{key} is accepted");
    }
    let twice = record(&file, "doc");
    assert!(refused(&with(&file, &[("doc", twice)])).unwrap().contains("twice"));
    let referee = changed(&file, "doc", |doc| doc["referees"]["console:mallory"] = json!("Mallory"));
    assert!(refused(&referee).unwrap().contains("doc is not what"));
    let touched = changed(&file, "doc", |doc| doc["touched"] = json!({"/referees": 4000}));
    assert!(refused(&touched).unwrap().contains("doc is not what"));
    let before = forged(&file, |links| links[9].before.character = Some(1));
    assert!(refused(&before).unwrap().contains("which entries are before it"));
    let forth = forged(&file, |links| links[9].before.player = Some(12));
    assert!(refused(&forth).unwrap().contains("which entries are before it"));
}

/// Anyone who knows the format can make up a file. Its gaps are refused before any loop runs over them.
#[test]
fn a_forged_gap_is_refused_by_the_import() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    let last = lines(&file).iter().filter(|line| line.starts_with(b"{\"hash\"")).count();
    for (rules, numbers) in [(2, 3_000_000_000_u64), (1, 65), (2, 65), (1, u64::MAX - 1000)] {
        let with_a_gap = forged(&file, |links| {
            let only = if rules == 1 { 0..last } else { last - 1..last };
            for link in &mut links[only] {
                say(link, |entry| {
                    entry["rules"] = json!(rules);
                    if rules == 1 {
                        // Such an entry is older than the other rules.
                        entry["time"] = json!("2026-11-01T09:00:00Z");
                    }
                });
            }
            say(&mut links[last - 1], |entry| {
                entry["skipped"] = json!([last, last as u64 - 1 + numbers]);
                entry["number"] = json!(last as u64 + numbers);
            });
        });
        let why = refused(&with_a_gap).unwrap_or_else(|| panic!("a gap of {numbers} is accepted"));
        assert!(why.contains(&format!("leaves out {numbers} numbers")), "{why}");
    }
}

#[test]
fn the_operator_sees_what_a_file_brings_before_they_say_yes() {
    let data = tempfile::tempdir().unwrap();
    let file = moved_of(data.path(), SCENE);
    let Header { last, .. } = header_of(&file);
    let path = data.path().join("export.jsonl");
    let with_a_gap = forged(&file, |links| {
        say(links.last_mut().expect("an entry"), |entry| {
            (entry["skipped"], entry["number"]) = (json!([last, last + 2]), json!(last + 3));
        });
    });
    // The records besides the journal no longer match.
    assert!(refused(&with_a_gap).is_some());
    let to = tempfile::tempdir().unwrap();
    let output = astragal(to.path()).arg("import").arg(&path).arg("console/cellar").output().unwrap();
    assert!(complaint(&output).contains("--yes"));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("who runs the game: Gus (console:gus)"), "{shown}");
    assert!(shown.contains("epochs of its dice: 2; seeds published: 1"), "{shown}");
    assert!(shown.contains("games enabled with it: mvk, roll"), "{shown}");
}

#[test]
fn an_import_enables_no_game_that_the_operator_does_not_offer() {
    let data = tempfile::tempdir().unwrap();
    moved_of(data.path(), SCENE);
    let file = data.path().join("export.jsonl");
    let to = tempfile::tempdir().unwrap();
    let config = to.path().join("astragal.toml");
    fs::write(&config, "[rooms]\nplugins = [\"roll\"]\nallowed = [\"roll\", \"torg\"]\n").unwrap();
    let mut command = astragal(to.path());
    let output =
        command.arg("--config").arg(&config).arg("import").arg(&file).args(["console/cellar", "--yes"]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("not enabled, since rooms.allowed does not have them: mvk"), "{shown}");
    // This is what the room itself holds, whatever the next configuration allows.
    let plugins = said(to.path(), b"/room cellar\n!room\n");
    assert!(!plugins.contains("mvk"), "{plugins}");
}

#[test]
fn numbered_choices_move_along() {
    let data = tempfile::tempdir().unwrap();
    let rolls = "!torg 12 dn hard\n".repeat(20);
    let file = moved_of(data.path(), format!("!plugin enable torg\n{rolls}!waiting\n").as_bytes());
    assert!(String::from_utf8_lossy(&file).contains("{\"key\":\"offers/"), "there is an offer");
    assert_eq!(refused(&file), None);
}

#[test]
fn a_tables_name_cannot_imitate_the_programs_output() {
    let data = tempfile::tempdir().unwrap();
    let file = export_of(data.path(), b"!roll d20\n");
    let told = "console/hall holds, #1 to #9\\n  chain head 1234: it is the one\\u001b[8m";
    let forged = doctored(&file, "\"table\":\"console/hall\"", &format!("\"table\":\"{told}\""));
    let path = data.path().join("forged.jsonl");
    fs::write(&path, forged).unwrap();
    let output = astragal(data.path()).arg("verify").arg(&path).output().unwrap();
    let said = String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap();
    assert!(!said.contains('\u{1b}') && !said.lines().any(|line| line.starts_with("  chain head 1234")), "{said}");
    assert!(
        !output.status.success() || said.contains("\"console/hall holds, "),
        "the name is shown as a quotation: {said}"
    );
}
