//! The program and the page refuse forged journals. Each forgery breaks one rule and makes everything else fit again.

use super::forging::{Verdicts, dice_of, export_of, seed_of};
use dice::fair::Ones;
use journal::Link;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use tests::forger::{doctored, entry, forged, lines, replace, say, spell, wrong};
use tests::{astragal, complaint};

/// A table with everything forgers like. Both its seeds are published.
///
/// #1 a roll; #2 a roll, edited in #3; #4 a secret one; #5 publishes the seed of epoch 1; #6 and #7 rolls of epoch 2;
/// #8 a change, undone in #9; #10 publishes the seed of epoch 2; #11 a roll whose seed is secret.
pub const SCENE: &[u8] = b"/as Ann
!roll d20
!roll 2d6
/edit !roll 2d6 + d8
!secret roll 3d6
!fair reveal all
!roll d20 # an umlaut \xc3\xa4
!roll 2d10
!set str 3
!undo
!fair reveal all
!roll 2d10
";

/// A forgery's name, the function that makes it, and the program's verdict.
type Forgery = (&'static str, fn(&[u8]) -> Vec<u8>, &'static str);

/// Forgeries of entries. Digests, chain and checksums are recomputed.
const ENTRIES: &[Forgery] = &[
    ("dice of a seed that was published before", of_a_published_seed, "whose seed #5 had published"),
    ("a message's key used twice", a_key_twice, "has the message's key of #6"),
    ("the sixth command of a message", |e| said(e, 7, |e| e["key"]["ordinal"] = json!(6)), NO_PLACE),
    ("a group without a place in it", |e| said(e, 7, |e| e["rules"] = json!(4)), NO_PLACE),
    ("the second of a group alone", |e| in_a_group(e, 11), "is entry 2 of its line, and the one before it is not"),
    ("the second of another line's group", |e| in_a_group(e, 12), "is entry 2 of its line, and the one before"),
    ("the thirteenth of a group", |e| in_a_group(e, 66), "is entry 13 of its line, which makes at most 12"),
    ("no command of a message", |e| said(e, 7, |e| e["key"]["ordinal"] = json!(0)), "is of command 0"),
    ("the key of another number", |e| said(e, 7, |e| e["key"]["id"] = json!("#8")), "has the key of another entry, #8"),
    ("an edit with other dice", an_edit_with_other_dice, "do not begin with that one's"),
    ("an edit of another message", |e| said(e, 7, |e| e["replaces"] = json!(6)), "which another message made"),
    ("an edit of what was edited", an_edit_of_the_first_version, "the newest version of that message is #3"),
    ("dice of one side before the wanted word", padded_with_ones, "is not what its seed and message give"),
    ("follows what is not there", |e| said(e, 7, |e| e["follows"] = json!(99)), "follows #99"),
    ("follows itself", |e| said(e, 7, |e| e["follows"] = json!(7)), "follows #7"),
    ("undoes a later one", |e| said(e, 9, |e| e["undoes"] = json!(10)), "undoes #10"),
    ("replaces a later one", |e| said(e, 3, |e| e["replaces"] = json!(4)), "replaces #4"),
    ("reveals #0", |e| said(e, 7, |e| e["reveals"] = json!([4, 0])), "reveals #0"),
    ("erases what is not there", |e| said(e, 7, |e| e["erases"] = json!([1, 4000])), "erases #4000"),
    ("publishes a seed again", |e| said(e, 10, |e| e["publishes"] = json!([1, 2])), "publishes the seed of epoch 1"),
    ("publishes a later seed", |e| said(e, 5, |e| e["publishes"] = json!([1, 2])), "publishes the seed of epoch 2"),
    ("refers to a number left out", into_a_gap, "follows #10"),
    ("a gap of 65", |e| with_a_gap(e, 65), "leaves out 65 numbers"),
    ("a gap of 498", |e| with_a_gap(e, 498), "leaves out 498 numbers"),
    ("a gap of 3,000,000,000", |e| with_a_gap(e, 3_000_000_000), "leaves out 3000000000 numbers"),
    ("an epoch that commits to nothing", of_no_epoch, "goes back to epoch 0"),
    ("older rules", |e| said(e, 8, |e| e["rules"] = json!(1)), "goes back to the rules 1"),
    ("no rules in a whole journal", without_rules, "is younger than the rules, and names none"),
    ("rules of nobody", |e| said(e, 1, |e| e["rules"] = json!(0)), "under no rules"),
    ("rules to come", |e| said(e, 11, |e| e["rules"] = json!(7)), "a newer astragal"),
    ("rules of what withholds", |e| said(e, 11, |e| e["rules"] = json!(3)), "that withholds as much"),
    (
        "changes withheld against the rules",
        |e| said(e, 11, |e| e["digests"]["withheld"] = e["digests"]["text"].clone()),
        "that withholds as much",
    ),
    ("a die that has no such face", |e| dice(e, 11, "[[10,11],[10,1]]"), "d10=11 is no die"),
    ("a die without sides", |e| dice(e, 11, "[[0,0]]"), "d0=0 is no die"),
    ("a key twice", |e| spelt(e, 6, "\"epoch\":2", "\"epoch\":2,\"epoch\":2"), "duplicate field"),
    ("an unknown key twice", |e| spelt(e, 6, "\"epoch\":2", "\"epoch\":2,\"x\":1,\"x\":2"), OTHERWISE),
    ("a key twice within", |e| spelt(e, 6, "\"ordinal\":1", "\"ordinal\":2,\"ordinal\":1"), "duplicate field"),
    ("1.0 as a number", |e| spelt(e, 6, "\"character\":1", "\"character\":1.0"), "cannot be read"),
    ("1e0 as a number", |e| spelt(e, 6, "\"ordinal\":1", "\"ordinal\":1e0"), "cannot be read"),
    ("a number too large", |e| spelt(e, 6, "\"ordinal\":1", "\"ordinal\":4294967296"), "cannot be read"),
    ("a negative number", |e| spelt(e, 6, "\"character\":1", "\"character\":-1"), "cannot be read"),
    ("no player", |e| spelt(e, 6, "\"player\":\"console:ann\",", ""), "missing field `player`"),
    ("a player of no network", |e| spelt(e, 6, "\"console:ann\"", "\"ann\""), "cannot be read"),
    ("a player who is null", |e| spelt(e, 6, "\"console:ann\"", "null"), "cannot be read"),
    ("a time that is none", |e| timed(e, "yesterday"), "cannot be read"),
    ("a day that is none", |e| timed(e, "2026-02-30T09:00:00Z"), "cannot be read"),
    ("a time that never comes", |e| timed(e, "9999-12-31T23:59:59Z"), "cannot be read"),
    ("a time of another form", |e| timed(e, "2026-02-20T09:00:00+00:00"), OTHERWISE),
    ("a time with too many digits", |e| timed(e, "2026-02-20T09:00:00.50Z"), OTHERWISE),
    ("a leap second", |e| timed(e, "2026-02-20T23:59:60Z"), OTHERWISE),
    ("an unknown field", |e| spelt(e, 6, "\"epoch\":2", "\"epoch\":2,\"x\":1"), OTHERWISE),
    ("fields in another order", |e| spelt(e, 6, "\"number\":6,\"rules\":2", "\"rules\":2,\"number\":6"), OTHERWISE),
    ("a space", |e| spelt(e, 6, "\"epoch\":2", "\"epoch\": 2"), OTHERWISE),
    ("null for what is not there", |e| spelt(e, 6, "\"digests\"", "\"follows\":null,\"digests\""), OTHERWISE),
    ("an empty list", |e| spelt(e, 6, "\"digests\"", "\"reveals\":[],\"digests\""), OTHERWISE),
    ("a letter escaped", |e| spelt(e, 6, "\"command\":\"roll\"", "\"command\":\"\\u0072oll\""), OTHERWISE),
    ("half a character", |e| spelt(e, 6, "\"command\":\"roll\"", "\"command\":\"\\ud800\""), "cannot be read"),
    ("a digest that is none", |e| said(e, 4, |e| e["digests"]["text"] = json!("0")), "a digest that is none"),
    ("a key twice in a part", |e| part(e, 6, "facts", "{", "{\"x\":1,\"x\":1,"), "stands there twice"),
    ("a key twice far within", |e| part(e, 6, "facts", "{", "{\"x\":[{\"y\":1,\"y\":1}],"), "stands there twice"),
    ("a space in a part", |e| part(e, 6, "facts", "{", "{ "), "has spaces"),
    ("half a character in a part", |e| part(e, 6, "text", "\"", "\"\\udfff"), "cannot be read"),
    ("a number beyond all", |e| part(e, 6, "facts", "{", "{\"x\":1e999,"), "cannot be read"),
    ("a part too deep", too_deep, "cannot be read"),
    ("text that is none", |e| part(e, 8, "text", "\"set str 3\"", "[]"), "its text is none"),
    ("1.0 as a die", |e| part(e, 6, "dice", "[[20,", "[[20.0,"), "cannot be read"),
];

/// Forgeries outside the chain. The checksum is recomputed.
const LINES: &[Forgery] = &[
    ("a key twice in a line", |e| doctored(e, ",\"parts\":", ",\"parts\":{},\"parts\":"), "duplicate field"),
    ("fields of a line in another order", hash_behind, "cannot be read"),
    ("a salt too short", a_short_salt, "its text is none"),
    ("a fate", |e| doctored(e, "}}}\n", "}},\"fate\":{\"undone_by\":3}}\n"), "says more than an export does"),
    ("a key twice in the first line", |e| doctored(e, "\"last\":11", "\"last\":11,\"last\":11"), "no export"),
    ("1.0 in the first line", |e| doctored(e, "\"last\":11", "\"last\":11.0"), "no export"),
    ("1.0 as the version", |e| doctored(e, "\"astragal_export\":1", "\"astragal_export\":1.0"), "no export"),
    ("no version", |e| doctored(e, "\"astragal_export\":1", "\"astragal_export\":0"), "no export"),
    ("a seed of no epoch", |e| doctored(e, "\"seeds\":{\"1\"", "\"seeds\":{\"01\""), "no export"),
    ("a record in a proof", with_a_record, "cannot be read"),
    ("an end that is none", no_end, "cannot be read"),
];

const NO_PLACE: &str = "names rules that are not those of its place in its message";
const OTHERWISE: &str = "is not written as this program writes it";

#[test]
fn no_forged_journal_holds_for_the_program_or_for_the_page() {
    let data = tempfile::tempdir().unwrap();
    let export = export_of(data.path(), SCENE);
    assert_eq!(wrong(&export), None);
    assert_eq!(wrong(&forged(&export, |_| {})), None, "the forger works well");
    let page = Verdicts::open();
    let all: Vec<Forgery> = ENTRIES.iter().chain(LINES).copied().collect();
    let files: Vec<Vec<u8>> = all.iter().map(|(_, forge, _)| forge(&export)).collect();
    let theirs = page.of(&[vec![export.clone()], files.clone()].concat());
    assert_eq!(theirs[0], None, "the page accepts the export");
    let mut held = Vec::new();
    for (((name, _, says), file), theirs) in all.iter().zip(&files).zip(&theirs[1..]) {
        match wrong(file) {
            None => held.push(format!("the program: {name}")),
            Some((what, _)) if !what.contains(says) => {
                held.push(format!("the program, by another reason: {name}: {what}"))
            }
            Some((what, named)) => match theirs {
                None => held.push(format!("the page: {name}")),
                Some((_, other)) if named != *other => held.push(format!("the page names {other:?}: {name}: {what}")),
                Some(_) => {}
            },
        }
    }
    assert!(held.is_empty(), "{held:#?}");
}

/// No verifier can see from the file alone that the end of a journal was cut off, if everything else fits.
#[test]
fn a_cut_tail_is_caught_with_the_head_that_the_room_saw() {
    let data = tempfile::tempdir().unwrap();
    let export = export_of(data.path(), SCENE);
    let head = entry_hash(&export, 11);
    let cut = forged(&export, |links| links.truncate(8));
    assert_eq!(wrong(&cut), None, "the file alone cannot tell");
    let file = data.path().join("cut.jsonl");
    fs::write(&file, &cut).unwrap();
    let verified = |head: &str| astragal(data.path()).arg("verify").arg(&file).args(["--head", head]).output().unwrap();
    assert!(complaint(&verified(&head)).contains("not the head that you gave"));
    assert!(complaint(&verified(&format!("{}…", &head[..16]))).contains("not the head that you gave"));
    let short = verified("0123").stderr;
    assert!(String::from_utf8_lossy(&short).contains("16 to 64 characters"));
    let own = verified(&entry_hash(&export, 8));
    assert!(String::from_utf8_lossy(&own.stdout).contains("it is the one that you gave"));

    let page = Verdicts::open();
    for (typed, holds) in [(head.as_str(), false), (&entry_hash(&export, 8), true), ("", true), ("hello", false)] {
        page.type_head(typed);
        let (verdict, held) = page.browser.verify(&file);
        assert_eq!(held, holds, "{typed}: {verdict}");
    }
    // The room saw the head, and the file's name contains it.
    let said = super::forging::said(data.path(), b"!export\n");
    assert!(said.contains(&format!("chain head {head}")) && said.contains(&format!("hall-11-{head}.jsonl")), "{said}");
}

/// A journal from before entries named their rules still holds.
#[test]
fn a_journal_of_the_first_rules_holds_and_says_so() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/v1-journal.jsonl");
    let data = tempfile::tempdir().unwrap();
    assert!(astragal(data.path()).arg("restore").arg(golden).output().unwrap().status.success());
    let old = export_of(data.path(), b"");
    assert_eq!(wrong(&old), None);
    let played_on = export_of(data.path(), b"/as Ann\n!roll 1d1 + 2d20\n!fair reveal all\n");
    assert_eq!(wrong(&played_on), None);
    let found = astragal(data.path()).arg("verify").arg(data.path().join("export.jsonl")).output().unwrap();
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        found.contains("an older astragal wrote, whose references and repeated messages nobody checked: 17"),
        "{found}"
    );
    assert_eq!(Verdicts::open().of(&[old, played_on]), [None, None]);
}

fn said(export: &[u8], number: usize, change: fn(&mut Value)) -> Vec<u8> {
    forged(export, |links| say(&mut links[number - 1], change))
}

/// Takes the rules out of every entry of a journal that began after they came.
fn without_rules(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        for link in links {
            say(link, |entry| {
                entry["rules"] = json!(1);
                entry["time"] = json!("2027-01-06T09:00:00Z");
            });
        }
    })
}

/// Makes entry #7 a member of a group.
fn in_a_group(export: &[u8], ordinal: u32) -> Vec<u8> {
    forged(export, |links| {
        say(&mut links[6], |entry| {
            entry["rules"] = json!(4);
            entry["key"]["ordinal"] = json!(ordinal);
        });
    })
}

/// A line for several makes entries that both verifiers accept, in all their forms.
#[test]
fn a_line_for_several_holds_for_the_program_and_for_the_page() {
    let data = tempfile::tempdir().unwrap();
    let export = export_of(
        data.path(),
        b"/as Gus
!plugin enable mvk
!gm me
!as Goon x3 act d6 d6
!undo
!redo
!as Goon1, Goon2 act d6 d8
/edit !as Goon1, Goon2 act d6 d8 vs 12
!insp foes +1
!secret as foes act d4
!3x act d6
!fair reveal all
",
    );
    let text = String::from_utf8_lossy(&export);
    let of_groups = text.matches("\"rules\":4").count();
    assert_eq!(of_groups, 3 + 3 + 3 + 2 + 2 + 3 + 3 + 3, "{text}");
    assert_eq!(wrong(&export), None);
    // One member is removed, and the rest made to fit.
    let without = forged(&export, |links| {
        let at = links.iter().position(|link| link.entry.get().contains("\"ordinal\":11")).expect("a second member");
        say(&mut links[at], |entry| entry["key"]["ordinal"] = json!(16));
    });
    assert!(wrong(&without).is_some_and(|(what, _)| what.contains("the one before it is not")));
    let page = Verdicts::open().of(&[export, without]);
    assert!(page[0].is_none() && page[1].is_some(), "{page:?}");
}

fn spelt(export: &[u8], number: usize, old: &str, new: &str) -> Vec<u8> {
    forged(export, |links| spell(&mut links[number - 1], old, new))
}

fn part(export: &[u8], number: usize, name: &str, old: &str, new: &str) -> Vec<u8> {
    forged(export, |links| replace(&mut links[number - 1], name, old, new))
}

fn dice(export: &[u8], number: usize, dice: &str) -> Vec<u8> {
    forged(export, |links| put_dice(&mut links[number - 1], dice))
}

fn put_dice(link: &mut Link, dice: &str) {
    let old = link.parts.dice.as_ref().expect("it is there").value.get().to_owned();
    // Another seed may happen to give the same dice.
    if old != dice {
        replace(link, "dice", &old, dice);
    }
}

fn timed(export: &[u8], time: &str) -> Vec<u8> {
    forged(export, |links| {
        let old = entry(&links[5])["time"].to_string();
        spell(&mut links[5], &old, &json!(time).to_string());
    })
}

fn of_a_published_seed(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let commitment = entry(&links[5])["commitment"].clone();
        say(&mut links[5], |entry| {
            entry["epoch"] = json!(1);
            entry.as_object_mut().expect("an object").remove("commitment");
        });
        say(&mut links[6], |entry| entry["commitment"] = commitment.clone());
        let thrown = dice_of(Ones::TakeNoWord, &seed_of(export, 1), &links[5], &[20]);
        put_dice(&mut links[5], &thrown);
    })
}

fn a_key_twice(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let key = entry(&links[5])["key"].clone();
        say(&mut links[6], |entry| entry["key"] = key.clone());
        let thrown = dice_of(Ones::TakeNoWord, &seed_of(export, 2), &links[6], &[10, 10]);
        put_dice(&mut links[6], &thrown);
    })
}

fn an_edit_with_other_dice(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let thrown = dice_of(Ones::TakeNoWord, &seed_of(export, 1), &links[2], &[8, 6, 6]);
        put_dice(&mut links[2], &thrown);
    })
}

fn an_edit_of_the_first_version(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let key = entry(&links[1])["key"].clone();
        say(&mut links[6], |entry| (entry["key"], entry["replaces"]) = (key.clone(), json!(2)));
        put_dice(&mut links[6], "[]");
    })
}

/// Skips words of the stream until one shows the wanted face.
fn padded_with_ones(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let thrown = dice_of(Ones::TakeAWord, &seed_of(export, 1), &links[0], &[1, 1, 20, 20, 20, 20]);
        put_dice(&mut links[0], &thrown);
    })
}

fn with_a_gap(export: &[u8], numbers: u64) -> Vec<u8> {
    forged(export, |links| {
        say(&mut links[10], |entry| {
            entry["skipped"] = json!([11, 10 + numbers]);
            entry["number"] = json!(11 + numbers);
        });
    })
}

fn into_a_gap(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        say(&mut links[9], |entry| (entry["skipped"], entry["number"]) = (json!([10, 11]), json!(12)));
        say(&mut links[10], |entry| (entry["follows"], entry["number"]) = (json!(10), json!(13)));
    })
}

fn of_no_epoch(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        say(&mut links[0], |entry| {
            entry["epoch"] = json!(0);
            entry.as_object_mut().expect("an object").remove("commitment");
        });
    })
}

fn too_deep(export: &[u8]) -> Vec<u8> {
    let nested = format!("{{\"x\":{}{},", "[".repeat(127), "]".repeat(127));
    part(export, 6, "facts", "{", &nested)
}

fn hash_behind(export: &[u8]) -> Vec<u8> {
    let first = String::from_utf8(lines(export)[1].clone()).expect("text");
    let (hash, rest) = first.split_once("\",").expect("a hash and more");
    let (hash, rest) = (hash.trim_start_matches('{'), rest.trim_end_matches("}\n"));
    doctored(export, &first, &format!("{{{rest},{hash}\"}}\n"))
}

fn a_short_salt(export: &[u8]) -> Vec<u8> {
    forged(export, |links| {
        let link = &mut links[5];
        link.parts.text.as_mut().expect("it is there").salt.truncate(2);
        let digest = link.parts.text.as_ref().and_then(|part| part.digest()).expect("a salt");
        say(link, |entry| entry["digests"]["text"] = json!(digest));
    })
}

fn with_a_record(export: &[u8]) -> Vec<u8> {
    doctored(export, "{\"end\"", "{\"key\":\"x\",\"value\":1}\n{\"end\"")
}

fn no_end(export: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(export.to_vec()).expect("text");
    text.replace("{\"end\":true", "{\"end\":false").into_bytes()
}

fn entry_hash(export: &[u8], number: usize) -> String {
    let link: Link = serde_json::from_slice(&lines(export)[number]).expect("a link");
    link.hash
}
