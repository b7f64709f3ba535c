//! Exploding dice.

use super::pool::{NEVER_ENDS, Ways, contribution, fresh};
use super::spread::Run;
use super::{Computation, Stop, Weight};
use crate::expression::{Condition, Explosion, Modifier};
use crate::roll::pool::Kind;
use crate::{Fate, ShownDie};

/// The rest of a chain that may be cut off.
const LEFT: f64 = 1e-15;

/// Exploding dice of one kind: how many there are at first, and when they explode.
#[derive(Clone, Copy)]
pub(super) struct Exploding<'k> {
    pub count: u32,
    pub kind: Kind<'k>,
    pub explosion: Explosion,
    pub condition: Option<Condition>,
}

impl Exploding<'_> {
    /// The values that explode.
    fn explodes(&self) -> impl Fn(i64) -> bool + use<> {
        self.kind.exploding(self.explosion, self.condition)
    }
}

impl<W: Weight> Computation<'_, W> {
    /// The result of one die with all dice that come from it, each after the modifiers that follow the explosion.
    pub(super) fn chain(&mut self, dice: Exploding<'_>, ways: &Ways<W>, behind: &[Modifier]) -> Result<Run<W>, Stop> {
        let explodes = dice.explodes();
        let counted = |die: &ShownDie| {
            let other = ShownDie { value: dice.explosion.counted(die.value), ..*die };
            contribution(other, behind)
        };
        let more = self.tail(dice, &counted)?;
        // A die that does not explode must weigh as much as one that does with everything that follows.
        let total = if dice.explosion.may_go_on() { W::one() } else { W::die(dice.kind.sides) };
        let mut all = Vec::new();
        for (die, weight) in ways {
            let own = contribution(*die, behind);
            if die.fate == Fate::Kept && explodes(die.value) {
                self.spend(more.weights.len())?;
                all.extend(more.iter().map(|(value, chance)| (own.saturating_add(value), weight.times(chance))));
            } else {
                all.push((own, weight.times(&total)));
            }
        }
        Run::of(all)
    }

    /// One die as the sum of all dice that came from it.
    pub(super) fn compound(&mut self, dice: Exploding<'_>, ways: Ways<W>) -> Result<Ways<W>, Stop> {
        let explodes = dice.explodes();
        let more = self.tail(dice, &|die| die.value)?;
        let mut all = Vec::new();
        for (die, weight) in ways {
            if die.fate == Fate::Kept && explodes(die.value) {
                self.spend(more.weights.len())?;
                let grown = |value: i64| ShownDie { value: die.value.saturating_add(value), ..die };
                all.extend(more.iter().map(|(value, chance)| (grown(value), weight.times(chance))));
            } else {
                all.push((die, weight));
            }
        }
        all.retain(|(_, weight)| !weight.is_zero());
        Ok(all)
    }

    /// What follows a die that exploded: one more die, or as many as it takes.
    fn tail(&mut self, dice: Exploding<'_>, counted: &dyn Fn(&ShownDie) -> i64) -> Result<Run<W>, Stop> {
        let (others, explodes) = (fresh::<W>(dice.kind), dice.explodes());
        let each = |which: &dyn Fn(&ShownDie) -> bool| {
            Run::of(others.iter().filter(|(die, _)| which(die)).map(|(die, weight)| (counted(die), weight.clone())))
        };
        if !dice.explosion.may_go_on() {
            return each(&|_| true);
        }
        // Only rounded numbers can be cut off.
        if W::EXACT {
            return Err(Stop::Unable);
        }
        let (last, next) = (each(&|die| !explodes(die.value))?, each(&|die| explodes(die.value))?);
        let again: f64 = next.iter().map(|(_, weight)| weight.share(&W::one())).sum();
        if again > 1.0 - LEFT {
            return Err(NEVER_ENDS);
        }
        let (mut left, mut all, mut prefix) = (again, last.clone(), next.clone());
        while left > LEFT && again > 0.0 {
            let here = self.product(&prefix, &last)?;
            self.spend(all.weights.len())?;
            all = Run::of(all.iter().chain(here.iter()).map(|(value, weight)| (value, weight.clone())))?;
            prefix = self.product(&prefix, &next)?;
            left *= again;
        }
        self.off += left * f64::from(dice.count);
        Ok(all)
    }
}
