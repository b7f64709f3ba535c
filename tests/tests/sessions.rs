//! Sessions of the core itself, played like those of the games.

use plugin_testkit::session::What;
use std::fs;
use std::path::Path;

#[test]
fn the_core_plays_as_written() {
    // Those of `timed` are played here alone, because on a network one message is answered by one post.
    let folders = ["sessions", "timed"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("it is there"));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("it can be read");
        if let Err(difference) = plugin_testkit::play(
            &path.display().to_string(),
            &text,
            games::all(),
            plugin_testkit::Compare::Answers,
            |_| {},
        ) {
            panic!("{difference}");
        }
    }
}

/// A line that somebody says.
struct Line {
    name: String,
    text: String,
}

/// What is said in a session, line by line.
fn said(name: &str) -> Vec<Line> {
    let path = format!("{}/sessions/{name}.session", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("it is there");
    let steps = plugin_testkit::session::parse(&text).expect("it is a session");
    let said = steps.into_iter().filter_map(|step| match step.what {
        What::Say { name, text, .. } => Some(Line { name, text }),
        _ => None,
    });
    said.collect()
}

/// The evenings. Each is there twice, the second time `-typed`: without sheets, groups, turns, clocks and cards.
const EVENINGS: [&str; 5] = ["torg", "spheres", "mvk", "retrostar", "dice"];

/// Commands with numbers that are on no sheet.
const STEPS: [&str; 5] = ["clock ", "stress ", "play ", "deal ", "amend "];

/// Sets values.
fn sets(line: &Line) -> bool {
    line.text.starts_with("set ")
}

/// The letters of all these lines. People say a note to each other without the word.
fn letters<'a>(lines: impl Iterator<Item = &'a Line>) -> usize {
    lines.map(|line| line.text.strip_prefix("note ").unwrap_or(&line.text).chars().count()).sum()
}

#[test]
fn with_sheets_a_whole_evening_takes_less_than_half_of_the_typing() {
    let (mut all_with, mut all_without) = (0, 0);
    for game in EVENINGS {
        let evening = said(&format!("evening-{game}"));
        // Players set their values once, for all evenings. The foes are of this evening.
        let (with, without) = (
            letters(evening.iter().filter(|line| !sets(line) || line.name == "Gus")),
            letters(said(&format!("evening-{game}-typed")).iter()),
        );
        assert!(with * 2 < without, "{game}: {with} letters with sheets, {without} without");
        (all_with, all_without) = (all_with + with, all_without + without);
    }
    assert!(all_with * 100 < all_without * 45, "{all_with} letters with sheets, {all_without} without");
}

#[test]
fn in_a_whole_evening_nobody_types_a_number_twice_that_the_table_knows() {
    for game in EVENINGS {
        let evening = said(&format!("evening-{game}"));
        let numbers = |line: &Line| {
            let words = line.text.split([' ', ';']).map(str::to_owned);
            words.filter(|word| word.parse::<i32>().is_ok()).collect::<Vec<_>>()
        };
        let set: Vec<String> = evening.iter().filter(|line| sets(line)).flat_map(numbers).collect();
        // Steps, cards and corrections are new numbers, whatever they are.
        let new = |line: &Line| STEPS.iter().any(|word| line.text.starts_with(word));
        for line in evening.iter().filter(|line| !sets(line) && !new(line)) {
            let again = numbers(line).into_iter().find(|number| set.contains(number));
            assert_eq!(again, None, "{game}: {}", line.text);
        }
    }
}

#[test]
fn each_evening_is_whole() {
    for game in EVENINGS {
        let evening = said(&format!("evening-{game}"));
        for part in ["scene ", " x3 ", "next", "away 3d", "since", "clock ", "deal ", "hand", "play ", "export story"] {
            assert!(evening.iter().any(|line| line.text.contains(part)), "{game}: a whole evening has {part}");
        }
    }
}
