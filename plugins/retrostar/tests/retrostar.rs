//! The sessions, examples and stored states of `retrostar`, the worked cases, and the distribution of its results.

use plugin_testkit::cases::{Said, dice_of, number, test_cases, text};
use plugin_testkit::simulate::{simulate, within_four_errors};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn retrostar_plays_as_written() {
    plugin_testkit::test_plugin(retrostar::plugin, env!("CARGO_MANIFEST_DIR"));
}

#[test]
fn every_worked_case_comes_out_as_computed_by_hand() {
    let header = "@plugins retrostar\n@referee Gus\nAnn> join\nBob> join";
    let played = test_cases(retrostar::plugin, include_str!("cases.json"), header, script);
    assert!(played >= 26, "only {played} cases were played");
}

fn script(case: &Value) -> Vec<Said> {
    let (input, expect) = (&case["input"], &case["expect"]);
    match text(&case["op"]) {
        "intent" => {
            vec![Said::and(format!("Ann> intent {:+}{}", number(&input["mod"]), dice_of(case)), expect)]
        }
        "opposed" => {
            let [a, b] = ["A", "B"].map(|side| number(&input[side]));
            vec![Said::and(format!("Ann> oppose {a:+} vs {b:+}{}", dice_of(case)), expect)]
        }
        "pool_size" => {
            let mut said = vec![Said::only(format!("Gus> series {}", input["players"]))];
            said.extend((0..number(&input["dials"])).map(|_| Said::only("Gus> dial Ann")));
            said.push(Said::and("Gus> episode", expect));
            said
        }
        "sequence" => case["steps"].as_array().into_iter().flatten().flat_map(step).collect(),
        other => panic!("there is no {other}"),
    }
}

fn step(step: &Value) -> Vec<Said> {
    let by = step["by"].as_str().unwrap_or("Ann");
    let modifier = number(&step["mod"]);
    let line = match text(&step["do"]) {
        "new_series" => format!("Gus> series {}", step["players"]),
        "new_episode" => "Gus> episode".to_owned(),
        "spend" => "Gus> spot -1".to_owned(),
        "choose" => format!("{by}> {}", text(&step["pick"])),
        "assist" => format!("{by}> assist {} {modifier:+}{}", text(&step["target"]), dice_of(step)),
        "intent" => {
            let spot = step["spotlight"].as_str().map_or(String::new(), |aspect| format!(" spot {aspect}"));
            format!("{by}> intent {modifier:+}{spot}{}", dice_of(step))
        }
        other => panic!("there is no {other}"),
    };
    let mut expect = step["expect"].clone();
    let refused = expect.as_object_mut().and_then(|facts| facts.remove("refused"));
    match refused {
        None => vec![Said::and(line, &expect)],
        // Other expectations next to a refusal are checked after it.
        Some(reason) => vec![Said::and(line, &json!({ "refused": reason })), Said::and("Ann> spot", &expect)],
    }
}

/// Chances of the totals at a position on the ladder, by going through all dice.
fn enumerate(net: i32) -> BTreeMap<u64, f64> {
    let count = 2 + net.unsigned_abs();
    let ways = 6_u32.pow(count);
    let mut totals = BTreeMap::new();
    for way in 0..ways {
        let mut dice: Vec<u64> = (0..count).map(|at| u64::from(way / 6_u32.pow(at) % 6) + 1).collect();
        dice.sort_unstable();
        let total: u64 = if net >= 0 { dice.iter().rev().take(2).sum() } else { dice.iter().take(2).sum() };
        *totals.entry(total).or_insert(0.0) += 1.0 / f64::from(ways);
    }
    totals
}

#[test]
fn a_million_intentions_fall_as_enumerated() {
    const TIMES: u32 = 250_000;
    let plugin = retrostar::plugin();
    for net in [0, 1, -1, 4] {
        let mut counts: BTreeMap<u64, u32> = BTreeMap::new();
        simulate(&*plugin, &format!("intent {net:+}"), TIMES, 5, |facts| {
            *counts.entry(facts["total"].as_u64().expect("a total")).or_default() += 1;
        });
        let exact = enumerate(net);
        assert!(counts.keys().all(|total| exact.contains_key(total)));
        for (total, chance) in exact {
            let count = counts.get(&total).copied().unwrap_or_default();
            assert!(within_four_errors(count, TIMES, chance), "{net:+}: {total} came {count} times, chance {chance}");
        }
    }
}
