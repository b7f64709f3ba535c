//! How fast the program answers on IRC: one ngIRCd on this machine, flood control off on both sides, and one user. For
//! comparison, a loop in the same channel answers every line at once and does nothing else: that is the cost of server
//! and system.
//!
//! The program is built for a small machine: `--release --no-default-features --features irc`.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tests::irc::{Ngircd, NgircdOptions};

/// Answers to commands asked one at a time.
const ONE_BY_ONE: usize = 3_000;
/// Commands sent at once, and how often.
const AT_ONCE: usize = 200;
const ROUNDS: usize = 30;
/// How long raw writes are measured.
const RAW: Duration = Duration::from_secs(2);

fn main() {
    // `cargo test --benches` measures nothing.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let program = build();
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let server = Ngircd::start(&NgircdOptions::default());
    let mut user = User::connect("mia", server.port());
    let bot = Bot::start(&program, directory.path(), server.port());
    user.wait_for(" JOIN ");
    user.ask("!plugin enable mvk");
    let port = server.port();
    std::thread::spawn(move || User::connect("echo", port).echo());
    user.wait_for(" JOIN ");
    let mut out = std::io::stdout().lock();
    let mut line = |text: String| writeln!(out, "{text}").expect("printed");
    let raw = raw_write(directory.path());
    line(format!("raw write of 500 bytes + fdatasync: median {:.0} us", raw * 1e6));
    let mut echo = 0.0;
    for (what, command) in [("echo", "echo 4d6"), ("!roll 4d6", "!roll 4d6"), ("state-changing", "!insp +1")] {
        for _ in 0..200 {
            user.ask(command);
        }
        let mut times: Vec<f64> = (0..ONE_BY_ONE).map(|_| user.ask(command).as_secs_f64() * 1e6).collect();
        times.sort_by(f64::total_cmp);
        if what == "echo" {
            echo = times[times.len() / 2];
        }
        let rates: Vec<f64> = (0..ROUNDS).map(|_| AT_ONCE as f64 / user.ask_at_once(command).as_secs_f64()).collect();
        line(format!(
            "{what}: median {:.0} us, {:.2} x the echo, p99 {:.0} us; {AT_ONCE} at once: {:.0}/s",
            times[times.len() / 2],
            times[times.len() / 2] / echo,
            times[times.len() * 99 / 100],
            median(rates),
        ));
    }
    line(format!("memory of the bot: {}", bot.memory()));
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The seconds that one raw write takes with its sync.
fn raw_write(directory: &Path) -> f64 {
    let mut file = File::create(directory.join("raw")).expect("a file");
    let (start, mut times) = (now(), Vec::new());
    while start.elapsed() < RAW {
        let begun = now();
        file.write_all(&[7; 500]).and_then(|()| file.sync_data()).expect("written");
        times.push(begun.elapsed().as_secs_f64());
    }
    median(times)
}

fn build() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the workspace");
    let target = root.join("target/irc-alone");
    let built = tests::cargo()
        .args(["build", "--release", "--locked", "--package", "astragal", "--no-default-features", "--features", "irc"])
        .arg("--target-dir")
        .arg(&target)
        .status();
    assert!(built.expect("cargo runs").success(), "astragal does not build");
    target.join("release/astragal")
}

struct Bot(Child);

impl Bot {
    fn start(program: &Path, directory: &Path, port: u16) -> Self {
        let config = directory.join("astragal.toml");
        let text = format!(
            "[limits]\nper_player = 1000000\nper_table = 1000000\nsame_answers = 1000000\n[irc.bench]\n\
             server = \"127.0.0.1\"\nport = {port}\ntls = false\nline_every_ms = 0\ntrust_nicks = true\n\
             channels = {{ \"#bench\" = {{}} }}\n"
        );
        fs::write(&config, text).expect("written");
        let mut command = Command::new(program);
        command.arg("--data").arg(directory.join("data")).arg("--config").arg(&config);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Bot(command.spawn().expect("it starts"))
    }

    fn memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).expect("it runs");
        let of = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim).unwrap_or("?");
        format!("{} now, {} at most", of("VmRSS:"), of("VmHWM:"))
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
    }
}

/// A user on a bare connection.
struct User {
    write: TcpStream,
    read: BufReader<TcpStream>,
}

impl User {
    fn connect(nick: &str, port: u16) -> Self {
        let write = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
        write.set_nodelay(true).expect("possible");
        let read = BufReader::new(write.try_clone().expect("possible"));
        let mut user = User { write, read };
        user.send(&format!("NICK {nick}\r\nUSER {nick} 0 * :{nick}\r\nJOIN #bench\r\n"));
        user.wait_for(" 366 ");
        user
    }

    /// Answers every line that begins with `echo`, until the server closes the link.
    fn echo(mut self) {
        loop {
            self.wait_for("PRIVMSG #bench :echo");
            self.send("PRIVMSG #bench :mia: 4d6 [1 2 3 4] = 10\r\n");
        }
    }

    fn send(&mut self, lines: &str) {
        self.write.write_all(lines.as_bytes()).expect("the server reads");
    }

    /// Waits for a line that contains this.
    fn wait_for(&mut self, what: &str) {
        let mut line = String::new();
        loop {
            line.clear();
            if self.read.buffer().is_empty() {
                // Otherwise the server waits 40 ms for the acknowledgement of its last packet.
                rustix::net::sockopt::set_tcp_quickack(&self.write, true).expect("possible");
            }
            assert!(self.read.read_line(&mut line).expect("the server writes") > 0, "the server closed the link");
            if line.contains(what) {
                return;
            }
            if let Some(token) = line.strip_prefix("PING ") {
                let pong = format!("PONG {token}");
                self.send(&pong);
            }
        }
    }

    fn ask(&mut self, command: &str) -> Duration {
        let begun = now();
        self.send(&format!("PRIVMSG #bench :{command}\r\n"));
        self.wait_for("PRIVMSG #bench :mia: ");
        begun.elapsed()
    }

    fn ask_at_once(&mut self, command: &str) -> Duration {
        let begun = now();
        self.send(&format!("PRIVMSG #bench :{command}\r\n").repeat(AT_ONCE));
        (0..AT_ONCE).for_each(|_| self.wait_for("PRIVMSG #bench :mia: "));
        begun.elapsed()
    }
}

fn now() -> Instant {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures")]
    Instant::now()
}
