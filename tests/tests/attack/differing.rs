//! Two independent verifiers agree on whatever a forger does to a good export: words changed, dropped, doubled and
//! moved, with digests, chain and checksums that fit again.

use super::forgeries::SCENE;
use super::forging::{Verdicts, export_of};
use journal::Entropy;
use journal::Link;
use regex::Regex;
use serde_json::json;
use std::path::Path;
use tests::astragal;
use tests::forger::{entry, forged, lines, replace, say, spell, summed_anew, wrong};

/// Altered files per export.
const MANY: usize = 400;
/// Replacements for a word.
const WORDS: [&str; 26] = [
    "0",
    "1",
    "2",
    "7",
    "-1",
    "1.0",
    "1e0",
    "0.5",
    "4294967296",
    "9007199254740993",
    "18446744073709551616",
    "1e999",
    "null",
    "true",
    "\"\"",
    "\"x:y\"",
    "\"\\u0041\"",
    "\"\\ud800\"",
    "\"\\n\"",
    "{}",
    "[]",
    "[1]",
    "[[6,3]]",
    "\"2026-02-30T09:00:00Z\"",
    "\"9999-12-30T22:00:00.999999999Z\"",
    "\"-000001-01-01T00:00:00Z\"",
];
/// Insertions between words.
const BETWEEN: [&str; 8] = [
    " ",
    ",",
    "\"rules\":2,",
    "\"follows\":1,",
    "\"secret\":true,",
    "\"x\":1,",
    "\"publishes\":[1],",
    "\"erases\":[1],",
];

/// Pseudo-random choices, the same on every run.
struct Choices {
    left: Vec<u8>,
    entropy: Entropy,
}

impl Choices {
    fn up_to(&mut self, number: usize) -> usize {
        if self.left.len() < 4 {
            self.left = self.entropy.secret().to_vec();
        }
        let bytes = self.left.split_off(self.left.len() - 4);
        u32::from_le_bytes(bytes.try_into().expect("four bytes")) as usize % number.max(1)
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.up_to(words.len())]
    }
}

#[test]
fn the_program_and_the_page_agree_on_every_altered_export() {
    let data = tempfile::tempdir().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/v1-journal.jsonl");
    let old = tempfile::tempdir().unwrap();
    assert!(astragal(old.path()).arg("restore").arg(golden).output().unwrap().status.success());
    let exports =
        [export_of(data.path(), SCENE), export_of(old.path(), b"/as Ann\n!roll d20\n!fair reveal all\n!roll d6\n")];
    let mut choices = Choices { left: Vec::new(), entropy: Entropy::from_seed([17; 32]) };
    let files: Vec<Vec<u8>> = exports
        .iter()
        .flat_map(|export| (0..MANY).map(|_| made_of(export, &mut choices)).collect::<Vec<_>>())
        .collect();
    let theirs = Verdicts::open().of(&files);
    let (mut held, mut differ) = (0, Vec::new());
    for (file, theirs) in files.iter().zip(theirs) {
        match (wrong(file), theirs) {
            (None, None) => held += 1,
            (Some((_, ours)), Some((_, theirs))) if ours.is_none() || theirs.is_none() || ours == theirs => {}
            (ours, theirs) => {
                differ.push(format!("{ours:?}, and the page: {theirs:?}\n{}", where_it_differs(file, &exports)))
            }
        }
    }
    assert!(differ.is_empty(), "{} of {}: {}", differ.len(), files.len(), differ[..differ.len().min(5)].join("\n"));
    assert!(held > MANY / 50, "too few altered files are still valid: {held} hold");
}

/// The first line that is in none of the exports.
fn where_it_differs(file: &[u8], exports: &[Vec<u8>]) -> String {
    let known: Vec<_> = exports.iter().flat_map(|export| lines(export)).collect();
    let line = lines(file).into_iter().find(|line| !known.contains(line)).unwrap_or_default();
    String::from_utf8_lossy(&line).into_owned()
}

fn made_of(export: &[u8], choices: &mut Choices) -> Vec<u8> {
    let last = lines(export).len() - 2;
    let (at, other, kind) = (choices.up_to(last), choices.up_to(last), choices.up_to(8));
    let mut rest = Choices { left: Vec::new(), entropy: Entropy::from_seed([choices.up_to(256) as u8; 32]) };
    rest.left = (0..64).map(|_| choices.up_to(256) as u8).collect();
    let rest = std::cell::RefCell::new(rest);
    let forge =
        |change: &dyn Fn(&mut Vec<Link>, &mut Choices)| forged(export, |links| change(links, &mut rest.borrow_mut()));
    match kind {
        0 | 1 => forge(&|links, choices| {
            let old = links[at].entry.get().to_owned();
            let new = altered(&old, choices);
            if serde_json::from_str::<serde_json::Value>(&new).is_ok() && new != old {
                spell(&mut links[at], &old, &new);
            }
        }),
        2 => forge(&|links, choices| alter_a_part(&mut links[at], choices)),
        3 => forge(&|links, choices| match choices.up_to(3) {
            0 => links.swap(at, other),
            1 => drop(links.remove(at)),
            _ => links.insert(other, links[at].clone()),
        }),
        4 | 5 => forge(&|links, choices| refer(links, at, other, choices)),
        _ => {
            let mut lines = lines(export);
            let at = rest.borrow_mut().up_to(lines.len());
            let line = String::from_utf8(lines[at].clone()).expect("text");
            lines[at] = altered(&line, &mut rest.borrow_mut()).into_bytes();
            let file = lines.concat();
            if at + 1 < lines.len() { summed_anew(&file) } else { file }
        }
    }
}

/// JSON with one word dropped, doubled, replaced or moved, or with something inserted.
fn altered(json: &str, choices: &mut Choices) -> String {
    let words = Regex::new(r#""(?:[^"\\]|\\.)*"|-?[0-9.eE+]+|true|false|null|[{}\[\],:]"#).expect("a pattern");
    let found: Vec<_> = words.find_iter(json).map(|found| found.range()).collect();
    if found.len() < 2 {
        return choices.of(&WORDS).to_owned();
    }
    let at = choices.up_to(found.len() - 1);
    let (word, next) = (found[at].clone(), found[at + 1].clone());
    let (before, behind) = (&json[..word.start], &json[next.end..]);
    let (first, second) = (&json[word.clone()], &json[next.clone()]);
    match choices.up_to(7) {
        0 => format!("{before}{second}{behind}"),
        1 => format!("{before}{first}{first}{second}{behind}"),
        2 => format!("{before}{second}{first}{behind}"),
        3 => format!("{before}{first}{}{second}{behind}", choices.of(&BETWEEN)),
        4 => {
            // Repeats a field, or puts another in its place.
            let other = &found[choices.up_to(found.len())];
            format!("{before}{}{second}{behind}", &json[other.clone()])
        }
        _ => format!("{before}{}{second}{behind}", choices.of(&WORDS)),
    }
}

fn alter_a_part(link: &mut Link, choices: &mut Choices) {
    let parts = &link.parts;
    let all = [
        ("text", &parts.text),
        ("answer", &parts.answer),
        ("dice", &parts.dice),
        ("facts", &parts.facts),
        ("record", &parts.record),
        ("changes", &parts.changes),
    ];
    let there: Vec<_> = all.into_iter().filter_map(|(name, part)| Some((name, part.as_ref()?))).collect();
    let Some((name, part)) = there.get(choices.up_to(there.len())) else { return };
    let (name, old) = (*name, part.value.get().to_owned());
    let new =
        if choices.up_to(2) == 0 || old.len() < 8 { choices.of(&WORDS).to_owned() } else { altered(&old, choices) };
    // Invalid JSON is tried in whole lines elsewhere.
    if new != old && serde_json::from_str::<Box<serde_json::value::RawValue>>(&new).is_ok() {
        replace(link, name, &old, &new);
    }
}

/// Makes an entry claim something else about another, in the bot's own form.
fn refer(links: &mut [Link], at: usize, other: usize, choices: &mut Choices) {
    let (key, number) = (entry(&links[other])["key"].clone(), choices.up_to(links.len() + 2));
    let what = choices.of(&[
        "follows",
        "undoes",
        "replaces",
        "reveals",
        "erases",
        "publishes",
        "epoch",
        "key",
        "rules",
        "skipped",
    ]);
    let from = entry(&links[at])["number"].as_u64().expect("a number");
    say(&mut links[at], |entry| match what {
        "reveals" | "erases" | "publishes" => entry[what] = json!([number, number + 1]),
        "key" => (entry["key"], entry["replaces"]) = (key.clone(), json!(other + 1)),
        "skipped" => {
            let gap = [0, 1, 63, 64, 65][number % 5];
            (entry["skipped"], entry["number"]) = (json!([from, from + gap]), json!(from + gap + 1));
        }
        _ => entry[what] = json!(number),
    });
}
