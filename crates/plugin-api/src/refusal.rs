//! Saying no: a sentence for the player, and where in their line the problem is.

use dice::{DiceError, RollError};
use std::ops::Range;

/// Why a command was refused. Nothing changes and nothing is rolled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
    /// The bytes of the typed line it is about; an empty range if something is missing there.
    pub at: Option<Range<usize>>,
    /// The word of the typed line it is about; the host finds its place.
    pub about: Option<String>,
    /// What would have been right, without the prefix. If `None`, the host shows an example of the command, but only if
    /// the line does not parse as it.
    pub example: Option<String>,
    /// True if the line does not parse as the command, whatever the state of the game.
    pub usage: bool,
    /// How to correct the typed line, if that is known.
    pub mended: Option<Box<Mended>>,
    /// True if a room reads it once a day: the same again on that day is answered by nothing.
    pub daily: bool,
}

/// A correction of the typed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mended {
    /// The wrong bytes of the line. If `None`, the word that the refusal is about.
    pub at: Option<Range<usize>>,
    /// What replaces them; empty to delete them.
    pub by: String,
}

impl Refusal {
    /// Refuses for this reason.
    pub fn new(what: impl Into<String>) -> Self {
        Refusal { what: what.into(), ..Refusal::default() }
    }

    /// Refuses because the line does not parse as the command.
    pub fn usage(what: impl Into<String>, at: Range<usize>) -> Self {
        Refusal { what: what.into(), at: Some(at), usage: true, ..Refusal::default() }
    }

    /// Points at this word of the line.
    #[must_use]
    pub fn about(mut self, word: impl Into<String>) -> Self {
        self.about = Some(word.into());
        self
    }

    /// Points at this word of the line and says which word was probably meant.
    #[must_use]
    pub fn about_meant(mut self, word: impl Into<String>, meant: impl Into<String>) -> Self {
        self.mended = Some(Box::new(Mended { at: None, by: meant.into() }));
        self.about(word)
    }

    /// Points at these bytes of the line.
    #[must_use]
    pub fn at(mut self, at: Range<usize>) -> Self {
        self.at = Some(at);
        self
    }

    /// Suggests `by` in place of these bytes of the line, if a correction is known.
    #[must_use]
    pub fn mended(mut self, at: Range<usize>, by: Option<impl Into<String>>) -> Self {
        self.mended = by.map(|by| Box::new(Mended { at: Some(at), by: by.into() }));
        self
    }

    /// Shows this command as the right one.
    #[must_use]
    pub fn example(mut self, command: impl Into<String>) -> Self {
        self.example = Some(command.into());
        self
    }
}

impl From<DiceError> for Refusal {
    fn from(error: DiceError) -> Self {
        Refusal::new(error.to_string())
    }
}

impl From<RollError> for Refusal {
    fn from(error: RollError) -> Self {
        Refusal::new(error.to_string())
    }
}

/// A word of so many letters is short.
const SHORT: usize = 3;

/// The candidate that `word` was probably meant to be: at most one typo in a short word, two in a long one, or the only one
/// without its vowels, `clr`.
pub fn suggest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let slips = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    // `-adv` takes it away, and `wow` is no slip of a shorter word that begins otherwise.
    if word.starts_with(['-', '+']) && word[1..].starts_with(char::is_alphabetic) {
        return None;
    }
    let first = |word: &str| word.chars().next().map(|first| first.to_ascii_lowercase());
    let like = |known: &&str| word.len() > SHORT || known.len() >= word.len() || first(known) == first(word);
    let candidates: Vec<&str> = candidates.into_iter().filter(like).collect();
    shortened(word, &candidates).or_else(|| suggest_within(slips, word, candidates))
}

/// The only candidate that is this word with vowels.
fn shortened<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let without_vowels = |word: &str| word.to_lowercase().replace(['a', 'e', 'i', 'o', 'u'], "");
    let short = word.to_lowercase();
    if short.len() < 3 || !short.chars().all(char::is_alphabetic) || without_vowels(&short) != short {
        return None;
    }
    let mut found =
        candidates.iter().filter(|candidate| candidate.len() > short.len() && without_vowels(candidate) == short);
    let first = found.next()?;
    found.all(|other| other == first).then_some(*first)
}

/// The nearest candidate at most `slips` typos away from `word`, ignoring case. A typo is a letter too many, too few,
/// wrong, or two letters swapped.
pub fn suggest_within<'a>(slips: usize, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    // If the lengths differ by more than `slips`, the letters need not be compared.
    let long = word.chars().count();
    candidates
        .into_iter()
        .filter(|candidate| candidate.to_lowercase().chars().count().abs_diff(long) <= slips)
        .map(|candidate| (strsim::osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| (1..=slips).contains(distance))
        // Of two as near, the one that is as long: `dealy` is `delay` rather than `deal`.
        .min_by_key(|(distance, candidate)| (*distance, candidate.chars().count().abs_diff(long)))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_word_and_a_short_word_finds_nothing() {
        let words = ["overwhelmed", "staggered", "adv", "vs"];
        assert_eq!(suggest("overwelmd", words), Some("overwhelmed"));
        assert_eq!(suggest("dav", words), Some("adv"));
        assert_eq!(suggest("sv", words), None);
        assert_eq!(suggest("adv", words), None);
        assert_eq!(suggest("-adv", words), None);
        assert_eq!(suggest("wow", ["ow"]), None);
        assert_eq!(suggest("vss", words), Some("vs"));
        assert_eq!(suggest("stress", words), None);
        assert_eq!(suggest("stggrd", words), Some("staggered"));
        assert_eq!(suggest("clr", ["clear", "color"]), None);
        assert_eq!(suggest_within(1, "overwelmd", words), None);
    }
}
