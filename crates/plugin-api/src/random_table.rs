//! Random tables: a result for each face of a die. Tables of players make them as they play, and games bring them in their files.

mod line;
mod piece;

pub use line::{After, Line, MOST_LINES, kept, of_kept, read, weighted};
pub use piece::{Piece, canonical, pieces};

use serde::{Deserialize, Serialize};

/// The most characters of a table's name.
pub const MOST_NAME: usize = 32;

/// A random table with its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomTable {
    /// What it is called, as [`folded`] makes it.
    pub name: String,
    /// Its results, in the order of the die's faces.
    pub lines: Vec<Line>,
}

/// A name as tables are found by: in lower case, with single spaces.
pub fn folded(name: &str) -> String {
    name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// The sides of the die that these lines are rolled with.
pub fn sides(lines: &[Line]) -> u32 {
    lines.iter().fold(0, |sides, line| sides.saturating_add(line.weight))
}

/// The line that a die means.
pub fn line_of(lines: &[Line], value: u32) -> Option<&Line> {
    let mut last = 0_u32;
    lines.iter().find(|line| {
        last = last.saturating_add(line.weight);
        value <= last
    })
}
