//! All mistakes of a configuration at once, each with its line: the file compared with the schema of [`Config`].
//!
//! [`Config`]: super::decided::Config

use super::places;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};
use toml::{Spanned, Table};

/// Right values for keys whose values are more than a text.
const EXAMPLES: [(&str, &str); 4] = [
    ("owners", "libera:account:mia"),
    ("admin_rooms", "libera/#tavern"),
    ("watch.listen", "127.0.0.1:9464"),
    ("page.listen", "127.0.0.1:9465"),
];

/// A mistake in a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line in the file, from 1; `None` if it is about the whole file, or not in it.
    pub line: Option<usize>,
    /// The variable of the environment that it is in, if it is in one.
    pub variable: Option<String>,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, &self.variable) {
            (_, Some(variable)) => write!(f, "{variable} in the environment: {}", self.what),
            (Some(line), None) => write!(f, "line {line}: {}", self.what),
            (None, None) => f.write_str(&self.what),
        }
    }
}

impl Mistake {
    /// A mistake without a line.
    pub fn of(what: impl fmt::Display) -> Self {
        Mistake { line: None, variable: None, what: what.to_string() }
    }

    /// A mistake in a variable of the environment.
    pub fn in_variable(name: &str, what: impl Into<String>) -> Self {
        Mistake { line: None, variable: Some(name.to_owned()), what: what.into() }
    }

    /// The error from parsing the text.
    pub fn in_text(text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| places::line_at(text, span.start));
        Mistake { line, variable: None, what: error.message().lines().next().unwrap_or_default().to_owned() }
    }

    /// The error of a value that fits the schema and still is none, such as an address.
    pub fn in_value(path: &str, value: &toml::Value, error: &toml::de::Error) -> Self {
        let example = EXAMPLES.iter().find(|(key, _)| *key == path);
        Mistake::of(match example {
            Some((_, example)) => format!("{path}: {value} is not right; \"{example}\" is"),
            None => format!("{path}: {}", error.message().lines().next().unwrap_or_default()),
        })
    }

    /// Finds the variable that sets the key that its message begins with, or else the line of the key or its section.
    pub fn look_for_place(&mut self, text: &str, variables: &BTreeMap<String, String>) {
        let name = self.path().and_then(|path| variables.get(&path));
        if self.line.is_none() && self.variable.is_none() && name.is_some() {
            self.variable = name.cloned();
            return;
        }
        if self.variable.is_some() {
            return;
        }
        let Ok(table) = DeTable::parse(text) else { return };
        let found = self.path().and_then(|path| places::line_of(text, table.get_ref(), &path));
        self.line = self.line.or(found);
    }

    /// True if it is about a key that is not in the table, in a section from which something was taken out: what a section
    /// lacks may be just that.
    pub fn follows_from(&self, maimed: &BTreeSet<String>, table: &Table) -> bool {
        let lacking = self.path().and_then(|path| places::section_that_lacks(table, &path));
        lacking.is_some_and(|section| maimed.contains(&section))
    }

    /// What it is about, by its first words: `irc.a: nick and user: wrong` is about `irc.a.nick`.
    fn path(&self) -> Option<String> {
        let parts: Vec<&str> = self.what.split(": ").collect();
        let first = |part: &str| part.split(' ').next().unwrap_or_default().to_owned();
        match parts.as_slice() {
            [section, key, _, ..] => Some(format!("{}.{}", first(section), first(key))),
            [key, _] => Some(first(key)),
            _ => None,
        }
    }
}

/// The result of comparing a text with its schema.
pub struct Found {
    /// The parts without mistakes; empty if the text cannot be parsed.
    pub table: Table,
    /// Syntax errors, unknown keys, and values of the wrong type.
    pub mistakes: Vec<Mistake>,
    /// The sections from which something was removed.
    pub maimed: BTreeSet<String>,
}

/// Compares a text with its schema.
pub fn find(text: &str, schema: &Value) -> Found {
    let (mut table, errors) = DeTable::parse_recoverable(text);
    let line = |at: usize| Some(places::line_at(text, at));
    let mut mistakes = unreadable(text, errors);
    if !mistakes.is_empty() {
        // The rest of the file cannot be known.
        return Found { table: Table::new(), mistakes, maimed: BTreeSet::new() };
    }
    let mut walk = Walk { schema, found: Vec::new(), maimed: BTreeSet::new() };
    walk.table(table.get_mut(), schema, "");
    mistakes.extend(walk.found.into_iter().map(|(at, what)| Mistake { line: line(at), variable: None, what }));
    let table = Table::deserialize(Deserializer::from(table)).unwrap_or_else(|error| {
        mistakes.push(Mistake::in_text(text, &error));
        Table::new()
    });
    Found { table, mistakes, maimed: walk.maimed }
}

/// Syntax errors. A section or key that is there twice is named, and what is in the second section is not reported: it is
/// all there twice.
fn unreadable(text: &str, errors: Vec<toml::de::Error>) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let mut again = 0..0;
    for error in errors {
        let place = error.span().unwrap_or_default();
        let mut mistake = Mistake::in_text(text, &error);
        if error.message() == "duplicate key" {
            if again.contains(&place.start) {
                continue;
            }
            let start = text[..place.start].rfind('\n').map_or(0, |end| end + 1);
            let line = text[start..].lines().next().unwrap_or_default().trim();
            if line.starts_with('[') {
                let end = text[place.end..].find("\n[").map_or(text.len(), |end| place.end + end);
                again = start..end;
                mistake.what = format!("the section {line} is there already: put its keys into the first one");
            } else {
                mistake.what = format!("the key {} is there already, in the same section", &text[place]);
            }
        }
        mistakes.push(mistake);
    }
    mistakes
}

/// The mistakes in the value of a key, as written in a file. The value is empty if nothing of it is right.
pub fn find_in_value(value: &toml::Value, schema: &Value, path: &[&str]) -> Vec<String> {
    let Some(of) = at(schema, path) else { return Vec::new() };
    let text = format!("value = {value}");
    let Ok(mut table) = DeTable::parse(&text) else { return Vec::new() };
    let mut walk = Walk { schema, found: Vec::new(), maimed: BTreeSet::new() };
    for (_, value) in table.get_mut().iter_mut() {
        walk.value(value, of, &path.join("."));
    }
    walk.found.into_iter().map(|(_, what)| what).collect()
}

/// The part of the schema that `path` leads to, if any.
pub fn at<'s>(schema: &'s Value, path: &[&str]) -> Option<&'s Value> {
    path.iter().try_fold(schema, |here, key| key_of(schema, resolved(schema, here), key))
}

/// True if a value must never be shown.
pub fn is_secret(schema: &Value) -> bool {
    schema.get("writeOnly").is_some()
}

/// Walks through a text and takes out what is wrong.
struct Walk<'s> {
    schema: &'s Value,
    found: Vec<(usize, String)>,
    maimed: BTreeSet<String>,
}

impl Walk<'_> {
    fn table(&mut self, table: &mut DeTable<'_>, schema: &Value, path: &str) {
        let schema = resolved(self.schema, schema).clone();
        let all = std::mem::take(table).into_iter();
        let right = all.filter_map(|(key, mut value)| {
            let name = key.get_ref().as_ref();
            let inner = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            let right = match key_of(self.schema, &schema, name) {
                Some(of) => self.value(&mut value, of, &inner),
                None => {
                    self.found.push((key.span().start, unknown(&inner, name, &schema)));
                    false
                }
            };
            if !right {
                self.maimed.insert(path.to_owned());
            }
            right.then_some((key, value))
        });
        *table = right.collect();
    }

    /// Returns true if a value may stay, after taking out what is wrong inside it.
    fn value<'t>(&mut self, value: &mut Spanned<DeValue<'t>>, schema: &Value, path: &str) -> bool {
        let schema = resolved(self.schema, schema).clone();
        if is_secret(&schema) {
            // A number is a password too, and no error may show it.
            return true;
        }
        let at = value.span().start;
        let wrong = match (value.get_mut(), kind(&schema)) {
            (DeValue::Table(table), "object") => {
                self.table(table, &schema, path);
                None
            }
            (DeValue::Array(items), "array") => {
                if let Some(item) = schema.get("items") {
                    let all = std::mem::replace(items, DeArray::from_iter([]));
                    *items = all
                        .into_iter()
                        .filter_map(|mut each| self.value(&mut each, item, path).then_some(each))
                        .collect();
                }
                None
            }
            (DeValue::Integer(number), "integer") => {
                let bound = |name: &str| schema.get(name).and_then(Value::as_i64);
                let number = i64::from_str_radix(number.as_str(), number.radix()).ok();
                let low = bound("minimum").is_some_and(|least| number.is_none_or(|number| number < least));
                let high = bound("maximum").is_some_and(|most| number.is_none_or(|number| number > most));
                match (bound("minimum"), bound("maximum")) {
                    (Some(least), Some(most)) if low || high => Some(format!("a whole number from {least} to {most}")),
                    (Some(least), None) if low => Some(format!("a whole number from {least} up")),
                    _ => number.is_none().then(|| "that number is too large".to_owned()),
                }
            }
            (DeValue::String(text), "string") => {
                let words = words(&schema);
                let one = words.is_empty() || words.contains(&text.as_ref());
                (!one).then(|| format!("one of {}", words.join(", ")))
            }
            (DeValue::Boolean(_), "boolean") | (_, "") => None,
            (other, kind) => {
                let right = section_of_names(other, &schema, path).unwrap_or_default();
                Some(format!("{}, not {}{right}", named(kind), named(type_of(other))))
            }
        };
        let right = wrong.is_none();
        self.found.extend(wrong.map(|what| (at, format!("{path}: {what}"))));
        right
    }
}

/// How a list of names is written where each name has a section of its own.
fn section_of_names(value: &DeValue<'_>, schema: &Value, path: &str) -> Option<String> {
    let DeValue::Array(items) = value else { return None };
    schema.get("additionalProperties").filter(|any| any.is_object())?;
    let name = items.iter().find_map(|item| item.get_ref().as_str()).unwrap_or("#tavern");
    Some(format!(": [{path}], and in it a line {name:?} = {{}} for each"))
}

/// Resolves references and optional types in a schema.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return root.pointer(name.trim_start_matches('#')).map_or(schema, |behind| resolved(root, behind));
    }
    let there = |all: &'s Value| all.as_array()?.iter().find(|each| each.get("type").is_none_or(|kind| kind != "null"));
    match schema.get("anyOf").and_then(there) {
        Some(only) => resolved(root, only),
        None => schema,
    }
}

fn key_of<'s>(root: &'s Value, schema: &'s Value, key: &str) -> Option<&'s Value> {
    let known = schema.get("properties").and_then(|keys| keys.get(key));
    // `true` means anything: a section for a network that this program is built without is read whole, and refused
    // later.
    let any = || schema.get("additionalProperties").filter(|any| any.is_object() || **any == true);
    known.or_else(any).map(|found| if is_secret(found) { found } else { resolved(root, found) })
}

/// The type that a value must have.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or(""),
        _ if !words(schema).is_empty() => "string",
        _ => "",
    }
}

/// The words that a value can be.
fn words(schema: &Value) -> Vec<&str> {
    let several = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let consts = several("oneOf").filter_map(|each| each.get("const")?.as_str());
    several("enum").filter_map(Value::as_str).chain(consts).collect()
}

fn unknown(path: &str, name: &str, schema: &Value) -> String {
    let none = Map::new();
    let keys = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let hint = match plugin_api::suggest(name, keys.keys().map(String::as_str)) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("there are {}", keys.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    format!("there is no key {path}: {hint}")
}

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "string",
        DeValue::Integer(_) => "integer",
        DeValue::Float(_) => "number",
        DeValue::Boolean(_) => "boolean",
        DeValue::Datetime(_) => "date",
        DeValue::Array(_) => "array",
        DeValue::Table(_) => "object",
    }
}

fn named(kind: &str) -> &str {
    match kind {
        "string" => "a text in quotation marks",
        "integer" => "a whole number",
        "number" => "a fraction",
        "boolean" => "true or false",
        "array" => "a list in brackets",
        "object" => "a section",
        other => other,
    }
}
