//! Values that must never be shown: passwords and tokens from a configuration.

use serde::Deserialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// A password or token; `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Finds the secret file that a configuration in the directory `beside` names. A relative path is looked up among
    /// the service manager's credentials (`$CREDENTIALS_DIRECTORY`) first, then next to the configuration. For a
    /// directory loaded as `secrets`, systemd names the credential `secrets_irc` for `secrets/irc`.
    pub fn place(file: &Path, beside: &Path) -> PathBuf {
        let given = std::env::var_os("CREDENTIALS_DIRECTORY").filter(|_| file.is_relative());
        let flat = file.to_string_lossy().replace('/', "_");
        let credentials =
            given.into_iter().flat_map(|given| [file, Path::new(&flat)].map(|name| Path::new(&given).join(name)));
        credentials.into_iter().find(|path| path.exists()).unwrap_or_else(|| beside.join(file))
    }

    /// Reads the secret from `file`, if a file is named, and stores it in `secret`. `what` is the name of the setting;
    /// the file's setting is `what_file`.
    ///
    /// # Errors
    /// Both the secret and the file are given, the file cannot be read, or either is empty.
    pub fn read_into(secret: &mut Option<Secret>, file: Option<&Path>, what: &str) -> Result<(), String> {
        if secret.as_ref().is_some_and(|secret| secret.0.is_empty()) {
            return Err(format!("{what}: it is empty; leave it out if there is none"));
        }
        let Some(file) = file else { return Ok(()) };
        if secret.is_some() {
            return Err(format!("{what} and {what}_file: one of them is enough"));
        }
        let text = std::fs::read_to_string(file)
            .map_err(|error| format!("{what}_file: {} cannot be read: {error}{}", file.display(), elsewhere(file)))?;
        if text.trim_end_matches(['\r', '\n']).is_empty() {
            return Err(format!("{what}_file: {} is empty: write the secret into it", file.display()));
        }
        *secret = Some(Secret(text.trim_end_matches(['\r', '\n']).to_owned()));
        Ok(())
    }
}

/// Where else a file that cannot be read was looked for.
fn elsewhere(file: &Path) -> String {
    match std::env::var_os("CREDENTIALS_DIRECTORY") {
        Some(given) if !file.exists() => {
            let given = Path::new(&given).display();
            format!("; it was looked for among the service manager's credentials in {given} too")
        }
        _ => String::new(),
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// A number is a valid password too; a type error would show the line that contains it.
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
