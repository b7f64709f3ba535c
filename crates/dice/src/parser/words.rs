//! The effect of a word after dice, with its numbers and conditions.

use super::modifiers::are_words;
use super::{Parsed, Parser};
use crate::dialect::{Dialect, Spelling};
use crate::expression::{Choice, Comparison, Condition, Count, Counting, End, Explosion, Mark, Modifier, Source};
use crate::limits::{MAX_MODIFIERS, MAX_REROLLS};

/// A word that was read, and the dice it follows.
struct Word<'s> {
    spelling: &'static Spelling,
    source: &'s Source,
    /// Where it begins.
    start: usize,
}

impl Word<'_> {
    /// The highest and the lowest value of the dice, if that is known before rolling.
    fn ends(&self) -> Option<(i64, i64)> {
        match self.source {
            Source::Dice(_, faces) => faces.sides().map(|sides| faces.ends(sides)),
            Source::Group(_) => None,
        }
    }
}

impl Parser<'_> {
    /// Reads the effect of this word.
    pub(super) fn worded(&mut self, spelling: &'static Spelling, source: &Source) -> Parsed<Modifier> {
        let word = Word { spelling, source, start: self.at };
        self.at += spelling.typed.len();
        match spelling.native {
            "kh" | "kl" | "km" | "k" | "k=" => Ok(Modifier::Keep(self.chosen(&word)?)),
            "dh" | "dl" | "d" | "d=" => Ok(Modifier::Drop(self.chosen(&word)?)),
            "!" => Ok(Modifier::Explode(Explosion::Each, self.condition(spelling.bare)?)),
            "!o" => self.exploding_once(&word),
            "r" => Ok(Modifier::Reroll(None, self.rerolled(&word, "r1 or r<3")?)),
            "ro" => Ok(Modifier::Reroll(Some(1), self.rerolled(&word, "ro1 or ro<3")?)),
            "rr" => self.rerolled_so_often(&word),
            "u" => Ok(Modifier::Unique),
            "mi" => Ok(Modifier::Minimum(self.bound(&word)?)),
            "ma" => Ok(Modifier::Maximum(self.bound(&word)?)),
            "each" => Ok(Modifier::Add(self.added_to_each(&word)?)),
            "map" => Ok(Modifier::Map(self.pairs(&word)?)),
            "s" | "sa" => Ok(Modifier::Sort(End::Low)),
            "sd" => Ok(Modifier::Sort(End::High)),
            "cs" => Ok(Modifier::Mark(Mark::Critical, self.needed(&word, "a critical success", "cs20")?)),
            "cf" => Ok(Modifier::Mark(Mark::Fumble, self.needed(&word, "a fumble", "cf1")?)),
            _ => Ok(Modifier::Count(self.counting(&word)?)),
        }
    }

    /// Which dice are kept or dropped: the second letter says so, or else what follows.
    fn chosen(&mut self, word: &Word<'_>) -> Parsed<Choice> {
        let end = match word.spelling.native {
            "k=" | "d=" => return Ok(Choice::Where(self.needed(word, "that", "k6 or k>3")?)),
            "km" => return Ok(Choice::Middle(self.count()?.unwrap_or(1))),
            native @ ("k" | "d") => {
                if let Some(comparison) = self.comparison() {
                    return Ok(Choice::Where(self.compared(comparison, word.start)?));
                }
                // Most games are about high dice: keep those, so drop the others.
                if native == "k" { End::High } else { End::Low }
            }
            "kh" | "dh" => End::High,
            _ => End::Low,
        };
        let count = self.count()?;
        if count.is_none() && self.rest().trim_start().starts_with('(') {
            let typed = word.spelling.typed;
            let what = format!("how many {typed} takes is written out, as in {typed}2; it cannot be computed");
            return Err(self.error(word.start..self.at, what));
        }
        Ok(Choice::End(end, count.unwrap_or(1)))
    }

    fn exploding_once(&mut self, word: &Word<'_>) -> Parsed<Modifier> {
        let one = matches!(word.source, Source::Dice(Count::Number(1), _));
        // In Avrae only one of all dice is rerolled, while here each one is.
        if word.spelling.typed == "ra" && !one {
            let what = "ra throws again for one die alone, which is told apart only with one die, as in 1d20ra1";
            return Err(self.error(word.start..self.at, what));
        }
        Ok(Modifier::Explode(Explosion::Once, self.condition(word.spelling.bare)?))
    }

    /// What is rerolled: a condition, `!6` for anything else, `[1,2]` or `[2..5]`.
    fn rerolled(&mut self, word: &Word<'_>, example: &str) -> Parsed<Vec<Condition>> {
        match self.rest().as_bytes() {
            [b'[', ..] => self.several_shown(),
            [b'!', b'0'..=b'9', ..] => {
                self.at += 1;
                Ok(vec![self.compared(Comparison::Unequal, word.start)?])
            }
            _ => Ok(vec![self.needed(word, "a reroll", example)?]),
        }
    }

    /// `[1,2]`, `[2..5]`, `[1,>=5]`: any of several.
    fn several_shown(&mut self) -> Parsed<Vec<Condition>> {
        let start = self.at;
        self.at += 1;
        let mut several = Vec::new();
        loop {
            self.skip_spaces();
            let Some(condition) = self.condition(Comparison::Equal)? else { break };
            self.skip_spaces();
            if self.rest().starts_with("..") && condition.comparison == Comparison::Equal {
                self.at += 2;
                self.skip_spaces();
                let last = self.digits()?.filter(|last| *last > condition.value);
                let Some(last) = last else { break };
                let (least, most) = (condition.value, last);
                if most - least >= MAX_MODIFIERS as i64 {
                    return Err(
                        self.error(start..self.at, format!("{MAX_MODIFIERS} different faces are the most there"))
                    );
                }
                several.extend((least..=most).map(|value| Condition { comparison: Comparison::Equal, value }));
            } else {
                several.push(condition);
            }
            self.skip_spaces();
            if self.eat(b']') {
                return Ok(several);
            }
            if !self.eat(b',') {
                break;
            }
        }
        Err(self.error(start..self.at, "what is rerolled is written as in ro[1,2] or ro[2..5]"))
    }

    fn rerolled_so_often(&mut self, word: &Word<'_>) -> Parsed<Modifier> {
        let times = self.count()?;
        let several = self.peek() == Some(b'[');
        let comparison = if several { None } else { self.comparison() };
        if let (Some(times @ 1..=MAX_REROLLS), true) = (times, several) {
            return Ok(Modifier::Reroll(Some(times), self.several_shown()?));
        }
        let (Some(times @ 1..=MAX_REROLLS), Some(comparison)) = (times, comparison) else {
            let what = format!(
                "rr needs to know how often (1 to {MAX_REROLLS}) and what, as in rr2<3; r1 throws until it is no 1"
            );
            return Err(self.error(word.start..self.at, what));
        };
        Ok(Modifier::Reroll(Some(times), vec![self.compared(comparison, word.start)?]))
    }

    /// The lowest or highest value that a die can count.
    fn bound(&mut self, word: &Word<'_>) -> Parsed<i64> {
        let native = word.spelling.native;
        let bound = self.signed()?;
        bound.ok_or_else(|| self.error(word.start..self.at, format!("{native} needs a number, as in {native}2")))
    }

    /// What each die counts more, which has a sign.
    fn added_to_each(&mut self, word: &Word<'_>) -> Parsed<i64> {
        self.skip_spaces();
        let negative = self.peek() == Some(b'-');
        let signed = self.eat(b'+') || self.eat(b'-');
        self.skip_spaces();
        match self.digits()?.filter(|_| signed) {
            Some(more) => Ok(if negative { -more } else { more }),
            None => Err(self.error(word.start..self.at, "each needs to know what is added, as in each+2")),
        }
    }

    /// A way of counting.
    fn counting(&mut self, word: &Word<'_>) -> Parsed<Counting> {
        Ok(match word.spelling.native {
            "c" => Counting::Success(self.needed(word, "counting", "c7 or c>=7")?),
            "f" => Counting::Failure(self.needed(word, "a failure", "f1")?),
            "b" => Counting::Botch(self.needed(word, "a botch", "b1")?),
            "dbl" => {
                let top = word.ends().map(|(highest, _)| Condition { comparison: Comparison::Equal, value: highest });
                let Some(condition) = self.condition(Comparison::Equal)?.or(top) else {
                    return Err(self.error(word.start..self.at, "dbl needs to know what, as in dbl10"));
                };
                Counting::Double(condition)
            }
            "even" => Counting::Even,
            "odd" => Counting::Odd,
            "pair" => {
                self.skip_spaces();
                Counting::Pairs(self.bound(word)?)
            }
            "m" => Counting::Matches,
            _ => match self.count()?.unwrap_or(2) {
                0 | 1 => return Err(self.error(word.start..self.at, "a set has at least 2, as in mt2")),
                n => Counting::Sets(n),
            },
        })
    }

    /// Reads an exclamation mark, which is not a word, with the letters that may belong to it.
    pub(super) fn explosion(&mut self) -> Parsed<Modifier> {
        self.at += 1;
        let letters = self.letters().to_ascii_lowercase();
        let (length, explosion) = match (self.peek(), letters.as_bytes()) {
            (Some(b'!'), _) => (1, Explosion::Compound),
            // `odd` is a way of counting.
            (_, [b'o', rest @ ..]) if !letters.starts_with("odd") && is_end_or_word(rest) => (1, Explosion::Once),
            (_, [b'p', rest @ ..]) if is_end_or_word(rest) => (1, Explosion::Penetrate),
            (_, [b'i', rest @ ..]) if is_end_or_word(rest) => (1, Explosion::Implode),
            _ => (0, Explosion::Each),
        };
        self.at += length;
        Ok(Modifier::Explode(explosion, self.condition(Comparison::Equal)?))
    }

    /// `[1:0,6:2]`
    fn pairs(&mut self, word: &Word<'_>) -> Parsed<Vec<(i64, i64)>> {
        let mut pairs = Vec::new();
        let mut more = self.eat(b'[');
        while more {
            self.skip_spaces();
            let from = self.signed()?;
            let divided = self.eat(b':');
            let (Some(from), Some(to), true) = (from, self.signed()?, divided) else { break };
            pairs.push((from, to));
            self.skip_spaces();
            if self.eat(b']') {
                return Ok(pairs);
            }
            more = self.eat(b',');
        }
        Err(self.error(word.start..self.at, "map says what counts as what, as in map[1:0,6:2]"))
    }

    /// Reads a count after a word, possibly with spaces.
    fn count(&mut self) -> Parsed<Option<u32>> {
        let behind = self.at;
        self.skip_spaces();
        let count = self.digits()?;
        if count.is_none() {
            self.at = behind;
        }
        Ok(count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// Reads a required condition, unless the word implies one.
    fn needed(&mut self, word: &Word<'_>, what: &str, example: &str) -> Parsed<Condition> {
        let from = self.at;
        let condition = match self.comparison() {
            Some(comparison) => Some(self.compared(comparison, from)?),
            None => self.signed()?.map(|value| Condition { comparison: word.spelling.bare, value }),
        };
        let unsaid = || {
            let (highest, lowest) = word.ends()?;
            let value = if word.spelling.unsaid? == End::High { highest } else { lowest };
            Some(Condition { comparison: Comparison::Equal, value })
        };
        condition
            .or_else(unsaid)
            .ok_or_else(|| self.error(word.start..self.at, format!("{what} needs to know what, as in {example}")))
    }

    /// Reads a comparison with a number, or just a number, which is compared by `bare`.
    pub(super) fn condition(&mut self, bare: Comparison) -> Parsed<Option<Condition>> {
        let start = self.at;
        match self.comparison() {
            Some(comparison) => self.compared(comparison, start).map(Some),
            None => Ok(self.digits()?.map(|value| Condition { comparison: bare, value })),
        }
    }

    /// Reads the number after a comparison.
    fn compared(&mut self, comparison: Comparison, start: usize) -> Parsed<Condition> {
        self.skip_spaces();
        match self.signed()? {
            Some(value) => Ok(Condition { comparison, value }),
            None => {
                let end = self.text[..self.at].trim_end().len();
                Err(self.error(start..end, "a number is missing behind the comparison, as in >=5"))
            }
        }
    }
}

/// True if the letters after an explosion's own are none, or modifiers.
fn is_end_or_word(letters: &[u8]) -> bool {
    std::str::from_utf8(letters).is_ok_and(|letters| are_words(Dialect::Native, letters))
}
