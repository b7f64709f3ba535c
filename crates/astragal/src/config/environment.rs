//! Settings from the environment, which override the file: `ASTRAGAL__IRC__LIBERA__NICK=dicey` is `irc.libera.nick`.

use super::mistakes::{self, Mistake};
use serde_json::Value as Schema;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use toml::{Table, Value};

/// The prefix of their names.
const PREFIX: &str = "ASTRAGAL__";
/// The separator of the keys in a path.
const BETWEEN: &str = "__";

/// The environment of this process, including invalid text.
pub fn environment() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
}

/// What the environment sets.
#[derive(Default)]
pub struct Applied {
    /// The names of the variables, by the keys that they set.
    pub variables: BTreeMap<String, String>,
    /// Variables that lead nowhere, and values of the wrong type.
    pub mistakes: Vec<Mistake>,
}

/// Applies the environment's settings to `table`, except for mistakes.
pub fn apply(table: &mut Table, schema: &Schema, variables: impl Iterator<Item = (OsString, OsString)>) -> Applied {
    let Applied { variables: mut known, mistakes: mut wrong } = Applied::default();
    let ours = |name: &OsStr| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    let mut set: Vec<_> = variables.filter(|(name, _)| ours(name)).collect();
    set.sort();
    for (name, text) in set {
        let (Some(name), Some(text)) = (name.to_str(), text.to_str()) else {
            let name = name.to_string_lossy();
            wrong.push(Mistake::in_variable(&name, "its value is no text in UTF-8: write it as such"));
            continue;
        };
        let path = name[PREFIX.len()..].to_ascii_lowercase();
        let keys: Vec<&str> = path.split(BETWEEN).collect();
        let Some(of) = mistakes::at(schema, &keys) else {
            wrong.push(Mistake::in_variable(name, format!("there is no key {}", keys.join("."))));
            continue;
        };
        let value = read(text, of);
        let found = mistakes::find_in_value(&value, schema, &keys);
        if !found.is_empty() {
            // In the environment, nothing stands in quotation marks.
            let told = found
                .into_iter()
                .map(|what| what.replace(", not a text in quotation marks", &format!(", not {text:?}")));
            wrong.extend(told.map(|what| Mistake::in_variable(name, what)));
            continue;
        }
        known.insert(keys.join("."), name.to_owned());
        if put(table, &keys, value).is_none() {
            wrong.push(Mistake::in_variable(name, format!("{} is no section", keys.join("."))));
        }
    }
    Applied { variables: known, mistakes: wrong }
}

/// The value of a text: as in the file, or the text itself if that is the key's type.
fn read(text: &str, of: &Schema) -> Value {
    let as_written = || format!("value = {text}").parse::<Table>().ok()?.remove("value");
    let kinds = of.get("type").map(ToString::to_string).unwrap_or_default();
    let is_text = kinds.contains("string") || of.get("writeOnly").is_some() || of.get("oneOf").is_some();
    let list = || Value::Array(text.split(',').map(|each| Value::String(each.trim().to_owned())).collect());
    match as_written() {
        _ if is_text => Value::String(text.to_owned()),
        Some(value) => value,
        None if kinds.contains("array") => list(),
        None => Value::String(text.to_owned()),
    }
}

fn put(table: &mut Table, keys: &[&str], value: Value) -> Option<()> {
    let (last, sections) = keys.split_last()?;
    let mut here = table;
    for key in sections {
        here = here.entry(*key).or_insert_with(|| Value::Table(Table::new())).as_table_mut()?;
    }
    here.insert((*last).to_owned(), value);
    Some(())
}
