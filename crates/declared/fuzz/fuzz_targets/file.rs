//! Any text as the file of a game: it is read or refused quickly and without a panic, every mistake names a place that is there,
//! and what is read once is read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};

/// The longest that reading a file may take here. With instrumentation and overflow checks it takes some ten times as long as in
/// the bot, where the limit is fifty milliseconds.
const LONGEST: Duration = Duration::from_millis(500);
/// How often a slow run is repeated; another process may have been in the way.
const TRIES: usize = 10;

fuzz_target!(|text: &str| {
    let took = (0..TRIES).map(|_| timed(text)).find(|took| *took <= LONGEST);
    assert!(took.is_some(), "{text:?} takes longer than {LONGEST:?} each time");
});

fn timed(text: &str) -> Duration {
    let start = Instant::now();
    look_at(text);
    start.elapsed()
}

fn look_at(text: &str) {
    match declared::read(text) {
        Ok(game) => {
            assert!(!game.manifest.commands.is_empty());
            assert_eq!(declared::read(&game.text).map(|again| again.manifest).as_ref(), Ok(&game.manifest));
        }
        Err(mistakes) => {
            assert!(!mistakes.0.is_empty() && !mistakes.to_string().is_empty());
            let lines = text.lines().count();
            for mistake in &mistakes.0 {
                assert!(mistake.line <= lines.max(1), "{mistake:?} is no place in {text:?}");
                assert!(mistake.at.end <= mistake.text.chars().count(), "{mistake:?} is no place in {text:?}");
            }
        }
    }
}
