//! Words that no argument took: a remark, or a mistake.

use super::typed::{Word, same};
use super::{NUMBERED, Remark, Words};
use crate::idle::means_nothing;
use crate::{ArgumentSpec, Refusal, suggest};
use std::ops::RangeInclusive;

/// A word this long or longer is taken for a slip of another one; shorter ones are too often prose.
const SLIP: usize = 5;
/// So many letters are enough for the beginning of a word.
const BEGINNING: usize = 3;

impl Words {
    /// Ends the reading: words that nobody took are a remark, or refused with what they were perhaps meant to be among the
    /// words of `arguments`.
    ///
    /// # Errors
    /// There are such words, and they are no remark.
    pub fn finish_with(&mut self, arguments: &[ArgumentSpec]) -> Result<(), Refusal> {
        let Some(word) = self.first_left() else { return Ok(()) };
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
        if let Some(left) = self.remark_among(&known, &led) {
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

    /// The words that nobody took and all between them, unless the first that says something is nearly an argument.
    fn remark_among(&self, known: &[String], led: &[(String, Vec<String>)]) -> Option<RangeInclusive<usize>> {
        let (first, last) = self.ends_of_left().filter(|_| self.remark == Remark::Welcome)?;
        let run = &self.words[first..=last];
        let leads = |word: &Word| word.taken || word.is_ornament() || !word.quoted && means_nothing(&word.text);
        let at = run.iter().position(|word| !leads(word))?;
        let own = led.iter().any(|(_, led)| led.iter().any(|known| same(known, &run[at].text)));
        let nearly = own || is_signed_word(&run[at].text) || is_nearly_known(run, at, known);
        ((run[at].quoted || !nearly) && self.split_die().is_none()).then_some(first..=last)
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
            let leads = means_nothing(&word.text) || NUMBERED.contains(&text.as_str());
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
