//! The sessions, examples and stored states of `mvk`, and the worked cases.

use plugin_testkit::cases::{Said, dice_of, test_cases};
use serde_json::Value;

#[test]
fn mvk_plays_as_written() {
    plugin_testkit::test_plugin(mvk::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// `cases.json` holds rolls with fixed dice and the expected facts. A case with a `scratch` is a roll and a second
/// command that chooses the die.
#[test]
fn every_worked_case_comes_out_as_computed_by_hand() {
    let played = test_cases(mvk::plugin, include_str!("cases.json"), "@plugins mvk", script);
    assert!(played >= 19);
}

fn script(case: &Value) -> Vec<Said> {
    let input = &case["input"];
    let pool: Vec<&str> = input["pool"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut line = format!("Ann> act {}", pool.join(" "));
    for flag in ["adv", "dis", "overwhelmed", "staggered"] {
        if input[flag] == true {
            line += &format!(" {flag}");
        }
    }
    if let Some(counter) = input["counter"].as_i64() {
        line += &format!(" vs {counter}");
    }
    line += &dice_of(case);
    match input["scratch"].as_u64() {
        None => vec![Said::and(line, &case["expect"])],
        Some(place) => {
            let die = pool[usize::try_from(place).expect("a small number")];
            vec![Said::only(line), Said::and(format!("Ann> scratch {die}"), &case["expect"])]
        }
    }
}
