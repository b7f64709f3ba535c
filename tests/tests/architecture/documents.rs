//! What the documents for those who change the program name is there, and the first of them stays short.

use super::{files_of, root};
use std::collections::BTreeSet;
use std::fs;

/// The most bytes of ARCHITECTURE.md, which somebody new reads whole.
const MOST: usize = 25_000;
/// The name of a test is a sentence.
const WORDS_OF_A_TEST: usize = 4;

/// What a text has between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_architecture_is_short_and_what_it_names_is_there() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it is there");
    assert!(text.len() <= MOST, "{} bytes; decisions go into DESIGN.md of their crate", text.len());
    let is_test = |word: &&str| word.split('_').count() >= WORDS_OF_A_TEST && !word.contains(['/', '.', ' ']);
    let named: BTreeSet<&str> = quoted(&text).filter(is_test).collect();
    assert!(named.len() > 40, "{named:?}");
    let sources: Vec<String> = ["crates", "plugins", "tests"]
        .iter()
        .flat_map(|folder| files_of(&root().join(folder), &["rs"]))
        .map(|file| fs::read_to_string(file).expect("it was listed"))
        .collect();
    let is_there = |name: &&str| sources.iter().any(|source| source.contains(&format!("fn {name}(")));
    let gone: Vec<&str> = named.into_iter().filter(|name| !is_there(name)).collect();
    assert!(gone.is_empty(), "no such test: {gone:?}");
    let paths = quoted(&text)
        .filter(|word| ["crates/", "tests/", "plugins/", "config/"].iter().any(|top| word.starts_with(top)));
    let gone: Vec<&str> =
        paths.filter(|path| !path.contains(['*', 'G']) && !root().join(path.trim_end_matches(' ')).exists()).collect();
    assert!(gone.is_empty(), "no such file: {gone:?}");
}

#[test]
fn every_crate_with_more_than_one_idea_says_what_its_files_are() {
    let without: Vec<String> = fs::read_dir(root().join("crates"))
        .expect("it is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| files_of(&path.join("src"), &["rs"]).len() > 15 && !path.join("DESIGN.md").exists())
        .map(|path| path.display().to_string())
        .collect();
    assert!(without.is_empty(), "no DESIGN.md: {without:?}");
}
