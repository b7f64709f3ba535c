//! `astragal matrix ...`: what an operator does with the bot's devices while the bot is stopped.

use super::DEVICES;
use super::matrix::randomness;
use crate::cli::{MatrixTask, RecoveryTask};
use crate::config::Config;
use crate::out::{out, say};
use anyhow::{Context, bail};
use std::io::{BufRead, Write, stdin};
use std::path::Path;
use store_sled::{ClaimError, DataDir};
use transport_matrix::{Device, Identity, Terminal};

/// Does it.
///
/// # Errors
/// Says in plain words what is wrong.
pub fn run(config: &Config, path: &Path, task: &MatrixTask) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no threads to be had")?;
    runtime.block_on(work(config, path, task))
}

async fn work(config: &Config, path: &Path, task: &MatrixTask) -> anyhow::Result<()> {
    let name = match (task.network(), config.matrix.len()) {
        (Some(name), _) => name.to_owned(),
        (None, 1) => config.matrix.keys().next().cloned().unwrap_or_default(),
        (None, 0) => bail!("the configuration names no Matrix account: it needs a section such as [matrix.home]"),
        (None, _) => bail!("which account? {}", config.matrix.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    let known = || config.matrix.keys().cloned().collect::<Vec<_>>().join(", ");
    let settings =
        config.matrix.get(&name).with_context(|| format!("there is no matrix.{name}; there is {}", known()))?;
    // One process for a device: its keys would be lost else.
    let data = match DataDir::claim(path) {
        Err(ClaimError::Held(_)) => bail!("a bot is running on {}: stop it first", path.display()),
        data => data?,
    };
    let device = Device::open(settings.clone(), &data.file(DEVICES).join(&name), &randomness()).await;
    let device = device.map_err(anyhow::Error::msg)?;
    match task {
        MatrixTask::Login { .. } => {
            say(&format!("logged in as {}", device.who()))?;
            match device.identity().await.map_err(anyhow::Error::msg)? {
                Identity::Kept(file) => say(&format!(
                    "the device is signed by the account's identity; the key that gets it back is in {}: keep a copy",
                    file.display()
                )),
                Identity::Unkept => {
                    say("the device is signed, but nobody here has the recovery key: astragal matrix recovery new")
                }
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
        MatrixTask::Verify { .. } => {
            say(&format!("waiting for somebody to verify {} (their app: the bot's profile, Verify)", device.who()))?;
            let well = device.verify(&mut Tty).await.map_err(anyhow::Error::msg)?;
            anyhow::ensure!(well, "not verified");
            say("verified")
        }
    }
}

/// Whoever started the program.
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

impl Terminal for Tty {
    fn show(&mut self, line: &str) {
        // A closed standard output sees nothing.
        let _ = say(line);
    }

    fn ask(&mut self, question: &str) -> bool {
        let answer = self.line(&format!("{question} [y/n] ")).unwrap_or_default();
        answer.trim().eq_ignore_ascii_case("y") || answer.trim().eq_ignore_ascii_case("yes")
    }
}
