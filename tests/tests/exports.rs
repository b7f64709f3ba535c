//! Exported journals: the program and the page in a browser verify them, catch changes, and tables move with them.

use journal::{Link, Parts};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tests::browser::Browser;
use tests::forger::{forged, lines, replace, summed, wrong};
use tests::{Conversation, answers, astragal, complaint, run};

/// A scene with everything an export can contain. The seed of the first epoch is published.
const SCENE: &[u8] = b"!plugin enable mvk
/as Gus
!gm me
/as Ann
!iam Tsubame
!roll d20 # an umlaut \xc3\xa4, a quote \" and a backslash \\
!roll 10d6!kh5 + 2d8
/edit !roll 10d6!kh6 + 2d8
/as Gus
!insp Ann +3
!undo
!redo
/as Ann
!secret roll 3d6
!secret roll 4d6
!reveal #10
!seal I strike at the crest
!roll d20 # to be forgotten
!erase #14
!fair reveal all
!roll 2d10
";

fn play(data: &Path) {
    let output = run(data, SCENE);
    let answers = answers(&output);
    assert!(output.status.success() && answers.last().is_some_and(|last| last.ends_with("#17")), "{answers:?}");
}

fn export(data: &Path, kind: &[&str]) -> PathBuf {
    let file = data.join(format!("export{}.jsonl", kind.concat()));
    let output = astragal(data).arg("export").arg("hall").arg(&file).args(kind).output().expect("the program runs");
    assert!(output.status.success(), "{}", complaint(&output));
    file
}

fn verified(file: &Path) -> Output {
    astragal(file.parent().expect("a folder")).arg("verify").arg(file).output().expect("the program runs")
}

fn says(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn an_export_is_verified_and_the_same_while_the_bot_runs() {
    let data = tempfile::tempdir().unwrap();
    play(data.path());
    let file = export(data.path(), &[]);
    let found = says(&verified(&file));
    assert!(found.contains("holds, #1 to #17") && found.contains("(seeds of epochs 1)"), "{found}");
    assert!(found.contains("only digests are there: 2") && found.contains("text was erased: 1"), "{found}");
    assert!(found.contains("can prove yet: 1"), "{found}");

    let stopped = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    let bot = Conversation::start(data.path());
    let running = fs::read(export(data.path(), &[])).unwrap();
    assert!(bot.end());
    let lines = |file: &[u8]| file.split(|byte| *byte == b'\n').skip(1).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (stopped, running) = (lines(&stopped), lines(&running));
    // The first line contains the time, and the last its checksum.
    assert_eq!(stopped[..stopped.len() - 2], running[..running.len() - 2]);

    let unknown = astragal(data.path()).args(["export", "attic", "x.jsonl"]).output().unwrap();
    assert!(complaint(&unknown).contains("There are console/hall"), "{}", complaint(&unknown));
    let text = fs::read_to_string(export(data.path(), &["--text"])).unwrap();
    assert!(text.contains("roll d20 # an umlaut \u{e4}") && !text.contains("forgotten"), "{text}");
    let erased = text.lines().find(|line| line.contains("(text erased in #"));
    assert!(erased.is_some_and(|line| line.contains(": roll d")), "its dice are kept: {text}");
    let story = fs::read_to_string(export(data.path(), &["--story"])).unwrap();
    assert!(story.starts_with("# console/hall\n") && story.contains("**Tsubame** rolled"), "{story}");
    assert!(!story.contains("forgotten") && !story.contains("strike"), "{story}");
}

#[test]
fn a_story_tells_of_games_that_are_files_also_when_a_file_is_gone() {
    let data = tempfile::tempdir().unwrap();
    let (games, config) = (data.path().join("games"), data.path().join("c.toml"));
    fs::create_dir(&games).unwrap();
    fs::write(&config, format!("games = {games:?}\n")).unwrap();
    let game = "format: 1\ngame: harbour\ntitle: Harbour\nabout: debts\n[command risk]\nhelp: Risk it.\n\
                roll: pool = 1d6\nelse: RISKED\nstory: went out to sea\n";
    fs::write(games.join("harbour.game"), game).unwrap();
    let mut bot = Conversation::with(astragal(data.path()).arg("--config").arg(&config));
    for line in ["!plugin enable harbour", "!plugin enable blades", "!risk", "!action 2"] {
        bot.ask(line);
    }
    assert!(bot.end());
    fs::remove_file(games.join("harbour.game")).unwrap();
    let story = fs::read_to_string(export(data.path(), &["--story"])).unwrap();
    assert!(story.contains("went out to sea") && story.matches("**mia**").count() == 2, "{story}");
}

#[test]
fn every_change_cut_and_reordering_is_caught_and_the_first_entry_named() {
    let data = tempfile::tempdir().unwrap();
    play(data.path());
    let export = fs::read(export(data.path(), &[])).unwrap();
    assert_eq!(wrong(&export), None);
    let lines = lines(&export);
    // Any changed byte in an entry is reported for that entry, or for the next one if that now has its place.
    let mut at = 0;
    for (number, line) in lines.iter().enumerate() {
        for place in (number % 5..line.len()).step_by(5) {
            let mut altered = export.clone();
            altered[at + place] ^= 1;
            let (what, named) = wrong(&altered).unwrap_or_else(|| panic!("line {number}, byte {place}: not caught"));
            if (1..lines.len() - 1).contains(&number) {
                assert_eq!(named, Some(number as u64), "byte {place}: {what}");
            }
        }
        at += line.len();
    }
    // Cut at any length.
    for length in (0..export.len()).step_by(97).chain([export.len() - 1]) {
        assert!(wrong(&export[..length]).is_some(), "cut to {length} bytes");
    }
    // Two lines swapped, a line missing, a line repeated, something after the end.
    for number in 1..lines.len() - 2 {
        let mut swapped = lines.clone();
        swapped.swap(number, number + 1);
        assert_eq!(wrong(&swapped.concat()).unwrap().1, Some(number as u64));
        let mut without = lines.clone();
        without.remove(number);
        assert_eq!(wrong(&without.concat()).unwrap().1, (number < lines.len() - 2).then_some(number as u64));
        let mut twice = lines.clone();
        twice.insert(number, lines[number].clone());
        assert_eq!(wrong(&twice.concat()).unwrap().1, Some(number as u64 + 1));
    }
    assert!(wrong(&[export.as_slice(), b"\n"].concat()).is_some());
    let newer = String::from_utf8(export).unwrap().replace("\"astragal_export\":1", "\"astragal_export\":3");
    assert!(wrong(newer.as_bytes()).unwrap().0.contains("newer astragal"));
    assert!(wrong(b"hello\n").unwrap().0.contains("no export"));
}

/// Even the author of a file cannot use other dice than the published seed gives, or leave out words.
#[test]
fn a_forged_journal_is_caught_by_its_dice_its_seed_and_its_gaps() {
    let data = tempfile::tempdir().unwrap();
    play(data.path());
    let export = fs::read(export(data.path(), &[])).unwrap();
    assert_eq!(wrong(&forged(&export, |_| {})), None, "the forger works well");
    let thrown: Vec<(u32, u32)> = serde_json::from_value(link(&export, 4)["parts"]["dice"]["value"].clone()).unwrap();
    let (old, new) = (format!("[20,{}]", thrown[0].1), format!("[20,{}]", thrown[0].1 % 20 + 1));
    let other_die = forged(&export, |links| replace(&mut links[3], "dice", &old, &new));
    let (what, entry) = wrong(&other_die).expect("it is caught");
    assert!(what.contains("is not what its seed and message give") && entry == Some(4), "{what}");

    let without = |part: fn(&mut Link), at: usize| {
        let forged = forged(&export, |links| part(&mut links[at]));
        wrong(&forged).expect("it is caught")
    };
    assert!(without(|link| link.parts.text = None, 3).0.contains("no entry says that it was erased"));
    assert!(without(|link| link.parts.why = None, 4).0.contains("no entry says that it was erased"));
    assert_eq!(without(|link| link.parts = Parts::default(), 3).1, Some(4));
    assert!(without(|link| link.parts.dice = None, 3).0.contains("parts of it are missing"));
    // #10 is secret and revealed in #12.
    assert!(without(|link| link.parts = Parts::default(), 9).0.contains("reveals #10"));
    let text = String::from_utf8(export.clone()).unwrap();
    let seed = text.split("\"seeds\":{").nth(1).and_then(|rest| rest.split('}').next()).expect("seeds");
    let lines = lines(text.replacen(seed, "", 1).as_bytes());
    let no_seed = summed(&lines[..lines.len() - 1].concat(), lines.len() - 2);
    assert!(wrong(&no_seed).expect("it is caught").0.contains("publishes the seed of epoch 1, which is not there"));
    let other = seed.replace(&seed[5..9], "0000");
    let other_seed = text.replacen(seed, &other, 1);
    assert!(wrong(other_seed.as_bytes()).expect("it is caught").0.contains("not the one that was committed to"));
}

/// Entry `number` of an export.
fn link(export: &[u8], number: usize) -> Value {
    serde_json::from_slice(&lines(export)[number]).expect("JSON")
}

#[test]
fn a_table_moves_with_everything_it_holds_and_its_journal_goes_on() {
    let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    play(from.path());
    let file = export(from.path(), &["--move"]);
    let import = |room: &str, yes: &[&str]| {
        let output = astragal(to.path()).arg("import").arg(&file).arg(room).args(yes).output().unwrap();
        if output.status.success() { Ok(says(&output)) } else { Err(complaint(&output)) }
    };
    // The room has a table of its own, which is kept.
    run(to.path(), b"/room tavern\n!roll 2d6\n");
    assert!(import("console/tavern", &[]).unwrap_err().contains("--yes"));
    assert!(import("tavern", &["--yes"]).unwrap_err().contains("console/hall"));
    let laid = import("console/tavern", &["--yes"]).unwrap();
    assert!(
        laid.contains("console/tavern sits at moved:") && laid.contains("console/tavern, is kept up to #1"),
        "{laid}"
    );
    // The table exists only once. A room that only has its old name has no claim to it.
    let again = import("console/attic", &["--yes"]).unwrap_err();
    assert!(again.contains("that table is here already: astragal seat console/attic moved:"), "{again}");
    let hall = answers(&run(to.path(), b"/room hall\n!history\n"));
    assert!(hall[1].contains("Nothing was played"), "{hall:?}");
    // Back, and there again.
    let seat = |table: &str| {
        let output = astragal(to.path()).args(["seat", "console/tavern", table, "--yes"]).output().unwrap();
        says(&output)
    };
    let moved_name = again.rsplit(' ').next().expect("a word").to_owned();
    assert!(seat("console/tavern").contains("sits at console/tavern now"));
    assert!(answers(&run(to.path(), b"/room tavern\n!history\n"))[1].contains("1 entry"));
    assert!(seat(&moved_name).contains(&format!("sits at {moved_name} now")));
    let tables = says(&astragal(to.path()).arg("tables").output().unwrap());
    assert!(
        tables.contains("console/tavern: #1\n") && tables.contains(&format!("{moved_name}: #17, rooms console/tavern"))
    );

    let play_on =
        b"/room tavern\n/as Ann\n!sheet\n/as Gus\n!undo #7\n/as Ann\n!act d8 d6\n/as Gus\n!why #11\n!unseal\n!fair reveal all\n";
    let said = answers(&run(to.path(), play_on));
    assert!(said.iter().any(|line| line.contains("inspiration 3")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("ACTION") && line.ends_with("#19")), "{said:?}");
    // The edited #5 is #6, #7 is the award and #8 its undo, undone by #9.
    assert!(said.iter().any(|line| line.contains("Gus's inspiration #7 is undone")), "{said:?}");
    assert!(said.iter().any(|line| line.contains("I strike at the crest (#13)")), "{said:?}");
    let moved = to.path().join("moved.jsonl");
    let output = astragal(to.path()).args(["export", "tavern"]).arg(&moved).output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let found = says(&verified(&moved));
    assert!(found.contains("#1 to #21") && found.contains("(seeds of epochs 1, 2, 3)"), "{found}");
    // On to a third place.
    let again = to.path().join("again.jsonl");
    let output = astragal(to.path()).args(["export", "tavern", "--move"]).arg(&again).output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let third = tempfile::tempdir().unwrap();
    let output = astragal(third.path()).arg("import").arg(&again).args(["console/hall", "--yes"]).output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));

    // Nothing is imported from a file that is damaged, contradictory or incomplete.
    let whole = fs::read_to_string(&file).unwrap();
    let mut lines = lines(whole.as_bytes());
    let state = lines.iter_mut().find(|line| line.starts_with(b"{\"key\":\"game/mvk\"")).expect("what the game holds");
    *state = String::from_utf8(state.clone()).unwrap().replace("\"inspiration\":3", "\"inspiration\":9").into_bytes();
    fs::write(&file, summed(&lines[..lines.len() - 1].concat(), 17)).unwrap();
    assert!(import("console/cellar", &["--yes"]).unwrap_err().contains("game/mvk is not what the journal led to"));
    fs::write(&file, whole.replace("\"inspiration\":3", "\"inspiration\":9")).unwrap();
    assert!(import("console/cellar", &["--yes"]).unwrap_err().contains("cannot be imported"));
    let proof = export(from.path(), &[]);
    let output = astragal(to.path()).arg("import").arg(proof).args(["console/cellar", "--yes"]).output().unwrap();
    assert!(complaint(&output).contains("--move"));
}

#[test]
fn the_parts_of_an_export_are_verified_together() {
    let data = tempfile::tempdir().unwrap();
    play(data.path());
    let whole = fs::read(export(data.path(), &[])).unwrap();
    let lines = lines(&whole);
    let parts = ["hall-1-of-2.jsonl", "hall-2-of-2.jsonl"].map(|name| data.path().join(name));
    fs::write(&parts[0], lines[..9].concat()).unwrap();
    fs::write(&parts[1], lines[9..].concat()).unwrap();
    let verified = |files: &[&PathBuf]| astragal(data.path()).arg("verify").args(files).output().expect("it runs");
    let [first, second] = &parts;
    assert!(says(&verified(&[first, second])).contains("holds, #1 to #17"));
    for (wrong, why) in [
        (vec![first], "cut off behind #"),
        (vec![second], "its first line is damaged"),
        (vec![second, first], "its first line is damaged"),
        (vec![first, second, second], "there is more after its last line"),
    ] {
        let told = complaint(&verified(&wrong));
        assert!(told.contains(why), "{told}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let browser = Browser::open(&root.join("deploy/verify.html"));
    let (verdict, holds) = browser.verify_parts(&[second, first]);
    assert!(holds && verdict.contains("and 1 more: the journal of") && verdict.contains("#1 to #17"), "{verdict}");
    let (verdict, holds) = browser.verify(first);
    assert!(!holds && verdict.contains("cut off behind #"), "{verdict}");
}

#[test]
fn a_journal_with_a_d66_holds_for_the_program_and_for_the_page() {
    let data = tempfile::tempdir().unwrap();
    let said = answers(&run(
        data.path(),
        b"/as Gus\n!gm me\n!as Ogre roll d66\n!as Orc roll d66\n!as Ogre, Orc roll d66\n!secret roll d666\n!roll 2d6\n!fair reveal all\n",
    ));
    assert!(said.iter().any(|line| line.contains("| d66 [") && line.ends_with("#4")), "{said:?}");
    let file = export(data.path(), &[]);
    let whole = fs::read_to_string(&file).unwrap();
    for rules in [5, 6] {
        assert!(whole.contains(&format!("\"rules\":{rules},")), "an entry under the rules {rules}");
    }
    assert!(says(&verified(&file)).contains("holds"), "{}", says(&verified(&file)));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (verdict, holds) = Browser::open(&root.join("deploy/verify.html")).verify(&file);
    assert!(holds, "{verdict}");
}

#[test]
fn the_page_in_a_browser_reaches_the_same_verdict() {
    let data = tempfile::tempdir().unwrap();
    play(data.path());
    let file = export(data.path(), &[]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let browser = Browser::open(&root.join("deploy/verify.html"));
    let (verdict, holds) = browser.verify(&file);
    assert!(holds && verdict.contains("holds, #1 to #17"), "{verdict}");
    let facts = browser.script("return by('facts').textContent + by('entries').textContent;", &Value::Null);
    let facts = facts.as_str().unwrap_or_default();
    let ours = says(&verified(&file));
    let head = ours.rsplit("chain head ").next().and_then(|rest| rest.get(..64)).expect("a head");
    assert!(facts.contains(head) && facts.contains("an umlaut \u{e4}") && facts.contains("rolled again"), "{facts}");
    assert!(facts.contains("only digests are there: 2") && facts.contains("text was erased: 1"), "{facts}");

    // One changed byte of a die: both name the same entry.
    let whole = fs::read_to_string(&file).unwrap();
    let altered = data.path().join("altered.jsonl");
    fs::write(&altered, whole.replacen("\"value\":[[20,", "\"value\":[[21,", 1)).unwrap();
    let (verdict, holds) = browser.verify(&altered);
    assert!(!holds && verdict.contains("entry #4: its part dice is not what was sealed"), "{verdict}");
    assert!(complaint(&verified(&altered)).contains("entry #4: its part dice is not what was sealed"));

    // Any changed byte, any cut: both name the same entry, or none.
    let script = "try { verify(Uint8Array.from(arguments[0]), () => {}); return ['holds', null]; }
        catch (error) { const entry = /^entry #(\\d+): /.exec(error.message); return [error.message, entry && Number(entry[1])]; }";
    let export = whole.into_bytes();
    let mut variants: Vec<Vec<u8>> = vec![export.clone(), export[..export.len() / 2].to_vec(), Vec::new()];
    for place in (0..export.len()).step_by(61) {
        let mut altered = export.clone();
        altered[place] ^= if place % 2 == 0 { 1 } else { 0x80 };
        variants.push(altered);
    }
    let mut lines = lines(&export);
    lines.swap(3, 4);
    variants.push(lines.concat());
    for (number, variant) in variants.iter().enumerate() {
        let theirs = browser.script(script, &json!(variant));
        match wrong(variant) {
            None => assert_eq!(theirs[0], "holds", "variant {number}"),
            Some((what, entry)) => {
                assert_ne!(theirs[0], "holds", "variant {number}: {what}");
                assert_eq!(theirs[1].as_u64(), entry, "variant {number}: {what}, and there {}", theirs[0]);
            }
        }
    }
}
