//! Reading the whole store before it is used, in a child process: a damaged database may make sled panic or hang, and a
//! hang can only be ended from outside.

use crate::backup;
use crate::cli::Cli;
use anyhow::{Context, bail};
use bot::store::scan_all;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;
use store_sled::{DataDir, SledStore};

const STEP: Duration = Duration::from_millis(2);
/// A small store is read in milliseconds; the limit is for a hang.
const SHORTEST_LIMIT: Duration = Duration::from_secs(30);
/// Beyond that, so many bytes a second are expected at the least.
const SLOWEST: u64 = 4 << 20;

/// The child's part: reads every record of the store.
pub fn check_here(cli: &Cli) -> anyhow::Result<()> {
    let path = cli.data_dir(&cli.config()?)?;
    let store = SledStore::open(&path.join("store"))?;
    for record in scan_all(&store, "") {
        record?;
    }
    Ok(())
}

/// Has the store of `data`, if there is one, read by a child.
///
/// # Errors
/// It is damaged; says what can be done. Nothing was changed.
pub fn check_in_child(data: &DataDir, path: &Path) -> anyhow::Result<()> {
    if !data.store().exists() {
        return Ok(());
    }
    let program = std::env::current_exe().context("the program does not find itself")?;
    let mut child = Command::new(program)
        .args(["check-store", "--data"])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("the store cannot be checked")?;
    let limit = SHORTEST_LIMIT + Duration::from_secs(size(&data.store()) / SLOWEST);
    let status = wait(&mut child, limit)?;
    if status.is_some_and(|status| status.success()) {
        return Ok(());
    }
    let mut says = String::new();
    if let Some(mut stderr) = child.stderr.take() {
        // What the child could not say is not known.
        let _ = stderr.read_to_string(&mut says);
    }
    let why = match status {
        None => "reading it takes for ever".to_owned(),
        Some(_) => says
            .lines()
            .last()
            .unwrap_or("the check crashed")
            .trim_start_matches("astragal: ")
            .to_owned(),
    };
    let store = data.store();
    let then = match backup::newest(&data.file(backup::DIRECTORY)) {
        Some(backup) => format!("astragal restore {} --data DIR", backup.display()),
        None => "restore a backup (astragal restore FILE --data DIR)".to_owned(),
    };
    bail!(
        "the data in {} is damaged and was left as it is ({why}): into a new directory DIR, {then}, and start with it",
        store.display()
    )
}

/// Waits for the child to end; `None` if it had to be ended.
fn wait(child: &mut Child, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    for _ in 0..limit.as_millis() / STEP.as_millis() {
        if let Some(status) = child.try_wait().context("the check of the store got lost")? {
            return Ok(Some(status));
        }
        std::thread::sleep(STEP);
    }
    child.kill().context("the check of the store cannot be ended")?;
    child.wait().context("the check of the store got lost")?;
    Ok(None)
}

/// Bytes of the files in a directory.
fn size(directory: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .map(|file| file.len())
        .sum()
}
