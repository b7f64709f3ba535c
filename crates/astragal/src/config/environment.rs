//! Settings from the environment, which override the file: `ASTRAGAL__IRC__LIBERA__NICK=dicey` is `irc.libera.nick`.

use super::mistakes::{self, Mistake};
use serde_json::Value as Schema;
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

/// Applies the environment's settings to `table`; one that leads nowhere is a mistake.
pub fn apply(
    table: &mut Table,
    schema: &Schema,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Vec<Mistake> {
    let mut wrong = Vec::new();
    let ours = |name: &OsStr| name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
    let mut set: Vec<_> = variables.filter(|(name, _)| ours(name)).collect();
    set.sort();
    for (name, text) in set {
        let (Some(name), Some(text)) = (name.to_str(), text.to_str()) else {
            let name = name.to_string_lossy();
            wrong.push(Mistake::of(format!(
                "the environment sets {name} to what is no text in UTF-8: write it as such"
            )));
            continue;
        };
        let path = name[PREFIX.len()..].to_ascii_lowercase();
        let keys: Vec<&str> = path.split(BETWEEN).collect();
        let Some(of) = mistakes::at(schema, &keys) else {
            let what = format!("the environment sets {name}, and there is no {}", keys.join("."));
            wrong.push(Mistake::of(what));
            continue;
        };
        if put(table, &keys, read(text, of)).is_none() {
            wrong.push(Mistake::of(format!("the environment sets {name}, and {} is no section", keys.join("."))));
        }
    }
    wrong
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
