//! A server process that never outlives the tests.

use super::deadline::Deadline;
use super::directory::{Directory, servant};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// How long a server may take until it listens.
const START: Duration = Duration::from_secs(30);
/// How long a server may take to shut down.
const STOP: Duration = Duration::from_secs(10);
/// The time between two checks.
const LOOK: Duration = Duration::from_millis(10);

/// A server process that can be started again.
pub(crate) struct Daemon {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<OsString>,
    home: PathBuf,
    runs_as: RunsAs,
    child: Mutex<Option<Child>>,
}

/// The user a server runs as.
#[derive(Clone, Copy)]
pub(crate) enum RunsAs {
    /// A user without rights, for servers that refuse root.
    Servant,
    /// The user who runs the tests, for servers whose files must belong to that user alone.
    Us,
}

impl Daemon {
    /// A server that will run in this directory with these arguments.
    pub(crate) fn new(name: &'static str, home: &Directory, arguments: Vec<OsString>) -> Self {
        let home = home.path().to_owned();
        let program = program(name, &home);
        Daemon { name, program, arguments, home, runs_as: RunsAs::Servant, child: Mutex::new(None) }
    }

    /// The same for the program at this path, as the user who runs the tests.
    pub(crate) fn ours(name: &'static str, program: PathBuf, home: &Directory, arguments: Vec<OsString>) -> Self {
        let home = home.path().to_owned();
        Daemon { name, program, arguments, home, runs_as: RunsAs::Us, child: Mutex::new(None) }
    }

    /// Starts it. Its output goes to NAME.out.
    pub(crate) fn start(&self) {
        let output = OpenOptions::new().create(true).append(true).open(self.output()).expect("output can be written");
        let errors = output.try_clone().expect("a file has two handles");
        // setpriv becomes the server. The kernel kills it when the thread that started it ends.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        if let (RunsAs::Servant, Some((user, group))) = (self.runs_as, servant()) {
            command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        }
        command.arg(&self.program).args(&self.arguments).current_dir(&self.home);
        command.stdin(Stdio::null()).stdout(output).stderr(errors);
        let mut child = self.child();
        assert!(child.is_none(), "{} runs already", self.name);
        *child = Some(spawn(command));
    }

    /// Waits until it listens on these ports. On failure, returns its last output.
    pub(crate) fn listens(&self, ports: &[u16]) -> Result<(), String> {
        let deadline = Deadline::after(START);
        for port in ports {
            while TcpStream::connect(("127.0.0.1", *port)).is_err() {
                if !self.runs() {
                    return Err(format!("{} ended: {}", self.name, self.said()));
                }
                if deadline.left().is_none() {
                    return Err(format!("{} does not listen on {port}: {}", self.name, self.said()));
                }
                thread::sleep(LOOK);
            }
        }
        if self.runs() { Ok(()) } else { Err(format!("{} ended: {}", self.name, self.said())) }
    }

    /// True if it runs.
    pub(crate) fn runs(&self) -> bool {
        self.child().as_mut().is_some_and(|child| child.try_wait().expect("it is our child").is_none())
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child().as_ref().map(Child::id).expect("it runs")
    }

    /// Its last output.
    pub(crate) fn said(&self) -> String {
        let text = fs::read(self.output()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }

    /// Kills it with -9 and waits for its end.
    pub(crate) fn kill(&self) {
        if let Some(mut child) = self.child().take() {
            child.kill().expect("it is our child");
            child.wait().expect("it is our child");
        }
    }

    /// Asks it to end and waits; kills it if it does not.
    pub(crate) fn stop(&self) {
        if self.runs() {
            self.signal("TERM");
            self.signal("CONT");
            let deadline = Deadline::after(STOP);
            while self.runs() && deadline.left().is_some() {
                thread::sleep(LOOK);
            }
        }
        self.kill();
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid();
        // The shell's built-in kill is available everywhere.
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().expect("sh runs");
        assert!(sent.success(), "{} takes no {name}", self.name);
    }

    fn output(&self) -> PathBuf {
        self.home.join(format!("{}.out", self.name))
    }

    fn child(&self) -> MutexGuard<'_, Option<Child>> {
        self.child.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A free port on 127.0.0.1. It is below the range that the system uses for outgoing connections, so a server that
/// restarts finds its port still free.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const FIRST: u32 = 10_000;
    const COUNT: u32 = 22_000;
    // Programs that run at the same time look in different places.
    let place = std::process::id().wrapping_mul(131) % COUNT;
    let ports = std::iter::repeat_with(|| NEXT.fetch_add(1, Ordering::Relaxed)).take(COUNT as usize);
    let mut ports = ports.map(|next| FIRST + (place + next) % COUNT);
    let port = ports.find_map(|port| u16::try_from(port).ok().filter(|port| is_free(*port)));
    port.expect("a port is free")
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

/// Tries to start a server, and takes other ports if another process was faster.
pub(crate) fn start<T>(attempt: impl Fn() -> Result<T, String>) -> T {
    let mut complaints = Vec::new();
    for _ in 0..3 {
        match attempt() {
            Ok(server) => return server,
            Err(complaint) => complaints.push(complaint),
        }
    }
    panic!("no server: {}", complaints.join("\n\n"))
}

/// The program of that name. AppArmor, where enabled, lets servers read only /etc but identifies them by their path:
/// then this is a copy.
fn program(name: &str, home: &Path) -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&paths).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    let found = places.map(|place| place.join(name)).find(|path| path.is_file());
    let found = found.unwrap_or_else(|| panic!("{name} is not installed: tests/run does that"));
    let armored = fs::read_to_string("/sys/module/apparmor/parameters/enabled").is_ok_and(|on| on.starts_with('Y'));
    if !armored {
        return found;
    }
    let copy = home.join(name);
    fs::copy(&found, &copy).expect("a program can be copied");
    copy
}

/// Starts a process from a thread that lives as long as the program. For the kernel the parent is that thread, not the
/// program, and its end kills the server.
fn spawn(command: Command) -> Child {
    type Order = (Command, Sender<io::Result<Child>>);
    static SPAWNER: LazyLock<Sender<Order>> = LazyLock::new(|| {
        let (sender, orders) = mpsc::channel::<Order>();
        thread::spawn(move || {
            for (mut command, answer) in orders {
                answer.send(command.spawn()).ok();
            }
        });
        sender
    });
    let (sender, answer) = mpsc::channel();
    SPAWNER.send((command, sender)).expect("the spawner lives");
    answer.recv().expect("the spawner answers").expect("setpriv runs")
}
