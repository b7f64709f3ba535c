//! Refuses modifiers that are impossible or would never end.

use super::{Parsed, Parser};
use crate::expression::{Choice, Comparison, Condition, Count, Counting, End, Explosion, Faces, Modifier, Source};
use std::collections::BTreeSet;
use std::ops::Range;

impl Parser<'_> {
    /// Refuses a modifier that is impossible after the modifiers `before`, or would never end. It is written at `here`.
    pub(super) fn check(
        &self,
        source: &Source,
        before: &[Modifier],
        modifier: &Modifier,
        here: Range<usize>,
    ) -> Parsed<()> {
        if let Some(what) = misplaced(source, before, modifier) {
            return Err(self.error(here, what));
        }
        let Source::Dice(count, faces) = source else { return Ok(()) };
        // If the sides are rolled, only rolling shows whether it is possible.
        let Some(sides) = faces.sides() else { return Ok(()) };
        if faces.all_meet_any(&endless(faces, sides, modifier), sides) {
            return Err(self.error(here, "that would go on for ever: every face of the die meets it"));
        }
        match (modifier, count) {
            (Modifier::Unique, Count::Number(count)) if u64::from(*count) > different(faces, sides) => {
                Err(self.error(here, format!("there are no {count} dice that all differ: a die has fewer faces")))
            }
            // Nobody drops all they roll: these are two kinds of dice without a sign between them.
            (Modifier::Drop(Choice::End(End::Low, n)), Count::Number(count))
                if n >= count && self.text[here.start + 1..].starts_with(|c: char| c.is_ascii_digit()) =>
            {
                Err(self.error(here, format!("that would drop all {count} dice; d8 + d10 needs a sign")))
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

/// What is wrong with this modifier on these dice, or after the modifiers `before`.
fn misplaced(source: &Source, before: &[Modifier], modifier: &Modifier) -> Option<&'static str> {
    let explodes = |each: &Modifier| matches!(each, Modifier::Explode(..));
    let changes = !matches!(modifier, Modifier::Count(_) | Modifier::Mark(..) | Modifier::Sort(_));
    if modifier.throws() && matches!(source, Source::Group(_)) {
        return Some("a group holds results, and results cannot be rerolled: reroll inside it");
    }
    if changes && before.iter().any(Modifier::counts) {
        return Some("dice explode, reroll, are kept and dropped before they are counted");
    }
    // In canonical form, as in `!=-1`, that would read as a comparison.
    if matches!(modifier, Modifier::Explode(_, Some(Condition { comparison: Comparison::Equal, value: ..0 }))) {
        return Some("dice explode on a number from 0 up, or on a comparison, as in !<0");
    }
    if explodes(modifier) && before.iter().any(|each| matches!(each, Modifier::Add(_))) {
        return Some("dice explode before something is added to each, as in 2d6!each+1");
    }
    if explodes(modifier) && before.iter().any(explodes) {
        return Some("these dice explode already");
    }
    None
}

/// The conditions under which a die is rolled on, if this may never end.
fn endless(faces: &Faces, sides: u32, modifier: &Modifier) -> Vec<Condition> {
    match modifier {
        Modifier::Explode(Explosion::Each | Explosion::Compound | Explosion::Penetrate, condition) => {
            let (highest, _) = faces.ends(sides);
            vec![condition.unwrap_or(Condition { comparison: Comparison::Equal, value: highest })]
        }
        Modifier::Reroll(None, conditions) => conditions.clone(),
        _ => Vec::new(),
    }
}

/// The number of distinct values of a die.
fn different(faces: &Faces, sides: u32) -> u64 {
    match faces {
        Faces::List(_) | Faces::FudgeRare => {
            let there = faces.different(sides).filter(|(_, often)| *often > 0);
            there.map(|(face, _)| (faces.value(face), faces.word(face))).collect::<BTreeSet<_>>().len() as u64
        }
        _ => u64::from(sides),
    }
}
