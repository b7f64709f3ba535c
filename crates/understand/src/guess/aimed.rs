//! Lines that say whom they are against, though their command has nobody to be against.

use super::tidied::Tidied;
use super::words::{AGAINST, ARTICLES};
use super::{Sentence, without};
use crate::surroundings::Surroundings;

/// The line that was probably meant by one with whom it is against in it, though its command has nobody to be against:
/// `intent charm vs Countess`.
pub(super) fn aimed(here: &dyn Surroundings, typed: &str) -> Option<String> {
    let tidied = Tidied::of(here, typed);
    let sentence = Sentence::of(here, (&tidied.text, true))?;
    sentence.aims_from(1).map(|line| tidied.commented(line))
}

impl<'a> Sentence<'a> {
    /// `intent charm vs Countess`: whom it is against is no comment, though this command does not ask for it.
    pub(super) fn aims_from(&self, skipped: usize) -> Option<String> {
        // In some games the word is a command: `against Countess charm`.
        let against = |word: &'a str| if AGAINST.contains(&word.to_lowercase().as_str()) { "against" } else { word };
        let mut part = self.part(skipped..).filter(Sentence::is_against_somebody)?;
        part.words = without(&ARTICLES, &part.words).into_iter().map(against).collect();
        part.lower = part.words.iter().map(|word| word.to_lowercase()).collect();
        part.deed().or_else(|| part.has_command())
    }

    /// True for `vs Countess`, `against the Countess`.
    fn is_against_somebody(&self) -> bool {
        let lower: Vec<&str> = self.lower.iter().map(String::as_str).filter(|word| !ARTICLES.contains(word)).collect();
        lower.windows(2).any(|pair| AGAINST.contains(&pair[0]) && self.named(pair[1]).is_some())
    }
}
