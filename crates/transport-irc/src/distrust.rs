//! Servers that pretended to know the account's password. They are never told it, though the bot may still try a proof
//! that does not reveal it. Changing the password clears the suspicion.

use crate::settings::Settings;
use sha2::Sha256;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The note that stores them.
pub const NOTE: &str = "distrusted";
/// Rounds of hashing. A server that was caught has already seen a proof with this many rounds to guess from.
const ROUNDS: u32 = 4_096;

/// By host: a hash of the password that the server pretended to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distrust(BTreeMap<String, String>);

impl Distrust {
    /// Reads the note.
    pub fn read(note: Option<&str>) -> Self {
        Distrust(note.and_then(|note| serde_json::from_str(note).ok()).unwrap_or_default())
    }

    /// True if the server of these settings was caught while the password was the same.
    pub fn is_about(&self, settings: &Settings) -> bool {
        let caught = self.0.get(&settings.server.to_ascii_lowercase());
        caught.is_some_and(|caught| *caught == mark(settings))
    }

    /// Notes that the server of these settings was caught.
    pub fn note(&mut self, settings: &Settings, notes: &mut BTreeMap<String, Option<String>>) {
        self.0.insert(settings.server.to_ascii_lowercase(), mark(settings));
        notes.insert(NOTE.to_owned(), serde_json::to_string(&self.0).ok());
    }
}

fn mark(settings: &Settings) -> String {
    let password = settings.account_password.as_ref().map_or("", |password| password.expose());
    let account = settings.account.as_deref().unwrap_or_default();
    let salt = format!("astragal distrusts {}, {account}", settings.server.to_ascii_lowercase());
    let mut mark = [0; 32];
    pbkdf2::pbkdf2_hmac::<Sha256>(password.as_bytes(), salt.as_bytes(), ROUNDS, &mut mark);
    mark.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_caught_is_distrusted_until_the_password_is_another() {
        let settings = |server: &str, password: &str| -> Settings {
            let text = format!("server = {server:?}\naccount = \"dice\"\naccount_password = {password:?}");
            toml::from_str(&text).unwrap()
        };
        let (mut distrust, mut notes) = (Distrust::default(), BTreeMap::new());
        assert!(!distrust.is_about(&settings("irc.example", "dragon")));
        distrust.note(&settings("irc.example", "dragon"), &mut notes);
        let noted = notes[NOTE].clone().unwrap();
        assert!(!noted.contains("dragon"), "{noted}");
        let distrust = Distrust::read(Some(&noted));
        assert!(distrust.is_about(&settings("IRC.example", "dragon")));
        assert!(!distrust.is_about(&settings("irc.example", "griffin")));
        assert!(!distrust.is_about(&settings("other.example", "dragon")));
    }
}
