//! A store on a database server.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
mod without;

use chat::Secret;
use std::fmt;
use std::path::PathBuf;

/// A store on a PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// The connection string of the database.
    pub database: Secret,
    /// The password of its user.
    pub password: Option<Secret>,
    /// A file of certificates (PEM) to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// The part of that database that is this bot's.
    pub shard: String,
}

impl Remote {
    /// What is wrong with it before anything is asked, with the key of the configuration.
    pub fn meaningless(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !self.shard.starts_with(|c: char| c.is_ascii_alphanumeric()) || !self.shard.chars().all(named) {
            wrong.push(format!(
                "store.shard: {:?} is no name for it; letters, digits, - and _ are, such as \"main\"",
                self.shard
            ));
        }
        wrong.extend(Remote::missing().map(|missing| format!("store.postgres: {missing}")));
        wrong.extend(self.misread().map(|misread| format!("store.postgres: {misread}")));
        wrong
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the shard {} on PostgreSQL", self.shard)
    }
}
