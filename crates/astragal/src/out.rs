//! Standard output, and last words on standard error. A reader such as `head` may stop when it has enough; then the
//! program ends quietly and successfully.

use crate::owner::shown;
use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, Write};

/// Standard output, with its own error once nobody reads it.
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

/// Standard output. Everything the program prints goes through this.
pub fn out() -> Out {
    Out(io::stdout())
}

/// The form of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For people at a terminal.
    Columns,
}

impl Printed {
    /// The form chosen by the flag `--json`.
    pub fn of(json: bool) -> Self {
        if json { Printed::Json } else { Printed::Text }
    }

    /// The same, in columns if somebody looks at a terminal.
    pub fn here(json: bool) -> Self {
        if !json && out().is_terminal() { Printed::Columns } else { Printed::of(json) }
    }
}

/// Prints a line.
///
/// # Errors
/// Standard output is closed or cannot be written.
pub fn say(line: &str) -> anyhow::Result<()> {
    Ok(writeln!(out(), "{}", shown(line))?)
}

/// A list in columns, for somebody who looks at a terminal.
pub fn columns<const N: usize>(titles: [&str; N], rows: &[[String; N]]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING).set_header(titles).add_rows(rows);
    // The first column begins where the line does.
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt()
}

/// Prints the last words of a failed run: one line.
pub fn complain(error: &anyhow::Error) {
    // There is nowhere left to report that standard error is closed.
    let _ = writeln!(io::stderr(), "astragal: {}", shown(&format!("{error:#}")));
}

/// True if the only failure was that nobody reads the output, which is no failure.
pub fn was_closed(error: &anyhow::Error) -> bool {
    let inner = |cause: &'_ (dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref).is_some_and(|inner| inner.is::<Closed>())
    };
    error.chain().any(inner)
}

impl Out {
    /// True if somebody looks at it.
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

/// Tells a broken pipe of standard output from that of a socket or a file.
fn known(error: io::Error) -> io::Error {
    if error.kind() == ErrorKind::BrokenPipe { io::Error::new(ErrorKind::BrokenPipe, Closed) } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let rows = [["console/hall", "#3"], ["\u{540d}", "#12"]].map(|row| row.map(str::to_owned));
        assert_eq!(columns(["Table", "Last"], &rows), "Table         Last\nconsole/hall  #3\n\u{540d}            #12");
    }
}
