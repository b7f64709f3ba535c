//! Worked cases: commands with fixed dice, and the facts they must lead to.

use crate::{Compare, LineReport, play};
use plugin_api::Plugin;
use serde_json::Value;
use std::fmt::Write;

/// A line of a case, as in a session, and the facts that its answer must state.
///
/// A fact `refused` means that the line is refused and that the reason contains that text. If a fact is an object, only
/// the named keys must match.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// `Ann> check 7 [d20=8]`, or a `@directive`.
    pub line: String,
    /// An object; empty if nothing is expected.
    pub expect: Value,
}

impl Said {
    /// A line without expectations.
    pub fn only(line: impl Into<String>) -> Self {
        Said { line: line.into(), expect: Value::Null }
    }

    /// A line whose answer must state these facts.
    pub fn and(line: impl Into<String>, expect: &Value) -> Self {
        Said { line: line.into(), expect: expect.clone() }
    }
}

/// ` [d20=8 d10=5]` for the `dice` of a case or step, a list of `[sides, value]`; empty if there are none.
pub fn dice_of(step: &Value) -> String {
    let dice: Vec<String> =
        step["dice"].as_array().into_iter().flatten().map(|die| format!("d{}={}", die[0], die[1])).collect();
    if dice.is_empty() { String::new() } else { format!(" [{}]", dice.join(" ")) }
}

/// A number in a case; 0 if it is missing.
pub fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

/// A word in a case; empty if it is missing.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Plays each of `cases`, a JSON list, as the lines that `script` makes of it. A case without lines is left to other
/// tests. Returns the number of cases played.
///
/// Panics with everything that is wrong.
pub fn test_cases(
    make: impl Fn() -> Box<dyn Plugin>,
    cases: &str,
    header: &str,
    script: impl Fn(&Value) -> Vec<Said>,
) -> usize {
    let cases: Vec<Value> = serde_json::from_str(cases).expect("a JSON list of cases");
    let mut wrong = Vec::new();
    let mut played = 0;
    for case in &cases {
        let said = script(case);
        if said.is_empty() {
            continue;
        }
        played += 1;
        let name = format!("{} ({})", case["id"], case["why"]);
        wrong.extend(differences(&name, &make, header, &said).err());
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    played
}

fn differences(name: &str, make: &impl Fn() -> Box<dyn Plugin>, header: &str, said: &[Said]) -> Result<(), String> {
    let mut session = header.to_owned();
    for each in said {
        let _ = write!(session, "\n{}", each.line);
    }
    let mut reports: Vec<LineReport> = Vec::new();
    play(name, &session, vec![make()], Compare::Answers, |report| reports.push(report))
        .map_err(|difference| difference.to_string())?;
    let spoken: Vec<&Said> = said.iter().filter(|each| !each.line.starts_with('@')).collect();
    assert!(reports.len() >= spoken.len(), "{name}: not every line was played");
    let from = reports.len() - spoken.len();
    let mut wrong = String::new();
    for (each, report) in spoken.iter().zip(&reports[from..]) {
        for (fact, expected) in each.expect.as_object().into_iter().flatten() {
            if !holds(fact, expected, report) {
                let (found, line, reply) = (report.facts.get(fact), &each.line, &report.reply);
                let _ = writeln!(wrong, "{name}: {fact} is {found:?}, not {expected}\n  {line}\n  {reply}");
            }
        }
        if each.expect.get("refused").is_none() && !report.ok {
            let _ = writeln!(wrong, "{name}: {} was refused: {}", each.line, report.reply);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn holds(fact: &str, expected: &Value, report: &LineReport) -> bool {
    if fact == "refused" {
        let reason = expected.as_str().unwrap_or_default().to_lowercase();
        return report.outcome == "refused" && report.reply.to_lowercase().contains(&reason);
    }
    match (report.facts.get(fact), expected) {
        (Some(Value::Object(found)), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| found.get(key) == Some(value))
        }
        (found, expected) => found == Some(expected),
    }
}
