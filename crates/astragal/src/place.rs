//! Where the configuration and the data are: by the command line, else by the platform's convention.

use crate::config::{Config, Written, environment};
use crate::networks::Kinds;
use anyhow::Context;
use directories::ProjectDirs;
use std::path::PathBuf;

/// Where packages keep the configuration of a bot that runs as a service.
pub const OF_THE_SYSTEM: &str = "/etc/astragal/astragal.toml";

/// Where both are.
#[derive(Clone)]
pub struct Place {
    /// The configuration file that the command line names.
    pub named: Option<PathBuf>,
    /// The configuration file, if there is one.
    pub file: Option<PathBuf>,
    /// The data directory that the command line names.
    pub data: Option<PathBuf>,
    /// The kinds of networks that the configuration may name.
    pub kinds: Kinds,
}

impl Place {
    /// Where they are when the command line names these.
    pub fn of(named: Option<PathBuf>, data: Option<PathBuf>, kinds: Kinds) -> Self {
        let standard = [Self::standard_config(), Some(PathBuf::from(OF_THE_SYSTEM))];
        let file = named.clone().or_else(|| standard.into_iter().flatten().find(|path| path.exists()));
        Place { named, file, data, kinds }
    }

    /// Where the platform keeps the configuration.
    pub fn standard_config() -> Option<PathBuf> {
        Some(platform()?.config_dir().join("astragal.toml"))
    }

    /// What the configuration file and the environment say, or the defaults where there is nothing.
    pub fn config(&self) -> anyhow::Result<Config> {
        Config::read(self.file.as_deref(), &self.kinds)
    }

    /// The same as it is written.
    pub fn written(&self) -> anyhow::Result<Written> {
        Written::read(self.file.as_deref(), environment(), &self.kinds)
    }

    /// What is to be said of secrets that everybody on this machine can read, a line each.
    pub fn exposed_secrets(&self) -> anyhow::Result<Vec<String>> {
        let exposed = self.written()?.exposed(self.file.as_deref());
        let told = |file: PathBuf| {
            let file = file.display();
            format!("warning: everybody on this machine can read the secret in {file}: chmod o-r {file}")
        };
        Ok(exposed.into_iter().map(told).collect())
    }

    /// Where everything is kept: by the command line, else by the configuration, else by the platform's convention.
    pub fn data_of(&self, config: &Config) -> anyhow::Result<PathBuf> {
        let named = self.data.clone().or_else(|| config.data.clone());
        let standard = || Some(platform()?.data_dir().to_owned());
        let path = named.or_else(standard).context("this user has no home directory: name one with --data DIR")?;
        std::path::absolute(&path).with_context(|| format!("{} is no usable path", path.display()))
    }

    /// Where everything is kept, by the configuration that is there.
    pub fn data_dir(&self) -> anyhow::Result<PathBuf> {
        self.data_of(&self.config()?)
    }
}

fn platform() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "astragal")
}
