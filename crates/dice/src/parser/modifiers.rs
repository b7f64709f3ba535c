//! Parses the modifiers of dice, in order.

use super::{Parsed, Parser, advantage, nearest};
use crate::dialect::{Dialect, Hint, Spelling};
use crate::expression::{Comparison, Counting, Modifier, Source};
use crate::limits::MAX_MODIFIERS;
use crate::notation::NotationError;

/// Words after dice that are not modifiers.
const OTHERS: [&str; 4] = ["x", "vs", "sum", "sort"];

/// How the next word is separated from the dice and modifiers before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    Glued,
    Apart,
}

impl Parser<'_> {
    pub(super) fn modifiers(&mut self, source: &Source) -> Parsed<Vec<Modifier>> {
        self.modifiers_after(Vec::new(), source)
    }

    /// The modifiers here, behind these.
    pub(super) fn modifiers_after(&mut self, mut modifiers: Vec<Modifier>, source: &Source) -> Parsed<Vec<Modifier>> {
        let begin = self.at;
        loop {
            let end = self.at;
            self.skip_spaces();
            let start = self.at;
            let spacing = if start == end { Spacing::Glued } else { Spacing::Apart };
            let Some(modifier) = self.modifier(source, &modifiers, spacing)? else {
                // The spaces may matter to what follows the dice.
                self.at = end;
                break;
            };
            self.fits_dialect(&modifiers, &modifier, start)?;
            if self.unites(source, &mut modifiers, &modifier, start..self.at)? {
                continue;
            }
            if !self.dialect.reorders() {
                self.check(source, &modifiers, &modifier, start..self.at)?;
            }
            modifiers.push(modifier);
        }
        if self.dialect.reorders() {
            // Modifiers can be checked only in the order in which they apply.
            modifiers.sort_by_key(turn_of);
            for modifier in std::mem::take(&mut modifiers) {
                if !self.unites(source, &mut modifiers, &modifier, begin..self.at)? {
                    self.check(source, &modifiers, &modifier, begin..self.at)?;
                    modifiers.push(modifier);
                }
            }
        }
        self.all_united(modifiers, begin..self.at)
    }

    /// Refuses too many modifiers, and those with a meaning in the dialect that is not possible here.
    fn fits_dialect(&self, before: &[Modifier], modifier: &Modifier, start: usize) -> Parsed<()> {
        let many: usize = before.iter().map(Modifier::parts).sum();
        if many + modifier.parts() > MAX_MODIFIERS {
            let what = format!("{MAX_MODIFIERS} things are the most that can be done to the same dice");
            return Err(self.error(start..self.at, what));
        }
        let bounded = self.dialect.bounds_in_front() && modifier.throws() && self.compares().is_some();
        if bounded && self.text[..self.at].ends_with(|c: char| c.is_ascii_digit()) {
            let what = "how often it works cannot be bounded by a number in front";
            return Err(self.error(start..self.at, what));
        }
        Ok(())
    }

    /// Reads a modifier after dice and the modifiers `before`.
    fn modifier(&mut self, source: &Source, before: &[Modifier], spacing: Spacing) -> Parsed<Option<Modifier>> {
        match self.peek() {
            Some(b'!') if !self.rest().starts_with("!=") => self.explosion().map(Some),
            _ if self.compares().is_some() => self.counted_where(source, before),
            _ => match self.word(spacing)? {
                Some(word) => self.worded(word, source).map(Some),
                None => Ok(None),
            },
        }
    }

    /// A comparison after dice: it counts them, unless it is meant for their result.
    fn counted_where(&mut self, source: &Source, before: &[Modifier]) -> Parsed<Option<Modifier>> {
        // A second comparison compares what the first one counted.
        let counted = before.iter().any(|each| matches!(each, Modifier::Count(Counting::Success(_))));
        if !self.first && !self.counting || counted {
            return Ok(None);
        }
        // `2d6 > 2d4` compares two results. Where words may stand in any order, the second `d` may drop a die.
        if self.is_compared_with_dice() && !self.dialect.reorders() {
            return Ok(None);
        }
        let Some(condition) = self.condition(Comparison::Equal)? else { return Ok(None) };
        // A condition that every die meets, or none, is meant for the sum; and a single die succeeds or fails.
        let apart = source.tells_apart(before.iter(), condition);
        let whole = self.ends_here() || self.calculated_on();
        let mut in_turn = before.to_vec();
        if self.dialect.reorders() {
            in_turn.sort_by_key(turn_of);
        }
        let counts = apart && !(source.leaves_one(&in_turn) && whole);
        self.counting |= counts;
        Ok(counts.then_some(Modifier::Count(Counting::Success(condition))))
    }

    /// True if dice follow the comparison sign here, with or without a count.
    fn is_compared_with_dice(&self) -> bool {
        let Some((sign, _)) = self.compares() else { return false };
        let right = self.rest()[sign.len()..].trim_start();
        if right.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("each")) {
            return true;
        }
        let right = right.trim_start_matches(|c: char| c.is_ascii_digit());
        let sides = right.strip_prefix(['d', 'D']).unwrap_or_default();
        sides.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '%' | '(' | '[' | 'f' | 'F'))
    }

    /// True if nothing here continues what was read.
    fn ends_here(&self) -> bool {
        let rest = self.rest().trim_start();
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let together = ["sum", "sort", "cancel"].iter().any(|known| word.eq_ignore_ascii_case(known));
        rest.is_empty() || together || rest.starts_with([';', ',', ')', '}'])
    }

    /// True if the number read last is a part of a product or of a longer comparison.
    fn calculated_on(&self) -> bool {
        self.rest().trim_start().starts_with(['*', '/', '%', '<', '>', '=', '≤', '≥'])
    }

    /// The modifier word here. Letters attached to the dice can be nothing else.
    fn word(&self, spacing: Spacing) -> Parsed<Option<&'static Spelling>> {
        if self.letters().is_empty() {
            return Ok(None);
        }
        let letters = self.letters().to_ascii_lowercase();
        if spacing == Spacing::Glued {
            self.has_counterpart(&letters)?;
        }
        let first = self.dialect.word(&letters);
        let single = first.is_some_and(|first| first.typed.len() == letters.len());
        if OTHERS.contains(&letters.as_str()) && !single {
            return Ok(None);
        }
        match (first, spacing) {
            // In `... d8` after dice and a space, a sign is missing.
            (Some(first), Spacing::Apart) if single && first.typed == "d" && !self.dialect.drops_apart() => Ok(None),
            (Some(first), _) if single => Ok(Some(first)),
            (Some(first), Spacing::Glued) if are_words(self.dialect, &letters) => Ok(Some(first)),
            (_, Spacing::Glued) => Err(self.misspelt(&letters)),
            (_, Spacing::Apart) => Ok(None),
        }
    }

    /// Refuses a word of the dialect that has no counterpart here. It may follow another one, as in `khms`.
    fn has_counterpart(&self, letters: &str) -> Parsed<()> {
        // A single letter would match the end of many known words.
        let lacks = |(word, _): &&Hint| letters == *word || (word.len() > 1 && letters.ends_with(word));
        match self.dialect.lacks().iter().find(lacks) {
            Some((_, hint)) => Err(self.unknown_word(letters, &format!(": {hint}"))),
            None => Ok(()),
        }
    }

    fn misspelt(&self, letters: &str) -> NotationError {
        let known: Vec<_> = self.dialect.words().map(|word| word.typed).collect();
        let near = nearest(letters, &known);
        let hint = match (advantage(letters), near) {
            (Some(hint), _) => format!(": {hint}"),
            (None, Some(near)) => format!(": did you mean {near}?"),
            (None, None) => "; a comment goes after #".to_owned(),
        };
        NotationError { meant: near.map(str::to_owned), ..self.unknown_word(letters, &hint) }
    }

    fn unknown_word(&self, letters: &str, hint: &str) -> NotationError {
        self.error(self.at..self.at + letters.len(), format!("I do not know {letters} behind dice{hint}"))
    }
}

/// The fixed order of modifiers in dialects that have one: roll, change, drop, keep, count.
fn turn_of(modifier: &Modifier) -> u8 {
    match modifier {
        Modifier::Reroll(..) | Modifier::Unique => 0,
        Modifier::Explode(..) => 1,
        Modifier::Minimum(_) | Modifier::Maximum(_) | Modifier::Add(_) | Modifier::Map(_) => 2,
        Modifier::Drop(_) => 3,
        Modifier::Keep(_) => 4,
        Modifier::Count(Counting::Success(_)) => 5,
        Modifier::Count(_) | Modifier::Mark(..) | Modifier::Sort(_) => 6,
    }
}

/// True if the letters are a sequence of modifiers.
pub(super) fn are_words(dialect: Dialect, letters: &str) -> bool {
    let next = dialect.word(letters).and_then(|word| letters.strip_prefix(word.typed));
    letters.is_empty() || next.is_some_and(|rest| are_words(dialect, rest))
}
