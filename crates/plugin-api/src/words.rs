//! The words of a typed line, taken one after the other by the arguments they fit.

mod left;
mod next;
mod shape;
mod taking;
mod typed;

use crate::idle::means_nothing;
use crate::kind::Misfit;
use crate::{Argument, ArgumentKind, ArgumentSpec, Found, Refusal, Values, suggest};
use dice::number_word;
pub use next::Next;
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
    ///
    /// # Errors
    /// They are meant as one but are no valid value.
    pub fn take<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        let found = self.find(&T::kind())?;
        Values::new(vec![found.into_iter().collect()]).maybe()
    }

    /// Takes the first word that nobody took, if it reads as a `T`.
    ///
    /// # Errors
    /// It is meant as one but is no valid value.
    pub fn take_next<T: Argument>(&mut self) -> Result<Option<T>, Refusal> {
        let at = self.words.iter().position(|word| !word.taken);
        let found = at.map_or(Ok(None), |at| self.read_at(at, &T::kind()))?;
        Values::new(vec![found.into_iter().collect()]).maybe()
    }

    /// The words from number `at` on, which are no longer among these.
    fn split_off(&mut self, at: usize) -> Words {
        let words = self.words.split_off(at);
        Words { typed: self.typed.clone(), words, parts: Vec::new(), behind: None, remark: self.remark.clone() }
    }

    /// Whether a word only leads to the next one: `to` in `to Ann`.
    fn only_leads(&self, at: usize, kind: &ArgumentKind) -> bool {
        let text = &self.words[at].text;
        // A capital begins a name.
        !text.starts_with(char::is_uppercase) && means_nothing(text) && self.is_prose(at, kind)
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

    /// Whether a word may be prose, where that is welcome: it is nobody's name, and none of the words of this kind.
    fn is_prose(&self, at: usize, kind: &ArgumentKind) -> bool {
        let word = &self.words[at];
        let plain = !word.quoted && !word.name && word.text.chars().all(char::is_alphabetic);
        let welcome = plain && self.remark != Remark::Refused;
        welcome && !kind.words().iter().any(|known| same(known, &word.text))
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

    /// Divides the first word that has such parts: `d8+3` into its dice and its number.
    fn split(&mut self, parts: impl Fn(&Word) -> Option<Vec<Word>>) {
        let found = self.words.iter().enumerate().filter(|(_, word)| !word.taken);
        let found = found.filter_map(|(at, word)| Some((at, parts(word)?))).next();
        found.into_iter().for_each(|(at, parts)| drop(self.words.splice(at..=at, parts)));
    }

    /// Reads the kind from word number `at` on and takes its words.
    fn read_at(&mut self, at: usize, kind: &ArgumentKind) -> Result<Option<Found>, Refusal> {
        let Some(first) = self.words.get(at).filter(|word| !word.taken) else { return Ok(None) };
        let start = first.at.start;
        if matches!(kind, ArgumentKind::Text | ArgumentKind::Line) {
            return Ok(self.rest());
        }
        let words: Vec<&str> = self.untaken_from(at).collect();
        let read = kind.read(&words).map_err(|misfit| self.refused(at, misfit))?;
        let Some((value, count)) = read else { return Ok(None) };
        self.words[at..at + count].iter_mut().for_each(|word| word.taken = true);
        Ok(Some(Found { value: Some(value), at: start..self.words[at + count - 1].at.end }))
    }

    /// Whether the kind takes several words from word number `at` on.
    fn reads_several(&self, at: usize, kind: &ArgumentKind) -> bool {
        let words: Vec<&str> = self.untaken_from(at).collect();
        !words.is_empty() && matches!(kind.read(&words), Ok(Some((_, count))) if count > 1)
    }

    /// The words from number `at` on, up to the first that was taken.
    fn untaken_from(&self, at: usize) -> impl Iterator<Item = &str> {
        self.words.iter().skip(at).take_while(|word| !word.taken).map(|word| word.text.as_str())
    }

    /// What is wrong with word number `at`.
    fn refused(&self, at: usize, Misfit { says, instead }: Misfit) -> Refusal {
        let place = self.words[at].at.clone();
        Refusal::usage(says, place.clone()).mended(place, instead)
    }

    /// Takes the first of `names` that is there.
    fn take_name(&mut self, names: &[String]) -> Option<usize> {
        let versus = names.iter().any(|name| name == "vs");
        let is = |word: &Word| names.iter().any(|name| same(&word.text, name));
        let german = |word: &Word| versus && VERSUS.iter().any(|name| same(&word.text, name));
        let named = |word: &Word| !word.taken && (is(word) || german(word));
        let found = self.words.iter().position(named)?;
        self.words[found].taken = true;
        Some(found)
    }

    /// Takes all of `names` that are there.
    fn take_all_names(&mut self, names: &[String]) -> Vec<usize> {
        std::iter::from_fn(|| self.take_name(names)).collect()
    }

    /// As [`take_name`](Self::take_name), also out of a word to which the value is glued: `vs17`, `dc=15`, `12dn14`.
    fn take_name_with_value(&mut self, names: &[String]) -> Option<usize> {
        if let Some(found) = self.take_name(names) {
            return Some(found);
        }
        let glued = |(at, word): (usize, &Word)| Some((at, word.glued(names).filter(|_| !word.taken)?));
        let (at, parts) = self.words.iter().enumerate().find_map(glued)?;
        self.words.splice(at..=at, parts);
        self.take_name(names)
    }

    /// Takes the value after a name, word number `found`: `vs 17`, `vs = 17`, `vs dc 15`, `vs the Ogre`.
    fn value_of(&mut self, found: usize, names: &[String], kind: &ArgumentKind) -> Result<Option<Found>, Refusal> {
        let next = found + 1;
        // `vs twelve`
        if let Some(word) = self.words.get_mut(next).filter(|word| !word.taken && !word.quoted && !word.name)
            && let Some(number) = number_word(&word.text)
        {
            word.text = number.to_string();
        }
        let again = |word: &Word| names.iter().any(|name| same(&word.text, name));
        let skipped = |word: &Word| !word.taken && !word.quoted && (again(word) || means_nothing(&word.text));
        // The v of `dn v. hard` is no versus.
        if self.words.get(next).is_some_and(again) && self.reads_several(next, kind) {
            return self.read_at(next, kind);
        }
        // `vs the Ogre`, `spotlight on my background`
        for leading in 1..=MOST_LEADING {
            let all = self.words.get(next..next + leading).is_some_and(|words| words.iter().all(skipped));
            if all && let Ok(Some(value)) = self.read_at(next + leading, kind) {
                self.words[next..next + leading].iter_mut().for_each(|word| word.taken = true);
                return Ok(Some(value));
            }
        }
        self.read_at(next, kind)
    }

    /// Why the argument could not be taken, behind word number `behind` or anywhere: it is missing, or another word is there.
    fn unfit(&self, argument: &ArgumentSpec, behind: Option<usize>) -> Refusal {
        let shape = argument.shown.clone().unwrap_or_else(|| argument.kind.shape());
        let known = argument.kind.words();
        let hint = |word: &Word| suggest(&word.text, known.iter().copied());
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
/// Words that begin a remark, and are nobody's name unless somebody is called that.
const REMARKING: [&str; 33] = [
    "until", "till", "til", "from", "because", "since", "as", "by", "after", "before", "while", "when", "so", "due",
    "but", "if", "into", "i", "we", "he", "she", "they", "it", "you", "that", "this", "his", "her", "their", "our",
    "your", "its", "i'm",
];
/// What Germans type for versus.
const VERSUS: [&str; 2] = ["gegen", "gg"];
/// Words that say of a number that it is a difficulty, where any number is: `vs DC 17`, `vs DC17`.
const NUMBERED: [&str; 2] = ["dc", "dn"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Many, Name, Place, Text};

    fn argument(place: Place, many: Many, kind: ArgumentKind) -> ArgumentSpec {
        ArgumentSpec { field: "x".to_owned(), help: String::new(), place, many, kind, shared: 0, shown: None }
    }

    fn versus() -> ArgumentSpec {
        argument(Place::Word(vec!["vs".to_owned()]), Many::Maybe, ArgumentKind::number().or_else("{} is out of range"))
    }

    #[test]
    fn order_is_free_and_what_is_left_is_named() {
        let mut words = Words::new("act d8, vs 17 ADV 2d10 +2 -1 Ann", 3);
        let flag = |names: &[&'static str]| argument(Place::Flag, Many::Maybe, ArgumentKind::choice(&[names]));
        let signed = argument(Place::Signed, Many::Repeated, ArgumentKind::number().signed());
        let dice = argument(Place::Here, Many::Repeated, ArgumentKind::Dice { most: 20 });
        let arguments = [dice, signed, flag(&["adv", "advantage"]), flag(&["dis"]), versus()];
        let mut values = words.values(&arguments).unwrap();
        let dice: Vec<crate::DiceWord> = values.all().unwrap();
        assert_eq!(dice.iter().flat_map(|word| word.sides()).collect::<Vec<_>>(), [8, 10, 10]);
        assert_eq!(values.all::<i32>().unwrap(), [2, -1]);
        assert!(values.flag());
        assert!(!values.flag());
        assert_eq!(values.maybe::<i64>().unwrap(), Some(17));
        let refusal = words.finish(&["bonus".to_owned()]).unwrap_err();
        assert_eq!(refusal.what, "I do not understand \"Ann\" here");
        assert_eq!(refusal.at, Some(29..32));
        assert_eq!(words.take::<Name>().unwrap().unwrap().0, "Ann");
        words.finish(&[]).unwrap();
    }

    #[test]
    fn words_match_whole() {
        let flags = ["advantage", "disadvantage"]
            .map(|word| argument(Place::Flag, Many::Maybe, ArgumentKind::choice(&[&[word]])));
        let mut values = Words::new("disadvantage", 0).values(&flags).unwrap();
        assert_eq!([values.flag(), values.flag()], [false, true]);
    }

    #[test]
    fn a_missing_value_shows_its_place() {
        let refusal = Words::new("act vs", 3).values(&[versus()]).unwrap_err();
        assert_eq!((refusal.what.as_str(), refusal.at), ("a number is missing after \"vs\"", Some(6..6)));
        let refusal = Words::new("act vs 99999999999999999999", 3).values(&[versus()]).unwrap_err();
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
