//! Unites modifiers that follow one another and mean "any of these": `r1r3` rerolls while a die shows 1 or 3.
//!
//! Rerolls unite in every notation. In that of Avrae the conditions of keeping and of dropping do as well, where they can
//! be written natively.

use super::{Parsed, Parser};
use crate::expression::{Choice, Comparison, Condition, Modifier, Source};
use std::ops::Range;

impl Parser<'_> {
    /// Takes a further reroll into the one before it. Returns true if it did.
    pub(super) fn unites(
        &self,
        source: &Source,
        modifiers: &mut [Modifier],
        next: &Modifier,
        here: Range<usize>,
    ) -> Parsed<bool> {
        let Some((Modifier::Reroll(None, united), before)) = modifiers.split_last_mut() else { return Ok(false) };
        let Modifier::Reroll(None, more) = next else { return Ok(false) };
        united.extend(more);
        let all = Modifier::Reroll(None, united.clone());
        self.check(source, before, &all, here)?;
        Ok(true)
    }

    /// The modifiers with those united that follow one another, where repeating one combines both conditions.
    pub(super) fn all_united(&self, modifiers: Vec<Modifier>, here: Range<usize>) -> Parsed<Vec<Modifier>> {
        if !self.dialect.unites() {
            return Ok(modifiers);
        }
        let mut united: Vec<Modifier> = Vec::with_capacity(modifiers.len());
        for run in modifiers.chunk_by(|one, next| std::mem::discriminant(one) == std::mem::discriminant(next)) {
            let done = match run {
                [_] => run.to_vec(),
                [Modifier::Keep(_), ..] => kept(run).ok_or_else(|| self.error(here.clone(), APART))?,
                [Modifier::Drop(_), ..] if !dropped_alike(run) => return Err(self.error(here, APART)),
                [first, ..] if first.throws() => return Err(self.error(here, APART)),
                _ => run.to_vec(),
            };
            united.extend(done);
        }
        Ok(united)
    }
}

/// Why some cannot be united.
const APART: &str = "both at once cannot be done: what is done to dice is done one after the other";

/// True if dropping one after the other drops what dropping all at once would.
fn dropped_alike(run: &[Modifier]) -> bool {
    let shows = |modifier: &Modifier| matches!(modifier, Modifier::Drop(Choice::Where(_)));
    run.iter().all(shows) || !run.iter().any(shows)
}

/// Keeping what meets any of these conditions; `None` if that has no notation.
fn kept(run: &[Modifier]) -> Option<Vec<Modifier>> {
    let condition = |modifier: &Modifier| match modifier {
        Modifier::Keep(Choice::Where(condition)) => Some(*condition),
        _ => None,
    };
    let all = run.iter().map(condition).collect::<Option<Vec<_>>>()?;
    let first = all.first()?.comparison;
    if all.iter().any(|each| each.comparison != first) {
        return None;
    }
    let mut values: Vec<i64> = all.iter().map(|each| each.value).collect();
    values.sort_unstable();
    values.dedup();
    let keep = |comparison, value| Modifier::Keep(Choice::Where(Condition { comparison, value }));
    let (least, most) = (*values.first()?, *values.last()?);
    match first {
        Comparison::Less | Comparison::AtMost => Some(vec![keep(first, most)]),
        Comparison::Greater | Comparison::AtLeast => Some(vec![keep(first, least)]),
        Comparison::Equal if least == most => Some(vec![keep(first, least)]),
        Comparison::Equal if values.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) => {
            Some(vec![keep(Comparison::AtLeast, least), keep(Comparison::AtMost, most)])
        }
        Comparison::Equal | Comparison::Unequal => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Dialect, Notation};

    #[test]
    fn rerolls_that_follow_one_another_are_for_any_of_their_faces() {
        let read = |dialect, text: &str| Notation::typed_in(dialect, text).map(|read| read.rolls[0].clone());
        for (dialect, text, native, mean) in [
            (Dialect::Avrae, "4d6rr1rr3", "4d6r1r3", 4.0 * (2.0 + 4.0 + 5.0 + 6.0) / 4.0),
            (Dialect::Native, "d6r1r2", "1d6r1r2", 4.5),
            (Dialect::Native, "d6r<2r>5r3", "1d6r<2r>5r3", (2.0 + 4.0 + 5.0) / 3.0),
            (Dialect::DiceMaiden, "4d6 ir1 d1 ir2", "4d6r<=1r<=2dl1", 15.0 - 98.0 / 256.0),
            (Dialect::Roll20, "2d6r1r3", "2d6r1r3", 2.0 * 17.0 / 4.0),
        ] {
            let (read, natively) = (read(dialect, text).unwrap(), read(Dialect::Native, native).unwrap());
            assert_eq!((read.to_string().as_str(), &read), (native, &natively), "{text}");
            assert!((read.odds().unwrap().mean() - mean).abs() < 1e-9, "{text}: {}", read.odds().unwrap().mean());
        }
        for text in ["d2r1r2", "d6r<4r>3", "d66r<40r>39"] {
            assert!(read(Dialect::Native, text).unwrap_err().what.contains("for ever"), "{text}");
        }
        let long = format!("d6{}", "r1".repeat(17));
        assert!(read(Dialect::Native, &long).unwrap_err().what.contains("16 things"));
    }

    #[test]
    fn what_avrae_keeps_and_drops_at_once_is_written_natively_where_that_is_possible() {
        let read = |text: &str| Notation::typed_in(Dialect::Avrae, text).map(|read| read.to_string());
        assert_eq!(read("4d6k1k2k3").as_deref(), Ok("4d6k>=1k<=3"));
        assert_eq!(read("4d6k<3k<2").as_deref(), Ok("4d6k<3"));
        assert_eq!(read("4d6p1p3").as_deref(), Ok("4d6d=1d=3"));
        assert_eq!(read("4d6ph1pl1").as_deref(), Ok("4d6dh1dl1"));
        for text in ["4d6k1k3", "4d6kh1kl1", "4d6p1pl1", "4d6ro1ro2"] {
            assert!(read(text).unwrap_err().what.contains("both at once"), "{text}");
        }
    }
}
