//! The program's own help: its commands with their flags, from `--help`.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The `--help` of a command.
pub struct Page {
    /// The command, without the program's name.
    pub words: Vec<String>,
    /// The text.
    pub text: String,
}

/// The pages of a program and all its commands, outermost first.
pub fn pages(program: &Path) -> Vec<Page> {
    let mut pages = Vec::new();
    walk(program, Vec::new(), &mut pages);
    pages
}

fn walk(program: &Path, words: Vec<String>, pages: &mut Vec<Page>) {
    let output = Command::new(program).args(&words).arg("--help").env("COLUMNS", "100").output().expect("it runs");
    assert!(output.status.success(), "{words:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let page = Page { words, text };
    let inner: Vec<_> = page.commands().map(|name| [&page.words[..], &[name.to_owned()]].concat()).collect();
    pages.push(page);
    inner.into_iter().for_each(|words| walk(program, words, pages));
}

impl Page {
    /// The names of its subcommands.
    fn commands(&self) -> impl Iterator<Item = &str> {
        let (_, rest) = self.text.split_once("Commands:\n").unwrap_or_default();
        let lines = rest.lines().take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
        lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help")
    }

    /// True if the command can be run itself.
    pub fn runs(&self) -> bool {
        self.words.is_empty() || self.commands().next().is_none()
    }

    /// Its flags.
    pub fn flags(&self) -> BTreeSet<String> {
        let lines = self.text.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let words = lines.flat_map(|line| line.split(' ')).filter(|word| word.starts_with("--"));
        words.map(|word| word.trim_end_matches(',').to_owned()).collect()
    }
}
