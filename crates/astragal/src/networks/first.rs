//! A network in the first configuration, as `astragal init` writes it.

use clap::ArgMatches;
use toml::Value;

/// The source of the answers about a network.
pub enum Answers<'a> {
    /// From flags.
    Flags(&'a ArgMatches),
    /// The user at the terminal; see [`crate::questions`].
    Terminal,
}

/// A network in the first configuration.
#[derive(Default)]
pub struct First {
    /// Its name.
    pub name: String,
    /// The keys of its section.
    pub keys: Vec<(&'static str, Value)>,
    /// The keys of sections inside it: the name of the section, the key, the value.
    pub within: Vec<(&'static str, String, Value)>,
    /// The passwords typed.
    pub passwords: Vec<Password>,
    /// Further owners of the bot, as `network:id`.
    pub owners: Vec<String>,
}

/// A password typed by the user; it gets a file of its own.
pub struct Password {
    /// The key, in the section, that names the file.
    pub key: &'static str,
    /// The file's name.
    pub file: &'static str,
    /// The password.
    pub text: String,
}

impl First {
    /// A network with this name.
    pub fn named(name: impl Into<String>) -> Self {
        First { name: name.into(), ..First::default() }
    }

    /// Sets a key, if there is a value.
    pub fn set(&mut self, key: &'static str, value: Option<impl Into<Value>>) {
        self.keys.extend(value.map(|value| (key, value.into())));
    }

    /// Stores a password, if there is one, in a file named by this key.
    pub fn keep(&mut self, key: &'static str, file: &'static str, password: Option<String>) {
        self.passwords.extend(password.map(|text| Password { key, file, text }));
    }
}
