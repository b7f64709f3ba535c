//! Rolls a pool and applies its modifiers.

use super::{Fate, RollError, ShownDie, Throw, Thrower};
use crate::digits;
use crate::expression::{
    Choice, Comparison, Condition, Count, Counting, End, Explosion, Expression, Faces, Modifier, Pool, Source,
};
use crate::source::{Dice, DiceError};
use std::collections::{BTreeMap, BTreeSet};

impl Pool {
    /// True if it is a single sum of dice, whose dice are its members.
    pub(crate) fn mixes_dice(&self) -> bool {
        matches!(&self.source, Source::Group(members) if members.len() == 1)
    }

    /// The parts that are rolled separately before the pool.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Expression> {
        let (count, faces, members) = match &self.source {
            Source::Dice(count, faces) => (count.computed(), faces.computed(), [].as_slice()),
            Source::Group(_) if self.mixes_dice() => (None, None, [].as_slice()),
            Source::Group(members) => (None, None, members.as_slice()),
        };
        count.into_iter().chain(faces).chain(members)
    }
}

impl Count {
    fn computed(&self) -> Option<&Expression> {
        match self {
            Count::Number(_) => None,
            Count::Computed(inner) => Some(inner),
        }
    }
}

impl Faces {
    fn computed(&self) -> Option<&Expression> {
        match self {
            Faces::Computed(inner) => Some(inner),
            _ => None,
        }
    }
}

/// Dice of one kind.
#[derive(Clone, Copy)]
pub(crate) struct Kind<'a> {
    pub faces: &'a Faces,
    pub sides: u32,
}

impl Kind<'_> {
    fn one(&self, dice: &mut (impl Dice + ?Sized)) -> Result<ShownDie, DiceError> {
        let face = match self.faces {
            // The tens fall first.
            Faces::Digits(dice_each) => {
                let mut before = 0;
                for _ in 0..*dice_each {
                    before = before * 6 + dice.throw(6)? - 1;
                }
                before + 1
            }
            // The ones fall first, then all the tens. A 10 on a die is its 0.
            Faces::Tens(more, _) => {
                let (mut face, mut place) = (0, 1);
                for _ in 0..more + 2 {
                    face += dice.throw(10)? % 10 * place;
                    place *= 10;
                }
                face + 1
            }
            _ => dice.throw(self.sides)?,
        };
        Ok(ShownDie { face, ..ShownDie::result(self.faces.value(face)) })
    }
}

impl ShownDie {
    pub(crate) fn result(value: i64) -> Self {
        ShownDie { value, face: 0, fate: Fate::Kept, exploded: false, score: 0, mark: None }
    }
}

impl<'e, D: Dice + ?Sized> Thrower<'_, 'e, D> {
    /// Rolls a pool, after the parts it is computed from.
    pub(super) fn throw(&mut self, pool: &'e Pool) -> Result<Throw, RollError> {
        let labels = self.labels.len();
        let (mut throw, kind) = match &pool.source {
            Source::Dice(count, faces) => {
                let (throw, kind) = self.fresh(count, faces)?;
                (throw, Some(kind))
            }
            Source::Group(members) => (self.group(pool, members)?, None),
        };
        for modifier in &pool.modifiers {
            self.modify(&mut throw, kind.as_ref(), modifier)?;
        }
        // Labels inside do not add up to the pool's result.
        self.labels.truncate(labels);
        Ok(throw)
    }

    fn fresh(&mut self, count: &'e Count, faces: &'e Faces) -> Result<(Throw, Kind<'e>), RollError> {
        let count = match count {
            Count::Number(count) => u64::from(*count),
            Count::Computed(inner) => u64::try_from(self.evaluate(inner)?.floor()).unwrap_or(0),
        };
        let sides = match (faces, faces.sides()) {
            (Faces::Computed(inner), _) => match self.evaluate(inner)?.floor() {
                ..=0 => return Err(DiceError::NoSides.into()),
                sides => u32::try_from(sides).map_err(|_| RollError::Overflow)?,
            },
            (_, sides) => sides.ok_or(RollError::Overflow)?,
        };
        self.left = self.left.checked_sub(count).ok_or(RollError::TooManyDice)?;
        let kind = Kind { faces, sides };
        let mut dice = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let die = kind.one(self.dice)?;
            if let Faces::Tens(more, _) = faces {
                let mut others: Vec<i64> = digits::each_of_tens(*more, die.face).collect();
                others.remove(others.iter().position(|other| *other == die.value).unwrap_or_default());
                dice.extend(
                    others.into_iter().map(|other| ShownDie { fate: Fate::Dropped, ..ShownDie::result(other) }),
                );
            }
            dice.push(die);
        }
        Ok((Throw { dice, tally: None }, kind))
    }

    fn group(&mut self, pool: &Pool, members: &'e [Expression]) -> Result<Throw, RollError> {
        let mut throw = Throw::default();
        if pool.mixes_dice() {
            let mut throws = Vec::new();
            std::mem::swap(&mut throws, &mut self.throws);
            let mixed = members.iter().try_for_each(|member| self.evaluate(member).map(drop));
            std::mem::swap(&mut throws, &mut self.throws);
            mixed?;
            throw.dice.extend(throws.into_iter().flat_map(|throw| throw.dice));
            return Ok(throw);
        }
        for member in members {
            throw.dice.push(ShownDie::result(self.evaluate(member)?.floor()));
        }
        Ok(throw)
    }

    fn modify(&mut self, throw: &mut Throw, kind: Option<&Kind<'_>>, modifier: &Modifier) -> Result<(), RollError> {
        let (Some(kind), dice) = (kind, &mut *self.dice) else {
            throw.change(modifier);
            return Ok(());
        };
        match modifier {
            Modifier::Explode(Explosion::Compound, condition) => {
                let explodes = kind.exploding(Explosion::Compound, *condition);
                for die in throw.dice.iter_mut().filter(|die| die.fate == Fate::Kept) {
                    let mut again = explodes(die.value);
                    while again {
                        let next = kind.one(dice)?;
                        again = explodes(next.value);
                        die.value = die.value.saturating_add(next.value);
                    }
                }
            }
            Modifier::Explode(explosion, condition) => {
                let explodes = kind.exploding(*explosion, *condition);
                throw.extend_each(
                    || kind.one(dice),
                    |die, extra| {
                        die.exploded = explodes(die.value) && (extra == 0 || explosion.may_go_on());
                        if extra > 0 {
                            die.value = explosion.counted(die.value);
                        }
                        die.exploded
                    },
                )?;
            }
            Modifier::Reroll(times, conditions) => throw.reroll_each(
                || kind.one(dice),
                |die, before| {
                    let meets = conditions.iter().any(|condition| condition.holds(die.value));
                    meets && times.is_none_or(|times| before < times)
                },
            )?,
            Modifier::Unique => {
                let mut seen = BTreeSet::new();
                // All words count 0, but they differ.
                throw.reroll_each(|| kind.one(dice), |die, _| !seen.insert((die.value, kind.faces.word(die.face))))?;
            }
            modifier => throw.change(modifier),
        }
        Ok(())
    }
}

impl Explosion {
    /// True if the new die may explode too.
    pub(crate) fn may_go_on(self) -> bool {
        matches!(self, Explosion::Each | Explosion::Compound | Explosion::Penetrate)
    }

    /// What a new die counts that shows this value.
    pub(crate) fn counted(self, value: i64) -> i64 {
        match self {
            Explosion::Each | Explosion::Once | Explosion::Compound => value,
            Explosion::Penetrate => value.saturating_sub(1),
            Explosion::Implode => value.saturating_neg(),
        }
    }
}

impl Kind<'_> {
    /// The values that explode.
    pub fn exploding(&self, explosion: Explosion, condition: Option<Condition>) -> impl Fn(i64) -> bool + use<> {
        let (highest, lowest) = self.faces.ends(self.sides);
        let value = if explosion == Explosion::Implode { lowest } else { highest };
        let condition = condition.unwrap_or(Condition { comparison: Comparison::Equal, value });
        move |value| condition.holds(value)
    }
}

impl Throw {
    /// Applies a modifier that rolls nothing.
    pub(crate) fn change(&mut self, modifier: &Modifier) {
        match modifier {
            Modifier::Keep(Choice::Where(condition)) => self.drop_where(|die| !condition.holds(die.value)),
            Modifier::Drop(Choice::Where(condition)) => self.drop_where(|die| condition.holds(die.value)),
            Modifier::Keep(Choice::End(end, n)) => self.drop_all_but(*end, *n as usize),
            Modifier::Drop(Choice::End(end, n)) => self.drop(*end, *n as usize),
            Modifier::Keep(Choice::Middle(n)) => self.keep_middle(*n as usize),
            // It has no notation.
            Modifier::Drop(Choice::Middle(_)) => {}
            Modifier::Minimum(least) => self.each(|die| die.value = die.value.max(*least)),
            Modifier::Maximum(most) => self.each(|die| die.value = die.value.min(*most)),
            Modifier::Add(more) => self.each(|die| die.value = die.value.saturating_add(*more)),
            Modifier::Map(pairs) => self.each(|die| {
                let found = pairs.iter().find(|(from, _)| *from == die.value);
                die.value = found.map_or(die.value, |(_, to)| *to);
            }),
            Modifier::Sort(end) => self.sort(*end),
            Modifier::Count(counting) => self.count(*counting),
            Modifier::Mark(mark, condition) => self.each(|die| {
                if condition.holds(die.value) {
                    die.mark = Some(*mark);
                }
            }),
            Modifier::Explode(..) | Modifier::Reroll(..) | Modifier::Unique => {}
        }
    }

    /// Changes each die still in.
    fn each(&mut self, change: impl FnMut(&mut ShownDie)) {
        self.dice.iter_mut().filter(|die| die.fate == Fate::Kept).for_each(change);
    }

    /// Goes through the dice still in. After each one for which `another` is true, a die is rolled, and `another` is
    /// called for that one too. Its second argument is the number of dice already rolled for the first one.
    fn extend_each(
        &mut self,
        mut one: impl FnMut() -> Result<ShownDie, DiceError>,
        mut another: impl FnMut(&mut ShownDie, u32) -> bool,
    ) -> Result<(), DiceError> {
        let mut dice = Vec::with_capacity(self.dice.len());
        for mut die in self.dice.drain(..) {
            let mut more = die.fate == Fate::Kept && another(&mut die, 0);
            dice.push(die);
            let mut extra = 0;
            while more {
                let mut next = one()?;
                extra += 1;
                more = another(&mut next, extra);
                dice.push(next);
            }
        }
        self.dice = dice;
        Ok(())
    }

    /// Rerolls each die still in if necessary, and then the new die, like [`extend_each`](Self::extend_each).
    fn reroll_each(
        &mut self,
        one: impl FnMut() -> Result<ShownDie, DiceError>,
        mut again: impl FnMut(&ShownDie, u32) -> bool,
    ) -> Result<(), DiceError> {
        self.extend_each(one, |die, before| {
            let rerolled = again(die, before);
            if rerolled {
                die.fate = Fate::Rerolled;
            }
            rerolled
        })
    }

    fn drop_where(&mut self, out: impl Fn(&ShownDie) -> bool) {
        self.each(|die| {
            if out(die) {
                die.fate = Fate::Dropped;
            }
        });
    }

    fn drop_all_but(&mut self, end: End, n: usize) {
        let out = self.kept().count().saturating_sub(n);
        self.drop(end.other(), out);
    }

    fn keep_middle(&mut self, n: usize) {
        let out = self.kept().count().saturating_sub(n);
        self.drop(End::Low, out / 2);
        self.drop(End::High, out - out / 2);
    }

    fn drop(&mut self, end: End, n: usize) {
        let mut order: Vec<usize> = (0..self.dice.len()).filter(|&i| self.dice[i].fate == Fate::Kept).collect();
        // Stable: of equal dice the later go first, so those rolled first stay.
        order.reverse();
        match end {
            End::Low => order.sort_by_key(|&i| self.dice[i].value),
            End::High => order.sort_by_key(|&i| std::cmp::Reverse(self.dice[i].value)),
        }
        for i in order.into_iter().take(n) {
            self.dice[i].fate = Fate::Dropped;
        }
    }

    /// Sorts the dice, keeping those that came from one another together.
    fn sort(&mut self, end: End) {
        let mut chains: Vec<Vec<ShownDie>> = Vec::new();
        let mut joined = false;
        for die in self.dice.drain(..) {
            match chains.last_mut().filter(|_| joined) {
                Some(chain) => chain.push(die),
                None => chains.push(vec![die]),
            }
            joined = die.exploded || die.fate == Fate::Rerolled;
        }
        let sum = |chain: &Vec<ShownDie>| -> i64 {
            let counts = |die: &&ShownDie| die.fate != Fate::Rerolled;
            chain.iter().filter(counts).map(|die| die.value).fold(0, i64::saturating_add)
        };
        match end {
            End::Low => chains.sort_by_key(sum),
            End::High => chains.sort_by_key(|chain| std::cmp::Reverse(sum(chain))),
        }
        self.dice.extend(chains.into_iter().flatten());
    }

    fn count(&mut self, counting: Counting) {
        let mut tally = self.tally.unwrap_or_default();
        let mut add = |dice: &mut Throw, counts: &dyn Fn(i64) -> bool, score: i32| {
            let mut found = 0;
            dice.each(|die| {
                if counts(die.value) {
                    die.score += score;
                    found += 1;
                }
            });
            tally.value += i64::from(score) * found;
            found
        };
        match counting {
            Counting::Success(condition) => tally.successes += add(self, &|value| condition.holds(value), 1),
            Counting::Failure(condition) => tally.failures += add(self, &|value| condition.holds(value), -1),
            Counting::Double(condition) => drop(add(self, &|value| condition.holds(value), 1)),
            Counting::Botch(condition) => tally.botches += add(self, &|value| condition.holds(value), 0),
            Counting::Even => tally.successes += add(self, &|value| value % 2 == 0, 1),
            Counting::Odd => tally.successes += add(self, &|value| value % 2 != 0, 1),
            Counting::Pairs(shown) => {
                let found = self.kept().filter(|die| die.value == shown).count();
                tally.value += i64::try_from(found / 2 * 2).unwrap_or(i64::MAX);
            }
            Counting::Matches | Counting::Sets(_) => {
                let mut alike: BTreeMap<i64, i64> = BTreeMap::new();
                self.kept().for_each(|die| *alike.entry(die.value).or_default() += 1);
                let size = if let Counting::Sets(size) = counting { i64::from(size) } else { 2 };
                let found = add(self, &|value| alike[&value] >= size, 1);
                tally.successes += found;
                if matches!(counting, Counting::Sets(_)) {
                    tally.value += alike.values().map(|often| often / size).sum::<i64>() - found;
                }
            }
        }
        self.tally = Some(tally);
    }
}

impl End {
    fn other(self) -> End {
        match self {
            End::High => End::Low,
            End::Low => End::High,
        }
    }
}
