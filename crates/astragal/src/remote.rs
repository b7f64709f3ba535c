//! A store on a database server.

#[cfg(feature = "postgres")]
mod postgres;
mod standing;
#[cfg(not(feature = "postgres"))]
mod without;

pub use standing::Standing;

use chat::Secret;
use journal::store::Store;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The most characters of a shard's name: the names of connections hold it, and the database cuts them.
const LONGEST_SHARD: usize = 32;

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

/// A store on a server in use.
pub struct Opened {
    /// The store.
    pub store: Arc<dyn Store>,
    /// Tells how it is. This asks the server.
    pub standing: Box<dyn Fn() -> Standing + Send + Sync>,
}

impl Remote {
    /// True if nothing in a connection string is a secret: there is no `password=` in it, and no `USER:PASSWORD@` as in an
    /// address.
    pub fn names_no_password(database: &str) -> bool {
        let user = database.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
        !database.contains("password") && user.is_none_or(|(user, _)| !user.contains(':'))
    }

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
        if self.shard.len() > LONGEST_SHARD {
            wrong.push(format!(
                "store.shard: {:?} is longer than {LONGEST_SHARD} characters; \"main\" is not",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_string_is_a_secret_if_it_has_a_password() {
        for bare in ["host=a user=b", "postgresql://b@a/c", "postgresql://a:5432/c"] {
            assert!(Remote::names_no_password(bare), "{bare}");
        }
        for secret in
            ["host=a password=b", "host=a password = b", "postgresql://b:c@a/d", "postgresql://a/b?password=c"]
        {
            assert!(!Remote::names_no_password(secret), "{secret}");
        }
    }
}
