//! Lines typed at a terminal, or read from a pipe.

use crate::complete::{Completes, Completing};
use chat::Message;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// The most bytes kept of a line; the core accepts fewer, and says so.
const MOST_LINE: usize = 64 << 10;

/// The source of lines.
pub enum Input {
    /// A terminal, with line editing, completion and a history file.
    Terminal(Box<Editor<Completing, FileHistory>>, PathBuf),
    /// Anything else.
    Pipe(BufReader<Box<dyn Read + Send>>),
}

impl Input {
    /// A terminal, with the history stored in `history`, where Tab completes what `completes` knows.
    ///
    /// # Errors
    /// There is no terminal.
    pub fn terminal(history: &Path, completes: Completes) -> io::Result<Self> {
        let config = Config::builder().auto_add_history(true).completion_type(CompletionType::List).build();
        let mut editor = Editor::with_config(config).map_err(io::Error::other)?;
        editor.set_helper(Some(Completing::new(completes)));
        if history.exists() {
            editor.load_history(history).map_err(io::Error::other)?;
        }
        Ok(Input::Terminal(Box::new(editor), history.to_owned()))
    }

    /// The lines of `read`.
    pub fn pipe(read: impl Read + Send + 'static) -> Self {
        Input::Pipe(BufReader::new(Box::new(read)))
    }

    /// True if somebody types there.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Input::Terminal(..))
    }

    /// The next line without its line end; `None` at the end of the input. `empty` is the message that it will be.
    pub fn next(&mut self, prompt: &str, empty: Message) -> io::Result<Option<String>> {
        match self {
            Input::Terminal(editor, _) => {
                editor.helper_mut().into_iter().for_each(|helper| helper.typed_as(empty.clone()));
                loop {
                    match editor.readline(prompt) {
                        Ok(line) => return Ok(Some(line)),
                        Err(ReadlineError::Eof) => return Ok(None),
                        // Ctrl-C drops the line, as in a shell.
                        Err(ReadlineError::Interrupted) => {}
                        Err(error) => return Err(io::Error::other(error)),
                    }
                }
            }
            Input::Pipe(read) => bounded_line(read),
        }
    }

    /// Stores the history.
    pub fn close(&mut self) {
        if let Input::Terminal(editor, history) = self {
            // A history that cannot be stored is no reason to end with an error.
            let _ = editor.save_history(history);
        }
    }
}

/// Reads a line of any bytes; if it is longer than [`MOST_LINE`], only the beginning.
fn bounded_line(read: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let mut ended = true;
    loop {
        let available = read.fill_buf()?;
        if available.is_empty() {
            break;
        }
        ended = false;
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = &available[..end.unwrap_or(available.len())];
        let room = MOST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&taken[..taken.len().min(room)]);
        let used = taken.len() + usize::from(end.is_some());
        read.consume(used);
        if end.is_some() {
            break;
        }
    }
    Ok((!ended).then(|| String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut read = BufReader::with_capacity(7, bytes);
        std::iter::from_fn(|| bounded_line(&mut read).unwrap()).collect()
    }

    #[test]
    fn lines_of_any_bytes_are_read() {
        assert_eq!(lines(b"one\n\ntwo \xff\nlast"), ["one", "", "two \u{fffd}", "last"]);
        assert_eq!(lines(b""), [""; 0]);
    }

    #[test]
    fn of_an_endless_line_only_the_beginning_is_kept() {
        let mut bytes = vec![b'x'; 1 << 20];
        bytes.extend_from_slice(b"\nnext\n");
        let read = lines(&bytes);
        assert_eq!((read[0].len(), read[1].as_str()), (MOST_LINE, "next"));
    }
}
