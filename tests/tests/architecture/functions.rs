//! Functions that a reader can follow: not too long, and called with arguments that say what they mean.
//!
//! The sources are read as text, formatted by rustfmt; what is below `#[cfg(test)]` does not count.

use super::{root, sources};
use regex::Regex;
use std::fs;
use std::path::PathBuf;

/// A function has at most so many lines.
const MOST_LINES: usize = 60;
/// So many are longer, and none by more than this. A change that makes one longer makes another one shorter.
const LONGER: usize = 30;
const LONGEST: usize = 97;
/// Flags that people type. They come as `bool` from the command line or from a command's words.
const FLAGS: [&str; 5] = ["advantage", "disadvantage", "json", "table", "unskilled"];

/// Each source file of the program and the games, without its tests.
fn texts() -> impl Iterator<Item = (PathBuf, String)> {
    let folders = ["crates", "plugins"].into_iter().flat_map(|folder| sources(&root().join(folder)));
    folders.filter(|path| path.components().any(|part| part.as_os_str() == "src")).map(|path| {
        let text = fs::read_to_string(&path).expect("it can be read");
        let program = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        (path, program)
    })
}

/// The functions of a text that have a body, each with its number of lines.
fn functions(text: &str) -> Vec<(String, usize)> {
    let head = Regex::new(r"^( *)(?:pub(?:\([a-z ]+\))? )?(?:async )?(?:const )?fn (\w+)").expect("it is well formed");
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(head) = head.captures(line) else { continue };
        let (indent, name) = (&head[1], &head[2]);
        // A declaration in a trait ends with a semicolon, on its line or on that of its last parenthesis.
        let ends = |line: &&str| line.strip_prefix(indent).is_some_and(|line| line == "}" || line.starts_with(')'));
        let end = match line.ends_with([';', '}']) {
            true => None,
            false => lines[at..].iter().position(|line| ends(line) && *line == format!("{indent}}}")),
        };
        let declared = lines[at..].iter().find(|line| ends(line)).is_some_and(|line| line.ends_with(';'));
        found.extend(end.filter(|_| !declared).map(|end| (name.to_owned(), end + 1)));
    }
    found
}

#[test]
fn functions_are_short_and_those_that_are_not_become_fewer() {
    let mut long = Vec::new();
    for (path, text) in texts() {
        let own = functions(&text).into_iter().filter(|(_, lines)| *lines > MOST_LINES);
        long.extend(own.map(|(name, lines)| format!("{lines} {}: {name}", path.display())));
    }
    long.sort_by_key(|each| std::cmp::Reverse(each.split(' ').next().and_then(|lines| lines.parse::<usize>().ok())));
    let longest = long.first().and_then(|each| each.split(' ').next()?.parse().ok()).unwrap_or(0);
    assert!(long.len() <= LONGER && longest <= LONGEST, "{} are too long:\n{}", long.len(), long.join("\n"));
}

#[test]
fn no_public_function_takes_a_yes_or_no() {
    let head = Regex::new(r"(?m)^ *pub (?:async )?fn (\w+)(?:<[^>]*>)?\(([^{;]*?)\)(?: ->| \{|;|\n)")
        .expect("it is well formed");
    let flag = Regex::new(r"(\w+): bool\b").expect("it is well formed");
    let mut wrong = Vec::new();
    for (path, text) in texts() {
        for function in head.captures_iter(&text) {
            let unnamed = flag.captures_iter(&function[2]).filter(|flag| !FLAGS.contains(&&flag[1]));
            wrong.extend(unnamed.map(|flag| format!("{}: {} takes {}", path.display(), &function[1], &flag[1])));
        }
    }
    assert!(wrong.is_empty(), "an enum says what is meant where it is called:\n{}", wrong.join("\n"));
}

#[test]
fn lines_of_functions_are_counted() {
    let text =
        "trait A {\n    fn b();\n    fn c(\n        d: u8,\n    );\n}\nfn e() {}\npub(super) fn f() {\n    g();\n}\n";
    assert_eq!(functions(text), [("f".to_owned(), 3)]);
}
