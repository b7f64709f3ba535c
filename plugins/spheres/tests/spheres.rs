//! The sessions, examples and stored states of `spheres`, the worked cases, and the distribution of its results.

use plugin_testkit::cases::{Said, dice_of, number, test_cases, text};
use plugin_testkit::simulate::{simulate, within_four_errors};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[test]
fn spheres_plays_as_written() {
    plugin_testkit::test_plugin(spheres::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// The dice of a rank, and how stones are earned and used, are rule functions with their own tests.
#[test]
fn every_worked_case_comes_out_as_computed_by_hand() {
    let header = "@plugins spheres\n@referee Gus\nAnn> tier 1\nBob> tier 1\nGus> encounter start";
    let played = test_cases(spheres::plugin, include_str!("cases.json"), header, script);
    assert!(played >= 34, "only {played} cases were played");
}

fn script(case: &Value) -> Vec<Said> {
    let (input, expect) = (&case["input"], &case["expect"]);
    match text(&case["op"]) {
        "adv_dice" => Vec::new(),
        "check" => check(case),
        "dc" => {
            let roll = if input["rolled"] == true { " roll" } else { "" };
            let line = format!("Ann> dc {} {}{roll}{}", input["level"], text(&input["difficulty"]), dice_of(case));
            vec![Said::and(line, expect)]
        }
        "percent" => vec![Said::and(format!("Ann> percent {}{}", input["chance"], dice_of(case)), expect)],
        "opposed" => {
            let [active, opponent] = ["active", "opponent"].map(|side| pool(&input[side]));
            vec![Said::and(format!("Ann> oppose{active} vs foe{opponent}{}", dice_of(case)), expect)]
        }
        "passive" => vec![Said::and(format!("Ann> passive{}{}", pool(input), dice_of(case)), expect)],
        "spend" => spend(input, expect),
        "sequence" => {
            let steps: Vec<&Value> = case["steps"].as_array().into_iter().flatten().collect();
            // Earning and using stones without a roll is not a command; `state` tests it.
            match steps.iter().any(|step| step["do"] == "earn") {
                true => Vec::new(),
                false => steps.into_iter().map(step).collect(),
            }
        }
        other => panic!("there is no {other}"),
    }
}

fn pool(input: &Value) -> String {
    let mut words = format!(" {}", number(&input["skill"]));
    for (name, sign) in [("adv", '+'), ("dis", '-')] {
        if number(&input[name]) != 0 {
            words += &format!(" {sign}{}", input[name]);
        }
    }
    words
}

fn check(case: &Value) -> Vec<Said> {
    let input = &case["input"];
    let command = if input["mode"] == "routine" { "routine" } else { "check" };
    let mut line = format!("Ann> {command}{} vs {}", pool(input), input["dc"]);
    for word in ["fortune", "misfortune"] {
        if input[word] == true {
            line += &format!(" {word}");
        }
    }
    for word in ["kind", "side"] {
        line += &format!(" {}", text(&input[word]));
    }
    if input["tier"].is_i64() {
        line += &format!(" tier {}", input["tier"]);
    }
    let mut said = Vec::new();
    if input["triumph_blocked"] == true {
        said = vec![Said::only("Gus> fate triumph +1"), Said::only("Ann> spend 1 stone inspire")];
    }
    said.push(Said::and(line.trim_end().to_owned() + &dice_of(case), &case["expect"]));
    said
}

/// A check with the result the case begins with, and the spend.
fn spend(input: &Value, expect: &Value) -> Vec<Said> {
    let before = match text(&input["use"]) {
        "boost" => format!("Ann> check vs {} [d20={}]", input["dc"], input["last_total"]),
        "degree" if number(&input["last_degree"]) > 0 => "Ann> check vs 10 [d20=10]".to_owned(),
        _ => "Ann> check vs 10 [d20=9]".to_owned(),
    };
    let value = &input["value"];
    let dice = if expect.get("refused").is_some() { String::new() } else { format!(" [d6={value}]") };
    vec![
        Said::only("Gus> destiny Ann triumph +1"),
        Said::only(before),
        Said::and(format!("Ann> spend triumph {}{dice}", text(&input["use"])), expect),
    ]
}

fn step(step: &Value) -> Said {
    let who = text(&step["who"]);
    let dice = dice_of(step);
    let line = match text(&step["do"]) {
        "session_start" => {
            let players: Vec<&str> = step["players"].as_array().into_iter().flatten().map(text).collect();
            format!("Gus> session {}{dice}", players.join(" "))
        }
        "award" => {
            let value = step["value"].as_i64().map_or(String::new(), |value| format!(" {value}"));
            format!("Gus> award {} {}{value}", text(&step["to"]), text(&step["kind"]))
        }
        "spend_die" => format!("{}> spend {} inspire{dice}", text(&step["by"]), text(&step["kind"])),
        "surge" => format!("{who}> surge action"),
        "turn" => format!("Gus> turn {who}"),
        "recover" => format!("{who}> recover"),
        other => panic!("there is no {other}"),
    };
    Said::and(line, &step["expect"])
}

/// Chances of the degrees of a check, by going through all its dice.
fn enumerate(dice: &[u32], dc: i64, degree_of: impl Fn(&[i64], i64) -> i64) -> BTreeMap<i64, f64> {
    let ways: u32 = dice.iter().product();
    let mut degrees = BTreeMap::new();
    for way in 0..ways {
        let mut left = way;
        let faces: Vec<i64> = dice
            .iter()
            .map(|sides| {
                let face = left % sides + 1;
                left /= sides;
                i64::from(face)
            })
            .collect();
        *degrees.entry(degree_of(&faces, dc)).or_insert(0.0) += 1.0 / f64::from(ways);
    }
    degrees
}

/// The degree by the words of the rules: a margin, a step for a critical, an attack's certainty, the cap.
fn degree(total: i64, dc: i64, critical: i64, attack: bool) -> i64 {
    let margin = total - dc;
    let mut degree = if margin >= 0 { 1 + margin / 5 } else { -1 - (-margin) / 5 };
    if critical != 0 {
        degree += critical;
        if degree == 0 {
            degree += critical;
        }
        if attack && degree.signum() != critical {
            degree = critical;
        }
    }
    degree.clamp(-5, 5)
}

fn plain(d20: i64) -> i64 {
    i64::from(d20 == 20) - i64::from(d20 == 1)
}

/// Plays a command half a million times and compares.
fn falls_as_enumerated(command: &str, exact: &BTreeMap<i64, f64>) {
    const TIMES: u32 = 250_000;
    let plugin = spheres::plugin();
    let mut counts: BTreeMap<i64, u32> = BTreeMap::new();
    simulate(&*plugin, command, TIMES, 7, |facts| {
        *counts.entry(facts["degree"].as_i64().expect("a degree")).or_default() += 1;
    });
    assert!(counts.keys().all(|degree| exact.contains_key(degree)), "{command}");
    for (degree, chance) in exact {
        let count = counts.get(degree).copied().unwrap_or_default();
        let fits = within_four_errors(count, TIMES, *chance);
        assert!(fits, "{command}: {degree:+} came {count} times, chance {chance}");
    }
}

#[test]
fn half_a_million_checks_and_attacks_fall_as_enumerated() {
    let exact =
        enumerate(&[20, 10, 6], 15, |dice, dc| degree(dice[0] + 7 + dice[1] - dice[2], dc, plain(dice[0]), false));
    falls_as_enumerated("check 7 +4 -2 vs 15", &exact);
    let exact = enumerate(&[20, 4], 30, |dice, dc| degree(dice[0] + 5 + dice[1], dc, plain(dice[0]), true));
    falls_as_enumerated("check 5 +minor vs level 10 hard attack", &exact);
}

#[test]
fn half_a_million_lucky_checks_fall_as_enumerated() {
    let exact = enumerate(&[20, 20, 20], 12, |dice, dc| {
        let (normal, high) = (dice[0], if dice[1] <= 10 { dice[1] + 10 } else { dice[1] });
        let low = if dice[2] >= 11 { dice[2] - 10 } else { dice[2] };
        let used = normal.clamp(low, high);
        let critical = match used {
            20 if normal == 20 || dice[1] == 20 => 1,
            1 if normal == 1 || dice[2] == 1 => -1,
            _ => 0,
        };
        degree(used + 2, dc, critical, false)
    });
    falls_as_enumerated("check 2 fortune misfortune vs 12", &exact);
    let exact = enumerate(&[20, 20, 20, 6], 15, |dice, dc| {
        degree(dice[0] + 3 + dice[1] - dice[2] + dice[3], dc, plain(dice[0]), false)
    });
    falls_as_enumerated("luck 3 +2 vs 15", &exact);
}

/// Checks that the golden state is the intended one, not an empty one.
#[test]
fn the_golden_state_holds_one_of_everything() {
    let state: Value = serde_json::from_str(include_str!("../states/v1.json")).expect("it is JSON");
    for key in ["characters", "players", "pool", "fate", "order", "current", "tilt", "labels"] {
        assert!(!state["state"][key].is_null(), "{key}");
    }
    assert_ne!(state["state"]["characters"], json!({}));
}
