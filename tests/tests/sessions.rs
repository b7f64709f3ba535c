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

/// What is said in a session, line by line.
fn said(name: &str) -> Vec<String> {
    let path = format!("{}/sessions/{name}.session", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("it is there");
    let steps = plugin_testkit::session::parse(&text).expect("it is a session");
    let said = steps.into_iter().filter_map(|step| match step.what {
        What::Say { text, .. } => Some(text),
        _ => None,
    });
    said.collect()
}

#[test]
fn with_sheets_a_fight_takes_two_thirds_of_the_typing_and_no_number_twice() {
    for game in ["torg", "spheres", "mvk", "dice"] {
        // Values are set once, and stay for all evenings.
        let (set, played): (Vec<_>, Vec<_>) =
            said(&format!("fight-{game}")).into_iter().partition(|line| line.starts_with("set "));
        let typed = said(&format!("fight-{game}-typed"));
        let letters = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
        let (with, without) = (letters(&played), letters(&typed));
        assert!(with * 3 <= without * 2 + 10, "{game}: {with} letters with sheets, {without} without");
        for line in &set {
            let numbers = line.split([' ', ';']).filter(|word| word.len() > 1 && word.parse::<u32>().is_ok());
            for number in numbers {
                let again = played.iter().find(|line| line.split(' ').any(|word| word == number));
                assert_eq!(again, None, "{game}: {number} is on a sheet");
            }
        }
    }
}
