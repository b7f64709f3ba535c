//! What is asked of the database: the statements, and one connection that has them prepared.

use crate::wording::{failed, fit, refused};
use journal::store::StoreError;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement, ToStatement};

/// The tables, made by whoever comes first.
const TABLES: &str = "
create table if not exists record (key bytea primary key, value bytea not null);
create table if not exists lease (shard text primary key, owner text not null, fence bigint not null,
    until timestamptz not null, commits bigint not null);";
/// Whoever waits for a row longer than this has done nothing yet and gives up, so that nothing is left behind that would be
/// done later. What waits for a standby waits on.
const SETTINGS: &str = "set synchronous_commit = on; set client_encoding = 'UTF8'; set lock_timeout = '1s'";
const SERVER: &str = "
select current_setting('server_version_num')::int, case when pg_is_in_recovery() then 'standby' else 'primary' end,
    current_setting('fsync'), current_setting('synchronous_standby_names') <> '', exists (select from pg_stat_replication)";

const READ: &str = "select key, value from record where key = any($1)";
const SCAN: &str = "select key, value from record where key > $1 and key >= $2 and key < $3 order by key limit $4";
/// Without the row of the lease nothing is written. `now()` would be the time before any wait for that row.
const COMMIT: &str = "
with held as (
    update lease set commits = $4::bigint, until = clock_timestamp() + $8 * interval '1 second'
        where shard = $1 and owner = $2 and fence = $3 and commits = $4::bigint - 1 and until > clock_timestamp()
        returning 1),
gone as (delete from record using held where key = any($5)),
put as (
    insert into record select new.key, new.value from unnest($6::bytea[], $7::bytea[]) as new (key, value), held
        on conflict (key) do update set value = excluded.value)
select count(*) from held";
/// An old primary, which does not know of the newest fence, renews nothing.
const RENEW: &str = "
update lease set until = clock_timestamp() + $4 * interval '1 second'
    where shard = $1 and owner = $2 and fence >= $3 and until > '-infinity' returning 1";
/// What was asked on an earlier connection, and may still be under way, finds another fence.
const GO_ON: &str = "
update lease set fence = fence + 1, until = clock_timestamp() + $3 * interval '1 second'
    where shard = $1 and owner = $2 and until > '-infinity' returning fence, commits";
const FENCE: &str = "select fence from lease where shard = $1";
const FIRST: &str = "
insert into lease values ($1, $2, 1, clock_timestamp() + $3 * interval '1 second', 0)
    on conflict (shard) do nothing returning fence";
const NEXT: &str = "
update lease set owner = $2, fence = fence + 1, until = clock_timestamp() + $3 * interval '1 second'
    where shard = $1 and owner = $6 and fence = $7 and until < 'infinity'
        and (starts_with(owner, $4) or until = '-infinity' or until <= clock_timestamp() and $5) returning fence";
const HOLDER: &str = "select owner, fence, until::text from lease where shard = $1";
const LET_GO: &str = "update lease set until = '-infinity' where shard = $1 and owner = $2 and fence >= $3";
/// Nobody takes it until the operator says so, and whoever does then finds a record.
const LOST: &str = "
with kept as (
    update lease set owner = $3, fence = fence + 1, until = 'infinity' where shard = $1 and owner = $2 returning 1)
insert into record select $4::bytea, $5::bytea from kept on conflict (key) do update set value = excluded.value";

/// How often a statement that got in another's way is tried again.
const TRIES: u32 = 10;

/// Who holds a lease, as its row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    owner: String,
    fence: i64,
    until: String,
}

impl Other {
    /// Its machine, and which of those with this name it is.
    pub fn shown(&self) -> String {
        match self.owner.splitn(3, '/').collect::<Vec<_>>()[..] {
            [bot, _, machine] => format!("{machine} ({bot})"),
            _ => self.owner.clone(),
        }
    }

    /// True if nobody takes the lease until the operator says so.
    pub fn is_kept_out(&self) -> bool {
        self.until == "infinity"
    }
}

/// What a failure of the server costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing stands by.
    Alone,
    /// Standbys follow it, and may be a little behind.
    Behind,
    /// Each commit waits for a standby.
    Synchronous,
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Standing::Alone => "it has no standby: if its disk is lost, what was played since the last backup is lost",
            Standing::Behind => "its standby is asynchronous: if it takes over, the last seconds may be lost",
            Standing::Synchronous => "commits wait for a synchronous standby: if that takes over, nothing is lost",
        })
    }
}

/// The fence of a lease that was taken, or who has it.
pub type Taken = Result<i64, Other>;

/// The writes of a batch.
pub struct Writes {
    pub deleted: Vec<Vec<u8>>,
    pub keys: Vec<Vec<u8>>,
    pub values: Vec<Vec<u8>>,
}

/// A parameter of a statement.
type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A connection to a server that can be written to.
pub struct Session {
    client: Client,
    read: Statement,
    scan: Statement,
    commit: Statement,
    renew: Statement,
    shard: String,
    owner: String,
    pub standing: Standing,
}

impl Session {
    /// Looks at the server, makes the tables if they are missing, and prepares the statements.
    pub async fn begin(client: Client, (shard, owner): (&str, &str)) -> Result<Self, StoreError> {
        client.batch_execute(SETTINGS).await.map_err(failed)?;
        let row = client.query_one(SERVER, &[]).await.map_err(failed)?;
        fit(row.get(0), row.get(1), row.get(2))?;
        let standing = match (row.get(3), row.get(4)) {
            (true, _) => Standing::Synchronous,
            (false, true) => Standing::Behind,
            (false, false) => Standing::Alone,
        };
        make_tables(&client).await?;
        let [read, scan, commit, renew] = [
            client.prepare(READ).await.map_err(failed)?,
            client.prepare(SCAN).await.map_err(failed)?,
            client.prepare(COMMIT).await.map_err(failed)?,
            client.prepare(RENEW).await.map_err(failed)?,
        ];
        let (shard, owner) = (shard.to_owned(), owner.to_owned());
        Ok(Session { client, read, scan, commit, renew, shard, owner, standing })
    }

    /// Runs a statement, again if others were in its way.
    async fn run(
        &self,
        statement: &(impl ToStatement + ?Sized),
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        for _ in 0..TRIES {
            match self.client.query(statement, parameters).await {
                Err(error) if is_in_the_way(&error) => {}
                done => return done.map_err(failed),
            }
        }
        Err(StoreError::Unavailable("the statement kept conflicting with others".to_owned()))
    }

    /// Takes the lease for so long, if it was let go, or an earlier run of this bot has it, or it is over and its row is
    /// the one that stood `still`.
    pub async fn take(&self, lasts: Duration, same: &str, still: Option<&Other>) -> Result<Taken, StoreError> {
        let (Session { shard, owner, .. }, lasts) = (self, lasts.as_secs_f64());
        for _ in 0..TRIES {
            if let Some(row) = self.run(FIRST, &[shard, owner, &lasts]).await?.pop() {
                return Ok(Ok(row.get(0)));
            }
            let Some(row) = self.run(HOLDER, &[shard]).await?.pop() else { continue };
            let before = Other { owner: row.get(0), fence: row.get(1), until: row.get(2) };
            let (Other { owner: had, fence, .. }, still) = (&before, still == Some(&before));
            match self.run(NEXT, &[shard, owner, &lasts, &same, &still, had, fence]).await?.pop() {
                Some(row) => return Ok(Ok(row.get(0))),
                None => return Ok(Err(before)),
            }
        }
        Err(StoreError::Unavailable("the lease was changed each time it was looked at".to_owned()))
    }

    /// Renews the lease for so long. Returns false if somebody else has taken it.
    pub async fn renew(&self, fence: i64, lasts: Duration) -> Result<bool, StoreError> {
        let (Session { shard, owner, .. }, lasts) = (self, lasts.as_secs_f64());
        if self.run(&self.renew, &[shard, owner, &fence, &lasts]).await?.pop().is_some() {
            return Ok(true);
        }
        self.was_taken(fence).await.map(|()| false)
    }

    /// Goes on with the lease, whose fence was this one, under another. Returns that and the number of commits, or `None` if
    /// somebody else has it.
    pub async fn go_on(&self, fence: i64, lasts: Duration) -> Result<Option<(i64, i64)>, StoreError> {
        let (Session { shard, owner, .. }, lasts) = (self, lasts.as_secs_f64());
        match self.run(GO_ON, &[shard, owner, &lasts]).await?.pop() {
            Some(row) => Ok(Some((row.get(0), row.get(1)))),
            None => self.was_taken(fence).await.map(|()| None),
        }
    }

    /// Checks that somebody else has taken the lease, which had this fence: an old server does not know of either.
    async fn was_taken(&self, fence: i64) -> Result<(), StoreError> {
        let row = self.run(HOLDER, &[&self.shard]).await?.pop();
        match row.is_some_and(|row| row.get::<_, i64>(1) >= fence && row.get::<_, String>(0) != self.owner) {
            true => Ok(()),
            false => Err(StoreError::Unavailable("this server is not the one with the newest lease".to_owned())),
        }
    }

    /// Checks that this is the server where the lease has this fence.
    pub async fn has(&self, fence: i64) -> Result<(), StoreError> {
        let row = self.run(FENCE, &[&self.shard]).await?.pop();
        match row.is_some_and(|row| row.get::<_, i64>(0) >= fence) {
            true => Ok(()),
            false => Err(StoreError::Unavailable("this server is not the one that is written to".to_owned())),
        }
    }

    /// Lets the lease go, so that others need not wait.
    pub async fn let_go(&self, fence: i64) -> Result<(), StoreError> {
        self.run(LET_GO, &[&self.shard, &self.owner, &fence]).await.map(drop)
    }

    /// Keeps everybody from taking the lease, for this reason, which is also recorded under `key`.
    pub async fn keep_out(&self, why: &str, key: &[u8]) -> Result<(), StoreError> {
        self.run(LOST, &[&self.shard, &self.owner, &why, &key, &why.as_bytes()]).await.map(drop)
    }

    /// The values of these keys, in their order.
    pub async fn read(&self, keys: &Vec<Vec<u8>>) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let rows = self.run(&self.read, &[keys]).await?;
        let found: BTreeMap<Vec<u8>, Vec<u8>> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    /// Up to `limit` records after the first key, from the second, before the third.
    pub async fn scan(&self, range: &[Vec<u8>; 3], limit: i64) -> Result<Vec<(Vec<u8>, Vec<u8>)>, StoreError> {
        let [after, from, to] = range;
        let rows = self.run(&self.scan, &[after, from, to, &limit]).await?;
        Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Writes all of a batch, as commit `number`, and renews the lease for so long, if it is held under this fence and
    /// has that many commits but one.
    pub async fn commit(&self, fence: i64, number: i64, batch: &Writes, lasts: Duration) -> Result<(), StoreError> {
        let (Session { shard, owner, .. }, lasts) = (self, lasts.as_secs_f64());
        let Writes { deleted, keys, values } = batch;
        let all: [Parameter<'_>; 8] = [shard, owner, &fence, &number, deleted, keys, values, &lasts];
        let written = self.run(&self.commit, &all).await?.pop();
        written.filter(|row| row.get::<_, i64>(0) == 1).map(drop).ok_or_else(refused)
    }
}

/// Nothing of such a statement was done, and it may be done if it is tried again.
fn is_in_the_way(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED))
}

/// Makes the tables. Two that do it at the same time are in each other's way, though both say `if not exists`.
async fn make_tables(client: &Client) -> Result<(), StoreError> {
    let there = client.query_one("select to_regclass('record') is not null and to_regclass('lease') is not null", &[]);
    if there.await.map_err(failed)?.get(0) {
        return Ok(());
    }
    let both = [SqlState::UNIQUE_VIOLATION, SqlState::DUPLICATE_TABLE, SqlState::DUPLICATE_OBJECT];
    for _ in 0..TRIES {
        match client.batch_execute(TABLES).await {
            Err(error) if error.code().is_some_and(|code| both.contains(code)) => {}
            made => return made.map_err(failed),
        }
    }
    Err(StoreError::Unavailable("the tables cannot be made while others make them".to_owned()))
}
