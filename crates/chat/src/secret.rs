//! What must never be shown: passwords and tokens out of a configuration.

use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// A password or token: never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Where a file of a secret is that a configuration in the directory `beside` names. A relative path is looked for among
    /// the service manager's credentials (`$CREDENTIALS_DIRECTORY`) first, where systemd calls `secrets/irc` of a loaded
    /// directory `secrets_irc`, and then beside the configuration.
    pub fn place(file: &Path, beside: &Path) -> PathBuf {
        let given = std::env::var_os("CREDENTIALS_DIRECTORY").filter(|_| file.is_relative());
        let flat = file.to_string_lossy().replace('/', "_");
        let credentials =
            given.into_iter().flat_map(|given| [file, Path::new(&flat)].map(|name| Path::new(&given).join(name)));
        credentials.into_iter().find(|path| path.exists()).unwrap_or_else(|| beside.join(file))
    }

    /// Reads the secret that `file` holds into its place, if a file is named. `what` is the setting's name, which is
    /// `what_file` for the file.
    ///
    /// # Errors
    /// Both are named, or the file cannot be read.
    pub fn read_into(secret: &mut Option<Secret>, file: Option<&Path>, what: &str) -> Result<(), String> {
        let Some(file) = file else { return Ok(()) };
        if secret.is_some() {
            return Err(format!("{what} and {what}_file: one of them is enough"));
        }
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{what}_file: {} cannot be read: {error}", file.display()))?;
        *secret = Some(Secret(text.trim_end_matches(['\r', '\n']).to_owned()));
        Ok(())
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// A number is a password too: an error would show the line with it.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Word {
            Text(String),
            Whole(i64),
            Yes(bool),
        }
        Ok(Secret(match Word::deserialize(deserializer)? {
            Word::Text(text) => text,
            Word::Whole(number) => number.to_string(),
            Word::Yes(word) => word.to_string(),
        }))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
