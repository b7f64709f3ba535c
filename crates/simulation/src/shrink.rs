//! Shortens a failing run: leaves out moves as long as it still fails.

use crate::run::run;
use crate::script::Script;

/// A shorter script that fails for a reason of the same kind as `wrong`.
pub fn shrink(script: &Script, wrong: &str) -> Script {
    let mut shortest = script.clone();
    let mut chunk = shortest.moves.len() / 2;
    while chunk > 0 {
        let mut at = 0;
        while at < shortest.moves.len() {
            let mut shorter = shortest.clone();
            shorter.moves.drain(at..(at + chunk).min(shorter.moves.len()));
            if run(&shorter).wrong.is_some_and(|other| kind(&other) == kind(wrong)) {
                shortest = shorter;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    shortest
}

/// The failure without its names and numbers.
pub fn kind(wrong: &str) -> String {
    let words = wrong.split_whitespace();
    words.filter(|word| word.chars().all(|c| c.is_alphabetic() || c == ',')).collect::<Vec<_>>().join(" ")
}
