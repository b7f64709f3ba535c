//! A program that is built without PostgreSQL: its configuration cannot name one.

use super::{Opened, Remote};
use crate::store::Wait;
use anyhow::bail;
use journal::store::Store;
use store_sled::DataDir;

const MISSING: &str = "this astragal is built without PostgreSQL (cargo feature postgres)";

impl Remote {
    /// Why this program has none.
    pub fn missing() -> Option<&'static str> {
        Some(MISSING)
    }

    /// What is wrong with its connection string.
    pub fn misread(&self) -> Option<String> {
        None
    }

    /// Opens it.
    ///
    /// # Errors
    /// Always.
    pub fn open(&self, _: &DataDir, _: Wait<'_>) -> anyhow::Result<Opened> {
        bail!(MISSING)
    }

    /// Fills it.
    ///
    /// # Errors
    /// Always.
    pub fn fill(&self, _: &DataDir, _: impl FnOnce(&dyn Store) -> anyhow::Result<()>) -> anyhow::Result<()> {
        bail!(MISSING)
    }

    /// Connects once.
    ///
    /// # Errors
    /// Always.
    pub fn try_out(&self) -> Result<String, String> {
        Err(MISSING.to_owned())
    }
}
