//! The networks of the configuration, of any kind.

use super::first::{Answers, First};
use super::kind::{Adopted, Kind, Names};
use anyhow::Context;
use async_trait::async_trait;
use chat::{PlayerId, Transport};
use clap::{ArgMatches, Command};
use schemars::{Schema, SchemaGenerator};
use serde::Deserialize;
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use toml::de::Deserializer;

/// The kinds of networks that the program knows.
pub type Kinds = Vec<&'static dyn AnyKind>;

/// A [`Kind`] with any settings; every kind is one.
pub trait AnyKind: Send + Sync {
    /// Its names.
    fn names(&self) -> Names;

    /// The schema of its section.
    fn schema(&self, generator: &mut SchemaGenerator) -> Schema;

    /// The networks in its section, which is there alone under its name.
    ///
    /// # Errors
    /// It does not fit the schema.
    fn read(&'static self, section: Deserializer<'_>) -> Result<Vec<Arc<dyn Network>>, toml::de::Error>;

    /// As [`Kind::flags`].
    fn flags(&self, init: Command) -> Command;

    /// As [`Kind::first`].
    ///
    /// # Errors
    /// Nobody answers.
    fn first(&self, answers: &Answers<'_>, owners: &[String]) -> anyhow::Result<Option<First>>;

    /// The program's command for just this kind.
    fn command(&self) -> Option<Command>;

    /// Runs that command.
    ///
    /// # Errors
    /// What is wrong, in plain words.
    fn run(&self, words: &ArgMatches, networks: &Networks, data: &Path) -> anyhow::Result<()>;
}

/// One network of the configuration.
#[async_trait]
pub trait Network: Any + Debug + Send + Sync {
    /// The operator's name for it.
    fn name(&self) -> &str;

    /// The names of its kind.
    fn kind(&self) -> Names;

    /// As [`Kind::complete`].
    ///
    /// # Errors
    /// Everything that is wrong.
    fn complete(&self, owners: &BTreeSet<PlayerId>) -> Result<Arc<dyn Network>, Vec<String>>;

    /// As [`Kind::transport`].
    fn transport(&self, data: &Path) -> Arc<dyn Transport>;

    /// As [`Kind::adopt`], for a transport that went by the settings of `before`.
    async fn adopt(&self, transport: &dyn Transport, before: &dyn Network) -> Adopted;

    /// As [`Kind::rooms`].
    fn rooms(&self) -> BTreeSet<String>;

    /// As [`Kind::probe`].
    ///
    /// # Errors
    /// What failed.
    async fn probe(&self, data: &Path) -> Result<String, String>;

    /// As [`Kind::look`].
    fn look(&self, data: &Path) -> Vec<Result<String, (String, String)>>;

    /// As [`Kind::server`].
    fn server(&self) -> String;

    /// As [`Kind::if_silent`].
    fn if_silent(&self) -> String;

    /// As [`Kind::doubt`].
    fn doubt(&self) -> Option<String>;

    /// As [`Kind::as_known`].
    fn as_known(&self, id: &str) -> String;

    /// As [`Kind::no_owner`].
    fn no_owner(&self, owner: &PlayerId) -> Option<String>;

    /// As [`Kind::nobody`].
    fn nobody(&self, pattern: &str) -> Option<String>;

    /// True if the other has the same kind, name and settings.
    fn is_as(&self, other: &dyn Network) -> bool;
}

impl dyn Network {
    /// Tries to log in, which may take as long as `limit`.
    ///
    /// # Errors
    /// What failed.
    pub async fn try_it(&self, data: &Path, limit: Duration) -> Result<String, String> {
        let (section, name) = (self.kind().section, self.name());
        timeout(limit, self.probe(data)).await.unwrap_or_else(|_| {
            let (server, seconds) = (self.server(), limit.as_secs());
            let hint = format!("check the firewall, and in [{section}.{name}] {}", self.if_silent());
            Err(format!("{server} is silent: the bot was not let in within {seconds} seconds; {hint}"))
        })
    }
}

/// A network of a kind.
struct Of<K: Kind> {
    kind: &'static K,
    name: String,
    settings: K::Settings,
}

impl<K: Kind> Debug for Of<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(self.kind.names().section).field(&self.name).field(&self.settings).finish()
    }
}

impl<K: Kind> AnyKind for K {
    fn names(&self) -> Names {
        Kind::names(self)
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<BTreeMap<String, K::Settings>>();
        schema.insert("description".to_owned(), Kind::names(self).about.into());
        schema
    }

    fn read(&'static self, section: Deserializer<'_>) -> Result<Vec<Arc<dyn Network>>, toml::de::Error> {
        let mut section = BTreeMap::<String, BTreeMap<String, K::Settings>>::deserialize(section)?;
        let networks = section.remove(Kind::names(self).section).unwrap_or_default();
        let one = |(name, settings)| -> Arc<dyn Network> { Arc::new(Of { kind: self, name, settings }) };
        Ok(networks.into_iter().map(one).collect())
    }

    fn flags(&self, init: Command) -> Command {
        Kind::flags(self, init)
    }

    fn first(&self, answers: &Answers<'_>, owners: &[String]) -> anyhow::Result<Option<First>> {
        Kind::first(self, answers, owners)
    }

    fn command(&self) -> Option<Command> {
        Kind::command(self).map(|own| own.typed)
    }

    fn run(&self, words: &ArgMatches, networks: &Networks, data: &Path) -> anyhow::Result<()> {
        let own = Kind::command(self).context("there is no such command")?;
        (own.run)(words, &networks.of_kind::<K>(), data)
    }
}

#[async_trait]
impl<K: Kind> Network for Of<K> {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> Names {
        Kind::names(self.kind)
    }

    fn complete(&self, owners: &BTreeSet<PlayerId>) -> Result<Arc<dyn Network>, Vec<String>> {
        let owners = owners.iter().filter(|owner| owner.network == self.name).map(|owner| owner.id.clone()).collect();
        let settings = self.kind.complete(self.settings.clone(), &owners)?;
        Ok(Arc::new(Of { kind: self.kind, name: self.name.clone(), settings }))
    }

    fn transport(&self, data: &Path) -> Arc<dyn Transport> {
        self.kind.transport(&self.name, &self.settings, data)
    }

    async fn adopt(&self, transport: &dyn Transport, before: &dyn Network) -> Adopted {
        match (before as &dyn Any).downcast_ref::<Self>() {
            Some(before) => self.kind.adopt(transport, &before.settings, &self.settings).await,
            None => Adopted::Again,
        }
    }

    fn rooms(&self) -> BTreeSet<String> {
        self.kind.rooms(&self.settings)
    }

    async fn probe(&self, data: &Path) -> Result<String, String> {
        self.kind.probe(&self.name, &self.settings, data).await
    }

    fn look(&self, data: &Path) -> Vec<Result<String, (String, String)>> {
        self.kind.look(&self.name, data)
    }

    fn server(&self) -> String {
        self.kind.server(&self.settings)
    }

    fn if_silent(&self) -> String {
        self.kind.if_silent(&self.settings)
    }

    fn doubt(&self) -> Option<String> {
        self.kind.doubt(&self.settings)
    }

    fn as_known(&self, id: &str) -> String {
        self.kind.as_known(id)
    }

    fn no_owner(&self, owner: &PlayerId) -> Option<String> {
        self.kind.no_owner(owner, &self.settings)
    }

    fn nobody(&self, pattern: &str) -> Option<String> {
        self.kind.nobody(&self.name, pattern)
    }

    fn is_as(&self, other: &dyn Network) -> bool {
        let other = (other as &dyn Any).downcast_ref::<Self>();
        other.is_some_and(|other| other.name == self.name && other.settings == self.settings)
    }
}

/// The networks of a configuration, kind after kind, by name.
#[derive(Clone, Debug, Default)]
pub struct Networks(Vec<Arc<dyn Network>>);

impl PartialEq for Networks {
    fn eq(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(|(one, other)| one.is_as(&**other))
    }
}

impl Eq for Networks {}

impl Extend<Arc<dyn Network>> for Networks {
    fn extend<T: IntoIterator<Item = Arc<dyn Network>>>(&mut self, more: T) {
        self.0.extend(more);
    }
}

impl Networks {
    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Network> {
        self.0.iter().map(|network| &**network)
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The network with this name.
    pub fn named(&self, name: &str) -> Option<&dyn Network> {
        self.iter().find(|network| network.name() == name)
    }

    /// Their kinds and names, for people: `IRC libera, Matrix home`.
    pub fn titles(&self) -> String {
        let titles = self.iter().map(|network| format!("{} {}", network.kind().title, network.name()));
        titles.collect::<Vec<_>>().join(", ")
    }

    /// The settings of the networks of one kind, by name.
    pub fn of_kind<K: Kind>(&self) -> BTreeMap<String, K::Settings> {
        let of = |network| (network as &dyn Any).downcast_ref::<Of<K>>();
        let each = self.iter().filter_map(of);
        each.map(|network| (network.name.clone(), network.settings.clone())).collect()
    }

    /// Adds the secrets from files. Networks with errors are left out and reported to `wrong`.
    pub fn complete(self, owners: &BTreeSet<PlayerId>, wrong: &mut dyn FnMut(String)) -> Self {
        for (at, network) in self.0.iter().enumerate() {
            let name = network.name();
            for other in self.0[at + 1..].iter().filter(|other| other.name() == name) {
                let (one, other) = (network.kind().section, other.kind().section);
                wrong(format!("{one}.{name} and {other}.{name}: each network needs a name of its own"));
            }
        }
        let complete = |network: &Arc<dyn Network>| {
            let (name, Names { section, example, .. }) = (network.name(), network.kind());
            let fits = !name.is_empty() && name != transport_console::NETWORK && !name.contains(['/', ':']);
            if !fits {
                wrong(format!("{section}.{name}: no name for a network; {example:?} is one"));
            }
            let of_one_key = |what: &str| what.split_once(": ").is_some_and(|(key, _)| !key.contains(' '));
            let complete = network.complete(owners).map_err(|mistakes| {
                for what in mistakes {
                    wrong(format!("{section}.{name}{}{what}", if of_one_key(&what) { "." } else { ": " }));
                }
            });
            complete.ok().filter(|_| fits)
        };
        Networks(self.0.iter().filter_map(complete).collect())
    }

    /// What is allowed in them, and is probably meant otherwise.
    pub fn doubts(&self) -> Vec<String> {
        let doubt = |network: &dyn Network| {
            Some(format!("{}.{}: {}", network.kind().section, network.name(), network.doubt()?))
        };
        self.iter().filter_map(doubt).collect()
    }

    /// As transports.
    pub fn transports(&self, data: &Path) -> Vec<Arc<dyn Transport>> {
        self.iter().map(|network| network.transport(data)).collect()
    }

    /// Tries to log in to each, which may take as long as `limit`. Returns true if all went well. `say` gets each result.
    pub async fn try_all(&self, data: &Path, limit: Duration, say: &mut dyn FnMut(String)) -> bool {
        let mut well = true;
        for network in self.iter() {
            let (section, name) = (network.kind().section, network.name());
            let tried = network.try_it(data, limit).await;
            well &= tried.is_ok();
            say(format!("{section}.{name}: {}", tried.unwrap_or_else(|why| why)));
        }
        well
    }
}

#[cfg(all(test, feature = "irc-network", feature = "matrix"))]
mod tests {
    use crate::config::Config;
    use crate::networks::{KINDS, known};
    use std::net::TcpListener;
    use std::time::Duration;

    #[tokio::test]
    async fn a_silent_server_is_named_and_leaves_no_trace() {
        let silent = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [irc, matrix] = silent.each_ref().map(|listener| listener.local_addr().unwrap());
        let text = format!(
            "[irc.a]\nserver = \"127.0.0.1\"\nport = {}\n[matrix.b]\nhomeserver = \"http://{matrix}\"\n",
            irc.port()
        );
        let config = Config::of(&(text + "user = \"dice\"\npassword = \"x\"\n"), &known(KINDS)).unwrap();
        let (home, mut said) = (tempfile::tempdir().unwrap(), Vec::new());
        let data = home.path().join("data");
        let limit = Duration::from_millis(300);
        assert!(!config.networks.try_all(&data, limit, &mut |line| said.push(line)).await);
        assert!(said[0].starts_with(&format!("irc.a: {irc} is silent: ")), "{said:?}");
        assert!(said[0].ends_with(&format!("if port {} is not for TLS, set tls = false", irc.port())), "{said:?}");
        assert!(said[1].starts_with(&format!("matrix.b: http://{matrix} is silent: ")), "{said:?}");
        assert!(said[1].ends_with("check the firewall, and in [matrix.b] the address"), "{said:?}");
        assert!(!data.exists(), "an attempt leaves a device behind");
    }
}
