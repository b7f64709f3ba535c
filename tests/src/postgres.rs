//! A PostgreSQL of a test's own, and a wire to it that can be cut.
//!
//! `ASTRAGAL_POSTGRES` names the directory with the programs of another version than the one that is installed.

use crate::irc::Certificates;
use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use tempfile::TempDir;

/// PostgreSQL does not run as root; then it runs as nobody.
pub const NOBODY: u32 = 65_534;

/// A running server.
pub struct Server {
    directory: TempDir,
    settings: Vec<String>,
    server: Child,
}

impl Server {
    /// Starts one that syncs, on a disk in memory if there is one.
    pub fn start() -> Self {
        Server::with(&[])
    }

    /// Starts one with these settings, such as `fsync=off`.
    pub fn with(settings: &[&str]) -> Self {
        Server::made(settings, |_| {})
    }

    /// Starts one that encrypts, on this port of 127.0.0.1.
    pub fn encrypting(certificates: &Certificates, port: u16) -> Self {
        let port = format!("port={port}");
        Server::made(&["ssl=on", "listen_addresses=127.0.0.1", &port], |data| {
            for (file, name) in [(&certificates.server, "server.crt"), (&certificates.server_key, "server.key")] {
                let placed = data.join(name);
                fs::copy(file, &placed).expect("it is ours");
                fs::set_permissions(&placed, fs::Permissions::from_mode(0o600)).expect("it is ours");
                if is_root() {
                    chown(placed, Some(NOBODY), Some(NOBODY)).expect("root may");
                }
            }
        })
    }

    fn made(settings: &[&str], prepare: impl FnOnce(&Path)) -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory");
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let data = directory.path().join("data");
        fs::create_dir(&data).expect("it is ours");
        if is_root() {
            for path in [directory.path(), &data] {
                chown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
            }
        }
        done(tool("initdb").args(["--auth=trust", "--username=astragal", "--no-sync", "-D"]).arg(&data));
        prepare(&data);
        let settings: Vec<_> = ["listen_addresses="].iter().chain(settings).map(ToString::to_string).collect();
        let server = spawn(directory.path(), &settings);
        Server { directory, settings, server }.once_it_answers()
    }

    /// From now on it is a standby of this one, with nothing of its own.
    pub fn follow(mut self, primary: &Server) -> Self {
        self.kill("KILL");
        let data = self.directory.path().join("data");
        fs::remove_dir_all(&data).expect("it is ours");
        let copied = ["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-d", &primary.database(), "-D"];
        done(tool("pg_basebackup").args(copied).arg(&data));
        self.server = spawn(self.directory.path(), &self.settings);
        self.once_it_answers()
    }

    /// From now on each commit waits for a standby, which is there.
    pub fn wait_for_standby(&self) {
        self.set("synchronous_standby_names", "*");
        self.wait_until("exists (select from pg_stat_replication where sync_state = 'sync')");
    }

    /// Changes a setting while it runs, and waits until it holds.
    pub fn set(&self, setting: &str, value: &str) {
        self.run(&format!("alter system set {setting} = '{value}'"));
        self.run("select pg_reload_conf()");
        self.wait_until(&format!("current_setting('{setting}') = '{value}'"));
    }

    /// Waits until this holds.
    pub fn wait_until(&self, what: &str) {
        crate::until(what, || self.run(&format!("select {what}")) == "t");
    }

    /// It takes itself for the primary from now on.
    pub fn promote(&self) {
        assert_eq!(self.run("select pg_promote()"), "t");
    }

    /// It stands still, with all its processes.
    pub fn freeze(&self) {
        self.signal("STOP");
    }

    /// It goes on.
    pub fn thaw(&self) {
        self.signal("CONT");
    }

    /// Ends it without any order.
    pub fn end(&mut self) {
        self.kill("KILL");
    }

    fn once_it_answers(mut self) -> Self {
        crate::until("PostgreSQL starts", || {
            // A process of the one that crashed may still hold what the new one needs.
            if self.server.try_wait().expect("it is ours").is_some() {
                self.server = spawn(self.directory.path(), &self.settings);
            }
            self.tried("select 1").status.success()
        });
        self
    }

    /// Ends it without any order, and starts it again.
    pub fn crash(mut self) -> Self {
        self.kill("KILL");
        // What is left of it would keep the new one from starting.
        let _ = fs::remove_file(self.directory.path().join("data/postmaster.pid"));
        self.server = spawn(self.directory.path(), &self.settings);
        self.once_it_answers()
    }

    /// Sends a signal to all its processes and waits until it has ended.
    fn kill(&mut self, signal: &str) {
        if self.server.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.signal(signal);
            let _ = self.server.wait();
        }
    }

    fn signal(&self, signal: &str) {
        let children = output(Command::new("pgrep").args(["-P", &self.server.id().to_string()]));
        let children = String::from_utf8_lossy(&children.stdout).into_owned();
        let all = children.split_whitespace().map(str::to_owned).chain([self.server.id().to_string()]);
        // One of them may have ended already.
        let _ = Command::new("kill").arg(format!("-{signal}")).args(all).stderr(Stdio::null()).status();
    }

    /// The directory of its socket.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Its connection string.
    pub fn database(&self) -> String {
        database(self.directory.path())
    }

    /// Runs a statement and returns what it found.
    pub fn run(&self, statement: &str) -> String {
        let ran = self.tried(statement);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    /// Begins to run statements in a session of their own, which ends with them.
    pub fn hold(&self, statements: &str) -> Held {
        let session = self.psql(statements).stdout(Stdio::null()).spawn().expect("psql is there");
        self.wait_until("exists (select from pg_stat_activity where wait_event = 'PgSleep')");
        Held(session)
    }

    fn psql(&self, statement: &str) -> Command {
        let port = self.settings.iter().filter_map(|setting| setting.strip_prefix("port=")).next().unwrap_or("5432");
        let mut command = tool("psql");
        command.arg(self.database()).args(["-p", port, "-qAtc", statement]);
        command
    }

    fn tried(&self, statement: &str) -> Output {
        output(&mut self.psql(statement))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // At once: nothing of it is needed any more.
        self.kill("KILL");
    }
}

/// A session that runs statements. Dropping it waits for its end.
pub struct Held(Child);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.wait();
    }
}

fn spawn(directory: &Path, settings: &[String]) -> Child {
    let mut command = tool("postgres");
    command.arg("-D").arg(directory.join("data")).arg("-k").arg(directory);
    for setting in settings {
        command.args(["-c", setting]);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("PostgreSQL 15 is installed")
}

fn database(directory: &Path) -> String {
    format!("host={} user=astragal dbname=postgres", directory.display())
}

/// Runs it as nobody if this is root. Returns whether it does.
pub fn as_nobody(command: &mut Command) -> bool {
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    is_root()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| std::os::unix::fs::MetadataExt::uid(&process) == 0)
}

/// One of PostgreSQL's programs. Debian keeps those of the server beside the path.
fn tool(name: &str) -> Command {
    let beside = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut beside: Vec<PathBuf> = beside.map(|version| version.path().join("bin")).collect();
    beside.sort();
    let chosen = std::env::var_os("ASTRAGAL_POSTGRES").map(PathBuf::from);
    let programs = beside.into_iter().chain(chosen).map(|programs| programs.join(name));
    let found = programs.rev().find(|path| path.exists());
    let mut command = Command::new(found.unwrap_or_else(|| name.into()));
    as_nobody(&mut command);
    command.current_dir("/");
    command
}

fn done(command: &mut Command) {
    let made = output(command);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

fn output(command: &mut Command) -> Output {
    command.output().expect("PostgreSQL is installed: apt-get install postgresql")
}

/// A socket in front of a server. Once something is not passed on, that connection is cut.
pub struct Wire {
    directory: TempDir,
}

impl Wire {
    /// In front of this server. Each piece that comes is passed on if `passes` says so.
    pub fn to(server: &Server, passes: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let passes = Arc::new(passes);
        let directory = tempfile::tempdir().expect("a directory");
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432")).expect("a socket");
        let behind = server.directory.path().join(".s.PGSQL.5432");
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = UnixStream::connect(&behind) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().expect("a socket"), to.try_clone().expect("a socket"));
                    let passes = passes.clone();
                    thread::spawn(move || pass(from, to, &*passes));
                }
            }
        });
        Wire { directory }
    }

    /// The connection string through the wire.
    pub fn database(&self) -> String {
        database(self.directory.path())
    }
}

/// Passes on what comes, until something may not pass.
fn pass(mut from: UnixStream, mut to: UnixStream, passes: &dyn Fn() -> bool) {
    let mut bytes = [0; 16_384];
    while let Ok(read) = from.read(&mut bytes) {
        if read == 0 || !passes() || to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    for end in [from, to] {
        // It may have ended already.
        let _ = end.shutdown(Shutdown::Both);
    }
}
