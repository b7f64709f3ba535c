//! Parses what is done with dice that show words: `cancel hit/miss`, and nothing that needs numbers.

use super::{Parsed, Parser};
use crate::expression::Expression;
use crate::limits::MAX_WORDS;
use crate::notation::Together;
use crate::symbols::{BLANK, Cancel, calculates_with_words, may_cancel, words_on};
use std::collections::BTreeSet;

impl Parser<'_> {
    /// Refuses dice with words, in the roll that began at `start`, where numbers are needed.
    pub(super) fn may_show_words(
        &self,
        start: usize,
        expression: &Expression,
        together: Option<Together>,
    ) -> Parsed<()> {
        let what = if calculates_with_words(expression) {
            "these dice show words, and no number to calculate with; cancel hit/miss takes words from each other"
        } else if together.is_some() && expression.shows_words() {
            "these dice show words, which are not added up or sorted"
        } else {
            return Ok(());
        };
        Err(self.error(start..self.at, what))
    }

    /// `cancel hit/miss, flash/dark` behind a sum of dice with words, of which these take each other away.
    pub(super) fn cancels(&mut self, expression: &Expression) -> Parsed<Vec<Cancel>> {
        self.skip_spaces();
        let Some(words) = words_on(expression).filter(|_| self.letters().eq_ignore_ascii_case("cancel")) else {
            return Ok(Vec::new());
        };
        let start = self.at;
        self.at += self.letters().len();
        if !self.begins_a_pair(&words) {
            self.at = start;
            return Ok(Vec::new());
        }
        if !may_cancel(expression) {
            let what = "words cancel each other on dice to which nothing else is done";
            return Err(self.error(start..self.at, what));
        }
        let mut all = Vec::new();
        loop {
            let word = self.cancelled(&words)?;
            if !self.eat(b'/') || all.len() == MAX_WORDS {
                let end = self.rest().chars().next().map_or(0, char::len_utf8);
                let what = "two words cancel each other, as in cancel hit/miss, flash/dark";
                return Err(self.error(self.at..self.at + end, what));
            }
            let against = self.cancelled(&words)?;
            let twice = |word: &String| all.iter().any(|pair: &Cancel| pair.word == *word || pair.against == *word);
            if word == against || twice(&word) || twice(&against) {
                return Err(self.error(start..self.at, "each word cancels one other"));
            }
            all.push(Cancel { word, against });
            self.skip_spaces();
            if !self.eat(b',') {
                return Ok(all);
            }
        }
    }

    /// True if what follows is a word that cancels another, and no remark: `cancel the order`.
    fn begins_a_pair(&self, words: &[&str]) -> bool {
        let word = self.rest().trim_start().split(|c: char| c.is_whitespace() || c == ',').next().unwrap_or_default();
        let shown = word.split('-').next().unwrap_or_default();
        word.contains('/') || [word, shown].iter().any(|word| on_dice(word, words).is_some())
    }

    /// One of these words.
    fn cancelled(&mut self, words: &[&str]) -> Parsed<String> {
        self.skip_spaces();
        let start = self.at;
        let word = on_dice(self.face_word().unwrap_or_default(), words);
        self.skip_spaces();
        match word {
            Some(word) => Ok(word.to_owned()),
            None => {
                let others: BTreeSet<&str> = words.iter().copied().filter(|word| *word != BLANK).collect();
                let others = others.into_iter().collect::<Vec<_>>().join(", ");
                Err(self.error(start..self.at, format!("what shows on these dice is {others}")))
            }
        }
    }
}

/// The word on the dice that is meant: it, or the only one that differs in capitals.
fn on_dice<'w>(typed: &str, words: &[&'w str]) -> Option<&'w str> {
    let shown = || words.iter().copied().filter(|word| *word != BLANK);
    let mut alike = shown().filter(|word| word.to_lowercase() == typed.to_lowercase());
    shown().find(|word| *word == typed).or_else(|| alike.next().filter(|first| alike.all(|other| other == *first)))
}
