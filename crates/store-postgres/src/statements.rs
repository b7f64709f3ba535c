//! The statements. Each says in SQL what it does, and in Rust too, for [tables that are in no database](crate::tables); a test compares the two.

use crate::mark::Mark;
use crate::tables::{Row as LeaseRow, Tables, Time};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

/// A parameter of a statement.
pub type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A statement that is complete by itself: it is done as a whole, or not at all.
pub trait Statement: Send + Sync + 'static {
    /// What it finds.
    type Answer: Send + 'static;
    /// Its text.
    const SQL: &'static str;

    /// What its text names by number.
    fn parameters(&self) -> Vec<Parameter<'_>>;

    /// What it found, from the rows that came back.
    fn answer(rows: &[Row]) -> Self::Answer;

    /// Does in a model what its text says, at this time of the server's clock.
    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer;
}

/// Whose lease it is, and for how many seconds it is taken or renewed.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The shard.
    pub shard: String,
    /// The owner of the lease.
    pub owner: String,
    /// How long it lasts from the moment at which the statement is done.
    pub seconds: f64,
}

impl Claim {
    fn until(&self, now: Time) -> Time {
        now + Duration::from_secs_f64(self.seconds)
    }

    /// The lease in a model, if this owner has it.
    fn row<'a>(&self, tables: &'a mut Tables) -> Option<&'a mut LeaseRow> {
        tables.leases.get_mut(&self.shard).filter(|row| row.owner == self.owner)
    }
}

/// Who holds a lease, as its row says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Who has it: a bot, a run of it and a machine, with `/` between them.
    pub owner: String,
    /// Its fence.
    pub fence: i64,
    /// Until when it lasts, as the server writes times.
    pub until: String,
    /// How many commits the shard has.
    pub commits: i64,
}

impl Holder {
    /// Its machine, and which of those with this name it is.
    pub fn shown(&self) -> String {
        match self.owner.splitn(3, '/').collect::<Vec<_>>()[..] {
            [bot, _, machine] => Holder::called(bot, machine),
            _ => self.owner.clone(),
        }
    }

    /// How a bot on a machine is called.
    pub fn called(bot: &str, machine: &str) -> String {
        format!("{machine} ({bot})")
    }

    /// How far the shard is. A damaged number of commits is noticed by whoever plays with it.
    pub fn mark(&self) -> Mark {
        Mark { fence: self.fence, commits: u64::try_from(self.commits).unwrap_or(0) }
    }

    /// True if the row may have come to this from `before` on the same server. After a failover it may not.
    pub fn follows(&self, before: &Holder) -> bool {
        self.fence >= before.fence && self.commits >= before.commits
    }

    /// True if it is the name of a bot, and not the reason why nobody was to take the lease.
    pub fn is_a_bot(&self) -> bool {
        self.owner.contains('/')
    }

    /// True if nobody takes the lease until the operator says so.
    pub fn is_kept_out(&self) -> bool {
        self.until == "infinity"
    }
}

fn first<T>(rows: &[Row], read: impl Fn(&Row) -> T) -> Option<T> {
    rows.first().map(read)
}

/// Takes a lease that nobody ever had. Finds its fence.
pub struct Begin(pub Claim);

impl Statement for Begin {
    type Answer = Option<i64>;
    const SQL: &'static str = "
insert into lease values ($1, $2, 1, clock_timestamp() + $3 * interval '1 second', 0)
    on conflict (shard) do nothing returning fence";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.0.shard, &self.0.owner, &self.0.seconds]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        first(rows, |row| row.get(0))
    }

    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer {
        if tables.leases.contains_key(&self.0.shard) {
            return None;
        }
        let row = LeaseRow { owner: self.0.owner.clone(), fence: 1, until: self.0.until(now), commits: 0 };
        tables.leases.insert(self.0.shard.clone(), row);
        Some(1)
    }
}

/// Looks who has a lease.
pub struct Look {
    /// The shard.
    pub shard: String,
}

impl Statement for Look {
    type Answer = Option<Holder>;
    const SQL: &'static str = "select owner, fence, until::text, commits from lease where shard = $1";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.shard]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        first(rows, |row| Holder { owner: row.get(0), fence: row.get(1), until: row.get(2), commits: row.get(3) })
    }

    fn apply(&self, tables: &mut Tables, _: Time) -> Self::Answer {
        let row = tables.leases.get(&self.shard)?;
        let LeaseRow { owner, fence, until, commits } = row;
        Some(Holder { owner: owner.clone(), fence: *fence, until: until.to_string(), commits: *commits })
    }
}

/// Takes a lease that `before` had, if it was let go, or an earlier run of the same bot has it, or it is over and its row
/// stood still. Finds the new fence.
pub struct Next {
    /// Who takes it.
    pub claim: Claim,
    /// Who had it.
    pub before: Holder,
    /// How the owner begins in each run of this bot.
    pub same: String,
    /// True if the row stood still for a whole lease by the clock of whoever asks.
    pub still: bool,
}

impl Statement for Next {
    type Answer = Option<i64>;
    const SQL: &'static str = "
update lease set owner = $2, fence = fence + 1, until = clock_timestamp() + $3 * interval '1 second'
    where shard = $1 and owner = $6 and fence = $7 and until < 'infinity'
        and (starts_with(owner, $4) or until = '-infinity' or until <= clock_timestamp() and $5) returning fence";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        let Next { claim, before, same, still } = self;
        vec![&claim.shard, &claim.owner, &claim.seconds, same, still, &before.owner, &before.fence]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        first(rows, |row| row.get(0))
    }

    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer {
        let row = tables.leases.get_mut(&self.claim.shard)?;
        if row.owner != self.before.owner || row.fence != self.before.fence || row.until == Time::NEVER {
            return None;
        }
        let is_over = row.until <= now && self.still;
        if !row.owner.starts_with(&self.same) && row.until != Time::LET_GO && !is_over {
            return None;
        }
        (row.owner, row.until) = (self.claim.owner.clone(), self.claim.until(now));
        row.fence += 1;
        Some(row.fence)
    }
}

/// Renews a lease. An old primary, which does not know of the newest fence, renews nothing. Finds whether it was done.
pub struct Renew {
    /// Whose it is.
    pub claim: Claim,
    /// The newest fence that the database acknowledged.
    pub fence: i64,
}

impl Statement for Renew {
    type Answer = bool;
    const SQL: &'static str = "
update lease set until = clock_timestamp() + $4 * interval '1 second'
    where shard = $1 and owner = $2 and fence >= $3 and until > '-infinity' returning 1";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.claim.shard, &self.claim.owner, &self.fence, &self.claim.seconds]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        !rows.is_empty()
    }

    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer {
        let row = self.claim.row(tables).filter(|row| row.fence >= self.fence && row.until > Time::LET_GO);
        row.map(|row| row.until = self.claim.until(now)).is_some()
    }
}

/// Goes on with a lease under another fence, which what was asked on an earlier connection does not find. Finds that fence
/// and the number of commits.
pub struct GoOn(pub Claim);

impl Statement for GoOn {
    type Answer = Option<(i64, i64)>;
    const SQL: &'static str = "
update lease set fence = fence + 1, until = clock_timestamp() + $3 * interval '1 second'
    where shard = $1 and owner = $2 and until > '-infinity' returning fence, commits";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.0.shard, &self.0.owner, &self.0.seconds]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        first(rows, |row| (row.get(0), row.get(1)))
    }

    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer {
        let row = self.0.row(tables).filter(|row| row.until > Time::LET_GO)?;
        row.until = self.0.until(now);
        row.fence += 1;
        Some((row.fence, row.commits))
    }
}

/// Lets a lease go, so that others need not wait. Its fence stays.
pub struct LetGo {
    /// Whose it is.
    pub claim: Claim,
    /// The newest fence that the database acknowledged.
    pub fence: i64,
}

impl Statement for LetGo {
    type Answer = ();
    const SQL: &'static str = "update lease set until = '-infinity' where shard = $1 and owner = $2 and fence >= $3";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.claim.shard, &self.claim.owner, &self.fence]
    }

    fn answer(_: &[Row]) -> Self::Answer {}

    fn apply(&self, tables: &mut Tables, _: Time) -> Self::Answer {
        if let Some(row) = self.claim.row(tables).filter(|row| row.fence >= self.fence) {
            row.until = Time::LET_GO;
        }
    }
}

/// Keeps everybody from taking a lease until the operator says so, for this reason, and records that under `key`.
pub struct KeepOut {
    /// Whose it is.
    pub claim: Claim,
    /// The reason.
    pub why: String,
    /// The key of the record, with the shard in front.
    pub key: Vec<u8>,
}

impl Statement for KeepOut {
    type Answer = ();
    const SQL: &'static str = "
with kept as (
    update lease set owner = $3, fence = fence + 1, until = 'infinity' where shard = $1 and owner = $2 returning 1)
insert into record select $4::bytea, convert_to($3, 'UTF8') from kept on conflict (key) do update set value = excluded.value";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.claim.shard, &self.claim.owner, &self.why, &self.key]
    }

    fn answer(_: &[Row]) -> Self::Answer {}

    fn apply(&self, tables: &mut Tables, _: Time) -> Self::Answer {
        let Some(row) = self.claim.row(tables) else { return };
        (row.owner, row.until) = (self.why.clone(), Time::NEVER);
        row.fence += 1;
        tables.records.insert(self.key.clone(), self.why.clone().into_bytes());
    }
}

/// The writes of a batch.
#[derive(Default)]
pub struct Writes {
    /// The keys of the records that it removes.
    pub deleted: Vec<Vec<u8>>,
    /// The keys of those that it writes,
    pub keys: Vec<Vec<u8>>,
    /// and their values, in the same order.
    pub values: Vec<Vec<u8>>,
}

/// Writes all of a batch, counts it, and renews the lease, if that is held under this fence and has that many commits but
/// one. Without its row nothing is written. Finds whether it was done.
pub struct Commit {
    /// Whose it is.
    pub claim: Claim,
    /// The fence of the connection.
    pub fence: i64,
    /// The number of this commit.
    pub number: i64,
    /// What it writes.
    pub writes: Writes,
}

impl Statement for Commit {
    type Answer = bool;
    /// `now()` would be the time before any wait for the row of the lease.
    const SQL: &'static str = "
with held as (
    update lease set commits = $4::bigint, until = clock_timestamp() + $8 * interval '1 second'
        where shard = $1 and owner = $2 and fence = $3 and commits = $4::bigint - 1 and until > clock_timestamp()
        returning 1),
gone as (delete from record using held where key = any($5)),
put as (
    insert into record select new.key, new.value from unnest($6::bytea[], $7::bytea[]) as new (key, value), held
        on conflict (key) do update set value = excluded.value)
select count(*) from held";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        let Commit { claim, fence, number, writes } = self;
        let Writes { deleted, keys, values } = writes;
        vec![&claim.shard, &claim.owner, fence, number, deleted, keys, values, &claim.seconds]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        rows.first().is_some_and(|row| row.get::<_, i64>(0) == 1)
    }

    fn apply(&self, tables: &mut Tables, now: Time) -> Self::Answer {
        let held = self.claim.row(tables);
        let held = held.filter(|row| row.fence == self.fence && row.commits == self.number - 1 && row.until > now);
        let Some(row) = held else { return false };
        (row.commits, row.until) = (self.number, self.claim.until(now));
        let Writes { deleted, keys, values } = &self.writes;
        for key in deleted {
            tables.records.remove(key);
        }
        tables.records.extend(keys.iter().cloned().zip(values.iter().cloned()));
        true
    }
}

/// Reads the values of these keys, in their order.
pub struct Read {
    /// The keys, with the shard in front.
    pub keys: Vec<Vec<u8>>,
}

impl Statement for Read {
    type Answer = BTreeMap<Vec<u8>, Vec<u8>>;
    const SQL: &'static str = "select key, value from record where key = any($1)";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.keys]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    fn apply(&self, tables: &mut Tables, _: Time) -> Self::Answer {
        let found = |key: &Vec<u8>| tables.records.get_key_value(key).map(|(key, value)| (key.clone(), value.clone()));
        self.keys.iter().filter_map(found).collect()
    }
}

/// Reads up to `limit` records after one key, from the next, before the last.
pub struct Scan {
    /// The last key that was read before.
    pub after: Vec<u8>,
    /// The first key,
    pub from: Vec<u8>,
    /// and the one that ends them.
    pub to: Vec<u8>,
    /// The most records.
    pub limit: i64,
}

impl Statement for Scan {
    type Answer = Vec<(Vec<u8>, Vec<u8>)>;
    const SQL: &'static str =
        "select key, value from record where key > $1 and key >= $2 and key < $3 order by key limit $4";

    fn parameters(&self) -> Vec<Parameter<'_>> {
        vec![&self.after, &self.from, &self.to, &self.limit]
    }

    fn answer(rows: &[Row]) -> Self::Answer {
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    fn apply(&self, tables: &mut Tables, _: Time) -> Self::Answer {
        if self.from >= self.to {
            return Vec::new();
        }
        let within = tables.records.range(self.from.clone()..self.to.clone()).filter(|(key, _)| **key > self.after);
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        within.take(limit).map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
