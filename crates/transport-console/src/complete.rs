//! What Tab completes at a terminal.

use chat::Message;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::sync::Arc;

/// The commands of the console itself.
const OWN: [&str; 5] = ["/as", "/room", "/private", "/edit", "/quit"];

/// Says what may stand where the text of a message ends: at which byte that begins, and each word.
pub type Completes = Arc<dyn Fn(&Message) -> (usize, Vec<String>) + Send + Sync>;

/// Completes the line that somebody types.
pub struct Completing {
    completes: Completes,
    /// The message that the line will be, still without text.
    empty: Option<Message>,
}

impl Completing {
    /// Completes what `completes` knows.
    pub fn new(completes: Completes) -> Self {
        Completing { completes, empty: None }
    }

    /// The next line will be this message.
    pub fn typed_as(&mut self, empty: Message) {
        self.empty = Some(empty);
    }

    fn completed(&self, line: &str) -> (usize, Vec<String>) {
        match &self.empty {
            _ if line.starts_with('/') => {
                (0, OWN.iter().filter(|own| own.starts_with(line)).map(|own| (*own).to_owned()).collect())
            }
            Some(empty) => (self.completes)(&Message { body: line.to_owned(), ..empty.clone() }),
            None => (0, Vec::new()),
        }
    }
}

impl Completer for Completing {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (from, words) = self.completed(&line[..at]);
        // What follows is a word of its own.
        let pair = |word: String| Pair { replacement: format!("{word} "), display: word };
        Ok((from, words.into_iter().map(pair).collect()))
    }
}

impl Hinter for Completing {
    type Hint = String;
}

impl Highlighter for Completing {}

impl Validator for Completing {}

impl Helper for Completing {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_console_completes_its_own_commands_itself() {
        let completing = Completing::new(Arc::new(|_| panic!("nobody is asked")));
        assert_eq!(completing.completed("/p"), (0, vec!["/private".to_owned()]));
        assert_eq!(completing.completed("/as An"), (0, vec![]));
        assert_eq!(completing.completed("!ro"), (0, vec![]));
    }
}
