//! A kind of network, such as IRC: everything the program needs to know about it. Nothing else in the program names
//! one.

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

/// A kind of network. The methods that it need not implement have defaults.
#[async_trait]
pub trait Kind: Send + Sync + 'static {
    /// The settings of one network of this kind: a section of the configuration, whose schema finds the mistakes.
    type Settings: Clone + Debug + PartialEq + DeserializeOwned + JsonSchema + Send + Sync;

    /// Its names.
    fn names(&self) -> Names;

    /// Adds the secrets from files, after checking everything that can be checked without the network. `owners` are the
    /// bot's owners on this network.
    ///
    /// # Errors
    /// Everything that is wrong, each with one correct example. What is about one key begins with it, as in `server: it
    /// needs a host name`.
    fn complete(&self, settings: Self::Settings, owners: &BTreeSet<String>) -> Result<Self::Settings, Vec<String>>;

    /// The network with this name, as a transport. It keeps its files in `data`, the bot's data directory.
    fn transport(&self, name: &str, settings: &Self::Settings, data: &Path) -> Arc<dyn Transport>;

    /// Lets the transport of a network go by changed settings. Whatever is done at once, such as leaving rooms, is done
    /// in any case.
    async fn adopt(&self, _transport: &dyn Transport, _before: &Self::Settings, _now: &Self::Settings) -> Adopted {
        Adopted::Again
    }

    /// The rooms that the settings name.
    fn rooms(&self, _settings: &Self::Settings) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// Tries to log in, and leaves again. Returns the result in plain words.
    ///
    /// # Errors
    /// What failed.
    async fn probe(&self, name: &str, settings: &Self::Settings, data: &Path) -> Result<String, String>;

    /// Looks at its files in `data`, the bot's data directory: what is well there, or what is wrong and what to do.
    fn look(&self, _name: &str, _data: &Path) -> Vec<Result<String, (String, String)>> {
        Vec::new()
    }

    /// The server, as the operator knows it.
    fn server(&self, _settings: &Self::Settings) -> String {
        "the server".to_owned()
    }

    /// What to check if the server is silent.
    fn if_silent(&self, _settings: &Self::Settings) -> String {
        "the address".to_owned()
    }

    /// What is allowed, and is probably meant otherwise.
    fn doubt(&self, _settings: &Self::Settings) -> Option<String> {
        None
    }

    /// An id in the network's own spelling.
    fn as_known(&self, id: &str) -> String {
        id.to_owned()
    }

    /// Why nobody can be this owner, if that is so.
    fn no_owner(&self, _owner: &PlayerId, _settings: &Self::Settings) -> Option<String> {
        None
    }

    /// What would match somebody on the network with this name, if nobody there can match this pattern.
    fn nobody(&self, _name: &str, _pattern: &str) -> Option<String> {
        None
    }

    /// Adds its flags to `astragal init`; none may be another kind's.
    fn flags(&self, init: Command) -> Command {
        init
    }

    /// The network of this kind in the first configuration, if there is to be one. `owners` are those named already.
    ///
    /// # Errors
    /// Nobody answers.
    fn first(&self, _answers: &Answers<'_>, _owners: &[String]) -> anyhow::Result<Option<First>> {
        Ok(None)
    }

    /// The program's command for just this kind.
    fn command(&self) -> Option<OwnCommand<Self::Settings>> {
        None
    }
}

/// How a network takes up changed settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adopted {
    /// It has.
    Now,
    /// It must connect again.
    Again,
}

/// The names of a kind of network.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Its section of the configuration: `irc` for `[irc.libera]`.
    pub section: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// What its section contains.
    pub about: &'static str,
    /// A possible name for such a network: the one in the example configuration.
    pub example: &'static str,
    /// The default log filter for it, such as `transport_irc=info`; warnings are always logged.
    pub log: &'static str,
}

/// A command for just one kind of network.
pub struct OwnCommand<Settings> {
    /// Its declaration.
    pub typed: Command,
    /// Runs it, for the networks of this kind, by name.
    pub run: Run<Settings>,
}

/// Runs a command; the path is the data directory.
pub type Run<Settings> = fn(&ArgMatches, &BTreeMap<String, Settings>, &Path) -> anyhow::Result<()>;
