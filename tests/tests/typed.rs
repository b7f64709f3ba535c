//! Lines as people type them on phones, late in the evening. The bot understands each as meant, or answers with the
//! corrected line, ready to send.
//!
//! A file of `typed/` plays one game. Its lines are
//! - `setup LINE`: played first; each line below is played at the table that this leaves;
//! - `TYPED  =  LINE`: TYPED has exactly the same effect as LINE;
//! - `TYPED  !  LINE`: TYPED is refused, and the answer shows LINE;
//! - `TYPED  ?  TEXT`: TYPED is refused, and the answer contains TEXT;
//! - `TYPED  ~`: TYPED is not for the bot, which says nothing.
//!
//! Ann types, unless a line begins with `NAME> `. Both lines of a pair get the same dice.

use plugin_testkit::{LineReport, Rehearsal};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The required result of a line.
enum Meant<'a> {
    Same(&'a str),
    Mended(&'a str),
    Says(&'a str),
    Nothing,
}

#[test]
fn typed_lines_are_understood_or_mended() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/typed");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("it is there").map(|file| file.expect("readable").path()).collect();
    files.sort();
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let readers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..readers {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = results_of(path);
                    results.lock().expect("nothing panics holding it").insert(path, result);
                }
            });
        }
    });
    let results = results.into_inner().expect("nothing panics holding it");
    let lines: usize = results.values().map(|(lines, _)| lines).sum();
    let wrong: Vec<String> = results.into_values().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{} of {lines} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines >= 300, "{lines} lines");
}

/// How many lines a file has, and those with another result than required.
fn results_of(path: &Path) -> (usize, Vec<String>) {
    let text = fs::read_to_string(path).expect("it can be read");
    let name = path.file_name().unwrap_or_default().display().to_string();
    let (head, cases) = read(&text);
    let table = Rehearsal::after(&name, &head, games::all());
    let mut table = table.unwrap_or_else(|difference| panic!("{difference}"));
    let wrong = cases.iter().filter_map(|(typed, meant)| {
        let what = check(&mut table, typed, meant).err()?;
        Some(format!("{name}: {typed}\n    {what}"))
    });
    let wrong = wrong.collect();
    (cases.len(), wrong)
}

/// The setup lines, and each line with its required result.
fn read(text: &str) -> (String, Vec<(&str, Meant<'_>)>) {
    let (mut head, mut cases) =
        (String::from("@seed 0707070707070707070707070707070707070707070707070707070707070707\n"), Vec::new());
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(setup) = line.strip_prefix("setup ") {
            head.push_str(setup);
            head.push('\n');
            continue;
        }
        let at = |sign: &str| {
            line.find(&format!("  {sign}")).map(|at| (line[..at].trim(), line[at + 2 + sign.len()..].trim()))
        };
        let case = at("=").filter(|(_, meant)| !meant.is_empty()).map(|(typed, meant)| (typed, Meant::Same(meant)));
        let case = case.or_else(|| at("!  ").map(|(typed, meant)| (typed, Meant::Mended(meant))));
        let case = case.or_else(|| at("?  ").map(|(typed, meant)| (typed, Meant::Says(meant))));
        let case = case.or_else(|| at("~").map(|(typed, _)| (typed, Meant::Nothing)));
        cases.push(case.unwrap_or_else(|| panic!("not a valid line of a file: {line}")));
    }
    (head, cases)
}

fn check(table: &mut Rehearsal, typed: &str, meant: &Meant<'_>) -> Result<(), String> {
    let said = last(table, typed);
    let shown = |said: &LineReport| format!("{}: {}", said.outcome, said.reply);
    match meant {
        Meant::Same(line) => {
            let right = last(table, line);
            let same = right.outcome == "played"
                && (&said.reply, &said.dice, &said.facts) == (&right.reply, &right.dice, &right.facts);
            if same { Ok(()) } else { Err(format!("{}\n    meant: {}", shown(&said), shown(&right))) }
        }
        Meant::Mended(line) => {
            let right = last(table, line);
            let (_, shown_line) = line.split_once("> ").unwrap_or(("", line));
            match said.outcome == "refused" && said.reply.contains(&format!(": !{shown_line}")) {
                true if right.misread => Err(format!("what is shown is refused itself: {}", shown(&right))),
                true => Ok(()),
                false => Err(shown(&said)),
            }
        }
        Meant::Says(text) if said.outcome == "refused" && said.reply.contains(text) => Ok(()),
        Meant::Nothing if said.outcome == "silent" => Ok(()),
        Meant::Says(_) | Meant::Nothing => Err(shown(&said)),
    }
}

/// The result of a line played after the setup.
fn last(table: &mut Rehearsal, line: &str) -> LineReport {
    let named = line.split_once("> ").filter(|(name, _)| name.chars().all(char::is_alphabetic));
    let (name, text) = named.unwrap_or(("Ann", line));
    table.line(name, text).unwrap_or_else(|what| panic!("{line}: {what}"))
}
