//! The sessions, examples and stored states of `mvk`, and the worked cases.

use plugin_testkit::{Compare, LineReport, play};
use serde_json::Value;

#[test]
fn mvk_plays_as_written() {
    plugin_testkit::test_plugin(mvk::plugin, env!("CARGO_MANIFEST_DIR"));
}

/// `cases.json` holds rolls with fixed dice and the facts that must come of them. A case with a `scratch` is a roll and
/// a second command that chooses the die.
#[test]
fn every_worked_case_comes_out_as_computed_by_hand() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases.json")).expect("well-formed");
    assert!(cases.len() >= 19);
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn check(case: &Value) -> Result<(), String> {
    let name = format!("{} ({})", case["id"], case["why"]);
    let mut reports: Vec<LineReport> = Vec::new();
    let session = as_session(case);
    play(&name, &session, vec![mvk::plugin()], Compare::Answers, |report| reports.push(report))
        .map_err(|difference| difference.to_string())?;
    let last = reports.last().ok_or("nothing was played")?;
    for (fact, expected) in case["expect"].as_object().ok_or("no expectations")? {
        if fact == "refused" {
            let reason = expected.as_str().unwrap_or_default();
            if last.outcome != "refused" || !last.reply.to_lowercase().contains(reason) {
                return Err(format!("{name}: expected the refusal {reason:?}, got {:?}", last.reply));
            }
        } else if last.facts.get(fact) != Some(expected) {
            return Err(format!("{name}: {fact} is {:?}, not {expected}\n  {}", last.facts.get(fact), last.reply));
        }
    }
    Ok(())
}

fn as_session(case: &Value) -> String {
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
    let dice: Vec<String> =
        case["dice"].as_array().into_iter().flatten().map(|die| format!("d{}={}", die[0], die[1])).collect();
    line += &format!(" [{}]", dice.join(" "));
    if let Some(place) = input["scratch"].as_u64() {
        line += &format!("\nAnn> scratch {}", pool[usize::try_from(place).expect("a small number")]);
    }
    format!("@plugins mvk\n{line}\n")
}
