//! Standard output, and the last words on standard error. Whoever reads what is printed may stop when they have enough, as
//! `head` does: then the program ends quietly, and well.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Standard output, with an error of its own once nobody reads it.
pub struct Out(io::Stdout);

/// Nobody reads standard output any more.
#[derive(Debug)]
struct Closed;

impl std::error::Error for Closed {}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("standard output is closed")
    }
}

/// Standard output. Everything the program prints goes there by this.
pub fn out() -> Out {
    Out(io::stdout())
}

/// In which form something is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Printed {
    /// As the flag `--json` asks for it.
    pub fn of(json: bool) -> Self {
        if json { Printed::Json } else { Printed::Text }
    }
}

/// Prints a line.
///
/// # Errors
/// Standard output is closed or cannot be written.
pub fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(out(), "{line}")?)
}

/// The last words of a run that failed: one line.
pub fn complain(error: &anyhow::Error) {
    // There is nowhere left to report that standard error is closed.
    let _ = writeln!(io::stderr(), "astragal: {error:#}");
}

/// Whether it failed for nothing but that nobody reads what is printed: that is no failure.
pub fn was_closed(error: &anyhow::Error) -> bool {
    let inner = |cause: &'_ (dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<Closed>())
    };
    error.chain().any(inner)
}

impl Out {
    /// Whether somebody looks at it.
    pub fn is_terminal(&self) -> bool {
        self.0.is_terminal()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(known)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(known)
    }
}

/// A broken pipe, apart from that of a socket or a file.
fn known(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::BrokenPipe { io::Error::new(ErrorKind::BrokenPipe, Closed) } else { error }
}
