//! What is wrong with a database, in words.

use journal::store::StoreError;
use std::time::Duration;
use tokio_postgres::error::SqlState;

/// The oldest version that is tested.
const OLDEST: i32 = 150_000;

/// Checks what the server says of itself.
pub fn fit(version: i32, role: &str, fsync: &str) -> Result<(), StoreError> {
    let wrong = |what: &str| Err(StoreError::Unavailable(what.to_owned()));
    if version < OLDEST {
        return wrong(&format!("the database is PostgreSQL {}, and 15 is the oldest that I use", version / 10_000));
    }
    if role == "standby" {
        return wrong("this server is a standby, which cannot be written to: name the primary as well");
    }
    if fsync != "on" {
        return wrong("the database is set to fsync = off and may lose what it said it had kept: set it to on");
    }
    Ok(())
}

/// The connection ended.
pub fn gone() -> StoreError {
    StoreError::Unavailable("the connection to the database was lost".to_owned())
}

/// There was no answer in time.
pub fn late(within: Duration) -> StoreError {
    StoreError::Unavailable(format!("the database did not answer within {} seconds", within.as_secs()))
}

/// The connection string is wrong.
pub fn worded(error: tokio_postgres::Error) -> StoreError {
    StoreError::Unavailable(format!("the connection string of the database is wrong: {}", whole(&error)))
}

/// The database failed.
pub fn failed(error: tokio_postgres::Error) -> StoreError {
    let what = match error.code() {
        Some(&SqlState::DISK_FULL) => "the database's disk is full",
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => "the database cannot be written to: it is set to read only",
        Some(&SqlState::CANNOT_CONNECT_NOW) => "the database is starting or stopping",
        Some(&SqlState::TOO_MANY_CONNECTIONS) => "the database has too many connections",
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            "the database's user lacks rights: grant all on schema public, or on the tables record and lease, to it"
        }
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            "the database does not let this user in"
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => "there is no such database: create it with createdb",
        Some(&SqlState::INVALID_SQL_STATEMENT_NAME) => {
            "statements are forgotten between transactions: a pooler in front of the database must pool by session"
        }
        Some(_) => "the database failed",
        None if whole(&error).contains("password missing") => "the database wants a password: set store.password_file",
        None => "the database cannot be reached",
    };
    StoreError::Unavailable(format!("{what}: {}", whole(&error)))
}

/// An error with its cause; the database's own words come last.
fn whole(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} ({})", said.message(), said.code().code()),
        None => match std::error::Error::source(error) {
            Some(cause) => format!("{error}: {cause}"),
            None => error.to_string(),
        },
    }
}
