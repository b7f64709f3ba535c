//! The cost to seal, store and read back an entry, in microseconds and bytes, compared with the JSON form that versions
//! before schema 4 stored.

use chat::{CharacterId, PlayerId, Role};
use dice::Die;
use dice::fair::MessageKey;
use jiff::Timestamp;
use journal::{Before, Changes, Draft, Entropy, Entry, Link, Page, WITHOUT_WITHHELD, first_hash};
use serde_json::Map;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

/// Each round makes this many calls. The fastest round counts, because other programs use the processor too.
const ROUNDS: u32 = 200;
const CALLS: u32 = 250;

const KEY: &str = "table/irc%2F#tavern/entry/0000000021";

fn main() {
    // Under `cargo test --benches`, measure nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let mut out = std::io::stdout().lock();
    for (name, dice) in [("4d6kh3", vec![6, 4, 3, 2]), ("100d6", (0..100).map(|n| n % 6 + 1).collect())] {
        let dice: Vec<Die> = dice.into_iter().map(|value| Die { sides: 6, value }).collect();
        let mut entropy = Entropy::from_seed([1; 32]);
        let page = sealed(name, &dice, &mut entropy);
        let (stored, json) = (page.to_stored(), serde_json::to_vec(&page.link).expect("JSON"));
        writeln!(out, "{name}: {} bytes, as JSON {}", stored.len(), json.len()).expect("printed");
        let seal = measured(|| drop(black_box(sealed(name, &dice, &mut entropy))));
        let store = measured(|| drop(black_box(page.to_stored())));
        let read = measured(|| drop(black_box(Page::of_stored(KEY, &stored))));
        let to_json = measured(|| drop(black_box(serde_json::to_vec(&page.link))));
        let of_json = measured(|| drop(black_box(Page::of_stored(KEY, &json))));
        for (what, time) in [
            ("sealed", seal),
            ("stored, and read back to try it", store),
            ("read", read),
            ("stored as JSON", to_json),
            ("read from JSON", of_json),
        ] {
            writeln!(out, "  {what:<34} {time:>6.2} us").expect("printed");
        }
    }
}

/// Returns the microseconds that one call takes.
fn measured(mut what: impl FnMut()) -> f64 {
    let mut round = || {
        let start = now();
        (0..CALLS).for_each(|_| what());
        start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}

fn sealed(notation: &str, dice: &[Die], entropy: &mut Entropy) -> Page {
    let faces = dice.iter().map(|die| die.value.to_string()).collect::<Vec<_>>();
    let facts = Map::from_iter([("total".to_owned(), 13.into())]);
    let draft = Draft {
        text: &format!("roll {notation}"),
        answer: &format!("13 | {notation} [{}] #21", faces.join(" ")),
        dice,
        facts: &facts,
        record: None,
        changes: &Changes::default(),
        why: &[format!("{notation}: {} = 13", faces.join(" counts, "))],
        withheld: &Changes::default(),
    };
    let (digests, parts) = draft.seal(entropy);
    let entry = Entry {
        number: 21,
        rules: WITHOUT_WITHHELD,
        skipped: None,
        epoch: 1,
        commitment: None,
        words: Vec::new(),
        key: MessageKey { network: "irc".into(), room: "#tavern".into(), id: "3f9a1c07-1020".into(), ordinal: 1 },
        player: PlayerId::new("irc", "ann"),
        character: CharacterId(1),
        time: Timestamp::new(1_767_226_800, 140_000_000).expect("in range"),
        game: "roll".into(),
        command: "roll".into(),
        follows: None,
        undoes: None,
        replaces: None,
        reveals: Vec::new(),
        erases: Vec::new(),
        publishes: Vec::new(),
        secret: false,
        digests,
    };
    let before = Before { player: Some(20), character: Some(20), took: Some(Role::Player), also: None };
    Page { link: Link::new(&first_hash(), &entry, parts, before), entry }
}
