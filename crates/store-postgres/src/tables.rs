//! The two tables, for statements that are run without a database.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// What a database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// The table of records.
    pub records: BTreeMap<Vec<u8>, Vec<u8>>,
    /// The table of leases, by shard.
    pub leases: BTreeMap<String, Row>,
}

/// The row of a lease.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who has it.
    pub owner: String,
    /// Grows with each owner, and with each connection that goes on with it.
    pub fence: i64,
    /// Until when it lasts, by the server's clock.
    pub until: Time,
    /// How many batches were written under all its owners.
    pub commits: i64,
}

/// A time of a server's clock, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i64);

impl Time {
    /// The end of a lease that was let go.
    pub const LET_GO: Time = Time(i64::MIN);
    /// The end of one that nobody may take.
    pub const NEVER: Time = Time(i64::MAX);
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, longer: Duration) -> Time {
        Time(self.0.saturating_add(i64::try_from(longer.as_millis()).unwrap_or(i64::MAX)))
    }
}

/// As PostgreSQL shows the ends of time.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Time::LET_GO => f.write_str("-infinity"),
            Time::NEVER => f.write_str("infinity"),
            Time(milliseconds) => write!(f, "{milliseconds}"),
        }
    }
}
