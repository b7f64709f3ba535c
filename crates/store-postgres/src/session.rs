//! What is asked on one connection.

use crate::database::{Line, Name};
use crate::lease::refused;
use crate::statements::{
    Begin, Commit, GoOn, Holder, KeepOut, LetGo, Look, Next, Read, Renew, Scan, Statement, Writes,
};
use crate::{DEADLINE, LEASE};
use journal::store::StoreError;
use std::time::Duration;

/// How often the row of a lease is looked at if it is changed each time.
const LOOKS: u32 = 10;

/// A lease that was just taken, or who has it.
pub type Taken = Result<Won, Holder>;

/// A lease that was just taken.
pub struct Won {
    /// Its fence.
    pub fence: i64,
    /// What its row said before; `None` if the shard is new.
    pub before: Option<Holder>,
}

/// Records with their keys.
type Records = <Scan as Statement>::Answer;

/// A connection in the name of one run of a bot.
pub struct Session<L> {
    line: L,
    name: Name,
}

impl<L: Line> Session<L> {
    /// Nothing was asked on this line yet.
    pub fn new(line: L, name: Name) -> Self {
        Session { line, name }
    }

    /// The connection.
    pub fn line(&self) -> &L {
        &self.line
    }

    /// Takes the lease, if it was let go, or an earlier run of this bot has it, or it is over and its row is the one that
    /// stood `still`.
    pub fn take(&self, still: Option<&Holder>) -> Result<Taken, StoreError> {
        self.line.begin(DEADLINE);
        for _ in 0..LOOKS {
            if let Some(fence) = self.line.run(Begin(self.name.claims(LEASE)))? {
                return Ok(Ok(Won { fence, before: None }));
            }
            let Some(before) = self.holder()? else { continue };
            let (claim, same, still) = (self.name.claims(LEASE), self.name.same.clone(), still == Some(&before));
            return match self.line.run(Next { claim, before: before.clone(), same, still })? {
                Some(fence) => Ok(Ok(Won { fence, before: Some(before) })),
                None => Ok(Err(before)),
            };
        }
        Err(StoreError::Unavailable("the lease was changed each time it was looked at".to_owned()))
    }

    /// Tries whether everything may be written that is written while a bot plays. Nothing is.
    #[cfg(feature = "client")]
    pub fn try_to_write(&self) -> Result<(), StoreError> {
        self.line.begin(DEADLINE);
        let claim = crate::statements::Claim { owner: String::new(), ..self.name.claims(LEASE) };
        self.line.run(Commit { claim, fence: 0, number: 0, writes: Writes::default() }).map(drop)
    }

    /// Renews the lease. Returns false if somebody else has taken it.
    pub fn renew(&self, fence: i64) -> Result<bool, StoreError> {
        self.line.begin(DEADLINE);
        match self.line.run(Renew { claim: self.name.claims(LEASE), fence })? {
            true => Ok(true),
            false => self.was_taken(fence).map(|()| false),
        }
    }

    /// Goes on with the lease, whose fence was this one, under another. Returns that and the number of commits, or `None` if
    /// somebody else has it.
    pub fn go_on(&self, fence: i64) -> Result<Option<(i64, i64)>, StoreError> {
        self.line.begin(DEADLINE);
        match self.line.run(GoOn(self.name.claims(LEASE)))? {
            Some(row) => Ok(Some(row)),
            None => self.was_taken(fence).map(|()| None),
        }
    }

    /// Checks that somebody else has taken the lease, which had this fence: an old server does not know of either.
    fn was_taken(&self, fence: i64) -> Result<(), StoreError> {
        match self.holder()?.is_some_and(|holder| holder.fence >= fence && holder.owner != self.name.owner) {
            true => Ok(()),
            false => Err(StoreError::Unavailable("this server is not the one with the newest lease".to_owned())),
        }
    }

    /// Checks that this is the server where the lease has this fence.
    pub fn has(&self, fence: i64) -> Result<(), StoreError> {
        self.line.begin(DEADLINE);
        match self.holder()?.is_some_and(|holder| holder.fence >= fence) {
            true => Ok(()),
            false => Err(StoreError::Unavailable("this server is not the one that is written to".to_owned())),
        }
    }

    fn holder(&self) -> Result<Option<Holder>, StoreError> {
        self.line.run(Look { shard: self.name.shard.clone() })
    }

    /// Lets the lease go, so that others need not wait.
    pub fn let_go(&self, fence: i64) -> Result<(), StoreError> {
        self.line.begin(DEADLINE);
        self.line.run(LetGo { claim: self.name.claims(LEASE), fence })
    }

    /// Keeps everybody from taking the lease, for this reason, which is also recorded under `key`.
    pub fn keep_out(&self, why: String, key: Vec<u8>) -> Result<(), StoreError> {
        self.line.begin(DEADLINE);
        self.line.run(KeepOut { claim: self.name.claims(LEASE), why, key })
    }

    /// The values of these keys, in their order.
    pub fn read(&self, keys: Vec<Vec<u8>>) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        self.line.begin(DEADLINE);
        let found = self.line.run(Read { keys: keys.clone() })?;
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }

    /// Up to `limit` records after the first key, from the second, before the third.
    pub fn scan(&self, [after, from, to]: [Vec<u8>; 3], limit: i64) -> Result<Records, StoreError> {
        self.line.begin(DEADLINE);
        self.line.run(Scan { after, from, to, limit })
    }

    /// Writes all of a batch, as commit `number`, and renews the lease, if it is held under this fence and has that many
    /// commits but one. It takes at most so long.
    pub fn commit(&self, fence: i64, number: i64, writes: Writes, within: Duration) -> Result<(), StoreError> {
        self.line.begin(within);
        match self.line.run(Commit { claim: self.name.claims(LEASE), fence, number, writes })? {
            true => Ok(()),
            false => Err(refused()),
        }
    }
}
