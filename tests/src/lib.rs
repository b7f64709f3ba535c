//! Shared by the end-to-end tests: the binary under test, run in a directory of its own.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::LazyLock;

mod daemon;
mod deadline;
mod directory;

pub mod browser;
pub mod counting;
pub mod forger;
pub mod help;
pub mod irc;
pub mod line_chat;
pub mod matrix;
pub mod postgres;
pub mod seated;
pub mod serving;
mod session_files;
pub mod shipped;
pub mod unattended;
pub mod watched;

pub use daemon::free_port;
pub use session_files::session_files;

/// The number of lines in the console's greeting.
pub const GREETING: usize = 3;

/// The `astragal` program: the one that `ASTRAGAL_PROGRAM` names (`tests/run` names a release build), or one built once
/// per test run from the current sources.
pub fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        if let Some(program) = std::env::var_os("ASTRAGAL_PROGRAM") {
            return program.into();
        }
        let built = cargo().args(["build", "--quiet", "--workspace", "--bin", "astragal"]).status();
        assert!(built.expect("cargo runs").success(), "astragal does not build");
        program_beside("astragal")
    });
    &PROGRAM
}

/// The path of a program that cargo builds in the same profile as the test.
pub fn program_beside(name: &str) -> PathBuf {
    // Test programs are in target/PROFILE/deps.
    let this = std::env::current_exe().expect("a test knows itself");
    this.parent().and_then(Path::parent).expect("target/PROFILE/deps").join(name)
}

/// Cargo in the workspace, as a shell would start it. Cargo sets variables about a test's own package. Some build
/// scripts would run again when these change, and everything that depends on them would be rebuilt.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace"));
    let told = |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(told)) {
        cargo.env_remove(name);
    }
    // Set for the test programs alone (tests/stopwatch): packages that look at it would be built again.
    cargo.env_remove("RUSTC_BOOTSTRAP");
    // A crate may name a toolchain of its own; it is built with that of the tests, also where no cargo runs them.
    if let Some(toolchain) = option_env!("RUSTUP_TOOLCHAIN") {
        cargo.env("RUSTUP_TOOLCHAIN", toolchain);
    }
    cargo
}

/// A command that runs the program on a data directory.
pub fn astragal(data: &Path) -> Command {
    let mut command = Command::new(program());
    command.arg("--data").arg(data).env("USER", "mia").env_remove("ASTRAGAL_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs the bot on `input` until it ends.
pub fn run(data: &Path, input: &[u8]) -> Output {
    let mut child = astragal(data).stdin(Stdio::piped()).spawn().expect("the program runs");
    let mut stdin = child.stdin.take().expect("it was piped");
    let input = input.to_owned();
    // The bot may end before it has read everything.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer does not panic");
    output
}

/// The bot's output after its greeting.
pub fn answers(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().skip(GREETING).map(str::to_owned).collect()
}

/// The error of a failed run: the last line of standard error.
pub fn complaint(output: &Output) -> String {
    assert!(!output.status.success(), "it should have failed");
    String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned()
}

/// Waits until the bot on `data` has written its first backup of the day: up to five minutes, because a disk may be
/// busy.
pub fn until_backed_up(data: &Path) {
    let daily = |entry: std::fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap_or_default();
        name.strip_suffix(".jsonl.gz").is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let there = || std::fs::read_dir(data.join("backups")).is_ok_and(|mut all| all.any(|entry| entry.is_ok_and(daily)));
    until("a backup is written", there);
}

/// Waits until this is so.
///
/// # Panics
/// It is not, after five minutes.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6_000 {
        if is_so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("it did not happen that {what}");
}

/// A bot on a pipe, for a conversation line by line.
pub struct Conversation {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Conversation {
    /// Starts the bot and skips its greeting.
    pub fn start(data: &Path) -> Self {
        Self::with(&mut astragal(data))
    }

    /// Starts the bot with this command and skips its greeting.
    pub fn with(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
        let stdin = child.stdin.take().expect("it was piped");
        let stdout = BufReader::new(child.stdout.take().expect("it was piped"));
        let mut conversation = Conversation { child, stdin, stdout };
        for _ in 0..GREETING {
            conversation.hear();
        }
        conversation
    }

    /// Starts the bot under a limit of `kib` KiB per file, which acts like a full disk; `mia` runs it.
    pub fn on_a_full_disk(data: &Path, kib: u32) -> Self {
        // The signal is ignored, so that the write fails with an error instead.
        let limited =
            format!("trap '' XFSZ; ulimit -S -f {kib}; exec {} --data {}", program().display(), data.display());
        let mut command = Command::new("bash");
        Self::with(command.args(["-c", &limited]).env("USER", "mia").stdout(Stdio::piped()).stderr(Stdio::null()))
    }

    /// Sets a limit of the running process, as an argument to prlimit.
    pub fn limit(&self, limit: &str) {
        let set = Command::new("prlimit").args([limit, "--pid", &self.id().to_string()]).status().expect("it runs");
        assert!(set.success(), "{limit}");
    }

    /// Types a line.
    pub fn type_line(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the bot reads");
    }

    /// The next line the bot prints; empty once it has ended.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the bot prints text");
        line.trim_end_matches('\n').to_owned()
    }

    /// Types a line and returns the answer. Skips anything an earlier run may not have said.
    pub fn ask(&mut self, line: &str) -> String {
        self.type_line(line);
        loop {
            let heard = self.hear();
            if !heard.contains("(again) ") {
                return heard;
            }
        }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with -9.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Ends the input and waits for the bot. True if it ended without an error.
    pub fn end(mut self) -> bool {
        drop(self.stdin);
        self.child.wait().expect("it ends").success()
    }
}
