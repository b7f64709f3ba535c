//! How far a shard was known to be.

/// How far a shard was known to be: so many of its commits were durable under this fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The fence.
    pub fence: i64,
    /// The number of commits.
    pub commits: u64,
}

impl Mark {
    /// How many commits must be there under a fence. Whoever took the lease after the mark was made has looked for itself.
    pub fn owed_under(self, fence: i64) -> u64 {
        if fence <= self.fence { self.commits } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_binds_until_somebody_else_has_looked() {
        let mark = Mark { fence: 7, commits: 5 };
        assert_eq!([6, 7, 8].map(|fence| mark.owed_under(fence)), [5, 5, 0]);
    }
}
