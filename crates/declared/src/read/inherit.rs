//! `like: COMMAND` and `redo: COMMAND`: the lines of another command, in place of a line that names it.

use super::command::MOST_LINES;
use crate::lines::{Line, Section};
use crate::mistake::Mistake;
use plugin_api::suggest;

/// How many commands may be like another that is like another.
const DEEPEST: usize = 4;
/// How many lines are looked at for all commands of a file together.
const MOST_LOOKED_AT: usize = 20_000;
/// Lines that say what a command is, and not what it does.
const OWN: [&str; 6] = ["main", "help", "alias", "example", "referee", "like"];
/// Lines that `redo` does again.
const DONE_AGAIN: [&str; 3] = ["let", "roll", "total"];

/// True if a line of this name is one way to end.
pub fn is_end(name: &str) -> bool {
    let number = name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    number || name == "else" || name.starts_with("if ")
}

/// The commands of a file, whose lines are taken into others.
pub struct Lines<'a> {
    sections: &'a [Section],
    looked_at: usize,
}

impl<'a> Lines<'a> {
    /// The commands among these sections.
    pub fn of(sections: &'a [Section]) -> Self {
        Lines { sections, looked_at: 0 }
    }

    /// The lines of a command, with those that it takes from others in their places.
    ///
    /// # Errors
    /// There is no such command, or commands are like each other in a circle or through too many others.
    pub fn of_command(&mut self, command: &Section) -> Result<Vec<Line>, Mistake> {
        self.within(command, 0)
    }

    fn within(&mut self, command: &Section, depth: usize) -> Result<Vec<Line>, Mistake> {
        if let Some(line) = command.lines.get(MOST_LINES) {
            return Err(line.all_wrong(format!("a command may have {MOST_LINES} lines")));
        }
        let mut own = Vec::new();
        let own_end = command.lines.iter().any(|line| is_end(&line.name) || line.name == "say");
        for line in &command.lines {
            self.looked_at += 1;
            if line.name != "redo" {
                own.push(line.clone());
                continue;
            }
            let again = self.of_another(line, depth)?;
            own.extend(again.into_iter().filter(|line| match line.name.as_str() {
                // Its own ways to end are in place of those that were done before.
                name if is_end(name) || name == "say" => !own_end,
                name => DONE_AGAIN.contains(&name),
            }));
        }
        match command.lines.iter().find(|line| line.name == "like") {
            Some(line) => Ok(merged(self.of_another(line, depth)?, &own)),
            None => Ok(own),
        }
    }

    /// The lines of the command that a line names.
    fn of_another(&mut self, line: &Line, depth: usize) -> Result<Vec<Line>, Mistake> {
        let sections = self.sections;
        if depth == DEEPEST || self.looked_at > MOST_LOOKED_AT {
            return Err(line.value_wrong("commands are like each other in a circle, or through too many others"));
        }
        let lines = self.within(named(line, sections)?, depth + 1)?;
        self.looked_at += lines.len();
        Ok(lines)
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

/// A command's own lines with those of another that it is like. What it says itself is in place of the other's.
fn merged(base: Vec<Line>, own: &[Line]) -> Vec<Line> {
    let gives = |line: &Line| line.value().split('=').next().unwrap_or_default().trim().to_lowercase();
    let takes = |line: &Line| line.value().split(',').next().unwrap_or_default().trim().to_lowercase();
    let mut own: Vec<Line> = own.iter().filter(|line| line.name != "like").cloned().collect();
    let has = |name: &str| own.iter().any(|line| line.name == name);
    let (totals, follows) = (has("total"), has("follows"));
    let ends = own.iter().any(|line| is_end(&line.name) || line.name == "say");
    let mut lines: Vec<Line> = own.extract_if(.., |line| OWN.contains(&line.name.as_str())).collect();
    // A name that the other takes is given before anything is done with it.
    let taken: Vec<String> = base.iter().filter(|line| line.name == "take").map(takes).collect();
    lines.extend(own.extract_if(.., |line| line.name == "let" && taken.contains(&gives(line))));
    let given: Vec<String> = lines.iter().filter(|line| line.name == "let").map(gives).collect();
    for line in base {
        match line.name.as_str() {
            "take" if given.contains(&takes(&line)) => {}
            "total" if totals => lines.extend(own.extract_if(.., |line| line.name == "total")),
            "follows" if follows => {}
            name if OWN.contains(&name) || ends && (is_end(name) || name == "say") => {}
            // The other's name for something, with what it is here.
            "let" => {
                let name = gives(&line);
                let here = own.iter().position(|own| own.name == "let" && gives(own) == name);
                lines.push(here.map_or(line, |at| own.remove(at)));
            }
            "roll" => {
                lines.extend(own.extract_if(.., |line| matches!(line.name.as_str(), "take" | "refuse")));
                lines.push(line);
            }
            // What measures the ways to end goes above them.
            name if is_end(name) || name == "say" => {
                lines.extend(own.extract_if(.., |line| line.name == "total"));
                lines.push(line);
            }
            _ => lines.push(line),
        }
    }
    lines.extend(own);
    lines
}
