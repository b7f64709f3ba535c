//! The sessions, examples and stored states of `torg`, the worked cases, and the distribution of its results.

use plugin_testkit::cases::{Said, dice_of, number, test_cases, text};
use plugin_testkit::simulate::{simulate, within_four_errors};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn torg_plays_as_written() {
    plugin_testkit::test_plugin(torg::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// What a soak leaves of harm is a rule function with its own tests in `rules`.
#[test]
fn every_worked_case_comes_out_as_computed_by_hand() {
    let header = "@plugins torg\n@referee Gus\nAnn> join";
    let played = test_cases(torg::plugin, include_str!("cases.json"), header, script);
    assert!(played >= 54, "only {played} cases were played");
}

fn script(case: &Value) -> Vec<Said> {
    let (input, expect) = (&case["input"], &case["expect"]);
    match text(&case["op"]) {
        "bonus" => vec![Said::and(format!("Ann> bonus {}", input["die_total"]), expect)],
        "bd" => vec![Said::and(format!("Ann> bd {}{}", input["dice"], dice_of(case)), expect)],
        "damage" => {
            vec![Said::and(format!("Ann> damage {} vs {}", input["damage"], input["toughness"]), expect)]
        }
        "dn" => {
            let named = format!("Ann> test 12 dn {} [d20=12]", text(&input["name"]));
            vec![Said::and(named, expect)]
        }
        "soak" => Vec::new(),
        "test" => test(case),
        "sequence" => case["steps"].as_array().into_iter().flatten().flat_map(step).collect(),
        other => panic!("there is no {other}"),
    }
}

/// A test, and each addition to it, as one command each.
fn test(case: &Value) -> Vec<Said> {
    let input = &case["input"];
    let mut line = format!("Ann> test {}", input["value"]);
    if let Some(dn) = input["dn"].as_i64() {
        line += &format!(" dn {dn}");
    }
    if input["skilled"] == false {
        line += " unskilled";
    }
    if input["mishap"].is_i64() {
        line += &format!(" mishap {}", input["mishap"]);
    }
    if input["cards"].is_i64() {
        line += &format!(" cards {}", input["cards"]);
    }
    for word in ["up", "poss", "hero", "drama"] {
        if input[word] == true {
            line += &format!(" {word}");
        }
    }
    if input["favored_reroll"] != true {
        return vec![Said::and(line + &dice_of(case), &case["expect"])];
    }
    // The first chain belongs to the test, the rest to the reroll; a refused reroll rolls nothing.
    let mut first = case["dice"].as_array().cloned().unwrap_or_default();
    let exploded = first.iter().take_while(|die| [10, 20].contains(&number(&die[1]))).count();
    let second = first.split_off(first.len().min(exploded + 1));
    vec![
        Said::only(line + " favored" + &dice_of(&json!({ "dice": first }))),
        Said::and(format!("Ann> reroll{}", dice_of(&json!({ "dice": second }))), &case["expect"]),
    ]
}

fn step(step: &Value) -> Vec<Said> {
    let by = step["by"].as_str().unwrap_or("Ann");
    let line = match text(&step["do"]) {
        "act_start" => "Gus> newact".to_owned(),
        "test" => format!("{by}> test {} dn {}{}", step["value"], step["dn"], dice_of(step)),
        "possibility" => format!("{by}> spend possibility{}", dice_of(step)),
        other => panic!("there is no {other}"),
    };
    let mut expect = step["expect"].clone();
    match expect.as_object_mut().and_then(|facts| facts.remove("refused")) {
        None => vec![Said::and(line, &expect)],
        // Other expectations next to a refusal are checked after it.
        Some(reason) => vec![Said::and(line, &json!({ "refused": reason })), Said::and("Ann> poss", &expect)],
    }
}

/// Chances of the die totals of one chain up to `most`: each 10, and if skilled each 20, adds another chain, with a
/// chance of one in twenty each.
fn chain(unskilled: bool, most: usize) -> Vec<f64> {
    let mut chances = vec![0.0; most + 1];
    // A die total of t is either a last die of t, or a 10 or 20 and a chain for the rest.
    for total in 1..=most {
        let last = (1..=20).contains(&total) && total != 10 && (total != 20 || unskilled);
        let after = |die: usize| if total > die { chances[total - die] } else { 0.0 };
        let twenties = if unskilled { 0.0 } else { after(20) };
        chances[total] = (f64::from(u8::from(last)) + after(10) + twenties) / 20.0;
    }
    chances
}

fn bonus(total: usize) -> i64 {
    let below = [-10, -8, -6, -6, -4, -4, -2, -2, -1, -1, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7];
    below.get(total - 1).copied().unwrap_or_else(|| 7 + (total as i64 - 20 + 4) / 5)
}

/// Chances of the levels of success: sums over all die totals that matter; the rest is outstanding.
fn levels(value: i64, dn: i64, dice: &[f64]) -> BTreeMap<&'static str, f64> {
    let mut levels = BTreeMap::from([("failure", 0.0), ("standard", 0.0), ("good", 0.0), ("outstanding", 0.0)]);
    let mut rest = 1.0;
    for (total, chance) in dice.iter().enumerate().skip(1) {
        let level = match value + bonus(total) - dn {
            // A chain of 1 is a natural 1.
            _ if total == 1 => "failure",
            ..=-1 => "failure",
            0..=4 => "standard",
            5..=9 => "good",
            10.. => "outstanding",
        };
        *levels.get_mut(level).expect("one of four") += chance;
        rest -= chance;
    }
    *levels.get_mut("outstanding").expect("one of four") += rest;
    levels
}

#[test]
fn a_million_tests_fall_as_enumerated() {
    const TIMES: u32 = 250_000;
    let plugin = torg::plugin();
    let skilled = chain(false, 400);
    // Favored, with a reroll of everything that fails: a first die that stands, or a second chain, where a 1 is no
    // Mishap.
    let mut favored = levels(12, 14, &skilled);
    let rethrown = favored["failure"] - 0.05;
    let mut again = skilled.clone();
    again[1] = 0.0;
    let mut second = levels(12, 14, &again);
    // Without the 1 the sum lacks a twentieth, which was counted as outstanding: at 12 against 14 a 1 fails.
    *second.get_mut("outstanding").unwrap() -= 0.05;
    *second.get_mut("failure").unwrap() += 0.05;
    for (level, chance) in &mut favored {
        let kept = if *level == "failure" { 0.05 } else { *chance };
        *chance = kept + rethrown * second[level];
    }
    for (command, exact) in [
        ("test 12 dn 14", levels(12, 14, &skilled)),
        ("test 8 dn 12 unskilled", levels(8, 12, &chain(true, 400))),
        ("test 12 dn 14 favored auto", favored),
        ("test 40 dn 10", levels(40, 10, &skilled)),
    ] {
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        simulate(&*plugin, command, TIMES, 6, |facts| {
            *counts.entry(facts["result"].as_str().expect("a level").to_owned()).or_default() += 1;
        });
        for (level, chance) in exact {
            let count = counts.get(level).copied().unwrap_or_default();
            let fits = within_four_errors(count, TIMES, chance);
            assert!(fits, "{command}: {level} came {count} times, chance {chance}");
        }
    }
}
