//! Parse + roll + render, with a plain seeded stream and with the fair stream of a message.

use dice::fair::{FairDice, MessageKey};
use dice::{Dice, DiceError, Notation};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::fmt::Write;

const NOTATIONS: [&str; 4] = ["1d20+5", "4d6kh3", "10d6!kh5+2d8-1", "100d6"];

fn main() {
    divan::main();
}

struct Plain(SmallRng);

impl Dice for Plain {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        Ok(self.0.random_range(1..=sides))
    }
}

fn play(text: &str, dice: &mut impl Dice, out: &mut String) {
    out.clear();
    let notation: Notation = text.parse().expect("well-formed");
    for roll in notation.roll(dice).expect("within the limits").iter().flat_map(|rolls| &rolls.rolls) {
        write!(out, "{} = {roll}", roll.value).expect("a String takes everything");
    }
}

#[divan::bench(args = NOTATIONS)]
fn plain(bencher: divan::Bencher, text: &str) {
    let mut dice = Plain(SmallRng::seed_from_u64(1));
    let mut out = String::new();
    bencher.counter(1u32).bench_local(|| {
        play(divan::black_box(text), &mut dice, &mut out);
        divan::black_box(out.len())
    });
}

/// A comparable Rust library, with its own notation for the same dice.
#[divan::bench(args = ["1d20+5", "4d6 k3", "10d6 e6 k5 + 2d8 - 1", "100d6"])]
fn caith(bencher: divan::Bencher, text: &str) {
    bencher.counter(1u32).bench_local(|| {
        let roller = caith::Roller::new(divan::black_box(text)).expect("well-formed");
        divan::black_box(roller.roll().expect("within its limits").to_string().len())
    });
}

/// Odds, from the text to the last chance.
#[divan::bench(args = ["4d6kh3", "100d6", "100d6kh50", "10d10!>=8", "10d10!c>=8", "6x 4d6kh3", "6x 4d6kh3 sum"])]
fn odds(bencher: divan::Bencher, text: &str) {
    bencher.counter(1u32).bench_local(|| {
        let notation: Notation = divan::black_box(text).parse().expect("well-formed");
        divan::black_box(notation.rolls[0].odds().expect("not too large").outcomes.len())
    });
}

#[divan::bench(args = NOTATIONS)]
fn fair(bencher: divan::Bencher, text: &str) {
    let mut key = MessageKey { network: "console".into(), room: "hall".into(), id: "0".into(), ordinal: 0 };
    let mut out = String::new();
    bencher.counter(1u32).bench_local(|| {
        key.ordinal = key.ordinal.wrapping_add(1);
        let mut dice = FairDice::new(&[7; 32], &key);
        play(divan::black_box(text), &mut dice, &mut out);
        divan::black_box(out.len())
    });
}
