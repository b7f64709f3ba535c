//! The group for which a line is played line by line.

/// The group whose lines are being played.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The number of its first entry.
    pub first: u64,
    /// What was put into the line that is being played, and what was typed in that place.
    pub put: Option<(String, String)>,
    /// Those for whom nothing is played, if this is the last line.
    pub without: Option<String>,
}

impl Group {
    /// A line with what was typed in place of what was put there.
    pub fn as_typed(&self, line: &str) -> String {
        match &self.put {
            Some((put, typed)) => line.replacen(put, typed, 1),
            None => line.to_owned(),
        }
    }
}
