//! Where the configuration and the data are: by the command line, or else by the platform's convention.

use crate::backups::{self, UNFINISHED};
use crate::config::{Config, Written, environment};
use crate::networks::Kinds;
use crate::owner;
use crate::store::Kept;
use anyhow::Context;
use directories::ProjectDirs;
use std::fs;
use std::path::PathBuf;

/// Where packages put the configuration of a bot that runs as a service.
pub const OF_THE_SYSTEM: &str = "/etc/astragal/astragal.toml";

/// The places of both.
#[derive(Clone)]
pub struct Place {
    /// The configuration file named on the command line.
    pub named: Option<PathBuf>,
    /// The configuration file, if there is one.
    pub file: Option<PathBuf>,
    /// The data directory named on the command line.
    pub data: Option<PathBuf>,
    /// The kinds of networks that the configuration may name.
    pub kinds: Kinds,
}

/// What a command works on: the bot's data.
pub struct Home {
    /// The data directory.
    pub data: PathBuf,
    /// The directory of the daily backups.
    pub backups: PathBuf,
    /// Where the store is.
    pub kept: Kept,
}

impl Place {
    /// The places, if the command line names these.
    pub fn of(named: Option<PathBuf>, data: Option<PathBuf>, kinds: Kinds) -> Self {
        let standard = [Self::standard_config(), Some(PathBuf::from(OF_THE_SYSTEM))];
        let file = named.clone().or_else(|| standard.into_iter().flatten().find(|path| path.exists()));
        Place { named, file, data, kinds }
    }

    /// The platform's place for the configuration.
    pub fn standard_config() -> Option<PathBuf> {
        Some(platform()?.config_dir().join("astragal.toml"))
    }

    /// The configuration from the file and the environment, or the defaults if there are none.
    pub fn config(&self) -> anyhow::Result<Config> {
        Config::read(self.file.as_deref(), &self.kinds)
    }

    /// The same, unchecked.
    pub fn written(&self) -> anyhow::Result<Written> {
        Written::read(self.file.as_deref(), environment(), &self.kinds)
    }

    /// Warnings about secrets that everybody on this machine can read, one line each.
    pub fn exposed_secrets(&self) -> anyhow::Result<Vec<String>> {
        let exposed = self.written()?.exposed(self.file.as_deref());
        let told = |file: PathBuf| {
            let file = file.display();
            format!("warning: everybody on this machine can read the secret in {file}: chmod o-r {file}")
        };
        Ok(exposed.into_iter().map(told).collect())
    }

    /// The data directory: from the command line, or else the configuration, or else the platform's convention.
    pub fn data_of(&self, config: &Config) -> anyhow::Result<PathBuf> {
        let named = self.data.clone().or_else(|| config.data.clone());
        let standard = || Some(platform()?.data_dir().to_owned());
        let path = named.or_else(standard).context("this user has no home directory: name one with --data DIR")?;
        std::path::absolute(&path).with_context(|| format!("{} is no usable path", path.display()))
    }

    /// The data for a command, which from now on acts as its owner.
    ///
    /// # Errors
    /// The configuration is wrong, or this user cannot act as the owner.
    pub fn home(&self) -> anyhow::Result<Home> {
        self.home_of(&self.config()?)
    }

    /// The same, if this is the configuration.
    pub fn home_of(&self, config: &Config) -> anyhow::Result<Home> {
        let data = owner::act(&self.data_of(config)?)?;
        Ok(Home { backups: data.join(&config.backups.directory), data, kept: config.store.kept() })
    }

    /// The data directory, using the current configuration only if the command line names none: whoever asks a running
    /// bot need not be able to read its secrets.
    pub fn data_dir(&self) -> anyhow::Result<PathBuf> {
        match self.data {
            Some(_) => self.data_of(&Config::default()),
            None => self.data_of(&self.config()?),
        }
    }
}

fn platform() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "astragal")
}

/// Checks that there is a store in a data directory, or an unfinished one, before anything is created there.
///
/// # Errors
/// There is none, or it cannot be looked at.
pub fn must_hold_data(home: &Home) -> anyhow::Result<()> {
    let data = &home.data;
    store_sled::no_file_is_there(data)?;
    if let Kept::There(_) = home.kept {
        anyhow::ensure!(data.is_dir(), "{} is not there: name the bot's data directory with --data", data.display());
        return Ok(());
    }
    match fs::metadata(data.join("store")).or_else(|_| fs::metadata(data.join(UNFINISHED))) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => match backups::newest(&home.backups) {
            Some(newest) => anyhow::bail!(
                "there is no store in {}, but there are backups: astragal check --rebuild makes it from {}",
                data.display(),
                newest.display()
            ),
            None => anyhow::bail!("there is no data in {}: name the bot's data directory with --data", data.display()),
        },
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", data.display())),
    }
}
