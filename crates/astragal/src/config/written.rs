//! A configuration before it is checked: the contents of the file and the environment, with their mistakes.

use super::decided::Config;
use super::environment::{self, Applied};
use super::mistakes::{self, Found, Mistake};
use super::places;
use crate::networks::Kinds;
use crate::remote::Remote;
use anyhow::Context;
use chat::Secret;
use schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use toml::Table;

/// The ending of keys that name files with secrets.
const FILE: &str = "_file";

/// The file, overridden by the environment.
pub struct Written {
    /// The kinds of networks it may name.
    kinds: Kinds,
    table: Table,
    mistakes: Vec<Mistake>,
    /// The sections from which a mistake was removed.
    maimed: BTreeSet<String>,
    text: String,
    /// The variables of the environment that set something, by its key.
    variables: BTreeMap<String, String>,
    /// The directory of the file.
    beside: PathBuf,
}

impl Written {
    /// Reads the file, if there is one, and the environment.
    ///
    /// # Errors
    /// The file cannot be read. Mistakes in it are noted instead.
    pub fn read(
        path: Option<&Path>,
        environment: impl Iterator<Item = (OsString, OsString)>,
        kinds: &Kinds,
    ) -> anyhow::Result<Self> {
        let text = match path {
            Some(path) => {
                std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?
            }
            None => String::new(),
        };
        let beside = path.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
        Ok(Written::of(text, beside, environment, kinds))
    }

    /// The configuration in this text, which may name files relative to the directory `beside`.
    pub fn of(
        text: String,
        beside: PathBuf,
        environment: impl Iterator<Item = (OsString, OsString)>,
        kinds: &Kinds,
    ) -> Self {
        let schema = schema(kinds);
        let Found { mut table, mut mistakes, maimed } = mistakes::find(&text, &schema);
        let Applied { variables, mistakes: of_variables } = environment::apply(&mut table, &schema, environment);
        mistakes.extend(of_variables);
        Written { kinds: kinds.clone(), table, mistakes, maimed, text, variables, beside }
    }

    /// Checks everything and returns the configuration.
    ///
    /// # Errors
    /// All its mistakes.
    pub fn into_config(mut self) -> Result<Config, Vec<Mistake>> {
        place(&mut self.table, &self.beside, &schema(&self.kinds), &mut Vec::new());
        let mut mistakes = std::mem::take(&mut self.mistakes);
        let mut config = self.readable(&mut mistakes)?;
        let mut meaningless = config.meaningless();
        config.read_decks(&self.beside, &mut meaningless);
        config.games = config.games.map(|games| self.beside.join(games));
        let complete = config.complete(&mut meaningless);
        meaningless.retain(|mistake| !mistake.follows_from(&self.maimed, &self.table));
        mistakes.extend(meaningless);
        mistakes.iter_mut().for_each(|mistake| mistake.look_for_place(&self.text, &self.variables));
        mistakes.sort_by_key(|mistake| mistake.line.unwrap_or(usize::MAX));
        if mistakes.is_empty() { Ok(complete) } else { Err(mistakes) }
    }

    /// The configuration without the values that cannot be read, which are noted.
    fn readable(&mut self, mistakes: &mut Vec<Mistake>) -> Result<Config, Vec<Mistake>> {
        loop {
            let text = self.table.to_string();
            let error = match Config::of(&text, &self.kinds) {
                Ok(config) => return Ok(config),
                Err(error) => error,
            };
            let taken = error.span().and_then(|place| places::take_out(&mut self.table, &text, &place));
            let Some((path, value)) = taken else {
                mistakes.push(Mistake::of(error.message()));
                return Err(std::mem::take(mistakes));
            };
            let (right, wrong) = self.parted(&path, value);
            right.map(|items| self.table.insert(path.clone(), items));
            mistakes.extend(wrong.iter().map(|value| Mistake::in_value(&path, value, &error)));
            self.maimed.insert(path.rsplit_once('.').map_or("", |(section, _)| section).to_owned());
        }
    }

    /// The items of a list that can be read, as a list, and those that cannot; anything else cannot be read.
    fn parted(&self, key: &str, value: toml::Value) -> (Option<toml::Value>, Vec<toml::Value>) {
        let toml::Value::Array(items) = value else { return (None, vec![value]) };
        let can_be = |item: &toml::Value| Config::of(&format!("{key} = [{item}]"), &self.kinds).is_ok();
        let (right, wrong): (Vec<_>, Vec<_>) = items.into_iter().partition(can_be);
        match wrong.is_empty() || key.contains('.') {
            true => (None, vec![toml::Value::Array(right.into_iter().chain(wrong).collect())]),
            false => (Some(toml::Value::Array(right)), wrong),
        }
    }

    /// The files with secrets that everybody on this machine can read: the configuration itself, or ones it names.
    pub fn exposed(&self, path: Option<&Path>) -> Vec<PathBuf> {
        let (schema, mut files) = (schema(&self.kinds), Vec::new());
        let mut own = false;
        each_value(&self.table, &mut Vec::new(), &mut |keys, value| {
            let is_bare = keys == ["store", "postgres"] && value.as_str().is_some_and(Remote::names_no_password);
            own |= !is_bare && mistakes::at(&schema, keys).is_some_and(mistakes::is_secret);
            let names_one = keys.last().is_some_and(|key| key.ends_with(FILE));
            files.extend(value.as_str().filter(|_| names_one).map(|file| Secret::place(Path::new(file), &self.beside)));
        });
        files.extend(path.filter(|_| own).map(Path::to_owned));
        let open = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o004 != 0);
        files.into_iter().filter(open).collect()
    }

    /// What is written, without defaults.
    pub fn shown(&self, secrets: Secrets) -> anyhow::Result<String> {
        if self.table.is_empty() {
            return Ok("# Nothing is set: all settings have their defaults.\n".to_owned());
        }
        let mut table = self.table.clone();
        if secrets == Secrets::Hidden {
            hide(&mut table, &schema(&self.kinds), &mut Vec::new());
        }
        Ok(toml::to_string_pretty(&table)?)
    }
}

/// Whether to show secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secrets {
    /// They are.
    Shown,
    /// Placeholders are shown instead.
    Hidden,
}

/// The JSON schema of the file.
pub fn schema(kinds: &Kinds) -> Value {
    let mut generator = SchemaGenerator::default();
    let sections: Vec<_> = kinds.iter().map(|kind| (kind.names().section, kind.schema(&mut generator))).collect();
    let mut schema = generator.into_root_schema_for::<Config>().to_value();
    for (section, of) in sections {
        schema["properties"][section] = of.to_value();
    }
    schema
}

/// Goes through all values other than sections, with the path of keys to each.
fn each_value<'t>(table: &'t Table, path: &mut Vec<&'t str>, look: &mut dyn FnMut(&[&str], &toml::Value)) {
    for (key, value) in table {
        path.push(key);
        match value {
            toml::Value::Table(inner) => each_value(inner, path, look),
            value => look(path, value),
        }
        path.pop();
    }
}

/// Resolves the paths of files: those that hold secrets, and those that the schema says are files.
fn place(table: &mut Table, beside: &Path, schema: &Value, path: &mut Vec<String>) {
    for (key, value) in table.iter_mut() {
        path.push(key.clone());
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        let is_file = || mistakes::at(schema, &keys).is_some_and(|of| of.get("format").is_some_and(|is| is == "path"));
        match value {
            toml::Value::Table(inner) => place(inner, beside, schema, path),
            toml::Value::String(file) if key.ends_with(FILE) || is_file() => {
                let placed = Secret::place(Path::new(file.as_str()), beside);
                // A whole path says where it was looked for.
                let whole = std::path::absolute(&placed).unwrap_or(placed);
                *file = whole.to_string_lossy().into_owned();
            }
            _ => {}
        }
        path.pop();
    }
}

fn hide(table: &mut Table, schema: &Value, path: &mut Vec<String>) {
    for (key, value) in table.iter_mut() {
        path.push(key.clone());
        let keys: Vec<&str> = path.iter().map(String::as_str).collect();
        // A key unknown to the schema, as in a program built without its network, may be a secret too.
        let secret = mistakes::at(schema, &keys).is_none_or(mistakes::is_secret);
        match value {
            toml::Value::Table(inner) => hide(inner, schema, path),
            value if secret => *value = toml::Value::String("[secret]".to_owned()),
            _ => {}
        }
        path.pop();
    }
}
