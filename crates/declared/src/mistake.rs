//! What is wrong in a file, said to whoever wrote it: where, what, and what may have been meant.

use std::fmt;
use std::ops::Range;

/// The most mistakes that are told at once.
pub const MOST: usize = 20;

/// A mistake in one line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line's number, from 1.
    pub line: usize,
    /// The wrong part of the line, in characters from 0; empty for a place between two.
    pub at: Range<usize>,
    /// The line as it was read.
    pub text: String,
    /// What is wrong, as a sentence without its full stop.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let marks = "^".repeat(self.at.len().max(1));
        let stop = if self.what.ends_with('?') { "" } else { "." };
        writeln!(f, "line {number}, column {}: {}{stop}", self.at.start + 1, self.what)?;
        writeln!(f, "  {number} | {}", self.text)?;
        write!(f, "  {} | {}{marks}", " ".repeat(number.len()), " ".repeat(self.at.start))
    }
}

/// All mistakes of a file, from its first line to its last.
#[derive(Clone, Debug, Default, PartialEq, Eq, thiserror::Error)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistakes {
    /// The first of them in one line, for a chat: `line 4: ...; line 7: ...; and 2 more`.
    pub fn in_a_line(&self, most: usize) -> String {
        let said = self.0.iter().take(most).map(|mistake| format!("line {}: {}", mistake.line, mistake.what));
        let more = self.0.len().saturating_sub(most);
        said.chain((more > 0).then(|| format!("and {more} more"))).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown: Vec<String> = self.0.iter().take(MOST).map(Mistake::to_string).collect();
        f.write_str(&shown.join("\n"))?;
        match self.0.len().saturating_sub(MOST) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more."),
        }
    }
}
