//! A kind of network that this program is built without: naming one is a mistake, and the error says so.

use super::first::{Answers, First};
use super::kind::{Kind, Names};
use anyhow::bail;
use async_trait::async_trait;
use chat::Transport;
use clap::{Arg, Command};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A missing kind, which the cargo feature with the name of its section adds.
pub struct Without {
    /// Its section of the configuration.
    pub section: &'static str,
    /// What people call it.
    pub title: &'static str,
}

impl Without {
    fn said(&self) -> String {
        format!("this astragal is built without {} (cargo feature {})", self.title, self.section)
    }
}

#[async_trait]
impl Kind for Without {
    type Settings = serde_json::Value;

    fn names(&self) -> Names {
        let Without { section, title } = *self;
        Names { section, title, about: "Networks that this program is built without.", example: section, log: "" }
    }

    fn complete(&self, _: serde_json::Value, _: &BTreeSet<String>) -> Result<serde_json::Value, Vec<String>> {
        Err(vec![self.said()])
    }

    fn transport(&self, _: &str, _: &serde_json::Value, _: &Path) -> Arc<dyn Transport> {
        unreachable!("no configuration with such a network is complete")
    }

    async fn probe(&self, _: &str, _: &serde_json::Value, _: &Path) -> Result<String, String> {
        Err(self.said())
    }

    fn flags(&self, init: Command) -> Command {
        // Whatever follows is for the missing kind.
        init.arg(Arg::new(self.section).long(self.section).num_args(1..).allow_hyphen_values(true).hide(true))
    }

    fn first(&self, answers: &Answers<'_>, _: &[String]) -> anyhow::Result<Option<First>> {
        match answers {
            Answers::Flags(flags) if flags.contains_id(self.section) => bail!(self.said()),
            _ => Ok(None),
        }
    }
}
