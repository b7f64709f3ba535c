//! Finds the command lines of a message. Knows no command but the one that the lines of a pasted sheet follow, and the
//! words of those that declare that they take lines.

use crate::budget::{MOST_BLOCK, MOST_TEXT};
use crate::inline::{Inline, roll_in};
use crate::words::CommandLine;
use chat::{Message, as_meant};
use journal::digest;
use plugin_api::Manifest;
use regex::Regex;
use std::collections::BTreeSet;

/// The commands whose values may follow on lines of their own.
const SETS: [&str; 2] = ["set", "set table"];

/// The words that may stand in front of another command, and so many words of the line that may be in front of it.
const AROUND: [&str; 3] = ["secret", "as", "in"];
const MOST_AROUND: usize = 5;
/// The command to which everything below it belongs.
const TAKES_A_FILE: &str = "plugin add";
/// So many characters of a digest say which file it is.
const DIGEST: usize = 8;
/// Between the lines that a command takes.
const BETWEEN: &str = " | ";

/// Finds the command lines of messages to one bot.
#[derive(Clone, Debug)]
pub struct Router {
    by_name: Regex,
    /// The commands that take the lines after a colon at their end.
    take_lines: BTreeSet<String>,
}

/// To whom a message is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaidTo {
    /// Everybody in the room.
    Room,
    /// The bot, by mention: the first line is a command.
    Bot,
    /// The bot, in a private chat: every line is a command.
    BotAlone,
}

impl SaidTo {
    /// As the network shows it.
    pub fn of(message: &Message) -> Self {
        match (message.private, message.addressed) {
            (true, _) => SaidTo::BotAlone,
            (false, true) => SaidTo::Bot,
            (false, false) => SaidTo::Room,
        }
    }
}

impl Router {
    /// For a bot with this name.
    pub fn new(name: &str) -> Self {
        let pattern = format!(r"(?i)^@?{}\s*[:,]\s*|^@{}\s+", regex::escape(name), regex::escape(name));
        let by_name = Regex::new(&pattern).expect("an escaped name makes a well-formed pattern");
        Router { by_name, take_lines: BTreeSet::new() }
    }

    /// With the commands of these plugins that take lines.
    #[must_use]
    pub fn with_lines_of<'a>(mut self, manifests: impl IntoIterator<Item = &'a Manifest>) -> Self {
        for manifest in manifests {
            for command in manifest.commands.iter().filter(|command| command.lines) {
                self.take_lines.extend(command.names().map(str::to_owned));
                self.take_lines.extend(command.main.then(|| manifest.id.clone()));
            }
        }
        self
    }

    /// Most bytes of a command line.
    pub fn most_bytes(&self, typed: &str) -> usize {
        if self.takes_lines(typed) { MOST_BLOCK } else { MOST_TEXT }
    }

    /// True if a command line takes lines.
    fn takes_lines(&self, typed: &str) -> bool {
        let is = |word: &str| self.take_lines.contains(&word.to_lowercase());
        let mut words = typed.split_whitespace().take(MOST_AROUND);
        let around = |word: &&str| AROUND.iter().any(|around| around.eq_ignore_ascii_case(word));
        words.next().is_some_and(|first| is(first) || (around(&first) && words.any(is)))
    }

    /// The command lines of `body`. `prefix` is the room's, which messages addressed to the bot do not need. If dice in
    /// prose are rolled, `inline` says how.
    pub fn lines(&self, body: &str, prefix: &str, to: SaidTo, inline: Option<Inline<'_>>) -> Vec<CommandLine> {
        let private = to == SaidTo::BotAlone;
        let mut lines: Vec<CommandLine> = Vec::new();
        // The command line that ended just before this line, and what is between it and a line that it takes.
        let mut before = None;
        let mut taking = None;
        for (number, line) in body.lines().map(|line| as_meant(line).trim().to_owned()).enumerate() {
            let (rest, by_name) = match self.by_name.find(&line) {
                Some(name) => (strip(&line[name.end()..], prefix), true),
                None => match line.strip_prefix(prefix) {
                    Some(rest) => (rest, private),
                    None if before.is_some_and(|at| pasted(&mut lines, at, &line)) => continue,
                    None if let (Some(between), Some(last)) = (taking, lines.last_mut())
                        && !line.is_empty() =>
                    {
                        last.typed.push_str(between);
                        last.typed.push_str(&line);
                        taking = Some(BETWEEN);
                        continue;
                    }
                    None if private || (to == SaidTo::Bot && number == 0) => (line.as_str(), true),
                    None => {
                        (before, taking) = (None, None);
                        lines.extend(inline.and_then(|inline| roll_in(&line, inline)));
                        continue;
                    }
                },
            };
            // Somebody who only says the name wants to know what the bot can do.
            let typed = if rest.trim().is_empty() && by_name && !private { "help" } else { rest.trim() };
            (before, taking) = (None, None);
            if !typed.is_empty() {
                before = Some(lines.len());
                taking = (typed.ends_with(':') && self.takes_lines(typed)).then_some(" ");
                let file = takes_a_file(typed).then(|| digest(file_in(body).as_bytes()));
                let marked = |file: &String| format!("{TAKES_A_FILE} {}", &file[..DIGEST]);
                lines.push(CommandLine { typed: file.as_ref().map_or(typed.to_owned(), marked), by_name });
                if file.is_some() {
                    break;
                }
            }
        }
        lines
    }
}

/// True if everything below a line belongs to its command.
fn takes_a_file(line: &str) -> bool {
    line.split_whitespace().take(2).map(|word| word.trim_end_matches(':').to_lowercase()).eq(TAKES_A_FILE.split(' '))
}

/// The file below the command that takes one, without the marks that some put around it; empty if there is none.
pub fn file_in(body: &str) -> String {
    let begins = |line: String| line.match_indices("plugin").any(|(at, _)| takes_a_file(&line[at..]));
    let lines = body.lines().skip_while(|line| !begins(line.to_lowercase())).skip(1);
    lines.filter(|line| !line.starts_with("```")).map(|line| format!("{line}\n")).collect()
}

/// Adds a line `name: value` to the line in front of it, if that sets values.
fn pasted(lines: &mut [CommandLine], at: usize, line: &str) -> bool {
    let Some(before) = lines.get_mut(at).filter(|_| line.contains(':')) else { return false };
    let first = SETS.iter().any(|sets| before.typed.eq_ignore_ascii_case(sets));
    let more = SETS.iter().any(|sets| before.typed.to_lowercase().starts_with(&format!("{sets} ")));
    if first || more {
        before.typed.push_str(if first { " " } else { "; " });
        before.typed.push_str(line);
    }
    first || more
}

fn strip<'a>(line: &'a str, prefix: &str) -> &'a str {
    line.strip_prefix(prefix).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plugin_api::{CommandSpec, Kind, PrintedDecks};

    fn typed(body: &str, to: SaidTo) -> Vec<String> {
        let lines = Router::new("astragal").lines(body, "!", to, None);
        lines.into_iter().map(|line| line.typed).collect()
    }

    #[test]
    fn commands_are_found_among_prose() {
        assert_eq!(typed("I jump!\n!roll 2d6\n  ! act d8 \nwell?\n!", SaidTo::Room), ["roll 2d6", "act d8"]);
        assert_eq!(typed("！ACT d8", SaidTo::Room), ["ACT d8"]);
        assert_eq!(typed("roll 2d6", SaidTo::Room), [""; 0]);
        assert_eq!(typed("roll 2d6", SaidTo::BotAlone), ["roll 2d6"]);
    }

    #[test]
    fn the_lines_of_a_pasted_sheet_belong_to_the_command_in_front() {
        let sheet = "!set\nStr: 3\nFire combat: 13\nand then?\nHp: 4";
        assert_eq!(typed(sheet, SaidTo::Room), ["set Str: 3; Fire combat: 13"]);
        assert_eq!(typed("!set str 3\nDex: 2\n!roll d6\nhp: 3", SaidTo::Room), ["set str 3; Dex: 2", "roll d6"]);
        assert_eq!(typed("!roll d6\nStr: 3", SaidTo::Room), ["roll d6"]);
        assert_eq!(typed("set\nStr: 3", SaidTo::BotAlone), ["set Str: 3"]);
    }

    #[test]
    fn a_command_that_takes_lines_gets_those_after_its_colon() {
        let command = CommandSpec { name: "oracle".into(), lines: true, main: true, ..CommandSpec::default() };
        let manifest = Manifest { id: "fate".into(), commands: vec![command], ..manifest() };
        let router = Router::new("astragal").with_lines_of([&manifest]);
        let typed = |body: &str, to: SaidTo| {
            let lines = router.lines(body, "!", to, None);
            lines.into_iter().map(|line| line.typed).collect::<Vec<_>>()
        };
        let omen = "!oracle omen:\ncrow\n  1-3: rain\nmoon:\nsun\n\nI look up.\n!roll d6";
        let read = ["oracle omen: crow | 1-3: rain | moon: | sun", "roll d6"];
        assert_eq!(typed(omen, SaidTo::Room), read);
        assert_eq!(typed("!fate omen:\ncrow\n!roll d6\nsun", SaidTo::Room), ["fate omen: crow", "roll d6"]);
        assert_eq!(typed("!secret oracle omen:\ncrow", SaidTo::Room), ["secret oracle omen: crow"]);
        assert_eq!(typed("oracle omen:\ncrow\nsun", SaidTo::BotAlone), ["oracle omen: crow | sun"]);
        assert_eq!(typed("astragal: oracle omen:\ncrow", SaidTo::Room), ["oracle omen: crow"]);
        // A roll, and a remark about one, take nothing.
        assert_eq!(typed("!oracle omen\nI look up: rain.", SaidTo::Room), ["oracle omen"]);
        assert_eq!(typed("!roll d6 # the oracle said:\nrain", SaidTo::Room), ["roll d6 # the oracle said:"]);
    }

    fn manifest() -> Manifest {
        Manifest {
            id: String::new(),
            title: String::new(),
            about: String::new(),
            kind: Kind::Tool,
            commands: Vec::new(),
            settings: Vec::new(),
            credit: String::new(),
            answers: Vec::new(),
            synonyms: Vec::new(),
            found_by: Vec::new(),
            glossary: Vec::new(),
            values: Vec::new(),
            decks: PrintedDecks::new(),
            tables: Vec::new(),
        }
    }

    #[test]
    fn the_name_in_front_is_as_good_as_the_prefix() {
        for line in ["astragal: roll 2d6", "Astragal, !roll 2d6", "@astragal roll 2d6"] {
            let lines = Router::new("astragal").lines(line, "!", SaidTo::Room, None);
            assert_eq!(lines, [CommandLine { typed: "roll 2d6".into(), by_name: true }], "{line}");
        }
        assert_eq!(typed("astragal is a fine bot", SaidTo::Room), [""; 0]);
        assert_eq!(typed("astragals: no", SaidTo::Room), [""; 0]);
    }
}
