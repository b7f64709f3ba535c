//! Reading what is done to dice, and refusing what cannot be done to them.

use super::{Parsed, Parser, SIGNS, advantage, nearest};
use crate::dialect::{Dialect, Hint, Spelling};
use crate::expression::{
    Choice, Comparison, Condition, Count, Counting, End, Explosion, Faces, Mark, Modifier, Source,
};
use crate::limits::{MAX_MODIFIERS, MAX_REROLLS};
use std::collections::BTreeSet;
use std::ops::Range;

/// Words that stand behind dice and are no modifiers.
const OTHERS: [&str; 4] = ["x", "vs", "sum", "sort"];

impl Parser<'_> {
    pub(super) fn modifiers(&mut self, source: &Source) -> Parsed<Vec<Modifier>> {
        let (mut modifiers, begin) = (Vec::new(), self.at);
        loop {
            let end = self.at;
            self.skip_spaces();
            let start = self.at;
            let Some(modifier) = self.modifier(source, &modifiers, start == end)? else {
                self.at = end;
                break;
            };
            self.fits_dialect(&modifiers, &modifier, start)?;
            if !self.dialect.reorders() {
                self.check(source, &modifiers, &modifier, start..self.at)?;
            }
            modifiers.push(modifier);
        }
        if self.dialect.reorders() {
            modifiers.sort_by_key(turn_of);
            for (n, modifier) in modifiers.iter().enumerate() {
                self.check(source, &modifiers[..n], modifier, begin..self.at)?;
            }
        }
        Ok(modifiers)
    }

    /// Refuses what would be too much, and what the dialect means otherwise than it can be done here.
    fn fits_dialect(&self, before: &[Modifier], modifier: &Modifier, start: usize) -> Parsed<()> {
        if before.len() == MAX_MODIFIERS {
            let what = format!("{MAX_MODIFIERS} things are the most that can be done to the same dice");
            return Err(self.error(start..self.at, what));
        }
        let compared = || SIGNS.iter().any(|(sign, _)| self.rest().starts_with(sign));
        let bounded = self.dialect.bounds_in_front() && modifier.throws() && compared();
        if bounded && self.text[..self.at].ends_with(|c: char| c.is_ascii_digit()) {
            let what = "how often it works cannot be bounded by a number in front";
            return Err(self.error(start..self.at, what));
        }
        let twice = |each: &Modifier| std::mem::discriminant(each) == std::mem::discriminant(modifier);
        let conditional = matches!(modifier, Modifier::Keep(_) | Modifier::Drop(_)) || modifier.throws();
        if self.dialect.unites() && conditional && before.iter().any(twice) {
            let what = "both at once cannot be done: what is done to dice is done one after the other";
            return Err(self.error(start..self.at, what));
        }
        Ok(())
    }

    /// What stands behind dice and what was done to them `before`.
    fn modifier(&mut self, source: &Source, before: &[Modifier], glued: bool) -> Parsed<Option<Modifier>> {
        let counted = before.iter().any(|each| matches!(each, Modifier::Count(Counting::Success(_))));
        match self.peek() {
            Some(b'!') if !self.rest().starts_with("!=") => self.explosion().map(Some),
            _ if self.compares() && SIGNS.iter().any(|(sign, _)| self.rest().starts_with(sign)) => {
                // The second one compares what the first one counted.
                if !self.first || counted {
                    return Ok(None);
                }
                let Some(condition) = self.condition(Comparison::Equal)? else { return Ok(None) };
                // What every die meets, or none, is meant for their sum; and one die alone succeeds or fails.
                let apart = source.tells_apart(before.iter(), condition);
                let counts = apart && !(source.leaves_one(before) && self.ends_here());
                Ok(counts.then_some(Modifier::Count(Counting::Success(condition))))
            }
            _ => match self.word(glued)? {
                Some(word) => self.worded(word, source).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Whether nothing stands here that goes on with what was read.
    fn ends_here(&self) -> bool {
        let rest = self.rest().trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let together = ["sum", "sort"].iter().any(|known| word.eq_ignore_ascii_case(known));
        rest.is_empty() || together || rest.starts_with([';', ',', ')', '}'])
    }

    /// The modifier's word that stands here. Glued to the dice letters can be nothing else.
    fn word(&self, glued: bool) -> Parsed<Option<&'static Spelling>> {
        if self.letters().is_empty() {
            return Ok(None);
        }
        let letters = self.letters().to_ascii_lowercase();
        let first = self.dialect.word(&letters);
        let lacks = |(word, _): &&Hint| letters == *word || (word.len() > 1 && letters.ends_with(word));
        let lacks = self.dialect.lacks().iter().find(lacks);
        if let (true, Some((_, hint))) = (glued, lacks) {
            let what = format!("I do not know {letters} behind dice: {hint}");
            return Err(self.error(self.at..self.at + letters.len(), what));
        }
        let single = first.is_some_and(|first| first.typed.len() == letters.len());
        if OTHERS.contains(&letters.as_str()) && !single {
            return Ok(None);
        }
        match first {
            // d8 behind dice and a space lacks a sign.
            Some(first) if !glued && single && first.typed == "d" && !self.dialect.drops_apart() => Ok(None),
            Some(first) if single || (glued && are_words(self.dialect, &letters)) => Ok(Some(first)),
            _ if glued => {
                let known: Vec<_> = self.dialect.words().map(|word| word.typed).collect();
                let hint = match (advantage(&letters), nearest(&letters, &known)) {
                    (Some(hint), _) => format!(": {hint}"),
                    (None, Some(near)) => format!(": did you mean {near}?"),
                    (None, None) => "; a label stands behind #".to_owned(),
                };
                let what = format!("I do not know {letters} behind dice{hint}");
                Err(self.error(self.at..self.at + letters.len(), what))
            }
            _ => Ok(None),
        }
    }

    fn worded(&mut self, spelling: &'static Spelling, source: &Source) -> Parsed<Modifier> {
        let (start, word) = (self.at, spelling.native);
        self.at += spelling.typed.len();
        let high = |faces: &Faces| faces.sides().map(|sides| faces.ends(sides).0);
        Ok(match word {
            "kh" | "kl" | "km" | "dh" | "dl" => {
                let n = self.count()?.unwrap_or(1);
                let choice = match &word[1..] {
                    "h" => Choice::End(End::High, n),
                    "l" => Choice::End(End::Low, n),
                    _ => Choice::Middle(n),
                };
                if word.starts_with('k') { Modifier::Keep(choice) } else { Modifier::Drop(choice) }
            }
            "k" | "d" => {
                let choice = match self.comparison() {
                    Some(comparison) => Choice::Where(self.compared(comparison, start)?),
                    None => {
                        let end = if word == "k" { End::High } else { End::Low };
                        Choice::End(end, self.count()?.unwrap_or(1))
                    }
                };
                if word == "k" { Modifier::Keep(choice) } else { Modifier::Drop(choice) }
            }
            "k=" | "d=" => {
                let which = Choice::Where(self.needed("that", "k6 or k>3", start, spelling, source)?);
                if word == "k=" { Modifier::Keep(which) } else { Modifier::Drop(which) }
            }
            "!" => Modifier::Explode(Explosion::Each, self.condition(spelling.bare)?),
            "!o" => {
                let one = matches!(source, Source::Dice(Count::Number(1), _));
                if spelling.typed == "ra" && !one {
                    let what =
                        "ra throws again for one die alone, which is told apart only with one die, as in 1d20ra1";
                    return Err(self.error(start..self.at, what));
                }
                Modifier::Explode(Explosion::Once, self.condition(spelling.bare)?)
            }
            "r" => Modifier::Reroll(None, self.needed("a reroll", "r1 or r<3", start, spelling, source)?),
            "ro" => Modifier::Reroll(Some(1), self.needed("a reroll", "ro1 or ro<3", start, spelling, source)?),
            "rr" => {
                let times = self.count()?;
                let comparison = self.comparison();
                let (Some(times @ 1..=MAX_REROLLS), Some(comparison)) = (times, comparison) else {
                    let what = format!(
                        "rr needs to know how often (1 to {MAX_REROLLS}) and what, as in rr2<3; r1 throws until it is no 1"
                    );
                    return Err(self.error(start..self.at, what));
                };
                Modifier::Reroll(Some(times), self.compared(comparison, start)?)
            }
            "u" => Modifier::Unique,
            "mi" | "ma" => {
                let Some(value) = self.signed()? else {
                    return Err(self.error(start..self.at, format!("{word} needs a number, as in {word}2")));
                };
                if word == "mi" { Modifier::Minimum(value) } else { Modifier::Maximum(value) }
            }
            "map" => Modifier::Map(self.pairs(start)?),
            "s" | "sa" => Modifier::Sort(End::Low),
            "sd" => Modifier::Sort(End::High),
            "c" => {
                Modifier::Count(Counting::Success(self.needed("counting", "c7 or c>=7", start, spelling, source)?))
            }
            "f" => Modifier::Count(Counting::Failure(self.needed("a failure", "f1", start, spelling, source)?)),
            "b" => Modifier::Count(Counting::Botch(self.needed("a botch", "b1", start, spelling, source)?)),
            "dbl" => {
                let top = match source {
                    Source::Dice(_, faces) => high(faces),
                    Source::Group(_) => None,
                };
                let top = top.map(|value| Condition { comparison: Comparison::Equal, value });
                let Some(condition) = self.condition(Comparison::Equal)?.or(top) else {
                    return Err(self.error(start..self.at, "dbl needs to know what, as in dbl10"));
                };
                Modifier::Count(Counting::Double(condition))
            }
            "even" => Modifier::Count(Counting::Even),
            "odd" => Modifier::Count(Counting::Odd),
            "m" => Modifier::Count(Counting::Matches),
            "mt" => match self.count()?.unwrap_or(2) {
                0 | 1 => return Err(self.error(start..self.at, "a set has at least 2, as in mt2")),
                n => Modifier::Count(Counting::Sets(n)),
            },
            "cs" => Modifier::Mark(Mark::Critical, self.needed("a critical success", "cs20", start, spelling, source)?),
            _ => Modifier::Mark(Mark::Fumble, self.needed("a fumble", "cf1", start, spelling, source)?),
        })
    }

    fn explosion(&mut self) -> Parsed<Modifier> {
        self.at += 1;
        let letters = self.letters().to_ascii_lowercase();
        let (length, explosion) = match (self.peek(), letters.as_bytes()) {
            (Some(b'!'), _) => (1, Explosion::Compound),
            // odd is a way of counting.
            (_, [b'o', rest @ ..]) if !letters.starts_with("odd") && is_end_or_word(rest) => (1, Explosion::Once),
            (_, [b'p', rest @ ..]) if is_end_or_word(rest) => (1, Explosion::Penetrate),
            (_, [b'i', rest @ ..]) if is_end_or_word(rest) => (1, Explosion::Implode),
            _ => (0, Explosion::Each),
        };
        self.at += length;
        Ok(Modifier::Explode(explosion, self.condition(Comparison::Equal)?))
    }

    /// `[1:0,6:2]`
    fn pairs(&mut self, start: usize) -> Parsed<Vec<(i64, i64)>> {
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
        Err(self.error(start..self.at, "map says what counts as what, as in map[1:0,6:2]"))
    }

    /// A count behind a word, with spaces perhaps.
    fn count(&mut self) -> Parsed<Option<u32>> {
        let behind = self.at;
        self.skip_spaces();
        let count = self.digits()?;
        if count.is_none() {
            self.at = behind;
        }
        Ok(count.map(|count| u32::try_from(count).unwrap_or(u32::MAX)))
    }

    /// A condition that must stand here, but for what goes without saying.
    fn needed(
        &mut self,
        what: &str,
        example: &str,
        start: usize,
        spelling: &Spelling,
        source: &Source,
    ) -> Parsed<Condition> {
        let from = self.at;
        let condition = match self.comparison() {
            Some(comparison) => Some(self.compared(comparison, from)?),
            None => self.signed()?.map(|value| Condition { comparison: spelling.bare, value }),
        };
        let faces = match source {
            Source::Dice(_, faces) => faces.sides().map(|sides| faces.ends(sides)),
            Source::Group(_) => None,
        };
        let unsaid = || {
            let (highest, lowest) = faces?;
            let value = if spelling.unsaid? == End::High { highest } else { lowest };
            Some(Condition { comparison: Comparison::Equal, value })
        };
        condition
            .or_else(unsaid)
            .ok_or_else(|| self.error(start..self.at, format!("{what} needs to know what, as in {example}")))
    }

    /// A comparison with a number, or the number alone, compared as `bare` says, if one stands here.
    fn condition(&mut self, bare: Comparison) -> Parsed<Option<Condition>> {
        let start = self.at;
        match self.comparison() {
            Some(comparison) => self.compared(comparison, start).map(Some),
            None => Ok(self.digits()?.map(|value| Condition { comparison: bare, value })),
        }
    }

    /// The number behind a comparison.
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

    /// Refuses what cannot be done to these dice, or would never end.
    fn check(&self, source: &Source, before: &[Modifier], modifier: &Modifier, here: Range<usize>) -> Parsed<()> {
        let wrong = |what: &str| Err(self.error(here.clone(), what));
        if modifier.throws() && matches!(source, Source::Group(_)) {
            return wrong("a group holds results, and those are not thrown again: do that inside it");
        }
        let changes = !matches!(modifier, Modifier::Count(_) | Modifier::Mark(..) | Modifier::Sort(_));
        if changes && before.iter().any(Modifier::counts) {
            return wrong("dice explode, are thrown again, kept and dropped before they are counted");
        }
        if matches!(modifier, Modifier::Explode(_, Some(Condition { comparison: Comparison::Equal, value: ..0 }))) {
            return wrong("dice explode on a number from 0 up, or on a comparison, as in !<0");
        }
        if matches!(modifier, Modifier::Explode(..)) && before.iter().any(|each| matches!(each, Modifier::Explode(..)))
        {
            return wrong("these dice explode already");
        }
        let Source::Dice(count, faces) = source else { return Ok(()) };
        let Some(sides) = faces.sides() else { return Ok(()) };
        let (highest, _) = faces.ends(sides);
        let top = Condition { comparison: Comparison::Equal, value: highest };
        let endless = match modifier {
            Modifier::Explode(Explosion::Each | Explosion::Compound | Explosion::Penetrate, condition) => {
                Some(condition.unwrap_or(top))
            }
            Modifier::Reroll(None, condition) => Some(*condition),
            _ => None,
        };
        if endless.is_some_and(|condition| faces.all_meet(condition, sides)) {
            return wrong("that would go on for ever: every face of the die meets it");
        }
        match (modifier, count) {
            (Modifier::Unique, Count::Number(count)) if u64::from(*count) > different(faces, sides) => {
                wrong(&format!("there are no {count} dice that all differ: a die has fewer faces"))
            }
            (Modifier::Drop(Choice::End(End::Low, n)), Count::Number(count))
                if n >= count && self.text[here.start + 1..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                wrong(&format!("that would drop all {count} dice; d8 + d10 needs a sign"))
            }
            (Modifier::Count(Counting::Success(condition)), _) if before.iter().all(Modifier::keeps_faces) => {
                self.possible(faces, sides, *condition, here)
            }
            _ => Ok(()),
        }
    }

    /// A comparison that no face can meet was meant for the sum.
    fn possible(&self, faces: &Faces, sides: u32, condition: Condition, here: Range<usize>) -> Parsed<()> {
        if condition.comparison != Comparison::Unequal && !faces.may_meet(condition, sides) {
            let what = "that counts dice, and none can show it; in parentheses the sum is compared, as in (2d6) >= 9";
            return Err(self.error(here, what));
        }
        Ok(())
    }
}

/// How many different values a die can show.
fn different(faces: &Faces, sides: u32) -> u64 {
    match faces {
        Faces::List(_) | Faces::FudgeRare => {
            let there = faces.different(sides).filter(|(_, often)| *often > 0);
            there.map(|(face, _)| (faces.value(face), faces.word(face))).collect::<BTreeSet<_>>().len() as u64
        }
        _ => u64::from(sides),
    }
}

/// Where a modifier works, for those who need not say it in that order: dice are thrown, changed, dropped, kept, counted.
fn turn_of(modifier: &Modifier) -> u8 {
    match modifier {
        Modifier::Reroll(..) | Modifier::Unique => 0,
        Modifier::Explode(..) => 1,
        Modifier::Minimum(_) | Modifier::Maximum(_) | Modifier::Map(_) => 2,
        Modifier::Drop(_) => 3,
        Modifier::Keep(_) => 4,
        Modifier::Count(Counting::Success(_)) => 5,
        Modifier::Count(_) | Modifier::Mark(..) | Modifier::Sort(_) => 6,
    }
}

/// Whether letters are modifiers, one behind the other.
fn are_words(dialect: Dialect, letters: &str) -> bool {
    let next = dialect.word(letters).and_then(|word| letters.strip_prefix(word.typed));
    letters.is_empty() || next.is_some_and(|rest| are_words(dialect, rest))
}

/// Whether letters behind an explosion's own are none, or modifiers.
fn is_end_or_word(letters: &[u8]) -> bool {
    std::str::from_utf8(letters).is_ok_and(|letters| are_words(Dialect::Native, letters))
}
