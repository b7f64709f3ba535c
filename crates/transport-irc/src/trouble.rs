//! What goes wrong between the bot and a network, in words for the operator.

use std::fmt;

/// Why a link cannot be had, or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In plain words.
    pub what: String,
    /// Waiting mends nothing: the operator must.
    pub lasting: bool,
}

impl Trouble {
    /// Of the link or the server: another attempt may succeed.
    pub fn link(what: String) -> Self {
        Trouble { what, lasting: false }
    }

    /// Of the settings.
    pub fn setting(what: String) -> Self {
        Trouble { what, lasting: true }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}
