//! Problems between the bot and a network, in words for the operator.

use std::fmt;

/// The most characters of a message: a server may send very long ones.
const MOST: usize = 400;

/// Why a link failed or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In plain words.
    pub what: String,
    /// True if waiting does not help: the operator must act.
    pub lasting: bool,
    /// True if the server closed the link because too much came at once.
    pub flooded: bool,
}

impl Trouble {
    /// A problem of the link or the server; another attempt may succeed.
    pub fn link(what: String) -> Self {
        Trouble { what: legible(&what), lasting: false, flooded: false }
    }

    /// A problem of the settings.
    pub fn setting(what: String) -> Self {
        Trouble { lasting: true, ..Trouble::link(what) }
    }

    /// The server ended the link and gave this reason.
    pub fn closed(why: &str) -> Self {
        let flooded = ["flood", "recvq"].iter().any(|word| why.to_ascii_lowercase().contains(word));
        Trouble { flooded, ..Trouble::link(format!("the server closed the link: {why}")) }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Makes a server's text fit for a terminal and a log: without control characters, and of limited length.
pub fn legible(said: &str) -> String {
    chat::cut(&chat::clean(said), MOST).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_words_do_not_steer_a_terminal() {
        let trouble = Trouble::closed(&format!("\x1b]0;owned\x07\u{9b}2J{}", "x".repeat(10_000)));
        assert!(!trouble.what.contains(char::is_control), "{trouble}");
        assert!(trouble.what.chars().count() <= MOST && !trouble.flooded);
        assert!(Trouble::closed("Closing Link: (Excess Flood)").flooded);
        assert!(Trouble::closed("RecvQ exceeded").flooded);
    }
}
