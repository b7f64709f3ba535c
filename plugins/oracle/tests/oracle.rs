//! The sessions, examples and stored states of `oracle`, and how much of it there may be.

use plugin_testkit::{Compare, LineReport, play};

#[test]
fn oracle_plays_as_written() {
    plugin_testkit::test_plugin(oracle::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// What the lines of a scene with the referee Gus are answered.
fn played(lines: impl IntoIterator<Item = String>) -> Vec<LineReport> {
    let lines: Vec<String> = lines.into_iter().collect();
    let scene = format!("@plugins oracle\n@referee Gus\n@seed 00\n{}\n", lines.join("\n"));
    let mut reports = Vec::new();
    let ended = play("a scene", &scene, vec![oracle::plugin()], Compare::DiceAlone, |report| reports.push(report));
    assert_eq!((ended, reports.len()), (Ok(()), lines.len()));
    reports
}

/// The last answer to these lines.
fn last(lines: impl IntoIterator<Item = String>) -> LineReport {
    played(lines).pop().expect("something was said")
}

#[test]
fn a_player_has_fifteen_tables_and_all_have_sixty() {
    let make = |who: &str, n: usize| format!("{who}> oracle table of {who} {n}: a | b");
    let fifteen = |who: &'static str| (0..15).map(move |n| make(who, n));
    assert!(played(fifteen("Ann")).iter().all(|report| report.ok));
    let more = last(fifteen("Ann").chain([make("Ann", 15)]));
    assert!(!more.ok && more.reply.contains("15 tables, the most for one player"), "{}", more.reply);
    assert!(last(fifteen("Gus").chain([make("Gus", 15)])).ok, "the referee may have more");
    let sixty = || ["Ann", "Bob", "Cem", "Dee"].into_iter().flat_map(fifteen);
    let more = last(sixty().chain([make("Gus", 0)]));
    assert!(!more.ok && more.reply.contains("60 tables"), "{}", more.reply);
    let hidden = last(sixty().chain(["Gus> secret oracle hidden: a | b".to_owned()]));
    assert!(!hidden.ok, "hidden tables count");
    // One that is there can still be changed.
    assert!(last(sixty().chain([make("Ann", 0)])).ok);
}

#[test]
fn tables_have_a_size_that_the_core_can_keep() {
    let big = |name: usize| {
        // Longer than a message may be, so it comes in two parts.
        let part = vec!["x".repeat(190); 30].join(" | ");
        [format!("Gus> oracle big {name}: {part}"), format!("Gus> oracle big {name} + {part}")]
    };
    assert!(played(big(1)).iter().all(|report| report.ok));
    let more =
        last(big(1).into_iter().chain(["Gus> oracle big 1 + ".to_owned() + &vec!["x".repeat(190); 5].join(" | ")]));
    assert!(!more.ok && more.reply.contains("One table has at most 12 kB"), "{}", more.reply);
    let many = played((1..10).flat_map(big));
    let refused = many.iter().find(|report| !report.ok).expect("not all of it fits");
    assert!(refused.reply.contains("All tables together have at most 40 kB"), "{}", refused.reply);
    assert!(many.iter().filter(|report| report.ok).count() >= 6);
}

#[test]
fn a_paste_without_an_end_is_refused_and_a_long_one_is_a_table() {
    let paste = |lines: usize| {
        let all: Vec<String> = (1..=lines).map(|n| format!("{n}: number {n} of a long list of omens")).collect();
        format!("Ann> oracle omen:⏎{}", all.join("⏎"))
    };
    let hundred = last([paste(100), "Ann> oracle omen".to_owned()]);
    assert!(hundred.ok && hundred.dice[0].sides == 100, "{}", hundred.reply);
    let endless = last([paste(10_000)]);
    assert!(!endless.ok && endless.reply.contains("longer than 8192 bytes"), "{}", endless.reply);
    let short: Vec<String> = (0..201).map(|n| n.to_string()).collect();
    let many = last([format!("Ann> oracle omen:⏎x{}", short.join("⏎x"))]);
    assert!(!many.ok && many.reply.contains("at most 200 lines"), "{}", many.reply);
    // Another command has no more room than before.
    assert!(!last([format!("Ann> pick {}", "tea, ".repeat(300))]).ok);
}

#[test]
fn an_export_makes_the_same_table_elsewhere() {
    let lines: Vec<String> = (1..60).map(|n| format!("{n}x line {n} of [[2d6]] | 1x {n}. a, b")).collect();
    let made = [
        format!("Ann> oracle omen: {}", lines[..20].join(" | ")),
        format!("Ann> oracle omen + {}", lines[20..].join(" | ")),
    ];
    let shown = |report: &LineReport| report.private["Ann"].clone();
    let export = last(made.iter().cloned().chain(["Ann> oracle omen export".to_owned()]));
    let again: Vec<String> = shown(&export).lines().map(|line| format!("Ann> {line}")).collect();
    assert!(again.len() > 3 && again.iter().all(|line| line.len() < 360), "{again:#?}");
    let look = ["Ann> oracle omen show".to_owned()];
    let (first, second) = (last(made.into_iter().chain(look.clone())), last(again.into_iter().chain(look)));
    assert_eq!(shown(&first), shown(&second));
}

#[test]
fn nothing_in_a_result_is_played_as_a_command() {
    let lines =
        ["Ann> oracle omen: !roll d6 |", "Ann> oracle omen", "Ann> oracle omen: !oracle omen none⏎!oracle omen"];
    let reports = played(lines.map(str::to_owned));
    assert_eq!(reports[1].dice.len(), 1, "only the table's own die is rolled: {}", reports[1].reply);
    assert!(reports[1].reply.starts_with("!roll d6 | omen d1=1"), "{}", reports[1].reply);
}
