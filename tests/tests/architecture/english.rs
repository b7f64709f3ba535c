//! Turns that nobody would say across a table, and that must not come back.

use super::{files_of, root};
use std::fs;

/// In lower case; each was rewritten wherever it stood.
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
];

/// Where people read us: the sources, the documents, the example configuration, the page that verifies.
const FOLDERS: &[&str] = &["crates", "plugins", "docs", "config", "deploy"];
const PAGES: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const KINDS: &[&str] = &["rs", "md", "toml", "html", "session"];

#[test]
fn turns_that_were_rewritten_do_not_come_back() {
    let mut files: Vec<_> = FOLDERS.iter().flat_map(|folder| files_of(&root().join(folder), KINDS)).collect();
    files.extend(PAGES.iter().map(|page| root().join(page)));
    assert!(files.len() > 100, "{} files", files.len());
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("it was listed");
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.to_lowercase();
            found.extend(
                NEVER
                    .iter()
                    .filter(|turn| line.contains(*turn))
                    .map(|turn| format!("{}:{number}: {turn}", file.display())),
            );
        }
    }
    assert!(found.is_empty(), "say it in plain words:\n{}", found.join("\n"));
}
