//! Dice that count by their rank among all.

use super::pool::{Ways, contribution};
use super::spread::Run;
use super::{Computation, Stop, Weight};
use crate::expression::{Choice, Counting, End, Modifier};
use crate::limits::WIDEST;
use crate::{Fate, ShownDie};
use num_bigint::BigUint;

/// The ranks of the dice that count, from the lowest (0): from `from` to before `to` of `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Places {
    from: u32,
    to: u32,
    all: u32,
}

/// What happens to the dice that a choice selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Kept,
    Dropped,
}

impl Places {
    pub fn all(all: u32) -> Self {
        Places { from: 0, to: all, all }
    }

    /// The dice that a choice leaves.
    pub fn left_by(self, choice: Choice, chosen: Chosen) -> Self {
        let Places { from, to, all } = self;
        let still = to - from;
        // How many of the lowest and of the highest are out.
        let (low, high) = match (choice, chosen) {
            (Choice::End(End::High, n), Chosen::Kept) => (still.saturating_sub(n), 0),
            (Choice::End(End::Low, n), Chosen::Kept) => (0, still.saturating_sub(n)),
            (Choice::End(End::High, n), Chosen::Dropped) => (0, n.min(still)),
            (Choice::End(End::Low, n), Chosen::Dropped) => (n.min(still), 0),
            // There is no notation for dropping the middle.
            (Choice::Middle(n), _) => {
                let out = still.saturating_sub(n);
                (out / 2, out - out / 2)
            }
            // Which ranks that leaves differs from roll to roll.
            (Choice::Where(_), _) => (0, 0),
        };
        Places { from: from + low, to: to - high, all }
    }
}

impl<W: Weight> Computation<'_, W> {
    /// The sum of what the dice of these ranks add.
    pub(super) fn kept(
        &mut self,
        count: u32,
        places: Places,
        ways: &Ways<W>,
        adds: impl Fn(&ShownDie) -> i64,
    ) -> Result<Run<W>, Stop> {
        let mut sorted: Vec<(i64, i64, W)> =
            ways.iter().map(|(die, weight)| (die.value, adds(die), weight.clone())).collect();
        // States that show and add the same are one, however they came about.
        sorted.sort_by_key(|(value, adds, _)| (*value, *adds));
        sorted.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            if same {
                first.2.add(&next.2);
            }
            same
        });
        let values: Vec<(i64, W)> = sorted.into_iter().map(|(_, adds, weight)| (adds, weight)).collect();
        if places.from == places.to {
            return Ok(Run::certain(0));
        }
        if places.from == 0 && places.to == count {
            let once = Run::of(values)?;
            return self.power(&once, count);
        }
        if places.to == count {
            return self.top(count, count - places.from, &values);
        }
        if places.from == 0 {
            // The lowest dice are the highest when the values are reversed.
            let values: Vec<_> = values.into_iter().rev().collect();
            return self.top(count, places.to, &values);
        }
        self.between(count, places, &values)
    }

    /// The sum of the `kept` highest of `count` dice, by their values in order: for each value that the lowest kept die
    /// may show, how many dice are above it.
    fn top(&mut self, count: u32, kept: u32, values: &[(i64, W)]) -> Result<Run<W>, Stop> {
        self.spend_whole(kept as usize * count as usize)?;
        // For each value: what is below it, what is above it, and the powers of both.
        self.spend(values.len().saturating_mul(values.len() / 2 + 2 * count as usize))?;
        let choose: Vec<Vec<W>> = (0..kept).map(|beyond| ways_to_choose(count - beyond)).collect();
        let mut all: Option<Run<W>> = None;
        for (t, (adds, weight)) in values.iter().enumerate() {
            let mut below = W::zero();
            values[..t].iter().for_each(|(_, weight)| below.add(weight));
            let (here, under) = (powers(weight, count), powers(&below, count));
            let above = values.get(t + 1..).filter(|above| !above.is_empty());
            let above = above.map(|above| Run::of(above.iter().cloned())).transpose()?;
            // From the most above it down to none, multiplying by one more such die at each step.
            let mut sum: Option<Run<W>> = None;
            for beyond in (0..kept).rev() {
                if beyond > 0 && above.is_none() {
                    continue;
                }
                let left = count - beyond;
                self.spend(left as usize)?;
                let mut ways = W::zero();
                for equal in kept - beyond..=left {
                    let of = &choose[beyond as usize][equal as usize];
                    ways.add(&of.times(&here[equal as usize]).times(&under[(left - equal) as usize]));
                }
                let ways = ways.times(&choose[0][beyond as usize]);
                let at = adds.checked_mul(i64::from(kept - beyond)).ok_or(Stop::TooLarge)?;
                let next = match (sum, &above) {
                    (Some(sum), Some(above)) => Some(self.product(&sum, above)?),
                    (sum, _) => sum,
                };
                sum = Some(self.joined(next, Run { low: at, weights: vec![ways] })?);
            }
            if let Some(sum) = sum {
                all = Some(self.joined(all, sum)?);
            }
        }
        all.ok_or(Stop::Unable)
    }

    /// The sum of dice whose ranks exclude both ends.
    fn between(&mut self, count: u32, places: Places, values: &[(i64, W)]) -> Result<Run<W>, Stop> {
        let weights: Vec<&W> = values.iter().map(|(_, weight)| weight).collect();
        self.value_by_value(count, &weights, |value, before, behind| {
            let inside = behind.min(places.to).saturating_sub(before.max(places.from));
            values[value].0.checked_mul(i64::from(inside))
        })
    }

    /// Counts dice that show the same.
    pub(super) fn alike(&mut self, count: u32, ways: &Ways<W>, counting: Counting) -> Result<Run<W>, Stop> {
        let Run { weights, .. } = Run::of(ways.iter().map(|(die, weight)| (die.value, weight.clone())))?;
        let weights: Vec<&W> = weights.iter().filter(|weight| !weight.is_zero()).collect();
        self.value_by_value(count, &weights, |_, before, behind| {
            let show = behind - before;
            Some(match counting {
                Counting::Sets(size) => i64::from(show / size.max(1)),
                _ if show >= 2 => i64::from(show),
                _ => 0,
            })
        })
    }

    /// Counts dice one by one, and pairs of them.
    pub(super) fn paired(&mut self, count: u32, ways: &Ways<W>, counting: &[Modifier]) -> Result<Run<W>, Stop> {
        let pairs: Vec<i64> = counting
            .iter()
            .filter_map(|each| match each {
                Modifier::Count(Counting::Pairs(value)) => Some(*value),
                _ => None,
            })
            .collect();
        // Dice that show and count the same are one, however they came about.
        let mut sorted: Vec<(i64, bool, i64, W)> = Vec::with_capacity(ways.len());
        for (die, weight) in ways {
            let kept = die.fate == Fate::Kept;
            sorted.push((die.value, kept, contribution(*die, counting), weight.clone()));
        }
        sorted.sort_by_key(|(value, kept, adds, _)| (*value, *kept, *adds));
        sorted.dedup_by(|next, first| {
            let same = (next.0, next.1, next.2) == (first.0, first.1, first.2);
            if same {
                first.3.add(&next.3);
            }
            same
        });
        if sorted.windows(2).any(|two| (two[0].0, two[0].1) == (two[1].0, two[1].1) && pairs.contains(&two[0].0)) {
            return Err(Stop::Unable);
        }
        let weights: Vec<&W> = sorted.iter().map(|(_, _, _, weight)| weight).collect();
        self.value_by_value(count, &weights, |at, before, behind| {
            let (value, kept, adds, _) = &sorted[at];
            let show = i64::from(behind - before);
            let paired = pairs.iter().filter(|each| *each == value && *kept).count();
            adds.checked_mul(show)?.checked_add(show / 2 * 2 * i64::try_from(paired).ok()?)
        })
    }

    /// Goes value by value from the lowest, over how many dice show each. `adds` says what the dice of one value add
    /// that take the ranks from its second argument to before its third.
    fn value_by_value(
        &mut self,
        count: u32,
        weights: &[&W],
        adds: impl Fn(usize, u32, u32) -> Option<i64>,
    ) -> Result<Run<W>, Stop> {
        self.spend_whole(count as usize * count as usize)?;
        let choose: Vec<Vec<W>> = (0..=count).map(ways_to_choose).collect();
        let mut placed: Vec<Option<Run<W>>> = vec![None; count as usize + 1];
        placed[0] = Some(Run::certain(0));
        for (value, weight) in weights.iter().enumerate() {
            self.spend(count as usize)?;
            let powers = powers(*weight, count);
            let mut next: Vec<Option<Run<W>>> = vec![None; count as usize + 1];
            for (before, run) in (0..).zip(&placed) {
                let Some(run) = run else { continue };
                for show in 0..=count - before {
                    self.spend(run.weights.len())?;
                    let low = adds(value, before, before + show).and_then(|adds| adds.checked_add(run.low));
                    let weight = choose[(count - before) as usize][show as usize].times(&powers[show as usize]);
                    let moved = Run { low: low.ok_or(Stop::TooLarge)?, weights: run.weights.clone() }.scaled(&weight);
                    let known = next[(before + show) as usize].take();
                    next[(before + show) as usize] = Some(self.joined(known, moved)?);
                }
            }
            placed = next;
        }
        placed.pop().flatten().ok_or(Stop::Unable)
    }

    /// Merges two ways to reach the same result.
    fn joined(&mut self, one: Option<Run<W>>, other: Run<W>) -> Result<Run<W>, Stop> {
        let Some(one) = one else { return Ok(other) };
        let low = one.low.min(other.low);
        let span =
            |run: &Run<W>| usize::try_from(run.low - low).map(|gap| gap + run.weights.len()).unwrap_or(usize::MAX);
        let length = span(&one).max(span(&other));
        self.spend(other.weights.len() / 8 + 1)?;
        if length > WIDEST as usize {
            return Err(Stop::TooLarge);
        }
        // The wider one takes in the other.
        let (mut wide, narrow) = if span(&one) - one.weights.len() == 0 { (one, other) } else { (other, one) };
        wide.weights.resize(length, W::zero());
        let from = usize::try_from(narrow.low - low).unwrap_or_default();
        for (sum, weight) in wide.weights[from..].iter_mut().zip(&narrow.weights) {
            sum.add(weight);
        }
        Ok(wide)
    }
}

/// `weight` to the power of 0, 1 and so on up to `most`.
fn powers<W: Weight>(weight: &W, most: u32) -> Vec<W> {
    let mut power = W::one();
    let mut all = vec![power.clone()];
    for _ in 0..most {
        power = power.times(weight);
        all.push(power.clone());
    }
    all
}

/// The number of ways to choose 0, 1 and so on up to all of `all`.
fn ways_to_choose<W: Weight>(all: u32) -> Vec<W> {
    let mut ways = BigUint::from(1_u32);
    let mut row = vec![W::ways(&ways)];
    for chosen in 1..=all {
        ways = ways * (all - chosen + 1) / chosen;
        row.push(W::ways(&ways));
    }
    row
}
