//! `like: COMMAND` and `redo: COMMAND`: the lines of another command, in place of a line that names it.

use crate::lines::{Line, Section};
use crate::mistake::Mistake;
use plugin_api::suggest;

/// How many commands may be like another that is like another.
const DEEPEST: usize = 4;
/// Lines that say what a command is, and not what it does.
const OWN: [&str; 6] = ["main", "help", "alias", "example", "referee", "like"];
/// Lines that `redo` does again.
const DONE_AGAIN: [&str; 3] = ["let", "roll", "total"];

/// True if a line of this name is one way to end.
pub fn is_end(name: &str) -> bool {
    let number = name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    number || name == "else" || name.starts_with("if ")
}

/// The lines of a command, with those that it takes from others in their places.
///
/// # Errors
/// There is no such command, or commands are like each other in a circle.
pub fn lines_of(command: &Section, all: &[Section], depth: usize) -> Result<Vec<Line>, Mistake> {
    let mut own = Vec::new();
    let own_end = command.lines.iter().any(|line| is_end(&line.name) || line.name == "say");
    for line in &command.lines {
        if line.name != "redo" {
            own.push(line.clone());
            continue;
        }
        let again = lines_of(named(line, all)?, all, deeper(line, depth)?)?;
        own.extend(again.into_iter().filter(|line| match line.name.as_str() {
            // Its own ways to end are in place of those that were done before.
            name if is_end(name) || name == "say" => !own_end,
            name => DONE_AGAIN.contains(&name),
        }));
    }
    match command.lines.iter().find(|line| line.name == "like") {
        Some(line) => Ok(merged(lines_of(named(line, all)?, all, deeper(line, depth)?)?, &own)),
        None => Ok(own),
    }
}

fn deeper(line: &Line, depth: usize) -> Result<usize, Mistake> {
    match depth < DEEPEST {
        true => Ok(depth + 1),
        false => Err(line.value_wrong("commands are like each other in a circle, or through too many others")),
    }
}

fn named<'s>(line: &Line, all: &'s [Section]) -> Result<&'s Section, Mistake> {
    let name = line.value().trim().to_lowercase();
    let found = all.iter().find(|section| section.kind == "command" && section.name == name);
    found.ok_or_else(|| {
        let names = all.iter().filter(|section| section.kind == "command").map(|section| section.name.as_str());
        let meant = suggest(&name, names).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
        line.value_wrong(format!("there is no command {name} in this file{meant}"))
    })
}

/// A command's own lines, behind those of another that it is like. What it says itself is in place of the other's.
fn merged(base: Vec<Line>, own: &[Line]) -> Vec<Line> {
    let gives = |line: &Line| line.value().split('=').next().unwrap_or_default().trim().to_lowercase();
    let takes = |line: &Line| line.value().split(',').next().unwrap_or_default().trim().to_lowercase();
    let lets: Vec<String> = own.iter().filter(|line| line.name == "let").map(gives).collect();
    let taken: Vec<String> = base.iter().filter(|line| line.name == "take").map(takes).collect();
    let ends = own.iter().any(|line| is_end(&line.name) || line.name == "say");
    let has = |name: &str| own.iter().any(|line| line.name == name);
    let kept = |line: &Line| match line.name.as_str() {
        "take" => !lets.contains(&takes(line)),
        "total" | "follows" => !has(&line.name),
        name if is_end(name) || name == "say" => !ends,
        name => !OWN.contains(&name),
    };
    let first = |line: &&Line| line.name == "let" && taken.contains(&gives(line));
    let (front, behind): (Vec<&Line>, Vec<&Line>) =
        own.iter().filter(|line| line.name != "like").partition(|line| first(line));
    let said = |line: &&&Line| OWN.contains(&line.name.as_str());
    let about: Vec<&Line> = behind.iter().filter(said).copied().collect();
    let rest = behind.iter().filter(|line| !said(line)).copied();
    about.into_iter().chain(front).cloned().chain(base.into_iter().filter(kept)).chain(rest.cloned()).collect()
}
