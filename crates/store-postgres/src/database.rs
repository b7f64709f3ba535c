//! A database as one run of a bot reaches it: the program's is a PostgreSQL, and a simulation has its own.

use crate::mark::Mark;
use crate::session::Session;
use crate::statements::{Claim, Statement};
use journal::store::StoreError;
use std::sync::Arc;
use std::time::Duration;

/// Who asks.
#[derive(Clone, Debug)]
pub struct Name {
    /// The shard.
    pub shard: String,
    /// The owner of its lease in this run.
    pub owner: String,
    /// How the owner begins in each run of the same bot.
    pub same: String,
}

impl Name {
    /// Its claim to a lease, for so long.
    pub fn claims(&self, lasts: Duration) -> Claim {
        Claim { shard: self.shard.clone(), owner: self.owner.clone(), seconds: lasts.as_secs_f64() }
    }
}

/// A database, on one or more hosts.
pub trait Database: Send + Sync + 'static {
    /// A connection to it.
    type Line: Line;

    /// Who asks.
    fn name(&self) -> &Name;

    /// How many hosts there are.
    fn hosts(&self) -> usize;

    /// What a host is called.
    fn called(&self, host: usize) -> String;

    /// The host to try first: the one that worked last, or the one after a host that did not.
    fn first(&self) -> usize;

    /// From now on this host is tried first.
    fn try_first(&self, host: usize);

    /// Connects to a host.
    ///
    /// # Errors
    /// It does not answer, or cannot be used.
    fn connect(self: &Arc<Self>, host: usize) -> Result<Self::Line, StoreError>;

    /// The time since this machine was started, including the time when it slept.
    fn now(&self) -> Duration;

    /// Lets so much time pass.
    fn pause(&self, time: Duration);

    /// How far the shard was known to be when this machine last noted it.
    fn noted(&self) -> Option<Mark>;

    /// Notes how far the shard is, for a later run of the bot on this machine.
    fn note(&self, mark: Mark);

    /// Does work that waits for answers. If this thread has other tasks, they go on elsewhere meanwhile.
    fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// A connection. Once it has failed it fails for good.
pub trait Line: Send + Sync + 'static {
    /// A question of one or more statements begins, which takes at most so long. The first on a connection shares that with
    /// the connecting.
    fn begin(&self, within: Duration);

    /// Runs a statement of the question.
    ///
    /// # Errors
    /// There was no answer in time. The statement may have been done, or be done later.
    fn run<S: Statement>(&self, statement: S) -> Result<S::Answer, StoreError>;
}

/// Connects to the first host that answers `question`, since an old primary may answer everything but a write.
///
/// # Errors
/// None does; the error has what was wrong with each. After one that found damage no other is asked.
pub fn open<D: Database, T>(
    database: &Arc<D>,
    question: impl Fn(&Session<D::Line>) -> Result<T, StoreError>,
) -> Result<(Session<D::Line>, T), StoreError> {
    let mut wrong = Vec::new();
    let (first, count) = (database.first(), database.hosts());
    for host in (first..first + count).map(|host| host % count) {
        let session = database.connect(host).map(|line| Session::new(line, database.name().clone()));
        match session.and_then(|session| question(&session).map(|answer| (session, answer))) {
            Ok(opened) => {
                database.try_first(host);
                return Ok(opened);
            }
            Err(damaged @ StoreError::Damaged { .. }) => return Err(damaged),
            Err(error) => wrong.push(format!("{}: {error}", database.called(host))),
        }
    }
    Err(StoreError::Unavailable(wrong.join("; ")))
}
