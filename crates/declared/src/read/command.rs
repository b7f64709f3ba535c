//! `[command act]`: what is typed for a command, what it does, and how it ends.

use super::ends::{VALUE, end, outside_braces};
use super::hidden::{Hidden, against, hidden_in, keeps};
use super::inherit::is_end;
use super::take::{Taken, take, words};
use crate::expression::{Dice, Expression, Function, Kind, Names, known_name, parse, tokens};
use crate::game::{Change, Command, Offer, Sign, Step};
use crate::language;
use crate::lines::Line;
use crate::mistake::Mistake;
use crate::template::Template;
use plugin_api::{
    Answers, Argument, ArgumentKind, ArgumentSpec, CommandSpec, Effect, FollowUp, Many, Name, Place, Role, Trait,
    suggest,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most lines of a command.
pub const MOST_LINES: usize = 40;
/// Whose rolls `follows: COMMAND of anyone` is about.
const OF_ANYONE: &str = " of anyone";

/// What a command may use of its file.
pub struct Around<'a> {
    /// The numbers of the sheet, and what is worked out from them.
    pub names: &'a Names,
    /// Those that can be changed.
    pub sheet: &'a BTreeSet<String>,
    /// Ways to end that several commands share.
    pub ladders: &'a BTreeMap<String, Vec<Line>>,
}

/// A command that was read.
pub struct Done {
    pub spec: CommandSpec,
    pub command: Command,
    /// What has a name at its end.
    pub names: Names,
    /// Whether one of its ways to end has a mistake.
    pub misread_end: bool,
    /// Whose values answer it.
    pub answers: Option<Answers>,
    /// The lines that it offers, to be looked at once all commands are known.
    pub offered: Vec<(Line, String)>,
}

struct Reader<'a> {
    around: &'a Around<'a>,
    done: Done,
    rolls: Vec<String>,
    mistakes: &'a mut Vec<Mistake>,
}

/// Reads the lines of the command called `name`; `names` are those of the rolls that it follows up on, and `hidden` is what
/// players may not know of them.
pub fn command(
    name: &str,
    lines: &[Line],
    around: &Around<'_>,
    (names, hidden): (Names, Hidden),
    mistakes: &mut Vec<Mistake>,
) -> Done {
    let spec = CommandSpec { name: name.to_owned(), effect: Effect::Shows, ..CommandSpec::default() };
    let all = around.names.clone().into_iter().chain(names).collect();
    let command = Command { hidden, ..Command::default() };
    let done = Done { spec, command, names: all, misread_end: false, answers: None, offered: Vec::new() };
    let mut reader = Reader { around, done, rolls: Vec::new(), mistakes };
    if let Some(line) = lines.get(MOST_LINES) {
        reader.mistakes.push(line.all_wrong(format!("a command may have {MOST_LINES} lines")));
    }
    for line in lines.iter().take(MOST_LINES) {
        if let Err(mistake) = reader.line(line) {
            reader.mistakes.push(mistake);
        }
    }
    reader.finish()
}

impl Reader<'_> {
    fn line(&mut self, line: &Line) -> Result<(), Mistake> {
        if is_end(&line.name) {
            let end = self.end(line);
            self.done.misread_end |= end.is_err();
            return end;
        }
        let said = line.value().trim();
        match line.name.as_str() {
            "main" => self.done.spec.main = yes(line)?,
            "help" => said.clone_into(&mut self.done.spec.help),
            "alias" => self.done.spec.aliases.extend(words(said)),
            "example" => self.done.spec.examples.push(said.to_owned()),
            "again" => self.done.command.again = yes(line)?,
            "referee" => self.done.spec.role = if yes(line)? { Role::Referee } else { Role::Player },
            "follows" => self.follows(said),
            "take" => self.take(line)?,
            "against" => {
                if self.done.answers.is_some() {
                    return Err(line.all_wrong("a command is measured against one number"));
                }
                let (name, answers) = against(line, &self.done.spec.name, &self.done.spec.arguments)?;
                // What is worked out or said above might tell it.
                if self.does_something() {
                    return Err(
                        line.all_wrong("this goes directly below what is taken, in the command where that is taken")
                    );
                }
                self.done.command.hidden.insert(name);
                self.done.answers = Some(answers);
            }
            "refuse" => self.refuse(line)?,
            "let" => self.given(line, false)?,
            "roll" => self.given(line, true)?,
            "total" => self.total(line)?,
            "say" => self.say(line)?,
            "change" => self.change(line)?,
            "tell" => {
                let told = self.told(line)?;
                self.done.command.tells.push(told);
            }
            "story" => {
                let told = self.told(line)?;
                self.done.command.stories.push(told);
            }
            "why" => {
                let told = self.told(line)?;
                self.done.command.whys.push(told);
            }
            "offer" | "must" | "ask" => self.offer(line)?,
            "closes" => self.done.command.closes.extend(words(said)),
            unknown => {
                let meant = suggest(unknown, language::words(language::COMMAND));
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                return Err(line.name_wrong(format!("no line of a command begins with \"{unknown}\"{meant}")));
            }
        }
        Ok(())
    }

    /// Whether a line above does more than to take something.
    fn does_something(&self) -> bool {
        let Command { steps, total, ends, changes, tells, stories, whys, offers, .. } = &self.done.command;
        let told = tells.len() + stories.len() + whys.len();
        let lines = steps.len() + ends.len() + changes.len() + told + offers.len();
        lines > 0 || total.is_some()
    }

    /// `[if EXPR:] TEXT`, which everybody reads.
    fn told(&self, line: &Line) -> Result<(Option<Expression>, Template), Mistake> {
        let (when, from) = self.condition(line)?;
        let said = Template::read(line, from..line.text.len(), &self.done.names)?;
        keeps(line, when.iter().chain(said.expressions()), &self.done.command.hidden)?;
        Ok((when, said))
    }

    fn follows(&mut self, said: &str) {
        let (of, anyone) = said.strip_suffix(OF_ANYONE).map_or((said, false), |of| (of, true));
        self.done.command.follows = words(of);
        self.done.spec.follow_up = if anyone { FollowUp::Anyone } else { FollowUp::Own };
    }

    /// Gives something a name, which no number of the sheet may have.
    fn name(&mut self, line: &Line, name: &str, kind: Kind) -> Result<(), Mistake> {
        let fine = name.split(' ').count() <= 4 && name.starts_with(char::is_alphabetic);
        if !fine || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '_')) {
            return Err(line.value_wrong(format!("\"{name}\" is no name: a name is one to four words of letters")));
        }
        if self.around.names.contains_key(name) {
            return Err(line.value_wrong(format!("{name} is on the sheet already: call this something else")));
        }
        if let Some(before) = self.done.names.get(name).filter(|before| !before.goes_for(&kind)) {
            return Err(
                line.value_wrong(format!("{name} was {before} above, and here it is {kind}: call this something else"))
            );
        }
        self.done.names.insert(name.to_owned(), kind);
        Ok(())
    }

    fn take(&mut self, line: &Line) -> Result<(), Mistake> {
        let Taken { name, kind, spec, alone } = match take(line) {
            Ok(taken) => taken,
            Err(mistake) => {
                // Its name is known all the same: one mistake makes no second.
                let name = words(line.value()).into_iter().next().unwrap_or_default();
                return self.name(line, &name, Kind::Number).and(Err(mistake));
            }
        };
        if self.done.spec.arguments.iter().any(|known| known.field == name) {
            return Err(line.value_wrong(format!("{name} is taken twice")));
        }
        self.done.command.people.extend((kind == Kind::Somebody).then(|| name.clone()));
        self.name(line, &name, kind)?;
        self.done.command.hidden.remove(&name);
        self.done.command.alone.extend(alone.map(|alone| (name, alone)));
        self.done.spec.arguments.push(spec);
        Ok(())
    }

    /// `if EXPR:` in front of something, and where that begins.
    fn condition(&self, line: &Line) -> Result<(Option<Expression>, usize), Mistake> {
        let from = line.text.len() - line.value().trim_start().len();
        let Some(rest) = line.text[from..].strip_prefix("if ") else { return Ok((None, from)) };
        let Some(length) = rest.find(':') else {
            return Err(line.value_wrong("behind a condition stands a colon, as in \"if EXPRESSION: ...\""));
        };
        let start = line.text.len() - rest.len();
        let condition = parse(line, start..start + length, &self.done.names, Dice::Lie)?;
        if condition.kind != Kind::Flag {
            let what = format!("a condition is yes or no, and this is {}", condition.kind);
            return Err(line.wrong(start..start + length, what));
        }
        Ok((Some(condition.expression), start + length + 1))
    }

    fn refuse(&mut self, line: &Line) -> Result<(), Mistake> {
        if !self.rolls.is_empty() {
            return Err(line.all_wrong("a refusal stands above the first roll, so that no die falls for nothing"));
        }
        let (when, from) = self.condition(line)?;
        let Some(when) = when else {
            return Err(
                line.value_wrong("a refusal begins with a condition, as in \"refuse: if stress > 8: too much\"")
            );
        };
        let said = Template::read(line, from..line.text.len(), &self.done.names)?;
        keeps(line, [&when].into_iter().chain(said.expressions()), &self.done.command.hidden)?;
        self.done.command.steps.push(Step::Refuse(when, said));
        Ok(())
    }

    /// `NAME = EXPR`
    fn given(&mut self, line: &Line, throws: bool) -> Result<(), Mistake> {
        let example = if throws { "roll: pool = 2d6" } else { "let: dice = rating + 1" };
        let Some(equals) = line.value().find('=').map(|at| line.from + at) else {
            return Err(line.value_wrong(format!("this needs a name and what it is, as in \"{example}\"")));
        };
        let name = line.text[line.from..equals].trim().to_lowercase();
        let parsed =
            parse(line, equals + 1..line.text.len(), &self.done.names, if throws { Dice::Fall } else { Dice::Lie });
        let (kind, expression) = match parsed {
            Ok(parsed) => (parsed.kind, parsed.expression),
            Err(mistake) => {
                self.rolls.extend(throws.then(|| name.clone()));
                let kind = if throws { Kind::Pool } else { Kind::Number };
                return self.name(line, &name, kind).and(Err(mistake));
            }
        };
        if throws && !matches!(kind, Kind::Pool | Kind::Die | Kind::Faced(_)) {
            return Err(line.value_wrong(format!("a roll is of dice, and this is {kind}")));
        }
        self.name(line, &name, kind)?;
        match hidden_in(&expression, &self.done.command.hidden) {
            Some(_) if throws => keeps(line, [&expression], &self.done.command.hidden)?,
            Some(_) => drop(self.done.command.hidden.insert(name.clone())),
            None => drop(self.done.command.hidden.remove(&name)),
        }
        if throws {
            self.rolls.push(name.clone());
            if let Some(Kind::Faced(die)) = self.done.names.get(&name) {
                self.done.command.faced.insert(name.clone(), die.clone());
            }
            self.done.spec.effect = Effect::Rolls;
        }
        self.done.command.steps.push(if throws { Step::Roll(name, expression) } else { Step::Let(name, expression) });
        Ok(())
    }

    fn total(&mut self, line: &Line) -> Result<(), Mistake> {
        if !self.done.command.ends.is_empty() {
            return Err(line.all_wrong("what is measured goes above the ways to end"));
        }
        self.measures(line, line.from, line.text.len()).inspect_err(|_| {
            // It is measured all the same: one mistake makes no second.
            self.done.command.total = Some(Expression::Number(0));
            self.done.names.insert(VALUE.to_owned(), Kind::Number);
        })
    }

    fn measures(&mut self, line: &Line, from: usize, to: usize) -> Result<(), Mistake> {
        let parsed = parse(line, from..to, &self.done.names, Dice::Lie)?;
        if !matches!(parsed.kind, Kind::Number | Kind::Flag | Kind::Die) {
            return Err(line.wrong(from..to, format!("a result is measured by a number, and this is {}", parsed.kind)));
        }
        // `say: verdict(value)` measures by what is measured already.
        if parsed.expression == Expression::Name(VALUE.to_owned()) && self.done.command.total.is_some() {
            return Ok(());
        }
        if hidden_in(&parsed.expression, &self.done.command.hidden).is_some() {
            self.done.command.hidden.insert(VALUE.to_owned());
        }
        self.done.command.total = Some(parsed.expression);
        self.done.names.insert(VALUE.to_owned(), Kind::Number);
        Ok(())
    }

    /// `say: LADDER(EXPR)`
    fn say(&mut self, line: &Line) -> Result<(), Mistake> {
        let said = line.value().trim_end();
        if said.trim_start().starts_with("if ") {
            return Err(line.value_wrong("a ladder is for every result, so no condition can go before it"));
        }
        let Some((name, _)) = said.split_once('(').filter(|_| said.ends_with(')')) else {
            return Err(
                line.value_wrong("this needs a ladder and what is measured, as in \"say: verdict(highest(pool))\"")
            );
        };
        let open = line.from + name.len();
        let name = name.trim().to_lowercase();
        let Some(ladder) = self.around.ladders.get(&name) else {
            let meant = suggest(&name, self.around.ladders.keys().map(String::as_str));
            let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
            return Err(line.value_wrong(format!("there is no ladder {name} in this file{meant}")));
        };
        self.measures(line, open + 1, line.from + said.len() - 1)?;
        ladder.iter().try_for_each(|line| self.end(line))
    }

    fn end(&mut self, line: &Line) -> Result<(), Mistake> {
        if let ([pool], None) = (self.rolls.as_slice(), &self.done.command.total)
            && !self.done.command.faced.contains_key(pool)
        {
            // Of the one roll, the highest die counts.
            let highest = Expression::Made(Function::Highest, vec![Expression::Name(pool.clone())]);
            self.done.command.total = Some(highest);
            self.done.names.insert(VALUE.to_owned(), Kind::Number);
        }
        if self.done.command.ends.last().is_some_and(|last| last.when.is_none()) {
            return Err(line.name_wrong("nothing can come behind else"));
        }
        if self.done.command.ends.len() == MOST_LINES {
            return Err(line.all_wrong(format!("a command may have {MOST_LINES} ways to end")));
        }
        let end = end(line, &self.done.names)?;
        self.done.command.ends.push(end);
        Ok(())
    }

    /// True for a number of the sheet, and for what is typed as the name of one: `take: attribute, one of might, wits`.
    fn changes(&self, name: &str) -> bool {
        let all_are = |choices: &[String]| choices.iter().all(|choice| self.around.sheet.contains(choice));
        let typed =
            self.done.names.get(name).is_some_and(|kind| matches!(kind, Kind::Word(choices) if all_are(choices)));
        typed || self.around.sheet.contains(name)
    }

    /// `[if EXPR:] NAME +1`
    fn change(&mut self, line: &Line) -> Result<(), Mistake> {
        let (when, from) = self.condition(line)?;
        let all = tokens(&line.text[from..], from);
        let known = known_name(&all, 0, |name| self.changes(name));
        let Some((name, count)) = known else {
            let first = all.first().map_or("", |token| token.text.as_str());
            let meant = suggest(first, self.around.sheet.iter().map(String::as_str));
            let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
            let at = all.first().map_or(from..line.text.len(), |token| token.at.clone());
            return Err(line.wrong(at, format!("{first} is no number under [sheet]{meant}")));
        };
        let sign = match all.get(count).map_or("", |token| token.text.as_str()) {
            "+" => Sign::Plus,
            "-" => Sign::Minus,
            "=" => Sign::Is,
            _ => return Err(line.value_wrong(format!("a change is +, - or =, as in \"change: {name} +1\""))),
        };
        let parsed = parse(line, all[count].at.end..line.text.len(), &self.done.names, Dice::Lie)?;
        if !matches!(parsed.kind, Kind::Number | Kind::Flag | Kind::Die) {
            return Err(line.value_wrong(format!("{name} is a number, and this is {}", parsed.kind)));
        }
        keeps(line, when.iter().chain([&parsed.expression]), &self.done.command.hidden)?;
        if self.done.spec.effect == Effect::Shows {
            self.done.spec.effect = Effect::Changes;
        }
        self.done.command.changes.push(Change { when, name, sign, amount: parsed.expression });
        Ok(())
    }

    /// Who is asked in a line `ask: NAME: COMMAND: label`, and where the command begins.
    fn asked(&self, line: &Line, from: usize) -> Result<(String, usize), Mistake> {
        let name = line.text[from..].split(':').next().unwrap_or_default();
        let known = self.done.names.iter().filter(|(_, kind)| **kind == Kind::Somebody).map(|(known, _)| known);
        match known.clone().find(|known| **known == name.trim().to_lowercase()) {
            Some(known) => Ok((known.clone(), from + name.len() + 1)),
            None => {
                let meant = suggest(name.trim(), known.map(String::as_str));
                let meant = meant.map_or(String::new(), |meant| format!(": did you mean {meant}?"));
                let what = format!("{} is nobody that was taken, as in \"take: them, somebody\"{meant}", name.trim());
                Err(line.wrong(from..from + name.len(), what))
            }
        }
    }

    /// `[if EXPR:] COMMAND: label`
    fn offer(&mut self, line: &Line) -> Result<(), Mistake> {
        let (when, from) = self.condition(line)?;
        let (of, from) = match line.name.as_str() {
            "ask" => self.asked(line, from).map(|(of, from)| (Some(of), from))?,
            _ => (None, from),
        };
        let Some(length) = outside_braces(&line.text[from..]) else {
            return Err(line.value_wrong("this needs a command and what it does, as in \"offer: resist: take less\""));
        };
        // What is worked out comes behind the command.
        let typed = line.text[from..from + length].split('{').next().unwrap_or_default().trim().to_owned();
        let command = Template::read(line, from..from + length, &self.done.names)?;
        let label = Template::read(line, from + length + 1..line.text.len(), &self.done.names)?;
        let all = when.iter().chain(command.expressions()).chain(label.expressions());
        keeps(line, all, &self.done.command.hidden)?;
        self.done.offered.push((line.clone(), typed));
        self.done.command.offers.push(Offer { when, line: command, label, must: line.name != "offer", of });
        Ok(())
    }

    fn finish(mut self) -> Done {
        let reads_the_sheet = self.done.command.expressions().any(|expression| {
            let mut found = false;
            expression.each_name(&mut |name| found |= self.around.names.contains_key(name));
            found
        });
        if reads_the_sheet || !self.done.command.changes.is_empty() {
            self.done.spec.traits.push(Trait::Sheet);
        }
        let spec = &mut self.done.spec;
        if spec.examples.is_empty() {
            let typed = spec.arguments.iter().filter(|argument| argument.many == Many::One).filter_map(example_of);
            let words: Vec<String> = std::iter::once(spec.name.clone()).chain(typed).collect();
            spec.examples.push(words.join(" "));
        }
        self.done
    }
}

impl Command {
    /// Every name in it: of what is worked out, of what is changed, and of who is asked.
    pub fn each_name(&self, mut with: impl FnMut(&str)) {
        self.expressions().for_each(|expression| expression.each_name(&mut with));
        let changed = self.changes.iter().map(|change| &change.name);
        changed.chain(self.offers.iter().filter_map(|offer| offer.of.as_ref())).for_each(|name| with(name));
    }

    /// Everything that is worked out in it.
    fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let steps = self.steps.iter().flat_map(|step| match step {
            Step::Refuse(when, said) => std::iter::once(when).chain(said.expressions()).collect::<Vec<_>>(),
            Step::Let(_, expression) | Step::Roll(_, expression) => vec![expression],
        });
        let ends = self
            .ends
            .iter()
            .flat_map(|end| end.when.iter().chain(end.headline.expressions()).chain(end.more.expressions()));
        let changes = self.changes.iter().flat_map(|change| change.when.iter().chain([&change.amount]));
        let told = self.tells.iter().chain(&self.stories).chain(&self.whys);
        let tells = told.flat_map(|(when, said)| when.iter().chain(said.expressions()));
        let offers = self
            .offers
            .iter()
            .flat_map(|offer| offer.when.iter().chain(offer.line.expressions()).chain(offer.label.expressions()));
        steps.chain(&self.total).chain(ends).chain(changes).chain(tells).chain(offers)
    }
}

/// What may be typed for an argument.
fn example_of(argument: &ArgumentSpec) -> Option<String> {
    let typed = match &argument.kind {
        ArgumentKind::Number(kind) => 1.clamp(kind.least, kind.most).to_string(),
        ArgumentKind::Choice(all) => all.first()?.words.first()?.clone(),
        ArgumentKind::Dice { .. } => "2d6".to_owned(),
        kind if *kind == Name::kind() => "Bob".to_owned(),
        _ => "...".to_owned(),
    };
    match &argument.place {
        Place::Word(words) => Some(format!("{} {typed}", words.first()?)),
        _ => Some(typed),
    }
}

fn yes(line: &Line) -> Result<bool, Mistake> {
    match line.value().trim() {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(line.value_wrong(format!("this is yes or no, and not \"{other}\""))),
    }
}
