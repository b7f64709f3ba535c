//! Whose files the data directory holds. A command that root runs acts as their owner, so that the bot can still open
//! everything afterwards, and a link that somebody put there leads nowhere that its owner cannot go.
//!
//! The process keeps root only in reserve, for the files named on the command line: see [`as_typed`].

use anyhow::{Context, anyhow, bail};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The data directory, for an owner who cannot enter the directories above it.
const HERE: &str = "/proc/self/cwd";
/// What the system says if a file belongs to somebody else.
const DENIED: &str = "Permission denied (os error 13)";

static ACTING: OnceLock<Acting> = OnceLock::new();

/// Root, acting as somebody else.
struct Acting {
    uid: Uid,
    gid: Gid,
    /// The data directory as it was named.
    data: PathBuf,
    /// The directory that the command was typed in, if the process had to leave it.
    left: Option<PathBuf>,
}

/// Acts as the owner of the data directory from now on, if root runs this process and the owner is somebody else.
/// Returns the path of the directory for this owner. Call it before there is a second thread.
///
/// # Errors
/// This root cannot act as them; the error says what to type.
pub fn act(data: &Path) -> anyhow::Result<PathBuf> {
    if ACTING.get().is_some() {
        return Ok(data.to_owned());
    }
    let Some(owner) = of_another(data) else { return Ok(data.to_owned()) };
    let from = std::env::current_dir().context("the working directory is gone")?;
    let (uid, gid) = (Uid::from_raw(owner.uid()), Gid::from_raw(owner.gid()));
    let refused = |error: io::Error| anyhow!("{error}: {}", instead(data, owner.uid()));
    std::env::set_current_dir(data).map_err(refused)?;
    set_thread_groups(&[gid]).map_err(|error| refused(error.into()))?;
    be(uid, gid).map_err(refused)?;
    let reachable = fs::read_dir(data).is_ok();
    let acting = Acting { uid, gid, data: data.to_owned(), left: (!reachable).then(|| from.clone()) };
    let acting = ACTING.get_or_init(|| acting);
    if acting.left.is_some() {
        return Ok(PathBuf::from(HERE));
    }
    as_typed(|| std::env::set_current_dir(&from)).context("the working directory is gone")?;
    Ok(data.to_owned())
}

/// Refuses to run a bot as root on a directory of somebody else, who could not open its files later.
///
/// # Errors
/// What to type instead.
pub fn must_not_be_roots(data: &Path) -> anyhow::Result<()> {
    let Some(owner) = of_another(data) else { return Ok(()) };
    bail!(
        "root would leave files there that the bot cannot open later; start its service (systemctl start astragal), or be its \
         user: {}",
        instead(data, owner.uid())
    )
}

/// Works as whoever typed the command, for a file that they named.
pub fn as_typed<T>(work: impl FnOnce() -> T) -> T {
    let Some(acting) = ACTING.get() else { return work() };
    be(Uid::ROOT, Gid::ROOT).expect("root is kept in reserve");
    let done = work();
    be(acting.uid, acting.gid).expect("root can be anybody");
    done
}

/// A file named on the command line, from wherever the process is by now.
pub fn typed(file: &Path) -> PathBuf {
    match ACTING.get().and_then(|acting| acting.left.as_ref()) {
        Some(left) => left.join(file),
        None => file.to_owned(),
    }
}

/// This program, for an owner who may be unable to see where it is.
pub fn program() -> io::Result<PathBuf> {
    match ACTING.get() {
        Some(_) => Ok(PathBuf::from("/proc/self/exe")),
        None => std::env::current_exe(),
    }
}

/// A text as the operator knows the paths in it.
pub fn shown(text: &str) -> String {
    match ACTING.get().filter(|_| text.contains(HERE)) {
        Some(acting) => text.replace(HERE, &acting.data.to_string_lossy()),
        None => text.to_owned(),
    }
}

/// The file that stands in the way, and what the operator can do, if an error is that somebody else owns it.
pub fn advice(error: &str, data: &Path) -> Option<String> {
    if !error.contains(DENIED) {
        return None;
    }
    // The process may have left the directory that a relative path begins in.
    let data = ACTING.get().map_or(data, |acting| &acting.data);
    let Ok(found) = as_typed(|| fs::metadata(data)) else {
        return Some(format!("{} cannot be entered: run it as root, with sudo", data.display()));
    };
    match as_typed(|| foreign(data)).first() {
        Some(file) => Some(as_typed(|| repair(data, &found, file))),
        None if geteuid().as_raw() != found.uid() => Some(instead(data, found.uid())),
        None => None,
    }
}

/// The files of the data directory that belong to somebody else than the directory.
pub fn foreign(data: &Path) -> Vec<PathBuf> {
    let Ok(owner) = fs::metadata(data).map(|found| found.uid()) else { return Vec::new() };
    let (mut folders, mut found) = (vec![data.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for (path, file) in entries.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?))) {
            if file.uid() != owner {
                found.push(path.clone());
            }
            if file.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Whose a file is, and the command that gives it to the owner of the directory.
pub fn repair(data: &Path, owner: &Metadata, file: &Path) -> String {
    let theirs = fs::symlink_metadata(file).map_or("somebody else".to_owned(), |file| name(file.uid()));
    let (owner, number, directory) = (name(owner.uid()), owner.uid(), data.display());
    let file = file.display();
    format!("{file} belongs to {theirs}, and the directory to {owner}: type chown -R {number}: {directory}")
}

/// The name of a user, or a number as `sudo -u` takes it: a service may run as a user who exists only while it runs.
pub fn name(uid: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let has_it = |line: &&str| line.split(':').nth(2).is_some_and(|number| number == uid.to_string());
    let name = users.lines().find(has_it).and_then(|line| line.split(':').next());
    name.map_or_else(|| format!("#{uid}"), str::to_owned)
}

/// The same command, as the owner would type it.
fn instead(data: &Path, uid: u32) -> String {
    let name = name(uid);
    let words: Vec<_> = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy())).collect();
    let user = if name.starts_with('#') { format!("'{name}'") } else { name.clone() };
    format!("{} belongs to {name}: type sudo -u {user} astragal {}", data.display(), words.join(" "))
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@=,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The owner of a directory, if this process is root's and the owner is not root.
fn of_another(data: &Path) -> Option<Metadata> {
    fs::metadata(data).ok().filter(|found| geteuid().is_root() && found.uid() != 0)
}

/// Changes who this thread is, with root in reserve. Threads that it starts are the same.
fn be(uid: Uid, gid: Gid) -> io::Result<()> {
    let reserve = |acting: Uid, root: Uid| set_thread_res_uid(acting, acting, root);
    if uid.is_root() {
        // Only root may change its group to any.
        reserve(uid, Uid::ROOT)?;
        return Ok(set_thread_res_gid(gid, gid, Gid::ROOT)?);
    }
    set_thread_res_gid(gid, gid, Gid::ROOT)?;
    Ok(reserve(uid, Uid::ROOT)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_where_a_shell_needs_it() {
        assert_eq!(
            ["--data", "/a b", "#tavern", "it's", ""].map(quoted),
            ["--data", "'/a b'", "'#tavern'", r"'it'\''s'", "''"]
        );
    }

    #[test]
    fn only_a_file_of_somebody_else_gets_advice() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(advice("No such file or directory (os error 2)", data.path()), None);
        assert!(foreign(data.path()).is_empty());
    }
}
