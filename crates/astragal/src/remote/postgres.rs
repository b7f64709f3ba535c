//! A store on a PostgreSQL.

use super::{Opened, Remote};
use crate::fresh::{self, Part};
use crate::store::Wait;
use anyhow::{Context, ensure};
use chat::{Clock, SystemClock};
use journal::Entropy;
use journal::keys::RESTORED_KEY;
use journal::store::{Batch, Store};
use std::fs;
use std::io::Write;
use std::sync::Arc;
use store_postgres::{Cost, LOST, Place, PostgresStore, Standing};
use store_sled::DataDir;

/// The file in a data directory that tells it apart from all others.
const NAME: &str = "bot-id";
/// The record that is there as long as a restore is under way.
const RESTORING: &str = "restoring";

impl Remote {
    /// Why this program has none.
    pub fn missing() -> Option<&'static str> {
        None
    }

    /// Opens it for a bot with this data directory.
    ///
    /// # Errors
    /// It cannot be reached, another bot plays with it, or a restore was interrupted.
    pub fn open(&self, data: &DataDir, wait: Wait<'_>) -> anyhow::Result<Opened> {
        let store = self.opened(data, wait)?;
        ensure!(
            store.read(RESTORING)?.is_none(),
            "a restore into {self} was interrupted, and it is not whole: run astragal restore FILE again"
        );
        if store.read(LOST)?.is_some() {
            // As after a backup, the dice begin a new epoch: those of answers that are gone were seen.
            let mut begins = one(RESTORED_KEY, Some(serde_json::to_vec(&SystemClock.now())?));
            begins.delete(LOST);
            store.commit(&begins)?;
        }
        let (store, place) = (Arc::new(store), self.place(name(data)?));
        let asked = store.clone();
        Ok(Opened { store, standing: Box::new(move || standing(&asked, &place)) })
    }

    /// Fills it, if it is empty, and leaves it empty if that fails.
    ///
    /// # Errors
    /// It cannot be reached, another bot plays with it, it holds data, or `work` failed.
    pub fn fill(&self, data: &DataDir, work: impl FnOnce(&dyn Store) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let store = self.opened(data, Wait::Briefly)?;
        if store.read(RESTORING)?.is_some() {
            store.clear()?;
        }
        ensure!(
            store.scan("", None, 1)?.is_empty(),
            "{self} holds data already and was left as it is: name another with store.shard"
        );
        store.commit(&one(RESTORING, Some(b"true".to_vec())))?;
        work(&store).inspect_err(|_| {
            if let Err(error) = store.clear() {
                tracing::warn!(%error, "what was restored of it is still there; the next restore removes it");
            }
        })?;
        Ok(store.commit(&one(RESTORING, None))?)
    }

    /// Connects once, and says what a failure of the server would cost, and which bots are there.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn try_out(&self) -> Result<String, String> {
        let standing = store_postgres::try_out(self.place(String::new()));
        let told = |Standing { cost, others }| match others.is_empty() {
            true => cost.to_string(),
            false => format!("{cost}; there already: {}", others.join(", ")),
        };
        standing.map(told).map_err(|error| error.to_string())
    }

    fn opened(&self, data: &DataDir, wait: Wait<'_>) -> anyhow::Result<PostgresStore> {
        let wait = match wait {
            Wait::Briefly => store_postgres::Wait::Briefly,
            Wait::ForAsLong(tell) => store_postgres::Wait::ForAsLong(tell),
        };
        let place = Place { mark: Some(data.file(&format!("postgres-{}", self.shard))), ..self.place(name(data)?) };
        Ok(PostgresStore::open(place, &fresh_name(), wait)?)
    }

    /// What is wrong with its connection string.
    pub fn misread(&self) -> Option<String> {
        store_postgres::check(&self.place(String::new())).err().map(|error| error.to_string())
    }

    fn place(&self, bot: String) -> Place {
        // A machine without a name is told apart by the rest.
        let machine = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Place {
            database: self.database.expose().to_owned(),
            password: self.password.as_ref().map(|password| password.expose().to_owned()),
            authority: self.ca.clone(),
            shard: self.shard.clone(),
            bot,
            machine,
            mark: None,
        }
    }
}

/// How a store is. The database is asked on a connection that nothing else needs.
fn standing(store: &PostgresStore, place: &Place) -> super::Standing {
    let look = || store_postgres::try_out(place.clone()).map_err(|error| error.to_string());
    // What cannot be written is not asked.
    let found = store.trouble().map_or_else(look, Err);
    let (trouble, found) = match found {
        Ok(found) => (None, Some(found)),
        Err(trouble) => (Some(trouble), None),
    };
    super::Standing {
        shard: place.shard.clone(),
        renewed_ago_s: store.renewed_ago().as_secs_f64(),
        failures: store.failures(),
        synchronous: found.as_ref().map(|found| found.cost == Cost::Synchronous),
        cost: found.as_ref().map(|found| found.cost.to_string()),
        others: found.map_or_else(Vec::new, |found| found.others),
        trouble,
    }
}

/// A batch with one write.
fn one(key: &str, value: Option<Vec<u8>>) -> Batch {
    let mut batch = Batch::default();
    match value {
        Some(value) => batch.put(key, value),
        None => batch.delete(key),
    }
    batch
}

fn fresh_name() -> String {
    journal::hex(&Entropy::from_system().secret()[..8])
}

/// What the database calls a bot: the name of its data directory, which one process uses at a time.
fn name(data: &DataDir) -> anyhow::Result<String> {
    let file = data.file(NAME);
    if !file.exists() {
        let part = Part::of(&file);
        let mut made = fresh::replace(part.path())?;
        let written = made.write_all(fresh_name().as_bytes()).and_then(|()| made.sync_all());
        written.with_context(|| format!("{} cannot be written", part.path().display()))?;
        part.place()?;
    }
    let name = fs::read_to_string(&file).with_context(|| format!("{} cannot be read", file.display()))?;
    ensure!(
        !name.is_empty() && name.chars().all(|c| c.is_ascii_hexdigit()),
        "{} is damaged: remove it",
        file.display()
    );
    Ok(name)
}
