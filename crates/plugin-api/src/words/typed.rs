//! A line as words, the way people type them on phones.

use crate::DiceWord;
use crate::kind::is_range;
use dice::number_word;
use std::ops::Range;

/// One word of a line.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// What it says, without what thumbs leave around it.
    pub text: String,
    /// Its place in the line, in bytes.
    pub at: Range<usize>,
    /// An argument took it.
    pub taken: bool,
    /// It stood in quotation marks, or is a name of several words.
    pub quoted: bool,
    /// Somebody is called that.
    pub name: bool,
    /// Bytes of its place in front of what it says.
    inset: usize,
}

/// What thumbs leave after a word.
const SLIPS: [char; 6] = ['.', ':', '!', '?', ')', '…'];
/// Words that ask nothing.
const POLITE: [&str; 7] = ["please", "pls", "plz", "thx", "thanks", "bitte", "danke"];
/// Cries and the like, which are prose even alone, and nobody's name unless somebody is called that.
const CRIES: [&str; 16] = [
    "it", "that", "ouch", "ow", "oof", "ugh", "argh", "hmm", "oops", "whoops", "yay", "damn", "lol", "haha", "sorry",
    "finally",
];
/// Words of the longest name that is looked for.
const LONGEST_NAME: usize = 4;

/// The words of `typed` from byte `from` on.
pub(super) fn words(typed: &str, from: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut rest = typed[from..].char_indices().map(|(at, c)| (at + from, c)).peekable();
    while let Some((start, c)) = rest.next() {
        if divides(c) {
            continue;
        }
        let quoted = c == '"';
        let mut text = if quoted { String::new() } else { c.to_string() };
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = rest.next_if(|(_, c)| quoted || !divides(*c)) {
            end = at + c.len_utf8();
            if quoted && c == '"' {
                break;
            }
            text.push(c);
        }
        let (text, inset) = if quoted { (text, 0) } else { plain(&text) };
        let several = words.len() > 1;
        match words.last_mut() {
            // `+ 4` is `+4`, and so are `plus 4` and `plus four`; `one d8` is `1d8`.
            Some(front) if !quoted && let Some(both) = front.with(&text, several) => {
                front.text = both;
                front.at.end = end;
            }
            _ => words.push(Word { text, at: start..end, taken: false, quoted, name: false, inset }),
        }
    }
    words
}

/// A word without the parentheses around it, the `=` in front of it and the punctuation after it, a number also without an emoji; and how many bytes
/// were in front of it.
fn plain(text: &str) -> (String, usize) {
    let opened = text.trim_start_matches(['(', '=']);
    // `stress:-1`
    let numeric = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-');
    let opened = opened.strip_prefix(':').filter(|text| text.starts_with(numeric)).unwrap_or(opened);
    let mut plain = opened.trim_end_matches(SLIPS);
    if plain.starts_with(numeric) || plain.strip_prefix(['d', 'D']).is_some_and(|sides| sides.starts_with(numeric)) {
        plain = plain.trim_end_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric());
    }
    if plain.is_empty() { (text.to_owned(), 0) } else { (plain.to_owned(), text.len() - opened.len()) }
}

/// `words` with those that are a name together as one, those that are names marked, and numbers apart from a name that they are
/// glued to.
pub(super) fn joined(words: Vec<Word>, known: impl Fn(&str) -> bool) -> Vec<Word> {
    let apart = |word: Word| match word.name_and_number(&known) {
        Some(parts) => parts.to_vec(),
        None => vec![word],
    };
    let words: Vec<Word> = words.into_iter().flat_map(apart).collect();
    let mut joined = Vec::new();
    let mut rest = words.as_slice();
    while let Some((first, others)) = rest.split_first() {
        let several = (2..=LONGEST_NAME.min(rest.len())).rev().find_map(|count| {
            let name = rest[..count].iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
            known(name.trim_start_matches('@')).then_some((name, count))
        });
        let name = known(first.text.trim_start_matches('@'));
        match several {
            Some((text, count)) => {
                let at = first.at.start..rest[count - 1].at.end;
                joined.push(Word { text, at, quoted: true, name: true, ..first.clone() });
                rest = &rest[count..];
            }
            None => {
                joined.push(Word { name, ..first.clone() });
                rest = others;
            }
        }
    }
    joined
}

impl Word {
    /// The parts of `7+4` and `+2-1`: numbers, all but the first with a sign.
    pub fn sum(&self) -> Option<Vec<Word>> {
        let numeric = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-');
        if self.quoted || !self.text.chars().all(numeric) || is_range(&self.text) {
            return None;
        }
        let mut ends: Vec<usize> = self.text.match_indices(['+', '-']).map(|(at, _)| at).filter(|at| *at > 0).collect();
        ends.push(self.text.len());
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let parts: Vec<Word> = starts.zip(&ends).map(|(start, end)| self.part(start..*end)).collect();
        (parts.len() > 1 && parts.iter().all(|part| is_number(part.text.trim_start_matches(['+', '-']))))
            .then_some(parts)
    }

    /// The parts of `2d6+3`: dice, and the number that is added to them.
    pub fn dice_and_more(&self) -> Option<Vec<Word>> {
        let sign = self.text.rfind(['+', '-']).filter(|sign| *sign > 0 && !self.quoted)?;
        let [dice, more] = [self.part(0..sign), self.part(sign..self.text.len())];
        (is_number(&more.text[1..]) && !is_number(&dice.text) && DiceWord::of(&dice.text).is_some())
            .then(|| vec![dice, more])
    }

    /// The parts of `1/1d6`: numbers or dice.
    pub fn slashed(&self) -> Option<Vec<Word>> {
        let slash = self.text.find('/').filter(|_| !self.quoted)?;
        let parts = [self.part(0..slash), self.part(slash + 1..self.text.len())];
        let counts = |part: &Word| is_number(&part.text) || DiceWord::of(&part.text).is_some();
        parts.iter().all(counts).then(|| parts.to_vec())
    }

    /// One of `names` with a value glued to it, and perhaps a number in front: `vs17`, `dc=15`, `12dn14`.
    pub fn glued(&self, names: &[impl AsRef<str>]) -> Option<Vec<Word>> {
        if self.quoted {
            return None;
        }
        let start = self.text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '+' | '-'))?;
        let ends = names.iter().map(AsRef::as_ref).filter_map(|name: &str| {
            let end = start + name.len();
            let value = self.text.get(end..).filter(|_| same(&self.text[start..end], name))?;
            let given = value.strip_prefix(['=', ':']);
            let number = value.trim_start_matches(['+', '-']).bytes().all(|byte| byte.is_ascii_digit() || byte == b'+');
            let fits = given.map_or(number && value.ends_with(|c: char| c.is_ascii_digit()), |given| !given.is_empty());
            fits.then_some((end, end + usize::from(given.is_some())))
        });
        let (end, value) = ends.max()?;
        let front = (start > 0).then(|| self.part(0..start));
        Some(front.into_iter().chain([self.part(start..end), self.part(value..self.text.len())]).collect())
    }

    /// The parts of `Ann+1`, `Ann17` and `Ann:17`, if Ann is known and the whole is not.
    fn name_and_number(&self, known: impl Fn(&str) -> bool) -> Option<[Word; 2]> {
        let number = self.text.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['+', '-']).len();
        let name = self.text[..number].trim_end_matches([':', '=']);
        let glued = !self.quoted && !name.is_empty() && name.len() < self.text.len();
        let parts = || [self.part(0..name.len()), self.part(number..self.text.len())];
        (glued && !known(&self.text) && known(name.trim_start_matches('@'))).then(parts)
    }

    /// A part of its text as a word.
    fn part(&self, part: Range<usize>) -> Word {
        let start = self.at.start + self.inset;
        let at = start + part.start..start + part.end;
        Word { text: self.text[part].to_owned(), at, inset: 0, ..self.clone() }
    }

    /// What it says together with the next word, if it is a sign or an x in front of a number, or a number in words in front of a
    /// die. An x behind nothing is somebody's name.
    fn with(&self, next: &str, behind: bool) -> Option<String> {
        let sign = match self.text.to_lowercase().as_str() {
            _ if self.quoted => return None,
            "+" | "plus" => '+',
            "-" | "minus" => '-',
            // `goblin x 2`
            "x" | "×" => return (behind && is_number(next)).then(|| format!("x{next}")),
            count => {
                let die = next.strip_prefix(['d', 'D']).is_some_and(is_number);
                return number_word(count).filter(|_| die).map(|count| format!("{count}{next}"));
            }
        };
        if is_number(next) {
            return Some(format!("{sign}{next}"));
        }
        // A dash may be in front of prose: `- one last try`.
        let spelled = self.text.chars().all(char::is_alphabetic);
        number_word(next).filter(|_| spelled).map(|number| format!("{sign}{number}"))
    }

    /// Whether it is a cry: `ouch`.
    pub fn is_cry(&self) -> bool {
        !self.quoted && !self.name && CRIES.contains(&self.text.to_lowercase().as_str())
    }

    /// Whether it means nothing: an emoji, a smiley, dots, `please`.
    pub fn is_ornament(&self) -> bool {
        let mark = |c: char| matches!(c, '.' | ':' | '!' | '?' | '(' | ')' | '~' | '^' | '\'' | ';');
        let polite = POLITE.contains(&self.text.to_lowercase().as_str()) && !self.name;
        let mark = self.text.chars().all(|c| mark(c) || (!c.is_ascii() && !c.is_alphanumeric()));
        !self.quoted && (mark || polite)
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn divides(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';') || c.is_control()
}

/// Whether two words are the same, whatever their case.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b) || !(a.is_ascii() && b.is_ascii()) && a.to_lowercase() == b.to_lowercase()
}
