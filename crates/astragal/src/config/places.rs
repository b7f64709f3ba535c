//! Where the keys of a configuration are, by their path: `irc.libera.nick`, or `rooms.rules.2` for the second of several
//! sections. Does not know what any key means.

use std::ops::Range;
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

/// The line, from 1, of the byte at this place.
pub fn line_at(text: &str, place: usize) -> usize {
    text.bytes().take(place).filter(|byte| *byte == b'\n').count() + 1
}

/// The line of a key, or of the innermost section on its path that is there.
pub fn line_of(text: &str, table: &DeTable<'_>, path: &str) -> Option<usize> {
    let (mut here, mut rest, mut found) = (table, path, None);
    while let Some(((key, value), behind)) =
        first_of(here.iter().map(|(key, value)| (key.get_ref(), (key, value))), rest)
    {
        found = Some(key.span().start);
        rest = behind;
        let mut value = value.get_ref();
        if let DeValue::Array(items) = value {
            let (number, behind) = rest.split_once('.').unwrap_or((rest, ""));
            let item = number.parse().ok().and_then(|number: usize| items.get(number.checked_sub(1)?));
            let Some(item) = item else { break };
            (found, rest, value) = (Some(item.span().start), behind, item.get_ref());
        }
        let DeValue::Table(inner) = value else { break };
        here = inner;
    }
    found.map(|place| line_at(text, place))
}

/// The section in which a key is missing; `None` if it is there, or cannot be there.
pub fn section_that_lacks(table: &Table, path: &str) -> Option<String> {
    let (mut here, mut rest) = (table, path);
    while !rest.is_empty() {
        let Some((value, behind)) = first_of(here.iter(), rest) else {
            return Some(path[..path.len() - rest.len()].trim_end_matches('.').to_owned());
        };
        rest = behind;
        here = value.as_table()?;
    }
    None
}

/// What belongs to the key that a path begins with, and the rest of the path. A key may contain dots.
fn first_of<K: AsRef<str>, V>(keys: impl Iterator<Item = (K, V)>, path: &str) -> Option<(V, &str)> {
    let behind = |key: &str| match path.strip_prefix(key)? {
        "" => Some(""),
        rest => rest.strip_prefix('.'),
    };
    keys.filter_map(|(key, value)| Some((value, behind(key.as_ref())?))).min_by_key(|(_, rest)| rest.len())
}

/// Takes the smallest value at this place in the table's own text out of the table. Returns its path and the value.
pub fn take_out(table: &mut Table, text: &str, place: &Range<usize>) -> Option<(String, Value)> {
    let parsed = DeTable::parse(text).ok()?;
    let steps = steps_in(parsed.get_ref(), place);
    let mut whole = Value::Table(std::mem::take(table));
    let taken = remove(&mut whole, &steps);
    if let Value::Table(rest) = whole {
        *table = rest;
    }
    let path = steps.iter().enumerate().filter_map(|(at, step)| match step {
        Step::Key(key) => Some(key.clone()),
        // A word of a list has no name of its own.
        Step::Item(number) => (at + 1 < steps.len()).then(|| (number + 1).to_string()),
    });
    Some((path.collect::<Vec<_>>().join("."), taken?))
}

/// A step into a table.
enum Step {
    Key(String),
    Item(usize),
}

fn steps_in(table: &DeTable<'_>, place: &Range<usize>) -> Vec<Step> {
    // A section's own place is only its header, so each is looked into.
    let ways = table.iter().filter_map(|(key, value)| {
        let further = steps_at(value, place)?;
        Some(std::iter::once(Step::Key(key.get_ref().to_string())).chain(further).collect())
    });
    ways.max_by_key(Vec::len).unwrap_or_default()
}

fn steps_at(value: &Spanned<DeValue<'_>>, place: &Range<usize>) -> Option<Vec<Step>> {
    let is_here = value.span().start <= place.start && place.end <= value.span().end;
    let within = match value.get_ref() {
        DeValue::Table(inner) => steps_in(inner, place),
        DeValue::Array(items) => {
            let mut ways = items.iter().enumerate().filter_map(|(at, item)| Some((at, steps_at(item, place)?)));
            let way = ways.next().map(|(at, further)| std::iter::once(Step::Item(at)).chain(further).collect());
            way.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    (is_here || !within.is_empty()).then_some(within)
}

fn remove(value: &mut Value, steps: &[Step]) -> Option<Value> {
    let (step, rest) = steps.split_first()?;
    match (step, value, rest) {
        (Step::Key(key), Value::Table(table), []) => table.remove(key),
        (Step::Key(key), Value::Table(table), rest) => remove(table.get_mut(key)?, rest),
        (Step::Item(at), Value::Array(items), []) => (*at < items.len()).then(|| items.remove(*at)),
        (Step::Item(at), Value::Array(items), rest) => remove(items.get_mut(*at)?, rest),
        _ => None,
    }
}
