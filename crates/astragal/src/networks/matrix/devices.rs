//! `astragal matrix ...`: what an operator does with the bot's devices. The bot must be stopped, but for verifying it.

use crate::ask;
use crate::examples::told;
use crate::networks::kind::OwnCommand;
use crate::out::{out, say};
use crate::request::Request;
use crate::stop;
use anyhow::{Context, bail};
use async_trait::async_trait;
use chat::Terminal;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use journal::Entropy;
use std::collections::BTreeMap;
use std::io::{BufRead, Write, stdin};
use std::path::Path;
use std::sync::{Arc, Mutex};
use store_sled::{ClaimError, DataDir};
use transport_matrix::{Device, Identity, Randomness, Settings};

/// The directory of the devices, in the data directory.
pub const DEVICES: &str = "matrix";

/// What an operator does with a device of the bot's. NETWORK is the name behind `matrix.` in the configuration.
#[derive(Debug, Subcommand)]
enum MatrixTask {
    /// Log in as a new device if there is none, and sign it with the account's identity
    #[command(after_help = "Example:\n  astragal matrix login home")]
    Login {
        /// Which account, if there are several
        network: Option<String>,
    },
    /// Manage the recovery key, which restores the account's identity and old messages
    #[command(subcommand, after_help = "Example:\n  astragal matrix recovery new home")]
    Recovery(RecoveryTask),
    /// Let somebody verify the bot by comparing emoji; works while the bot runs
    #[command(after_help = "Example:\n  astragal matrix verify home")]
    Verify {
        /// Which account, if there are several
        network: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
enum RecoveryTask {
    /// Create a new recovery key
    #[command(after_help = "Example:\n  astragal matrix recovery new home")]
    New {
        /// Which account, if there are several
        network: Option<String>,
    },
    /// Restore the identity with the recovery key
    #[command(after_help = "Example:\n  astragal matrix recovery restore home")]
    Restore {
        /// Which account, if there are several
        network: Option<String>,
    },
}

impl MatrixTask {
    /// Which account.
    fn network(&self) -> Option<&str> {
        let (MatrixTask::Login { network }
        | MatrixTask::Verify { network }
        | MatrixTask::Recovery(RecoveryTask::New { network } | RecoveryTask::Restore { network })) = self;
        network.as_deref()
    }
}

/// The command: its declaration, and the code that runs it.
pub fn command() -> OwnCommand<Settings> {
    let typed = MatrixTask::augment_subcommands(Command::new("matrix"));
    let typed = typed.about("Look after the bot's devices on Matrix; the bot must be stopped, except for verify");
    let typed = typed.after_help(told(&["astragal matrix login home", "astragal matrix recovery new home"]));
    OwnCommand { typed: typed.subcommand_required(true).arg_required_else_help(true), run }
}

/// Returns fresh randomness each time.
pub fn randomness() -> Randomness {
    let entropy = Mutex::new(Entropy::from_system());
    Arc::new(move || entropy.lock().expect("nothing panics holding it").secret())
}

fn run(words: &ArgMatches, accounts: &BTreeMap<String, Settings>, data: &Path) -> anyhow::Result<()> {
    let task = MatrixTask::from_arg_matches(words)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    runtime.block_on(work(&task, accounts, data))
}

async fn work(task: &MatrixTask, accounts: &BTreeMap<String, Settings>, path: &Path) -> anyhow::Result<()> {
    let known = || accounts.keys().cloned().collect::<Vec<_>>().join(", ");
    let name = match (task.network(), accounts.len()) {
        (Some(name), _) => name.to_owned(),
        (None, 1) => accounts.keys().next().cloned().unwrap_or_default(),
        (None, 0) => bail!("the configuration names no Matrix account: it needs a section such as [matrix.home]"),
        (None, _) => bail!("which account? {}", known()),
    };
    let settings = accounts.get(&name).with_context(|| format!("there is no matrix.{name}; there is {}", known()))?;
    // One process per device, or its keys would be lost.
    let data = match (DataDir::claim(path), task) {
        (Err(ClaimError::Held(_)), MatrixTask::Verify { .. }) => {
            return verified(ask::talk(path, &Request::Verify { network: name }, &mut Tty).await?);
        }
        (Err(ClaimError::Held(_)), _) => bail!(stop::first(path)),
        (data, _) => data?,
    };
    let device = Device::open(settings.clone(), &data.file(DEVICES).join(&name), &randomness()).await;
    let device = device.map_err(anyhow::Error::msg)?;
    match task {
        MatrixTask::Login { .. } => {
            say(&format!("logged in as {}", device.who()))?;
            if let Some(earlier) = device.earlier().await {
                say(&earlier)?;
            }
            match device.identity().await.map_err(anyhow::Error::msg)? {
                Identity::Kept(file) => say(&format!(
                    "the device is signed by the account's identity; the key that gets it back is in {}: keep a copy",
                    file.display()
                )),
                Identity::Unkept => say(
                    "the device is signed, but the recovery key is not kept here: astragal matrix recovery restore keeps the \
                         one that you saved, and astragal matrix recovery new makes another",
                ),
                Identity::Foreign => say(
                    "the account has an identity that did not sign this device: astragal matrix recovery restore, or \
                     astragal matrix verify from another session of the account",
                ),
            }
        }
        MatrixTask::Recovery(RecoveryTask::New { .. }) => {
            let (key, file) = device.new_recovery_key().await.map_err(anyhow::Error::msg)?;
            say(&key)?;
            say(&format!(
                "this new recovery key is also in {}; the old one, if there was one, is worth nothing now",
                file.display()
            ))
        }
        MatrixTask::Recovery(RecoveryTask::Restore { .. }) => {
            let key = Tty.line("recovery key: ")?;
            let file = device.restore(key.trim()).await.map_err(anyhow::Error::msg)?;
            say(&format!("the identity is back and signed this device; the key is kept in {}", file.display()))
        }
        MatrixTask::Verify { .. } => verified(device.verify(&mut Tty).await.map_err(anyhow::Error::msg)?),
    }
}

fn verified(well: bool) -> anyhow::Result<()> {
    anyhow::ensure!(well, "not verified");
    say("verified")
}

/// The user at the terminal.
struct Tty;

impl Tty {
    fn line(&mut self, question: &str) -> anyhow::Result<String> {
        let mut out = out();
        write!(out, "{question}")?;
        out.flush()?;
        let mut line = String::new();
        stdin().lock().read_line(&mut line)?;
        Ok(line)
    }
}

#[async_trait]
impl Terminal for Tty {
    async fn show(&mut self, line: &str) {
        // If standard output is closed, nobody sees it.
        let _ = say(line);
    }

    async fn ask(&mut self, question: &str) -> bool {
        let answer = self.line(&format!("{question} [y/n] ")).unwrap_or_default();
        answer.trim().eq_ignore_ascii_case("y") || answer.trim().eq_ignore_ascii_case("yes")
    }
}
