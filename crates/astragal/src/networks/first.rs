//! A network in the first configuration, as `astragal init` writes it.

use clap::ArgMatches;
use toml::Value;

/// Where the answers come from to what is asked about a network.
pub enum Answers<'a> {
    /// From flags.
    Flags(&'a ArgMatches),
    /// From whoever sits at the terminal; see [`crate::questions`].
    Terminal,
}

/// A network in the first configuration.
#[derive(Default)]
pub struct First {
    /// Its name.
    pub name: String,
    /// The keys of its section.
    pub keys: Vec<(&'static str, Value)>,
    /// The keys of sections within: the name of the section, the key, the value.
    pub within: Vec<(&'static str, String, Value)>,
    /// Passwords that were typed.
    pub passwords: Vec<Password>,
    /// Who runs the bot, as `network:id`, besides those who were named already.
    pub owners: Vec<String>,
}

/// A password that was typed: it is kept in a file of its own.
pub struct Password {
    /// The key of the section that names the file.
    pub key: &'static str,
    /// The file's name.
    pub file: &'static str,
    /// The password.
    pub text: String,
}

impl First {
    /// One of this name.
    pub fn named(name: impl Into<String>) -> Self {
        First { name: name.into(), ..First::default() }
    }

    /// Sets a key, if there is something to set it to.
    pub fn set(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        self.keys.extend(value.map(|value| (key, value.into())));
    }

    /// Keeps a password, if there is one, in a file that this key names.
    pub fn keep(&mut self, key: &'static str, file: &'static str, password: Option<String>) {
        self.passwords.extend(password.map(|text| Password { key, file, text }));
    }
}
