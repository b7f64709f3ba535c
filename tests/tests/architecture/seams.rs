//! What the table's own commands see of the table, and how long the crates may be that everything is read and played in.

use super::{files_of, root, sources};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;

/// The most names that the table shows to its own commands.
const MOST_NAMES: usize = 60;
/// What they may name besides: what every user of the crate may.
const BESIDES: [&str; 6] = ["budget", "words", "Host", "Plugins", "PluginsError", "RoomSetting"];

/// The most lines of a crate, without tests and with its files of words. None grows: what is put in makes something else
/// shorter. The house has grown by what anybody sees of a table as data, from which its commands and the pages are drawn.
const MOST_LINES: [(&str, usize); 4] = [("host", 6_400), ("table", 11_110), ("house", 8_260), ("understand", 5_050)];

#[test]
fn the_tables_own_commands_see_only_what_it_shows_them() {
    let own = fs::read_to_string(root().join("crates/table/src/own.rs")).expect("it is there");
    let shown = Regex::new(r"pub use (?:crate|host)::(?:\w+::)+(\{[^}]*\}|\w+);").expect("it is well formed");
    let word = Regex::new(r"\w+").expect("it is well formed");
    let names: BTreeSet<&str> = shown
        .captures_iter(&own)
        .flat_map(|list| word.find_iter(list.get(1).expect("it is there").as_str()))
        .map(|name| name.as_str())
        .collect();
    assert!(names.len() > 40 && names.len() <= MOST_NAMES, "{} names: {names:?}", names.len());
    let path = Regex::new(r"\btable::(\{[^}]*\}|\w+)").expect("it is well formed");
    for file in sources(&root().join("crates/house/src")) {
        let text = fs::read_to_string(&file).expect("it can be read");
        for used in
            path.captures_iter(&text).flat_map(|path| word.find_iter(path.get(1).expect("it is there").as_str()))
        {
            let used = used.as_str();
            assert!(used == "own" || BESIDES.contains(&used), "{} names table::{used}", file.display());
        }
    }
}

#[test]
fn no_crate_that_reads_and_plays_lines_grows() {
    for (name, most) in MOST_LINES {
        let folder = root().join("crates").join(name);
        let sources = sources(&folder.join("src")).into_iter().filter(|path| !path.ends_with("tests.rs"));
        let words = files_of(&folder, &["toml"]).into_iter().filter(|path| !path.ends_with("Cargo.toml"));
        let lines = |text: String| text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines().count();
        let all: usize =
            sources.chain(words).map(|path| lines(fs::read_to_string(path).expect("it can be read"))).sum();
        assert!(all <= most, "{name} has {all} lines");
        assert!(all + 150 > most, "{name} has {all} lines only: let it have no more");
    }
}

/// The most that a draft does itself: what one file does with it is a function of that file.
const MOST_METHODS: usize = 39;

#[test]
fn a_draft_has_few_methods() {
    let block = Regex::new(r"(?ms)^impl Draft \{\n(.*?)^\}").expect("it is well formed");
    let method = Regex::new(r"(?m)^    (?:pub(?:\(\w+\))? )?fn \w+").expect("it is well formed");
    let methods: usize = sources(&root().join("crates/table/src"))
        .into_iter()
        .map(|path| fs::read_to_string(path).expect("it can be read"))
        .map(|text| block.captures_iter(&text).map(|block| method.find_iter(&block[1]).count()).sum::<usize>())
        .sum();
    assert!((10..=MOST_METHODS).contains(&methods), "{methods} methods");
}
