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

    /// Where a file of a secret is: a relative path is looked for in the service manager's credentials
    /// (`$CREDENTIALS_DIRECTORY`) first.
    pub fn place(file: &Path) -> PathBuf {
        let credential = std::env::var_os("CREDENTIALS_DIRECTORY").map(|directory| Path::new(&directory).join(file));
        credential.filter(|path| path.exists()).unwrap_or_else(|| file.to_owned())
    }

    /// Reads the secret that `file` holds into its place, if a file is named. `what` is the setting's name, which is
    /// `what_file` for the file, which is where [`place`](Self::place) says.
    ///
    /// # Errors
    /// Both are named, or the file cannot be read.
    pub fn read_into(secret: &mut Option<Secret>, file: Option<&Path>, what: &str) -> Result<(), String> {
        let Some(file) = file else { return Ok(()) };
        if secret.is_some() {
            return Err(format!("{what} and {what}_file: one of them is enough"));
        }
        let path = Self::place(file);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| format!("{what}_file: {} cannot be read: {error}", path.display()))?;
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
