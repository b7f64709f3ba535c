//! Lines for attacks: every command, with absurd numbers.

use std::collections::BTreeSet;

/// Numbers that are too small, too large or just at an edge.
const NUMBERS: [&str; 10] = [
    "0",
    "-1",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "9223372036854775808",
    "1000000000000000000",
    "1000000000000000000000000000000",
    "00000000000000000000000000000000000000000000000001",
    "7777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777777",
];

/// Dice that take much work unless a limit applies.
const DICE: [&str; 16] = [
    "1000d1000",
    "1000d4294967295",
    "d4294967295",
    "2d100000000",
    "d[0..4294967294]",
    "d[1:4294967295]",
    "100x 10d1000 sum",
    "1000d2!",
    "500d2!!kh250",
    "20d20u",
    "(1000d1000)d(1000d1000)",
    "1d(1d100000)",
    "1000d1000kh500",
    "400d6mt2",
    "{1d100000, 1d100000, 1d100000}kh2",
    "99d99!<99",
];

/// Every example of every command, with each number replaced by each hostile one; and long and deeply nested lines.
pub fn lines() -> Vec<String> {
    let plugins = games::all();
    let own = house::commands().into_iter().flat_map(|command| command.examples);
    let mut examples: BTreeSet<String> = own.collect();
    for plugin in &plugins {
        for command in &plugin.manifest().commands {
            examples.extend(command.examples.iter().cloned());
            examples.insert(format!("{} 1", command.name));
        }
    }
    let mut lines: Vec<String> = examples.iter().flat_map(|example| replaced(example, &NUMBERS)).collect();
    // Each of these plays its command thousands of times.
    let mains = plugins.iter().filter_map(|plugin| plugin.manifest().main());
    lines.extend(mains.flat_map(|main| replaced(&format!("odds {}", main.examples[0]), &NUMBERS[..3])));
    for dice in DICE {
        lines.extend(
            ["roll", "odds estimate", "explain", "set x", "macro m roll", "as Ann roll"]
                .map(|word| format!("{word} {dice}")),
        );
    }
    lines.extend(long_and_deep());
    // These would end the attack.
    lines.retain(|line| !["import", "ignore", "room", "leave", "plugin"].iter().any(|word| line.starts_with(word)));
    lines
}

/// A line, and copies with each of its numbers replaced by each of these.
fn replaced(example: &str, by: &[&str]) -> Vec<String> {
    let mut lines = vec![example.to_owned()];
    for (from, to) in numbers(example) {
        lines.extend(by.iter().map(|number| format!("{}{number}{}", &example[..from], &example[to..])));
    }
    lines
}

/// The positions of the numbers in a text.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        match found.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}

/// Lines close to the length limit.
fn long_and_deep() -> Vec<String> {
    let room = |word: &str| 1_020 - word.len();
    let filled = |word: &str, with: &str| format!("{word} {}", with.repeat(room(word) / with.len()));
    let mut lines = Vec::new();
    for word in
        ["roll", "explain", "odds", "act", "intent", "check", "test", "help", "history", "why", "undo", "as", "pc"]
    {
        for with in ["9", "(", "-", "d(", "{", "a ", "1 ", "$a ", "\"", "#1 ", "d1+", "ä"] {
            lines.push(filled(word, with));
        }
        lines.push(format!("{word} {}{}", "a ".repeat(240), "1 ".repeat(240)));
    }
    lines.push("secret ".repeat(140) + "roll 1d1");
    lines.push("as Ann ".repeat(140) + "roll 1d1");
    lines
}
