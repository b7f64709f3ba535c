//! Which command the first words of a line are. Most commands are one word; a game may have some of up to four.

use crate::{CommandSpec, Manifest};
use std::ops::Range;

/// Punctuation behind a word that is no part of it.
pub const ENDS: [char; 7] = [':', '.', ',', ';', '!', '?', '…'];

/// The first words of a line, at most so many, in lower case, with one space between them and without punctuation behind
/// the last, and where they are in bytes: all of them, then one less, down to the first alone. A `#` ends a word.
pub fn first_words(typed: &str, most: usize) -> impl Iterator<Item = (String, Range<usize>)> {
    let line = typed.split('#').next().unwrap_or_default();
    let mut end = 0;
    let words = line.split_whitespace().take(most).map(|word| {
        end += line[end..].find(word).unwrap_or_default() + word.len();
        end
    });
    let ends: Vec<usize> = words.collect();
    ends.into_iter().rev().map(move |end| {
        let words: Vec<&str> = line[..end].trim_end_matches(ENDS).split_whitespace().collect();
        (words.join(" ").to_lowercase(), 0..end)
    })
}

impl CommandSpec {
    /// True if a line begins with it.
    pub fn begins(&self, typed: &str) -> bool {
        first_words(typed, self.most_words()).any(|(words, _)| self.answers_to(&words))
    }

    /// How many words its longest name has.
    fn most_words(&self) -> usize {
        self.names().map(|name| name.split(' ').count()).max().unwrap_or(1)
    }

    /// All that it is called, its name first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name).chain(&self.aliases).map(String::as_str)
    }
}

impl Manifest {
    /// How many words the longest name of a command has.
    pub fn most_words(&self) -> usize {
        self.commands.iter().map(CommandSpec::most_words).max().unwrap_or(1)
    }

    /// The command that a line begins with, the one of most words first, and where its name ends in bytes.
    pub fn begun(&self, typed: &str) -> Option<(&CommandSpec, usize)> {
        first_words(typed, self.most_words()).find_map(|(words, at)| Some((self.command(&words)?, at.end)))
    }
}
