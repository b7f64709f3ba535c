//! The odds of a pool.

use super::exploding::Exploding;
use super::select::{Chosen, Places};
use super::spread::{Run, Spread};
use super::{Computation, Stop, Weight};
use crate::expression::{
    Choice, Comparison, Condition, Count, Counting, Explosion, Expression, Faces, Modifier, Pool, Source,
};
use crate::limits::{MAX_DICE, MAX_FACES_OF_ODDS};
use crate::roll::pool::Kind;
use crate::{DiceError, Fate, RollError, ShownDie, Throw};
use std::collections::BTreeMap;

/// Rerolling that never ends uses up all dice.
pub(super) const NEVER_ENDS: Stop = Stop::Roll(RollError::Dice(DiceError::TooMany));

/// The possible states of one die, with their weights.
pub(super) type Ways<W> = Vec<(ShownDie, W)>;

impl<W: Weight> Computation<'_, W> {
    pub(super) fn pool(&mut self, pool: &Pool) -> Result<Spread<W>, Stop> {
        match &pool.source {
            Source::Group(members) => self.group(pool, members),
            Source::Dice(Count::Number(count), faces) => match faces.sides() {
                Some(sides) => Ok(self.dice(*count, Kind { faces, sides }, &pool.modifiers)?.into_spread()),
                None => self.computed(&Count::Number(*count), faces, &pool.modifiers),
            },
            Source::Dice(count, faces) => self.computed(count, faces, &pool.modifiers),
        }
    }

    /// Dice whose number or sides are rolled: each case separately.
    fn computed(&mut self, count: &Count, faces: &Faces, modifiers: &[Modifier]) -> Result<Spread<W>, Stop> {
        let counts = match count {
            Count::Number(count) => Spread::certain(i64::from(*count).into()),
            Count::Computed(inner) => self.expression(inner)?,
        };
        let all_sides = match faces {
            Faces::Computed(inner) => self.expression(inner)?,
            faces => Spread::certain(i64::from(faces.sides().unwrap_or_default()).into()),
        };
        let (all_counts, total_sides) = (counts.total(), all_sides.total());
        let mut mixed = Spread::default();
        for (count, chance) in counts.iter() {
            let count = u32::try_from(count.floor().max(0)).map_err(|_| RollError::TooManyDice)?;
            for (sides, weight) in all_sides.iter() {
                let sides = match sides.floor() {
                    ..=0 => return Err(RollError::Dice(DiceError::NoSides).into()),
                    sides => u32::try_from(sides).map_err(|_| RollError::Overflow)?,
                };
                let case = self.dice(count, Kind { faces, sides }, modifiers)?;
                self.look_at(case.weights.len())?;
                let case = case.into_spread();
                let total = case.total();
                let share = chance.share(&all_counts) * weight.share(&total_sides);
                for (value, weight) in case.iter() {
                    mixed.add(value, W::rounded(share * weight.share(&total)).ok_or(Stop::Unable)?);
                }
            }
        }
        Ok(mixed)
    }

    /// With how many dice of a pool a comparison holds.
    pub(super) fn met(&mut self, left: &Spread<W>, comparison: Comparison, pool: &Pool) -> Result<Spread<W>, Stop> {
        let Pool { source: Source::Dice(Count::Number(count), faces), modifiers } = pool else {
            return Err(Stop::Unable);
        };
        let Some(sides) = faces.sides().filter(|_| modifiers.is_empty()) else { return Err(Stop::Unable) };
        let once = self.dice(1, Kind { faces, sides }, &[])?.into_spread();
        let mut all = Spread::default();
        for (value, weight) in left.iter() {
            self.look_at(once.len())?;
            let one = once.iter().map(|(die, weight)| (i64::from(comparison.holds(value, die)), weight.clone()));
            let one = Run::of(one)?;
            for (met, ways) in self.power(&one, *count)?.iter() {
                all.add(met.into(), weight.times(ways));
            }
        }
        Ok(all)
    }

    fn dice(&mut self, count: u32, kind: Kind<'_>, modifiers: &[Modifier]) -> Result<Run<W>, Stop> {
        if u64::from(count) > MAX_DICE {
            return Err(RollError::TooManyDice.into());
        }
        if kind.sides > MAX_FACES_OF_ODDS && !matches!(kind.faces, Faces::List(_)) {
            return Err(Stop::TooManyFaces(kind.sides));
        }
        if modifiers.iter().any(|modifier| matches!(modifier, Modifier::Unique)) {
            return Err(Stop::Unable);
        }
        // Made, counted and sorted in.
        self.look_at(2 * kind.faces.different(kind.sides).size_hint().0)?;
        let fresh = fresh(kind);
        let joint = |modifier: &Modifier| {
            matches!(modifier, Modifier::Keep(Choice::End(..) | Choice::Middle(_)) | Modifier::Drop(Choice::End(..)))
                || matches!(modifier, Modifier::Count(Counting::Matches | Counting::Sets(_) | Counting::Pairs(_)))
        };
        let chain = |modifier: &Modifier| matches!(modifier, Modifier::Explode(explosion, _) if *explosion != Explosion::Compound);
        let (mut ways, mut rest) = (fresh.clone(), modifiers);
        while let [next, behind @ ..] = rest {
            if joint(next) {
                return self.joint(count, ways, rest);
            }
            if let (true, Modifier::Explode(explosion, condition)) = (chain(next), next) {
                if behind.iter().any(|modifier| joint(modifier) || modifier.throws()) {
                    return Err(Stop::Unable);
                }
                let dice = Exploding { count, kind, explosion: *explosion, condition: *condition };
                let once = self.chain(dice, &ways, behind)?;
                return self.power(&once, count);
            }
            ways = self.changed(count, ways, &fresh, kind, next)?;
            rest = behind;
        }
        let counts = modifiers.iter().any(Modifier::counts);
        let once = Run::of(
            ways.into_iter().map(|(die, weight)| (if counts { die.score.into() } else { worth(&die) }, weight)),
        )?;
        self.power(&once, count)
    }

    /// The states of one die after a modifier that looks at no other die.
    fn changed(
        &mut self,
        count: u32,
        ways: Ways<W>,
        fresh: &Ways<W>,
        kind: Kind<'_>,
        modifier: &Modifier,
    ) -> Result<Ways<W>, Stop> {
        self.spend(ways.len())?;
        match modifier {
            Modifier::Reroll(times, conditions) => {
                // Each die is searched for among the others, each time.
                let times_all =
                    (times.unwrap_or(1) as usize).saturating_mul((fresh.len() + ways.len()) * conditions.len());
                self.look_at(times_all)?;
                self.spend(times_all.saturating_mul(1 + times.unwrap_or(1) as usize / 8))?;
                rerolled(ways, fresh, *times, conditions).ok_or(NEVER_ENDS)
            }
            Modifier::Explode(explosion, condition) => {
                self.compound(Exploding { count, kind, explosion: *explosion, condition: *condition }, ways)
            }
            modifier => Ok(ways.into_iter().map(|(die, weight)| (alone(die, modifier), weight)).collect()),
        }
    }

    /// Dice that depend on what the others show.
    fn joint(&mut self, count: u32, ways: Ways<W>, modifiers: &[Modifier]) -> Result<Run<W>, Stop> {
        let pairs = |each: &Modifier| matches!(each, Modifier::Count(Counting::Pairs(_)));
        let alike = |each: &Modifier| matches!(each, Modifier::Count(Counting::Matches | Counting::Sets(_)));
        if modifiers.iter().any(pairs) && modifiers.iter().all(|each| each.counts() && !alike(each)) {
            return self.paired(count, &ways, modifiers);
        }
        if ways.iter().any(|(die, _)| die.fate != Fate::Kept || die.score != 0) {
            return Err(Stop::Unable);
        }
        let mut places = Places::all(count);
        let mut rest = modifiers;
        while let [next @ (Modifier::Keep(choice) | Modifier::Drop(choice)), behind @ ..] = rest {
            // The dice that a condition selects do not depend on their order.
            if matches!(choice, Choice::Where(_)) {
                break;
            }
            let chosen = if matches!(next, Modifier::Keep(_)) { Chosen::Kept } else { Chosen::Dropped };
            places = places.left_by(*choice, chosen);
            rest = behind;
        }
        if let [Modifier::Count(Counting::Matches | Counting::Sets(_))] = rest
            && places == Places::all(count)
        {
            let Modifier::Count(counting) = rest[0] else { return Err(Stop::Unable) };
            return self.alike(count, &ways, counting);
        }
        let local = |modifier: &Modifier| match modifier {
            Modifier::Keep(choice) | Modifier::Drop(choice) => matches!(choice, Choice::Where(_)),
            Modifier::Count(counting) => {
                !matches!(counting, Counting::Matches | Counting::Sets(_) | Counting::Pairs(_))
            }
            modifier => !modifier.throws(),
        };
        if !rest.iter().all(local) {
            return Err(Stop::Unable);
        }
        self.kept(count, places, &ways, |die| contribution(*die, rest))
    }

    fn group(&mut self, pool: &Pool, members: &[Expression]) -> Result<Spread<W>, Stop> {
        if pool.mixes_dice() {
            return match pool.modifiers.as_slice() {
                [] => members.iter().map(|member| self.expression(member)).next().unwrap_or(Err(Stop::Unable)),
                _ => Err(Stop::Unable),
            };
        }
        let whole = |spread: Spread<W>| spread.map(|value| Ok(value.floor().into()));
        let mut spreads = Vec::with_capacity(members.len());
        for member in members {
            spreads.push(whole(self.expression(member)?)?);
        }
        let mut spreads = spreads.into_iter();
        let first = spreads.next().ok_or(Stop::Unable)?;
        match pool.modifiers.as_slice() {
            [] => spreads.try_fold(first, |sum, each| self.sum(&sum, &each)),
            [Modifier::Keep(Choice::End(end, 1))] => {
                let best = |left: crate::Number, right| match end {
                    crate::End::High => left.max(right),
                    crate::End::Low => left.min(right),
                };
                spreads.try_fold(first, |all, each| self.combine(&all, &each, |left, right| Ok(best(left, right))))
            }
            modifiers if modifiers.iter().all(|modifier| matches!(modifier, Modifier::Count(Counting::Success(_)))) => {
                let counted = |spread: Spread<W>| {
                    spread.map(|value| Ok(contribution(ShownDie::result(value.floor()), modifiers).into()))
                };
                let first = counted(first)?;
                spreads.try_fold(first, |sum, each| {
                    let each = counted(each)?;
                    self.sum(&sum, &each)
                })
            }
            _ => Err(Stop::Unable),
        }
    }
}

/// The states of a freshly rolled die.
pub(super) fn fresh<W: Weight>(kind: Kind<'_>) -> Ways<W> {
    let lie = |(face, often)| {
        let die = ShownDie { face, ..ShownDie::result(kind.faces.value(face)) };
        (die, W::face(often, kind.sides))
    };
    kind.faces.different(kind.sides).map(lie).collect()
}

/// The value of a die in a sum.
fn worth(die: &ShownDie) -> i64 {
    if die.fate == Fate::Kept { die.value } else { 0 }
}

/// A die after a modifier that rolls nothing, as if it were the only one.
fn alone(die: ShownDie, modifier: &Modifier) -> ShownDie {
    let mut throw = Throw { dice: vec![die], tally: None };
    throw.change(modifier);
    throw.dice.first().copied().unwrap_or(die)
}

/// What one die adds to the result of a pool after these modifiers.
pub(super) fn contribution(die: ShownDie, modifiers: &[Modifier]) -> i64 {
    let die = modifiers.iter().fold(die, alone);
    if modifiers.iter().any(Modifier::counts) { die.score.into() } else { worth(&die) }
}

/// Rerolls while a condition is met, at most `times`; `None` if that would never end.
fn rerolled<W: Weight>(ways: Ways<W>, fresh: &Ways<W>, times: Option<u32>, any: &[Condition]) -> Option<Ways<W>> {
    let meets = |die: &ShownDie| die.fate == Fate::Kept && any.iter().any(|condition| condition.holds(die.value));
    // The reroll of a die, with this many more allowed.
    let next: Ways<W> = match times {
        None => fresh.iter().filter(|(die, _)| !meets(die)).cloned().collect(),
        Some(times) => (1..times).fold(fresh.clone(), |next, _| instead(fresh, &next, meets)),
    };
    let ends = !next.is_empty() || !ways.iter().any(|(die, _)| meets(die));
    ends.then(|| instead(&ways, &next, meets))
}

/// `ways`, with `next` replacing those that meet the condition.
fn instead<W: Weight>(ways: &Ways<W>, next: &Ways<W>, meets: impl Fn(&ShownDie) -> bool) -> Ways<W> {
    let (gone, stay): (Vec<_>, Vec<_>) = ways.iter().partition(|(die, _)| meets(die));
    if gone.is_empty() {
        return ways.clone();
    }
    let (again, total) = (sum(gone.into_iter()), sum(next.iter()));
    let mut all: BTreeMap<ShownDie, W> = BTreeMap::new();
    let stay = stay.into_iter().map(|(die, weight)| (die, weight.times(&total)));
    // Merge equal states.
    for (die, weight) in stay.chain(next.iter().map(|(die, weight)| (die, weight.times(&again)))) {
        all.entry(*die).or_insert_with(W::zero).add(&weight);
    }
    all.into_iter().collect()
}

fn sum<'w, W: Weight + 'w>(ways: impl Iterator<Item = &'w (ShownDie, W)>) -> W {
    let mut sum = W::zero();
    ways.for_each(|(_, weight)| sum.add(weight));
    sum
}
