//! Cases of dice and how they end that others have published, played by the games that come with the program.

use plugin_testkit::{Compare, LineReport};
use std::fs;
use std::path::Path;

/// Cases that end otherwise here, each with the reason.
const OTHERWISE: [(&str, &str); 0] = [];

/// One row of `published/cases.txt`.
struct Case<'a> {
    row: &'a str,
    game: &'a str,
    before: &'a str,
    line: &'a str,
    dice: &'a str,
    ends: Vec<&'a str>,
}

fn case(row: &str) -> Case<'_> {
    let parts: Vec<&str> = row.split('|').map(str::trim).collect();
    let [game, before, line, dice, ends] = parts.as_slice() else { panic!("{row} has five parts") };
    Case { row, game, before, line, dice, ends: ends.split(' ').collect() }
}

/// How a case ends here, where `success`, `failure`, `critical` and `fumble` can be told.
fn ends(case: &Case<'_>) -> Result<Vec<&'static str>, String> {
    let Case { game, before, line, dice, .. } = case;
    let needs: Option<i64> = before.strip_prefix("needs ").and_then(|needs| needs.parse().ok());
    let set = if before.is_empty() || needs.is_some() { String::new() } else { format!("Ann> {before}\n") };
    let session = format!("@plugins {game}\n{set}Ann> {line} [{dice}]\n");
    let mut said: Vec<LineReport> = Vec::new();
    let plugins = games::all().into_iter().chain(games::files().into_iter().map(declared::plugin)).collect();
    plugin_testkit::play(line, &session, plugins, Compare::DiceAlone, |line| said.push(line))
        .map_err(|difference| difference.to_string())?;
    let last = said
        .last()
        .filter(|said| said.ok)
        .ok_or_else(|| said.last().map_or(String::new(), |said| said.reply.clone()))?;
    let succeeds = match needs {
        Some(needs) => last.facts["total"].as_i64().map(|total| total >= needs),
        None => last.facts.get("success").and_then(serde_json::Value::as_bool),
    };
    let outcome = last.facts["outcome"].as_str().unwrap_or_default();
    let natural = last.reply.contains("a natural 1");
    let is = |words: &[&str]| words.iter().any(|word| outcome.contains(word));
    let ended = [
        ("success", succeeds == Some(true)),
        ("failure", succeeds == Some(false)),
        ("critical", is(&["CRITICAL"])),
        ("fumble", natural || is(&["FUMBLE", "TOTAL FAILURE", "BESTIAL"])),
    ];
    Ok(ended.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect())
}

#[test]
fn published_cases_end_as_published() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("published/cases.txt");
    let text = fs::read_to_string(file).expect("it is there");
    let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(rows.len() > 90, "{} cases", rows.len());
    let mut wrong = Vec::new();
    for case in rows.iter().map(|row| case(row)) {
        let known = OTHERWISE.iter().any(|(row, _)| *row == case.row);
        let ended = ends(&case);
        if known == (ended.as_deref() == Ok(&case.ends[..])) {
            wrong.push(format!("{}: {ended:?}", case.row));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
