//! A line without its comment and with its slips corrected, so that it can be guessed what it means.

use super::words::{AGAINST, ARTICLES, BECOMES, DONE, FILLERS, GROUPS, LINKS, VERBS};
use super::{bare, question};
use crate::attempt::Attempt;
use crate::host::Host;
use crate::sheet::Sheet;
use crate::words::CommandLine;
use plugin_api::{Cast, suggest_within};
use std::collections::BTreeSet;

/// Words that are shorter are too often right as they are.
const CORRECTED: usize = 5;
const CORRECTED_NAME: usize = 4;
/// A word this long may have two slips.
const TWO_SLIPS: usize = 8;

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
        let sheet = Sheet { doc: &attempt.doc, character: attempt.actor };
        let values: Vec<&str> = sheet.names().filter(|name| !name.contains(' ')).collect();
        let slips = Slips { known: known.iter().map(String::as_str).collect(), values, cast };
        let words = text.split_whitespace().map(|word| slips.corrected(word));
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

/// What a word may be a slip of.
struct Slips<'a> {
    known: BTreeSet<&'a str>,
    /// The names of values.
    values: Vec<&'a str>,
    cast: &'a Cast,
}

impl Slips<'_> {
    /// The word with its slip corrected, and all that surrounds it; of `d20+stelth` each part.
    fn corrected(&self, word: &str) -> String {
        match word.find(['+', '-']) {
            // `cut+2bd` is `cut +2bd`.
            Some(at) if self.values.contains(&word[..at].to_lowercase().as_str()) => {
                format!("{} {}", &word[..at], &word[at..])
            }
            Some(at) if word[..at].contains(|c: char| c.is_ascii_digit()) => {
                let (front, rest) = word.split_at(at + 1);
                format!("{front}{}", self.corrected(rest))
            }
            _ => self.right(word),
        }
    }

    fn right(&self, word: &str) -> String {
        let (plain, lower) = (bare(word), bare(word).to_lowercase());
        let long = lower.chars().count();
        let right = long < CORRECTED_NAME
            || !plain.chars().all(char::is_alphabetic)
            || super::stems(&lower).iter().any(|stem| self.is_known(stem))
            || self.cast.meant(&lower).is_some()
            || self.cast.is_ambiguous(&lower);
        if right {
            return word.to_owned();
        }
        let spoken = |name: &str| name.len() > 2 && consonants(name) == consonants(&lower);
        let mut begun = self.values.iter().copied().filter(|name| name.starts_with(&lower) || spoken(name));
        if let Some(only) = begun.next().filter(|_| begun.next().is_none()) {
            return word.replace(plain, only);
        }
        let names = self.cast.names().filter(|name| !name.contains(' ')).chain(self.values.iter().copied());
        let words = self.known.iter().copied().filter(|_| long >= CORRECTED);
        let all: Vec<&str> = words.chain(names).collect();
        let within = |slips| suggest_within(slips, &lower, all.iter().copied());
        let meant = within(1).or_else(|| if long >= TWO_SLIPS { within(2) } else { None });
        meant.map_or_else(|| word.to_owned(), |meant| word.replace(plain, meant))
    }

    fn is_known(&self, word: &str) -> bool {
        self.known.contains(word) || self.values.contains(&word)
    }
}

/// A word as people shorten it: `dmg` for `damage`.
fn consonants(word: &str) -> String {
    word.chars().filter(|c| !"aeiou".contains(*c)).collect()
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
    for words in [&VERBS[..], &BECOMES, &ARTICLES, &FILLERS, &LINKS, &GROUPS, &question::ASKS, &DONE, &AGAINST] {
        words.iter().for_each(|word| add(word));
    }
    Sheet { doc: &attempt.doc, character: attempt.actor }.names().for_each(add);
    known
}
