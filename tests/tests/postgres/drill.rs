//! The drill of the manual, line by line.

use super::machine::LATE;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;
use tests::irc::{Client, Ngircd, NgircdOptions, plain};
use tests::postgres::{NOBODY, as_nobody};
use tests::shipped::with_postgres;
use tests::until;

/// The channel that the page names.
const CHANNEL: &str = "#my-dice-drill";
/// Where the page works.
const PLACE: &str = "/tmp/drill";

/// A shell in which somebody types.
struct Shell {
    shell: Child,
    typed: ChildStdin,
    shown: BufReader<ChildStdout>,
    home: TempDir,
}

impl Shell {
    /// One of an ordinary user, in a directory of its own, with the program in its path.
    fn start() -> Self {
        let home = tempfile::tempdir().expect("a directory");
        fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
        let program = home.path().join("bin/astragal");
        fs::create_dir(home.path().join("bin")).expect("it is ours");
        fs::copy(with_postgres(), &program).expect("it was built");
        let mut command = Command::new("bash");
        if as_nobody(&mut command) {
            chown(home.path(), Some(NOBODY), Some(NOBODY)).expect("root may");
        }
        let path = format!("{}:{}", home.path().join("bin").display(), std::env::var("PATH").expect("there is one"));
        command.env("PATH", path).env("HOME", home.path()).current_dir(home.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(File::create(home.path().join("errors")).expect("it is ours"));
        let mut shell = command.spawn().expect("bash is there");
        let (typed, shown) = (shell.stdin.take().expect("piped"), shell.stdout.take().expect("piped"));
        Shell { shell, typed, shown: BufReader::new(shown), home }
    }

    /// The directory of the drill.
    fn place(&self) -> String {
        self.home.path().join("drill").display().to_string()
    }

    /// Types a line of the page, and returns what it shows and its exit status.
    fn run(&mut self, line: &str) -> (String, i32) {
        let line = line.replace(PLACE, &self.place());
        writeln!(self.typed, "{line}\necho \"ended $?\"").expect("it reads");
        let mut shown = String::new();
        loop {
            let mut line = String::new();
            assert!(self.shown.read_line(&mut line).expect("it is text") > 0, "the shell ended: {shown}");
            match line.strip_prefix("ended ") {
                Some(status) => return (shown, status.trim().parse().expect("a number")),
                None => shown.push_str(&line),
            }
        }
    }

    fn says(&self, log: &str, what: &str) -> bool {
        fs::read_to_string(Path::new(&self.place()).join(log)).is_ok_and(|log| log.contains(what))
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // Whatever is left of a drill that failed.
        let _ = writeln!(
            self.typed,
            "kill -9 $first $second; pg_ctl -D one -m immediate stop; pg_ctl -D two -m immediate stop; exit"
        );
        let _ = self.shell.wait();
    }
}

/// The page's configuration, with a network of this machine.
fn configuration(page: &str, network: &Ngircd) -> String {
    let (_, rest) = page.split_once("```toml\n").expect("it has one");
    let (text, _) = rest.split_once("```").expect("it ends");
    let here = format!("\"127.0.0.1\"\nport = {}\ntls = false\nreconnect_first_ms = 100", network.port());
    let changed = text.replace("\"irc.libera.chat\"", &here);
    assert!(changed != text && changed.contains(CHANNEL), "{text}");
    changed
}

/// True if a bot says this.
fn said(line: &str, what: &str) -> bool {
    line.starts_with(":astragal") && plain(line).split_once(" PRIVMSG ").is_some_and(|(_, said)| said.contains(what))
}

/// The line for the other machine.
fn swap(line: &str) -> String {
    line.replace("second", "(other)").replace("first", "second").replace("(other)", "first")
}

#[test]
fn the_drill_goes_as_the_manual_says() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/drill.md")).expect("it is there");
    let network = Ngircd::start(&NgircdOptions::default());
    let mut mia = Client::connect(network.port(), "mia");
    mia.join(CHANNEL);
    let mut shell = Shell::start();
    let comes = |line: &str| line.starts_with(":astragal") && line.contains(" JOIN ");
    let answers = |mia: &mut Client, line: &str, answer: &str| {
        mia.say(CHANNEL, line);
        mia.wait_for(|line| said(line, answer));
    };
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let (mut commands, mut swapped) = (0, false);
    for line in blocks.flat_map(str::lines) {
        // The first machine plays if the database was away for too long.
        let line = &*if swapped { swap(line) } else { line.to_owned() };
        if line.ends_with(" hand-over") {
            // People are slower than this test.
            let status = line.replace("hand-over", "status");
            let mut looks = (0..500).map(|_| shell.run(&status).0);
            assert!(looks.any(|status| !status.contains("no other bot")), "nobody stands by");
        }
        let (shown, status) = shell.run(line);
        let errors = || fs::read_to_string(shell.home.path().join("errors")).unwrap_or_default();
        assert_eq!(status, 0, "{line}: {shown} {}", errors());
        commands += 1;
        match line {
            _ if line.starts_with("mkdir") => {
                let config = configuration(&page, &network).replace(PLACE, &shell.place());
                fs::write(Path::new(&shell.place()).join("drill.toml"), config).expect("it can be written");
            }
            _ if line.contains(" 2> first.log &") => drop(mia.wait_for(comes)),
            _ if line.contains(" 2> second.log &") => until("it stands by", || shell.says("second.log", "stands by")),
            "astragal --data first ctl status" => {
                let expected = page.lines().find(|line| line.contains("store: the shard")).expect("it is shown");
                assert!(shown.contains(expected.trim()) && shown.contains("\nstanding by: "), "{shown}");
                answers(&mut mia, "!set hp 10", "hp 10");
                answers(&mut mia, "!hp -3", "hp 7");
            }
            "kill -9 $first" => {
                mia.wait_for(comes);
                answers(&mut mia, "!hp", "hp 7");
            }
            _ if line.contains(" 2>> first.log &") => until("it stands by", || shell.says("first.log", "stands by")),
            _ if line.ends_with(" promote") => {
                // What is asked while the database is away is refused, and asked again.
                let answered = (0..200).any(|_| {
                    mia.say(CHANNEL, "!hp");
                    mia.drain(LATE).iter().any(|line| said(line, "hp 7"))
                });
                assert!(answered, "nobody answers");
                swapped = shell.run("kill -0 $second").1 != 0;
                if swapped {
                    let again = page.lines().find_map(|line| line.strip_prefix("    astragal ")).expect("it is shown");
                    assert_eq!(shell.run(&format!("astragal {again}")).1, 0);
                }
            }
            _ if line.ends_with(" ctl status") => assert!(shown.contains("it has no standby"), "{shown}"),
            _ if line.ends_with(" hand-over") => {
                mia.wait_for(comes);
                answers(&mut mia, "!hp", "hp 7");
                let log = if swapped { "first.log" } else { "second.log" };
                until("it stands by", || shell.says(log, "and starts again"));
                let stands_by = || {
                    let log = fs::read_to_string(Path::new(&shell.place()).join(log)).unwrap_or_default();
                    log.matches("stands by").count() == 2
                };
                until("it stands by again", stands_by);
            }
            _ => {}
        }
    }
    assert_eq!(commands, 19, "a line of the drill is not as it was");
}
