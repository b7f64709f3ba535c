//! How many connections from outside there may be: when descriptors are short, the store needs them most.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The most connections at once for those who watch the bot, and the largest share of all descriptors for connections.
const MOST: usize = 64;
const SHARE: u64 = 8;

/// Raises this process's descriptor limit as far as the system allows.
pub fn raise_descriptors() {
    let limit = getrlimit(Resource::Nofile);
    // If it cannot be raised, fewer connections are accepted.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

/// The largest share of this process's descriptors for connections from outside.
pub fn share() -> usize {
    let all = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(all / SHARE).unwrap_or(usize::MAX)
}

/// How many connections are accepted at once of those who watch the bot, or command it.
pub fn room() -> usize {
    share().clamp(1, MOST)
}
