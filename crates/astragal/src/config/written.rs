//! A configuration before it is checked: the contents of the file and the environment, with their mistakes.

use super::decided::Config;
use super::environment;
use super::mistakes::{self, Found, Mistake};
use crate::networks::Kinds;
use anyhow::Context;
use chat::Secret;
use schemars::SchemaGenerator;
use serde_json::Value;
use std::collections::BTreeSet;
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
        let schema = schema(kinds);
        let Found { mut table, mut mistakes, maimed } = mistakes::find(&text, &schema);
        mistakes.extend(environment::apply(&mut table, &schema, environment));
        let beside = path.and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
        Ok(Written { kinds: kinds.clone(), table, mistakes, maimed, text, beside })
    }

    /// Checks everything and returns the configuration.
    ///
    /// # Errors
    /// All its mistakes.
    pub fn into_config(mut self) -> Result<Config, Vec<Mistake>> {
        place(&mut self.table, &self.beside);
        let config = match Config::of(&self.table.to_string(), &self.kinds) {
            Ok(config) => config,
            Err(error) if self.mistakes.is_empty() => {
                // Mistakes in the file itself have a line.
                let placed = Config::of(&self.text, &self.kinds).err();
                let mistake = placed.map_or_else(|| Mistake::of(error), |error| Mistake::in_text(&self.text, &error));
                return Err(vec![mistake]);
            }
            Err(_) => return Err(self.mistakes),
        };
        let mut meaningless = config.meaningless();
        let complete = config.complete(&mut meaningless);
        // Something a section lacks may be what was removed from it.
        meaningless.retain(|mistake| !self.maimed.iter().any(|section| mistake.is_about(section)));
        meaningless.iter_mut().for_each(|mistake| mistake.look_for_line(&self.text));
        self.mistakes.extend(meaningless);
        self.mistakes.sort_by_key(|mistake| mistake.line.unwrap_or(usize::MAX));
        if self.mistakes.is_empty() { Ok(complete) } else { Err(self.mistakes) }
    }

    /// The files with secrets that everybody on this machine can read: the configuration itself, or ones it names.
    pub fn exposed(&self, path: Option<&Path>) -> Vec<PathBuf> {
        let (schema, mut files) = (schema(&self.kinds), Vec::new());
        let mut own = false;
        each_value(&self.table, &mut Vec::new(), &mut |keys, value| {
            own |= mistakes::at(&schema, keys).is_some_and(mistakes::is_secret);
            let names_one = keys.last().is_some_and(|key| key.ends_with(FILE));
            files.extend(value.as_str().filter(|_| names_one).map(|file| Secret::place(Path::new(file), &self.beside)));
        });
        files.extend(path.filter(|_| own).map(Path::to_owned));
        let open = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o004 != 0);
        files.into_iter().filter(open).collect()
    }

    /// What is written, without defaults.
    pub fn shown(&self, secrets: Secrets) -> anyhow::Result<String> {
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

/// Resolves the paths of files that hold secrets.
fn place(table: &mut Table, beside: &Path) {
    for (key, value) in table.iter_mut() {
        match value {
            toml::Value::Table(inner) => place(inner, beside),
            toml::Value::String(file) if key.ends_with(FILE) => {
                *file = Secret::place(Path::new(file.as_str()), beside).to_string_lossy().into_owned();
            }
            _ => {}
        }
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
