//! Words with slips in them: glued, shortened, misspelt or divided.

use super::vocabulary::Vocabulary;
use super::words::{AGAINST, DIFFICULTY, ENDS, HEALTH};
use super::{bare, stems};
use crate::notation::throws_dice;
use crate::surroundings::Surroundings;
use plugin_api::suggest_within;

/// Words that are shorter are too often right as they are.
const CORRECTED: usize = 5;
const CORRECTED_NAME: usize = 4;
/// A word this long is known by its consonants.
pub const SPOKEN: usize = 6;
/// A word this long may have two slips.
const TWO_SLIPS: usize = 8;
/// Steps of comparing two words.
const A_COMPARISON: usize = 3;

/// What a word may be a slip of.
pub(super) struct Slips<'a> {
    pub vocabulary: &'a Vocabulary,
    pub here: &'a dyn Surroundings,
    /// The names of values.
    pub values: Vec<&'a str>,
    /// Those of several words.
    pub several: Vec<&'a str>,
}

impl Slips<'_> {
    /// The words, with two that are one joined: `spot light`.
    pub fn joined<'w>(&self, words: impl Iterator<Item = &'w str>) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for word in words {
            let behind =
                all.last().filter(|before| before.len() > 2 && word.len() > 2).map(|before| format!("{before}{word}"));
            match behind.filter(|both| self.is_known(&both.to_lowercase()) && !self.is_known(&word.to_lowercase())) {
                Some(both) => {
                    all.pop();
                    all.push(both);
                }
                None => all.push(word.to_owned()),
            }
        }
        all
    }

    /// The word with its slip corrected, and all that surrounds it; of `d20+stelth` each part.
    pub fn corrected(&self, word: &str) -> String {
        // `w/adv` is `adv`.
        let word = word.strip_prefix("w/").filter(|with| self.is_known(&bare(with).to_lowercase())).unwrap_or(word);
        match word.find(['+', '-']) {
            // `cut+2bd` is `cut +2bd`.
            Some(at) if self.values.contains(&word[..at].to_lowercase().as_str()) => {
                format!("{} {}", &word[..at], &word[at..])
            }
            // `5/+3` is `5 +3`.
            Some(at) if let Some(number) = word[..at].strip_suffix('/').filter(|number| is_number(number)) => {
                format!("{number} {}", &word[at..])
            }
            // `-5hp` is `-5 hp`.
            Some(0)
                if let Some(at) = counted(&word[1..])
                    && let counter = word[at + 1..].to_lowercase()
                    && (HEALTH.contains(&counter.as_str()) || self.values.contains(&counter.as_str())) =>
            {
                format!("{} {}", &word[..=at], &word[at + 1..])
            }
            // `17+2bd` is `17 +2bd`.
            Some(at) if is_number(&word[..at]) && counted(&word[at + 1..]).is_some() => {
                format!("{} {}", &word[..at], &word[at..])
            }
            // `plus2` is `+2`.
            None if let Some(number) = word.strip_prefix("plus").filter(|number| is_number(number)) => {
                format!("+{number}")
            }
            None if let Some(number) = word.strip_prefix("minus").filter(|number| is_number(number)) => {
                format!("-{number}")
            }
            // `d8x2` is `2d8`.
            None if let Some((die, number)) = word.split_once('x')
                && die.strip_prefix('d').is_some_and(is_number)
                && is_number(number) =>
            {
                format!("{number}{die}")
            }
            // `+2v-1` is `+2 vs -1`.
            Some(0)
                if let Some((own, other)) = word.split_once(['v', 'V'])
                    && is_number(&own[1..])
                    && is_number(other.trim_start_matches(['s', '+', '-'])) =>
            {
                format!("{own} vs {}", other.trim_start_matches('s'))
            }
            // `2nd` is 2.
            None if let Some(number) = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending))
                && is_number(number) =>
            {
                number.to_owned()
            }
            // `vs14` is `vs 14`.
            None if let Some((aim, number)) = aimed(word) => format!("{} {number}", aim.to_lowercase()),
            // `dn=challenging` is `dn challenging`.
            None if let Some((aim, what)) = word.split_once('=')
                && aims(aim) =>
            {
                format!("{} {what}", aim.to_lowercase())
            }
            // `Ann:17` is `Ann 17`.
            None if let Some((name, number)) = word.split_once([':', '='])
                && is_number(number.trim_end_matches(','))
                && name.starts_with(char::is_alphabetic) =>
            {
                format!("{} {number}", self.right(name))
            }
            // `2xd8` is `2d8`.
            None if word.contains("xd") && throws_dice(&word.replace("xd", "d")) => word.replace("xd", "d"),
            // `dn10/12/14` is `dn 10 12 14`.
            None if let Some((aim, numbers)) = several_numbers(word) => {
                format!("{} {}", aim.to_lowercase(), numbers.replace('/', " "))
            }
            // `bd2` is `bd 2`.
            None if let Some((known, number)) =
                numbered(word).filter(|(known, _)| self.is_known(&known.to_lowercase())) =>
            {
                format!("{known} {number}")
            }
            // `3stones` is `3 stones`.
            None if let Some(at) = counted(word).filter(|at| self.is_known(&word[*at..].to_lowercase())) => {
                format!("{} {}", &word[..at], &word[at..])
            }
            // `hp-9` is `hp -9`.
            Some(at) if at > 1 && word[..at].chars().all(char::is_alphabetic) && is_number(&word[at + 1..]) => {
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
        // `firecombat` is `fire combat`.
        let joined = self.several.iter().find(|name| long >= CORRECTED && name.replace(' ', "") == lower);
        if let Some(name) = joined {
            return word.replace(plain, name);
        }
        let right = long < CORRECTED_NAME
            || !plain.chars().all(char::is_alphabetic)
            || stems(&lower).iter().any(|stem| self.is_known(stem))
            || lower.strip_prefix("un").is_some_and(|undone| self.is_known(undone))
            || self.here.cast().meant(&lower).is_some()
            || self.here.cast().is_ambiguous(&lower);
        if right {
            return word.to_owned();
        }
        let spoken = |name: &str| name.len() > 2 && consonants(name) == consonants(&lower);
        let mut begun = self.values.iter().copied().filter(|name| name.starts_with(&lower) || spoken(name));
        if let Some(only) = begun.next().filter(|_| begun.next().is_none()) {
            return word.replace(plain, only);
        }
        let searched = self.vocabulary.corrected.borrow().get(&lower).cloned();
        let meant = searched.unwrap_or_else(|| {
            let found = self.nearest(&lower, long);
            self.vocabulary.corrected.borrow_mut().insert(lower.clone(), found.clone());
            found
        });
        meant.map_or_else(|| word.to_owned(), |meant| word.replace(plain, &meant))
    }

    /// The word, value or name that this long word in lower case is a slip of.
    fn nearest(&self, lower: &str, long: usize) -> Option<String> {
        let known = &self.vocabulary.known;
        if !self.here.takes((known.len() + self.values.len() + self.here.cast().names().count()) * A_COMPARISON) {
            return None;
        }
        let names = self.here.cast().names().filter(|name| !name.contains(' ')).chain(self.values.iter().copied());
        let words = known.iter().map(String::as_str);
        let words = words.filter(|word| long >= CORRECTED && word.chars().count() >= CORRECTED);
        let all: Vec<&str> = words.chain(names).collect();
        let within = |slips| suggest_within(slips, lower, all.iter().copied());
        let sounds = consonants(lower);
        let sound = |known: &str| match self.vocabulary.consonants.get(known) {
            Some(sound) => *sound == sounds,
            None => consonants(known) == sounds,
        };
        let heard = || all.iter().copied().find(|known| long >= SPOKEN && sound(known));
        let meant = within(1).or_else(|| if long >= TWO_SLIPS { within(2) } else { None }).or_else(heard);
        meant.map(str::to_owned)
    }

    fn is_known(&self, word: &str) -> bool {
        self.vocabulary.known.contains(word) || self.values.contains(&word)
    }
}

/// `vs14`: the word in front of a number, and that.
fn aimed(word: &str) -> Option<(&str, &str)> {
    let (aim, number) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    // `vs.18`
    let aim = aim.trim_end_matches('.');
    (aims(aim) && is_number(number.trim_end_matches(ENDS))).then_some((aim, number))
}

/// True for a word in front of what a line is against.
fn aims(word: &str) -> bool {
    let word = word.to_lowercase();
    AGAINST.contains(&word.as_str()) || DIFFICULTY.contains(&word.as_str())
}

pub(super) fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

/// `bd2`: at least two letters in front of a number, and that.
fn numbered(word: &str) -> Option<(&str, &str)> {
    let (letters, number) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    let letters_alone = letters.len() > 1 && letters.chars().all(char::is_alphabetic);
    (letters_alone && is_number(number)).then_some((letters, number))
}

/// `dn10/12/14`: the word in front of several numbers, and they.
fn several_numbers(word: &str) -> Option<(&str, &str)> {
    let (aim, numbers) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    let several = numbers.contains('/') && numbers.split('/').all(is_number);
    (aims(aim) && several).then_some((aim, numbers))
}

/// Where the letters begin behind a number.
fn counted(word: &str) -> Option<usize> {
    let at = word.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?;
    word[at..].chars().all(char::is_alphabetic).then_some(at)
}

/// A word as people shorten it, `dmg` for `damage`, or spell it by ear, `spotlite`.
pub fn consonants(word: &str) -> String {
    word.replace("gh", "").chars().filter(|c| !"aeiou".contains(*c)).collect()
}
