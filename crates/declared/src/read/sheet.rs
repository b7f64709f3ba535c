//! `[sheet]` and `[table]`: the numbers that everybody has, and those of the table: `dex (agility, agi): 50`, or what is worked out:
//! `db = if str > 60 then 1 else 0`.

use super::take::{range_of, words};
use crate::expression::{Dice, Expression, Kind, Names, parse};
use crate::lines::Line;
use crate::mistake::Mistake;
use plugin_api::{Counter, MOST_NUMBER, SheetValue};
use std::collections::BTreeMap;

/// The most numbers on a sheet, and the most other names of one.
const MOST_VALUES: usize = 200;
const MOST_NAMES: usize = 8;
/// Words that expressions are made of, which no number of the sheet is called.
const RESERVED: [&str; 13] =
    ["if", "then", "else", "and", "or", "not", "is", "it", "where", "with", "of", "value", "nothing"];

/// Whose a number is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Each character's.
    Characters,
    /// The table's.
    Tables,
}

/// All numbers under both headings.
#[derive(Default)]
pub struct OnSheet {
    /// The numbers that are kept, by name, with what they are at first.
    pub all: BTreeMap<String, Counter>,
    /// The same, as everybody knows them, in their order.
    pub values: Vec<SheetValue>,
    /// What is worked out from others.
    pub derived: BTreeMap<String, Expression>,
    /// The names of all, and of the settings.
    pub names: Names,
}

impl OnSheet {
    /// Adds the numbers of a line, which are the table's or everybody's.
    ///
    /// # Errors
    /// It cannot be read, or a name is not possible.
    pub fn add(&mut self, line: &Line, whose: Whose) -> Result<(), Mistake> {
        let value = line.value().trim();
        let called = called(line)?;
        let names = called.iter().map(|names| names[0].clone());
        if let Some(worked) = value.strip_prefix('=') {
            let from = line.text.trim_end().len() - worked.len();
            let parsed = parse(line, from..line.text.len(), &self.names, Dice::Lie)?;
            if called.iter().any(|names| names.len() > 1) {
                return Err(line.name_wrong("what is worked out has one name: nobody types it"));
            }
            for name in names {
                self.knows(line, &name, parsed.kind.clone())?;
                self.derived.insert(name, parsed.expression.clone());
            }
            return Ok(());
        }
        let (value, bounds) = match value.split_once(" from ") {
            Some((value, range)) => (value.trim(), Some(range_of(line, range.trim())?)),
            None => (value, None),
        };
        let within = |first: &Counter| {
            bounds.is_none_or(|(least, most)| first.most.is_none() && (least..=most).contains(&first.now))
        };
        let Some(first) = Counter::read(value).filter(is_possible).filter(within) else {
            // Their names are known all the same: one mistake makes no second.
            self.names.extend(names.clone().map(|name| (name, Kind::Number)));
            self.all.extend(names.map(|name| (name, Counter::default())));
            let what = match bounds {
                Some((least, most)) => format!("\"{value}\" is no number from {least} to {most}"),
                None => format!("\"{value}\" is no number: write 0, or 0/9 for one that is at most 9"),
            };
            return Err(line.value_wrong(what));
        };
        for names in called {
            for other in &names[1..] {
                self.may_be(line, other)?;
            }
            let [name, also @ ..] = names.as_slice() else { continue };
            self.knows(line, name, Kind::Number)?;
            self.all.insert(name.clone(), first);
            let (name, also, tables) = (name.clone(), also.to_vec(), whose == Whose::Tables);
            self.values.push(SheetValue { name, also, first: first.to_string(), bounds, tables });
        }
        Ok(())
    }

    /// Makes a name known.
    ///
    /// # Errors
    /// It is not possible.
    pub fn knows(&mut self, line: &Line, name: &str, kind: Kind) -> Result<(), Mistake> {
        self.may_be(line, name)?;
        self.names.insert(name.to_owned(), kind);
        Ok(())
    }

    fn may_be(&self, line: &Line, name: &str) -> Result<(), Mistake> {
        let wrong = |what: String| Err(if line.name.is_empty() { line.all_wrong(what) } else { line.name_wrong(what) });
        let letters = name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '\''));
        if name.split(' ').any(|word| RESERVED.contains(&word)) {
            return wrong(format!("\"{name}\" has a word of this language in it: call it something else"));
        }
        if !letters || name.chars().count() > 20 || name.split(' ').count() > 3 {
            return wrong(format!("\"{name}\" cannot be a name on a sheet: one to three words, 20 letters"));
        }
        let also = self.values.iter().find(|value| value.also.iter().any(|also| also == name));
        if let Some(value) = also {
            return wrong(format!("{name} is another name of {}", value.name));
        }
        if self.names.contains_key(name) {
            return wrong(format!("{name} is on the sheet twice"));
        }
        if self.names.len() >= MOST_VALUES {
            return wrong(format!("a sheet has at most {MOST_VALUES} numbers"));
        }
        Ok(())
    }
}

/// The numbers that a line names, each with its other names: `dex (agility, agi), str`.
fn called(line: &Line) -> Result<Vec<Vec<String>>, Mistake> {
    let mut all = Vec::new();
    let mut rest = line.name.as_str();
    while !rest.trim().is_empty() {
        let end = rest.find(['(', ',']).unwrap_or(rest.len());
        let mut names = words(&rest[..end]);
        rest = &rest[end..];
        if names.is_empty() {
            return Err(line.name_wrong("in front of ( goes the name, as in \"dex (agility): 50\""));
        }
        if let Some(open) = rest.strip_prefix('(') {
            let Some((others, behind)) = open.split_once(')') else {
                return Err(line.name_wrong("a ) is missing"));
            };
            names.extend(words(others));
            rest = behind;
        }
        rest = rest.trim_start_matches([',', ' ']);
        if names.len() > MOST_NAMES {
            return Err(line.name_wrong(format!("a number has at most {MOST_NAMES} names")));
        }
        all.push(names);
    }
    Ok(all)
}

/// True for a number that a sheet can have.
fn is_possible(first: &Counter) -> bool {
    let small = |number: i64| (-MOST_NUMBER..=MOST_NUMBER).contains(&number);
    small(first.now) && first.most.is_none_or(|most| small(most) && (0..=most).contains(&first.now))
}
