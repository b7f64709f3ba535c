//! What goes wrong between the bot and a network, in words for the operator.

use std::fmt;

/// Characters of what goes wrong: a server may say very much.
const MOST: usize = 400;

/// Why a link cannot be had, or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// In plain words.
    pub what: String,
    /// Waiting mends nothing: the operator must.
    pub lasting: bool,
    /// The server closed the link because too much came at once.
    pub flooded: bool,
}

impl Trouble {
    /// Of the link or the server: another attempt may succeed.
    pub fn link(what: String) -> Self {
        Trouble { what: legible(&what), lasting: false, flooded: false }
    }

    /// Of the settings.
    pub fn setting(what: String) -> Self {
        Trouble { lasting: true, ..Trouble::link(what) }
    }

    /// The server ended the link, and said why.
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

/// What a server said, as it can be shown on a terminal and in a log: without what steers those, and not without end.
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
