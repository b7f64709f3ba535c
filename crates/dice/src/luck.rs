//! How high rolled dice are, compared with everything they could have shown.

use crate::limits::Fuel;
use crate::source::Die;

/// Steps per sum.
const A_SUM: u64 = 2;
/// Dice with more faces are left out: one of them would outweigh all the others.
const MOST_SIDES: u32 = 100;

/// How high some dice are together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Luck {
    /// The share of all possible rolls of these dice with a lower sum, plus half the share with the same sum; 0 to 1.
    pub percentile: f64,
    /// The number of dice that count.
    pub dice: usize,
}

impl Luck {
    /// True if a die counts.
    pub fn counts(die: &Die) -> bool {
        (2..=MOST_SIDES).contains(&die.sides)
    }

    /// The luck of these dice, given newest first: of as many as `fuel` allows. Returns `None` if no die counts. Dice
    /// with one side or with more than a hundred are left out.
    pub fn of(dice: impl IntoIterator<Item = Die>, fuel: &mut Fuel) -> Option<Self> {
        // The chance of each sum, from the lowest up.
        let mut chances = vec![1.0];
        let (mut above, mut count) = (0, 0);
        for Die { sides, value } in dice.into_iter().filter(Self::counts) {
            if fuel.spend(A_SUM * (chances.len() + sides as usize) as u64).is_err() {
                break;
            }
            chances = with_another(&chances, sides as usize);
            above += value as usize - 1;
            count += 1;
        }
        let (lower, same) = (chances[..above].iter().sum::<f64>(), chances[above]);
        (count > 0).then_some(Luck { percentile: lower + same / 2.0, dice: count })
    }
}

/// The chances of all sums with one more die of this many sides.
fn with_another(chances: &[f64], sides: usize) -> Vec<f64> {
    let each = chances.iter().map(|chance| chance / sides as f64);
    let (mut window, mut sums) = (0.0, Vec::with_capacity(chances.len() + sides - 1));
    let leaving = std::iter::repeat_n(0.0, sides).chain(each.clone());
    let coming = each.chain(std::iter::repeat_n(0.0, sides - 1));
    for (comes, leaves) in coming.zip(leaving) {
        window += comes - leaves;
        sums.push(f64::max(window, 0.0));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::LUCK;

    fn luck(dice: &[(u32, u32)]) -> (f64, usize) {
        let dice = dice.iter().map(|(sides, value)| Die { sides: *sides, value: *value });
        let luck = Luck::of(dice, &mut Fuel::new(LUCK));
        luck.map_or((0.0, 0), |luck| (luck.percentile, luck.dice))
    }

    #[test]
    fn sums_are_placed_among_all_that_could_come() {
        assert_eq!(luck(&[(6, 1)]), (1.0 / 12.0, 1));
        let (seven, count) = luck(&[(6, 3), (6, 4)]);
        assert!((seven - 0.5).abs() < 1e-12 && count == 2);
        let (twelve, _) = luck(&[(6, 6), (6, 6)]);
        assert!((twelve - 71.0 / 72.0).abs() < 1e-12);
        let (mixed, _) = luck(&[(4, 1), (6, 2), (20, 20)]);
        let all = (1..=4).flat_map(|a| (1..=6).flat_map(move |b| (1..=20).map(move |c| a + b + c)));
        let counted =
            all.clone().filter(|sum| *sum < 23).count() as f64 + all.filter(|sum| *sum == 23).count() as f64 / 2.0;
        assert!((mixed - counted / 480.0).abs() < 1e-12);
    }

    #[test]
    fn what_would_outweigh_all_else_is_left_out_and_many_are_bounded() {
        assert_eq!(luck(&[(1_000_000, 7), (1, 1)]).1, 0);
        let (middle, count) = luck(&[(20, 10), (20, 11)].repeat(5_000));
        assert!((middle - 0.5).abs() < 1e-6 && count > 1_000 && count < 10_000, "{middle} {count}");
    }
}
