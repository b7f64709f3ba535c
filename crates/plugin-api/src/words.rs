//! The words of a typed line, taken one after the other by the arguments they fit.

mod left;
mod shape;
mod typed;

use crate::{Argument, Arguments, Refusal, suggest};
use dice::number_word;
use std::ops::Range;
use typed::{Word, same};

/// What was typed after the command word, as words that arguments take away.
///
/// Spaces, commas and semicolons divide words; `"several words"` in quotation marks are one. Parentheses around a word
/// and punctuation after it are dropped. Case is kept; the arguments of fixed words ignore it. How thumbs write is read as
/// meant: `vs17`, `12dn14`, `7+4`, `+ 4`, `with advantage`, `d8 and d10`, an emoji at the end.
#[derive(Clone, Debug)]
pub struct Words {
    typed: String,
    words: Vec<Word>,
    /// The places of words that were taken as a part of the line: another side, a form.
    parts: Vec<Range<usize>>,
    /// The word in front of them, if it tells what they mean.
    behind: Option<String>,
    /// Whether words that no argument takes may be a remark, and the remark, once it is found.
    remark: Remark,
}

/// Whether words that no argument takes may be a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Remark {
    /// They are refused.
    Refused,
    /// They may be one, unless they are nearly an argument.
    Welcome,
    /// They were one.
    Found(String),
}

impl Words {
    /// The words of `typed` from byte `from` on; places in refusals count from the start of `typed`.
    pub fn new(typed: &str, from: usize) -> Self {
        let words = typed::words(typed, from);
        Words { typed: typed.to_owned(), words, parts: Vec::new(), behind: None, remark: Remark::Refused }
    }

    /// With names of several words, each as one word: `known` tells whether somebody is called that.
    #[must_use]
    pub fn with_names(mut self, known: impl Fn(&str) -> bool) -> Self {
        self.words = typed::joined(self.words, known);
        self
    }

    /// With what is no argument, nor nearly one, as a remark. Whether it is one is to be decided.
    #[must_use]
    pub fn with_remark(mut self) -> Self {
        self.remark = Remark::Welcome;
        self
    }

    /// The remark that was found among the words.
    pub fn remark(&self) -> Option<&str> {
        match &self.remark {
            Remark::Found(remark) => Some(remark),
            Remark::Refused | Remark::Welcome => None,
        }
    }

    /// The places of the words that arguments took.
    pub fn taken(&self) -> Vec<Range<usize>> {
        let own = self.words.iter().filter(|word| word.taken).map(|word| word.at.clone());
        own.chain(self.parts.iter().cloned()).collect()
    }

    /// Ends the reading of a part of these words.
    fn end_part(&mut self, part: Words) {
        self.parts.extend(part.taken());
        self.remark = part.remark;
    }

    /// The words nobody took yet.
    pub fn left(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter(|word| !word.taken).map(|word| word.text.as_str())
    }

    /// True if a word only leads to the next one: `with`, `the`.
    pub fn means_nothing(word: &str) -> bool {
        means_nothing(&word.to_lowercase())
    }

    /// Every word with its place in the line.
    pub fn all(&self) -> impl Iterator<Item = (&str, Range<usize>)> {
        self.words.iter().map(|word| (word.text.as_str(), word.at.clone()))
    }

    /// The place of `word` in the line, ignoring case.
    pub fn place_of(&self, word: &str) -> Option<Range<usize>> {
        let count = word.split_whitespace().count().max(1);
        let is = |words: &&[Word]| {
            let typed: Vec<&str> = words.iter().map(|each| each.text.as_str()).collect();
            same(&typed.join(" "), word)
        };
        let words = self.words.windows(count).find(is)?;
        Some(words.first()?.at.start..words.last()?.at.end)
    }

    /// Takes the first words that read as a `T`.
    pub fn take<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        T::take(self)
    }

    /// As [`take`](Self::take), for an argument that must be there.
    pub fn take_needed<T: Argument>(&mut self) -> Result<T, Refusal> {
        self.take()?.ok_or_else(|| self.unfit::<T>(None))
    }

    /// Takes the first word nobody took, if it reads as a `T`.
    pub fn take_next<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        match self.words.iter().position(|word| !word.taken) {
            Some(at) => self.read_at(at),
            None => Ok(None),
        }
    }

    /// Takes all that reads as a `T`; one word of several only up to the first that is prose: of `clear, I shake it off` the
    /// first word.
    pub fn take_all<T: Argument>(&mut self) -> Result<Vec<T>, Refusal> {
        let mut all = Vec::new();
        let mut before: Option<Vec<bool>> = None;
        loop {
            let taken: Vec<bool> = self.words.iter().map(|word| word.taken).collect();
            let Some(one) = self.take()? else { return Ok(all) };
            if !T::words().is_empty() && before.as_ref().is_some_and(|before| self.is_behind_prose(before, &taken)) {
                self.words.iter_mut().zip(taken).for_each(|(word, taken)| word.taken = taken);
                return Ok(all);
            }
            before.get_or_insert(taken);
            all.push(one);
        }
    }

    /// True if there is prose between what was taken at first and what was taken last.
    fn is_behind_prose(&self, at_first: &[bool], before: &[bool]) -> bool {
        let new = self.words.iter().zip(before).position(|(word, before)| word.taken && !before);
        let first = before.iter().zip(at_first).rposition(|(now, then)| *now && !then);
        let (Some(first), Some(new)) = (first, new) else { return false };
        let prose = |word: &Word| !word.taken && REMARKING.contains(&word.text.to_lowercase().as_str());
        first < new && self.words[first..new].iter().any(prose)
    }

    /// Takes one of `names` and the `T` after it.
    pub fn after<T: Argument>(&mut self, names: &[&str]) -> Result<Option<T>, Refusal> {
        let Some(found) = self.take_name_with_value(names) else {
            return Ok(None);
        };
        match self.value_of(found, names)? {
            Some(value) => Ok(Some(value)),
            None => self.value_before(found)?.ok_or_else(|| self.unfit::<T>(Some(found))).map(Some),
        }
    }

    /// Takes the word in front of word number `found`, if it is no number and reads as a `T`: `minor advantage`.
    fn value_before<T: Argument>(&mut self, found: usize) -> Result<Option<T>, Refusal> {
        let value = |at: &usize| !self.words[*at].taken && T::leads(&self.words[*at].text);
        let Some(at) = found.checked_sub(1).filter(value) else { return Ok(None) };
        let read = T::read(&[self.words[at].text.as_str()]);
        let read = read.map_err(|what| Refusal::usage(what, self.words[at].at.clone()))?;
        self.words[at].taken = read.is_some();
        Ok(read.map(|(value, _)| value))
    }

    /// As [`after`](Self::after), for an argument that must be there.
    pub fn after_needed<T: Argument>(&mut self, names: &[&str]) -> Result<T, Refusal> {
        let end = self.typed.len();
        let missing =
            || Refusal::usage(format!("{} and {} are missing", names[0], shape::in_words(&T::shape())), end..end);
        self.after(names)?.ok_or_else(missing)
    }

    /// As [`after`](Self::after), as often as one of the names stands there.
    pub fn after_each<T: Argument>(&mut self, names: &[&str]) -> Result<Vec<T>, Refusal> {
        let mut all = Vec::new();
        while let Some(one) = self.after(names)? {
            all.push(one);
        }
        Ok(all)
    }

    /// Takes one of `names` and everything after it, as the arguments of the other side.
    pub fn side<T: Arguments>(&mut self, names: &[&str]) -> Result<Option<T>, Refusal> {
        let Some(found) = self.take_name_with_value(names) else {
            return Ok(None);
        };
        let mut side = self.split_off(found + 1);
        let taken = T::take(&mut side)?;
        side.finish_with(T::declare)?;
        self.end_part(side);
        Ok(Some(taken))
    }

    /// As [`side`](Self::side), for a side that must be there.
    pub fn side_needed<T: Arguments>(&mut self, names: &[&str]) -> Result<T, Refusal> {
        let end = self.typed.len();
        let missing = || Refusal::usage(format!("{} and the other side are missing", names[0]), end..end);
        self.side(names)?.ok_or_else(missing)
    }

    /// Takes all that nobody took, as one of several forms: `read` takes the words of the form of which the first word is a
    /// keyword, or else of the form without one, `""`; it gives nothing if there is none.
    pub fn form<T>(
        &mut self,
        keywords: &[&[&str]],
        read: impl FnOnce(&str, &mut Words) -> Result<Option<T>, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let Some(at) = self.words.iter().position(|word| !word.taken) else { return Ok(None) };
        let first = self.words[at].clone();
        let known = keywords.iter().find(|names| names.iter().any(|name| same(name, &first.text)));
        let keyword = known.map(|names| names[0]);
        self.words[at].taken = keyword.is_some();
        let mut rest = self.split_off(at + usize::from(keyword.is_some()));
        rest.behind = keyword.map(|_| first.text.clone());
        let refused = match read(keyword.unwrap_or_default(), &mut rest) {
            Ok(Some(read)) => {
                self.end_part(rest);
                return Ok(Some(read));
            }
            Ok(None) => None,
            Err(refusal) => Some(refusal),
        };
        let meant = suggest(&first.text, keywords.iter().copied().flatten().copied());
        match refused {
            Some(refusal) if keyword.is_some() || meant.is_none() || !refusal.usage => Err(refusal),
            _ => {
                let all: Vec<_> = keywords.iter().map(|names| names[0]).collect();
                let what = match meant {
                    Some(meant) => format!("I do not understand \"{}\" here: did you mean {meant}?", first.text),
                    None => format!("I do not understand \"{}\" here: say {}", first.text, shape::listed(&all)),
                };
                Err(Refusal::usage(what, first.at.clone()).mended(first.at, meant))
            }
        }
    }

    /// The words from number `at` on, which are no longer among these.
    fn split_off(&mut self, at: usize) -> Words {
        let words = self.words.split_off(at);
        Words { typed: self.typed.clone(), words, parts: Vec::new(), behind: None, remark: self.remark.clone() }
    }

    /// Takes all of `names` that stand there; whether any did.
    pub fn flag(&mut self, names: &[&str]) -> bool {
        let mut found = false;
        while self.take_name(names).is_some() {
            found = true;
        }
        found
    }

    /// Takes one of `names` and the `T` after it, if there is one.
    pub fn flag_with<T: Argument + Default>(&mut self, names: &[&str]) -> Result<Option<T>, Refusal> {
        match self.take_name_with_value(names) {
            Some(found) => Ok(Some(self.value_of(found, names)?.unwrap_or_default())),
            None => Ok(None),
        }
    }

    /// Takes all numbers that have a sign.
    pub fn signed(&mut self) -> Result<Vec<i32>, Refusal> {
        let mut all = Vec::new();
        while let Some(one) = self.signed_once()? {
            all.push(one);
        }
        Ok(all)
    }

    /// Takes the first number that has a sign.
    pub fn signed_once(&mut self) -> Result<Option<i32>, Refusal> {
        let signed = |word: &Word| {
            let digits = word.text.strip_prefix(['+', '-']).unwrap_or_default();
            !word.taken && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !self.words.iter().any(signed) {
            self.split_several(|part| part.starts_with(['+', '-']));
        }
        let Some(word) = self.words.iter_mut().find(|word| signed(word)) else {
            return Ok(None);
        };
        word.taken = true;
        let number = word.text.parse();
        number.map(Some).map_err(|_| Refusal::usage(format!("{} is too large", word.text), word.at.clone()))
    }

    /// Takes everything that is left as it was typed, with its place in the line.
    pub fn rest(&mut self) -> Option<(String, usize)> {
        let start = self.words.iter().find(|word| !word.taken)?.at.start;
        for word in &mut self.words {
            word.taken = true;
        }
        Some((self.typed[start..].trim_end().to_owned(), start))
    }

    /// Tries `T` at each word nobody took, from the left.
    pub(crate) fn scan<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        let found = match self.first_that_reads::<T>()? {
            None if self.split_several(|part| matches!(T::read(&[part]), Ok(Some(_)))) => {
                self.first_that_reads::<T>()?
            }
            found => found,
        };
        Ok(found.map(|(value, taken)| {
            self.words[taken].iter_mut().for_each(|word| word.taken = true);
            value
        }))
    }

    /// The first `T` among the words that nobody took, and which words it is.
    fn first_that_reads<T: Argument>(&self) -> Result<Option<(T, Range<usize>)>, Refusal> {
        let texts: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        // Where the words that nobody took end, after each that is looked at.
        let mut end = 0;
        let mut remarks = false;
        for at in 0..texts.len() {
            if at >= end {
                let taken = self.words[at..].iter().position(|word| word.taken);
                end = taken.map_or(texts.len(), |taken| at + taken.max(1));
            }
            remarks |= self.begins_a_remark(at);
            let idle = remarks || self.words[at].is_ornament() || self.words[at].is_cry();
            if self.words[at].taken || self.only_leads::<T>(at) || (idle && self.is_prose::<T>(at)) {
                continue;
            }
            let read = T::read(&texts[at..end]).map_err(|what| Refusal::usage(what, self.words[at].at.clone()))?;
            if let Some((value, count)) = read {
                return Ok(Some((value, at..at + count)));
            }
        }
        Ok(None)
    }

    /// Whether a word only leads to the next one: `to` in `to Ann`.
    fn only_leads<T: Argument>(&self, at: usize) -> bool {
        means_nothing(&self.words[at].text) && self.is_prose::<T>(at)
    }

    /// Whether a word begins what is no argument any more: `from` in `from healing`.
    fn begins_a_remark(&self, at: usize) -> bool {
        let plain = |word: &Word| !word.taken && !word.quoted && !word.name;
        let is = |at: usize, of: &[&str]| {
            let word = self.words.get(at).filter(|word| plain(word));
            word.is_some_and(|word| of.contains(&word.text.to_lowercase().as_str()))
        };
        // `for the speech`, but `for the Ogre`
        let reason =
            || is(at, &["for"]) && is(at + 1, &["a", "an", "the"]) && self.words.get(at + 2).is_some_and(plain);
        is(at, &REMARKING) || reason()
    }

    /// Whether a word may be prose, where that is welcome: it is nobody's name, and none of the words of a `T`.
    fn is_prose<T: Argument>(&self, at: usize) -> bool {
        let word = &self.words[at];
        let plain = !word.quoted && !word.name && word.text.chars().all(char::is_alphabetic);
        let welcome = plain && self.remark != Remark::Refused;
        welcome && !T::words().iter().any(|known| same(known, &word.text))
    }

    /// Divides the first word that nobody took and that is several, `7+4` or `DC17`, into its parts, if one of them is `wanted`;
    /// whether it did.
    fn split_several(&mut self, wanted: impl Fn(&str) -> bool) -> bool {
        let found = self.words.iter().enumerate().find_map(|(at, word)| {
            let parts = word.sum().or_else(|| word.glued(&NUMBERED)).filter(|_| !word.taken)?;
            parts.iter().any(|part| wanted(&part.text)).then_some((at, parts))
        });
        let Some((at, parts)) = found else { return false };
        self.words.splice(at..=at, parts);
        true
    }

    /// Reads a `T` from word number `at` on and takes its words.
    fn read_at<T: Argument>(&mut self, at: usize) -> Result<Option<T>, Refusal> {
        let words: Vec<&str> =
            self.words.iter().skip(at).take_while(|word| !word.taken).map(|word| word.text.as_str()).collect();
        if words.is_empty() {
            return Ok(None);
        }
        let read = T::read(&words).map_err(|what| Refusal::usage(what, self.words[at].at.clone()))?;
        Ok(read.map(|(value, count)| {
            for word in &mut self.words[at..at + count] {
                word.taken = true;
            }
            value
        }))
    }

    /// Takes the first of `names` that is there.
    fn take_name(&mut self, names: &[&str]) -> Option<usize> {
        let versus = names.contains(&"vs");
        let is = |word: &Word, names: &[&str]| names.iter().any(|name| same(&word.text, name));
        let named = |word: &Word| !word.taken && (is(word, names) || (versus && is(word, &VERSUS)));
        let found = self.words.iter().position(named)?;
        self.words[found].taken = true;
        Some(found)
    }

    /// As [`take_name`](Self::take_name), also out of a word to which the value is glued: `vs17`, `dc=15`, `12dn14`.
    fn take_name_with_value(&mut self, names: &[&str]) -> Option<usize> {
        if let Some(found) = self.take_name(names) {
            return Some(found);
        }
        let glued = |(at, word): (usize, &Word)| Some((at, word.glued(names).filter(|_| !word.taken)?));
        let (at, parts) = self.words.iter().enumerate().find_map(glued)?;
        self.words.splice(at..=at, parts);
        self.take_name(names)
    }

    /// Takes the `T` after a name, word number `found`: `vs 17`, `vs = 17`, `vs dc 15`, `vs the Ogre`.
    fn value_of<T: Argument>(&mut self, found: usize, names: &[&str]) -> Result<Option<T>, Refusal> {
        let next = found + 1;
        // `vs twelve`
        if let Some(word) = self.words.get_mut(next).filter(|word| !word.taken && !word.quoted && !word.name)
            && let Some(number) = number_word(&word.text)
        {
            word.text = number.to_string();
        }
        let skipped = |word: &Word| {
            let again = names.iter().any(|name| same(&word.text, name));
            !word.taken && !word.quoted && (again || means_nothing(&word.text.to_lowercase()))
        };
        // `vs the Ogre`, `spotlight on my background`
        for leading in 1..=MOST_LEADING {
            let all = self.words.get(next..next + leading).is_some_and(|words| words.iter().all(skipped));
            if all && let Ok(Some(value)) = self.read_at(next + leading) {
                self.words[next..next + leading].iter_mut().for_each(|word| word.taken = true);
                return Ok(Some(value));
            }
        }
        self.read_at(next)
    }

    /// Why no `T` could be taken, behind word number `behind` or anywhere: it is missing, or another word is there.
    fn unfit<T: Argument>(&self, behind: Option<usize>) -> Refusal {
        let shape = T::shape();
        let known = T::words();
        let hint = |word: &Word| suggest(&word.text, known.iter().map(String::as_str));
        let mut left = self.words.iter().skip(behind.map_or(0, |word| word + 1)).filter(|word| !word.taken);
        // Anywhere in the line it is the one that was nearly right, else the last: other arguments are in front.
        let next = match behind {
            Some(_) => left.next(),
            None => {
                let nearly = left.clone().find(|word| hint(word).is_some());
                // Names and numbers are what other arguments take.
                let plain = |word: &&Word| !word.name && !word.text.contains(|c: char| c.is_ascii_digit());
                nearly.or(left.clone().rfind(plain)).or(left.next_back())
            }
        };
        let end = behind.map_or(self.typed.len(), |word| self.words[word].at.end);
        let behind = behind.map(|word| &self.words[word].text).or(self.behind.as_ref());
        let before = behind.map_or(String::new(), |word| format!(" after \"{word}\""));
        let Some(word) = next else {
            return Refusal::usage(shape::unfit(&shape, None, &before), end..end);
        };
        let meant = hint(word);
        let what = match meant {
            Some(meant) => format!("I do not understand \"{}\"{before}: did you mean {meant}?", word.text),
            None => shape::unfit(&shape, Some(&word.text), &before) + &shape::told(&shape, &known),
        };
        Refusal::usage(what, word.at.clone()).mended(word.at.clone(), meant)
    }
}

/// The most words that mean nothing between a word and its value.
const MOST_LEADING: usize = 2;
/// Words in front of an argument that mean nothing: `with a`, `and`.
const FILLING: [&str; 16] =
    ["→", "->", "=>", "=", "a", "an", "the", "with", "w/", "w", "and", "&", "+", "-", "at", "of"];
/// Words that mean nothing either in front of an argument, and begin a remark elsewhere: `to Ann`, and `to hide`.
const LEADING: [&str; 6] = ["to", "for", "on", "in", "my", "using"];
/// Words that begin a remark, and are nobody's name unless somebody is called that.
const REMARKING: [&str; 30] = [
    "from", "because", "since", "as", "by", "after", "before", "while", "when", "so", "due", "but", "if", "into", "i",
    "we", "he", "she", "they", "it", "you", "that", "this", "his", "her", "their", "our", "your", "its", "i'm",
];
/// What Germans type for versus.
const VERSUS: [&str; 2] = ["gegen", "gg"];
/// Words that say of a number that it is a difficulty, where any number is: `vs DC 17`, `vs DC17`.
const NUMBERED: [&str; 2] = ["dc", "dn"];

/// Whether a word, as it stands in lower case, only leads to the next one.
fn means_nothing(word: &str) -> bool {
    FILLING.contains(&word) || LEADING.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DiceWord, Name, Text};

    #[test]
    fn order_is_free_and_what_is_left_is_named() {
        let mut words = Words::new("act d8, vs 17 ADV 2d10 +2 -1 Ann", 3);
        assert_eq!(words.after::<i64>(&["vs"]).unwrap(), Some(17));
        assert!(words.flag(&["adv", "advantage"]));
        assert!(!words.flag(&["dis"]));
        assert_eq!(words.signed().unwrap(), [2, -1]);
        let dice: Vec<DiceWord> = words.take_all().unwrap();
        assert_eq!(dice.iter().flat_map(|word| word.sides()).collect::<Vec<_>>(), [8, 10, 10]);
        let refusal = words.finish(&["bonus".to_owned()]).unwrap_err();
        assert_eq!(refusal.what, "I do not understand \"Ann\" here");
        assert_eq!(refusal.at, Some(29..32));
        assert_eq!(words.take::<Name>().unwrap().unwrap().0, "Ann");
        words.finish(&[]).unwrap();
    }

    #[test]
    fn words_match_whole() {
        let mut words = Words::new("disadvantage", 0);
        assert!(!words.flag(&["advantage"]));
        assert!(words.flag(&["disadvantage"]));
    }

    #[test]
    fn a_missing_value_shows_its_place() {
        let refusal = Words::new("act vs", 3).after::<i64>(&["vs"]).unwrap_err();
        assert_eq!((refusal.what.as_str(), refusal.at), ("a number is missing after \"vs\"", Some(6..6)));
        let refusal = Words::new("act vs 99999999999999999999", 3).after::<i64>(&["vs"]).unwrap_err();
        assert_eq!(refusal.at, Some(7..27));
    }

    #[test]
    fn quotation_marks_join_and_rest_is_verbatim() {
        let mut words = Words::new("x \"Old Tom\" 4d6,  then", 2);
        assert_eq!(words.take::<Name>().unwrap().unwrap().0, "Old Tom");
        let text = words.take::<Text>().unwrap().unwrap();
        assert_eq!((text.text.as_str(), text.at), ("4d6,  then", 12));
    }
}
