//! A line without its comment and with its slips corrected, so that it can be guessed what it means.

use super::{ARTICLES, BECOMES, FILLERS, GROUPS, LINKS, VERBS, bare, question};
use crate::attempt::Attempt;
use crate::host::Host;
use crate::sheet::Sheet;
use crate::words::CommandLine;
use plugin_api::{Cast, suggest_within};
use std::collections::BTreeSet;

/// Words that are shorter are too often right as they are.
const CORRECTED: usize = 5;
const CORRECTED_NAME: usize = 4;

/// A line to guess at.
pub(super) struct Tidied {
    pub text: String,
    comment: Option<String>,
}

impl Tidied {
    pub fn of(host: &Host, line: &CommandLine, attempt: &Attempt<'_>, cast: &Cast) -> Self {
        let begins = |at: &usize| !line.typed[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        let comment = line.typed.match_indices('#').map(|(at, _)| at).find(begins);
        let (text, comment) = match comment {
            Some(at) => (line.typed[..at].trim_end(), Some(line.typed[at + 1..].trim().to_owned())),
            None => (line.typed.as_str(), None),
        };
        let known = known(host, attempt);
        let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        let right = |word: &str| {
            let (plain, lower) = (bare(word), bare(word).to_lowercase());
            let long = lower.chars().count();
            if long < CORRECTED_NAME
                || !plain.chars().all(char::is_alphabetic)
                || known.contains(lower.as_str())
                || cast.meant(&lower).is_some()
            {
                return word.to_owned();
            }
            let names = cast.names().filter(|name| !name.contains(' '));
            let ended = |known: &&str| !super::stems(&lower).iter().any(|stem| stem == known);
            let words = known.iter().copied().filter(|_| long >= CORRECTED).filter(ended);
            let meant = suggest_within(1, &lower, words.chain(names));
            meant.map_or_else(|| word.to_owned(), |meant| word.replace(plain, meant))
        };
        let inflected =
            |word: &str| super::stems(&bare(word).to_lowercase()).iter().any(|stem| known.contains(stem.as_str()));
        let words = text.split_whitespace().map(|word| if inflected(word) { word.to_owned() } else { right(word) });
        Tidied { text: words.collect::<Vec<_>>().join(" "), comment }
    }

    /// A line made of it, with the comment.
    pub fn commented(&self, line: String) -> String {
        match self.comment.as_deref().filter(|comment| !comment.is_empty()) {
            Some(comment) if line.contains('#') => format!("{line}, {comment}"),
            Some(comment) => format!("{line} # {comment}"),
            None => line,
        }
    }
}

/// Every word of five letters and more that says something here, in lower case.
fn known(host: &Host, attempt: &Attempt<'_>) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    let mut add = |text: &str| {
        let words = text.split(' ').filter(|word| word.chars().count() >= CORRECTED);
        known.extend(words.map(str::to_lowercase));
    };
    for game in host.plugins.enabled(&attempt.room) {
        let manifest = game.manifest();
        for spec in &manifest.commands {
            std::iter::once(&spec.name).chain(&spec.aliases).chain(spec.words()).for_each(|word| add(word));
        }
        manifest.synonyms.iter().for_each(|(word, _)| add(word));
    }
    host.plugins.house().iter().for_each(|spec| add(&spec.name));
    for words in [
        &VERBS[..],
        &BECOMES,
        &ARTICLES,
        &FILLERS,
        &LINKS,
        &GROUPS,
        &question::ASKS,
        &super::deed::DONE,
        &super::deed::AGAINST,
    ] {
        words.iter().for_each(|word| add(word));
    }
    Sheet { doc: &attempt.doc, character: attempt.actor }.names().for_each(add);
    known
}
