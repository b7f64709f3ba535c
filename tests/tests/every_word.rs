//! No word of a line is silently dropped: whatever its place in a command, an argument takes it or the line is not played.

use plugin_api::Words;
use understand::remark::{Nowhere, Read, doubted};

/// A word without meaning that no remark contains.
const NONSENSE: &str = "zzqx7";

#[test]
fn a_word_that_nothing_read_is_an_error() {
    let mut tried = 0;
    for game in games::all() {
        let first = game.first();
        for command in &game.manifest().commands {
            for example in &command.examples {
                let typed = example.split('#').next().unwrap_or_default().trim();
                let words: Vec<&str> = typed.split(' ').collect();
                for at in 1..=words.len() {
                    let line = [&words[..at], &[NONSENSE], &words[at..]].concat().join(" ");
                    let mut read = Words::new(&line, words[0].len()).with_remark();
                    tried += 1;
                    if game.ready(&first, &command.name, &mut read).is_ok() {
                        let doubt = |taken: &[_]| {
                            let read = Read { typed: &line, from: words[0].len(), taken, spec: command };
                            doubted(read, &Nowhere).is_some()
                        };
                        let asks = read.remark().is_some() && doubt(&read.taken());
                        assert!(asks || read.left().all(|word| word != NONSENSE), "{line} drops {NONSENSE}");
                    }
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
}
