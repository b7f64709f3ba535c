//! A kind of network, such as IRC: all that the program must know of it. Nothing else in the program names one.

use super::first::{Answers, First};
use async_trait::async_trait;
use chat::{PlayerId, Transport};
use clap::{ArgMatches, Command};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

/// A kind of network. What it does not say has a default.
#[async_trait]
pub trait Kind: Send + Sync + 'static {
    /// What an operator decides about one network of this kind: a section of the configuration, of which the schema finds
    /// the mistakes.
    type Settings: Clone + Debug + PartialEq + DeserializeOwned + JsonSchema + Send + Sync;

    /// What it is called.
    fn names(&self) -> Names;

    /// With the secrets that files hold, if all is right that can be checked without the network. `owners` are those of
    /// the bot who are on this network.
    ///
    /// # Errors
    /// What is wrong, with one right example.
    fn complete(&self, settings: Self::Settings, owners: &BTreeSet<String>) -> Result<Self::Settings, String>;

    /// The network of that name, as a transport. What it keeps in files is in `data`, the data directory of the bot.
    fn transport(&self, name: &str, settings: &Self::Settings, data: &Path) -> Arc<dyn Transport>;

    /// Tries to log in, and leaves again; says in plain words how that went.
    ///
    /// # Errors
    /// What failed.
    async fn probe(&self, name: &str, settings: &Self::Settings, data: &Path) -> Result<String, String>;

    /// Somebody's id as the network spells it.
    fn as_known(&self, id: &str) -> String {
        id.to_owned()
    }

    /// Why nobody can be this owner.
    fn no_owner(&self, _owner: &PlayerId, _settings: &Self::Settings) -> Option<String> {
        None
    }

    /// What would name somebody on the network of that name, instead of this pattern of ids that nobody there can have.
    fn nobody(&self, _name: &str, _pattern: &str) -> Option<String> {
        None
    }

    /// Adds what `astragal init` takes: no flag that another kind has.
    fn flags(&self, init: Command) -> Command {
        init
    }

    /// What the first configuration says of a network of this kind, if there shall be one. `owners` are named already.
    ///
    /// # Errors
    /// Nobody answers.
    fn first(&self, _answers: &Answers<'_>, _owners: &[String]) -> anyhow::Result<Option<First>> {
        Ok(None)
    }

    /// The command that the program has for this kind alone.
    fn command(&self) -> Option<OwnCommand<Self::Settings>> {
        None
    }
}

/// What a kind of network is called, here and there.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Its section of the configuration: `irc` for `[irc.libera]`.
    pub section: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its section holds.
    pub about: &'static str,
    /// A name that an operator may give such a network; that of the one in the example of the configuration.
    pub example: &'static str,
    /// What is logged of it unless somebody asks for something else, such as `transport_irc=info`; warnings always are.
    pub log: &'static str,
}

/// A command for one kind of network.
pub struct OwnCommand<Settings> {
    /// As it is typed.
    pub typed: Command,
    /// Does what was typed, for the networks of this kind, by their names.
    pub run: Run<Settings>,
}

/// What does a command; the path is that of the data directory.
pub type Run<Settings> = fn(&ArgMatches, &BTreeMap<String, Settings>, &Path) -> anyhow::Result<()>;
