//! The bugs of `bugs/` still apply to the code as it is, so `prove` can put each of them in. It changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The patches, by name.
fn patches() -> Vec<PathBuf> {
    let files = fs::read_dir(here().join("bugs")).expect("the folder is there");
    let mut patches: Vec<_> = files.map(|file| file.expect("it is readable").path()).collect();
    patches.sort();
    patches
}

#[test]
fn every_bug_can_still_be_put_into_the_code() {
    let root = here().ancestors().nth(2).expect("the crate is two folders below the root");
    let mut rotten = Vec::new();
    for patch in patches() {
        let git = Command::new("git").current_dir(root).args(["apply", "--check"]).arg(&patch).output();
        let checked = git.expect("git is there");
        if !checked.status.success() {
            rotten.push(format!("{}: {}", patch.display(), String::from_utf8_lossy(&checked.stderr)));
        }
    }
    assert!(rotten.is_empty(), "make these patches again:\n{}", rotten.join("\n"));
}

#[test]
fn every_bug_says_what_is_wrong_and_which_promise_it_breaks() {
    let patches = patches();
    assert!(patches.len() >= 30, "{} bugs", patches.len());
    for patch in patches {
        let text = fs::read_to_string(&patch).expect("it is readable");
        let (before, _) = text.split_once("\ndiff --git a/").expect("an explanation, then the change");
        let mut lines = before.trim_end().lines();
        let breaks = lines.next_back().is_some_and(|last| last.starts_with("Breaks: "));
        assert!(breaks && lines.next().is_some(), "{}: {before}", patch.display());
        assert!(patch.extension().is_some_and(|ending| ending == "patch"), "{}", patch.display());
    }
}
