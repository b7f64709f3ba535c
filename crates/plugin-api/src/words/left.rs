//! Words that no argument took: a remark, or a mistake.

use super::typed::{Word, same};
use super::{FILLING, NUMBERED, Remark, Words, means_nothing};
use crate::{ArgumentSpec, Refusal, suggest, suggest_within};
use dice::number_word;
use std::ops::RangeInclusive;

/// A word this long or longer is taken for a slip of another one; shorter ones are too often prose.
const SLIP: usize = 5;
/// Behind these stands a difficulty, whatever it is.
const JUDGES: [&str; 5] = ["vs", "versus", "against", "dc", "dn"];
/// Words that ask for something, though this command may not know them.
const ASKED: [&str; 16] = [
    "advantage",
    "disadvantage",
    "favored",
    "favoured",
    "unskilled",
    "untrained",
    "exploding",
    "reroll",
    "rerolled",
    "doubled",
    "halved",
    "secret",
    "secretly",
    "private",
    "privately",
    "hidden",
];
/// Somebody who is what the next word says: `he's vulnerable`.
const IS: [&str; 8] = ["he's", "she's", "it's", "they're", "is", "are", "he is", "she is"];
/// Words that turn what follows around: in front of an argument they begin no remark, `no possibility`.
const TURNING: [&str; 10] = ["no", "not", "without", "never", "unless", "if", "except", "dont", "don't", "maybe"];
/// Those that are nobody's name.
const DENYING: [&str; 3] = ["no", "not", "without"];
/// A word this long, and like no other, is prose even if it stands alone.
const ALONE: usize = 6;
/// So many letters are enough for the beginning of a word.
const BEGINNING: usize = 3;

impl Words {
    /// True if a word turns what follows around: `no`, `without`.
    pub fn turns_around(word: &str) -> bool {
        TURNING.iter().any(|turns| same(turns, word))
    }

    /// True for `no`, `not` and `without`, which are nobody's name.
    pub fn denies(word: &str) -> bool {
        DENYING.iter().any(|denies| same(denies, word))
    }

    /// Ends the reading: words that nobody took are a remark, or refused with what they were perhaps meant to be among the
    /// words of `arguments`.
    ///
    /// # Errors
    /// There are such words, and they are no remark.
    pub fn finish_with(&mut self, arguments: impl FnOnce() -> Vec<ArgumentSpec>) -> Result<(), Refusal> {
        let Some(word) = self.first_left() else { return Ok(()) };
        let arguments = arguments();
        let arguments: Vec<Vec<&str>> = arguments.iter().map(ArgumentSpec::words).collect();
        let owner = arguments.iter().find(|words| words.iter().any(|known| same(known, &word.text)));
        let once = self.words.iter().filter(|each| same(&each.text, &word.text)).count() == 1;
        if let Some((leads, _)) =
            owner.filter(|_| once).and_then(|words| words.split_first()).filter(|(leads, _)| !same(leads, &word.text))
        {
            let place = word.at.start..word.at.start;
            let refusal = Refusal::usage(format!("\"{}\" goes after {leads}", word.text), word.at.clone());
            return Err(refusal.mended(place, Some(format!("{leads} "))));
        }
        let die = format!("d{}", word.text);
        if arguments.iter().any(|words| words.contains(&die.as_str())) {
            let what = format!("I do not understand \"{}\" here: did you mean {die}?", word.text);
            return Err(Refusal::usage(what, word.at.clone()).mended(word.at.clone(), Some(die)));
        }
        // `intent piloting descriptor`: an argument of which there is but one word, and not the one that leads to it.
        let lacks = |words: &&Vec<&str>| {
            let said = |word: &&Word| words.iter().any(|known| same(known, &word.text));
            self.words.iter().filter(said).count() == 1
        };
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let led = arguments.iter().filter(lacks).filter_map(|words| words.split_first());
        let led: Vec<(String, Vec<String>)> = led.map(|(first, others)| ((*first).to_owned(), owned(others))).collect();
        let known: Vec<String> = arguments.iter().flat_map(|words| owned(words)).collect();
        if let Some(left) = self.prose(&known).or_else(|| self.remark_among(&known, &led)) {
            let remark = self.text_of(left);
            self.remark = Remark::Found(remark);
            return Ok(());
        }
        self.refuse_left(&known, &led)
    }

    /// Refuses a line with words that nobody took; `known` are words that would have fitted.
    ///
    /// # Errors
    /// There are such words.
    pub fn finish(&self, known: &[String]) -> Result<(), Refusal> {
        self.refuse_left(known, &[])
    }

    /// The same; `led` are words that would fit behind another one, which is missing.
    fn refuse_left(&self, known: &[String], led: &[(String, Vec<String>)]) -> Result<(), Refusal> {
        let Some(first) = self.first_left() else { return Ok(()) };
        if let Some(split) = self.split_die() {
            return Err(split);
        }
        // What is nearly an argument is the better explanation, wherever it stands.
        let left = || self.words.iter().filter(|word| !word.taken && !word.quoted);
        let (word, meant) = left()
            .find_map(|word| Some((word, meant_by(&word.text, known)?)))
            .map_or((first, None), |(word, meant)| (word, Some(meant)));
        let number = number_word(&word.text)
            .filter(|_| meant.is_none() && self.remark == Remark::Welcome)
            .map(|number| number.to_string());
        let meant = meant.or(number.as_deref());
        let more: Vec<&str> = known.iter().filter_map(|known| more_of(known, &word.text)).collect();
        let refusal = |what: String| Refusal::usage(what, word.at.clone());
        Err(match meant {
            _ if !more.is_empty() => refusal(format!("{} what: {}?", word.text, more.join(", "))),
            _ if let Some((leads, _)) = led.iter().find(|(_, led)| led.iter().any(|known| same(known, &word.text))) => {
                let put = (!means_nothing(leads)).then(|| format!("{leads} "));
                refusal(format!("\"{}\" goes after {leads}", word.text)).mended(word.at.start..word.at.start, put)
            }
            _ if known.iter().any(|known| same(known, &word.text)) => {
                refusal(format!("\"{}\" is there once too often", word.text)).mended(word.at.clone(), Some(""))
            }
            Some(meant) => refusal(format!("I do not understand \"{}\" here: did you mean {meant}?", word.text))
                .mended(word.at.clone(), Some(meant)),
            None if self.remark == Remark::Welcome
                && !word.text.contains(|c: char| c.is_ascii_digit())
                && !self.has_numbers_left() =>
            {
                self.as_comment(refusal(format!("I do not understand \"{}\" here; a comment goes after #", word.text)))
            }
            None => refusal(format!("I do not understand \"{}\" here", word.text)),
        })
    }

    /// A die whose number stands apart, `d 10`.
    fn split_die(&self) -> Option<Refusal> {
        let digits = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        let apart = |pair: &&[Word]| !pair[0].taken && same(&pair[0].text, "d") && digits(&pair[1]);
        let pair = self.words.windows(2).find(apart)?;
        let (at, die) = (pair[0].at.start..pair[1].at.end, format!("d{}", pair[1].text));
        let what = format!("I do not understand \"d\" here: did you mean {die}?");
        Some(Refusal::usage(what, at.clone()).mended(at, Some(die)))
    }

    /// The words that nobody took, if they stand together and are prose: nothing that is nearly an argument, no numbers,
    /// and more than names.
    fn prose(&self, known: &[String]) -> Option<RangeInclusive<usize>> {
        let (first, last) = self.ends_of_left().filter(|_| self.remark == Remark::Welcome)?;
        let run = &self.words[first..=last];
        let long = || known.iter().map(String::as_str).filter(|known| known.len() >= SLIP);
        let meant = |word: &Word| {
            let text = &word.text;
            let begun = || first == last && known.iter().any(|known| more_of(known, text).is_some());
            known.iter().any(|known| same(known, text)) || begun() || suggest(text, long()).is_some()
        };
        let an_argument =
            |word: &Word| !word.quoted && (word.text.contains(|c: char| c.is_ascii_digit()) || meant(word));
        // `stag over` is two beginnings, not prose.
        let all_begin = run.iter().all(|word| meant_by(&word.text, known).is_some());
        if all_begin || self.turns_an_argument(first, last) || run.iter().any(|word| word.taken || an_argument(word)) {
            return None;
        }
        let content: Vec<&Word> = run.iter().filter(|word| !word.is_ornament() && !is_filling(word)).collect();
        let quoted = |word: &Word| word.quoted && !word.name;
        let prose = match content.as_slice() {
            [only] if quoted(only) || only.is_cry() || (run[0].text == "-" && !only.name) => true,
            [only] => {
                let behind = first.checked_sub(1).map_or("", |before| self.words[before].text.as_str());
                !only.name
                    && !JUDGES.iter().any(|judges| same(judges, behind))
                    && !ASKED.iter().any(|asked| same(asked, &only.text))
                    // With a capital it may be somebody's name.
                    && only.text.chars().all(char::is_lowercase)
                    && only.text.chars().count() >= ALONE
                    && suggest_within(2, &only.text, known.iter().map(String::as_str)).is_none()
            }
            several => several.iter().any(|word| !word.name),
        };
        prose.then_some(first..=last)
    }

    /// The words that nobody took and all between them, unless the first that says something is nearly an argument.
    fn remark_among(&self, known: &[String], led: &[(String, Vec<String>)]) -> Option<RangeInclusive<usize>> {
        let (first, last) = self.ends_of_left().filter(|_| self.remark == Remark::Any)?;
        let run = &self.words[first..=last];
        let leads =
            |word: &Word| word.taken || word.is_ornament() || !word.quoted && means_nothing(&word.text.to_lowercase());
        let at = run.iter().position(|word| !leads(word))?;
        let own = led.iter().any(|(_, led)| led.iter().any(|known| same(known, &run[at].text)));
        let nearly = own || is_signed_word(&run[at].text) || is_nearly_known(run, at, known);
        ((run[at].quoted || !nearly) && self.split_die().is_none()).then_some(first..=last)
    }

    /// A refusal with the line as it would be with these words as its comment.
    fn as_comment(&self, refusal: Refusal) -> Refusal {
        let Some((first, last)) = self.ends_of_left() else { return refusal };
        if self.turns_an_argument(first, last) {
            return refusal;
        }
        let (start, end) = (self.words[first].at.start, self.words[last].at.end);
        // `-2 darkness +2 aim`: what an argument took is no part of the comment.
        let run = &self.words[first..=last];
        if run.iter().any(|word| word.taken) {
            let said = |taken: bool| {
                let words = run.iter().filter(|word| word.taken == taken);
                words.map(|word| &self.typed[word.at.clone()]).collect::<Vec<_>>().join(" ")
            };
            let right = format!("{} {} # {}", said(true), self.typed[end..].trim(), said(false));
            return refusal.mended(start..self.typed.len(), Some(right.replace("  ", " ")));
        }
        let behind = self.typed[end..].trim();
        let (remark, whole) = (self.text_of(first..=last), start..self.typed.len());
        if IS.iter().any(|is| same(is, &remark)) {
            return refusal.mended(whole, Some(behind));
        }
        let space = if behind.is_empty() { "" } else { " " };
        refusal.mended(whole, Some(format!("{behind}{space}# {remark}")))
    }

    /// True if a word among these turns around what an argument took behind it: `without possibility`.
    fn turns_an_argument(&self, first: usize, last: usize) -> bool {
        let turns = |at: usize| !self.words[at].taken && Words::turns_around(&self.words[at].text);
        let turning = (first..=last).find(|at| turns(*at));
        turning.is_some_and(|turning| self.words[turning..].iter().any(|word| word.taken))
    }

    /// What these words say, as it was typed, without what surrounds it.
    fn text_of(&self, words: RangeInclusive<usize>) -> String {
        let (first, last) = words.into_inner();
        // An emoji beside it belongs to it.
        let ornament = |at: &usize| self.words[*at].is_ornament();
        let first = (0..first).rev().take_while(ornament).last().unwrap_or(first);
        let last = (last + 1..self.words.len()).take_while(ornament).last().unwrap_or(last);
        let text = &self.typed[self.words[first].at.start..self.words[last].at.end];
        let around = |c: char| c.is_whitespace() || matches!(c, '"' | '-' | '(' | ')');
        text.trim_matches(around).to_owned()
    }

    /// True if a word that nobody took is more than a plain number, such as `1bd` or `+2`, or begins a difficulty: it may
    /// be meant, so it is no comment.
    fn has_numbers_left(&self) -> bool {
        let begins = |word: &Word| ["vs", "dc", "dn", "and"].iter().any(|begins| same(&word.text, begins));
        let number = |word: &Word| word.text.starts_with(|c: char| c.is_ascii_digit());
        if self.words.windows(2).any(|pair| !pair[0].taken && begins(&pair[0]) && number(&pair[1])) {
            return true;
        }
        let plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let left = || self.words.iter().filter(|word| !word.taken);
        // `b 2` is no sentence with a number in it.
        if left().any(|word| plain(&word.text)) && left().filter(|word| !plain(&word.text)).count() < 2 {
            return true;
        }
        let meant = |word: &str| word.contains(|c: char| c.is_ascii_digit()) && !plain(word);
        self.words.iter().any(|word| !word.taken && meant(&word.text))
    }

    fn first_left(&self) -> Option<&Word> {
        self.ends_of_left().map(|(first, _)| &self.words[first])
    }

    /// The first and the last word that nobody took, of those that mean anything: no emoji, and no `with a` in front of what
    /// was taken.
    fn ends_of_left(&self) -> Option<(usize, usize)> {
        let mut ends: Option<(usize, usize)> = None;
        let mut taken_next = false;
        for (at, word) in self.words.iter().enumerate().rev() {
            // `- d8` takes a die away.
            let dies = |next: &Word| next.text.contains(|c: char| c.is_ascii_digit());
            let sign = word.text == "-" && self.words.get(at + 1).is_some_and(dies);
            let text = word.text.to_lowercase();
            let leads = means_nothing(&text) || NUMBERED.contains(&text.as_str());
            let fills = taken_next && !word.quoted && leads && !sign;
            if word.taken || fills || word.is_ornament() {
                taken_next = word.taken || fills;
                continue;
            }
            taken_next = false;
            ends = Some((at, ends.map_or(at, |(_, last)| last)));
        }
        ends
    }
}

/// The known word that this one is a slip of, or the only one that it begins: `fav`.
fn meant_by<'a>(word: &str, known: &'a [String]) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let begun = || {
        let mut begun = known.iter().filter(|known| known.len() > lower.len() && known.starts_with(&lower));
        let first = begun.next().filter(|known| lower.len() >= BEGINNING && !known.contains(' '))?;
        // The same word in another spelling is no other word.
        begun.all(|other| suggest(other, [first.as_str()]).is_some()).then_some(first.as_str())
    };
    suggest(word, known.iter().map(String::as_str)).or_else(begun)
}

/// Whether this word of a run is one of the known, with a number at it, `bd2`, or a slip of one: of a long one, or in front of an
/// argument, `spott casting`, or among nothing but beginnings, `stag over`.
fn is_nearly_known(run: &[Word], at: usize, known: &[String]) -> bool {
    let word = &run[at];
    let bare = word.text.trim_matches(|c: char| c.is_ascii_digit());
    let begun = |known: &str| run.len() == 1 && more_of(known, &word.text).is_some();
    if known.iter().any(|known| same(known, bare) || begun(known)) {
        return true;
    }
    let begins = |word: &Word| meant_by(&word.text, known).is_some();
    let argues = |next: &Word| {
        let digits = next.text.bytes().all(|byte| byte.is_ascii_digit());
        next.taken || digits || known.iter().any(|known| same(known, &next.text))
    };
    let long = known.iter().map(String::as_str).filter(|known| known.len() >= SLIP);
    let alone = run.get(at + 1).is_none_or(argues);
    suggest(&word.text, long).is_some() || begins(word) && (alone || run.iter().all(begins))
}

/// Whether it is a number with a sign and letters at it, `+1x`, which is no prose.
fn is_signed_word(text: &str) -> bool {
    let rest = text.strip_prefix(['+', '-']).unwrap_or_default();
    rest.starts_with(|c: char| c.is_ascii_digit()) && rest.contains(char::is_alphabetic)
}

/// The other words of what is known, if it is several and this is the first.
fn more_of<'a>(known: &'a str, word: &str) -> Option<&'a str> {
    known.split_once(' ').filter(|(first, _)| same(first, word)).map(|(_, more)| more)
}

fn is_filling(word: &Word) -> bool {
    !word.quoted && FILLING.contains(&word.text.to_lowercase().as_str())
}
