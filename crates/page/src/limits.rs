//! How much is shown at once.

/// How much is shown at once. Whoever comes when it is too much is told when to come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most open pages that are kept up to date.
    pub streams: usize,
    /// The most of them at one table.
    pub streams_of_a_table: usize,
    /// The most of them by the link of one person.
    pub streams_of_a_link: usize,
    /// The most requests that are answered at the same time.
    pub requests: usize,
}

impl Limits {
    /// The most connections.
    pub(crate) fn connections(self) -> usize {
        self.streams + self.requests
    }

    /// The same with no more connections than this, at least two, shared in the same proportion.
    #[must_use]
    pub fn within(self, connections: usize) -> Self {
        let connections = connections.max(2);
        if self.connections() <= connections {
            return self;
        }
        let requests = (self.requests * connections / self.connections()).max(1);
        Limits { requests, streams: connections - requests, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_with_few_descriptors_shows_less_and_always_something() {
        let limits = Limits { streams: 256, streams_of_a_table: 64, streams_of_a_link: 8, requests: 64 };
        assert_eq!(limits.within(10_000), limits);
        let few = limits.within(128);
        assert_eq!((few.streams, few.requests), (103, 25));
        let fewest = limits.within(0);
        assert_eq!((fewest.streams, fewest.requests), (1, 1));
    }
}
