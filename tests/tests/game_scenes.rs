//! The files of games: they are read, and their scenes play as written.

use declared::language::{COMMAND, HEADINGS, TOP, words};
use declared::{plugin, read};
use plugin_testkit::Compare;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of games in a folder.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let entries = fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("readable").path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "game")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// What is wrong with a game, or with its scenes.
fn wrong_with(name: &str, text: &str) -> Vec<String> {
    let game = match read(text) {
        Ok(game) => Arc::new(game),
        Err(mistakes) => return vec![format!("{name}:\n{mistakes}")],
    };
    let differences = game.scenes.iter().filter_map(|scene| {
        let mut plugins = games::all();
        plugins.push(plugin(game.clone()));
        plugin_testkit::play(name, &scene.text, plugins, Compare::Answers, |_| {}).err()
    });
    differences.map(|difference| difference.to_string()).collect()
}

#[test]
fn every_game_of_the_introduction_is_a_file_that_plays() {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/own-games.md")).expect("it is there");
    let steps: Vec<&str> = page.split("```game\n").skip(1).filter_map(|block| block.split("```").next()).collect();
    assert_eq!(steps.len(), 12);
    let numbered = steps.iter().enumerate().map(|(at, text)| (format!("step {}", at + 1), text));
    let wrong: Vec<String> = numbered.flat_map(|(name, text)| wrong_with(&name, text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_scenes_of_every_file_play_as_written() {
    let mut wrong = Vec::new();
    // Those of `tests/games` were written by people who had the introduction and nothing else.
    for path in files("config/games").into_iter().chain(files("crates/games/files")).chain(files("tests/games")) {
        let (name, text) = (path.display().to_string(), fs::read_to_string(&path).expect("it can be read"));
        assert!(text.contains("\n[scene]\n"), "{name} has no scene");
        wrong.extend(wrong_with(&name, &text));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_file_of_version_1_is_read_and_plays_for_ever() {
    let kept = files("tests/golden").into_iter().map(|path| (path.display().to_string(), fs::read_to_string(path)));
    let kept: Vec<(String, String)> = kept.map(|(name, text)| (name, text.expect("it can be read"))).collect();
    let wrong: Vec<String> = kept.iter().flat_map(|(name, text)| wrong_with(name, text)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let text: String = kept.into_iter().map(|(_, text)| text).collect();
    let begins = |word: &str| text.lines().any(|line| line.starts_with(&format!("{word}:")));
    for word in words(COMMAND).chain(words(TOP)) {
        assert!(begins(word), "{word} is a word of the language, and in none of the files that keep it: add a file");
    }
    for heading in words(HEADINGS) {
        assert!(
            text.contains(&format!("\n[{heading}")),
            "[{heading}] is in none of the files that keep it: add a file"
        );
    }
}
