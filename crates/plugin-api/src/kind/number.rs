//! Whole numbers, as they are typed.

use super::{ArgumentKind, Listed, Misfit};
use crate::value::Value;
use dice::number_word;
use serde::{Deserialize, Serialize};

/// A whole number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberKind {
    /// The least that it may be.
    pub least: i64,
    /// The most that it may be.
    pub most: i64,
    /// Whether it has a sign.
    pub sign: Sign,
    /// What may stand in front of it, touching it or not: `x2`, `wounds 2`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// What may follow it, touching it or not: `45 %`, `2 wounds`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Whether one of these must be there.
    #[serde(default)]
    pub unit: Unit,
    /// True if a word that begins with a digit can be nothing else.
    #[serde(default)]
    pub only: bool,
    /// Numbers that have names: `hard`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<NamedNumber>,
    /// The sign with which it may stand in front of the word that leads to it: `+3 adv`. A name may do so if any number can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<char>,
    /// What is said of a number that is none of these, with `{}` for it, if not its bounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
    /// What is said of a name without the sign that it needs, with `{}` for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsigned: Option<String>,
}

/// Whether a number has a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sign {
    /// It must have one: `7` is none of these.
    Needed,
    /// It may have one.
    Welcome,
    /// It has none: `+7` is none of these.
    Never,
}

/// Whether a word that says what a number counts must be there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// It may be missing.
    #[default]
    Welcome,
    /// It must be there.
    Needed,
    /// It must be there, and alone it means 1.
    OrOne,
}

/// A number that has a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedNumber {
    /// How it is typed, in lower case, also without the spaces; each may be several words.
    pub words: Vec<String>,
    /// What it is.
    pub number: i64,
    /// How well known it is.
    pub listed: Listed,
}

impl ArgumentKind {
    /// Any whole number.
    pub fn number() -> Self {
        ArgumentKind::between(i64::MIN, i64::MAX)
    }

    /// A whole number from `least` to `most`, both included.
    pub fn between(least: i64, most: i64) -> Self {
        ArgumentKind::Number(NumberKind {
            least,
            most,
            sign: Sign::Welcome,
            before: Vec::new(),
            after: Vec::new(),
            unit: Unit::Welcome,
            only: false,
            names: Vec::new(),
            ahead: None,
            wrong: None,
            unsigned: None,
        })
    }

    /// The number with one of these in front of it.
    #[must_use]
    pub fn behind(self, names: &[&str]) -> Self {
        self.with_number(|number| number.before.extend(names.iter().map(|name| (*name).to_owned())))
    }

    /// The number with one of these behind it.
    #[must_use]
    pub fn before(self, names: &[&str]) -> Self {
        self.with_number(|number| number.after.extend(names.iter().map(|name| (*name).to_owned())))
    }

    /// So many of these: `2 wounds`, `wounds 2`; `wounds` alone is 1.
    #[must_use]
    pub fn of(self, names: &[&str]) -> Self {
        self.behind(names).before(names).with_number(|number| number.unit = Unit::OrOne)
    }

    /// So many times, `x2` or `2x`, with one of these signs.
    #[must_use]
    pub fn times(self, signs: &[&str]) -> Self {
        self.behind(signs).before(signs).with_number(|number| number.unit = Unit::Needed)
    }

    /// The number, for which every word is meant that begins with a digit.
    #[must_use]
    pub fn only(self) -> Self {
        self.with_number(|number| number.only = true)
    }

    /// The number with a sign that must be there.
    #[must_use]
    pub fn signed(self) -> Self {
        self.with_number(|number| number.sign = Sign::Needed)
    }

    /// The number without a sign.
    #[must_use]
    pub fn unsigned(self) -> Self {
        self.with_number(|number| number.sign = Sign::Never)
    }

    /// The number, which may be typed by one of these names.
    #[must_use]
    pub fn named(self, names: &[(&str, i64)], listed: Listed) -> Self {
        let one = |&(name, number): &(&str, i64)| NamedNumber { words: vec![name.to_owned()], number, listed };
        self.with_number(|number| number.names.extend(names.iter().map(one)))
    }

    /// The number, which with this sign may stand in front of the word that leads to it.
    #[must_use]
    pub fn ahead(self, sign: char) -> Self {
        self.with_number(|number| number.ahead = Some(sign))
    }

    /// The number, with what is said if it is wrong.
    #[must_use]
    pub fn or_else(self, wrong: &str) -> Self {
        self.with_number(|number| number.wrong = Some(wrong.to_owned()))
    }

    /// The number, with what is said of a name without the sign that it needs.
    #[must_use]
    pub fn or_unsigned(self, unsigned: &str) -> Self {
        self.with_number(|number| number.unsigned = Some(unsigned.to_owned()))
    }

    fn with_number(mut self, change: impl FnOnce(&mut NumberKind)) -> Self {
        if let ArgumentKind::Number(number) = &mut self {
            change(number);
        }
        self
    }
}

/// A number that was read: how many words it took, the number, and whether it has a sign.
type Read = Result<Option<(usize, i64, bool)>, Misfit>;

impl NumberKind {
    pub(super) fn shape(&self) -> String {
        if self.sign == Sign::Needed {
            return "+N|-N".to_owned();
        }
        match self.before.first().filter(|first| is_word(first)) {
            Some(letter) if letter.len() == 1 => format!("{letter}N"),
            Some(word) => format!("{word} NUMBER"),
            None => "NUMBER".to_owned(),
        }
    }

    pub(super) fn words(&self) -> Vec<&str> {
        let units = self.before.iter().chain(&self.after).map(String::as_str);
        let units = units.filter(|known| known.len() > 1 && is_word(known));
        let names = self.names.iter().filter(|name| name.listed != Listed::Read);
        units.chain(names.flat_map(|name| &name.words).map(String::as_str)).collect()
    }

    /// Whether this word may stand in front of the word that leads to the number.
    pub(super) fn leads(&self, word: &str) -> bool {
        match self.ahead {
            Some(sign) => word.starts_with(sign) || word.starts_with(char::is_alphabetic),
            None => !word.contains(|c: char| c.is_ascii_digit()),
        }
    }

    /// Reads the number at the front of `words`, and how many they are.
    pub(super) fn read(&self, words: &[&str]) -> Result<Option<(Value, usize)>, Misfit> {
        let read = match self.by_name(words)? {
            None => self.by_digits(words)?,
            named => named,
        };
        Ok(read.map(|(taken, number, signed)| (Value::Number { number, signed }, taken)))
    }

    /// `hard`, `+minor`, `minor +`
    fn by_name(&self, words: &[&str]) -> Read {
        if self.names.is_empty() {
            return Ok(None);
        }
        let sign = |word: &str| matches!(word, "+" | "-").then(|| word.starts_with('-'));
        // A sign in front of the name or behind it, touching it or not.
        let (front, first) = match words[0].strip_prefix(['+', '-']) {
            Some("") => (sign(words[0]), &words[1..]),
            Some(_) => (Some(words[0].starts_with('-')), words),
            None => (None, words),
        };
        let Some(bare) = first.first().map(|word| word.trim_start_matches(['+', '-'])) else { return Ok(None) };
        let own = bare.trim_end_matches(['+', '-']);
        let behind = (own.len() < bare.len()).then(|| bare.ends_with('-'));
        let typed: Vec<&str> = std::iter::once(own).chain(first[1..].iter().copied()).collect();
        let named = self.names.iter().flat_map(|name| name.words.iter().map(move |word| (word, name.number)));
        let fits = named.filter_map(|(name, number)| Some((spelled(name, &typed)?, number)));
        let Some((count, number)) = fits.max_by_key(|(count, _)| *count) else { return Ok(None) };
        let apart = typed.get(count).filter(|_| front.is_none() && behind.is_none()).and_then(|word| sign(word));
        let apart = apart.filter(|_| self.sign == Sign::Needed);
        let taken = count + usize::from(words[0].len() == 1 && front.is_some()) + usize::from(apart.is_some());
        match (self.sign, front.or(behind).or(apart)) {
            (Sign::Needed, None) => {
                let says = "{} needs a sign: +{} or -{}".to_owned();
                let says = self.unsigned.as_ref().unwrap_or(&says).replace("{}", own);
                Err(Misfit { says, instead: Some(format!("+{own}")) })
            }
            (Sign::Never, Some(_)) => Ok(None),
            (_, signed) => Ok(Some((taken, if signed == Some(true) { -number } else { number }, signed.is_some()))),
        }
    }

    /// `17`, `+2`, `wounds 2`, `x2`, `45 %`
    fn by_digits(&self, words: &[&str]) -> Read {
        if let Some(glued) = self.glued(words[0])? {
            return Ok(Some((1, glued.0, glued.1)));
        }
        let unit = |units: &[String], at: usize| {
            let words = words.get(at..).unwrap_or_default();
            units.iter().filter_map(|unit| spelled(unit, words)).max()
        };
        if let Some(count) = unit(&self.before, 0) {
            let number = words.get(count).map_or(Ok(None), |word| self.number(word, true))?;
            return match number {
                Some((number, signed)) => Ok(Some((count + 1, number, signed))),
                None => Ok((self.unit == Unit::OrOne).then_some((count, 1, false))),
            };
        }
        let behind = unit(&self.after, 1).filter(|_| words[1].len() > 1 || !is_word(words[1]));
        if self.unit != Unit::Welcome && behind.is_none() {
            return Ok(None);
        }
        let number = self.number(words[0], behind.is_some())?;
        Ok(number.map(|(number, signed)| (1 + behind.unwrap_or_default(), number, signed)))
    }

    /// `x2`, `2wounds`, `45%`
    fn glued(&self, word: &str) -> Result<Option<(i64, bool)>, Misfit> {
        if self.before.is_empty() && self.after.is_empty() {
            return Ok(None);
        }
        let lower = word.to_lowercase();
        let front = self.before.iter().filter_map(|unit| lower.strip_prefix(unit.as_str()));
        let back = self.after.iter().filter_map(|unit| lower.strip_suffix(unit.as_str()));
        let number = |text: &&str| is_number(text);
        match front.chain(back).find(number) {
            Some(digits) => self.bounded(word, digits),
            None => Ok(None),
        }
    }

    /// The number that a word is; in words too, where something says that it is one.
    fn number(&self, word: &str, told: bool) -> Result<Option<(i64, bool)>, Misfit> {
        let spelled = number_word(word).filter(|_| told).map(|number| number.to_string());
        let digits = spelled.as_deref().unwrap_or(word);
        match is_number(digits) {
            true => self.bounded(word, digits),
            false if self.only && word.starts_with(|c: char| c.is_ascii_digit()) => Err(Misfit::new(self.wrong(word))),
            false => Ok(None),
        }
    }

    fn bounded(&self, word: &str, digits: &str) -> Result<Option<(i64, bool)>, Misfit> {
        let signed = digits.starts_with(['+', '-']);
        match self.sign {
            Sign::Needed if !signed => return Ok(None),
            Sign::Never if signed => return Ok(None),
            _ => {}
        }
        let number = digits.parse().ok().filter(|number| (self.least..=self.most).contains(number));
        number.map(|number| Some((number, signed))).ok_or_else(|| Misfit::new(self.wrong(word)))
    }

    fn wrong(&self, word: &str) -> String {
        match &self.wrong {
            Some(wrong) => wrong.replace("{}", word),
            None => format!("{word} is not from {} to {}", self.least, self.most),
        }
    }
}

/// How many of these words a name is: all its own, or one that is all of them together, `veryhard` or `very-hard`.
pub(super) fn spelled(name: &str, words: &[&str]) -> Option<usize> {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b) || !a.is_ascii() && a.to_lowercase() == b;
    let first = words.first()?;
    // Nearly all words end here.
    let initial = |word: &str| word.chars().next().map(|first| first.to_ascii_lowercase());
    if initial(first).filter(char::is_ascii) != initial(name).filter(char::is_ascii) {
        return None;
    }
    if !name.contains([' ', '-']) {
        return same(first, name).then_some(1);
    }
    let own: Vec<&str> = name.split(' ').collect();
    let apart =
        words.len() >= own.len() && own.iter().zip(words).all(|(own, word)| same(word.trim_end_matches('.'), own));
    let together = || first.to_lowercase().replace('-', "") == name.replace([' ', '-'], "");
    if apart { Some(own.len()) } else { together().then_some(1) }
}

/// Whether a word is digits, perhaps with a sign.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(unit: &str) -> bool {
    unit.chars().all(char::is_alphabetic)
}

/// `12-15`: from a number to a higher one, which nobody takes from it.
pub(crate) fn is_range(text: &str) -> bool {
    let number = |part: &str| part.parse::<u32>().ok().filter(|_| part.bytes().all(|byte| byte.is_ascii_digit()));
    text.split_once('-').is_some_and(|(from, to)| number(from).zip(number(to)).is_some_and(|(from, to)| from < to))
}
