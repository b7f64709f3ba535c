//! Rolls 10^8 dice of the fair stream with a fixed seed and prints how even each kind of die is.
//!
//! `cargo run --release -p dice --example chi_square`; its output is next to it in `chi_square.txt`.

use dice::Dice;
use dice::fair::{FairDice, MessageKey};
use std::io::{self, Write};

/// Sides, and the bound that a chi-square statistic with `sides - 1` degrees of freedom exceeds once in 1,000 times.
const KINDS: [(u32, f64); 10] = [
    (2, 10.828),
    (3, 13.816),
    (4, 16.266),
    (6, 20.515),
    (7, 22.458),
    (8, 24.322),
    (10, 27.877),
    (12, 31.264),
    (20, 43.820),
    (100, 148.230),
];
const THROWS: u32 = 10_000_000;
const DICE_A_COMMAND: u32 = 1_000;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let seed: [u8; 32] = std::array::from_fn(|i| u8::try_from(i).expect("below 32"));
    let mut failed = false;
    writeln!(out, "{THROWS} throws of each kind, {DICE_A_COMMAND} a command, seed 000102..1f")?;
    writeln!(out, "{:>5} {:>12} {:>8}", "die", "chi-square", "bound")?;
    for (sides, bound) in KINDS {
        let statistic = chi_square(sides, &count(&seed, sides));
        failed |= statistic > bound;
        writeln!(out, "{:>5} {statistic:>12.3} {bound:>8.3}", format!("d{sides}"))?;
    }
    writeln!(out, "{}", if failed { "NOT even" } else { "every kind is within its bound" })?;
    if failed { Err(io::Error::other("a die is not even")) } else { Ok(()) }
}

fn count(seed: &[u8; 32], sides: u32) -> Vec<u32> {
    let mut counts = vec![0; sides as usize];
    for command in 0..THROWS / DICE_A_COMMAND {
        let id = format!("d{sides}-{command}");
        let key = MessageKey { network: "console".into(), room: "hall".into(), id, ordinal: 1 };
        let mut dice = FairDice::new(seed, &key);
        for _ in 0..DICE_A_COMMAND {
            let face = dice.throw(sides).expect("a die with sides always falls");
            counts[face as usize - 1] += 1;
        }
    }
    counts
}

fn chi_square(sides: u32, counts: &[u32]) -> f64 {
    let expected = f64::from(THROWS) / f64::from(sides);
    counts.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum()
}
