//! Odds by playing every possible roll.

use super::{A_PART, Spread, Stop};
use crate::limits::{Fuel, MAX_OUTCOMES};
use crate::source::DiceError;
use crate::{Every, Expression, Number};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// The results of every possible roll.
pub(super) fn outcomes(expression: &Expression, fuel: &mut Fuel) -> Result<Spread<BigUint>, Stop> {
    let each = expression.steps();
    let mut every = Every::new(0.0);
    let mut found: BTreeMap<(Number, u128), u64> = BTreeMap::new();
    for _ in 0..MAX_OUTCOMES {
        fuel.spend(each)?;
        let before = every.dice();
        let value = expression.roll(&mut every).map_err(|error| match error {
            crate::RollError::Dice(DiceError::TooMany) => Stop::TooLarge,
            error => Stop::Roll(error),
        })?;
        let rarity = every.rarity().ok_or(Stop::TooLarge)?;
        fuel.spend((every.dice() - before) as u64 * A_PART)?;
        *found.entry((value.value, rarity)).or_default() += 1;
        if !every.turn() {
            return together(&found).ok_or(Stop::TooLarge);
        }
    }
    Err(Stop::TooLarge)
}

/// Brings rolls of different rarity to one scale.
fn together(found: &BTreeMap<(Number, u128), u64>) -> Option<Spread<BigUint>> {
    let divisor = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let common = found
        .keys()
        .try_fold(1_u128, |common, (_, rarity)| (common / divisor(common, *rarity)).checked_mul(*rarity))?;
    let mut spread = Spread::default();
    for ((value, rarity), often) in found {
        spread.add(*value, BigUint::from(common / rarity) * *often);
    }
    Some(spread)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Notation;
    use crate::limits::ODDS;
    use crate::odds::{Computation, Weight};
    use proptest::proptest;
    use proptest::test_runner::Config;

    /// False if the expression cannot be computed. Otherwise checks that the computed odds, whole and rounded, agree
    /// with playing every possible roll.
    fn agree(text: &str) -> bool {
        let Ok(notation) = text.parse::<Notation>() else { return false };
        let expression = &notation.rolls[0].expression;
        if expression.may_go_on() {
            return false;
        }
        let fuel = || Fuel::new(ODDS);
        let Ok(every) = outcomes(expression, &mut fuel()) else { return false };
        let Ok(computed) = Computation::<BigUint>::new(&mut fuel()).expression(expression) else { return false };
        let (all, total) = (every.total(), computed.total());
        let values: Vec<_> = every.iter().map(|(value, weight)| (value, weight * &total)).collect();
        let same: Vec<_> = computed.iter().map(|(value, weight)| (value, weight * &all)).collect();
        assert_eq!(values, same, "{text}");
        let rounded = Computation::<f64>::new(&mut fuel()).expression(expression);
        let rounded = rounded.expect("what can be computed can be rounded");
        let sum = rounded.total();
        for ((value, weight), (near, share)) in every.iter().zip(rounded.iter()) {
            assert!(value == near && (weight.share(&all) - share.share(&sum)).abs() < 1e-12, "{text}: {value}");
        }
        true
    }

    #[test]
    fn what_is_computed_is_what_can_be_thrown() {
        for text in [
            "7",
            "1d20+5",
            "3d6",
            "2d6-1d4*2",
            "4d6kh3",
            "4d6kl1",
            "5d4dh1dl1",
            "5d4km2",
            "4d6kh0",
            "3d6k>=3",
            "2d6ro<3",
            "2d6rr2<3kh1",
            "3d6!o",
            "2d6!oc>=5",
            "2d6!i",
            "3d6mi2ma5",
            "3d6map[1:0,6:12]kh2",
            "5d6>=5",
            "4d6>=5f1",
            "4d6>=5dbl",
            "4d6kh2c>=5",
            "4d6even",
            "4d6m",
            "1d[1:9,2]",
            "5d6mt2",
            "4d6>=4pair6",
            "4d6>=4pair6pair5f1",
            "3d6ro1c>=4pair6",
            "4d6k>2pair6",
            "3d6each+2>=7",
            "3d6each-1kh2",
            "3d6ro[1,>=5]",
            "2d6rr2[1..3]",
            "2d6ro!6",
            "4dF",
            "3dF.1kh1",
            "3d[1,1,2,3:2,blank]kl2",
            "2d[3..8]",
            "{2d6,1d8+1}kh1",
            "{1d20,1d20+3}>=15",
            "{1d4,1d6,1d8}kl1",
            "{1d4+1d6}",
            "3d6/2",
            "3d6//2",
            "ceil(2d6/3)",
            "max(1d6,1d8)-min(1d4,2)",
            "2**1d4",
            "1d20+5 vs 15",
            "2d6 vs 1d8+2",
            "1d6[fire]-1d4[cold]",
            "1d6+2 vs each 2d10",
            "1d6 < each 3d4",
            "1d6+1d4 > each 2d6",
        ] {
            assert!(agree(text), "{text} is not computed");
        }
    }

    proptest! {
        #![proptest_config(Config { failure_persistence: None, ..Config::with_cases(400) })]

        #[test]
        fn whatever_is_computed_is_what_can_be_thrown(
            text in "[1-4]d[2-6](kh|kl|dh|dl|km|k>|d<|r|ro|rr2=|mi|ma|!o|!i|>=|f|dbl|mt|even|m|sd|each\\+|each-|>=2pair|pair)?[1-4]?(kh|kl|dl|c|f|pair)?[1-3]?([-+*/] ?[1-2]d[2-4](kh|ro|>)?1?| vs [1-9])?"
        ) {
            agree(&text);
        }
    }
}
