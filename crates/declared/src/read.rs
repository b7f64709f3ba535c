//! Reads a file into a game, or says what is wrong in it: everything at once.

mod brought;
mod command;
mod die;
mod ends;
mod hidden;
mod inherit;
mod setting;
mod sheet;
mod take;

use crate::expression::{Kind, Names, die_named};
use crate::game::{Game, Scene};
use crate::language::{HEADINGS, TOP, words};
use crate::lines::{DECK, Line, ORACLE, SCENE, Section, sections};
use crate::mistake::{Mistake, Mistakes};
use command::{Around, Done, MOST_LINES, command};
pub use ends::VALUE;
pub use hidden::tells;
use inherit::{Lines, is_end};
use plugin_api::random_table::RandomTable;
use plugin_api::{CommandSpec, Manifest, PrintedDecks, Setting, Trait, suggest};
use setting::setting;
use sheet::{OnSheet, Whose};
use std::collections::{BTreeMap, BTreeSet};
#[cfg(test)]
pub use take::TAKEN;
use take::words as listed;

/// The version of the language. It is read for ever: what is added later breaks no file.
const FORMAT: &str = "1";
/// What files said while the language could still change. They are read as version 1.
const DRAFT: &str = "0";
/// The most random tables of a game, the most decks, and the most dice of its own.
const MOST_BROUGHT: usize = 60;
/// The most commands of a game.
const MOST_COMMANDS: usize = 64;

/// Reads a game that is known to be played beside all tools whose commands it offers.
///
/// # Errors
/// All that is wrong in the file, from its first line to its last.
pub fn read(text: &str) -> Result<Game, Mistakes> {
    read_as(text, None)
}

/// Reads a game to be played beside these tools.
///
/// # Errors
/// As [`read`], and what it offers that is a command of none.
pub fn read_beside(text: &str, tools: &[&Manifest]) -> Result<Game, Mistakes> {
    read_as(text, Some(tools))
}

/// A mistake of a heading of this text, such as `oracle omen`.
pub fn wrong_heading(text: &str, heading: &str, what: String) -> Mistake {
    let sections = sections(text, &mut Vec::new());
    let called = |section: &&Section| heading.split_once(' ') == Some((&section.kind, &section.name));
    sections.iter().find(called).map(|section| section.heading.clone()).unwrap_or_default().all_wrong(what)
}

fn read_as(text: &str, tools: Option<&[&Manifest]>) -> Result<Game, Mistakes> {
    let mut mistakes = Vec::new();
    let sections = sections(text, &mut mistakes);
    let game = Reading { sections: &sections, tools, mistakes: &mut mistakes }.game();
    if mistakes.is_empty() {
        return Ok(Game { text: text.to_owned(), ..game });
    }
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.at.start));
    mistakes.dedup();
    Err(Mistakes(mistakes))
}

struct Reading<'a> {
    sections: &'a [Section],
    /// What is played beside it, if that is known.
    tools: Option<&'a [&'a Manifest]>,
    mistakes: &'a mut Vec<Mistake>,
}

impl Reading<'_> {
    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(move |section| section.kind == kind)
    }

    fn game(mut self) -> Game {
        let top = self.top();
        self.headings();
        let mut on_sheet = self.sheet();
        self.dice(&mut on_sheet);
        let settings = self.settings(&mut on_sheet);
        let ladders = self.ladders();
        let (tables, decks) = self.brought();
        let done = self.commands(&on_sheet, &ladders);
        self.offers(&done, &on_sheet);
        let mut done = done;
        private_as_offered(&mut done);
        keep_what_is_followed(&mut done);
        let get = |name: &str| top.get(name).cloned().unwrap_or_default();
        let manifest = Manifest {
            id: get("game"),
            title: get("title"),
            about: get("about"),
            found_by: get("found by")
                .split(',')
                .map(|word| word.trim().to_lowercase())
                .filter(|word| !word.is_empty())
                .collect(),
            kind: plugin_api::Kind::Game,
            commands: done.iter().map(|done| done.spec.clone()).collect(),
            settings,
            credit: get("licence"),
            synonyms: self.pairs("words"),
            answers: done.iter().filter_map(|done| done.answers.clone()).collect(),
            glossary: self.pairs("glossary"),
            values: on_sheet.values,
            decks,
            tables,
        };
        let scenes = self.of_kind(SCENE).map(|section| Scene {
            line: section.heading.number,
            text: section.lines.iter().map(|line| format!("{}\n", line.text)).collect(),
        });
        Game {
            scenes: scenes.collect(),
            manifest,
            commands: done.into_iter().map(|done| done.command).collect(),
            sheet: on_sheet.all,
            derived: on_sheet.derived,
            text: String::new(),
        }
    }

    /// The lines above the first heading.
    fn top(&mut self) -> BTreeMap<String, String> {
        let mut top = BTreeMap::new();
        for line in self.sections.iter().filter(|section| section.kind.is_empty()).flat_map(|section| &section.lines) {
            let value = line.value().trim();
            if !words(TOP).any(|word| word == line.name) {
                let meant = suggest(&line.name, words(TOP));
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                let what = format!("\"{}\" is none of {}{meant}", line.name, words(TOP).collect::<Vec<_>>().join(", "));
                self.mistakes.push(line.name_wrong(what));
            } else if line.name == "format" && ![FORMAT, DRAFT].contains(&value) {
                let what =
                    format!("I read format {FORMAT}, and this is {value}: if it is a newer one, I need an update");
                self.mistakes.push(line.value_wrong(what));
                top.insert(line.name.clone(), value.to_owned());
            } else if line.name == "game" && !is_id(value) {
                self.mistakes
                    .push(line.value_wrong("the id of a game is one short word of small letters, such as blades"));
            } else if top.insert(line.name.clone(), value.to_owned()).is_some() {
                self.mistakes.push(line.name_wrong(format!("{} is said twice", line.name)));
            }
        }
        for needed in ["format", "game", "title", "about"].into_iter().filter(|name| !top.contains_key(*name)) {
            let first = self.sections.first().and_then(|section| section.lines.first()).cloned().unwrap_or_default();
            let line = Line { number: first.number.max(1), ..first };
            self.mistakes.push(line.all_wrong(format!("above the first heading a line \"{needed}: ...\" is missing")));
        }
        top
    }

    fn headings(&mut self) {
        let mut known = BTreeSet::new();
        for Section { kind, name, heading, .. } in self.sections.iter().filter(|section| !section.kind.is_empty()) {
            let Some(row) = HEADINGS.iter().find(|row| row.word() == kind) else {
                let meant = suggest(kind, words(HEADINGS));
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean [{meant}]?"));
                self.mistakes.push(heading.all_wrong(format!("there is no heading [{kind}]{meant}")));
                continue;
            };
            let named = row.is_named();
            if named == name.is_empty() {
                let what = if named {
                    format!("this needs a name, as in [{kind} risk]")
                } else {
                    format!("this is [{kind}] alone")
                };
                self.mistakes.push(heading.all_wrong(what));
            } else if named && !known.insert((kind, name)) {
                self.mistakes.push(heading.all_wrong(format!("there are two of [{kind} {name}]")));
            } else if kind == "command" && !is_typed(name) {
                self.mistakes.push(heading.all_wrong("the name of a command is one to four words of letters"));
            }
        }
    }

    fn sheet(&mut self) -> OnSheet {
        let mut sheet = OnSheet::default();
        let lines = |kind| self.of_kind(kind).flat_map(|section| &section.lines);
        let all = lines("sheet")
            .map(|line| (line, Whose::Characters))
            .chain(lines("table").map(|line| (line, Whose::Tables)));
        let mistakes: Vec<Mistake> = all.filter_map(|(line, whose)| sheet.add(line, whose).err()).collect();
        self.mistakes.extend(mistakes);
        sheet
    }

    /// The dice with words on their faces, each of which has its place among the names.
    fn dice(&mut self, sheet: &mut OnSheet) {
        let all = self.sections.iter().filter(|section| section.kind == "die");
        for section in all.clone().skip(MOST_BROUGHT).take(1) {
            self.mistakes.push(section.heading.all_wrong(format!("a game has at most {MOST_BROUGHT} of [die ...]")));
        }
        for die in all.take(MOST_BROUGHT).map(|section| die::die(section, self.mistakes)) {
            sheet.names.insert(die_named(&die.name), Kind::Faced(die));
        }
    }

    /// The settings of the game, each of which is known by its name like a number of the sheet.
    fn settings(&mut self, sheet: &mut OnSheet) -> Vec<Setting> {
        let mut all = Vec::new();
        for section in self.sections.iter().filter(|section| section.kind == "setting") {
            match setting(section, self.mistakes) {
                Some((setting, kind)) => match sheet.knows(&section.heading, &setting.key, kind) {
                    Ok(()) => all.push(setting),
                    Err(mistake) => self.mistakes.push(mistake),
                },
                // Its name is known all the same: one mistake makes no second.
                None => drop(sheet.names.insert(section.name.clone(), Kind::Number)),
            }
        }
        all
    }

    /// The random tables and the decks.
    fn brought(&mut self) -> (Vec<RandomTable>, PrintedDecks) {
        let of = |kind| self.sections.iter().filter(move |section| section.kind == kind);
        for section in of(ORACLE).skip(MOST_BROUGHT).take(1).chain(of(DECK).skip(MOST_BROUGHT).take(1)) {
            let what = format!("a game has at most {MOST_BROUGHT} of [{} ...]", section.kind);
            self.mistakes.push(section.heading.all_wrong(what));
        }
        let of = |kind| of(kind).take(MOST_BROUGHT);
        let tables = of(ORACLE).filter_map(|section| brought::table(section, self.mistakes)).collect();
        let deck = |section: &Section| Some((section.name.clone(), brought::deck(section, self.mistakes)?));
        (tables, of(DECK).filter_map(deck).collect())
    }

    fn ladders(&mut self) -> BTreeMap<String, Vec<Line>> {
        let all: Vec<Section> = self.of_kind("ladder").cloned().collect();
        for line in all.iter().filter_map(|ladder| ladder.lines.get(MOST_LINES)) {
            self.mistakes.push(line.all_wrong(format!("a ladder may have {MOST_LINES} lines")));
        }
        for line in all.iter().flat_map(|ladder| &ladder.lines).filter(|line| !is_end(&line.name)) {
            self.mistakes.push(line.name_wrong("a line of a ladder begins with 6, 10+, 7-9, 3-, \"if ...\" or else"));
        }
        let ends = |lines: &[Line]| lines.iter().filter(|line| is_end(&line.name)).take(MOST_LINES).cloned().collect();
        all.iter().map(|ladder| (ladder.name.clone(), ends(&ladder.lines))).collect()
    }

    /// All commands in the order of the file. Those that follow others are read behind them.
    fn commands(&mut self, sheet: &OnSheet, ladders: &BTreeMap<String, Vec<Line>>) -> Vec<Done> {
        let all = self.sections;
        let sections: Vec<&Section> = all.iter().filter(|section| section.kind == "command").collect();
        let named: BTreeSet<String> = sheet.all.keys().cloned().collect();
        let around = Around { names: &sheet.names, sheet: &named, ladders };
        if sections.is_empty() || sections.len() > MOST_COMMANDS {
            let line = sections.last().map_or(Line { number: 1, ..Line::default() }, |section| section.heading.clone());
            let what = format!("a game has at least one [command ...], and at most {MOST_COMMANDS}");
            self.mistakes.push(line.all_wrong(what));
        }
        let mut waiting: Vec<(usize, Vec<Line>)> = Vec::new();
        let mut of_others = Lines::of(all);
        for (at, section) in sections.iter().enumerate().take(MOST_COMMANDS) {
            match of_others.of_command(section) {
                Ok(lines) => waiting.push((at, lines)),
                Err(mistake) => self.mistakes.push(mistake),
            }
        }
        let mut done: BTreeMap<usize, Done> = BTreeMap::new();
        while !waiting.is_empty() {
            let known: BTreeMap<&str, &Done> = done.values().map(|done| (done.spec.name.as_str(), done)).collect();
            let ready = |lines: &[Line]| followed(lines).iter().all(|name| known.contains_key(name.as_str()));
            let Some(next) = waiting.iter().position(|(_, lines)| ready(lines)) else {
                self.mistakes.extend(waiting.iter().map(|(at, lines)| not_followed(lines, sections[*at], &sections)));
                break;
            };
            let (at, lines) = waiting.remove(next);
            let through = followed(&lines).into_iter().find(|name| !known[name.as_str()].command.follows.is_empty());
            if let Some(through) = through {
                let first = known[through.as_str()].command.follows.join(", ");
                let what = format!(
                    "{through} is a follow-up itself, and goes on with the same roll: write \"follows: {first}\""
                );
                let line = lines.iter().find(|line| line.name == "follows");
                self.mistakes.push(line.unwrap_or(&sections[at].heading).value_wrong(what));
            }
            let names = of_all(followed(&lines).iter().map(|name| &known[name.as_str()].names));
            let hidden = followed(&lines).iter().flat_map(|name| known[name.as_str()].command.hidden.clone()).collect();
            let read = command(&sections[at].name, &lines, &around, (names, hidden), self.mistakes);
            self.mistakes.extend(incomplete(&read).map(|what| sections[at].heading.all_wrong(what)));
            done.insert(at, read);
        }
        let mut done: Vec<Done> = done.into_values().collect();
        match (done.iter().filter(|done| done.spec.main).count(), done.as_mut_slice(), sections.first()) {
            (0, [first, ..], _) => first.spec.main = true,
            (0 | 1, ..) | (_, _, None) => {}
            (_, _, Some(first)) => {
                self.mistakes.push(first.heading.all_wrong("only one command of a game can say \"main: yes\""));
            }
        }
        done
    }

    /// Every line that is offered is a command of the game or of a tool, or changes a number.
    fn offers(&mut self, done: &[Done], sheet: &OnSheet) {
        let specs: Vec<_> = done.iter().map(|done| &done.spec).collect();
        let is_a_tools = |typed: &str| self.tools.is_none_or(|all| all.iter().any(|tool| tool.begun(typed).is_some()));
        for (line, typed) in done.iter().flat_map(|done| &done.offered) {
            let changes = typed.find(['+', '-', '=']).map(|sign| typed[..sign].trim());
            let changes = changes.is_some_and(|name| sheet.all.contains_key(name));
            if !changes && !specs.iter().any(|spec| spec.begins(typed)) && !is_a_tools(typed) {
                let first = typed.split(' ').next().unwrap_or_default();
                let meant = suggest(first, specs.iter().flat_map(|spec| spec.names()));
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                let what = format!("\"{typed}\" is no command of this game or of the table's tools{meant}");
                self.mistakes.push(line.value_wrong(what));
            }
        }
        for (done, closed) in done.iter().flat_map(|done| done.command.closes.iter().map(move |closed| (done, closed)))
        {
            if !specs.iter().any(|spec| spec.answers_to(closed)) {
                let section = self.of_kind("command").find(|section| section.name == done.spec.name);
                let line = section.map(|section| section.heading.clone()).unwrap_or_default();
                self.mistakes.push(line.all_wrong(format!("it closes {closed}, which is no command of this game")));
            }
        }
    }

    fn pairs(&self, kind: &str) -> Vec<(String, String)> {
        let lines = self.of_kind(kind).flat_map(|section| &section.lines);
        lines.map(|line| (line.name.to_lowercase(), line.value().trim().to_owned())).collect()
    }
}

/// What a command lacks.
fn incomplete(read: &Done) -> impl Iterator<Item = String> {
    let help = "a command needs a line \"help: ...\" that says what it does".to_owned();
    let end = read.command.ends.last().filter(|end| end.when.is_some() && !read.misread_end);
    let end = end
        .map(|end| format!("behind \"{}\" a line \"else: ...\" is missing: what if none of these holds?", end.outcome));
    Some(help).filter(|_| read.spec.help.is_empty()).into_iter().chain(end)
}

/// A command is for those who may know the sheet if one that it offers is: the chances of the offer depend on it.
fn private_as_offered(done: &mut [Done]) {
    for _ in 0..done.len() {
        let of_the_sheet = |spec: &&CommandSpec| spec.is(Trait::Sheet);
        let known: Vec<CommandSpec> = done.iter().map(|done| &done.spec).filter(of_the_sheet).cloned().collect();
        let own = |(line, _): &&(Line, String)| line.name != "ask";
        let offers =
            |done: &Done| done.offered.iter().filter(own).any(|(_, typed)| known.iter().any(|spec| spec.begins(typed)));
        let open: Vec<usize> =
            (0..done.len()).filter(|at| !done[*at].spec.is(Trait::Sheet) && offers(&done[*at])).collect();
        if open.is_empty() {
            return;
        }
        open.into_iter().for_each(|at| done[at].spec.traits.push(Trait::Sheet));
    }
}

/// A roll keeps those names that the commands which follow it use.
fn keep_what_is_followed(done: &mut [Done]) {
    let mut keeps: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for Done { command, .. } in done.iter() {
        for followed in &command.follows {
            let names = keeps.entry(followed.clone()).or_default();
            command.each_name(|name| {
                names.insert(name.to_owned());
            });
        }
    }
    for each in done {
        each.command.keeps = keeps.remove(&each.spec.name).unwrap_or_default();
    }
}

/// The commands that these lines follow.
fn followed(lines: &[Line]) -> Vec<String> {
    let follows = lines.iter().filter(|line| line.name == "follows");
    follows.flat_map(|line| listed(line.value().trim().trim_end_matches("of anyone"))).collect()
}

fn not_followed(lines: &[Line], section: &Section, all: &[&Section]) -> Mistake {
    let line = lines.iter().find(|line| line.name == "follows").unwrap_or(&section.heading);
    let names = || all.iter().map(|section| section.name.as_str());
    match followed(lines).into_iter().find(|name| !names().any(|known| known == name)) {
        Some(unknown) => {
            let meant = suggest(&unknown, names()).map_or(String::new(), |meant| format!(": did you mean {meant}?"));
            line.value_wrong(format!("there is no command {unknown} in this file{meant}"))
        }
        None => line.value_wrong("these commands follow each other in a circle"),
    }
}

/// What has the same name in all of these, and is the same there.
fn of_all<'n>(mut all: impl Iterator<Item = &'n Names>) -> Names {
    let Some(mut names) = all.next().cloned() else { return Names::new() };
    all.for_each(|other| names.retain(|name, kind| other.get(name) == Some(kind)));
    names
}

/// True for one to four words as people type them.
fn is_typed(name: &str) -> bool {
    let letters = name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '-'));
    letters && name.split(' ').count() <= 4 && name.starts_with(char::is_alphabetic)
}

fn is_id(id: &str) -> bool {
    (2..=20).contains(&id.len())
        && id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
