//! The operator's command after each daily backup, which can copy it elsewhere.

use crate::check::wait;
use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tokio::task::spawn_blocking;

/// How long the command may take.
const LIMIT: Duration = Duration::from_secs(3600);
/// The variables of the bot's environment that may hold its secrets begin with this.
const OURS: &str = "ASTRAGAL_";

/// Runs the command with the path of the backup as its last argument, and waits for it.
///
/// # Errors
/// There is none, or it does not run, fails, or takes longer than an hour.
pub async fn run(words: Vec<String>, file: PathBuf) -> anyhow::Result<()> {
    spawn_blocking(move || run_here(&words, &file)).await?
}

fn run_here(words: &[String], file: &Path) -> anyhow::Result<()> {
    let program = words.first().context("there is no command")?;
    let mut command = Command::new(program);
    command.args(&words[1..]).arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(OURS)) {
        command.env_remove(name);
    }
    let mut child = command.spawn().with_context(|| format!("backups.after: {program} cannot be run"))?;
    let last = last_line(&mut child);
    let status = wait(&mut child, LIMIT)?;
    let says = last.and_then(|last| last.join().ok().flatten()).map_or(String::new(), |line| format!(": {line}"));
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("backups.after: {program} ended with {status}{says}"),
        None => bail!("backups.after: {program} was ended, since it took longer than an hour{says}"),
    }
}

/// Reads what the command complains of, so that it never has to wait, and keeps the last line.
fn last_line(child: &mut Child) -> Option<std::thread::JoinHandle<Option<String>>> {
    let complaints = BufReader::new(child.stderr.take()?);
    Some(std::thread::spawn(move || complaints.lines().map_while(Result::ok).last()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_gets_the_file_and_its_failure_is_told() {
        let here = tempfile::tempdir().unwrap();
        let (file, copy) = (here.path().join("a backup"), here.path().join("copy"));
        std::fs::write(&file, "x").unwrap();
        let words = |script: &str| vec!["sh".to_owned(), "-c".to_owned(), script.to_owned()];
        run(words(&format!("cp \"$0\" {}", copy.display())), file.clone()).await.unwrap();
        assert_eq!(std::fs::read_to_string(copy).unwrap(), "x");
        let error = run(words("echo no route to the attic >&2; exit 3"), file.clone()).await.unwrap_err();
        assert_eq!(error.to_string(), "backups.after: sh ended with exit status: 3: no route to the attic");
        let error = run(vec!["/nowhere/copy".to_owned()], file).await.unwrap_err();
        assert_eq!(error.to_string(), "backups.after: /nowhere/copy cannot be run");
    }
}
