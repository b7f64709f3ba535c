//! Any text, in every dialect: it parses or is refused, its printed form parses back to it, and it is rolled, explained
//! and shown quickly and without a panic.
#![no_main]

use dice::fair::{FairDice, MessageKey};
use dice::{Budget, Dialect, Notation};
use libfuzzer_sys::fuzz_target;
use std::time::{Duration, Instant};

/// The longest that parsing and rolling a text may take here. With instrumentation and overflow checks it takes more
/// than ten times as long as in the bot, where the limit is ten milliseconds.
const LONGEST: Duration = Duration::from_millis(100);
/// How often a slow run is repeated; another process may have been in the way.
const TRIES: usize = 10;

fuzz_target!(|input: (u8, &str)| {
    let (which, text) = input;
    let (_, dialect) = Dialect::ALL[usize::from(which) % Dialect::ALL.len()];
    let took = (0..TRIES).map(|_| timed(dialect, text)).find(|took| *took <= LONGEST);
    assert!(took.is_some(), "{dialect:?} {text:?} takes longer than {LONGEST:?} each time");
});

fn timed(dialect: Dialect, text: &str) -> Duration {
    let start = Instant::now();
    play(dialect, text);
    start.elapsed()
}

fn play(dialect: Dialect, text: &str) {
    let notation = match Notation::typed_in(dialect, text) {
        Ok(notation) => notation,
        Err(error) => {
            assert!(text.get(error.at.clone()).is_some(), "{error:?} is no place in {text:?}");
            return;
        }
    };
    let printed = notation.to_string();
    assert_eq!(printed.parse().as_ref(), Ok(&notation), "{text:?} printed as {printed:?}");
    assert!(!notation.in_words().is_empty());
    let key = MessageKey { network: "n".into(), room: "r".into(), id: "1".into(), ordinal: 1 };
    let mut source = FairDice::new(&[3; 32], &key);
    // Too many dice, an overflow or a division by zero are errors.
    if let Ok(rolls) = notation.roll(&mut Budget::new(&mut source)) {
        rolls.iter().flat_map(|rolls| &rolls.rolls).for_each(|roll| assert!(!roll.to_string().is_empty()));
    }
}
