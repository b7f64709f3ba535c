//! Phrases that nobody would say across a table, and that must not come back.

use super::{files_of, root};
use std::fs;

/// In lower case. All of these were rewritten everywhere.
const NEVER: &[&str] = &[
    "to be had",
    "can be had",
    "stands behind",
    "stand behind",
    "stands in front of",
    "behind it stands",
    "what stands",
    "all that stands",
    "goes before the",
    "thrown again",
    "throw again",
    "brings another",
    "at the most",
    " anew ",
    " anew.",
    "said once more",
    " of before",
    "nobody's business",
    "is told by",
    "whether nobody",
    "whose dice are thrown",
    "with that in it",
    "stumbled over that",
    "pool t{",
    "nobody's way",
    "goes with the value",
    "killed when it goes",
    "laid the table",
    "none any more",
    "not any more",
    "is another in the",
    "went before",
    "went along",
    "of a test's choice",
    "between two looks",
    "how long somebody",
    "as they are written",
    "hears its greeting out",
    "in the test's hand",
    "they live together",
    "is asked back",
    "what came of",
    "is told of",
    "how a line ended",
    "by that nick",
    "begins so",
];

/// What people read: the sources and their tests, the documents, the example configuration, the page that verifies.
const FOLDERS: &[&str] = &["crates", "plugins", "docs", "config", "deploy", "tests"];
const PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const KINDS: &[&str] = &["rs", "md", "toml", "html", "session"];

#[test]
fn rewritten_phrases_do_not_come_back() {
    let mut files: Vec<_> = FOLDERS.iter().flat_map(|folder| files_of(&root().join(folder), KINDS)).collect();
    files.extend(PAGES.iter().map(|page| root().join(page)));
    // This file lists the phrases.
    files.retain(|file| !file.ends_with("architecture/english.rs"));
    assert!(files.len() > 100, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("it was listed");
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.to_lowercase();
            found.extend(
                NEVER
                    .iter()
                    .filter(|phrase| line.contains(*phrase))
                    .map(|phrase| format!("{}:{number}: {phrase}", file.display())),
            );
        }
    }
    assert!(found.is_empty(), "say it in plain words:\n{}", found.join("\n"));
}
