//! Rolls on a table, and on the tables that its results name. What could go on without an end is refused before a die is
//! rolled.

use crate::seen::{Seen, Shown};
use dice::{Dice, DiceError, Expression};
use plugin_api::random_table::{Line, Piece, line_of, pieces, sides};
use plugin_api::{Refusal, Reply, Span, Turn};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// Most rolls of one table by one command.
pub(crate) const MOST_TIMES: u32 = 10;
/// Most results of one command, with those of the tables that results name, and how deep these may go.
const MOST_RESULTS: u32 = 20;
const DEEPEST: usize = 5;
/// Most dice in the results of one command.
const MOST_DICE: u32 = 100;

/// A result and the dice that led to it.
struct Drawn {
    text: String,
    dice: Vec<Span>,
}

/// Rolls so many times on the table of this name, which there is.
///
/// # Errors
/// It could take too many results, or takes too many dice.
pub(crate) fn draw(seen: &Seen, turn: &mut Turn, name: &str, times: u32) -> Result<Reply, Refusal> {
    if !(1..=MOST_TIMES).contains(&times) {
        let what = format!("you can roll 1 to {MOST_TIMES} times at once");
        return Err(Refusal::new(what).example(format!("oracle {name} x3")));
    }
    let mut reach = Reach { seen, known: BTreeMap::new(), path: Vec::new() };
    let needs = reach.of(name)?;
    if needs.results.saturating_mul(times) > MOST_RESULTS {
        let what = format!("that could take more than {MOST_RESULTS} results at once, with the tables it names");
        return Err(Refusal::new(what));
    }
    let mut drawing = Drawing { seen, turn, left: MOST_DICE, dice: Vec::new() };
    let mut all = Vec::new();
    for _ in 0..times {
        let text = drawing.table(name)?;
        all.push(Drawn { text, dice: std::mem::take(&mut drawing.dice) });
    }
    let title = seen.get(name).map_or(name, |table| table.name);
    Ok(shown(title, all))
}

fn shown(title: &str, all: Vec<Drawn>) -> Reply {
    let results: Vec<String> = all.iter().map(|drawn| drawn.text.clone()).collect();
    let item = |drawn: Drawn| std::iter::once(Span::Bold(drawn.text)).chain(drawn.dice).collect::<Vec<_>>();
    let reply = match results.len() {
        1 => all.into_iter().flat_map(item).fold(Reply::new(), Reply::span),
        several => Reply::from(format!("{several}x {title}:")).list(all.into_iter().map(item).collect()),
    };
    reply.fact("table", title).fact("results", results)
}

/// What a roll may need at most.
#[derive(Clone, Copy)]
struct Needs {
    results: u32,
    deep: usize,
}

/// Finds out what rolls may need at most.
struct Reach<'a> {
    seen: &'a Seen<'a>,
    known: BTreeMap<String, Needs>,
    /// The tables on the way to the one that is looked at.
    path: Vec<String>,
}

impl Reach<'_> {
    fn of(&mut self, name: &str) -> Result<Needs, Refusal> {
        if let Some(known) = self.known.get(name) {
            return Ok(*known);
        }
        if self.path.iter().any(|each| each == name) {
            return Err(self.circle(name));
        }
        if self.path.len() == DEEPEST {
            return Err(self.too_deep(name));
        }
        self.path.push(name.to_owned());
        let seen = self.seen;
        let mut all = Needs { results: 0, deep: 0 };
        let Some(table) = seen.get(name) else { return Err(Refusal::new(format!("there is no table called {name}"))) };
        for line in table.lines {
            let mut results = 0_u32;
            for named in named(seen, table, line) {
                let needs = self.of(&named)?;
                results = results.saturating_add(needs.results);
                all.deep = all.deep.max(needs.deep);
            }
            all.results = all.results.max(results);
        }
        self.path.pop();
        let needs = Needs { results: all.results.saturating_add(1), deep: all.deep + 1 };
        if self.path.len() + needs.deep > DEEPEST {
            return Err(self.too_deep(name));
        }
        self.known.insert(name.to_owned(), needs);
        Ok(needs)
    }

    fn too_deep(&self, name: &str) -> Refusal {
        let first = self.path.first().map_or(name, String::as_str);
        Refusal::new(format!("{first} names tables that name tables, more than {DEEPEST} deep"))
    }

    fn circle(&self, name: &str) -> Refusal {
        let from = self.path.iter().position(|each| each == name).unwrap_or_default();
        let round: Vec<&str> = self.path[from..].iter().map(String::as_str).chain([name]).collect();
        let what = match round.as_slice() {
            [only, _] => format!("{only} names itself, so a roll on it might never end"),
            _ => format!("{} in a circle, so a roll might never end", round.join(" names ")),
        };
        Refusal::new(what).example("oracle")
    }
}

/// The tables that a line names.
fn named(seen: &Seen, on: Shown, line: &Line) -> Vec<String> {
    let table = |piece| match piece {
        Piece::Table(name) => Some(name),
        Piece::Words(_) | Piece::Dice(_) | Piece::Missing(_) => None,
    };
    pieces(&line.text, |name| seen.may_name(on, name)).into_iter().filter_map(table).collect()
}

struct Drawing<'s, 't, 'd> {
    seen: &'s Seen<'s>,
    turn: &'t mut Turn<'d>,
    /// Dice that results may still roll.
    left: u32,
    /// The dice rolled so far, as they are shown.
    dice: Vec<Span>,
}

impl Drawing<'_, '_, '_> {
    /// A result of a table.
    fn table(&mut self, name: &str) -> Result<String, Refusal> {
        let seen = self.seen;
        let table = seen.get(name).ok_or_else(|| Refusal::new(format!("there is no table called {name}")))?;
        let die = self.turn.throw_die(sides(table.lines))?;
        self.dice.extend([Span::Text(format!(" | {} ", table.name)), Span::Die(die.to_string())]);
        let line = line_of(table.lines, die.value).ok_or_else(|| Refusal::new(format!("{name} has no lines")))?;
        let mut text = String::new();
        for piece in pieces(&line.text, |name| seen.may_name(table, name)) {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Missing(name) => text.push_str(&format!("[[{name}]]")),
                Piece::Dice(dice) => text.push_str(&self.roll(&dice)?),
                Piece::Table(name) => text.push_str(&self.table(&name)?),
            }
        }
        Ok(text)
    }

    /// The total of dice in a result.
    fn roll(&mut self, expression: &Expression) -> Result<String, Refusal> {
        let mut counted = Counted { dice: &mut *self.turn, left: &mut self.left };
        let roll = match expression.roll(&mut counted) {
            Ok(roll) => roll,
            Err(_) if self.left == 0 => {
                return Err(Refusal::new(format!("the results take more than {MOST_DICE} dice")));
            }
            Err(error) => return Err(error.into()),
        };
        self.dice.push(Span::Text(" | ".to_owned()));
        let Ok(()) = roll.show::<Infallible>(&mut |piece| {
            self.dice.push(match piece {
                dice::Piece::Text(shown) => Span::Text(shown.to_string()),
                dice::Piece::Kept(shown) => Span::Die(shown.to_string()),
                dice::Piece::Out(shown) => Span::Dropped(shown.to_string()),
            });
            Ok(())
        });
        Ok(match roll.verdict {
            Some(verdict) => if verdict.success { "success" } else { "failure" }.to_owned(),
            None => roll.total().to_string(),
        })
    }
}

/// Lends dice, so many at most.
struct Counted<'c, D: Dice> {
    dice: &'c mut D,
    left: &'c mut u32,
}

impl<D: Dice> Dice for Counted<'_, D> {
    fn throw(&mut self, sides: u32) -> Result<u32, DiceError> {
        *self.left = self.left.checked_sub(1).ok_or(DiceError::TooMany)?;
        self.dice.throw(sides)
    }
}
